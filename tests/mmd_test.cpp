#include "predict/mmd.h"

#include <gtest/gtest.h>

#include "reference_network.h"

namespace plumbline {
namespace {

using testing::exact_in_float;
using testing::Random;
using testing::reference_mmd;
using testing::Surrounded;
using testing::WideMatrix;

template <class T>
class MmdOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(MmdOf, Scalars);

struct TwoSamples {
  explicit TwoSamples(unsigned seed) : random(seed) {}

  Random random;
  Index d = random.integer(1, 6), n = random.integer(1, 12), m = random.integer(1, 12);
  WideMatrix z = exact_in_float(random.matrix(n, d)), x = exact_in_float(random.matrix(m, d));
  double weight = random.uniform(0.5, 3);
};

constexpr unsigned kSeeds = 12;

TYPED_TEST(MmdOf, IsItsDefinition) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const TwoSamples p(seed);
    const auto mmd = [&](const WideMatrix& of) {
      Surrounded<T> z(of, 0), x(p.x, 0), slope(of, 0);
      return mmd_and_slope<T>(z.view(), x.view(), slope.view(), p.weight);
    };
    EXPECT_NEAR(mmd(p.z), p.weight * static_cast<double>(reference_mmd(p.z, p.x)), tolerance);
    EXPECT_NEAR(mmd(p.x), 0, tolerance / 100);
    EXPECT_GE(mmd(p.z), -tolerance / 100);
  }
}

TYPED_TEST(MmdOf, SlopesAreThoseOfCentralDifferences) {
  using T = TypeParam;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const TwoSamples p(seed);
    const WideMatrix expected = testing::central_differences(
        p.z, [&](const WideMatrix& at) -> long double { return p.weight * reference_mmd(at, p.x); });
    Surrounded<T> z(p.z, 3), x(p.x, 3), slope(WideMatrix::Zero(p.n, p.d), 0);
    mmd_and_slope<T>(z.view(), x.view(), slope.view(), p.weight);
    EXPECT_LE(testing::relative_error(slope.view().matrix(), expected), testing::kGradientTolerance<T>) << seed;

    const WideMatrix once = slope.view().matrix().template cast<long double>();
    mmd_and_slope<T>(z.view(), x.view(), slope.view(), p.weight);
    EXPECT_LE(testing::relative_error(slope.view().matrix(), 2 * once), 4 * std::numeric_limits<T>::epsilon())
        << "what is there stays";
  }
}

}  // namespace
}  // namespace plumbline
