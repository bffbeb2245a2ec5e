#include "kernels/lanes.h"
#include "kernels/network_functions.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

template <class T>
double gaussian_kernel(const T* point, const NetworkBatch<const T>& x, T* pull) {
  constexpr Size lanes = Of<T>::kCount;
  const T scale = -1 / static_cast<T>(x.cols);
  Lanes<T> total = {}, pulls[kMostGaussianColumns] = {};
  for (Size r = 0; r < x.rows; r += lanes) {
    Lanes<T> square = {};
    for (Size c = 0; c < x.cols; ++c) {
      const Lanes<T> off = point[c] - load<T>(x.cells + c * x.stride + r);
      square = fused(off, off, square);
    }
    Lanes<T> k = exp_of<T>(scale * square);
    if (r + lanes > x.rows) k = first_lanes<T>(k, x.rows - r);
    total += k;
    for (Size c = 0; c < x.cols; ++c) {
      const Lanes<T> off = point[c] - load<T>(x.cells + c * x.stride + r);
      pulls[c] += r + lanes > x.rows ? first_lanes<T>(k * off, x.rows - r) : k * off;
    }
  }
  for (Size c = 0; c < x.cols; ++c) pull[c] = sum_of<T>(pulls[c]);
  return static_cast<double>(sum_of<T>(total));
}

template double gaussian_kernel<double>(const double*, const NetworkBatch<const double>&, double*);
template double gaussian_kernel<float>(const float*, const NetworkBatch<const float>&, float*);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
