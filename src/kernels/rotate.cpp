#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

void rotate(double* columns, Size count, const double* c, const double* s) {
  constexpr Size kVectors = kRotatedRows / kLanes;
  Vec left[kVectors];  // column k as the rotations before it left it
  for (Size v = 0; v < kVectors; ++v) left[v] = load_vector(columns + v * kLanes);
  for (Size k = 0; k < count; ++k, columns += kRotatedRows) {
    const Vec cosine = all(c[k]), sine = all(s[k]);
    for (Size v = 0; v < kVectors; ++v) {
      const Vec right = load_vector(columns + kRotatedRows + v * kLanes);
      store_vector(columns + v * kLanes, fused(cosine, left[v], sine * right));
      left[v] = fused(cosine, right, -(sine * left[v]));
    }
  }
  for (Size v = 0; v < kVectors; ++v) store_vector(columns + v * kLanes, left[v]);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
