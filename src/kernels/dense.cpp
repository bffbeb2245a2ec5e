#include "kernels/lanes.h"
#include "kernels/network_functions.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

#if defined(__AVX512F__)
constexpr Size kOutputs = 6, kVectors = 4;
#else
constexpr Size kOutputs = 6, kVectors = 2;
#endif

template <class T>
constexpr T kNoFloor = -__builtin_inf();

constexpr Size kSumRows = 3, kSumCols = 4;  // of a block of dW
constexpr Size kSumGroup = 12;              // rows of dW that are summed in turn

template <class T>
inline Lanes<T> slope_at(Activation activation, const Lanes<T>& y) {
  switch (activation) {
    case Activation::relu:
      return y > 0 ? all<T>(1) : Lanes<T>{};
    case Activation::tanh:
      return 1 - y * y;
    case Activation::sigmoid:
      return y * (1 - y);
    default:
      return all<T>(1);
  }
}

// out_o[r] = f(bias_o + Σ_i w[o * next_output + i * next_input] x_i[r]). Where f is linear or relu, it is part of the
// product's last step: what is below `floor` becomes that.
template <class T>
struct Product {
  const T* w;
  Size next_output, next_input, inputs, outputs;
  const T* bias;  // null: zero
  T floor;
  const T* x;
  Size x_stride;
  T* out;
  Size out_stride;
};

template <class T, Size Outputs, Size Vectors>
void product_block(const Product<T>& p, Size o, Size r) {
  constexpr Size lanes = Of<T>::kCount;
  Lanes<T> total[Outputs][Vectors];
#pragma GCC unroll 8
  for (Size j = 0; j < Outputs; ++j)
#pragma GCC unroll 8
    for (Size v = 0; v < Vectors; ++v) total[j][v] = p.bias ? all<T>(p.bias[o + j]) : Lanes<T>{};
  const Lanes<T> floor = all<T>(p.floor);
  const T* w = p.w + o * p.next_output;
  const T* x = p.x + r;
  for (Size i = 0; i < p.inputs; ++i, w += p.next_input, x += p.x_stride) {
    Lanes<T> cells[Vectors];
#pragma GCC unroll 8
    for (Size v = 0; v < Vectors; ++v) cells[v] = load<T>(x + v * lanes);
#pragma GCC unroll 8
    for (Size j = 0; j < Outputs; ++j) {
      const Lanes<T> factor = all<T>(w[j * p.next_output]);
#pragma GCC unroll 8
      for (Size v = 0; v < Vectors; ++v) total[j][v] = fused(factor, cells[v], total[j][v]);
    }
  }
#pragma GCC unroll 8
  for (Size j = 0; j < Outputs; ++j)
#pragma GCC unroll 8
    for (Size v = 0; v < Vectors; ++v)
      store<T>(p.out + (o + j) * p.out_stride + r + v * lanes,
               total[j][v] < floor ? floor : total[j][v]);  // what is not a number stays so
}

template <class T, Size Vectors>
void product_panel(const Product<T>& p, Size r) {
  Size o = 0;
  for (; o + kOutputs <= p.outputs; o += kOutputs) product_block<T, kOutputs, Vectors>(p, o, r);
  switch (p.outputs - o) {
    case 1:
      return product_block<T, 1, Vectors>(p, o, r);
    case 2:
      return product_block<T, 2, Vectors>(p, o, r);
    case 3:
      return product_block<T, 3, Vectors>(p, o, r);
    case 4:
      return product_block<T, 4, Vectors>(p, o, r);
    case 5:
      return product_block<T, 5, Vectors>(p, o, r);
    default:
      return;
  }
}

struct AsItIs {
  template <class T>
  void operator()(T*, Size) const {}
};

// A panel of rows at a time: its x stays in the L1 cache while it meets all of w, and what comes out of it while `bend`
// goes over it, a column's cells and their number at a time.
template <class T, class Bend>
void product(const Product<T>& p, Size rows, const Bend& bend) {
  constexpr Size lanes = Of<T>::kCount;
  const auto bend_panel = [&](Size r, Size count) {
    for (Size o = 0; o < p.outputs; ++o) bend(p.out + o * p.out_stride + r, count);
  };
  Size r = 0;
  for (; r + kVectors * lanes <= rows; r += kVectors * lanes) {
    product_panel<T, kVectors>(p, r);
    bend_panel(r, kVectors * lanes);
  }
  for (; r < rows; r += lanes) {
    product_panel<T, 1>(p, r);
    bend_panel(r, lanes);
  }
}

template <class T>
struct BySigmoid {
  void operator()(T* y, Size count) const {
    for (Size r = 0; r < count; r += Of<T>::kCount) store<T>(y + r, sigmoid_of<T>(load<T>(y + r)));
  }
};

template <class T>
struct ByTanh {
  void operator()(T* y, Size count) const {
    for (Size r = 0; r < count; r += Of<T>::kCount) store<T>(y + r, tanh_of<T>(load<T>(y + r)));
  }
};

