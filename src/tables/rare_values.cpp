#include "tables/rare_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/names.h"

namespace plumbline {
namespace {

constexpr std::int64_t kLeastRows = 100, kRowsPerSensitive = 10, kLargestShare = 20;

// A name that no level has.
std::string name_of_others(const LevelRows& rows) {
  std::string name = "other";
  while (rows.contains(name)) name = '(' + name + ')';
  return name;
}

// The levels of a feature, with those below `least` rows merged.
TableColumn with_merged_levels(TableColumn column, const LevelRows& rows, std::int64_t least) {
  std::vector<std::pair<std::int64_t, std::string>> rising;
  for (const auto& [level, count] : rows) rising.emplace_back(count, level);
  std::sort(rising.begin(), rising.end());
  column.levels.clear();
  column.merged.clear();
  std::int64_t together = 0;
  for (auto& [count, level] : rising) {
    const bool is_rare = count < least || (!column.merged.empty() && together < least);
    if (is_rare) together += count;
    (is_rare ? column.merged : column.levels).push_back(std::move(level));
  }
  std::sort(column.levels.begin(), column.levels.end());
  std::sort(column.merged.begin(), column.merged.end());
  column.other = column.merged.empty() ? "" : name_of_others(rows);
  return column;
}

}  // namespace

std::int64_t least_rows(std::int64_t rows, Index sensitive) {
  return std::min(std::max<std::int64_t>(kLeastRows, kRowsPerSensitive * sensitive), rows / kLargestShare);
}

Merging merge_rare_levels(const Encoding& encoding, const std::vector<LevelRows>& rows, std::int64_t least) {
  Merging out{encoding, {}};
  Index first = 0;
  for (std::size_t j = 0; j < encoding.features.size(); ++j) {
    const TableColumn& before = encoding.features[j];
    TableColumn& after = out.encoding.features[j];
    if (j < rows.size() && !rows[j].empty()) after = with_merged_levels(before, rows[j], least);
    for (const std::string& level : before.levels) {
      const auto at = std::lower_bound(after.levels.begin(), after.levels.end(), level);
      const bool stays = at != after.levels.end() && *at == level;
      out.into.push_back(first + (stays ? at - after.levels.begin() : after.width() - 1));
    }
    if (before.levels.size() < static_cast<std::size_t>(before.width())) out.into.push_back(first + after.width() - 1);
    first += after.width();
  }
  if (encoding.fill_a.size() > 0) {
    out.encoding.fill_a = Eigen::VectorXd::Zero(first);
    for (Index i = 0; i < encoding.fill_a.size(); ++i)
      out.encoding.fill_a[out.into[static_cast<std::size_t>(i)]] += encoding.fill_a[i];
  }
  return out;
}

std::vector<std::string> rare_notes(const Encoding& encoding) {
  std::vector<std::string> notes, held;
  for (const TableColumn& column : encoding.features) {
    if (!column.merged.empty())
      notes.push_back(fmt::format("the rarest levels of '{}' are merged into '{}': {}", column.name, column.other,
                                  listed(column.merged)));
    if (column.held) held.push_back(column.name);
  }
  if (!held.empty())
    notes.push_back(
        fmt::format("features that vary in few rows are held at the value that they mostly have: {}", listed(held)));
  return notes;
}

void ValueRows::add(double value, std::int64_t rows) {
  if (varies_) return;
  value += 0.0;  // −0 is 0
  rows_ += rows;
  auto at = std::find_if(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == value; });
  if (at == counts_.end()) at = counts_.emplace(at, value, 0);
  at->second += rows;
  const auto comes_before = [](const auto& one, const auto& other) {
    return one.second > other.second || (one.second == other.second && one.first < other.first);
  };
  for (; at != counts_.begin() && comes_before(*at, *std::prev(at)); --at) std::iter_swap(at, std::prev(at));
  if (rows_ - counts_.front().second >= kMostRare) stop();
}

void ValueRows::stop() {
  varies_ = true;
  rows_ = 0;
  counts_.clear();
}

void ValueRows::merge(const ValueRows& other) {
  if (other.varies_) stop();
  for (const auto& [value, rows] : other.counts_) add(value, rows);
}

std::optional<double> ValueRows::held(std::int64_t least) const {
  if (varies_ || counts_.size() < 2 || rows_ - counts_.front().second >= least) return std::nullopt;
  return counts_.front().first;
}

ValueRows ValueRows::of(std::vector<std::pair<double, std::int64_t>> counts, bool varies) {
  ValueRows out;
  for (const auto& [value, rows] : counts) out.add(value, rows);
  if (varies) out.stop();
  return out;
}

}  // namespace plumbline
