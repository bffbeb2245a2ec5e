// Where the methods for numbers are compared: data in two parts, and how networks are trained on them.
//
//   Crime       1,994 communities, 121 features (crime_data.h). As published: the first of ten folds is the test part
//               of every run; sound: fold 1 + seed mod 10.
//   insurance   10,000 simulated rows of the seed, four features (insurance.h), three quarters to train on and 500 of
//               the others to test; a scaled to [0, 1] and y to mean 0 and standard deviation 1 by the training part.
//               The exact counterfactuals are known.
//
//   as published   2,000 epochs of Crime at a rate of 1e-4 on inputs as they are. Print does not give the rows of
//                  insurance, but a training that takes half of the time of Crime's: 270 epochs, half of its steps.
//   sound          at a rate of 1e-3 on standardised inputs, until a tenth of the rows, kept apart, are predicted no
//                  better for 100 epochs of Crime, 30 of insurance; Adv, which keeps none apart, for 300 and 100
//                  epochs, which were chosen for time
//
// Adv draws 2 b' for each row of each batch. The paper draws 20; the slope that a step follows is the same on average,
// for draws are new in each step, and a fifth of the rows go through the network.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "paper/datasets/published_table.h"
#include "paper/regression/regression_comparison.h"

namespace plumbline {

class RegressionSetting {
 public:
  RegressionSetting() = default;
  RegressionSetting(const RegressionSetting&) = delete;
  RegressionSetting& operator=(const RegressionSetting&) = delete;
  virtual ~RegressionSetting() = default;

  virtual RegressionTrial trial(Protocol protocol, std::uint32_t seed) const = 0;
  virtual bool shares_trial(std::uint32_t seed) const = 0;  // whether both protocols have the same
  virtual PerceptronOptions network(Protocol protocol, std::uint32_t seed) const = 0;
  virtual AdversarialOptions adversarial(Protocol protocol, std::uint32_t seed) const = 0;
  virtual Index rank() const = 0;  // the paper's k
  virtual std::vector<std::string> warnings() const { return {}; }
};

using SharedSetting = std::shared_ptr<const RegressionSetting>;
SharedSetting crime_setting(const DataSource& source);
SharedSetting insurance_setting();

// With a least-squares predictor, fitted to n rows of the seed for several n: CF_exact@n of FTU, OB and SOB, named
// FTU[linear] and so on, for b' uniform within three standard deviations of the mean of b, whatever n; mean and
// standard deviation over 8 samples of n rows. `step` is called after each n.
inline constexpr std::array<Index, 4> kGapRows = {2'000, 10'000, 50'000, 200'000};
std::vector<Measured> insurance_gaps(
    std::uint32_t seed, const std::function<void()>& step = [] {});

}  // namespace plumbline
