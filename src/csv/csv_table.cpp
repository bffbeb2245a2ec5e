#include "csv/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/names.h"
#include "base/ordered.h"
#include "base/refusals.h"
#include "base/utf8.h"
#include "csv/csv_cursor.h"
#include "csv/find_decimal.h"
#include "csv/find_delimiter.h"
#include "io/descriptor.h"
#include "io/replay_source.h"
#include "io/spool.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kDecimalRecords = 1000;

}  // namespace

// Hands out the chunks of all inputs, one after the other, without their headers.
class CsvTable::Reader {
 public:
  explicit Reader(CsvTable& table) : table_(table) {}

  bool next(TableChunk& chunk) {
    while (input_ < table_.inputs_.size()) {
      if (!cutter_) open();
      if (cutter_->next(chunk.bytes)) {
        if (is_at_header_ && !skip_header(chunk)) continue;
        chunk.input = input_;
        chunk.is_first = std::exchange(is_at_start_, false);
        chunk.first_line = line_;
        chunk.bytes_done = done_ + source_->bytes_consumed();
        chunk.source = source_;
        return true;
      }
      if (is_at_header_) refuse_empty(table_.inputs_[input_].name);
      done_ += source_->bytes_consumed();
      cutter_.reset();
      ++input_;
    }
    return false;
  }

  [[noreturn]] static void refuse_empty(const std::string& name) {
    throw Error(fmt::format("{} is empty; its first line must name the columns", in_quotes(name)));
  }

 private:
  void open() {
    source_ = table_.start(input_);
    cutter_.emplace(*source_, table_.dialect_.quotes, table_.chunk_bytes_);
    is_at_header_ = table_.dialect_.header;
    is_at_start_ = true;
    line_ = 1;
  }

  // False if the header comes later. That it is what it was before is checked, for the file may have been replaced.
  bool skip_header(TableChunk& chunk) {
    const Input& input = table_.inputs_[input_];
    const std::optional<FirstRecord> record = first_record(chunk.bytes, table_.dialect_, input.name, line_);
    if (!record) {
      line_ += std::count(chunk.bytes.text.begin(), chunk.bytes.text.end(), '\n');
      return false;
    }
    if (!table_.has_own_names_)
      check_same_names(names_in(record->cells, input.name), input.name, table_.names_, table_.inputs_[0].name);
    chunk.bytes.text.remove_prefix(record->bytes);
    line_ += record->lines;
    is_at_header_ = false;
    return true;
  }

  CsvTable& table_;
  std::size_t input_ = 0;
  std::shared_ptr<ByteSource> source_;
  std::optional<CsvCutter> cutter_;
  bool is_at_header_ = false, is_at_start_ = false;
  std::int64_t line_ = 1;  // of the first chunk
  std::uint64_t done_ = 0;
};

CsvTable::CsvTable(const std::vector<std::string>& inputs, CsvDialect dialect, std::vector<std::string> names,
                   std::size_t chunk_bytes)
    : dialect_(std::move(dialect)), names_(std::move(names)), chunk_bytes_(chunk_bytes) {
  dialect_.check();
  if (chunk_bytes_ == 0) throw Error("chunks have 0 bytes; they must have at least one");
  if (inputs.empty()) throw Error("there is no input; name at least one file, or - for standard input");
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw Error("standard input is named more than once; it can be read only once");
  has_own_names_ = !names_.empty();
  check_distinct(in_quotes(inputs[0]), names_);
  for (const std::string& path : inputs) {
    inputs_.push_back({path, path, std::nullopt});
    look_at(inputs_.back());
  }
  if (names_.empty()) throw Error(fmt::format("{} has no records, so its columns are unknown", in_quotes(inputs[0])));
  settle_decimal();
}

void CsvTable::look_at(Input& input) {
  std::unique_ptr<ByteSource> source = open_bytes(input.path);
  input.name = source->name();
  input.is_pipe = !source->rewind();
  if (input.is_pipe) source = std::make_unique<ReplaySource>(std::move(source));

  CsvChunk chunk;
  CsvCutter cutter(*source, dialect_.quotes, kHeadBytes);
  std::optional<FirstRecord> first;
  std::int64_t line = 1;
  while (!first && cutter.next(chunk)) {
    settle_delimiter(chunk.text);
    first = first_record(chunk, dialect_, input.name, line);
    line += std::count(chunk.text.begin(), chunk.text.end(), '\n');
  }
  if (!first && dialect_.header) Reader::refuse_empty(input.name);
  if (first && dialect_.header) {
    if (names_.empty())
      names_ = names_in(first->cells, input.name);
    else if (!has_own_names_)
      check_same_names(names_in(first->cells, input.name), input.name, names_, inputs_[0].name);
    chunk.text.remove_prefix(first->bytes);
  } else if (first) {
    if (names_.empty()) names_ = numbered_names(first->cells.size());
    check_count(*first, input);
  }
  if (first && head_.empty() && CsvCursor(chunk.text, dialect_).find_record())
    head_ = dialect_.encoding == TextEncoding::latin1 ? utf8_of_latin1(chunk.text) : std::string(chunk.text);

  input.bytes = source->bytes_total();
  if (input.is_pipe || input.path == "-") input.kept = std::move(source);
}

