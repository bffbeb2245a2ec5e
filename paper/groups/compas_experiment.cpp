// The paper's comparison on COMPAS, and its table of ranks.
#include "paper/datasets/compas_data.h"
#include "paper/groups/comparison.h"

namespace plumbline {
namespace {

class Compas : public LoadedExperiment {
 public:
  explicit Compas(const DataSource& source) : data_(read_compas(source)) {}

  RunResult run(const RunOptions& options) const override {
    const Parts parts = split_sample(data_.people, options.seed);
    return compare(candidates(parts.training), {.parts = parts}, options);
  }

  int steps() const override { return steps_of(candidates(data_.people)); }

  std::vector<std::string> warnings() const override { return data_.warnings; }

 protected:
  virtual Candidates candidates(const Sample& training) const {
    Candidates list;
    add_baselines(list, Protocol::published, training);
    for (const Index rank : {2, 3, 4, 5}) add_published_ob(list, training, rank);
    add_recentred(list, training);
    add_baselines(list, Protocol::sound, training);
    add_sound_ob(list, training, 5);
    return list;
  }

 private:
  CompasData data_;
};

class CompasRanks final : public Compas {
 public:
  using Compas::Compas;

 protected:
  Candidates candidates(const Sample& training) const override {
    Candidates list;
    for (Index rank = 1; rank <= 5; ++rank) add_published_ob(list, training, rank);
    for (Index rank = 1; rank <= 5; ++rank) add_sound_ob(list, training, rank);
    return list;
  }
};

template <class Loaded>
std::unique_ptr<const LoadedExperiment> load(const DataSource& source) {
  return std::make_unique<Loaded>(source);
}

}  // namespace

constinit const Experiment kCompasExperiment = {
    .name = "compas",
    .title = "COMPAS",
    .text =
        "Will a defendant be charged again within two years? 6,787 defendants (African-American, Caucasian, "
        "Hispanic), five features, six groups of race and sex; three quarters to train on, one quarter to test. "
        "Features are standardised and turned to their principal axes on all rows. Sound: fitted on the training "
        "part alone, OB at rank 5.",
    .load = load<Compas>};

constinit const Experiment kSensitivityCompasExperiment = {
    .name = "sensitivity-compas",
    .title = "COMPAS by rank",
    .text = "OB on COMPAS for every rank k. Sound: fitted on the training part alone, with the optimal basis.",
    .load = load<CompasRanks>};

}  // namespace plumbline
