// A multilayer perceptron as a predictor: a network of dense layers (network.h) trained by Adam (training.h) in float.
//
//   number        f(x) = m_y + s_y N((x − m) / s),   least squares
//   probability   f(x) = 1 / (1 + e^{−N((x − m) / s)}),   cross-entropy, y from 0 to 1
//
// N has the hidden layers asked for and one linear output; m and s are the means and standard deviations of the
// training rows, s = 1 for a constant column; 0 and 1 for inputs or an outcome that are to be taken as they are. The
// paper's predictor is the default with both taken as they are.
//
// The seed gives the initial parameters, the order of rows and the validation part: the same seed, the same bits.
//
// Error when shapes disagree, there are no rows or columns, a cell is not finite or, scaled, beyond a float, an outcome
// of a probability is not from 0 to 1, an option is out of range, or training diverges (training.h).
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "predict/predictor.h"
#include "predict/training.h"

namespace plumbline {

enum class Outcome { number, probability };

struct PerceptronOptions {
  std::vector<Eigen::Index> hidden = {64, 32, 16};  // outputs of each hidden layer, ≥ 1; empty: a linear model
  Activation activation = Activation::relu;         // of the hidden layers
  Outcome outcome = Outcome::number;
  bool standardize_inputs = true;
  bool standardize_outcome = true;  // of a number; a probability is taken as it is
  int epochs = 2000;                // ≥ 1
  Eigen::Index batch = 256;         // ≥ 1
  double learning_rate = 1e-4;      // > 0
  std::uint64_t seed = 0;
  double validation = 0;  // 0 ≤ share < 1 of the rows for early stopping; 0: none
  int patience = 50;      // ≥ 1; epochs without a lower validation loss after which training stops

  void check() const;  // throws Error naming the field
};

// How numbers of the user become numbers of the network: (x − means) / scales.
struct PerceptronScaling {
  Eigen::VectorXd means, scales;  // of the inputs
  double outcome_mean = 0, outcome_scale = 1;
};

class Perceptron final : public Predictor {
 public:
  Perceptron(Network network, Vector<float> parameters, PerceptronScaling scaling, Outcome outcome);

  Eigen::VectorXd predict(const Eigen::MatrixXd& x) const override;

  // The first layer's sums over features are taken once, and not once a group.
  Eigen::VectorXd averaged(const Eigen::MatrixXd& a, const Eigen::VectorXd& shares) const override;

  const Network& network() const { return network_; }
  const Vector<float>& parameters() const { return parameters_; }
  const PerceptronScaling& scaling() const { return scaling_; }
  Outcome outcome() const { return outcome_; }

  std::string to_json() const;  // sealed, exact
  static Perceptron from_json(std::string_view text);

 private:
  // What the network says, in the outcome's units.
  Eigen::VectorXd outcome_of(const Eigen::ArrayXd& out) const;

  Network network_;
  Vector<float> parameters_;
  PerceptronScaling scaling_;
  Outcome outcome_;
};

// The callback is told of each epoch; losses are of scaled outcomes.
Perceptron fit_perceptron(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const PerceptronOptions& options = {},
                          const EpochCallback& callback = {});

Learner perceptron_learner(const PerceptronOptions& options = {}, const EpochCallback& callback = {});

}  // namespace plumbline
