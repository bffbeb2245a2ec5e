// A probe of a fit to a table: which rows it is made on, and with which maps.
#include "tables/table_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

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
        collect_part(*source, schema_of(*source, rows.kinds(), roles), options.missing, {.samples = {&sample.next()}});
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
  for (const Remove remove : {Remove::spread, Remove::distribution}) {
    const FitOptions options{.remove = remove};
    EXPECT_EQ(fitted(frame, {.fit = options, .probe_rows = 500}).fit.to_json(),
              fitted(frame, {.fit = options}).fit.to_json());
  }
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

SampledRows rest_of(const SampledRows& all, const SampledRows& held_out) {
  const std::set<std::uint64_t> keys(held_out.keys.begin(), held_out.keys.end());
  std::vector<Index> rest;
  for (std::size_t i = 0; i < all.keys.size(); ++i)
    if (!keys.count(all.keys[i])) rest.push_back(static_cast<Index>(i));
  return all.only(rest);
}

MatrixXd applied(const Fit& fit, const SampledRows& rows) {
  MatrixXd out(rows.a.rows(), rows.a.cols());
  fit.apply(rows.a, rows.b, out);
  return out;
}

std::vector<Index> some_of(Random& random, Index count) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i)
    if (random.integer(0, 2) > 0) out.push_back(i);
  return out;
}

TEST_P(TableProbeTest, RefitsSpreadsToAllOtherRowsOfTheTable) {
  const Frame frame = random_frame(random, random.integer(1500, 4000), 0);
  for (const bool is_diagonal : {false, true})
    for (const bool is_expanded : {false, true}) {
      TableFitOptions options{.probe_rows = random.integer(200, 700)};
      options.fit.remove = Remove::spread;
      options.fit.spread.diagonal = is_diagonal;
      if (random.integer(0, 1) == 0) options.fit.rank = Rank::count(3);
      if (is_expanded) options.expand = ExpansionOptions{.powers = 2};
      const TableFit done = fitted(frame, options);
      options.probe_rows = frame.rows;
      const TableFit whole = fitted(frame, options);  // the sample of which is the table
      const std::vector<Index> held_out = some_of(random, done.sample->rows.a.rows());
      const SampledRows rest = rest_of(whole.sample->rows, done.sample->rows.only(held_out));
      RegionMoments moments = done.sample->regions->empty();
      moments.update(rest.a, rest.b, {.weights = rest.weights});
      const MatrixXd found = applied(fit_without(done.fit, *done.sample, held_out), done.sample->rows);
      const MatrixXd expected = applied(plumbline::fit(moments, done.fit.options), done.sample->rows);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
      EXPECT_GT((found - applied(done.fit, done.sample->rows)).cwiseAbs().maxCoeff(), 1e-4);

      std::vector<Index> same;  // of the sample that is the table
      for (std::size_t i = 0; i < whole.sample->rows.keys.size(); ++i)
        if (std::find(rest.keys.begin(), rest.keys.end(), whole.sample->rows.keys[i]) == rest.keys.end())
          same.push_back(static_cast<Index>(i));
      EXPECT_EQ(fit_without(whole.fit, *whole.sample, same).spread, plumbline::fit(moments, done.fit.options).spread);
    }
}

TEST_P(TableProbeTest, RefitsLawsToAllOtherRowsOfTheTable) {
  const Frame frame = random_frame(random, random.integer(1500, 4000), 0);
  TableFitOptions options{.probe_rows = random.integer(200, 700)};
  options.fit.remove = Remove::distribution;
  const TableFit done = fitted(frame, options);
  const std::vector<Index> held_out = some_of(random, done.sample->rows.a.rows());
  const auto source = frame.source();
  const Encoding& encoding = *done.fit.encoding;
  const SampledRows all = sample_rows(*source, find_columns(encoding, *source, {}), encoding, frame.rows, {});
  const SampledRows rest = rest_of(all, done.sample->rows.only(held_out));
  EXPECT_EQ(rest.a.rows(), all.a.rows() - static_cast<Index>(held_out.size()));
  EXPECT_EQ(*fit_without(done.fit, *done.sample, held_out).distribution,
            Distribution::fit(rest.a, rest.b, feature_groups(encoding), options.fit.distribution, rest.weights));
}

// As rows become many: the rows that are probed come after those that are learned from.
TEST_P(TableProbeTest, LawsAreProbedOnRowsThatTheyWereNotLearnedFrom) {
  const Index probed = random.integer(100, 400), rows = kDistributionRows + probed + random.integer(-300, 300);
  RowSample sample(1, 1, kDistributionRows + probed), learned(1, 1, kDistributionRows);
  const MatrixXd a = random.matrix(rows, 1), b = random.matrix(rows, 1);
  for (RowSample* one : {&sample, &learned}) one->add(a, b, {});
  const LawRows found = LawRows::of(sample.take(), probed);
  const SampledRows expected = learned.take();
  EXPECT_EQ(found.learned.a, expected.a);
  EXPECT_EQ(found.learned.b, expected.b);
  ASSERT_TRUE(found.probe);
  const SampledRows& of_probe = found.probe->rows;
  EXPECT_EQ(of_probe.a.rows(), probed);
  EXPECT_EQ(found.probe->is_new, rows >= kDistributionRows + probed);
  EXPECT_EQ(found.probe->learned.has_value(), !found.probe->is_new);
  const auto seen = [&](const SampledRows& among) {
    return among.a.rows() - rest_of(among, of_probe).a.rows();  // of the probed rows
  };
  EXPECT_EQ(seen(found.learned), found.probe->is_new ? 0 : probed);
  if (!found.probe->learned) return;
  EXPECT_EQ(found.probe->learned->a.rows(), kRefittedRows);
  EXPECT_EQ(seen(*found.probe->learned), probed);
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
  for (const auto& [method, mode, remove, rank] : {std::tuple(Method::ob, Mode::blind, Remove::mean, Rank::all()),
                                                   {Method::ob, Mode::aware, Remove::mean, Rank::count(2)},
                                                   {Method::ob, Mode::blind, Remove::mean, Rank::share(0.8)},
                                                   {Method::sob, Mode::aware, Remove::mean, Rank::count(2)},
                                                   {Method::ob, Mode::aware, Remove::spread, Rank::all()},
                                                   {Method::sob, Mode::aware, Remove::spread, Rank::count(2)},
                                                   {Method::ob, Mode::aware, Remove::distribution, Rank::all()}}) {
    const TableFit done =
        fitted(frame, {.fit = {.method = method, .mode = mode, .remove = remove, .rank = rank}, .probe_rows = 400});
    const Probe probe = probe_fit(done.fit, *done.sample);
    EXPECT_FALSE(probe.columns.empty());
    EXPECT_EQ(probe_fit(done.fit, *done.sample, {.threads = 1}), probe_fit(done.fit, *done.sample, {.threads = 3}));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableProbeTest, ::testing::Range(0U, 6U));

}  // namespace
}  // namespace plumbline
