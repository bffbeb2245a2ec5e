// A variational autoencoder whose latent z does not tell b, and what a row would look like with another b: the
// generator of adversarial learning for counterfactual fairness (Grari et al. 2020), as the paper's Adv uses it.
//
//   encoder     (a, b, y) → hidden → (μ, log σ²),   z = μ + σ ε,   ε ~ N(0, I)
//   decoder     (z, b) → hidden → â = sigmoid(·), ŷ
//   adversary   z → hidden → b̂
//
//   encoder and decoder make small   BCE(â, a) + MSE(ŷ, y) + MMD²(z, N(0, I)) − β MSE(b̂, b)
//   adversary makes small            MSE(b̂, b)
//
// each loss a mean over cells (predict/loss.h, predict/mmd.h), in mini-batches by Adam. Before each step of the others
// the adversary takes `adversary_steps` on the z of that batch, in the first epoch `first_adversary_steps`.
//
// Inside, a and b are scaled to [0, 1] by the training rows, later cells beyond clipped for a alone, and y to mean 0
// and standard deviation 1. A row's z is its μ, inferred with its own b and y; decoding takes b'. Features come back in
// units of a.
//
// All follows from the seed; one training uses one thread, and allocates nothing from its first step to its last. Error
// when a sample does not pass its check, an option is out of range, training diverges (training.h), or a document is
// cut, edited or newer (base/json.h).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "methods/continuous_sample.h"
#include "predict/network.h"

namespace plumbline {

struct VaeOptions {
  std::vector<Eigen::Index> encoder = {128, 64, 32};  // outputs of hidden layers, relu, ≥ 1
  std::vector<Eigen::Index> decoder = {60};
  std::vector<Layer> adversary = {{32, Activation::tanh}, {16, Activation::relu}};
  Eigen::Index latent = 5;          // from 1 to 64
  double adversary_weight = 100;    // β ≥ 0
  int epochs = 100;                 // ≥ 1
  Eigen::Index batch = 512;         // ≥ 1
  double learning_rate = 1e-3;      // > 0, of all three
  int adversary_steps = 50;         // ≥ 0
  int first_adversary_steps = 300;  // ≥ 0
  std::uint64_t seed = 0;

  void check() const;  // throws Error naming the field
};

struct VaeEpoch {
  int number = 0;                                               // 1, 2, …
  double features = 0, outcome = 0, latent = 0, adversary = 0;  // means of the four losses over the steps
};

// How rows become numbers of the networks: (a − low) / width, clipped to [0, 1], the same of b without clipping, and
// (y − mean) / sd.
struct VaeScaling {
  VaeScaling() = default;
  explicit VaeScaling(const ContinuousSample& training);

  Eigen::MatrixXf of_a(const Eigen::MatrixXd& a) const;
  Eigen::MatrixXf of_b(const Eigen::MatrixXd& b) const;
  Eigen::VectorXf of_y(const Eigen::VectorXd& y) const;
  Eigen::MatrixXd to_a(const Eigen::MatrixXf& scaled) const;  // the way back

  Eigen::RowVectorXd a_low, a_width, b_low, b_width;
  double y_mean = 0, y_sd = 1;
};

class AdversarialVae {
 public:
  // The callback is told of each epoch; when it returns false, training stops there.
  AdversarialVae(const ContinuousSample& training, const VaeOptions& options = {},
                 const std::function<bool(const VaeEpoch&)>& callback = {});

  // Throws Error unless rows are sound and have the columns that it was fitted to.
  void check(const ContinuousSample& rows) const;

  // n × latent.
  Eigen::MatrixXd infer(const ContinuousSample& rows) const;

  // The features of rows with these z, had their b been these; n × q.
  Eigen::MatrixXd decode(const Eigen::MatrixXd& z, const Eigen::MatrixXd& b) const;

  std::string to_json() const;  // sealed, exact
  static AdversarialVae from_json(std::string_view text);

  const VaeEpoch& last() const { return last_; }
  const VaeScaling& scaling() const { return scaling_; }
  const Network& decoder() const { return decoder_; }  // (z, b) to scaled features, and a last output that says nothing
  const Vector<float>& decoder_parameters() const { return decoder_parameters_; }

 private:
  class Trainer;

  AdversarialVae(VaeScaling scaling, Network encoder, Vector<float> encoder_parameters, Network decoder,
                 Vector<float> decoder_parameters, const VaeEpoch& last)
      : scaling_(std::move(scaling)),
        latent_(encoder.outputs() / 2),
        encoder_(std::move(encoder)),
        decoder_(std::move(decoder)),
        encoder_parameters_(std::move(encoder_parameters)),
        decoder_parameters_(std::move(decoder_parameters)),
        last_(last) {}

  Eigen::MatrixXf inputs_of(const ContinuousSample& rows) const;  // of the encoder

  VaeScaling scaling_;
  Eigen::Index latent_;
  Network encoder_, decoder_;  // the decoder's outputs are sigmoids; it is trained by their logits
  Vector<float> encoder_parameters_, decoder_parameters_;
  VaeEpoch last_;
};

}  // namespace plumbline
