#include "tables/frequent_values.h"

#include <algorithm>
#include <bit>

#include "base/random_stream.h"
#include "csv/cell_values.h"

namespace plumbline {
namespace {

using Counts = std::vector<std::pair<double, double>>;

// Values that may be those of many rows, with no rows yet. Sorts the cells.
void candidates(std::vector<double>& cells, Counts& out) {
  std::sort(cells.begin(), cells.end());
  out.clear();
  std::size_t distinct = 0;
  for (std::size_t first = 0, i = 1; i <= cells.size(); ++i) {
    if (i < cells.size() && cells[i] == cells[first]) continue;
    const bool is_frequent = 16 * (i - first) >= cells.size() && i - first > 1;
    if (distinct++ < FrequentValues::kKept || is_frequent) out.emplace_back(cells[first], is_frequent ? 1 : 0);
    first = i;
  }
  if (distinct > FrequentValues::kKept) std::erase_if(out, [](const auto& one) { return one.second == 0; });
  for (auto& one : out) one.second = 0;
}

bool comes_before(const std::pair<double, double>& one, const std::pair<double, double>& other) {
  return one.second > other.second || (one.second == other.second && one.first < other.first);
}

// Of the first rows.
std::uint64_t key_of(const Columns& a) {
  constexpr Index kRows = 8;
  auto key = static_cast<std::uint64_t>(a.rows());
  for (Index i = 0; i < std::min(kRows, a.rows()); ++i)
    for (Index j = 0; j < a.cols(); ++j) key = mix(key ^ std::bit_cast<std::uint64_t>(a(i, j) + 0.0));
  return key;
}

FrequentValues::Leaf leaf_of(const Encoding& encoding, const Columns& a, std::span<const double> weights) {
  // Neighbouring rows share pages and lines of the cache.
  const Index stride = a.rows() <= 8 * FrequentValues::kCounted ? 1 : a.rows() / FrequentValues::kCounted;
  std::vector<Index> looked, counted;
  Index taken = 0;
  for (Index first = 0; first < a.rows(); first += stride * FrequentValues::kRun)
    for (Index i = first; i < std::min(first + FrequentValues::kRun, a.rows()); ++i, ++taken)
      if (weights.empty() || weights[static_cast<std::size_t>(i)] > 0) counted.push_back(i);
  const auto each = std::max<std::size_t>(1, counted.size() / static_cast<std::size_t>(FrequentValues::kLooked));
  for (std::size_t i = 0; i < counted.size(); i += each) looked.push_back(counted[i]);
  const double scale = static_cast<double>(a.rows()) / static_cast<double>(taken);
  FrequentValues::Leaf out{.rows = scale * static_cast<double>(counted.size())};
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
    std::sort(seen.begin(), seen.end(), comes_before);
    seen.resize(std::min(seen.size(), FrequentValues::kKept));
    for (const auto& [value, count] : seen) out.counts.push_back({static_cast<Index>(j), value, scale * count});
  }
  return out;
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

void FrequentValues::keep(Leaf leaf) {
  const auto by_key = [](const Leaf& one, const Leaf& other) { return one.key < other.key; };
  leaves.insert(std::upper_bound(leaves.begin(), leaves.end(), leaf, by_key), std::move(leaf));
  if (leaves.size() > kLeaves) leaves.pop_back();
}

void FrequentValues::add(const Encoding& encoding, const Columns& a, std::span<const double> weights) {
  for (Index first = 0; first < a.rows(); first += kLeaf) {
    const Index count = std::min(kLeaf, a.rows() - first);
    const Columns rows = a.middle_rows(first, count);
    const std::uint64_t key = key_of(rows);
    if (leaves.size() == kLeaves && key >= leaves.back().key) continue;
    const auto at = static_cast<std::size_t>(first);
    Leaf leaf =
        leaf_of(encoding, rows, weights.empty() ? weights : weights.subspan(at, static_cast<std::size_t>(count)));
    leaf.key = key;
    keep(std::move(leaf));
  }
}

void FrequentValues::merge(const FrequentValues& other) {
  for (const Leaf& leaf : other.leaves)
    if (leaves.size() < kLeaves || leaf.key < leaves.back().key) keep(leaf);
}

std::pair<double, double> FrequentValues::most_of(Index feature) const {
  Counts sums;
  double rows = 0;
  for (const Leaf& leaf : leaves) {
    rows += leaf.rows;
    for (const Count& one : leaf.counts) {
      if (one.feature != feature) continue;
      const auto at = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == one.value; });
      if (at == sums.end())
        sums.emplace_back(one.value, one.rows);
      else
        at->second += one.rows;
    }
  }
  if (sums.empty() || !(rows > 0)) return {0, 0};
  const auto [value, most] = *std::min_element(sums.begin(), sums.end(), comes_before);
  return {value, std::min(most / rows, 1.0)};
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
    } else if (const auto [value, share] = values.most_of(static_cast<Index>(j)); share > Atom::kShare && share < 1) {
      std::string text;
      append_number(text, value);
      out.push_back({column.name, text, share});
    }
  }
  return out;
}

}  // namespace plumbline
