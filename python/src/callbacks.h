// Python functions where the library asks for predictors and methods.
#pragma once

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "methods/continuous_method.h"
#include "methods/method.h"
#include "plumbline/error.h"
#include "predict/predictor.h"

namespace plumbline::python {

namespace nb = nanobind;

// A function of Python that may be called, copied and let go of by threads that do not hold the GIL.
class Callback {
 public:
  explicit Callback(nb::object function) : function_(new nb::object(std::move(function)), let_go) {}

  // One number for each row of a; throws Error for anything else, which would be read past its end.
  template <class... Sensitive>
  Eigen::VectorXd operator()(const Eigen::MatrixXd& a, const Sensitive&... sensitive) const {
    const nb::gil_scoped_acquire lock;
    Eigen::VectorXd said;
    if (!nb::try_cast((*function_)(a, sensitive...), said))
      throw Error("a predictor's answer is not an array of numbers with one dimension");
    if (said.size() != a.rows())
      throw Error(
          fmt::format("a predictor gave {} numbers for {} rows; it must give one for each", said.size(), a.rows()));
    return said;
  }

 private:
  static void let_go(nb::object* function) {
    const nb::gil_scoped_acquire lock;
    delete function;
  }

  std::shared_ptr<nb::object> function_;
};

class PythonPredictor final : public Predictor {
 public:
  explicit PythonPredictor(nb::object predict) : predict_(std::move(predict)) {}
  Eigen::VectorXd predict(const Eigen::MatrixXd& x) const override { return predict_(x); }

 private:
  Callback predict_;
};

class PythonMethod final : public FittedMethod {
 public:
  explicit PythonMethod(nb::object predict) : predict_(std::move(predict)) {}
  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::VectorXi& s) const override { return predict_(a, s); }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  Callback predict_;
};

class PythonContinuousMethod final : public ContinuousMethod {
 public:
  explicit PythonContinuousMethod(nb::object predict) : predict_(std::move(predict)) {}
  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const override { return predict_(a, b); }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  Callback predict_;
};

}  // namespace plumbline::python
