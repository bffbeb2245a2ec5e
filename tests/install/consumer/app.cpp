// What a user's first program looks like: nothing but the installed package.
#include <plumbline/moments.h>

#include <Eigen/Core>
#include <cstdio>

int main() {
  Eigen::MatrixXd a(4, 2), b(4, 1);
  a << 1, 10, 2, 20, 3, 30, 4, 60;
  b << 0, 0, 1, 1;

  plumbline::Moments moments(a.cols(), b.cols());
  moments.update(a, b);

  const Eigen::VectorXd mean = moments.mean_a();
  const bool right = mean[0] == 2.5 && mean[1] == 30 && moments.mean_b()[0] == 0.5;
  std::printf("mean of a: %g %g (%s)\n", mean[0], mean[1], right ? "right" : "expected 2.5 30");
  return right ? 0 : 1;
}
