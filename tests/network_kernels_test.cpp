// Every instruction set that this machine can run computes what network.h of the kernels says, whatever the shape.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/kernels.h"
#include "kernels/network.h"
#include "predict/batch.h"
#include "random_data.h"

namespace plumbline::kernels {
namespace {

using testing::MatrixXd;
using testing::Random;

class NetworkKernels : public ::testing::TestWithParam<const Dispatch*> {
 protected:
  template <class T>
  const NetworkFunctions<T>& kernel() const {
    if constexpr (std::is_same_v<T, float>)
      return network_of(*GetParam()).of_float;
    else
      return network_of(*GetParam()).of_double;
  }

  // The cells, and rows of what is not a number below them.
  template <class T>
  static Batch<T> batch_of(const MatrixXd& cells) {
    Batch<T> out(cells.rows() + 9, cells.cols());
    out.matrix().setConstant(std::numeric_limits<T>::quiet_NaN());
    out.set_rows(cells.rows());
    out.matrix() = cells.cast<T>();
    return out;
  }

  template <class T>
  static MatrixXd rounded(const MatrixXd& x) {
    return x.cast<T>().template cast<double>();
  }

  template <class T>
  static void expect_near(const Batch<T>& found, const MatrixXd& expected, double scale = 1) {
    EXPECT_LE((found.matrix().template cast<double>() - expected).cwiseAbs().maxCoeff(),
              200 * scale * std::numeric_limits<T>::epsilon());
  }

  template <class T>
  void products(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
      const Index rows = random.integer(1, 150), inputs = random.integer(1, 20), outputs = random.integer(1, 20);
      const MatrixXd x = rounded<T>(random.matrix(rows, inputs)), dz = rounded<T>(random.matrix(rows, outputs));
      const MatrixXd w = rounded<T>(random.matrix(outputs, inputs)), bias = rounded<T>(random.matrix(outputs, 1));
      const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> cells = w.cast<T>();
      const Eigen::Matrix<T, Eigen::Dynamic, 1> biases = bias.cast<T>();
      const NetworkLayer<T> layer = {cells.data(), biases.data(), inputs, outputs, Activation::linear};
      const Batch<T> in = batch_of<T>(x), slopes = batch_of<T>(dz);

      Batch<T> y = batch_of<T>(dz), dx = batch_of<T>(x);
      kernel<T>().forward(layer, in.view().for_kernels(), y.view().for_kernels());
      expect_near(y, (x * w.transpose()).rowwise() + bias.col(0).transpose());
      kernel<T>().to_inputs(layer, slopes.view().for_kernels(), dx.view().for_kernels());
      expect_near(dx, dz * w);

      Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> dw = cells;
      Eigen::Matrix<T, Eigen::Dynamic, 1> dbias = biases;
      kernel<T>().to_weights(slopes.view().for_kernels(), in.view().for_kernels(), dw.data(), dbias.data());
      const double bound = 200 * std::numeric_limits<T>::epsilon();
      EXPECT_LE((dw.template cast<double>() - w - dz.transpose() * x).cwiseAbs().maxCoeff(), bound);
      EXPECT_LE((dbias.template cast<double>() - bias - dz.colwise().sum().transpose()).cwiseAbs().maxCoeff(), bound);
    }
  }

