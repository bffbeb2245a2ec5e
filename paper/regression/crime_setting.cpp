#include <fmt/format.h>

#include "paper/datasets/crime_data.h"
#include "paper/regression/regression_setting.h"

namespace plumbline {
namespace {

constexpr int kFolds = 10, kPublishedFold = 1, kSoundAdversarialEpochs = 300;
constexpr Index kRank = 20;

int fold_of(Protocol protocol, std::uint32_t seed) {
  return protocol == Protocol::published ? kPublishedFold : 1 + static_cast<int>(seed % kFolds);
}

class CrimeSetting final : public RegressionSetting {
 public:
  explicit CrimeSetting(const DataSource& source) : data_(read_crime(source)) {}

  RegressionTrial trial(Protocol protocol, std::uint32_t seed) const override {
    const int fold = fold_of(protocol, seed);
    ContinuousParts parts = split_crime(data_, fold);
    RegressionTrial out{.name = fmt::format("crime, fold {}", fold),
                        .training = std::move(parts.training),
                        .test = std::move(parts.test)};
    out.generator.seed = seed;
    if (parts.outside > 0)
      out.warnings.push_back(fmt::format("fold {}: b of {} of {} test rows is outside of the training range", fold,
                                         parts.outside, out.test.rows()));
    return out;
  }

  bool shares_trial(std::uint32_t seed) const override { return fold_of(Protocol::sound, seed) == kPublishedFold; }

  PerceptronOptions network(Protocol protocol, std::uint32_t seed) const override {
    return protocol == Protocol::published ? published_perceptron(seed) : sound_perceptron(seed);
  }

  AdversarialOptions adversarial(Protocol protocol, std::uint32_t seed) const override {
    AdversarialOptions options{.draws = kAdversarialDraws, .seed = seed};
    if (protocol == Protocol::sound) options.epochs = kSoundAdversarialEpochs, options.learning_rate = kSoundRate;
    return options;
  }

  Index rank() const override { return kRank; }
  std::vector<std::string> warnings() const override { return data_.warnings; }

 private:
  CrimeData data_;
};

}  // namespace

SharedSetting crime_setting(const DataSource& source) { return std::make_shared<CrimeSetting>(source); }

}  // namespace plumbline
