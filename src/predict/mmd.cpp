#include "predict/mmd.h"

#include <fmt/format.h>

#include "plumbline/error.h"
#include "predict/network_kernels.h"

namespace plumbline {
namespace {

using Eigen::Index;

// Row i of z against all rows of `other`: the sum of k, and Σ_j k(z_i, o_j)(z_i − o_j) in `pull`.
template <class T>
double against(const BatchView<const T>& z, Index i, const BatchView<const T>& other, T* pull) {
  T point[kernels::kMostGaussianColumns];
  for (Index c = 0; c < z.cols(); ++c) point[c] = z.data()[c * z.stride() + i];
  return network_kernels<T>().gaussian_kernel(point, other.for_kernels(), pull);
}

}  // namespace

template <class T>
double mmd_and_slope(ReadBatch<T> z, ReadBatch<T> x, BatchView<T> dz, double weight) {
  constexpr Index kMostColumns = kernels::kMostGaussianColumns;
  if (z.rows() == 0 || x.rows() == 0) throw Error("z or x has no rows; a discrepancy needs at least one of both");
  if (z.cols() != x.cols() || z.cols() < 1 || z.cols() > kMostColumns)
    throw Error(fmt::format("z has {} columns and x has {}; they must have the same, from 1 to {}", z.cols(), x.cols(),
                            kMostColumns));
  if (dz.rows() != z.rows() || dz.cols() != z.cols())
    throw Error(fmt::format("dz is {} × {} and z is {} × {}", dz.rows(), dz.cols(), z.rows(), z.cols()));
  const double n = static_cast<double>(z.rows()), m = static_cast<double>(x.rows());
  const Index d = z.cols();
  double within = 0, between = 0, target = 0;
  for (Index i = 0; i < z.rows(); ++i) {
    T to_own[kMostColumns], to_other[kMostColumns];
    within += against<T>(z, i, z, to_own);
    between += against<T>(z, i, x, to_other);
    // ∂k(u, v)/∂u = −2 k (u − v) / d; a pair of z counts twice, once from each end.
    const double own = -4 * weight / (n * n * static_cast<double>(d)),
                 other = 4 * weight / (n * m * static_cast<double>(d));
    for (Index c = 0; c < d; ++c)
      dz.data()[c * dz.stride() + i] +=
          static_cast<T>(own * static_cast<double>(to_own[c]) + other * static_cast<double>(to_other[c]));
  }
  T unused[kMostColumns];
  for (Index i = 0; i < x.rows(); ++i) target += against<T>(x, i, x, unused);
  return weight * (within / (n * n) + target / (m * m) - 2 * between / (n * m));
}

template double mmd_and_slope<float>(ReadBatch<float>, ReadBatch<float>, BatchView<float>, double);
template double mmd_and_slope<double>(ReadBatch<double>, ReadBatch<double>, BatchView<double>, double);

}  // namespace plumbline
