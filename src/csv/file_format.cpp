#include "csv/file_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/remedy.h"
#include "io/descriptor.h"

namespace plumbline {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kFirstBytes = 64, kLookedAt = 4096;

// With an article, and a command that writes the file {} as CSV.
struct FileFormat {
  std::string_view magic, name, command;
};

constexpr auto kFromArrow =
    R"sh(python -c "import pandas; pandas.read_feather('{}').to_csv('/dev/stdout', index=False)")sh";
constexpr auto kFromExcel =
    R"sh(python -c "import pandas; pandas.read_excel('{}').to_csv('/dev/stdout', index=False)")sh";

constexpr std::array kFormats = {
    FileFormat{"PAR1"sv, "a Parquet file", R"sh(duckdb -c "COPY (FROM '{}') TO '/dev/stdout' (FORMAT csv, HEADER)")sh"},
    FileFormat{"ARROW1"sv, "an Arrow file", kFromArrow},
    FileFormat{
        "\xFF\xFF\xFF\xFF"sv, "an Arrow stream",
        R"sh(python -c "from pyarrow import csv, ipc; csv.write_csv(ipc.open_stream('{}').read_all(), '/dev/stdout')")sh"},
    FileFormat{"FEA1"sv, "a Feather file", kFromArrow},
    FileFormat{"ORC"sv, "an ORC file",
               R"sh(python -c "import pandas; pandas.read_orc('{}').to_csv('/dev/stdout', index=False)")sh"},
    FileFormat{"SQLite format 3\0"sv, "a SQLite database", R"sh(sqlite3 -header -csv '{}' "SELECT * FROM TABLE")sh"},
    FileFormat{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old Excel workbook", kFromExcel},
    FileFormat{"PK\3\4"sv, "a zip archive", "unzip -p '{}'"},
};
constexpr FileFormat kExcel = {"", "an Excel workbook", kFromExcel};

constexpr std::array kTextFormats = {
    FileFormat{"\xFF\xFE\0\0"sv, "UTF-32 text", "iconv -f UTF-32 -t UTF-8 '{}'"},
    FileFormat{"\0\0\xFE\xFF"sv, "UTF-32 text", "iconv -f UTF-32 -t UTF-8 '{}'"},
    FileFormat{"\xFF\xFE"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8 '{}'"},
    FileFormat{"\xFE\xFF"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8 '{}'"},
};
constexpr FileFormat kLittleEndian = {"", "UTF-16 text", "iconv -f UTF-16LE -t UTF-8 '{}'"};
constexpr FileFormat kBigEndian = {"", "UTF-16 text", "iconv -f UTF-16BE -t UTF-8 '{}'"};

bool is_binary(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](char c) { return c >= '\0' && c < ' ' && c != '\t' && c != '\r' && c != '\n'; });
}

std::optional<FileFormat> binary_format(std::string_view head) {
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [&](const auto& format) { return head.starts_with(format.magic); });
  if (found == kFormats.end() || !is_binary(head.substr(0, kFirstBytes))) return std::nullopt;
  const bool is_excel = head.starts_with("PK") && (head.find("xl/") != std::string_view::npos ||
                                                   head.find("[Content_Types].xml") != std::string_view::npos);
  return is_excel ? kExcel : *found;
}

std::optional<FileFormat> text_format(std::string_view head) {
  for (const FileFormat& format : kTextFormats)
    if (head.starts_with(format.magic)) return format;
  std::array<std::size_t, 2> zeros = {};  // at even and at odd places
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0' ? 1 : 0;
  const auto is_most = [&](std::size_t count) { return head.size() >= 4 && 2 * count > head.size() / 2; };
  if (zeros[0] == 0 && is_most(zeros[1])) return kLittleEndian;
  if (zeros[1] == 0 && is_most(zeros[0])) return kBigEndian;
  return std::nullopt;
}

// As it may stand within quotes of a shell and of SQL.
std::string_view quotable(std::string_view input) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           "_./-+=@,"sv.find(c) != std::string_view::npos;
  };
  return std::all_of(input.begin(), input.end(), is_plain) ? input : "FILE";
}

}  // namespace

void refuse_other_formats(std::string_view head, const std::string& input) {
  head = head.substr(0, kLookedAt);
  std::optional<FileFormat> format = binary_format(head);
  if (!format) format = text_format(head);
  if (!format) return;
  std::string command(format->command);
  const std::size_t at = command.find("{}");
  command.replace(at, 2, quotable(input));
  throw RemediableError(fmt::format("{} is {}, not CSV in UTF-8", in_quotes(input), format->name), Remedy::convert, "",
                        command);
}

}  // namespace plumbline
