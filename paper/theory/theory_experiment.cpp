// The theorem and the lemma, tried on data whose causal model is known.
//
// The gap: for each model (theory_scm.h) and n, several samples of n rows; on each a least-squares predictor is fitted
// to the features themselves (FTU) and to OB's, with and without squares of b; its gap is the mean over kTestRows rows
// and kDraws values b' a row, uniform within one standard deviation of the mean of b whatever n, of
// |f(a of b', b') − f(a, b)|. The slope is that of log gap on log n. The lemma: reconstruction.h, on one random matrix.
//
// All of it is filed as sound: nothing here is of a published table.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/ordered.h"
#include "base/random_stream.h"
#include "paper/reproduction/experiment.h"
#include "paper/theory/reconstruction.h"
#include "paper/theory/theory_page.h"
#include "paper/theory/theory_scm.h"
#include "predict/least_squares.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<Index, 5> kRows = {250, 1'000, 4'000, 16'000, 64'000};
constexpr std::array<Index, kRows.size()> kSamples = {160, 80, 40, 20, 10};  // of that many rows
constexpr Index kTestRows = 500;
constexpr int kDraws = 4;
constexpr std::array<std::string_view, 3> kMethods = {"FTU", "OB", "OB[powers]"};
constexpr int kPowers = 2;

constexpr Index kMatrixRows = 400, kMatrixColumns = 8, kFactors = 3;
constexpr std::int64_t kFirstMatrixRow = std::int64_t{1} << 40;  // beyond all others

using Gaps = std::array<double, kMethods.size()>;

// Samples of one size lie one after the other, the sizes too, and the test rows before them all.
std::int64_t first_row(std::size_t size, Index sample) {
  std::int64_t row = kTestRows;
  for (std::size_t i = 0; i < size; ++i) row += kRows[i] * kSamples[i];
  return row + kRows[size] * sample;
}

struct Task {
  TheoryScm scm;
  std::size_t size;
  Index sample;
};

Gaps gaps_of(const Task& task, std::uint32_t seed) {
  const TheoryRows test = theory_rows(task.scm, seed, 0, kTestRows);
  const TheoryCounterfactuals world(task.scm, test.noise);
  const std::int64_t first = first_row(task.size, task.sample);
  const ContinuousSample training = theory_rows(task.scm, seed, first, kRows[task.size]).sample;
  const Learner learner = least_squares_learner();
  const VectorXd one = VectorXd::Ones(training.b.cols());
  const GapOptions options{.low = -one, .high = one, .draws = kDraws, .seed = seed};
  const auto gap = [&](const FittedContinuous& method) {
    return continuous_gap(*method, world, test.sample.b, options).absolute;
  };
  return {gap(fit_unaware(training, learner)), gap(fit_debiased(training, learner, {})),
          gap(fit_debiased(training, learner, {}, ExpansionOptions{.powers = kPowers}))};
}

double slope_of(const std::array<double, kRows.size()>& gaps) {
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    mean_x += std::log(static_cast<double>(kRows[i])) / kRows.size();
    mean_y += std::log(gaps[i]) / kRows.size();
  }
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double x = std::log(static_cast<double>(kRows[i])) - mean_x;
    xy += x * (std::log(gaps[i]) - mean_y);
    xx += x * x;
  }
  return xy / xx;
}

// Model by model, size by size.
std::vector<Task> tasks() {
  std::vector<Task> out;
  for (const TheoryScm scm : theory_scms())
    for (std::size_t size = 0; size < kRows.size(); ++size)
      for (Index sample = 0; sample < kSamples[size]; ++sample) out.push_back({scm, size, sample});
  return out;
}

// gaps: of each task.
std::vector<Measured> measured_gaps(const std::vector<Gaps>& gaps) {
  std::vector<Measured> out;
  auto first = gaps.begin();
  for (const TheoryScm scm : theory_scms()) {
    auto next = first;
    for (std::size_t m = 0; m < kMethods.size(); ++m) {
      Measured cell{
          .protocol = Protocol::sound, .method = theory_method(kMethods[m], name_of(scm)), .rank = {}, .metric = {}};
      std::array<double, kRows.size()> means{};
      next = first;
      for (std::size_t size = 0; size < kRows.size(); ++size) {
        VectorXd values(kSamples[size]);
        for (double& value : values) value = (*next++)[m];
        cell.metric = theory_metric(kRows[size]);
        cell.value = means[size] = values.mean();
        cell.sd = std::sqrt((values.array() - cell.value).square().sum() / static_cast<double>(values.size() - 1));
        out.push_back(cell);
      }
      cell.metric = std::string(kSlopeMetric);
      cell.value = slope_of(means);
      cell.sd.reset();
      out.push_back(cell);
    }
    first = next;
  }
  return out;
}

