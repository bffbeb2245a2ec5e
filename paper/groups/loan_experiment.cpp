// The paper's comparison on simulated loan decisions, whose exact counterfactuals are known.
#include "paper/datasets/loan.h"
#include "paper/groups/comparison.h"

namespace plumbline {
namespace {

constexpr Index kRows = 20'000;
constexpr int kGroups = 3;
constexpr Index kRank = 2;

Eigen::MatrixXd features_of(const LoanRows& rows) {
  Eigen::MatrixXd a(rows.education.size(), 2);
  a << rows.education, rows.income;
  return a;
}

class Loan final : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    const LoanGenerator generator({.seed = options.seed});
    const LoanRows rows = generator.rows(0, kRows);
    const Sample people{features_of(rows), rows.group, rows.approved.cast<double>(), kGroups};
    const Split split = numpy_split(options.seed, kRows);
    const Parts parts{rows_of(people, split.train), rows_of(people, split.test)};
    std::vector<Eigen::MatrixXd> exact;
    for (int g = 0; g < kGroups; ++g)
      exact.emplace_back(features_of(generator.counterfactual(rows, g))(split.test, Eigen::all));
    return compare(candidates(parts.training), {.parts = parts, .exact = &exact}, options);
  }

  int steps() const override { return steps_of(candidates({})); }

 private:
  static Candidates candidates(const Sample& training) {
    Candidates list;
    add_baselines(list, Protocol::published, training);
    add_published_ob(list, training, kRank);
    add_recentred(list, training);
    add_baselines(list, Protocol::sound, training);
    add_fair_learning(list, training);
    add_sound_ob(list, training, kRank);
    return list;
  }
};

std::unique_ptr<const LoadedExperiment> load(const DataSource&) { return std::make_unique<Loan>(); }

}  // namespace

constinit const Experiment kLoanExperiment = {
    .name = "loan",
    .title = "Synthetic loan",
    .text =
        "Is a loan approved? 20,000 simulated applicants of three groups, with education and income; three quarters "
        "to train on, one quarter to test; the seed moves both the applicants and the split. The causal model is "
        "known, so CF_exact, the gap between groups for the same noises, stands beside the estimate CF.",
    .load = load};

}  // namespace plumbline
