// FNV-1a, 64 bits: h ← (h ⊕ byte) · 1099511628211. Finds damage and edits; it is no protection against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline {

inline std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  return hash;
}

}  // namespace plumbline
