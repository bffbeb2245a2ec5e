// Large pages under memory that is about to be written for the first time: with small ones, the system's work for new
// pages takes longer than the writing (docs/performance.md has the figures).
#pragma once

#include <cstddef>

namespace plumbline {

// A wish, not a demand: does nothing where the system has no large pages, or the memory is too small for one.
void ask_for_large_pages(void* memory, std::size_t bytes);

}  // namespace plumbline
