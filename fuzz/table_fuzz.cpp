// A table end to end, from bytes to a certificate: it is refused with an Error, or the text that comes out is what the
// certificate says of it. The first byte chooses how it is fitted.
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.h"
#include "plumbline/error.h"
#include "tables/table_fit.h"
#include "tables/table_transform.h"

namespace {

using namespace plumbline;

constexpr double kHolds = 1e-8, kRounding = 1e-6;

// Rows of numbers; none if a cell is something else, as of a target that passes through.
std::optional<std::vector<std::vector<long double>>> numbers_in(std::string_view text) {
  std::vector<std::vector<long double>> rows(1);
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(",\n");
    if (end == std::string_view::npos) return std::nullopt;
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + end, value);
    if (error != std::errc() || rest != text.data() + end || !std::isfinite(value)) return std::nullopt;
    rows.back().push_back(value);
    if (text[end] == '\n') rows.emplace_back();
    text.remove_prefix(end + 1);
  }
  rows.pop_back();
  return rows;
}

long double correlation(const std::vector<std::vector<long double>>& rows, std::size_t i, std::size_t j) {
  const auto n = static_cast<long double>(rows.size());
  long double x = 0, y = 0, xx = 0, yy = 0, xy = 0, largest = 0;
  for (const auto& row : rows) x += row[i] / n, y += row[j] / n, largest = std::max(largest, std::fabs(row[j]));
  for (const auto& row : rows) {
    xx += (row[i] - x) * (row[i] - x);
    yy += (row[j] - y) * (row[j] - y);
    xy += (row[i] - x) * (row[j] - y);
  }
  // A spread within rounding of the mean is that of a constant.
  if (!(xx > 0) || std::sqrt(yy / n) <= 1e-14L * largest) return 0;
  return std::fabs(xy) / std::sqrt(xx * yy);
}

Descriptor file_of(std::string_view bytes) {
  Descriptor file(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!file || ::write(file.number(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  return file;
}

void check(std::string_view bytes, unsigned choice) {
  const Descriptor file = file_of(bytes);
  CsvSource source(CsvTable({"/proc/self/fd/" + std::to_string(file.number())}));
  Schema schema;
  schema.sensitive = {0};
  for (const ColumnLook& look : look_at(source.table())) schema.kinds.push_back(look.kind);
  for (Index j = 1; j < static_cast<Index>(source.names().size()); ++j) schema.features.push_back(j);
  if (schema.features.empty()) return;
  const ReadOptions read{.threads = 1};
  TableFitOptions options{.missing = static_cast<Missing>(choice % 3), .read = read};
  options.fit.mode = choice / 3 % 2 == 0 ? Mode::aware : Mode::blind;
  options.fit.rank = choice / 6 % 2 == 0 ? Rank::all() : Rank::count(1);
  options.least_rows = choice / 12 % 4;
  const Fit fitted = fit_table(source, schema, options).fit;
  std::string text;
  const Transformed done = transform_table(source, fitted, {.header = false, .check = true, .read = read},
                                           [&](std::string_view part) { text += part; });
  std::string with_sensitive;
  transform_table(source, fitted, {.keep_sensitive = true, .header = false, .read = read},
                  [&](std::string_view part) { with_sensitive += part; });
  if (Fit::from_json(fitted.to_json()).to_json() != fitted.to_json()) std::abort();
  const auto rows = numbers_in(with_sensitive);
  if (!rows || rows->size() < 2 || !done.certificate->holds(kHolds)) return;
  if (schema.kinds[0] != ColumnKind::number || options.missing == Missing::mean) return;
  for (std::size_t j = 1; j < rows->front().size(); ++j)
    if (correlation(*rows, 0, j) > kRounding) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    check({reinterpret_cast<const char*>(data + 1), size - 1}, data[0]);
  } catch (const Error&) {
    return 0;  // what is wrong is said
  }
  return 0;
}