// A record that lacks cells is a matter of the scan, but not if the names are wrong.
void CsvTable::check_count(const FirstRecord& first, const Input& input) const {
  if (!has_own_names_ || dialect_.ragged != Ragged::error || first.cells.size() == names_.size()) return;
  throw Error(fmt::format("{} has {} in its first record, and {} given; name each column", in_quotes(input.name),
                          counted(static_cast<std::int64_t>(first.cells.size()), "cell"),
                          names_.size() == 1 ? "1 name is" : fmt::format("{} names are", names_.size())));
}

void CsvTable::settle_delimiter(std::string_view text) {
  if (!dialect_.find_delimiter) return;
  const std::optional<char> found = find_delimiter(text, dialect_);
  if (!found) return;
  dialect_.delimiter = *found;
  dialect_.find_delimiter = false;
}

void CsvTable::settle_decimal() {
  if (!std::exchange(dialect_.find_decimal, false)) return;
  const bool may_hold_commas = dialect_.delimiter != ',' || head_.find('"') != std::string::npos;
  dialect_.decimal = may_hold_commas ? find_decimal(head(kDecimalRecords), dialect_) : '.';
}

std::shared_ptr<ByteSource> CsvTable::start(std::size_t index) {
  Input& input = inputs_[index];
  if (!input.kept) return open_bytes(input.path);
  if (!input.kept->rewind()) throw Error(fmt::format("{} can be read only once; give a file", in_quotes(input.name)));
  return {std::shared_ptr<void>(), input.kept.get()};
}

void CsvTable::allow_rereading() {
  for (Input& input : inputs_) {
    if (!input.is_pipe) continue;
    if (!input.kept->rewind()) throw Error(fmt::format("{} has been read already", in_quotes(input.name)));
    input.kept = std::make_unique<Spool>(std::move(input.kept));
    input.is_pipe = false;
  }
}

std::vector<std::vector<std::string>> CsvTable::head(std::size_t most) const {
  std::vector<std::vector<std::string>> records;
  CsvCursor cursor(head_, dialect_);
  try {
    while (records.size() < most && cursor.find_record()) {
      std::vector<std::string> cells;
      do cells.emplace_back(cursor.cell().value);
      while (cursor.next_cell());
      if (cells.size() == names_.size()) records.push_back(std::move(cells));
    }
  } catch (const CsvCursor::Fault) {  // NOLINT(bugprone-empty-catch): scan says where
  }
  return records;
}

void CsvTable::scan(const std::vector<CellPlan>& plan, int threads, const Step& work, const Step& commit,
                    const ScanProgress& progress) {
  if (plan.size() != names_.size())
    throw Error(fmt::format("the plan is for {} columns; the table has {}", plan.size(), names_.size()));
  threads = thread_count(threads, std::numeric_limits<Index>::max());
  std::optional<std::uint64_t> total = 0;
  for (const Input& input : inputs_) {
    const auto bytes = input.kept ? input.kept->bytes_total() : input.bytes;
    total = total && bytes ? std::optional(*total + *bytes) : std::nullopt;
  }

  const CsvParser parser(dialect_, plan);
  Reader reader(*this);
  std::vector<TableChunk> chunks(static_cast<std::size_t>(threads));
  const auto chunk_of = [&](int slot) -> TableChunk& { return chunks[static_cast<std::size_t>(slot)]; };
  std::int64_t line = 1;
  run_stream(
      threads, [&](int slot) { return reader.next(chunk_of(slot)); },
      [&](int slot) {
        TableChunk& chunk = chunk_of(slot);
        if (dialect_.encoding == TextEncoding::latin1) {
          chunk.bytes.storage = utf8_of_latin1(chunk.bytes.text);
          chunk.bytes.text = chunk.bytes.storage;
        }
        parser.parse(chunk.bytes, chunk.cells);
        work(chunk, slot);
      },
      [&](int slot) {
        TableChunk& chunk = chunk_of(slot);
        if (!chunk.is_first) chunk.first_line = line;
        line = chunk.first_line + chunk.cells.lines;
        commit(chunk, slot);
        if (chunk.cells.problem) refuse(*chunk.cells.problem, inputs_[chunk.input].name, chunk.first_line, names_);
        if (progress) progress(chunk.bytes_done, total);
      });
}

std::string CsvTable::place(const TableChunk& chunk, Index row, Index column) const {
  return place_of_cell(inputs_[chunk.input].name,
                       chunk.first_line + chunk.cells.line_of_row[static_cast<std::size_t>(row)], column, names_);
}

}  // namespace plumbline
