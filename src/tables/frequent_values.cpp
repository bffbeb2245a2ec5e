#include "tables/frequent_values.h"

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"
#include "csv/cell_values.h"

namespace plumbline {
namespace {

using Counts = std::vector<std::pair<double, double>>;

void keep_most_frequent(Counts& counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& one, const auto& other) {
    return one.second > other.second || (one.second == other.second && one.first < other.first);
  });
  counts.resize(std::min(counts.size(), FrequentValues::kKept));
}

void add_counts(const Counts& from, Counts& to) {
  for (const auto& [value, count] : from) {
    const auto at = std::find_if(to.begin(), to.end(), [&](const auto& one) { return one.first == value; });
    if (at == to.end())
      to.emplace_back(value, count);
    else
      at->second += count;
  }
  keep_most_frequent(to);
}

// Values that may be those of many rows, with no rows yet. Sorts the cells.
void candidates(std::vector<double>& cells, Counts& out) {
  std::sort(cells.begin(), cells.end());
  out.clear();
  std::size_t distinct = 0;
  for (std::size_t first = 0, i = 1; i <= cells.size(); ++i) {
    if (i < cells.size() && cells[i] == cells[first]) continue;
    if (distinct++ < FrequentValues::kKept || 16 * (i - first) >= cells.size())
      out.emplace_back(cells[first], i - first);
    first = i;
  }
  if (distinct > FrequentValues::kKept)
    std::erase_if(out, [&](const auto& one) { return 16 * one.second < static_cast<double>(cells.size()); });
  for (auto& one : out) one.second = 0;
}

// The most frequent level with its share.
std::optional<std::pair<std::string, double>> most_of(const TableColumn& column, const LevelRows& rows) {
  std::pair<std::string, double> most{column.other, 0};
  double sum = 0;
  for (const auto& [level, count] : rows) {
    sum += static_cast<double>(count);
    if (std::binary_search(column.merged.begin(), column.merged.end(), level))
      most.second += static_cast<double>(count);
  }
  for (const std::string& level : column.levels)
    if (const auto at = rows.find(level); at != rows.end() && static_cast<double>(at->second) > most.second)
      most = {level, static_cast<double>(at->second)};
  if (!(sum > 0)) return std::nullopt;
  most.second /= sum;
  return most;
}

}  // namespace

void FrequentValues::add(const Encoding& encoding, const Columns& a, std::span<const double> weights) {
  values.resize(encoding.features.size());
  for (Index first = 0; first < a.rows(); first += kLeaf) {
    const Index count = std::min(kLeaf, a.rows() - first);
    add_leaf(
        encoding, a.middle_rows(first, count),
        weights.empty() ? weights : weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
  }
}

void FrequentValues::add_leaf(const Encoding& encoding, const Columns& a, std::span<const double> weights) {
  const auto counts = [&](Index i) { return weights.empty() || weights[static_cast<std::size_t>(i)] > 0; };
  std::vector<Index> looked, counted;
  const Index step = std::max<Index>(1, a.rows() / kLooked);
  for (Index first = 0, k = 0; first < a.rows(); first += step, ++k) {
    const Index width = std::min(step, a.rows() - first);
    const Index i = first + static_cast<Index>(mix(static_cast<std::uint64_t>(k)) % static_cast<std::uint64_t>(width));
    if (counts(i)) looked.push_back(i);
  }
  const Index stride = a.rows() <= 2 * kCounted ? 1 : a.rows() / kCounted;
  for (Index i = 0; i < a.rows(); i += stride)
    if (counts(i)) counted.push_back(i);
  const double scale = static_cast<double>(a.rows()) / static_cast<double>((a.rows() + stride - 1) / stride);
  const auto scaled = [&](double count) { return std::round(scale * count); };  // so that sums are exact
  rows += scaled(static_cast<double>(counted.size()));
  Counts seen;
  std::vector<double> cells(looked.size());
  Index at = 0;
  for (std::size_t j = 0; j < encoding.features.size(); at += encoding.features[j++].width()) {
    if (encoding.features[j].kind == ColumnKind::category || encoding.features[j].held) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = a(looked[i], at) + 0.0;  // −0 is 0
    candidates(cells, seen);
    if (seen.empty()) continue;
    for (const Index i : counted) {
      const double cell = a(i, at);
      for (auto& [value, count] : seen) count += cell == value ? 1 : 0;
    }
    for (auto& [value, count] : seen) count = scaled(count);
    add_counts(seen, values[j]);
  }
}

void FrequentValues::merge(const FrequentValues& other) {
  if (values.size() != other.values.size()) {
    *this = {};  // of a part they are not known
    return;
  }
  rows += other.rows;
  for (std::size_t j = 0; j < values.size(); ++j) {
    add_counts(other.values[j], values[j]);
  }
}

std::vector<Atom> atoms_among(const Encoding& encoding, const FrequentValues& values,
                              const std::vector<LevelRows>& levels) {
  std::vector<Atom> out;
  for (std::size_t j = 0; j < encoding.features.size(); ++j) {
    const TableColumn& column = encoding.features[j];
    if (column.held) continue;
    if (column.kind == ColumnKind::category) {
      if (j >= levels.size()) continue;
      // Where one level is all there is, it does not change.
      const auto most = most_of(column, levels[j]);
      if (most && most->second > Atom::kShare && most->second < 1)
        out.push_back({column.name, most->first, most->second});
    } else if (j < values.values.size() && !values.values[j].empty()) {
      const auto& [value, rows] = values.values[j].front();
      const double share = std::min(rows / values.rows, 1.0);
      std::string text;
      append_number(text, value);
      if (share > Atom::kShare && share < 1) out.push_back({column.name, text, share});
    }
  }
  return out;
}

}  // namespace plumbline
