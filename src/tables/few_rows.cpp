#include "tables/few_rows.h"

#include "tables/scan_encoded.h"

namespace plumbline {
namespace {

struct TooMany {};

}  // namespace

std::optional<FewRows> read_few_rows(CsvTable& table, const Encoding& encoding, Index most,
                                     const ReadOptions& options) {
  const RowEncoder encoder(encoding, table, {});
  FewRows out;
  std::vector<double> a, b;
  Index count = 0;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  try {
    scan_encoded(
        table, encoder, options, [](EncodedRows&) {},
        [&](const EncodedRows& rows) {
          count += rows.rows;
          if (count > most) throw TooMany();
          append(a, rows.a);
          append(b, rows.b);
          append(out.weights, rows.weights);
          out.dropped += rows.dropped;
          out.filled += rows.filled;
        });
  } catch (const TooMany&) {
    return std::nullopt;
  }
  require_rows(table, encoding, count, out.dropped);
  out.a = Eigen::Map<const FewRows::RowMajor>(a.data(), count, encoder.features());
  out.b = Eigen::Map<const FewRows::RowMajor>(b.data(), count, encoder.sensitive());
  return out;
}

}  // namespace plumbline
