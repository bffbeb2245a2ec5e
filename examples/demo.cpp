// Plumbline in one page: data with a bias, the bias removed, and the certificate that says so.
//
// Applicants for a loan have an age and an income, which a lender must not use, and five columns that it may use but
// which depend on them. A score fitted on those columns moves when only age and income move; on the fair ones it does
// not.
#include <plumbline/cpu.h>
#include <plumbline/fit.h>

#include <Eigen/Dense>
#include <cstdio>
#include <random>

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// One row of weights a feature, of (age, income, own noise).
const MatrixXd kLoads = (MatrixXd(5, 3) << 0.8, 0.1, 0.6,  // years_employed
                         0.1, 0.9, 0.5,                    // savings
                         0.2, 0.7, 0.7,                    // credit_limit
                         -0.5, 0.3, 0.8,                   // open_loans
                         0.0, 0.1, 1.0)                    // late_payments
                            .finished();

struct Applicants {
  MatrixXd sensitive, features;
  VectorXd repaid;
};

Applicants generate(Eigen::Index rows) {
  std::mt19937_64 engine(2026);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(engine); };
  const MatrixXd b = MatrixXd::NullaryExpr(rows, 2, draw), noise = MatrixXd::NullaryExpr(rows, 5, draw);
  const MatrixXd a = b * kLoads.leftCols(2).transpose() + noise * kLoads.col(2).asDiagonal();
  const VectorXd y = a * (VectorXd(5) << 1, 1, 0.5, -0.5, -1).finished() + 0.3 * VectorXd::NullaryExpr(rows, draw);
  return {b, a, y};
}

// How far a least-squares score moves, in its own standard deviations, when age rises by one and nothing else of the
// person changes.
double counterfactual_shift(const MatrixXd& features, const VectorXd& y, const VectorXd& moved) {
  const MatrixXd centred = features.rowwise() - features.colwise().mean();
  const VectorXd slopes = centred.householderQr().solve(VectorXd(y.array() - y.mean()));
  const double deviation = (centred * slopes).norm() / std::sqrt(static_cast<double>(y.size()));
  return std::abs(slopes.dot(moved)) / deviation;
}

}  // namespace

int main() {
  const Eigen::Index rows = 200'000;
  std::printf("Generating %td applicants: 5 features that depend on age and income.\n\n", rows);
  const Applicants people = generate(rows);

  const plumbline::Fit fit =
      plumbline::fit(people.features, people.sensitive, {.rank = plumbline::Rank::count(4)},
                     {.feature_names = {"years_employed", "savings", "credit_limit", "open_loans", "late_payments"},
                      .sensitive_names = {"age", "income"}});
  const MatrixXd fair = fit.model.apply(people.features, people.sensitive);
  std::fputs(fit.certificate.to_text().c_str(), stdout);

  const VectorXd step = VectorXd::Unit(2, 0), moved = kLoads.leftCols(2) * step;
  const VectorXd moved_fair = fit.model.dense_a() * moved + fit.model.dense_b() * step;
  std::printf("\nA linear score moves by this many of its standard deviations when only age rises by one:\n");
  std::printf("  trained on the features as they were  %8.4f\n",
              counterfactual_shift(people.features, people.repaid, moved));
  std::printf("  trained on the fair features          %8.4f\n", counterfactual_shift(fair, people.repaid, moved_fair));
  std::printf("\nHot loops: %s. Try next: examples/demo.cpp is a page long; change the rank or the mode.\n",
              plumbline::instruction_set());
  return fit.certificate.holds() ? 0 : 1;
}
