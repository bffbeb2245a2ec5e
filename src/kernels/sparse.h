// The passes over vectors of which a step of the sparse solver consists beside its product (debias/sob_solver.h), with
// t_i = (largest − |x_i|) / largest for the largest |x_i|.
//
// clang-format off
//   norms        Σ |x_i|,   Σ x_i²,   max |x_i|
//   excess       for all t_i < τ:   their number,   Σ (τ − t_i),   Σ (τ − t_i)²
//   shrink       u_i = scale · sign(x_i) (τ − t_i)   where that is above the least excess;   0 elsewhere
//   extrapolate  g ← scale · g,   w ← scale · u,   ahead = g + beyond · (g − g'),
//                where g' and w' are those of the step before;   returns Σ (w_i − w'_i) (g_i − g'_i)
//   advance      step ← next − u;   returns Σ step'_i step_i and Σ step_i², where step' is the step before
// clang-format on
//
// τ is below 1 by a few units in the last place at least, so that entries that are zero are not below it.
#pragma once

#include <cstddef>

namespace plumbline::kernels {

struct Norms {
  double one;
  double squares;
  double largest;
};

struct Excess {
  double count;
  double sum;
  double squares;
};

struct Shrinkage {
  double largest;
  double root;   // τ
  double least;  // excess that counts as none
  double scale;
};

struct Extrapolation {
  double scale;
  double beyond;
  const double* u;
  const double* g_before;
  double* w;  // in: that of the step before
  double* g;
  double* ahead;
};

struct Progress {
  double agreement;
  double squares;
};

struct SparseDispatch {
  Norms (*norms)(const double* x, std::ptrdiff_t size);
  Excess (*excess)(const double* x, std::ptrdiff_t size, double largest, double root);
  void (*shrink)(const Shrinkage& by, const double* x, std::ptrdiff_t size, double* u);
  double (*extrapolate)(const Extrapolation& from, std::ptrdiff_t size);
  Progress (*advance)(const double* u, const double* next, std::ptrdiff_t size, double* step);
};

}  // namespace plumbline::kernels
