#include "kernels/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>
#endif

namespace plumbline::kernels {

#if defined(__x86_64__)
namespace {

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero where the processor has no such leaf.
Leaf cpuid(unsigned number) {
  Leaf leaf;
  __get_cpuid_count(number, 0, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
  return leaf;
}

// XCR0; may be asked only where CPUID has OSXSAVE.
std::uint64_t kept_registers() {
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

constexpr bool has_all(std::uint64_t bits, std::uint64_t wanted) { return (bits & wanted) == wanted; }

}  // namespace

Processor processor() {
  constexpr std::uint64_t avx_registers = 0x6, avx512_registers = 0xe6;  // SSE and AVX; those, masks and both halves
  const Leaf basic = cpuid(1);
  const Leaf extended = cpuid(7);
  if (!has_all(basic.ecx, bit_OSXSAVE | bit_AVX | bit_FMA)) return {};
  const std::uint64_t kept = kept_registers();
  Processor found;
  found.has_avx2 = has_all(extended.ebx, bit_AVX2) && has_all(kept, avx_registers);
  found.has_avx512 = found.has_avx2 && has_all(extended.ebx, bit_AVX512F | bit_AVX512DQ | bit_AVX512VL) &&
                     has_all(kept, avx512_registers);
  return found;
}
#else
Processor processor() { return {}; }
#endif

}  // namespace plumbline::kernels
