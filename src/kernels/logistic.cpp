#include "kernels/lanes.h"
#include "kernels/tile_kernels.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

// With u = e^{−|η|} the smaller of p and 1 − p is u / (1 + u) and log(1 + e^η) = max(η, 0) + log(1 + u): nothing is
// lost in a difference from 1, however far out η lies.
double logistic(const double* eta, const double* y, const double* weights, Size rows, double* residual, double* root) {
  Vec total = {};
  for (Size r = 0; r < padded(rows); r += kLanes) {
    const Vec e = load_vector(eta + r), outcome = load_vector(y + r), weight = load_vector(weights + r);
    const Vec u = exp_of<double>(e < 0 ? e : -e);
    const Vec larger = 1 / (1 + u), smaller_one = u * larger;
    const Vec p = e < 0 ? smaller_one : larger, q = e < 0 ? larger : smaller_one;
    store_vector(residual + r, weight * (outcome * q - (1 - outcome) * p));
    store_vector(root + r, square_root(weight * (p * q)));
    total += weight * ((outcome * e - (e < 0 ? Vec{} : e)) - log_of_one_plus<double>(u));
  }
  return sum(total);
}

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
