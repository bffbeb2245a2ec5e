// The methods that the paper compares, as one family: fitted on a training sample, applied to anyone.
//
//   p = f(a, s)        a: n × q features, s: n groups        P(g): shares of the groups in the training sample
//
//   ML         f of [s, a]: everything is used
//   FTU        f of a: the group is left out
//   EO         Σ_g P(g) ML(a, g)
//   AA         Σ_g P(g) EO(a of g), the orthogonal counterfactuals
//   FL         f of a − mean(A | s)
//   FL[mcmc]   f of the latent U of a linear-Gaussian causal model, inferred from (a, s) (fair_learning.h)
//   FLAP_1     Σ_g P(g) f([g, ā]),  f of [s, ā]        ā: a averaged over its counterfactuals (group_mapping.h), by the
//   FLAP_2     f of ā                                  orthogonal map, FLAP(O), or the marginal one, FLAP(M)
//   OB_1       Σ_g P(g) f([g, ã]),  f of [s, ã]        ã: what OB makes of a (plumbline/fit.h), with a map that is
//   OB_2       f of ã                                  fitted to the training sample and never again
//   SOB_1, SOB_2                                       the same with SOB
//
// [s, ·] has an indicator of every level (predict/averaged.h). f is fitted by the learner, logistic regression unless
// another is given.
//
// A level may be without training rows: it has P(g) = 0. FTU and EO, which do not look at s, and OB and SOB of coded
// groups take such rows; for all others predict throws Error, since nothing is known of the group. Error also on an
// unknown name, options out of range, a sample that does not pass its check, and from the learner.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "methods/linear_scm.h"
#include "methods/sample.h"
#include "plumbline/fit.h"
#include "predict/logistic.h"

namespace plumbline {

class FittedMethod {
 public:
  FittedMethod() = default;
  FittedMethod(const FittedMethod&) = delete;
  FittedMethod& operator=(const FittedMethod&) = delete;
  virtual ~FittedMethod() = default;

  virtual Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const = 0;

  // What a reader of the predictions should know, a sentence each: separation, no convergence.
  virtual std::vector<std::string> warnings() const = 0;
};

enum class GroupCoding {
  one_hot,  // an indicator of every level
  code      // the number of the group, as if groups lay on a line: what the paper did
};

// plumbline::fit, or what runs it elsewhere and comes back with its result.
using TableFit = std::function<Fit(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const FitOptions& options,
                                   const TableOptions& table)>;
TableFit fit_here();

struct MethodOptions {
  Learner learner = logistic_learner();
  // Of OB and SOB:
  TableFit debias = fit_here();               // how they are fitted
  GroupCoding coding = GroupCoding::one_hot;  // how they see s
  Rank rank = Rank::all();                    // all: as many components of SOB as there are features
  Basis basis = Basis::optimal;
  bool standardize = true;
  SobOptions sob = {};
  // Of FL[mcmc]:
  ScmOptions scm = {};

  void check() const;  // throws Error naming the field
};

std::unique_ptr<const FittedMethod> fit_method(std::string_view name, const Sample& training,
                                               const MethodOptions& options = {});

// The names above, in that order, FLAP and OB with all their variants.
const std::vector<std::string>& method_names();

}  // namespace plumbline
