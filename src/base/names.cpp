#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/remedy.h"
#include "base/trimmed.h"

namespace plumbline {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Insertions, deletions, changes and swaps of neighbours that lead from one text to the other.
std::size_t mistakes(std::string_view x, std::string_view y) {
  std::vector<std::size_t> before(y.size() + 1), last(y.size() + 1), now(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= y.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[y.size()];
}

// Of characters and ranges such as 0-9.
bool is_in_set(std::string_view set, char c) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      if (set[i] <= c && c <= set[i + 2]) return true;
      i += 2;
    } else if (set[i] == c) {
      return true;
    }
  }
  return false;
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = list.find(',');
    parts.push_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    bool fits = false;
    std::size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '[' && pattern.find(']', p + 1) != std::string_view::npos) {
      next = pattern.find(']', p + 1) + 1;
      fits = is_in_set(pattern.substr(p + 1, next - p - 2), name[n]);
    } else if (p < pattern.size()) {
      fits = pattern[p] == '?' || pattern[p] == name[n];
    }
    if (fits) {
      p = next;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = lower(name);
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates)
    if (const std::size_t count = mistakes(wanted, lower(candidate)); count < fewest) {
      fewest = count;
      best = candidate;
    }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", printable(nearest));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t j = 0; j < std::min(names.size(), kMost); ++j)
    out += fmt::format("{}{}", j == 0 ? "" : ", ", printable(names[j]));
  return names.size() > kMost ? out + fmt::format(" and {} more", names.size() - kMost) : out;
}

std::string all_listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + printable(name);
  return out;
}

std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string out;
  for (std::size_t j = 0; j < std::min(names.size(), kMost); ++j)
    out += fmt::format("{}'{}'", j == 0 ? "" : ", ", printable(names[j]));
  if (names.size() > kMost) out += fmt::format(" and {} more", names.size() - kMost);
  return out;
}

std::string first_difference(const std::vector<std::string>& given, const std::vector<std::string>& expected) {
  if (given.size() != expected.size())
    return fmt::format("there are {} where {} are expected", counted(static_cast<std::int64_t>(given.size()), "column"),
                       expected.size());
  for (std::size_t j = 0; j < given.size(); ++j)
    if (given[j] != expected[j])
      return fmt::format("column {} is '{}' where '{}' is expected", j, printable(given[j]), printable(expected[j]));
  return "";
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void refuse_column(std::string_view flag, std::string_view name, const std::vector<std::string>& columns) {
  std::string hint = did_you_mean(name, columns);
  const bool is_lost = hint.empty();
  if (is_lost) hint = fmt::format("; there {} {}", columns.size() == 1 ? "is only" : "are", listed(columns));
  const std::string sentence = fmt::format("{} names '{}', and there is no such column{}", flag, printable(name), hint);
  const std::size_t at = is_lost && columns.size() == 1 ? columns.front().find_first_of(";|\t,:") : std::string::npos;
  if (at == std::string::npos) throw Error(sentence);
  throw RemediableError(sentence, Remedy::use_delimiter, "", columns.front().substr(at, 1));
}

std::vector<Index> choose_columns(const std::vector<std::string>& lists, const std::vector<std::string>& columns,
                                  std::string_view flag) {
  std::vector<bool> chosen(columns.size(), false);
  const auto choose = [&](std::string_view name) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) return false;
    chosen[static_cast<std::size_t>(found - columns.begin())] = true;
    return true;
  };
  for (const std::string& list : lists) {
    if (choose(list)) continue;
    for (const std::string_view part : split(list)) {
      if (part.empty() || choose(part)) continue;
      bool any = false;
      for (std::size_t j = 0; j < columns.size(); ++j)
        if (matches_glob(part, columns[j])) any = chosen[j] = true;
      if (!any) refuse_column(flag, part, columns);
    }
  }
  std::vector<Index> out;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (chosen[j]) out.push_back(static_cast<Index>(j));
  return out;
}

}  // namespace plumbline
