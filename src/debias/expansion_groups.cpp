// The groups of an expansion's outputs, and what is left of it with some of them.
#include <fmt/format.h>

#include "plumbline/error.h"
#include "plumbline/expansion.h"

namespace plumbline {

std::vector<Expansion::Group> Expansion::groups() const {
  std::vector<Group> out;
  Index at = 0;
  for (Index j = 0; j < inputs(); ++j) {
    const Column& column = columns_[j];
    at = column.first + column.bases();
    if (column.terms() > 0) out.push_back({j, std::nullopt, at, column.terms()});
    at += column.terms();
  }
  for (const auto& [i, j] : pairs_) {
    const Index count = columns_[i].bases() * columns_[j].bases();
    out.push_back({i, j, at, count});
    at += count;
  }
  return out;
}

Expansion Expansion::with_groups(const std::vector<Index>& places) const {
  const std::vector<Group> all = groups();
  Expansion out = *this;
  out.pairs_.clear();
  std::vector<bool> keeps(columns_.size());
  for (const Index place : places) {
    if (place < 0 || place >= static_cast<Index>(all.size()))
      throw Error(fmt::format("group {} is asked for; there are {}", place, all.size()));
    const Group& group = all[static_cast<std::size_t>(place)];
    if (group.other)
      out.pairs_.emplace_back(group.one, *group.other);
    else
      keeps[static_cast<std::size_t>(group.one)] = true;
  }
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = out.columns_[j];
    if (keeps[j] || column.is_code()) continue;
    column.powers = 1;
    column.knots.clear();
    column.edges.clear();
  }
  out.lay_out();
  return out;
}

}  // namespace plumbline
