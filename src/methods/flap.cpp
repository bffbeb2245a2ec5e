#include "methods/families.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXi;

MethodPointer fit_fl(const Sample& training, const MethodOptions& options) {
  const auto mapping = std::make_shared<const GroupMapping>(training.a, training.s, training.levels);
  const auto residual = [mapping](const MatrixXd& a, const VectorXi& s) { return mapping->residual(a, s); };
  return fit_pipeline(training, options.learner, residual, Use::alone);
}

MethodPointer fit_flap(const Sample& training, const MethodOptions& options, Use use, Mapping kind) {
  const auto mapping = std::make_shared<const GroupMapping>(training.a, training.s, training.levels);
  const auto average = [mapping, kind](const MatrixXd& a, const VectorXi& s) { return mapping->averaged(kind, a, s); };
  return fit_pipeline(training, options.learner, average, use);
}

}  // namespace plumbline
