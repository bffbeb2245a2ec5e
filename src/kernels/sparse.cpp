#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

// The last cells of a vector, with zeros after them.
struct Rest {
  Size count;
  Vec load(const double* p) const {
    Vec v = {};
    for (Size l = 0; l < count; ++l) v[l] = p[l];
    return v;
  }
  void store(double* p, const Vec& v) const {
    for (Size l = 0; l < count; ++l) p[l] = v[l];
  }
};

// visit(i, cells, k) for every vector of cells from i on; k alternates, for sums that do not wait for each other.
template <class Visit>
inline void for_vectors(Size size, const Visit& visit) {
  Size i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    visit(i, All{}, 0);
    visit(i + kLanes, All{}, 1);
  }
  if (i + kLanes <= size) {
    visit(i, All{}, 0);
    i += kLanes;
  }
  if (i < size) visit(i, Rest{size - i}, 1);
}

inline Vec size_of(const Vec& x) { return x < 0 ? -x : x; }

inline double largest_of(const Vec& x) {
  double largest = x[0];
  for (Size l = 1; l < kLanes; ++l) largest = x[l] > largest ? x[l] : largest;
  return largest;
}

}  // namespace

Norms norms(const double* x, Size size) {
  Vec one[2] = {}, squares[2] = {}, largest[2] = {};
  for_vectors(size, [&](Size i, const auto& cells, Size k) {
    const Vec v = size_of(cells.load(x + i));
    one[k] += v;
    squares[k] = fused(v, v, squares[k]);
    largest[k] = v > largest[k] ? v : largest[k];
  });
  return {sum(one[0] + one[1]), sum(squares[0] + squares[1]),
          largest_of(largest[0] > largest[1] ? largest[0] : largest[1])};
}

Excess excess(const double* x, Size size, double largest, double root) {
  const double inverse = 1 / largest;
  Vec count[2] = {}, total[2] = {}, squares[2] = {};
  for_vectors(size, [&](Size i, const auto& cells, Size k) {
    const Vec left = root - (largest - size_of(cells.load(x + i))) * inverse;
    const Vec positive = left > 0 ? left : Vec{};
    count[k] += left > 0 ? all(1) : Vec{};
    total[k] += positive;
    squares[k] = fused(positive, positive, squares[k]);
  });
  return {sum(count[0] + count[1]), sum(total[0] + total[1]), sum(squares[0] + squares[1])};
}

void shrink(const Shrinkage& by, const double* x, Size size, double* u) {
  const double inverse = 1 / by.largest;
  for_vectors(size, [&](Size i, const auto& cells, Size) {
    const Vec v = cells.load(x + i), left = by.root - (by.largest - size_of(v)) * inverse;
    const Vec shrunk = by.scale * left;
    cells.store(u + i, left > by.least ? (v < 0 ? -shrunk : shrunk) : Vec{});
  });
}

double extrapolate(const Extrapolation& from, Size size) {
  Vec moved[2] = {};
  for_vectors(size, [&](Size i, const auto& cells, Size k) {
    const Vec g = from.scale * cells.load(from.g + i), w = from.scale * cells.load(from.u + i);
    const Vec change = g - cells.load(from.g_before + i);
    moved[k] = fused(w - cells.load(from.w + i), change, moved[k]);
    cells.store(from.g + i, g);
    cells.store(from.w + i, w);
    cells.store(from.ahead + i, fused(all(from.beyond), change, g));
  });
  return sum(moved[0] + moved[1]);
}

Progress advance(const double* u, const double* next, Size size, double* step) {
  Vec agreement[2] = {}, squares[2] = {};
  for_vectors(size, [&](Size i, const auto& cells, Size k) {
    const Vec now = cells.load(next + i) - cells.load(u + i);
    agreement[k] = fused(cells.load(step + i), now, agreement[k]);
    squares[k] = fused(now, now, squares[k]);
    cells.store(step + i, now);
  });
  return {sum(agreement[0] + agreement[1]), sum(squares[0] + squares[1])};
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
