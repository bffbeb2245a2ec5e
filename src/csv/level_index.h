// The levels of a categorical column, numbered in the order in which they come.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumbline {

class LevelIndex {
 public:
  // The code of a level; if it is new, what `add` says.
  template <class Add>
  std::int32_t code(std::string_view level, const Add& add) {
    if (last_ != nullptr && last_->first == level) return last_->second;
    auto found = codes_.find(level);
    if (found == codes_.end()) found = codes_.emplace(level, add()).first;
    last_ = &*found;
    return last_->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Codes = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;

  Codes codes_;
  const Codes::value_type* last_ = nullptr;  // rows are often sorted
};

}  // namespace plumbline
