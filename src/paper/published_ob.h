// OB and SOB as the paper computed them, which is not how they may be used: they are fitted anew on every matrix that
// they are given, and the group enters as one number. For checking the printed cells, and for nothing else; the methods
// to use are those of methods/method.h.
//
// For a batch A: n × q of people with groups s: n, read as a number b = s, and P the projector onto 1 and b:
//
//   ob_of_batch    (I − P) A U Uᵀ        U: first k right singular vectors of A, which is not centred
//   sob_of_batch   S D Uᵀ                Algorithm 1 on A less its column means, not rescaled, for an h that does not
//                                        bind: from a random u, until u or s moves by no more than η
//   recentred      A less its column means: what is left of either where b is constant
//
//   fit_…_on_every_batch   f of the training part's batch; predict takes the rows that it is given for a batch of their
//                          own, so that a row's prediction depends on the rows beside it
//
// In a counterfactual copy of the test part all rows have the same group. Then P is the mean alone, and all that the
// methods do is to give each copy the same mean.
//
// least_norm is logistic regression that, where columns of x are collinear, takes of all coefficients that fit alike
// those of least norm, as pseudo-inverses and gradient steps from 0 do; it gives no standard errors. Below full rank it
// matters: each batch has another U, and what fits alike on one differs on the next. The norm is that of the
// coefficients without the intercept, so beside indicators of all groups, whose sum is the intercept's column, the
// coefficients are not of least norm: a constant moves between them and the intercept, which no prediction can feel.
//
// sob_of_batch is what brackets the printed cells: start, tolerance and stopping rule of the original are not known. A
// batch has a start of its own, a function of the seed, its number of rows and its groups.
//
// Error when shapes disagree, there are no rows, k is not from 1 to q, or an option is out of range.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>

#include "methods/pipeline.h"

namespace plumbline::published {

Eigen::MatrixXd ob_of_batch(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, Eigen::Index k);

struct BatchSobOptions {
  Eigen::Index rank = 2;     // k, from 1 to q
  double tolerance = 1e-2;   // η > 0
  int max_iterations = 500;  // of a component, ≥ 1
  std::uint64_t seed = 0;    // of the starts

  void check() const;  // throws Error naming the field
};

Eigen::MatrixXd sob_of_batch(const Eigen::MatrixXd& a, const Eigen::VectorXi& s, const BatchSobOptions& options);

Eigen::MatrixXd recentred(const Eigen::MatrixXd& a);

Learner least_norm(const LogisticOptions& options = {});

std::unique_ptr<const FittedMethod> fit_ob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                          Use use, Eigen::Index k);
std::unique_ptr<const FittedMethod> fit_sob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                           Use use, const BatchSobOptions& options);
std::unique_ptr<const FittedMethod> fit_recentred_on_every_batch(const Sample& training,
                                                                 const LogisticOptions& logistic);

}  // namespace plumbline::published
