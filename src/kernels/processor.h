// Which instructions the processor has and the system lets programs use: CPUID says the first, and XCR0 which registers
// the system keeps when it switches between threads. Asked by hand, as not every compiler brings
// __builtin_cpu_supports.
#pragma once

namespace plumbline::kernels {

struct Processor {
  bool has_avx2 = false;    // with fused multiply-add
  bool has_avx512 = false;  // F, DQ and VL, on top of the above
};

Processor processor();

}  // namespace plumbline::kernels
