#include "paper/groups/comparison.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <span>

#include "base/ordered.h"
#include "paper/reproduction/published_ob.h"

namespace plumbline {
namespace {

using Eigen::VectorXd;

constexpr int kResamples = 500;

// A candidate from one start.
struct Piece {
  const Candidate* candidate;
  int start;
  VectorXd values = {};  // one a metric
  std::vector<Interval> intervals = {};
  std::vector<std::string> warnings = {};
};

void judge(Piece& piece, const GroupMapping& groups, const Trial& trial, bool intervals) {
  const bool is_published = piece.candidate->protocol == Protocol::published && trial.published_outcome;
  const VectorXd& outcome = is_published ? *trial.published_outcome : trial.parts.test.y;
  const Fitted method = piece.candidate->fit({.threads = 1}, piece.start);
  piece.warnings = method->warnings();
  const Judgement judged(*method, groups, trial, outcome);
  piece.values = judged.metrics();
  if (intervals && piece.candidate->starts == 1)
    piece.intervals =
        bootstrap_intervals(judged.rows(), judged.of_resamples(), {.resamples = kResamples, .threads = 1});
}

// The pieces of one candidate, one for each start.
void add_pieces(std::span<const Piece> pieces, RunResult& out) {
  const Candidate& candidate = *pieces.front().candidate;
  VectorXd mean = VectorXd::Zero(pieces.front().values.size()), square = mean;
  for (const Piece& piece : pieces) mean += piece.values / candidate.starts;
  for (const Piece& piece : pieces) square += (piece.values - mean).cwiseAbs2();
  for (Index j = 0; j < mean.size(); ++j) {
    const auto place = static_cast<std::size_t>(j);
    Measured cell{.protocol = candidate.protocol,
                  .method = candidate.method,
                  .rank = candidate.rank,
                  .metric = std::string(Judgement::metric_name(j)),
                  .value = mean[j]};
    if (candidate.starts > 1) cell.sd = std::sqrt(square[j] / (candidate.starts - 1));
    if (!pieces.front().intervals.empty()) cell.interval = pieces.front().intervals[place];
    out.measured.push_back(std::move(cell));
  }
  for (const Piece& piece : pieces)
    for (const std::string& warning : piece.warnings)
      add_once(out.warnings, warning_of(candidate.method, candidate.protocol, candidate.rank, warning));
}

void add_method(Candidates& list, Protocol protocol, const Sample& training, const std::string& name) {
  list.push_back({protocol, name, {}, [name, &training](const LogisticOptions& logistic, int) {
                    return fit_method(name, training, {.learner = logistic_learner(logistic)});
                  }});
}

}  // namespace

RunResult compare(const Candidates& candidates, const Trial& trial, const RunOptions& options) {
  const Sample& training = trial.parts.training;
  const GroupMapping groups(training.a, training.s, training.levels);
  std::vector<Piece> pieces;
  for (const Candidate& candidate : candidates)
    for (int start = 0; start < candidate.starts; ++start) pieces.push_back({&candidate, start});
  // Pieces differ widely in cost, so no thread waits for the one before it: each takes the next that is left.
  std::atomic<std::size_t> next = 0;
  const int threads = thread_count(options.threads, static_cast<Index>(pieces.size()));
  run_parallel(threads, threads, [&](Index, int) {
    for (std::size_t i = next++; i < pieces.size(); i = next++) {
      judge(pieces[i], groups, trial, options.intervals);
      options.step();
    }
  });
  RunResult out;
  for (std::size_t i = 0; i < pieces.size(); i += static_cast<std::size_t>(pieces[i].candidate->starts))
    add_pieces(std::span(pieces).subspan(i, static_cast<std::size_t>(pieces[i].candidate->starts)), out);
  return out;
}

int steps_of(const Candidates& candidates) {
  int steps = 0;
  for (const Candidate& candidate : candidates) steps += candidate.starts;
  return steps;
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
                        // In the units of the data, as published. It matters below full rank only, and there
                        // features are principal scores of standardised columns.
                        const MethodOptions options{.learner = logistic_learner(logistic),
                                                    .coding = coding,
                                                    .rank = rank < training.a.cols() ? Rank::count(rank) : Rank::all(),
                                                    .standardize = false};
                        return fit_method(name, training, options);
                      }});
}

void add_recentred(Candidates& list, const Sample& training) {
  list.push_back({Protocol::published, "FTU[recentred]", {}, [&training](const LogisticOptions& logistic, int) {
                    return published::fit_recentred_on_every_batch(training, logistic);
                  }});
}

}  // namespace plumbline
