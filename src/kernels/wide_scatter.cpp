#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

// A sum and what its additions have rounded away (Knuth's two-sum).
struct WideSum {
  Vec total = {}, lost = {};

  void add(const Vec& x) {
    const Vec sum = total + x, part = sum - total;
    lost += (total - (sum - part)) + (x - part);
    total = sum;
  }

  void store(double* hi, double* lo) const {
    double sum = *hi, rest = *lo;
    for (Size l = 0; l < kLanes; ++l) {
      const double x = total[l], next = sum + x, part = next - sum;
      rest += ((sum - (next - part)) + (x - part)) + lost[l];
      sum = next;
    }
    *hi = sum;
    *lo = rest;
  }
};

}  // namespace

void wide_scatter(const double* tile, Size rows, Size cols, double* hi, double* lo) {
  for (Size j = 0; j < cols; ++j)
    for (Size i = j; i < cols; ++i) {
      const double *x = tile + i * kTileStride, *y = tile + j * kTileStride;
      WideSum sum;
      for (Size r = 0; r < padded(rows); r += kLanes) {
        const Vec left = load_vector(x + r), right = load_vector(y + r), product = left * right;
        sum.add(product);
        sum.lost += product_error(left, right, product);
      }
      sum.store(hi + j * cols + i, lo + j * cols + i);
    }
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
