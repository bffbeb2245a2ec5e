#include "tables/table_moments.h"

#include <fmt/format.h>

#include <algorithm>

#include "debias/choose_terms.h"
#include "plumbline/error.h"
#include "tables/learn_encoding.h"
#include "tables/row_sample.h"

namespace plumbline {
namespace {

constexpr Index kSampleRows = 131'072;

std::vector<TableColumn> united(const std::vector<TableColumn>& one, const std::vector<TableColumn>& two,
                                const char* role, std::string& differences) {
  const auto differ = [&](const std::string& what) { differences += (differences.empty() ? "" : "; ") + what; };
  std::vector<TableColumn> out = one;
  if (one.size() != two.size()) differ(fmt::format("{} and {} {} columns", one.size(), two.size(), role));
  for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i) {
    if (one[i].name != two[i].name) {
      differ(fmt::format("{} column {} is '{}' in one and '{}' in the other", role, i + 1, one[i].name, two[i].name));
    } else if ((one[i].kind == ColumnKind::category) != (two[i].kind == ColumnKind::category)) {
      differ(fmt::format("column '{}' is a {} in one and a {} in the other", one[i].name, name_of(one[i].kind),
                         name_of(two[i].kind)));
    } else {
      if (two[i].kind == ColumnKind::number) out[i].kind = ColumnKind::number;
      out[i].levels.clear();
      std::set_union(one[i].levels.begin(), one[i].levels.end(), two[i].levels.begin(), two[i].levels.end(),
                     std::back_inserter(out[i].levels));
    }
  }
  return out;
}

// Values of the numbers among the features, of rows of positive weight.
void count_values(const Encoding& encoding, const Columns& a, std::span<const double> weights, ValueCounts& counts) {
  Index at = 0;
  for (std::size_t j = 0; j < encoding.features.size(); ++j) {
    ValueRows& values = counts.values[j];
    const TableColumn& column = encoding.features[j];
    if (column.kind != ColumnKind::category && !column.held)
      for (Index i = 0; i < a.rows() && !values.varies(); ++i)
        if (weights.empty() || weights[static_cast<std::size_t>(i)] > 0) values.add(a(i, at));
    at += column.width();
  }
}

}  // namespace

// `both` is the encoding of all rows, for which the target's moments are widened.
void TableMoments::merge_target(const TableMoments& other, const Encoding& both) {
  if (!target || !other.target) {
    const std::string name = target ? target->name : other.target ? other.target->name : "";
    if (name.empty()) return;
    target = TableTarget{.name = name};
    return target->give_up("one of the parts does not know it");
  }
  const auto widened = [&](TableTarget part) {
    if (part.problem.empty() && !both.features.empty())
      part.moments = part.moments.widened(both.feature_names(), both.sensitive_names());
    return part;
  };
  TableTarget sum = widened(std::move(*target));
  sum.merge(widened(*other.target));
  target = std::move(sum);
}

void TableMoments::merge(const TableMoments& other) {
  const auto is_nothing = [](const TableMoments& part) {
    return part.encoding.features.empty() && part.moments.features() == 0;
  };
  if (is_nothing(*this) || is_nothing(other)) {
    const std::int64_t left_out = dropped + other.dropped, filled_in = filled + other.filled;
    if (is_nothing(*this)) *this = other;
    dropped = left_out;
    filled = filled_in;
    return;
  }
  std::string differences;
  Encoding both = encoding;
  both.features = united(encoding.features, other.encoding.features, "feature", differences);
  both.sensitive = united(encoding.sensitive, other.encoding.sensitive, "sensitive", differences);
  if (encoding.target != other.encoding.target || encoding.weights != other.encoding.weights)
    differences += fmt::format("{}the target or the weights are other columns", differences.empty() ? "" : "; ");
  if (!differences.empty()) throw Error(fmt::format("the moments are of different tables: {}", differences));
  if (both.features.empty()) {
    moments.merge(other.moments);
  } else {
    both.check();
    Moments sum = moments.widened(both.feature_names(), both.sensitive_names());
    sum.merge(other.moments.widened(both.feature_names(), both.sensitive_names()));
    moments = std::move(sum);
  }
  frequent.merge(other.frequent);
  merge_target(other, both);
  if (counts.values.size() != other.counts.values.size()) {
    counts = {};  // of a part they are not known
  } else {
    for (std::size_t j = 0; j < counts.values.size(); ++j) {
      counts.values[j].merge(other.counts.values[j]);
      for (const auto& [level, rows] : other.counts.levels[j]) counts.levels[j][level] += rows;
    }
  }
  for (const std::string& name : other.encoding.kept)
    if (std::find(both.kept.begin(), both.kept.end(), name) == both.kept.end()) both.kept.push_back(name);
  std::sort(both.kept.begin(), both.kept.end());
  encoding = std::move(both);
  dropped += other.dropped;
  filled += other.filled;
}

