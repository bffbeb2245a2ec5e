// The hot loops of networks of dense layers (src/predict/network.h), for float and double.
//
// A batch holds `rows` rows, column by column, `stride` cells from one column to the next:  x[j * stride + r] = x_j[r].
// Each column has padded(rows) cells; those past `rows` may be overwritten and never find their way into another row
// or a sum. W(j, i) = w[j * inputs + i].
//
// clang-format off
//   forward      y_j[r] = f(bias_j + Σ_i W(j, i) x_i[r])
//   slope        d_j[r] *= f'(z),  f' taken from y = f(z)
//   to_inputs    dx_i[r] = Σ_j W(j, i) dz_j[r]
//   to_weights   dW(j, i) += Σ_r dz_j[r] x_i[r],   dbias_j += Σ_r dz_j[r]
//   squares      dy_j[r] = 2 scale (y_j[r] − t_j[r]);                  returns Σ (y − t)²
//   entropy      dy_j[r] = scale (y − t) / max(y (1 − y), 1e-12);      returns −Σ (t log y + (1 − t) log(1 − y)),
//                logarithms not below −100
//   logits       dy_j[r] = scale (p − t),  p = 1 / (1 + e^{−y});       returns Σ (log(1 + e^y) − t y)
//   adam         m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,   θ ← θ − rate m / (√v / root + ε)
//   gather       out_j[r] = x[chosen[r] * cols + j],  x row by row
//   gaussian_kernel  pull_j = Σ_r k_r (p_j − x_j[r]),  k_r = e^{−Σ_j (p_j − x_j[r])² / cols};    returns Σ_r k_r
// clang-format on
//
// Sums over columns and over rows are taken in one order, whatever the rows of a batch: a row's y and dx do not depend
// on the rows beside it.
//
// They are built apart from those of kernels.h, into the library that has networks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumbline::kernels {

inline constexpr std::ptrdiff_t kMostGaussianColumns = 64;

enum class Activation { linear, relu, tanh, sigmoid };

template <class T>
struct NetworkLayer {
  const T* w;     // outputs × inputs
  const T* bias;  // outputs
  std::ptrdiff_t inputs, outputs;
  Activation activation;
};

template <class T>
struct NetworkBatch {
  T* cells;
  std::ptrdiff_t rows, cols, stride;
};

struct AdamStep {
  double beta1, beta2, rate, root, epsilon;
};

template <class T>
struct NetworkFunctions {
  void (*forward)(const NetworkLayer<T>& layer, const NetworkBatch<const T>& x, const NetworkBatch<T>& y);
  void (*slope)(Activation activation, const NetworkBatch<const T>& y, const NetworkBatch<T>& d);
  void (*to_inputs)(const NetworkLayer<T>& layer, const NetworkBatch<const T>& dz, const NetworkBatch<T>& dx);
  void (*to_weights)(const NetworkBatch<const T>& dz, const NetworkBatch<const T>& x, T* dw, T* dbias);

  double (*squares)(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy);
  double (*entropy)(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy);
  double (*logits)(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                   const NetworkBatch<T>& dy);

  void (*adam)(const AdamStep& step, const T* gradient, std::ptrdiff_t size, T* m, T* v, T* parameters);
  void (*gather)(const T* x, const std::int32_t* chosen, const NetworkBatch<T>& out);
  double (*gaussian_kernel)(const T* point, const NetworkBatch<const T>& x, T* pull);
};

struct NetworkDispatch {
  NetworkFunctions<double> of_double;
  NetworkFunctions<float> of_float;
};

#if defined(__x86_64__)
extern const NetworkDispatch network_avx512;
extern const NetworkDispatch network_avx2;
#endif
extern const NetworkDispatch network_baseline;

struct Dispatch;                                           // kernels.h
const NetworkDispatch& network_of(const Dispatch& table);  // those of the same instruction set

}  // namespace plumbline::kernels
