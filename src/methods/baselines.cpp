#include "methods/families.h"
#include "predict/averaged.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

// EO of the orthogonal counterfactuals, averaged over their groups.
class AveragedCounterfactuals final : public FittedMethod {
 public:
  AveragedCounterfactuals(const Sample& training, MethodPointer eo)
      : shape_(training), mapping_(training.a, training.s, training.levels), eo_(std::move(eo)) {}

  VectorXd predict(const MatrixXd& a, const VectorXi& s) const override {
    shape_.check(a, s);
    VectorXd out = VectorXd::Zero(a.rows());
    mapping_.for_each_group(Mapping::orthogonal, a, s, [&](int g, const MatrixXd& counterfactual) {
      out += mapping_.shares()[g] * eo_->predict(counterfactual, s);
    });
    return out;
  }

  std::vector<std::string> warnings() const override { return eo_->warnings(); }

 private:
  Shape shape_;
  GroupMapping mapping_;
  MethodPointer eo_;
};

MatrixXd unchanged(const MatrixXd& a, const VectorXi&) { return a; }

}  // namespace

MethodPointer fit_ml(const Sample& training, const MethodOptions& options) {
  const auto prepare = [shares = group_shares(training.s, training.levels)](const MatrixXd& a, const VectorXi& s) {
    check_known(shares, s);
    return with_groups(a, s, static_cast<int>(shares.size()));
  };
  return fit_pipeline(training, options.learner, prepare, Use::alone);
}

MethodPointer fit_ftu(const Sample& training, const MethodOptions& options) {
  return fit_pipeline(training, options.learner, unchanged, Use::alone);
}

MethodPointer fit_eo(const Sample& training, const MethodOptions& options) {
  return fit_pipeline(training, options.learner, unchanged, Use::averaged);
}

MethodPointer fit_aa(const Sample& training, const MethodOptions& options) {
  return std::make_unique<AveragedCounterfactuals>(training, fit_eo(training, options));
}

}  // namespace plumbline
