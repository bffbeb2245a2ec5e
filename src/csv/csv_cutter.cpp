#include "csv/csv_cutter.h"

namespace plumbline {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// One exclusive or a byte: sixteen of them at a time on any x86.
bool has_odd_quotes(std::string_view text) {
  unsigned char odd = 0;
  for (const char c : text) odd = static_cast<unsigned char>(odd ^ static_cast<unsigned char>(c == '"'));
  return odd != 0;
}

// Where the last record that ends within the text does so; 0 if none. `open`: whether a quote is at the text's end.
std::size_t end_of_records(std::string_view text, bool quotes, bool open) {
  std::size_t end = text.size();
  while (true) {
    const std::size_t line_end = text.substr(0, end).rfind('\n');
    if (line_end == std::string_view::npos) return 0;
    if (quotes) open ^= has_odd_quotes(text.substr(line_end, end - line_end));
    if (!open) return line_end + 1;
    end = line_end;
  }
}

}  // namespace

// Appends a block to the text.
void CsvCutter::read_block(CsvChunk& chunk) {
  const std::string_view block = source_.next_block(chunk_bytes_);
  at_end_ = block.size() < chunk_bytes_;
  if (source_.is_mapped()) {
    chunk.text = chunk.text.empty() ? block : std::string_view(chunk.text.data(), chunk.text.size() + block.size());
  } else {
    chunk.storage += block;
    chunk.text = chunk.storage;
  }
}

void CsvCutter::skip_byte_order_mark(CsvChunk& chunk) {
  at_start_ = false;
  while (!at_end_ && chunk.text.size() < kByteOrderMark.size()) read_block(chunk);
  if (!chunk.text.starts_with(kByteOrderMark)) return;
  if (source_.is_mapped()) {
    chunk.text.remove_prefix(kByteOrderMark.size());
  } else {
    chunk.storage.erase(0, kByteOrderMark.size());
    chunk.text = chunk.storage;
  }
}

bool CsvCutter::next(CsvChunk& chunk) {
  chunk.is_cut = false;
  chunk.text = mapped_rest_;
  if (!source_.is_mapped()) {
    chunk.storage.swap(rest_);
    chunk.text = chunk.storage;
  }
  std::size_t seen = 0, end = 0;
  if (at_start_) {
    skip_byte_order_mark(chunk);
  } else {
    seen = chunk.text.size();  // no record ends in what the last chunk left over
  }
  bool open = quotes_ && has_odd_quotes(chunk.text);
  while (true) {
    const std::string_view fresh = chunk.text.substr(seen);
    if (const std::size_t count = end_of_records(fresh, quotes_, open); count > 0) {
      end = seen + count;
      break;
    }
    seen = chunk.text.size();
    chunk.is_cut = seen > longest_record_;
    if (at_end_ || chunk.is_cut) {
      end = seen;
      break;
    }
    read_block(chunk);
    if (quotes_) open ^= has_odd_quotes(chunk.text.substr(seen));
  }
  at_end_ |= chunk.is_cut;
  const std::string_view rest = chunk.is_cut ? std::string_view() : chunk.text.substr(end);
  if (source_.is_mapped()) {
    mapped_rest_ = rest;
  } else {
    rest_.assign(rest);
  }
  chunk.text = chunk.text.substr(0, end);
  return !chunk.text.empty();
}

}  // namespace plumbline
