// Counts every call of malloc and aligned_alloc in the process: for one source of an executable. Sanitizers take these
// for themselves; there PLUMBLINE_COUNTS_ALLOCATIONS is not defined, and tests are skipped.
#pragma once

#include <atomic>
#include <cstdlib>

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
namespace {
std::atomic<long> allocations{0};
}

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
#define PLUMBLINE_COUNTS_ALLOCATIONS 1
#endif
