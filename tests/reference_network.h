// What network.h, loss.h and mmd.h say, cell by cell in long double, and derivatives of it by central differences.
#pragma once

#include <cmath>
#include <limits>

#include "predict/loss.h"
#include "predict/network.h"
#include "random_data.h"

namespace plumbline::testing {

using WideMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using WideVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

inline long double activated(Activation activation, long double z) {
  if (activation == Activation::relu) return z > 0 ? z : 0;
  if (activation == Activation::tanh) return std::tanh(z);
  if (activation == Activation::sigmoid) return 1 / (1 + std::exp(-z));
  return z;
}

struct ReferenceForward {
  WideMatrix y;
  long double nearest_kink = std::numeric_limits<long double>::infinity();  // min |z| of all relu cells
};

inline ReferenceForward reference_forward(const Network& network, const WideVector& parameters, const WideMatrix& x) {
  ReferenceForward out{x};
  Index at = 0;
  for (const Layer& layer : network.layers()) {
    WideMatrix z(x.rows(), layer.outputs);
    const Index inputs = out.y.cols(), biases = at + inputs * layer.outputs;
    for (Index r = 0; r < x.rows(); ++r)
      for (Index j = 0; j < layer.outputs; ++j) {
        z(r, j) = parameters[biases + j];
        for (Index i = 0; i < inputs; ++i) z(r, j) += parameters[at + j * inputs + i] * out.y(r, i);
      }
    if (layer.activation == Activation::relu) out.nearest_kink = std::min(out.nearest_kink, z.cwiseAbs().minCoeff());
    out.y = z.unaryExpr([&](long double cell) { return activated(layer.activation, cell); });
    at = biases + layer.outputs;
  }
  return out;
}

inline long double reference_loss(Loss loss, const WideMatrix& y, const WideMatrix& t) {
  long double sum = 0;
  for (Index r = 0; r < y.rows(); ++r)
    for (Index j = 0; j < y.cols(); ++j) {
      const long double at = y(r, j), target = t(r, j);
      if (loss == Loss::mse) sum += (at - target) * (at - target);
      if (loss == Loss::bce)
        sum -= target * std::max(std::log(at), -100.0L) + (1 - target) * std::max(std::log1p(-at), -100.0L);
      if (loss == Loss::bce_logits) sum += std::log1p(std::exp(at)) - target * at;
    }
  return sum / static_cast<long double>(y.size());
}

inline long double reference_mmd(const WideMatrix& z, const WideMatrix& x) {
  const auto mean = [](const WideMatrix& u, const WideMatrix& v) {
    long double sum = 0;
    for (Index i = 0; i < u.rows(); ++i)
      for (Index j = 0; j < v.rows(); ++j)
        sum += std::exp(-(u.row(i) - v.row(j)).squaredNorm() / static_cast<long double>(u.cols()));
    return sum / static_cast<long double>(u.rows() * v.rows());
  };
  return mean(z, z) + mean(x, x) - 2 * mean(z, x);
}

// ∂ f(x) for every cell of x.
template <class Matrix, class Function>
Matrix central_differences(Matrix x, const Function& f) {
  constexpr long double kStep = 1e-6L;
  Matrix out = x;
  for (Index i = 0; i < x.size(); ++i) {
    const long double at = x.data()[i];
    x.data()[i] = at + kStep;
    const long double above = f(x);
    x.data()[i] = at - kStep;
    out.data()[i] = (above - f(x)) / (2 * kStep);
    x.data()[i] = at;
  }
  return out;
}

// How near derivatives are to central differences, relative to the largest.
template <class T>
inline constexpr double kGradientTolerance = sizeof(T) == 4 ? 1e-4 : 1e-7;

// Numbers that float holds, so that float, double and long double start from the same.
inline WideMatrix exact_in_float(const MatrixXd& m) { return m.cast<float>().cast<long double>(); }

// max |a − b| / max |b|
template <class Found, class Expected>
double relative_error(const Found& found, const Expected& expected) {
  const long double largest = expected.cwiseAbs().maxCoeff();
  const long double off = (found.template cast<long double>() - expected).cwiseAbs().maxCoeff();
  return static_cast<double>(largest > 0 ? off / largest : off);
}

// A batch of those cells, in the middle columns of one that is larger, with the rest of it not a number.
template <class T>
struct Surrounded {
  Surrounded(const WideMatrix& cells, Index more_rows) : all(cells.rows() + more_rows, cells.cols() + 2) {
    all.matrix().setConstant(std::numeric_limits<T>::quiet_NaN());
    all.set_rows(cells.rows());
    view().matrix() = cells.cast<T>();
  }
  BatchView<T> view() { return all.view().columns(1, all.cols() - 2); }
  Batch<T> all;
};

}  // namespace plumbline::testing
