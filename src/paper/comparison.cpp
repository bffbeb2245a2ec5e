#include "paper/comparison.h"

#include <cmath>

#include "metrics/accuracy.h"
#include "metrics/counterfactual.h"
#include "paper/published_ob.h"
#include "parallel/ordered.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;

constexpr int kResamples = 500;
const std::vector<std::string> kMetrics = {"ACC", "AUC", "CF", "EO", "AA"};

// What a fitted method says of the test rows, as they are and as they would be in other groups.
class Judged {
 public:
  Judged(const FittedMethod& method, const GroupMapping& groups, const Trial& trial, const VectorXd& accuracy_outcome)
      : outcome_(accuracy_outcome),
        p_(method.predict(trial.parts.test.a, trial.parts.test.s)),
        ranking_(p_, trial.parts.test.y) {
    const Sample& test = trial.parts.test;
    for (const Mapping mapping : {Mapping::marginal, Mapping::none, Mapping::orthogonal})
      moved_.push_back(counterfactual_predictions(method, groups, mapping, test.a, test.s));
    if (!trial.exact) return;
    MatrixXd exact(test.rows(), test.levels);
    for (int g = 0; g < test.levels; ++g)
      exact.col(g) = method.predict((*trial.exact)[static_cast<std::size_t>(g)], VectorXi::Constant(test.rows(), g));
    moved_.push_back(std::move(exact));
  }

  // One number a metric; weights count the test rows, none: each once.
  VectorXd metrics(const VectorXd& weights = {}) const {
    VectorXd out(static_cast<Index>(2 + moved_.size()));
    out[0] = soft_accuracy(p_, outcome_, weights);
    out[1] = ranking_.auc(weights);
    for (std::size_t j = 0; j < moved_.size(); ++j)
      out[static_cast<Index>(2 + j)] = counterfactual_gap(moved_[j], weights);
    return out;
  }

  Index rows() const { return p_.size(); }

 private:
  const VectorXd& outcome_;
  VectorXd p_;
  Ranking ranking_;
  std::vector<MatrixXd> moved_;
};

std::vector<Measured> measure(const Candidate& candidate, const GroupMapping& groups, const Trial& trial,
                              bool intervals) {
  // Candidates are fitted side by side, one thread each.
  const LogisticOptions logistic{.threads = 1};
  const bool published = candidate.protocol == Protocol::published && trial.published_outcome;
  const VectorXd& outcome = published ? *trial.published_outcome : trial.parts.test.y;
  std::vector<VectorXd> values;
  std::vector<Interval> interval;
  for (int start = 0; start < candidate.starts; ++start) {
    const Fitted method = candidate.fit(logistic, start);
    const Judged judged(*method, groups, trial, outcome);
    values.push_back(judged.metrics());
    if (intervals && candidate.starts == 1)
      interval = bootstrap_intervals(judged.rows(), [&](const VectorXd& counts) { return judged.metrics(counts); },
                                     {.resamples = kResamples, .threads = 1});
  }
  VectorXd mean = VectorXd::Zero(values.front().size()), square = mean;
  for (const VectorXd& value : values) mean += value / candidate.starts;
  for (const VectorXd& value : values) square += (value - mean).cwiseAbs2();

  std::vector<Measured> out;
  for (Index j = 0; j < mean.size(); ++j) {
    const auto place = static_cast<std::size_t>(j);
    Measured cell{.protocol = candidate.protocol,
                  .method = candidate.method,
                  .rank = candidate.rank,
                  .metric = place < kMetrics.size() ? kMetrics[place] : "CF_exact",
                  .value = mean[j]};
    if (candidate.starts > 1) cell.sd = std::sqrt(square[j] / (candidate.starts - 1));
    if (!interval.empty()) cell.interval = interval[place];
    out.push_back(std::move(cell));
  }
  return out;
}

void add_method(Candidates& list, Protocol protocol, const Sample& training, const std::string& name) {
  list.push_back({protocol, name, {}, [name, &training](const LogisticOptions& logistic, int) {
                    return fit_method(name, training, {.learner = logistic_learner(logistic)});
                  }});
}

}  // namespace

std::vector<Measured> compare(const Candidates& candidates, const Trial& trial, const RunOptions& options) {
  const Sample& training = trial.parts.training;
  const GroupMapping groups(training.a, training.s, training.levels);
  const auto count = static_cast<Index>(candidates.size());
  const int threads = thread_count(options.threads, count);
  std::vector<std::vector<Measured>> by_slot(static_cast<std::size_t>(threads));
  std::vector<Measured> out;
  run_ordered(
      count, threads,
      [&](Index i, int slot) {
        by_slot[static_cast<std::size_t>(slot)] =
            measure(candidates[static_cast<std::size_t>(i)], groups, trial, options.intervals);
      },
      [&](Index, int slot) {
        auto& measured = by_slot[static_cast<std::size_t>(slot)];
        out.insert(out.end(), std::make_move_iterator(measured.begin()), std::make_move_iterator(measured.end()));
        options.step();
      });
  return out;
}

void add_baselines(Candidates& list, Protocol protocol, const Sample& training) {
  for (const char* name : {"ML", "FTU", "FL", "EO", "AA", "FLAP_1(O)", "FLAP_2(O)", "FLAP_1(M)", "FLAP_2(M)"})
    add_method(list, protocol, training, name);
}

void add_fair_learning(Candidates& list, const Sample& training) {
  list.push_back({Protocol::sound, "FL[mcmc]", {}, [&training](const LogisticOptions& logistic, int) {
                    return fit_method("FL[mcmc]", training,
                                      {.learner = logistic_learner(logistic), .scm = {.threads = 1}});
                  }});
}

void add_published_ob(Candidates& list, const Sample& training, Index rank) {
  for (const auto& [name, use] : {std::pair{"OB_1", Use::averaged}, {"OB_2", Use::alone}})
    list.push_back(
        {Protocol::published, name, rank, [use = use, rank, &training](const LogisticOptions& logistic, int) {
           return published::fit_ob_on_every_batch(training, logistic, use, rank);
         }});
}

void add_sound_ob(Candidates& list, const Sample& training, Index rank) {
  for (const auto& [suffix, coding] : {std::pair{"[onehot]", GroupCoding::one_hot}, {"[code]", GroupCoding::code}})
    for (const std::string name : {"OB_1", "OB_2"})
      list.push_back({Protocol::sound, name + suffix, rank,
                      [name, coding = coding, rank, &training](const LogisticOptions& logistic, int) {
                        // The features were standardised before they were turned to their axes.
                        const MethodOptions options{.learner = logistic_learner(logistic),
                                                    .coding = coding,
                                                    .rank = rank < training.a.cols() ? Rank::count(rank) : Rank::all(),
                                                    .standardize = false};
                        return fit_method(name, training, options);
                      }});
}

void add_recentred(Candidates& list, const Sample& training) {
  list.push_back({Protocol::sound, "FTU[recentred]", {}, [&training](const LogisticOptions& logistic, int) {
                    return published::fit_recentred_on_every_batch(training, logistic);
                  }});
}

}  // namespace plumbline
