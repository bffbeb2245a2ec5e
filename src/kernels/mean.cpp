#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

// Deviations from one row are summed, so that a large mean does not swallow a small spread. A row of weight zero may
// hold anything, so it is the first one that has weight.
Size origin_row(Size rows, const double* weights) {
  if (!weights) return 0;
  for (Size r = 0; r < rows; ++r)
    if (weights[r] > 0) return r;
  return 0;
}

template <class T>
double mean_of_contiguous(const T* x, Size rows, Size first, const double* weights, double inverse_weight) {
  const double origin = x[first];
  Vec total[4] = {};
  Size r = 0;
  for (; r + 4 * kLanes <= rows; r += 4 * kLanes)
    for (Size v = 0; v < 4; ++v) {
      const Vec d = load_vector(x + r + v * kLanes) - origin;
      total[v] += weights ? d * load_vector(weights + r + v * kLanes) : d;
    }
  double rest = 0;
  for (; r < rows; ++r) rest += (x[r] - origin) * (weights ? weights[r] : 1.0);
  return origin + (sum((total[0] + total[1]) + (total[2] + total[3])) + rest) * inverse_weight;
}

template <class T>
void add_deviations(const T* __restrict row, const T* __restrict origin, double weight, Size n,
                    double* __restrict total) {
  for (Size c = 0; c < n; ++c) total[c] += weight * (static_cast<double>(row[c]) - static_cast<double>(origin[c]));
}

template <class T>
void add_deviations_of_four(const T* __restrict row, Size stride, const T* __restrict origin, Size n,
                            double* __restrict total) {
  for (Size c = 0; c < n; ++c) {
    const double o = origin[c];
    total[c] += ((row[c] - o) + (row[c + stride] - o)) + ((row[c + 2 * stride] - o) + (row[c + 3 * stride] - o));
  }
}

}  // namespace

template <class T>
void mean(const Block& block, const double* weights, double* mean) {
  double weight = static_cast<double>(block.rows);
  if (weights) {
    weight = 0;
    for (Size r = 0; r < block.rows; ++r) weight += weights[r];
  }
  const Size first = origin_row(block.rows, weights);
  if (block.row_stride == 1) {
    for (Size j = 0; j < block.cols; ++j)
      mean[j] = mean_of_contiguous(cell<T>(block, 0, j), block.rows, first, weights, 1 / weight);
    return;
  }
  // Row by row, so that memory is read in the order in which it lies.
  for (Size j = 0; j < block.cols; ++j) mean[j] = 0;
  Size r = 0;
  for (; !weights && r + 4 <= block.rows; r += 4)
    for (Size j = 0, n; j < block.cols; j += n) {
      n = run_length<T>(block, j);
      add_deviations_of_four(cell<T>(block, r, j), block.row_stride, cell<T>(block, first, j), n, mean + j);
    }
  for (; r < block.rows; ++r)
    for (Size j = 0, n; j < block.cols; j += n) {
      n = run_length<T>(block, j);
      add_deviations(cell<T>(block, r, j), cell<T>(block, first, j), weights ? weights[r] : 1.0, n, mean + j);
    }
  for (Size j = 0; j < block.cols; ++j) mean[j] = *cell<T>(block, first, j) + mean[j] / weight;
}

template void mean<double>(const Block&, const double*, double*);
template void mean<float>(const Block&, const double*, double*);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
