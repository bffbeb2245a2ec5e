#include "methods/families.h"
#include "predict/averaged.h"

namespace plumbline {

using Eigen::MatrixXd;
using Eigen::VectorXi;

MethodPointer fit_orthogonal(const Sample& training, const MethodOptions& options, Use use, Method method) {
  const auto sensitive = [shares = group_shares(training.s, training.levels),
                          coding = options.coding](const VectorXi& s) -> MatrixXd {
    if (coding == GroupCoding::code) return s.cast<double>();
    check_known(shares, s);
    return with_groups(MatrixXd(s.size(), 0), s, static_cast<int>(shares.size()));
  };
  FitOptions debias;
  debias.method = method;
  debias.basis = options.basis;
  debias.rank = options.rank;
  if (method == Method::sob && options.rank.is_all()) debias.rank = Rank::count(training.a.cols());
  debias.standardize = options.standardize;
  debias.sob = options.sob;
  const Fit fitted = options.debias(training.a, sensitive(training.s), debias, {});
  const auto remove = [model = fitted.model, sensitive](const MatrixXd& a, const VectorXi& s) {
    return model.apply(a, sensitive(s));
  };
  return fit_pipeline(training, options.learner, remove, use, warning_of(fitted.sob_status));
}

}  // namespace plumbline
