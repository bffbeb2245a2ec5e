#include "tables/table_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "debias/encoding_json.h"
#include "plumbline/error.h"
#include "tables/learn_encoding.h"
#include "tables/row_sample.h"

namespace plumbline {
namespace {

constexpr std::string_view kMagic = "PLUMBTAB";
constexpr std::uint32_t kVersion = 2;
constexpr std::string_view kEncodingFormat = "plumbline-encoding";
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

Json counts_json(const ValueCounts& counts) {
  Json levels = Json::array(), values = Json::array();
  for (const LevelRows& rows : counts.levels) {
    Json one = Json::array();
    for (const auto& [level, count] : rows) one.push_back(Json::array({level, count}));
    levels.push_back(std::move(one));
  }
  for (const ValueRows& rows : counts.values) {
    Json one = Json::array();
    for (const auto& [value, count] : rows.counts()) one.push_back(Json::array({value, count}));
    values.push_back({{"varies", rows.varies()}, {"rows", std::move(one)}});
  }
  return {{"levels", std::move(levels)}, {"values", std::move(values)}};
}

// Calls use(value, rows) for pairs of a value and how many rows have it, which are no more than there are.
template <class T, class Use>
void for_each_count(const Json& pairs, std::int64_t rows, const Use& use) {
  if (!pairs.is_array()) bad_member("counts", "holds what is no list");
  for (const Json& pair : pairs) {
    if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number_unsigned() ||
        !(std::is_same_v<T, std::string> ? pair[0].is_string() : pair[0].is_number()))
      bad_member("counts", "holds what is no value with its rows");
    const auto count = pair[1].get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(rows)) bad_member("counts", "holds more rows than there are");
    rows -= static_cast<std::int64_t>(count);
    use(pair[0].get<T>(), static_cast<std::int64_t>(count));
  }
}

ValueCounts counts_from(const Json& in, const Encoding& encoding, std::int64_t most) {
  ValueCounts out;
  for (const Json& one : list_at(in, "levels")) {
    LevelRows& rows = out.levels.emplace_back();
    for_each_count<std::string>(one, most, [&](const std::string& level, std::int64_t count) { rows[level] = count; });
  }
  for (const Json& one : list_at(in, "values")) {
    std::vector<std::pair<double, std::int64_t>> rows;
    for_each_count<double>(list_at(one, "rows"), most,
                           [&](double value, std::int64_t count) { rows.emplace_back(value, count); });
    if (static_cast<std::int64_t>(rows.size()) > ValueRows::kMostRare)
      bad_member("counts", "holds more values than are counted");
    out.values.push_back(ValueRows::of(std::move(rows), value_at<bool>(one, "varies")));
  }
  if (out.levels.size() != out.values.size() || (!out.levels.empty() && out.levels.size() != encoding.features.size()))
    bad_member("counts", "is of other features");
  const auto is_level = [](const auto& rows, const std::string& level) { return rows.first == level; };
  for (std::size_t j = 0; j < out.levels.size(); ++j) {
    const std::vector<std::string>& levels = encoding.features[j].levels;
    if (!out.levels[j].empty() &&
        !std::equal(out.levels[j].begin(), out.levels[j].end(), levels.begin(), levels.end(), is_level))
      bad_member("counts", "is of other levels");
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
  if (merging.encoding.features != encoding.features)
    out.moments = moments.merged(merging.encoding.feature_names(), merging.into);
  out.encoding = std::move(merging.encoding);
  Index at = 0;
  for (std::size_t j = 0; j < out.encoding.features.size(); ++j) {
    TableColumn& column = out.encoding.features[j];
    if (column.levels.empty() && !column.merged.empty()) out.moments.hold(at, 1);  // exactly, which sums are not
    if (const std::optional<double> value = counts.values[j].held(fewest)) {
      column.held = value;
      out.moments.hold(at, *value);
    }
    at += column.width();
  }
  return out;
}

std::string TableMoments::to_bytes() const {
  Json content = json_of(encoding);
  content["counts"] = counts_json(counts);
  content["dropped"] = dropped;
  content["filled"] = filled;
  const std::string text = seal(kEncodingFormat, static_cast<int>(kVersion), std::move(content));
  const std::uint64_t length = text.size();
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  return out + text + moments.to_bytes();
}

TableMoments TableMoments::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return {{}, Moments::from_bytes(bytes)};
  bytes.remove_prefix(kMagic.size());
  std::uint32_t version = 0;
  std::uint64_t length = 0;
  if (bytes.size() < sizeof version + sizeof length) throw Error("the moments file is cut short; write it again");
  std::memcpy(&version, bytes.data(), sizeof version);
  std::memcpy(&length, bytes.data() + sizeof version, sizeof length);
  bytes.remove_prefix(sizeof version + sizeof length);
  if (version == 0 || version > kVersion)
    throw Error(
        fmt::format("the moments file is of version {}; this program reads up to version {}", version, kVersion));
  if (length > bytes.size()) throw Error("the moments file is cut short; write it again");
  const Json content =
      unseal(bytes.substr(0, static_cast<std::size_t>(length)), kEncodingFormat, static_cast<int>(kVersion));
  TableMoments out;
  out.encoding = encoding_from(content);
  out.dropped = value_at<std::int64_t>(content, "dropped");
  out.filled = value_at<std::int64_t>(content, "filled");
  out.moments = Moments::from_bytes(bytes.substr(static_cast<std::size_t>(length)));
  if (content.contains("counts")) out.counts = counts_from(content["counts"], out.encoding, out.moments.rows());
  if (out.moments.feature_names() != out.encoding.feature_names() ||
      out.moments.sensitive_names() != out.encoding.sensitive_names())
    throw Error("the columns of the moments file are not those of its encoding");
  return out;
}

