// Two buffers that take turns: what was put into one stays as it is while the other is filled.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace plumbline {

class TwoBuffers {
 public:
  // The buffer whose turn it is, of at least `size` bytes; what it held is lost.
  char* next(std::size_t size) {
    turn_ = 1 - turn_;
    if (capacity_[turn_] < size) {
      buffers_[turn_].reset();  // before the new one is there, so that both never are
      capacity_[turn_] = 0;
      buffers_[turn_] = std::make_unique_for_overwrite<char[]>(size);
      capacity_[turn_] = size;
    }
    return buffers_[turn_].get();
  }

 private:
  std::array<std::unique_ptr<char[]>, 2> buffers_;
  std::array<std::size_t, 2> capacity_ = {0, 0};
  std::size_t turn_ = 0;
};

}  // namespace plumbline
