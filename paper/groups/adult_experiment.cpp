// The paper's comparison on Adult.
#include "paper/datasets/adult_data.h"
#include "paper/groups/comparison.h"
#include "paper/reproduction/published_ob.h"

namespace plumbline {
namespace {

constexpr int kStarts = 10;
constexpr Index kPublishedRank = 2;

void add_published_sob(Candidates& list, const Sample& training, std::uint32_t seed) {
  for (const auto& [name, use] : {std::pair{"SOB_1", Use::averaged}, {"SOB_2", Use::alone}})
    list.push_back({Protocol::published, name, kPublishedRank,
                    [use = use, seed, &training](const LogisticOptions& logistic, int start) {
                      const published::BatchSobOptions options{
                          .rank = kPublishedRank, .seed = std::uint64_t{seed} * kStarts + static_cast<unsigned>(start)};
                      return published::fit_sob_on_every_batch(training, logistic, use, options);
                    },
                    kStarts});
}

void add_sound_sob(Candidates& list, const Sample& training, Index rank) {
  for (const std::string name : {"SOB_1", "SOB_2"})
    list.push_back(
        {Protocol::sound, name + "[onehot]", rank, [name, rank, &training](const LogisticOptions& logistic, int) {
           const MethodOptions options{
               .learner = logistic_learner(logistic), .rank = Rank::count(rank), .standardize = false};
           return fit_method(name, training, options);
         }});
}

class Adult final : public LoadedExperiment {
 public:
  explicit Adult(const DataSource& source) : data_(read_adult(source)) {}

  RunResult run(const RunOptions& options) const override {
    const Trial trial{.parts = data_.parts, .published_outcome = &data_.published_outcome};
    return compare(candidates(options.seed), trial, options);
  }

  int steps() const override { return steps_of(candidates(0)); }
  std::vector<std::string> warnings() const override { return data_.warnings; }

 private:
  Candidates candidates(std::uint32_t seed) const {
    const Sample& training = data_.parts.training;
    const Index features = training.a.cols();
    Candidates list;
    add_baselines(list, Protocol::published, training);
    add_published_sob(list, training, seed);
    add_recentred(list, training);
    add_baselines(list, Protocol::sound, training);
    add_sound_ob(list, training, features);
    add_sound_sob(list, training, features);
    return list;
  }

  AdultData data_;
};

std::unique_ptr<const LoadedExperiment> load(const DataSource& source) { return std::make_unique<Adult>(source); }

}  // namespace

constinit const Experiment kAdultExperiment = {
    .name = "adult",
    .title = "Adult",
    .text =
        "Does a person earn over $50K a year? 32,561 people to train on and 16,281 to test, twelve features, ten "
        "groups of race and sex. Categories are numbered in alphabetical order, features standardised and turned to "
        "their principal axes on the training part. The parts are the published ones, so that the seed moves the "
        "starts of SOB alone and there is nothing to repeat.",
    .is_split = false,
    .load = load};

}  // namespace plumbline
