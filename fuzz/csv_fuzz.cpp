// Parsing a text in whole = parsing it cut into chunks of any size, from memory or from a stream: the same rows, the
// same first problem. The first bytes choose the dialect, the plan and the chunks, so that these are searched, too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "csv/csv_header.h"
#include "csv_rows.h"
#include "plumbline/error.h"

namespace {

using namespace plumbline;

struct Choices {
  CsvDialect dialect;
  std::vector<CellPlan> plan;
  std::size_t chunk_bytes = 1;
  bool is_mapped = false;
};

constexpr std::size_t kChoiceBytes = 4;

Choices choices_of(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  Choices out;
  out.dialect.delimiter = ",;\t |"[at(0) % 5];
  out.dialect.quotes = at(0) / 5 % 4 != 0;
  out.dialect.ragged = static_cast<Ragged>(at(0) / 20 % 3);
  out.is_mapped = at(0) / 60 % 2 != 0;
  out.dialect.decimal = at(0) / 120 % 2 != 0 ? ',' : '.';
  out.chunk_bytes = at(1) + 1;
  for (unsigned j = 0; j <= at(2) % 4; ++j)
    out.plan.push_back({static_cast<CellKind>((at(3) >> (2 * j)) % 4), (at(2) >> (4 + j)) % 2 != 0});
  return out;
}

void check_header(std::string_view text, const CsvDialect& dialect) {
  try {
    const auto record = first_record({.text = text}, dialect, "fuzz", 1);
    if (record) names_in(record->cells, "fuzz");
  } catch (const Error&) {
    return;  // what is wrong is said
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < kChoiceBytes) return 0;
  const Choices choices = choices_of(bytes);
  const std::string_view text = bytes.substr(kChoiceBytes);
  const auto parse = [&](std::size_t chunk_bytes, bool is_mapped) {
    return testing::parse_in_chunks(text, choices.dialect, choices.plan, chunk_bytes, is_mapped);
  };
  const testing::CsvRows whole = parse(size + 1, true);
  if (!(parse(choices.chunk_bytes, choices.is_mapped) == whole)) std::abort();
  check_header(text, choices.dialect);
  return 0;
}