TableMoments TableMoments::without_rare_values(std::optional<std::int64_t> least) const {
  const std::int64_t fewest = least.value_or(least_rows(moments.rows(), moments.sensitive()));
  TableMoments out = *this;
  if (counts.values.empty()) return out;
  Merging merging = merge_rare_levels(encoding, counts.levels, fewest);
  TargetMoments* const of_target = out.target && out.target->problem.empty() ? &out.target->moments : nullptr;
  if (merging.encoding.features != encoding.features) {
    out.moments = moments.merged(merging.encoding.feature_names(), merging.into);
    if (of_target) *of_target = of_target->merged(merging.encoding.feature_names(), merging.into);
  }
  const auto hold = [&](Index feature, double value) {
    out.moments.hold(feature, value);
    if (of_target) of_target->hold(feature, value);
  };
  out.encoding = std::move(merging.encoding);
  Index at = 0;
  for (std::size_t j = 0; j < out.encoding.features.size(); ++j) {
    TableColumn& column = out.encoding.features[j];
    if (column.levels.empty() && !column.merged.empty()) hold(at, 1);  // exactly, which sums are not
    if (const std::optional<double> value = counts.values[j].held(fewest)) {
      column.held = value;
      hold(at, *value);
    }
    at += column.width();
  }
  return out;
}

namespace {

// Cross-only moments have no price, and then the target is not summed.
void settle_target(TableMoments& out) {
  if (out.target && out.moments.kind() == Moments::Kind::cross) out.target->give_up(std::string(kNeedsProducts));
}

// Regions expand b themselves; a target goes with the terms.
void update_target(const Columns& a, const Columns& b, const Columns& y, const RegionMoments* regions,
                   const UpdateOptions& options, TableTarget& target) {
  if (regions && regions->expansion())
    target.update(a, regions->expansion()->transform(b, options.weights), y, options);
  else
    target.update(a, b, y, options);
}

// The rows of a table as they lie in memory; false if they do not lie so, or hold a cell that will not do.
bool collect_as_they_lie(ChunkSource& source, const RowEncoder& encoder, const Placement& placement,
                         const CollectOptions& options, TableMoments& out) {
  if (out.encoding.missing != Missing::error) return false;
  const std::optional<Columns> a = encoder.features_as_they_lie(source), b = encoder.sensitive_as_they_lie(source);
  if (!a || !b) return false;
  std::span<const double> weights;
  if (placement.weights) {
    const std::optional<Columns> w = source.matrix({*placement.weights});
    if (!w || w->scalar() != Scalar::float64 || w->row_stride() != 1) return false;
    weights = {static_cast<const double*>(w->data()[0]), static_cast<std::size_t>(w->rows())};
  }
  std::optional<Columns> y;
  if (placement.target) {
    y = source.matrix({*placement.target});
    if (!y || placement.predictions) return false;
  }
  Moments sum = out.moments;
  if (options.fit && options.fit->moments_for(a->rows(), a->cols()) == Moments::Kind::cross) sum = sum.cross();
  const UpdateOptions update{options.read.threads, weights};
  try {
    if (options.regions) {
      options.regions->update(*a, *b, update);
      sum = options.regions->whole();
    } else {
      sum.update(*a, *b, update);
    }
  } catch (const Error&) {
    return false;  // row by row it is found where
  }
  out.moments = std::move(sum);
  for (RowSample* sample : options.samples) sample->add(*a, *b, weights);
  out.frequent.add(out.encoding, *a, weights);
  if (y) {
    settle_target(out);
    update_target(*a, *b, *y, options.regions, update, *out.target);
  }
  count_values(out.encoding, *a, weights, out.counts);
  return true;
}

}  // namespace

