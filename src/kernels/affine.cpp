#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

#if defined(__AVX512F__)
constexpr Size kAffineOutputs = 8, kAffineVectors = 2;
#elif defined(__AVX__)
constexpr Size kAffineOutputs = 6, kAffineVectors = 2;
#else
constexpr Size kAffineOutputs = 4, kAffineVectors = 2;
#endif
static_assert(kRowPad % (kLanes * kAffineVectors) == 0);

// `Outputs` output columns from j on, kAffineVectors vectors of rows at a time.
template <Size Outputs>
void affine_block(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
                  Size rows, double* out, Size j0) {
  for (Size r = 0; r < rows; r += kAffineVectors * kLanes) {
    Vec total[Outputs][kAffineVectors];
    for (Size j = 0; j < Outputs; ++j)
      for (Size v = 0; v < kAffineVectors; ++v) {
        total[j][v] = base ? all(base[j0 + j]) : Vec{};
        if (direct)
          total[j][v] =
              fused(all(direct[j0 + j]), load_vector(source + (j0 + j) * kTileStride + r + v * kLanes), total[j][v]);
      }
    for (Size i = 0; i < m.cols; ++i) {
      Vec x[kAffineVectors];
      for (Size v = 0; v < kAffineVectors; ++v) x[v] = load_vector(in + i * kTileStride + r + v * kLanes);
      for (Size j = 0; j < Outputs; ++j) {
        const Vec factor = all(m.cells[(j0 + j) * m.cols + i]);
        for (Size v = 0; v < kAffineVectors; ++v) total[j][v] = fused(factor, x[v], total[j][v]);
      }
    }
    for (Size j = 0; j < Outputs; ++j)
      for (Size v = 0; v < kAffineVectors; ++v)
        store_vector(out + (j0 + j) * kTileStride + r + v * kLanes, total[j][v]);
  }
}

}  // namespace

void affine(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
            Size rows, double* out) {
  const Size n = padded(rows);
  Size j = 0;
  for (; j + kAffineOutputs <= m.rows; j += kAffineOutputs)
    affine_block<kAffineOutputs>(m, base, direct, source, in, n, out, j);
  for (; j < m.rows; ++j) affine_block<1>(m, base, direct, source, in, n, out, j);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
