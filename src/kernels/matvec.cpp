#include "kernels/tile_kernels.h"
#include "kernels/vectors.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

template <Size Rows>
void matvec_block(const Matrix& m, const double* x, double* y, Size j0) {
  const double* cells = m.cells + j0 * m.cols;
  Vec total[Rows] = {};
  Size i = 0;
  for (; i + kLanes <= m.cols; i += kLanes) {
    const Vec v = load_vector(x + i);
    for (Size j = 0; j < Rows; ++j) total[j] = fused(load_vector(cells + j * m.cols + i), v, total[j]);
  }
#pragma GCC unroll 8
  for (Size j = 0; j < Rows; ++j) {
    double rest = 0;
    for (Size k = i; k < m.cols; ++k) rest += cells[j * m.cols + k] * x[k];
    y[j0 + j] += sum(total[j]) + rest;
  }
}

// With copies of what is read in every round, which a write to y could change for all that the compiler knows.
template <Size Rows>
void add_rows(const double* const* rows, const double* factors, Size n, double* y) {
  const double* row[Rows];
  Vec factor[Rows];
#pragma GCC unroll 8
  for (Size r = 0; r < Rows; ++r) row[r] = rows[r], factor[r] = all(factors[r]);
  Size i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec total = load_vector(y + i);
#pragma GCC unroll 8
    for (Size r = 0; r < Rows; ++r) total = fused(factor[r], load_vector(row[r] + i), total);
    store_vector(y + i, total);
  }
  for (; i < n; ++i)
    for (Size r = 0; r < Rows; ++r) y[i] += factors[r] * rows[r][i];
}

// Rows j0 to j0 + Rows of a symmetric matrix, right of the diagonal, and the same cells below it.
template <Size Rows>
void symmetric_block(const Matrix& m, const double* x, double* y, Size j0) {
  const double* cells = m.cells + j0 * m.cols;
  for (Size j = 0; j < Rows; ++j)
    for (Size i = 0; i < Rows; ++i) y[j0 + j] += cells[j * m.cols + j0 + i] * x[j0 + i];
  const double* row[Rows];
  Vec factor[Rows], total[Rows] = {};
#pragma GCC unroll 8
  for (Size j = 0; j < Rows; ++j) row[j] = cells + j * m.cols, factor[j] = all(x[j0 + j]);
  const Size end = m.cols;
  Size i = j0 + Rows;
  for (; i + kLanes <= end; i += kLanes) {
    const Vec v = load_vector(x + i);
    Vec below = load_vector(y + i);
#pragma GCC unroll 8
    for (Size j = 0; j < Rows; ++j) {
      const Vec g = load_vector(row[j] + i);
      total[j] = fused(g, v, total[j]);
      below = fused(factor[j], g, below);
    }
    store_vector(y + i, below);
  }
#pragma GCC unroll 8
  for (Size j = 0; j < Rows; ++j) {
    double rest = 0;
    for (Size k = i; k < m.cols; ++k) {
      rest += cells[j * m.cols + k] * x[k];
      y[k] += cells[j * m.cols + k] * x[j0 + j];
    }
    y[j0 + j] += sum(total[j]) + rest;
  }
}

}  // namespace

void matvec(const Matrix& m, const double* x, double* y) {
  Size j = 0;
  for (; j + 8 <= m.rows; j += 8) matvec_block<8>(m, x, y, j);
  for (; j < m.rows; ++j) matvec_block<1>(m, x, y, j);
}

void transposed_matvec(const Matrix& m, const double* x, double* y) {
  constexpr Size kTogether = 8;
  const double* rows[kTogether];
  double factors[kTogether];
  Size found = 0;
  for (Size j = 0; j < m.rows; ++j) {
    if (x[j] == 0) continue;
    rows[found] = m.cells + j * m.cols;
    factors[found++] = x[j];
    if (found < kTogether) continue;
    add_rows<kTogether>(rows, factors, m.cols, y);
    found = 0;
  }
  Size done = 0;
  for (; done + 3 <= found; done += 3) add_rows<3>(rows + done, factors + done, m.cols, y);
  for (; done < found; ++done) add_rows<1>(rows + done, factors + done, m.cols, y);
}

void symmetric_matvec(const Matrix& m, const double* x, double* y) {
  Size j = 0;
  for (; j + 4 <= m.rows; j += 4) symmetric_block<4>(m, x, y, j);
  for (; j < m.rows; ++j) symmetric_block<1>(m, x, y, j);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
