#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

constexpr Size kStrip = 16;

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

// The same of neighbouring columns, up to kStrip of them, summed in the same order: what a mean is rounded to must not
// depend on where its cells lie.
template <class T>
void means_of_neighbours(const T* x, Size stride, Size rows, Size cols, Size first, const double* weights,
                         double inverse_weight, double* mean) {
  double parts[4 * kLanes][kStrip] = {}, rest[kStrip] = {};
  const T* origin = x + first * stride;
  const Size whole = rows - rows % (4 * kLanes);
  for (Size r = 0; r < rows; ++r) {
    double* to = r < whole ? parts[r % (4 * kLanes)] : rest;
    const double weight = weights ? weights[r] : 1.0;
    for (Size c = 0; c < cols; ++c)
      to[c] += (static_cast<double>(x[r * stride + c]) - static_cast<double>(origin[c])) * weight;
  }
  for (Size c = 0; c < cols; ++c) {
    Vec total[4];
    for (Size v = 0; v < 4; ++v)
      for (Size k = 0; k < kLanes; ++k) total[v][k] = parts[v * kLanes + k][c];
    mean[c] = origin[c] + (sum((total[0] + total[1]) + (total[2] + total[3])) + rest[c]) * inverse_weight;
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
  for (Size j = 0, n; j < block.cols; j += n) {
    n = smaller(run_length<T>(block, j), kStrip);
    means_of_neighbours(cell<T>(block, 0, j), block.row_stride, block.rows, n, first, weights, 1 / weight, mean + j);
  }
}

template void mean<double>(const Block&, const double*, double*);
template void mean<float>(const Block&, const double*, double*);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