namespace {

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
  if (options.regions) {
    try {
      options.regions->update(*a, *b, {options.read.threads, weights});
    } catch (const Error&) {
      return false;
    }
    out.moments = options.regions->whole();
    if (options.sample) options.sample->add(*a, *b, weights);
    count_values(out.encoding, *a, weights, out.counts);
    return true;
  }
  Moments sum = out.moments;
  if (options.fit && options.fit->moments_for(a->rows(), a->cols()) == Moments::Kind::cross) sum = sum.cross();
  try {
    sum.update(*a, *b, {options.read.threads, weights});
  } catch (const Error&) {
    return false;  // row by row it is found where
  }
  out.moments = std::move(sum);
  if (options.sample) options.sample->add(*a, *b, weights);
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
  const RowEncoder encoder(encoding, placement, source);
  if (!expansion && !options.read.progress && collect_as_they_lie(source, encoder, placement, options, out)) return out;
  LackingCells lacking;
  // How many rows there are is known at last. Cross-only moments stand by, for the full ones would be rounded
  // otherwise.
  std::optional<Moments> cross;
  if (options.fit && options.fit->moments_needed() == Moments::Kind::cross) cross = out.moments.cross();
  RowBatches batches(encoder.features(), out.moments.sensitive(), [&](const RowBatch& batch) {
    const UpdateOptions update{options.read.threads, batch.weights};
    try {
      if (options.regions) {
        options.regions->update(batch.a, batch.b, update);
        count_values(encoding, batch.a, batch.weights, out.counts);
        return;
      }
      out.moments.update(batch.a, batch.b, update);
      if (cross) cross->update(batch.a, batch.b, update);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: after row {}, {}", source.called(),
                              (options.regions ? options.regions->whole() : out.moments).rows(), error.what()));
    }
    count_values(encoding, batch.a, batch.weights, out.counts);
    if (cross && options.fit->moments_for(cross->rows(), encoder.features()) == Moments::Kind::cross) {
      out.moments = std::move(*cross);
      cross.reset();
    }
  });
  scan_encoded(
      source, encoder, options.read,
      [&](EncodedRows& rows) {
        if (!expansion || rows.rows == 0) return;
        const Eigen::MatrixXd phi = expansion->transform(rows.sensitive(), rows.weights);
        if (options.sample) rows.unexpanded.swap(rows.b);
        rows.b.resize(static_cast<std::size_t>(phi.cols() * rows.lead));
        for (Index j = 0; j < phi.cols(); ++j) std::copy_n(phi.col(j).data(), rows.rows, rows.b.data() + j * rows.lead);
      },
      [&](const EncodedRows& rows) {
        batches.add(rows);
        if (options.sample) options.sample->add(rows.features(), rows.unexpanded_sensitive(), rows.weights);
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

Expansion learn_expansion(ChunkSource& source, const Placement& placement, const Encoding& encoding,
                          const ExpansionOptions& expand, const ReadOptions& options) {
  const SampledRows rows = sample_rows(source, placement, encoding, kSampleRows, options, Sampled::sensitive);
  return Expansion::fit(rows.b, encoding.sensitive_names(), expand, rows.weights);
}

}  // namespace plumbline
