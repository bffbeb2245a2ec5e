// Equal laws through a fit: the model file, the certificate, and what is refused.
#include <gtest/gtest.h>

#include "message_of.h"
#include "mixed_table.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::mixed_table;
using testing::MixedTable;
using testing::Random;
using testing::span_of;
using testing::VectorXd;

FitOptions equal_laws(std::uint64_t seed = 0) {
  FitOptions out;
  out.remove = Remove::distribution;
  out.distribution.seed = seed;
  return out;
}

TEST(DistributionFit, IsItsDistributionAndReadsBack) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const MixedTable table = mixed_table(random, 2000), later = mixed_table(random, 500);
    const TableOptions how{.groups = table.groups};
    const Fit one = fit(table.a, table.b, equal_laws(seed), how);
    ASSERT_TRUE(one.distribution);
    const Fit back = Fit::from_json(one.to_json());
    EXPECT_TRUE(*back.distribution == *one.distribution);
    EXPECT_EQ(back.to_json(), one.to_json());
    MatrixXd out(500, 10), expected(500, 10);
    back.apply(later.a, later.b, out);
    one.distribution->apply(later.a, later.b, expected);
    EXPECT_EQ(out, expected);
    const VectorXd a = later.a.row(3), b = later.b.row(3);
    VectorXd row(10);
    back.apply_row(span_of(a), span_of(b), {row.data(), 10});
    EXPECT_EQ(row, VectorXd(expected.row(3)));
    EXPECT_TRUE(back.needs_sensitive());
    EXPECT_EQ(back.sensitive_inputs(), 3);
    EXPECT_EQ(back.scores(), 0);
    EXPECT_NE(message_of([&] { back.expect_affine(); }), "");
  }
}

TEST(DistributionFit, CertificateIsOfTheRows) {
  Random random(5);
  const MixedTable table = mixed_table(random, 8000);
  const Fit one = fit(table.a, table.b, equal_laws(), {.groups = table.groups, .threads = 1});
  const Fit two = fit(table.a, table.b, equal_laws(), {.groups = table.groups, .threads = 3});
  EXPECT_EQ(one.to_json(), two.to_json());
  EXPECT_EQ(one.certificate.rows, 8000);
  EXPECT_GT(one.certificate.before.correlation.value, 0.5);
  EXPECT_LT(one.certificate.after.correlation.value, 0.15 * one.certificate.before.correlation.value);
  MatrixXd out(8000, 10);
  one.apply(table.a, table.b, out);
  EXPECT_NEAR(testing::max_correlation(out, table.b), one.certificate.after.correlation.value, 1e-9);
  bool names_features = false;
  for (const std::string& note : one.certificate.notes) names_features |= note.find("children") != std::string::npos;
  EXPECT_TRUE(names_features);
}

TEST(DistributionFit, RefusesWhatDoesNotGoWithIt) {
  Random random(6);
  const MixedTable table = mixed_table(random, 200);
  const auto says = [&](const FitOptions& options, const char* what, TableOptions how = {}) {
    how.groups = table.groups;
    const std::string message = message_of([&] { fit(table.a, table.b, options, how); });
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  FitOptions options = equal_laws();
  options.rank = Rank::count(2);
  says(options, "a rank is given");
  options = equal_laws();
  options.mode = Mode::blind;
  says(options, "mode is blind");
  options = equal_laws();
  options.method = Method::sob;
  says(options, "method is sob");
  options = equal_laws();
  options.alpha = 0.5;
  says(options, "alpha is not 1");
  options = equal_laws();
  options.basis = Basis::paper;
  says(options, "basis is paper");
  says(equal_laws(), "expanded", {.expand = ExpansionOptions{.powers = 2}});
  options = equal_laws();
  options.distribution.order = {"salary"};
  says(options, "'salary'");
  Moments moments(10, 3, Moments::Kind::cross);
  moments.update(table.a, table.b);
  EXPECT_NE(message_of([&] { fit(moments, equal_laws()); }), "");
}

}  // namespace
}  // namespace plumbline
