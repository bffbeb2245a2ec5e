#include "kernels/kernels.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "plumbline/cpu.h"
#include "plumbline/error.h"

namespace plumbline::kernels {
namespace {

Available find_available() {
  Available found{};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    found.tables[found.count++] = &avx512;
  if (has_avx2) found.tables[found.count++] = &avx2;
#endif
  found.tables[found.count++] = &baseline;
  return found;
}

const Table& choose() {
  const Available& all = available();
  const char* wanted = std::getenv("PLUMBLINE_ISA");
  if (wanted == nullptr || *wanted == '\0') return *all.tables[0];
  for (Size i = 0; i < all.count; ++i)
    if (std::string_view(wanted) == all.tables[i]->name) return *all.tables[i];
  throw Error(fmt::format("PLUMBLINE_ISA is '{}'; this machine can run {}{}{}", wanted, all.tables[0]->name,
                          all.count > 1 ? fmt::format(", {}", all.tables[1]->name) : "",
                          all.count > 2 ? fmt::format(", {}", all.tables[2]->name) : ""));
}

}  // namespace

const Available& available() {
  static const Available found = find_available();
  return found;
}

const Table& active() {
  static const Table& chosen = choose();
  return chosen;
}

}  // namespace plumbline::kernels

namespace plumbline {

const char* instruction_set() { return kernels::active().name; }

}  // namespace plumbline
