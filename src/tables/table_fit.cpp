#include "tables/table_fit.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "debias/choose_terms.h"
#include "debias/covariance.h"
#include "debias/fit_distribution.h"
#include "debias/fit_spread.h"
#include "plumbline/error.h"
#include "tables/learn_encoding.h"
#include "tables/row_encoder.h"
#include "tables/row_sample.h"

namespace plumbline {
namespace {

// A table of few rows as matrices: sparse components of more features than rows are found without the products of the
// features with each other, but not without the rows.
struct FewRows {
  Eigen::MatrixXd a, b;
  std::vector<double> weights;           // empty: all one
  std::int64_t dropped = 0, filled = 0;  // as in TableMoments
};

struct TooMany {};

// All rows of the table if there are at most so many; none otherwise, and the table has to be read again.
std::optional<FewRows> read_few_rows(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                                     Index most, const ReadOptions& options) {
  if (encoding.missing != Missing::drop && source.rows().value_or(0) > most) return std::nullopt;
  const RowEncoder encoder(encoding, placement, source);
  FewRows out;
  std::vector<double> a, b;  // row by row
  LackingCells lacking;
  Index count = 0;
  const auto append = [](std::vector<double>& to, const Columns& from) {
    for (Index i = 0; i < from.rows(); ++i)
      for (Index j = 0; j < from.cols(); ++j) to.push_back(from(i, j));
  };
  try {
    scan_encoded(
        source, encoder, options, [](EncodedRows&) {},
        [&](const EncodedRows& rows) {
          count += rows.rows;
          if (count > most) throw TooMany();
          append(a, rows.features());
          append(b, rows.sensitive());
          out.weights.insert(out.weights.end(), rows.weights.begin(), rows.weights.end());
          lacking.add(rows);
          out.dropped += rows.dropped;
          out.filled += rows.filled;
        });
  } catch (const TooMany&) {
    return std::nullopt;
  }
  require_rows(source, count, out.dropped, lacking.most(source));
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  out.a = Eigen::Map<const RowMajor>(a.data(), count, encoder.features());
  out.b = Eigen::Map<const RowMajor>(b.data(), count, encoder.sensitive());
  return out;
}

// The map takes nothing from features that are held, whatever stands in them.
void let_go_of_held(Fit& fit, const Encoding& encoding) {
  Index at = 0;
  for (const TableColumn& column : encoding.features) {
    if (column.held) fit.hold(at);
    at += column.width();
  }
}

void finish(TableFit& out, const Encoding& encoding) {
  let_go_of_held(out.fit, encoding);
  out.fit.encoding = with_fills(encoding, out.fit.model);
  std::vector<std::string>& notes = out.fit.certificate.notes;
  const std::vector<std::string> rare = rare_notes(encoding);
  notes.insert(notes.begin(), rare.begin(), rare.end());
}

// Values of many rows, where the map makes numbers of them that depend on b.
void set_atoms(const Encoding& encoding, const FrequentValues& values, const std::vector<LevelRows>& levels, Fit& fit) {
  const FitOptions& options = fit.options;
  if (options.mode != Mode::aware || options.remove == Remove::distribution || options.alpha == 0) return;
  fit.certificate.atoms = atoms_among(encoding, values, levels);
}

// What fairness costs a prediction of the target, or why that is not known.
void set_price(const TableMoments& of, Certificate& out) {
  if (!of.target) return;
  TableTarget target = *of.target;
  out.price = target.price(of.moments);
  if (!out.price) out.notes.push_back(fmt::format("no price of fairness for '{}': {}", target.name, target.problem));
}

// Holds features at the value that nearly all of the rows have.
void hold_rare_values(FewRows& rows, Encoding& encoding, std::int64_t least) {
  Index at = 0;
  for (TableColumn& column : encoding.features) {
    ValueRows values;
    for (Index i = 0; column.kind != ColumnKind::category && i < rows.a.rows(); ++i)
      if (rows.weights.empty() || rows.weights[static_cast<std::size_t>(i)] > 0) values.add(rows.a(i, at));
    column.held = values.held(least);
    if (column.held) rows.a.col(at).setConstant(*column.held);
    at += column.width();
  }
}

// Sparse components without a number of them are as many as features.
FitOptions with_rank(FitOptions options, Index features) {
  if (options.method == Method::sob && options.rank.is_all()) options.rank = Rank::count(features);
  return options;
}

TableFit fit_few_rows(FewRows rows, Encoding encoding, const TableFitOptions& options) {
  hold_rare_values(rows, encoding, options.least_rows.value_or(least_rows(rows.a.rows(), rows.b.cols())));
  TableFit out{fit(rows.a, rows.b, with_rank(options.fit, rows.a.cols()),
                   {.feature_names = encoding.feature_names(),
                    .sensitive_names = encoding.sensitive_names(),
                    .expand = options.expand,
                    .weights = rows.weights,
                    .threads = options.read.threads}),
               rows.a.rows(), rows.dropped, rows.filled};
  finish(out, encoding);
  if (options.probe_rows > 0) {
    out.sample = ProbeSample{{std::move(rows.a), std::move(rows.b), std::move(rows.weights), 0}};
    out.sample->rows.rows = out.sample->rows.a.rows();
  }
  return out;
}

// Regions of b, learned from a sample of rows, and the terms of φ.
RegionMoments learn_regions(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                            const TableFitOptions& options) {
  const SampledRows rows = sample_rows(source, placement, encoding, kRegionSample, options.read, Sampled::sensitive);
  const std::vector<std::string> sensitive = encoding.sensitive_names(), features = encoding.feature_names();
  std::optional<Expansion> expansion;
  if (options.expand) expansion = Expansion::fit(rows.b, sensitive, *options.expand, rows.weights);
  return {Partition::fit(rows.b, options.fit.spread.partition, rows.weights), std::move(expansion), features, sensitive,
          options.fit.moments_for(rows.rows, static_cast<Index>(features.size()))};
}

// Laws given b, learned from a sample of rows; and what a probe of them needs.
Fit learn_laws(ChunkSource& source, const Placement& placement, const TableMoments& moments,
               const TableFitOptions& options, std::optional<ProbeSample>& probe) {
  Encoding encoding = moments.encoding;
  if (encoding.fill_a.size() == 0 && encoding.missing == Missing::mean) {
    encoding.fill_a = moments.moments.mean_a();
    encoding.fill_b = moments.moments.mean_b();
  }
  LawRows of =
      LawRows::of(sample_rows(source, placement, encoding, kDistributionRows + options.probe_rows, options.read),
                  options.probe_rows);
  probe = std::move(of.probe);
  const SampledRows& rows = of.learned;
  return fit_distribution(moments.moments, rows.a, rows.b, rows.weights, feature_groups(encoding), options.fit,
                          options.read.threads);
}

// As the encoding holds them.
void hold_rare_values(RegionMoments& regions, const Encoding& encoding) {
  Index at = 0;
  for (const TableColumn& column : encoding.features) {
    if (column.held) regions.hold(at, *column.held);
    if (column.levels.empty() && !column.merged.empty()) regions.hold(at, 1);
    at += column.width();
  }
}

// The certificate, of rows that are read once more.
void measure(ChunkSource& source, const Placement& placement, const ReadOptions& read, Fit& fit) {
  const RowEncoder encoder(*fit.encoding, placement, source);
  Measurement measurement(fit.model, fit.options.moments_for(fit.certificate.rows, encoder.features()), fit.rows_map());
  measurement.set_of_fit();
  RowBatches batches(encoder.features(), encoder.sensitive(), [&](const RowBatch& batch) {
    measurement.update(batch.a, batch.b, {read.threads, batch.weights});
  });
  scan_encoded(
      source, encoder, read, [](EncodedRows&) {}, [&](const EncodedRows& rows) { batches.add(rows); });
  batches.finish();
  set_measured(measurement.certificate(), fit);
}

}  // namespace

TableFit fit_table(ChunkSource& source, const Schema& schema, const TableFitOptions& options) {
  const auto begin = [&](std::string_view step) {
    if (options.begin) options.begin(step);
  };
  const bool look = needs_a_look(schema, options.missing);
  if (options.expand) options.fit.check_expanded(options.expand->automatic);
  const bool chooses_terms = options.expand && options.expand->automatic;
  const bool may_need_rows = !chooses_terms && options.fit.method == Method::sob && options.fit.mode == Mode::aware &&
                             (look || !products_are_quick(static_cast<Index>(source.names().size())));
  const bool by_regions = options.fit.remove == Remove::spread, by_laws = options.fit.remove == Remove::distribution;
  if (by_laws && options.expand)
    throw Error("remove is distribution and b is to be expanded; it tells all values of b apart without terms");
  if (look || options.expand || may_need_rows || by_regions || by_laws) source.allow_rereading();

  const Placement placement = schema.placement();
  if (look) begin("reading categories");
  const LearnedEncoding learned = learn_encoding(source, schema, options.missing, options.read);
  learned.require_rows(source);
  // Products of a few levels more cost little, and moments of all levels can still be added to. Where cells are filled,
  // levels share rows, and their moments cannot be merged.
  const bool merge_first = options.expand || by_regions || by_laws || options.missing == Missing::mean ||
                           !products_are_quick(static_cast<Index>(learned.encoding.feature_names().size()));
  const auto sensitive = static_cast<Index>(learned.encoding.sensitive_names().size());
  const auto least = [&](std::int64_t rows) { return options.least_rows.value_or(least_rows(rows, sensitive)); };
  Encoding encoding = learned.encoding;
  if (merge_first) encoding = merge_rare_levels(encoding, learned.level_rows, least(learned.rows)).encoding;
  check_level_columns(source, encoding, options.most_level_columns);
  std::optional<Expansion> expansion;
  double row = 1;
  std::optional<RegionMoments> regions;
  if (by_regions) {
    begin("reading sensitive columns");
    regions = learn_regions(source, placement, encoding, options);
  } else if (options.expand) {
    begin("reading sensitive columns");
    LearnedExpansion candidates = learn_expansion(source, placement, encoding, *options.expand, options.read);
    expansion = std::move(candidates.expansion);
    row = candidates.row;
  }
  begin("reading");
  const auto features = static_cast<Index>(encoding.feature_names().size());
  if (may_need_rows && !by_regions && !products_are_quick(features))
    if (std::optional<FewRows> few = read_few_rows(source, placement, encoding, features - 1, options.read))
      return fit_few_rows(std::move(*few), std::move(encoding), options);
  std::optional<RowSample> sample, for_terms;
  if (options.probe_rows > 0 && !by_laws) sample.emplace(features, sensitive, options.probe_rows);
  if (chooses_terms) for_terms.emplace(features, sensitive, kTermRows);
  CollectOptions collect = {
      .fit = chooses_terms ? nullptr : &options.fit, .read = options.read, .regions = regions ? &*regions : nullptr};
  for (std::optional<RowSample>* rows : {&sample, &for_terms})
    if (*rows) collect.samples.push_back(&**rows);
  TableMoments moments = collect_moments(source, placement, encoding, expansion, collect);
  require_rows(source, moments.moments.rows(), moments.dropped, moments.worst);
  const bool is_merged = encoding.features != learned.encoding.features;
  if (!is_merged) moments.counts.levels = learned.level_rows;
  TableMoments usual = moments.without_rare_values(least(moments.moments.rows()));
  std::string chosen_terms;
  if (chooses_terms) {
    SampledRows rows = for_terms->take();
    if (usual.encoding.features != encoding.features) rows.a = reencoded(rows.a, encoding, usual.encoding);
    ChosenTerms chosen =
        choose_terms(usual.moments, *expansion, row, {std::move(rows.a), std::move(rows.b), std::move(rows.weights)});
    chosen_terms = chosen.note();
    usual.moments = std::move(chosen.moments);
    const bool is_wide = expansion->outputs() > kExtendedColumns;
    expansion = std::move(chosen.expansion);
    if (is_wide) {  // of fewer columns moments are more exact
      begin("reading again");
      usual = collect_moments(source, placement, encoding, expansion, {.fit = &options.fit, .read = options.read})
                  .without_rare_values(least(moments.moments.rows()));
    }
  }
  const FitOptions how = with_rank(options.fit, usual.moments.features());
  if (regions) hold_rare_values(*regions, usual.encoding);
  std::optional<ProbeSample> of_laws;
  const auto solve = [&] {
    if (regions) return plumbline::fit(*regions, how);
    if (!by_laws) return options.solve(usual.moments, how, expansion);
    begin("reading a sample");
    return learn_laws(source, placement, usual, options, of_laws);
  };
  TableFit out{solve(), usual.moments.rows(), usual.dropped, usual.filled};
  if (chooses_terms) out.fit.certificate.notes.insert(out.fit.certificate.notes.begin(), chosen_terms);
  finish(out, usual.encoding);
  if (regions || by_laws) {
    begin("measuring");
    measure(source, placement, options.read, out.fit);
  }
  set_atoms(usual.encoding, usual.frequent, learned.level_rows, out.fit);
  set_price(usual, out.fit.certificate);
  if (by_laws) {
    out.sample = std::move(of_laws);
  } else if (sample) {
    out.sample = ProbeSample{sample->take(), usual.moments, std::move(regions)};
    if (usual.encoding.features != encoding.features)
      out.sample->rows.a = reencoded(out.sample->rows.a, encoding, usual.encoding);
  }
  if (!is_merged && !options.expand && !by_regions && !by_laws && moments.filled == 0) out.moments = std::move(moments);
  return out;
}

TableFit fit_table_moments(const TableMoments& moments, const TableFitOptions& options, PartSample* sample) {
  const TableMoments usual = moments.without_rare_values(options.least_rows);
  TableFit out{options.solve(usual.moments, with_rank(options.fit, usual.moments.features()), std::nullopt),
               usual.moments.rows(), usual.dropped, usual.filled};
  if (!usual.encoding.features.empty()) finish(out, usual.encoding);
  set_atoms(usual.encoding, usual.frequent, moments.counts.levels, out.fit);
  set_price(usual, out.fit.certificate);
  if (sample) out.sample = sample->take(usual);
  return out;
}

}  // namespace plumbline
