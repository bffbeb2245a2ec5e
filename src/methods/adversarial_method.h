// The paper's Adv: a perceptron f of (a, b) that is punished for telling a row from its counterfactuals, which a
// generator (adversarial_vae.h) makes up.
//
//   mean (f(a, b) − y)² + λ mean over draws b' of (f(â(z, b'), b') − f(â(z, b), b))²,     b' ~ U(min b, max b)
//
// z: of the row, inferred with its own b and y. `draws` are drawn anew for each row of each mini-batch, so that more of
// them make the same thing smoother; λ = 0 is ML. Adam, mini-batches, in the generator's units, f with hidden layers of
// relu. The result has the same bits for any number of threads; one alone allocates nothing from the first step to the
// last.
//
// Error when an option is out of range, shapes disagree, training diverges (predict/training.h), or a document is cut,
// edited or newer (base/json.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "methods/adversarial_vae.h"
#include "methods/continuous_method.h"
#include "predict/training.h"

namespace plumbline {

struct AdversarialOptions {
  double penalty = 0.1;                             // λ ≥ 0
  int draws = 20;                                   // b' for each row of a batch, from 1 to 1,000
  std::vector<Eigen::Index> hidden = {64, 32, 16};  // ≥ 1
  int epochs = 2000;                                // ≥ 1
  Eigen::Index batch = 256;                         // ≥ 1
  double learning_rate = 1e-4;                      // > 0
  std::uint64_t seed = 0;
  int threads = 0;  // 0: one a core, or as many as OMP_NUM_THREADS says; more than four are not of use

  void check() const;  // throws Error naming the field
};

class AdversarialMethod final : public ContinuousMethod {
 public:
  AdversarialMethod(Network network, Vector<float> parameters, VaeScaling scaling)
      : network_(std::move(network)), parameters_(std::move(parameters)), scaling_(std::move(scaling)) {}

  Eigen::VectorXd predict(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const override;
  std::vector<std::string> warnings() const override { return {}; }

  std::string to_json() const;  // sealed, exact
  static AdversarialMethod from_json(std::string_view text);

 private:
  Network network_;  // (a, b) to y, scaled
  Vector<float> parameters_;
  VaeScaling scaling_;
};

// The generator was fitted to `training`. The callback is told of each epoch, whose loss is the whole sum.
std::unique_ptr<const AdversarialMethod> fit_adversarial(const ContinuousSample& training,
                                                         const AdversarialVae& generator,
                                                         const AdversarialOptions& options = {},
                                                         const EpochCallback& callback = {});

}  // namespace plumbline
