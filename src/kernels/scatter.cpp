#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

#if defined(__AVX512F__)
constexpr Size kScatterI = 6, kScatterJ = 4;
#elif defined(__AVX__)
constexpr Size kScatterI = 4, kScatterJ = 3;
#else
constexpr Size kScatterI = 3, kScatterJ = 3;
#endif

// The products of I columns from i on with J columns from j on.
template <Size I, Size J>
void scatter_block(const double* tile, Size rows, Size i0, Size j0, double* c, Size c_stride) {
  const double* xi = tile + i0 * kTileStride;
  const double* xj = tile + j0 * kTileStride;
  Vec total[I][J] = {};
  for (Size r = 0; r < rows; r += kLanes) {
    Vec right[J];
    for (Size j = 0; j < J; ++j) right[j] = load_vector(xj + j * kTileStride + r);
    for (Size i = 0; i < I; ++i) {
      const Vec left = load_vector(xi + i * kTileStride + r);
      for (Size j = 0; j < J; ++j) total[i][j] = fused(left, right[j], total[i][j]);
    }
  }
#pragma GCC unroll 8
  for (Size i = 0; i < I; ++i)
#pragma GCC unroll 8
    for (Size j = 0; j < J; ++j)
      if (i0 + i >= j0 + j) c[(j0 + j) * c_stride + i0 + i] += sum(total[i][j]);
}

using ScatterBlock = void (*)(const double*, Size, Size, Size, double*, Size);

template <Size I>
ScatterBlock scatter_block_for(Size j) {
  if constexpr (kScatterJ >= 4)
    if (j == 4) return scatter_block<I, 4>;
  return j == 1 ? scatter_block<I, 1> : j == 2 ? scatter_block<I, 2> : scatter_block<I, 3>;
}

ScatterBlock scatter_block_for(Size i, Size j) {
  if constexpr (kScatterI >= 6) {
    if (i == 6) return scatter_block_for<6>(j);
    if (i == 5) return scatter_block_for<5>(j);
  }
  if constexpr (kScatterI >= 4)
    if (i == 4) return scatter_block_for<4>(j);
  return i == 1 ? scatter_block_for<1>(j) : i == 2 ? scatter_block_for<2>(j) : scatter_block_for<3>(j);
}

double sum_of_squares(const double* x, Size rows) {
  Vec total[2] = {};
  for (Size r = 0; r < rows; r += 2 * kLanes)
    for (Size v = 0; v < 2; ++v) {
      const Vec d = load_vector(x + r + v * kLanes);
      total[v] = fused(d, d, total[v]);
    }
  return sum(total[0] + total[1]);
}

// Fetches its share of what lies ahead at each turn: all at once would have to wait for memory.
class Prefetch {
 public:
  Prefetch(const Ahead& ahead, Size turns)
      : at_(static_cast<const char*>(ahead.first)),
        end_(at_ + ahead.bytes),
        share_(turns == 0 ? 0 : (ahead.bytes + turns - 1) / turns) {}

  void take_turn() {
    for (const char* stop = at_ + smaller(share_, end_ - at_); at_ < stop; at_ += kLine) __builtin_prefetch(at_, 0, 2);
  }

 private:
  static constexpr Size kLine = 64;
  const char *at_, *end_;
  Size share_;
};

Size scatter_blocks(Size cols, Size lead) {
  Size blocks = 0;
  for (Size j = 0; j < lead; j += kScatterJ) blocks += (cols - j + kScatterI - 1) / kScatterI;
  return blocks;
}

}  // namespace

void scatter(const double* tile, Size rows, Size cols, Size lead, double* c, Size c_stride, double* diagonal,
             const Ahead& ahead) {
  const Size n = padded(rows);
  Prefetch prefetch(ahead, scatter_blocks(cols, lead));
  for (Size j = 0; j < lead; j += kScatterJ) {
    const Size nj = smaller(kScatterJ, lead - j);
    for (Size i = j; i < cols; i += kScatterI) {
      const Size ni = smaller(kScatterI, cols - i);
      prefetch.take_turn();
      scatter_block_for(ni, nj)(tile, n, i, j, c, c_stride);
    }
  }
  for (Size i = lead; i < cols; ++i) diagonal[i] += sum_of_squares(tile + i * kTileStride, n);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
