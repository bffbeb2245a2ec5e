// One row is transformed without a single allocation.
#include <gtest/gtest.h>

#include "count_allocations.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::Random;
using testing::span_of;
using testing::VectorXd;

TEST(OneRow, AllocatesNothing) {
#ifndef PLUMBLINE_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
#else
  Random random(1);
  const MatrixXd b = random.matrix(900, 5), a = random.features(b, 100);
  const ExpansionOptions rich{.powers = 3, .knots = 4, .bins = 4, .interactions = true};
  const std::vector<Fit> fits = {fit(a, b),
                                 fit(a, b, {.rank = Rank::count(20)}),
                                 fit(a, b, {.mode = Mode::blind}),
                                 fit(a, b, {}, {.expand = rich}),
                                 fit(a, b, {.remove = Remove::spread, .rank = Rank::count(20)}),
                                 fit(a, b, {.remove = Remove::spread, .spread = {.diagonal = true}})};
  const VectorXd row_a = a.row(0), row_b = b.row(0);
  VectorXd out(100);
  for (const Fit& f : fits) f.apply_row(span_of(row_a), span_of(row_b), {out.data(), 100});
  for (const Fit& f : fits) {
    const long before = allocations;
    for (int round = 0; round < 10; ++round) f.apply_row(span_of(row_a), span_of(row_b), {out.data(), 100});
    EXPECT_EQ(allocations - before, 0);
  }
  const long before = allocations;
  const VectorXd copy = out;
  EXPECT_GT(allocations - before, 0) << "the counter itself";
#endif
}

}  // namespace
}  // namespace plumbline
