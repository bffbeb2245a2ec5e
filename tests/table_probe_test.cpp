// A probe of a fit to a table: which rows it is made on, and with which maps.
#include "tables/table_probe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_frame.h"
#include "roles.h"
#include "tables/row_map.h"
#include "tables/table_fit.h"

namespace plumbline {
namespace {

using testing::Frame;
using testing::MatrixXd;
using testing::Random;
using testing::random_frame;
using testing::Roles;
using testing::schema_of;

class TableProbeTest : public ::testing::TestWithParam<unsigned> {
 protected:
  Random random{GetParam()};
  Roles roles = random.integer(0, 1) == 0 ? Roles{.sensitive = {"s", "group"}, .weights = "w"}
                                          : Roles{.sensitive = {"s", "group"}, .left_out = {"w"}};

  TableFit fitted(const Frame& of, const TableFitOptions& options) const {
    const auto source = of.source();
    return fit_table(*source, schema_of(*source, of.kinds(), roles), options);
  }
};

TEST_P(TableProbeTest, KeepsASampleOfTheRowsAsTheFitEncodesThem) {
  const Frame frame = random_frame(random, random.integer(300, 3000), 0);
  TableFitOptions options{.probe_rows = random.integer(100, 2000)};
  if (random.integer(0, 1) == 0) options.expand = ExpansionOptions{.powers = 2};
  if (random.integer(0, 1) == 0) options.least_rows = 60;
  const TableFit done = fitted(frame, options);
  ASSERT_TRUE(done.sample);
  const auto source = frame.source();
  const Encoding& encoding = *done.fit.encoding;
  const SampledRows again = sample_rows(*source, find_columns(encoding, *source, {}), encoding, options.probe_rows, {});
  EXPECT_EQ(done.sample->rows.a, again.a);
  EXPECT_EQ(done.sample->rows.b, again.b);
  EXPECT_EQ(done.sample->rows.weights, again.weights);
  EXPECT_EQ(done.sample->rows.rows, again.rows);
}

TEST_P(TableProbeTest, OfPartsWhateverLevelsEachHasTheSampleIsThatOfTheWhole) {
  const Frame frame = random_frame(random, random.integer(400, 5000), 0.03);
  TableFitOptions options{.missing = Missing::drop, .probe_rows = random.integer(50, 3000)};
  if (random.integer(0, 1) == 0) options.least_rows = 60;
  PartSample sample(options.probe_rows);
  TableMoments sum;
  for (Index first = 0; first < frame.rows;) {
    const Index count = std::min(random.integer(1, frame.rows), frame.rows - first);
    const Frame rows = frame.middle_rows(first, count);
    const auto source = rows.source();
    const TableMoments part =
        collect_part(*source, schema_of(*source, rows.kinds(), roles), options.missing, {.sample = &sample.next()});
    sum.merge(part);
    sample.add(part.encoding, sum.encoding);
    first += count;
  }
  const TableFit whole = fitted(frame, options), found = fit_table_moments(sum, options, &sample);
  ASSERT_TRUE(whole.sample && found.sample);
  EXPECT_EQ(found.fit.encoding->features, whole.fit.encoding->features);
  EXPECT_EQ(found.sample->rows.a, whole.sample->rows.a);
  EXPECT_EQ(found.sample->rows.b, whole.sample->rows.b);
  EXPECT_EQ(found.sample->rows.weights, whole.sample->rows.weights);
  EXPECT_EQ(found.sample->rows.rows, whole.sample->rows.rows);
}

TEST_P(TableProbeTest, LeavesTheFitAsItIs) {
  const Frame frame = random_frame(random, random.integer(200, 2000), 0);
  EXPECT_EQ(fitted(frame, {.probe_rows = 500}).fit.to_json(), fitted(frame, {}).fit.to_json());
  EXPECT_FALSE(fitted(frame, {}).sample);
}

// Whether the held-out rows are taken from the moments of all rows or the others are summed is no matter.
TEST_P(TableProbeTest, OfAllRowsAndOfASampleAgreeOnWhatAFitDoes) {
  const Frame frame = random_frame(random, 2400, 0);
  const TableFit of_part = fitted(frame, {.probe_rows = 1000}), of_all = fitted(frame, {.probe_rows = 2400});
  const Probe part = probe_fit(of_part.fit, *of_part.sample), all = probe_fit(of_all.fit, *of_all.sample);
  EXPECT_LE(part.rows, 1000);
  EXPECT_EQ(part.learned_rows, part.rows - part.rows / kProbeFolds);
  EXPECT_LE(all.rows, 2400);
  EXPECT_LT(all.learned_rows, all.rows / 2);
  ASSERT_FALSE(part.columns.empty());
  for (const Probe* probe : {&part, &all})
    for (const ProbedColumn& column : probe->columns)
      if (column.read_as == ReadAs::number) EXPECT_LT(column.after[0].value, 0.1) << column.name;
}

TEST_P(TableProbeTest, OfNewRowsTakesTheMapOfTheFit) {
  const Frame frame = random_frame(random, 1200, 0);
  const TableFit done = fitted(frame, {.probe_rows = 600});
  const Probe one = probe_new_rows(done.fit, done.sample->rows);
  Fit other = done.fit;
  AffineParts parts = other.model.parts();
  parts.direct.setZero();
  parts.output.setZero();
  other.model = AffineModel(parts);  // leaves nothing of any feature
  const Probe nothing = probe_new_rows(other, done.sample->rows);
  ASSERT_EQ(one.columns.size(), nothing.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_EQ(one.columns[c].before, nothing.columns[c].before);
    for (const Reading& reading : nothing.columns[c].after)
      EXPECT_EQ(Probe::exposure(reading, nothing.columns[c].read_as), 0);
  }
}

TEST_P(TableProbeTest, WorksInEveryMode) {
  const Frame frame = random_frame(random, 900, 0);
  for (const auto& [method, mode, rank] : {std::tuple(Method::ob, Mode::blind, Rank::all()),
                                           {Method::ob, Mode::aware, Rank::count(2)},
                                           {Method::ob, Mode::blind, Rank::share(0.8)},
                                           {Method::sob, Mode::aware, Rank::count(2)}}) {
    const TableFit done = fitted(frame, {.fit = {.method = method, .mode = mode, .rank = rank}, .probe_rows = 400});
    const Probe probe = probe_fit(done.fit, *done.sample);
    EXPECT_FALSE(probe.columns.empty());
    EXPECT_EQ(probe_fit(done.fit, *done.sample, {.threads = 1}), probe_fit(done.fit, *done.sample, {.threads = 3}));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableProbeTest, ::testing::Range(0U, 6U));

}  // namespace
}  // namespace plumbline
