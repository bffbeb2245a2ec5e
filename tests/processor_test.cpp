// What is asked of the processor by hand is what the compiler's own way to ask says.
#include "kernels/processor.h"

#include <gtest/gtest.h>

namespace plumbline::kernels {
namespace {

#if defined(__x86_64__)
TEST(Processor, HasWhatTheCompilerSaysItHas) {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  EXPECT_EQ(processor().has_avx2, has_avx2);
  EXPECT_EQ(processor().has_avx512, has_avx2 && __builtin_cpu_supports("avx512f") &&
                                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
}
#else
TEST(Processor, HasNoneOfAnotherArchitecture) {
  EXPECT_FALSE(processor().has_avx2);
  EXPECT_FALSE(processor().has_avx512);
}
#endif

}  // namespace
}  // namespace plumbline::kernels
