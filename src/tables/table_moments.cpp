#include "tables/table_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "debias/encoding_json.h"
#include "plumbline/error.h"
#include "tables/row_batches.h"
#include "tables/scan_encoded.h"

namespace plumbline {
namespace {

constexpr std::string_view kMagic = "PLUMBTAB";
constexpr std::uint32_t kVersion = 1;
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
    } else if (one[i].kind != two[i].kind) {
      differ(fmt::format("column '{}' is a {} in one and a {} in the other", one[i].name, name_of(one[i].kind),
                         name_of(two[i].kind)));
    } else {
      out[i].levels.clear();
      std::set_union(one[i].levels.begin(), one[i].levels.end(), two[i].levels.begin(), two[i].levels.end(),
                     std::back_inserter(out[i].levels));
    }
  }
  return out;
}

}  // namespace

void TableMoments::merge(const TableMoments& other) {
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
  encoding = std::move(both);
  dropped += other.dropped;
  filled += other.filled;
}

std::string TableMoments::to_bytes() const {
  Json content = json_of(encoding);
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
  if (out.moments.feature_names() != out.encoding.feature_names() ||
      out.moments.sensitive_names() != out.encoding.sensitive_names())
    throw Error("the columns of the moments file are not those of its encoding");
  return out;
}

TableMoments collect_moments(CsvTable& table, const Encoding& encoding, Moments::Kind kind,
                             const std::optional<Expansion>& expansion, const ReadOptions& options) {
  TableMoments out{
      encoding, Moments(encoding.feature_names(), expansion ? expansion->names() : encoding.sensitive_names(), kind)};
  const RowEncoder encoder(encoding, table, {});
  RowBatches batches(encoder.features(), out.moments.sensitive(), [&](const RowBatch& batch) {
    try {
      out.moments.update(batch.a, batch.b, {options.threads, batch.weights});
    } catch (const Error& error) {
      throw Error(fmt::format("'{}': after row {}, {}", table.input_name(0), out.moments.rows(), error.what()));
    }
  });
  scan_encoded(
      table, encoder, options,
      [&](EncodedRows& rows) {
        if (!expansion) return;
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Columns b(rows.b.data(), rows.rows, encoder.sensitive(), encoder.sensitive(), 1);
        const RowMajor phi = expansion->transform(b, rows.weights);
        rows.b.assign(phi.data(), phi.data() + phi.size());
      },
      [&](const EncodedRows& rows) {
        batches.add(rows);
        out.dropped += rows.dropped;
        out.filled += rows.filled;
      });
  batches.finish();
  require_rows(table, encoding, out.moments.rows(), out.dropped);
  return out;
}

Expansion learn_expansion(CsvTable& table, const Encoding& encoding, const ExpansionOptions& expand,
                          const ReadOptions& options) {
  const RowEncoder encoder(encoding, table, {});
  const auto width = static_cast<std::size_t>(encoder.sensitive());
  // Rows whose number is a multiple of `step`; when they are too many, every second of them goes.
  std::vector<double> sample, weights;
  Index step = 1, row = 0, kept = 0;
  std::int64_t dropped = 0;
  const auto halve = [&] {
    for (Index i = 0; 2 * i < kept; ++i) {
      std::copy_n(sample.begin() + 2 * i * static_cast<Index>(width), width,
                  sample.begin() + i * static_cast<Index>(width));
      if (!weights.empty()) weights[static_cast<std::size_t>(i)] = weights[static_cast<std::size_t>(2 * i)];
    }
    kept = (kept + 1) / 2;
    sample.resize(static_cast<std::size_t>(kept) * width);
    if (!weights.empty()) weights.resize(static_cast<std::size_t>(kept));
    step *= 2;
  };
  scan_encoded(
      table, encoder, options, [](EncodedRows&) {},
      [&](const EncodedRows& rows) {
        dropped += rows.dropped;
        for (Index i = 0; i < rows.rows; ++i, ++row) {
          if (row % step != 0) continue;
          if (kept == kSampleRows) {
            halve();
            if (row % step != 0) continue;
          }
          const auto from = rows.b.begin() + i * static_cast<Index>(width);
          sample.insert(sample.end(), from, from + static_cast<Index>(width));
          if (!rows.weights.empty()) weights.push_back(rows.weights[static_cast<std::size_t>(i)]);
          ++kept;
        }
      });
  require_rows(table, encoding, row, dropped);
  return Expansion::fit(Columns(sample.data(), kept, encoder.sensitive(), encoder.sensitive(), 1),
                        encoding.sensitive_names(), expand, weights);
}

}  // namespace plumbline