  template <class T>
  void activations(unsigned seed) {
    Random random(seed);
    const Index rows = 301;
    MatrixXd x(rows, 1);
    for (Index i = 0; i < rows; ++i) x(i, 0) = random.normal() * std::pow(10, random.uniform(-6, 2));
    x.topRows(6) << 0, -0.0, 1e30, -1e30, 0.625, -0.625;
    x = rounded<T>(x);
    const T one = 1, zero = 0;
    for (const Activation activation : {Activation::linear, Activation::relu, Activation::tanh, Activation::sigmoid}) {
      Batch<T> y = batch_of<T>(x), d = batch_of<T>(MatrixXd::Ones(rows, 1));
      const Batch<T> in = y;
      kernel<T>().forward({&one, &zero, 1, 1, activation}, in.view().for_kernels(), y.view().for_kernels());
      kernel<T>().slope(activation, std::as_const(y).view().for_kernels(), d.view().for_kernels());
      for (Index i = 0; i < rows; ++i) {
        const long double z = x(i, 0), half = std::tanh(z), p = 1 / (1 + std::exp(-z));
        const bool relu = activation == Activation::relu, sigmoid = activation == Activation::sigmoid;
        const long double f = relu ? std::max(z, 0.0L) : activation == Activation::tanh ? half : sigmoid ? p : z;
        const long double slope = relu                             ? (z > 0 ? 1 : 0)
                                  : activation == Activation::tanh ? 1 - half * half
                                  : sigmoid                        ? p * (1 - p)
                                                                   : 1;
        const long double off = std::abs(static_cast<long double>(y.matrix()(i, 0)) - f);
        EXPECT_LE(off, 8 * std::numeric_limits<T>::epsilon() * std::abs(f) + 2 * std::numeric_limits<T>::min()) << z;
        EXPECT_NEAR(d.matrix()(i, 0), static_cast<double>(slope), 8 * std::numeric_limits<T>::epsilon()) << z;
      }
    }
  }

  // For rows that fill the last register and rows that do not; what lies behind them is not read.
  template <class T>
  void affinities(unsigned seed) {
    Random random(seed);
    for (const Index rows : {1, 7, 8, 16, 33, 512}) {
      const Index cols = random.integer(1, 6);
      Batch<T> x(rows, cols);
      x.view().matrix() = random.matrix(rows, cols).template cast<T>();
      for (Index j = 0; j < cols; ++j)
        for (Index i = rows; i < x.view().stride(); ++i)
          x.view().data()[j * x.view().stride() + i] = std::numeric_limits<T>::quiet_NaN();
      const testing::MatrixXd point = random.matrix(1, cols).template cast<T>().template cast<double>();
      std::vector<T> at, pull(static_cast<std::size_t>(cols));
      for (const double cell : point.row(0)) at.push_back(static_cast<T>(cell));
      const double sum = kernel<T>().gaussian_kernel(at.data(), std::as_const(x).view().for_kernels(), pull.data());
      const testing::MatrixXd off = (-x.matrix().template cast<double>()).rowwise() + point.row(0);
      const testing::VectorXd k = (-off.rowwise().squaredNorm().array() / static_cast<double>(cols)).exp();
      const double tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(rows);
      EXPECT_NEAR(sum, k.sum(), tolerance) << rows;
      for (Index j = 0; j < cols; ++j)
        EXPECT_NEAR(static_cast<double>(pull[static_cast<std::size_t>(j)]), k.dot(off.col(j)), tolerance) << rows;
    }
  }

  template <class T>
  void gathers(unsigned seed) {
    Random random(seed);
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x = random.matrix(70, 3).cast<T>();
    Batch<T> out(33, 3);
    std::vector<std::int32_t> chosen;
    for (int i = 0; i < 33; ++i) chosen.push_back(static_cast<std::int32_t>(random.integer(0, 69)));
    kernel<T>().gather(x.data(), chosen.data(), out.view().for_kernels());
    for (Index i = 0; i < 33; ++i) EXPECT_TRUE((out.matrix().row(i).array() == x.row(chosen[i]).array()).all());
  }
};

TEST_P(NetworkKernels, ProductsAreThoseOfMatrices) {
  products<double>(1);
  products<float>(2);
}

TEST_P(NetworkKernels, ActivationsAndSlopesAreRightToAFewUnitsInTheLastPlace) {
  activations<double>(3);
  activations<float>(4);
}

TEST_P(NetworkKernels, AffinitiesAreSumsOverRows) {
  affinities<double>(7);
  affinities<float>(8);
}

TEST_P(NetworkKernels, GatherTakesTheChosenRows) {
  gathers<double>(5);
  gathers<float>(6);
}

INSTANTIATE_TEST_SUITE_P(Isa, NetworkKernels,
                         ::testing::ValuesIn(available().dispatches, available().dispatches + available().count),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace plumbline::kernels
