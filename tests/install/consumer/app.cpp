// What a user's first program looks like: nothing but the installed package.
#include <plumbline/fit.h>

#include <Eigen/Core>
#include <cstdio>

int main() {
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(500, 2);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(500, 7) + b * Eigen::MatrixXd::Random(2, 7);

  const plumbline::Fit fit = plumbline::fit(a, b, {.rank = plumbline::Rank::count(4)});
  const Eigen::MatrixXd fair = fit.model.apply(a, b);
  std::printf("%s", fit.certificate.to_text().c_str());

  const Eigen::MatrixXd centred = b.rowwise() - b.colwise().mean();
  const double left = (centred.transpose() * fair).cwiseAbs().maxCoeff();
  std::printf("largest product with a sensitive column: %.1e\n", left);
  return left < 1e-9 ? 0 : 1;
}
