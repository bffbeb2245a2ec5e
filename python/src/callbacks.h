// Python functions where the library asks for predictors and methods.
#pragma once

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "methods/continuous_method.h"
#include "methods/method.h"
#include "predict/predictor.h"

namespace plumbline::python {

namespace nb = nanobind;

// A function of Python that may be called, copied and let go of by threads that do not hold the GIL.
class Callback {
 public:
  explicit Callback(nb::object function) : function_(new nb::object(std::move(function)), let_go) {}

  template <class... Arguments>
  Eigen::VectorXd operator()(const Arguments&... arguments) const {
    const nb::gil_scoped_acquire lock;
    return nb::cast<Eigen::VectorXd>((*function_)(arguments...));
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
