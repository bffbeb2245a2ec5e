// The paper's comparison on simulated insurance prices, whose exact counterfactuals are known, and discrete methods on
// bins of b.
#include "paper/insurance.h"
#include "paper/numpy_permutation.h"
#include "paper/regression_comparison.h"

namespace plumbline {
namespace {

constexpr Index kRows = 10'000;
constexpr Index kJudged = 500;  // test rows whose counterfactuals are looked at

InsuranceRows chosen(const InsuranceRows& rows, const std::vector<Index>& which) {
  return {rows.b(which), rows.a(which, Eigen::all), rows.y(which), rows.u(which, Eigen::all), rows.e(which, Eigen::all)};
}

// In units of the training part: features from 0 to 1, y with mean 0 and standard deviation 1.
struct Units {
  explicit Units(const InsuranceRows& training)
      : low(training.a.colwise().minCoeff()),
        width(training.a.colwise().maxCoeff() - low),
        mean(training.y.mean()),
        sd(std::sqrt((training.y.array() - mean).square().mean())) {}

  Eigen::MatrixXd features(const Eigen::MatrixXd& a) const {
    return (a.rowwise() - low).array().rowwise() / width.array();
  }
  ContinuousSample of(const InsuranceRows& rows) const {
    return {features(rows.a), rows.b, (rows.y.array() - mean) / sd};
  }

  Eigen::RowVectorXd low, width;
  double mean, sd;
};

class ExactCounterfactuals final : public Counterfactuals {
 public:
  ExactCounterfactuals(const InsuranceGenerator& generator, InsuranceRows rows, Units units)
      : generator_(generator), rows_(std::move(rows)), units_(std::move(units)) {}

  Index rows() const override { return rows_.b.size(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override {
    return units_.features(generator_.counterfactual(rows_, b.col(0)).a);
  }

 private:
  InsuranceGenerator generator_;
  InsuranceRows rows_;
  Units units_;
};

}  // namespace
}  // namespace plumbline
