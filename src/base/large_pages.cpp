#include "base/large_pages.h"

#ifdef __linux__
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#endif

namespace plumbline {

void ask_for_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + bytes;
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
  if (first < last) madvise(static_cast<std::byte*>(memory) + (first - begin), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace plumbline