// Rows × Cols dot products over all rows of a batch, added to dW.
template <class T, Size Rows, Size Cols>
void sum_block(const NetworkBatch<const T>& dz, const NetworkBatch<const T>& x, T* dw, Size j0, Size i0) {
  constexpr Size lanes = Of<T>::kCount;
  Lanes<T> total[Rows][kSumCols] = {};
  const T* d = dz.cells + j0 * dz.stride;
  const T* in = x.cells + i0 * x.stride;
  Size r = 0;
  for (; r + lanes <= dz.rows; r += lanes) {
    Lanes<T> cells[Cols];
#pragma GCC unroll 8
    for (Size i = 0; i < Cols; ++i) cells[i] = load<T>(in + i * x.stride + r);
#pragma GCC unroll 8
    for (Size j = 0; j < Rows; ++j) {
      const Lanes<T> delta = load<T>(d + j * dz.stride + r);
#pragma GCC unroll 8
      for (Size i = 0; i < Cols; ++i) total[j][i] = fused(delta, cells[i], total[j][i]);
    }
  }
  if (r < dz.rows) {
#pragma GCC unroll 8
    for (Size j = 0; j < Rows; ++j)
#pragma GCC unroll 8
      for (Size i = 0; i < Cols; ++i)
        total[j][i] = fused(first_lanes<T>(load<T>(d + j * dz.stride + r), dz.rows - r),
                            first_lanes<T>(load<T>(in + i * x.stride + r), dz.rows - r), total[j][i]);
  }
#pragma GCC unroll 8
  for (Size j = 0; j < Rows; ++j) {
    T sums[kSumCols];
    sums_of_four(total[j][0], total[j][1], total[j][2], total[j][3], sums);
    for (Size i = 0; i < Cols; ++i) dw[(j0 + j) * x.cols + i0 + i] += sums[i];
  }
}

template <class T, Size Rows>
void sum_cols(const NetworkBatch<const T>& dz, const NetworkBatch<const T>& x, T* dw, Size j0, Size i0) {
  switch (smaller(x.cols - i0, kSumCols)) {
    case 1:
      return sum_block<T, Rows, 1>(dz, x, dw, j0, i0);
    case 2:
      return sum_block<T, Rows, 2>(dz, x, dw, j0, i0);
    case 3:
      return sum_block<T, Rows, 3>(dz, x, dw, j0, i0);
    default:
      return sum_block<T, Rows, kSumCols>(dz, x, dw, j0, i0);
  }
}

template <class T>
T sum_of_column(const T* d, Size rows) {
  constexpr Size lanes = Of<T>::kCount;
  Lanes<T> total = {};
  Size r = 0;
  for (; r + lanes <= rows; r += lanes) total += load<T>(d + r);
  if (r < rows) total += first_lanes<T>(load<T>(d + r), rows - r);
  return sum_of<T>(total);
}

}  // namespace

template <class T>
void dense_forward(const NetworkLayer<T>& layer, const NetworkBatch<const T>& x, const NetworkBatch<T>& y) {
  const T floor = layer.activation == Activation::relu ? T{0} : kNoFloor<T>;
  const Product<T> p = {layer.w, layer.inputs, 1,        layer.inputs, layer.outputs, layer.bias,
                        floor,   x.cells,      x.stride, y.cells,      y.stride};
  switch (layer.activation) {
    case Activation::sigmoid:
      return product(p, x.rows, BySigmoid<T>());
    case Activation::tanh:
      return product(p, x.rows, ByTanh<T>());
    default:
      return product(p, x.rows, AsItIs());
  }
}

template <class T>
void dense_to_inputs(const NetworkLayer<T>& layer, const NetworkBatch<const T>& dz, const NetworkBatch<T>& dx) {
  product<T>({layer.w, 1, layer.inputs, layer.outputs, layer.inputs, nullptr, kNoFloor<T>, dz.cells, dz.stride,
              dx.cells, dx.stride},
             dz.rows, AsItIs());
}

template <class T>
void dense_to_weights(const NetworkBatch<const T>& dz, const NetworkBatch<const T>& x, T* dw, T* dbias) {
  // A group of dz's columns stays in the L1 cache while all of x goes by.
  for (Size first = 0; first < dz.cols; first += kSumGroup)
    for (Size i = 0; i < x.cols; i += kSumCols)
      for (Size j = first, end = smaller(first + kSumGroup, dz.cols); j < end;) {
        const Size left = end - j;
        const Size take = left == 4 ? 2 : smaller(left, kSumRows);  // 2 + 2, and not 3 + 1: one row leaves too few sums
        if (take == 3) sum_cols<T, 3>(dz, x, dw, j, i);
        if (take == 2) sum_cols<T, 2>(dz, x, dw, j, i);
        if (take == 1) sum_cols<T, 1>(dz, x, dw, j, i);
        j += take;
      }
  for (Size j = 0; j < dz.cols; ++j) dbias[j] += sum_of_column<T>(dz.cells + j * dz.stride, dz.rows);
}

template <class T>
void dense_slope(Activation activation, const NetworkBatch<const T>& y, const NetworkBatch<T>& d) {
  for (Size j = 0; j < y.cols; ++j) {
    const T* from = y.cells + j * y.stride;
    T* to = d.cells + j * d.stride;
    for (Size r = 0; r < y.rows; r += Of<T>::kCount)
      store<T>(to + r, load<T>(to + r) * slope_at<T>(activation, load<T>(from + r)));
  }
}

#define PLUMBLINE_INSTANTIATE(T)                                                                                  \
  template void dense_forward<T>(const NetworkLayer<T>&, const NetworkBatch<const T>&, const NetworkBatch<T>&);   \
  template void dense_to_inputs<T>(const NetworkLayer<T>&, const NetworkBatch<const T>&, const NetworkBatch<T>&); \
  template void dense_to_weights<T>(const NetworkBatch<const T>&, const NetworkBatch<const T>&, T*, T*);          \
  template void dense_slope<T>(Activation, const NetworkBatch<const T>&, const NetworkBatch<T>&);
PLUMBLINE_INSTANTIATE(double)
PLUMBLINE_INSTANTIATE(float)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