TableMoments collect_moments(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                             const std::optional<Expansion>& expansion, const CollectOptions& options) {
  TableMoments out{encoding, Moments(encoding.feature_names(),
                                     expansion ? expansion->names() : encoding.sensitive_names(), options.kind)};
  out.counts.levels.resize(encoding.features.size());
  out.counts.values.resize(encoding.features.size());
  if (placement.target) {
    const auto name_of = [&](Index column) { return source.names()[static_cast<std::size_t>(column)]; };
    out.target = TableTarget{.name = name_of(*placement.target)};
    if (placement.predictions) out.target->predictions = name_of(*placement.predictions);
    out.target->moments =
        TargetMoments(out.moments.feature_names(),
                      options.regions ? options.regions->whole().sensitive_names() : out.moments.sensitive_names());
  }
  const RowEncoder encoder(encoding, placement, source);
  if (!expansion && !options.read.progress && collect_as_they_lie(source, encoder, placement, options, out)) return out;
  LackingCells lacking;
  // How many rows there are is known at last. Cross-only moments stand by, for the full ones would be rounded
  // otherwise.
  std::optional<Moments> cross;
  if (options.fit && options.fit->moments_needed() == Moments::Kind::cross) cross = out.moments.cross();
  RowBatches batches(
      encoder.features(), out.moments.sensitive(),
      [&](const RowBatch& batch) {
        const UpdateOptions update{options.read.threads, batch.weights};
        try {
          if (options.regions) {
            options.regions->update(batch.a, batch.b, update);
          } else {
            out.moments.update(batch.a, batch.b, update);
            if (cross) cross->update(batch.a, batch.b, update);
          }
        } catch (const Error& error) {
          throw Error(fmt::format("{}: after row {}, {}", source.called(),
                                  (options.regions ? options.regions->whole() : out.moments).rows(), error.what()));
        }
        count_values(encoding, batch.a, batch.weights, out.counts);
        out.frequent.add(encoding, batch.a, batch.weights);
        if (cross && !options.regions &&
            options.fit->moments_for(cross->rows(), encoder.features()) == Moments::Kind::cross) {
          out.moments = std::move(*cross);
          cross.reset();
        }
        settle_target(out);
        if (out.target) update_target(batch.a, batch.b, batch.extra, options.regions, update, *out.target);
      },
      encoder.extra());
  scan_encoded(
      source, encoder, options.read,
      [&](EncodedRows& rows) {
        if (!expansion || rows.rows == 0) return;
        const Eigen::MatrixXd phi = expansion->transform(rows.sensitive(), rows.weights);
        if (!options.samples.empty()) rows.unexpanded.swap(rows.b);
        rows.b.resize(static_cast<std::size_t>(phi.cols() * rows.lead));
        for (Index j = 0; j < phi.cols(); ++j) std::copy_n(phi.col(j).data(), rows.rows, rows.b.data() + j * rows.lead);
      },
      [&](const EncodedRows& rows) {
        if (out.target) out.target->add_levels(rows.target_levels);
        batches.add(rows);
        for (RowSample* sample : options.samples)
          sample->add(rows.features(), rows.unexpanded_sensitive(), rows.weights);
        lacking.add(rows);
        out.dropped += rows.dropped;
        out.filled += rows.filled;
      });
  batches.finish();
  if (options.regions) out.moments = options.regions->whole();
  out.worst = lacking.most(source);
  return out;
}

TableMoments collect_part(ChunkSource& source, const Schema& schema, Missing missing, const CollectOptions& options) {
  if (needs_a_look(schema, missing)) source.allow_rereading();
  LearnedEncoding learned = learn_encoding(source, schema, missing, options.read);
  check_level_columns(source, learned.encoding, options.most_level_columns);
  if (learned.is_read && learned.rows == 0) return {.dropped = learned.dropped, .worst = learned.worst};
  TableMoments out = collect_moments(source, schema.placement(), learned.encoding, std::nullopt, options);
  out.counts.levels = std::move(learned.level_rows);
  return out;
}

LearnedExpansion learn_expansion(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                                 const ExpansionOptions& expand, const ReadOptions& options) {
  const SampledRows rows = sample_rows(source, placement, encoding, kSampleRows, options, Sampled::sensitive);
  return {Expansion::fit(rows.b, encoding.sensitive_names(), expand, rows.weights), weight_of_row(rows.weights)};
}

}  // namespace plumbline
