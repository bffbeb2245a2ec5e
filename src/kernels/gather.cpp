#include "kernels/network.h"
#include "kernels/tile_kernels.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

template <class T>
void gather(const T* x, std::ptrdiff_t x_stride, const std::int32_t* chosen, const NetworkBatch<T>& out) {
  for (Size j = 0; j < out.cols; ++j) {
    const T* from = x + j * x_stride;
    T* to = out.cells + j * out.stride;
    for (Size r = 0; r < out.rows; ++r) to[r] = from[chosen[r]];
  }
}

template void gather<double>(const double*, std::ptrdiff_t, const std::int32_t*, const NetworkBatch<double>&);
template void gather<float>(const float*, std::ptrdiff_t, const std::int32_t*, const NetworkBatch<float>&);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
