#include "kernels/network_functions.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

namespace {

// As integers: machines load and store more of them at a time.
template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  typedef std::uint32_t Type __attribute__((may_alias));
};
template <>
struct BitsOf<double> {
  typedef std::uint64_t Type __attribute__((may_alias));
};

// Some rows side by side, so that what is read of them stays in the L1 cache, and what is written is next to each
// other.
template <Size Rows, class T>
void gather_rows(const T* x, const std::int32_t* chosen, Size cols, T* out, Size stride) {
  using Bits = typename BitsOf<T>::Type;
  const Bits* from[Rows];
  for (Size r = 0; r < Rows; ++r) from[r] = reinterpret_cast<const Bits*>(x + static_cast<Size>(chosen[r]) * cols);
  Bits* const to = reinterpret_cast<Bits*>(out);
  for (Size j = 0; j < cols; ++j)
#pragma GCC unroll 8
    for (Size r = 0; r < Rows; ++r) to[j * stride + r] = from[r][j];
}

}  // namespace

template <class T>
void gather(const T* x, const std::int32_t* chosen, const NetworkBatch<T>& out) {
  constexpr Size kTogether = 8;
  Size r = 0;
  for (; r + kTogether <= out.rows; r += kTogether)
    gather_rows<kTogether>(x, chosen + r, out.cols, out.cells + r, out.stride);
  for (; r < out.rows; ++r) gather_rows<1>(x, chosen + r, out.cols, out.cells + r, out.stride);
}

template void gather<double>(const double*, const std::int32_t*, const NetworkBatch<double>&);
template void gather<float>(const float*, const std::int32_t*, const NetworkBatch<float>&);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
