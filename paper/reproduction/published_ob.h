// OB and SOB as the paper computed them, which is not how they may be used: as printed they are formulas for one whole
// matrix, and were fitted anew on every matrix that they were given, with a group entering as one number. For checking
// the printed cells, and for nothing else; the methods to use are those of methods/method.h and continuous_method.h.
//
// For a batch A: n × q of rows with numbers b: n, and P the projector onto 1 and b:
//
//   ob_of_batch    (I − P) A U Uᵀ        U: first k right singular vectors of A, which is not centred
//   sob_of_batch   S D Uᵀ                Algorithm 1 on A less its column means, not rescaled, for an h that does not
//                                        bind: from a random u, until u or s moves by no more than η
//   recentred      A less its column means: what is left of either where b is constant
//
// No means are added back: those of the result are 0. Both are linear in A and b once the batch has been looked at, and
// so give a map that can be kept and applied to other rows, as print does not say and any use of them needs:
//
//   ob_map, sob_map        ã = (a − m − (b − β) λ) M      m, β: means of the batch, λ: slopes of its A on its b
//                          M = U Uᵀ for OB; of the batch itself it makes ob_of_batch and sob_of_batch
//
//   fit_…_on_every_batch   f of the training part's batch; predict takes the rows that it is given for a batch of their
//                          own, so that a row's prediction depends on the rows beside it
//   fit_ob, fit_sob        where b is a number: f of the training part's batch, then either the map of that batch is
//                          kept, or every batch has its own
//
// For people in groups, s is read as a number, b = s.
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
// batch has a start of its own, a function of the seed, its number of rows and the sum of b, rounded.
//
// Error when shapes disagree, there are no rows, k is not from 1 to q, b has several columns, or an option is out of
// range.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>

#include "methods/continuous_method.h"
#include "methods/pipeline.h"

namespace plumbline::published {

struct BatchMap {
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) const;

  Eigen::RowVectorXd means, slopes;  // m, λ
  double sensitive_mean = 0;         // β
  Eigen::MatrixXd axes;              // M
};

BatchMap ob_map(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, Eigen::Index k);
Eigen::MatrixXd ob_of_batch(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, Eigen::Index k);

struct BatchSobOptions {
  Eigen::Index rank = 2;     // k, from 1 to q
  double tolerance = 1e-2;   // η > 0
  int max_iterations = 500;  // of a component, ≥ 1
  std::uint64_t seed = 0;    // of the starts

  void check() const;  // throws Error naming the field
};

BatchMap sob_map(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const BatchSobOptions& options);
Eigen::MatrixXd sob_of_batch(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const BatchSobOptions& options);

Eigen::MatrixXd recentred(const Eigen::MatrixXd& a);

Learner least_norm(const LogisticOptions& options = {});

std::unique_ptr<const FittedMethod> fit_ob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                          Use use, Eigen::Index k);
std::unique_ptr<const FittedMethod> fit_sob_on_every_batch(const Sample& training, const LogisticOptions& logistic,
                                                           Use use, const BatchSobOptions& options);
std::unique_ptr<const FittedMethod> fit_recentred_on_every_batch(const Sample& training,
                                                                 const LogisticOptions& logistic);

enum class Batches { keep_the_first, refit_each };  // the map of the training part for all, or one for each batch

FittedContinuous fit_ob(const ContinuousSample& training, const Learner& learner, Eigen::Index k, Batches batches);
FittedContinuous fit_sob(const ContinuousSample& training, const Learner& learner, const BatchSobOptions& options,
                         Batches batches);

}  // namespace plumbline::published