// Features that follow b along one direction and three factors along others.
std::vector<Measured> measured_distances(std::uint32_t seed) {
  RandomStream stream(seed, static_cast<int>(1 + kFactors + kMatrixColumns), kFirstMatrixRow);
  const auto normals = [&](Index rows, Index cols) {
    MatrixXd out(rows, cols);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) out(i, j) = stream.normal();
    return out;
  };
  const MatrixXd loadings = normals(1 + kFactors, kMatrixColumns), latent = normals(kMatrixRows, 1 + kFactors);
  const MatrixXd a = latent * loadings + 0.5 * normals(kMatrixRows, kMatrixColumns);
  const std::vector<Reconstruction> by_rank = reconstructions(a, latent.col(0));
  std::vector<Measured> out;
  const auto add = [&](std::string_view method, double Reconstruction::*value) {
    for (std::size_t k = 0; k < by_rank.size(); ++k)
      out.push_back({.protocol = Protocol::sound,
                     .method = std::string(method),
                     .rank = static_cast<Index>(k + 1),
                     .metric = std::string(kDistanceMetric),
                     .value = by_rank[k].*value});
  };
  add("OB[paper basis]", &Reconstruction::paper);
  add("OB[optimal basis]", &Reconstruction::optimal);
  add("lemma", &Reconstruction::lemma);
  add("lemma[printed squared]", &Reconstruction::printed_squared);
  add("lemma[printed]", &Reconstruction::printed);
  return out;
}

class Theory final : public LoadedExperiment {
 public:
  RunResult run(const RunOptions& options) const override {
    const std::vector<Task> all = tasks();
    const auto count = static_cast<Index>(all.size());
    std::vector<Gaps> gaps(all.size());
    run_parallel(count, thread_count(options.threads, count), [&](Index i, int) {
      const auto place = static_cast<std::size_t>(i);
      gaps[place] = gaps_of(all[place], options.seed);
      options.step();
    });
    RunResult out{.measured = measured_gaps(gaps), .warnings = {}};
    for (Measured& distance : measured_distances(options.seed)) out.measured.push_back(std::move(distance));
    return out;
  }

  int steps() const override { return static_cast<int>(tasks().size()); }
};

std::unique_ptr<const LoadedExperiment> load(const DataSource&) { return std::make_unique<Theory>(); }

constexpr FigureKind kFigures[] = {{.suffix = "", .csv = theory_gap_csv, .script = theory_gap_script},
                                   {.suffix = "-lemma", .csv = theory_distance_csv, .script = theory_distance_script}};

}  // namespace

constinit const Experiment kTheoryExperiment = {
    .name = "theory",
    .title = "Theory",
    .text =
        "What the theorem and the lemma say, on simulated data whose causal model is known. CF_exact is how far a "
        "least-squares prediction moves, on average over 500 people and 4 values b' each, if b is b' and the noises "
        "stay: mean ± standard deviation over 160 to 10 samples of n people, and the slope of its logarithm on that of "
        "n: −1/2 is 1/√n, 0 a floor that more data do not lower. Features are a = Γb + Δh(b) + s(b)ε. `gaussian`: all "
        "normal. `student-t`: b and ε jointly Student-t, 6 degrees. `student-t-scale`: the very same data, out of "
        "independent noises of which b moves the scale s. `skewed`: exponential noises. `squares` and `hinge`: normal "
        "noises, and h(b) = b² − 1 or 2 max(b, 0). `OB[powers]` removes what is linear in b and b². Below, how far OB "
        "of rank k moves a matrix of 400 rows and 8 columns, distance = ‖A − Ã‖² / ‖A‖², for the paper's basis and for "
        "the optimal one; what the lemma says once corrected; and what it says in print, of squares, and as it stands.",
    .load = load,
    .table = theory_table,
    .figures = kFigures};

}  // namespace plumbline
