#include "kernels/kernels.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "kernels/processor.h"
#include "plumbline/cpu.h"
#include "plumbline/error.h"

namespace plumbline::kernels {
namespace {

Available find_available() {
  Available found{};
#if defined(__x86_64__)
  const Processor has = processor();
  if (has.has_avx512) found.dispatches[found.count++] = &avx512;
  if (has.has_avx2) found.dispatches[found.count++] = &avx2;
#endif
  found.dispatches[found.count++] = &baseline;
  return found;
}

const Dispatch& choose() {
  const Available& all = available();
  const char* wanted = std::getenv("PLUMBLINE_ISA");
  if (wanted == nullptr || *wanted == '\0') return *all.dispatches[0];
  for (Size i = 0; i < all.count; ++i)
    if (std::string_view(wanted) == all.dispatches[i]->name) return *all.dispatches[i];
  throw Error(fmt::format("PLUMBLINE_ISA is '{}'; this machine can run {}{}{}", wanted, all.dispatches[0]->name,
                          all.count > 1 ? fmt::format(", {}", all.dispatches[1]->name) : "",
                          all.count > 2 ? fmt::format(", {}", all.dispatches[2]->name) : ""));
}

}  // namespace

const Available& available() {
  static const Available found = find_available();
  return found;
}

const Dispatch& active() {
  static const Dispatch& chosen = choose();
  return chosen;
}

}  // namespace plumbline::kernels

namespace plumbline {

const char* instruction_set() { return kernels::active().name; }

}  // namespace plumbline
