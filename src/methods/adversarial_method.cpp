#include "methods/adversarial_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ordered.h"
#include "methods/penalised_loss.h"
#include "plumbline/error.h"
#include "predict/adam.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

using ByRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What does not change from step to step. Chosen rows are taken from it, again and again.
struct PenalisedRows {
  PenalisedRows(const ContinuousSample& training, const AdversarialVae& generator)
      : a(generator.scaling().of_a(training.a)),
        b(generator.scaling().of_b(training.b)),
        z(generator.infer(training).cast<float>()),
        own(decoded(generator).leftCols(a.cols())),
        y(generator.scaling().of_y(training.y)),
        low(b.colwise().minCoeff()),
        width(b.colwise().maxCoeff() - b.colwise().minCoeff()) {}

  MatrixXf decoded(const AdversarialVae& generator) const {
    MatrixXf code(z.rows(), z.cols() + b.cols());
    code << z, b;
    return evaluate<float>(generator.decoder(), generator.decoder_parameters(), code);
  }

  ByRows a, b, z;
  ByRows own;  // what the generator makes of each row with its own b
  Eigen::VectorXf y;
  Eigen::RowVectorXf low, width;  // of b'
};

// Room for one part of a batch: one block of rows after another, the rows themselves, what the generator makes of them
// with their own b, and with b' 1, 2, ….
class PenalisedPart {
 public:
  PenalisedPart(const PenalisedRows& rows, const AdversarialVae& generator, const Network& network, Index draws,
                Index most_rows)
      : rows_(rows),
        generator_(generator),
        network_(network),
        draws_(draws),
        workspace_(network, most_rows * (draws + 2)),
        decoding_(generator.decoder(), most_rows * draws),
        code_(most_rows * draws, generator.decoder().inputs()),
        x_(most_rows * (draws + 2), network.inputs()),
        t_(most_rows, 1),
        dy_(most_rows * (draws + 2), 1) {}

  // The loss of some rows of a batch, of which each is a share, with these b', a block after another, each column by
  // column; adds its slope.
  double loss_and_slope(const Vector<float>& parameters, RowNumbers rows, const float* other, double penalty,
                        float share, Vector<float>& gradient) {
    fill(rows, other);
    decode(static_cast<Index>(rows.size()));
    const double loss = penalised_loss_and_slope<float>(network_.forward(parameters, x_.view(), workspace_), t_.view(),
                                                        penalty, share, dy_.view());
    network_.backward(parameters, dy_.view(), workspace_, gradient);
    return loss;
  }

 private:
  void fill(RowNumbers rows, const float* other) {
    const auto n = static_cast<Index>(rows.size());
    const Index m = draws_, q = rows_.a.cols(), p = rows_.b.cols(), latent = rows_.z.cols();
    code_.set_rows(n * m);
    x_.set_rows(n * (m + 2));
    t_.set_rows(n);
    dy_.set_rows(n * (m + 2));
    auto code = code_.matrix(), x = x_.matrix();
    const auto gather = [&](const auto& from, auto&& to) {
      for (Index i = 0; i < n; ++i) to.row(i) = from.row(rows[static_cast<std::size_t>(i)]);
    };
    gather(rows_.y, t_.matrix());
    gather(rows_.a, x.block(0, 0, n, q));
    gather(rows_.own, x.block(n, 0, n, q));
    gather(rows_.b, x.block(0, q, n, p));
    x.block(n, q, n, p) = x.block(0, q, n, p);
    gather(rows_.z, code.block(0, 0, n, latent));
    for (Index d = 0; d < m; ++d) {
      if (d > 0) code.block(d * n, 0, n, latent) = code.block(0, 0, n, latent);
      code.block(d * n, latent, n, p) = Eigen::Map<const MatrixXf>(other + d * n * p, n, p);
    }
  }

  void decode(Index n) {
    const Index rows = n * draws_, q = rows_.a.cols(), p = rows_.b.cols();
    const auto decoded = generator_.decoder().forward(generator_.decoder_parameters(), code_.view(), decoding_);
    auto x = x_.matrix();
    x.block(2 * n, 0, rows, q) = decoded.matrix().leftCols(q);
    x.block(2 * n, q, rows, p) = code_.matrix().rightCols(p);
  }

  const PenalisedRows& rows_;
  const AdversarialVae& generator_;
  const Network& network_;
  Index draws_;
  Workspace<float> workspace_, decoding_;
  Batch<float> code_, x_, t_, dy_;
};

// A batch is cut into shares, each with a slope of its own, and these into parts that fit the cache; where the cuts are
// does not depend on the number of threads.
class PenalisedTrainer {
 public:
  PenalisedTrainer(const ContinuousSample& training, const AdversarialVae& generator, const Network& network,
                   const AdversarialOptions& options, Index batch)
      : options_(options),
        rows_(training, generator),
        random_(options.seed, 1, kPenaltyDraws),
        parameters_(network.initial_parameters<float>(options.seed)),
        adam_(network.parameter_count(), {.learning_rate = options.learning_rate}),
        part_(part_for(options.draws)),
        others_(static_cast<std::size_t>(batch * options.draws * rows_.b.cols())),
        slopes_(kShares, Vector<float>::Zero(network.parameter_count())),
        losses_(kShares) {
    const int threads = thread_count(options.threads, std::min<Index>(kShares, (batch + part_ - 1) / part_));
    for (int slot = 0; slot < threads; ++slot)
      rooms_.emplace_back(rows_, generator, network, options.draws, std::min(part_, batch));
  }

  // The loss of a batch, and one step along its slope.
  double step(RowNumbers rows) {
    draw(rows.size());
    const auto parts = (static_cast<Index>(rows.size()) + part_ - 1) / part_;
    const Index shares = std::min(kShares, parts);
    run_parallel(shares, static_cast<int>(rooms_.size()), [&](Index share, int slot) {
      const auto border = [&](Index number) {
        return std::min(rows.size(), static_cast<std::size_t>(number * parts / shares * part_));
      };
      take_share(share, slot, rows, border(share), border(share + 1));
    });
    for (Index share = 1; share < shares; ++share) {
      slopes_[0] += slopes_[static_cast<std::size_t>(share)];
      losses_[0] += losses_[static_cast<std::size_t>(share)];
    }
    adam_.step(slopes_[0], parameters_);
    return losses_[0];
  }

  const Vector<float>& parameters() const { return parameters_; }

 private:
  static constexpr std::int64_t kPenaltyDraws = std::int64_t{1} << 41;
  static constexpr Index kTogether = 384, kShares = 4;

  // A multiple of eight rows, where there is room for them: blocks then leave no part of most machines' vectors.
  static Index part_for(int draws) {
    constexpr Index kVector = 8;
    const Index part = kTogether / (draws + 2);
    return part < kVector ? std::max<Index>(1, part) : part / kVector * kVector;
  }

  // b' of all rows of a batch, part by part, each draw by draw and column by column.
  void draw(std::size_t rows) {
    const auto p = static_cast<std::size_t>(rows_.b.cols()), each = static_cast<std::size_t>(options_.draws);
    float* out = others_.data();
    for (std::size_t first = 0; first < rows; first += static_cast<std::size_t>(part_)) {
      const std::size_t n = std::min(rows - first, static_cast<std::size_t>(part_));
      for (std::size_t column = 0; column < each * p; ++column) {
        const auto j = static_cast<Index>(column % p);
        for (std::size_t i = 0; i < n; ++i)
          *out++ = rows_.low[j] + rows_.width[j] * static_cast<float>(random_.uniform());
      }
    }
  }

  void take_share(Index share, int slot, RowNumbers rows, std::size_t first, std::size_t last) {
    Vector<float>& slope = slopes_[static_cast<std::size_t>(share)];
    double& loss = losses_[static_cast<std::size_t>(share)];
    slope.setZero();
    loss = 0;
    const auto each = static_cast<std::size_t>(options_.draws * rows_.b.cols());
    for_each_batch(rows.subspan(first, last - first), part_, [&](RowNumbers some) {
      loss += rooms_[static_cast<std::size_t>(slot)].loss_and_slope(parameters_, some, others_.data() + first * each,
                                                                    options_.penalty,
                                                                    1.0F / static_cast<float>(rows.size()), slope);
      first += some.size();
    });
  }

  const AdversarialOptions& options_;
  PenalisedRows rows_;
  RandomStream random_;
  Vector<float> parameters_;
  Adam<float> adam_;
  Index part_;                         // rows that go through f together, each with its counterfactuals
  std::vector<float> others_;          // b' of a batch
  std::vector<Vector<float>> slopes_;  // of each share
  std::vector<double> losses_;
  std::vector<PenalisedPart> rooms_;  // one a thread
};

}  // namespace

void AdversarialOptions::check() const {
  TrainingOptions{.epochs = epochs, .batch = batch, .learning_rate = learning_rate}.check();
  if (!(penalty >= 0 && std::isfinite(penalty)))
    throw Error(fmt::format("penalty is {}; it must be at least 0 and finite", penalty));
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
  if (draws < 1 || draws > 1000) throw Error(fmt::format("draws is {}; it must be from 1 to 1000", draws));
}

VectorXd AdversarialMethod::predict(const MatrixXd& a, const MatrixXd& b) const {
  if (a.cols() != scaling_.a_low.size() || b.cols() != scaling_.b_low.size() || a.rows() != b.rows())
    throw Error(fmt::format("a is {} × {} and b is {} × {}; they must have the same rows, {} and {} columns", a.rows(),
                            a.cols(), b.rows(), b.cols(), scaling_.a_low.size(), scaling_.b_low.size()));
  MatrixXf x(a.rows(), network_.inputs());
  x << scaling_.of_a(a), scaling_.of_b(b);
  return scaling_.y_mean + scaling_.y_sd * evaluate<float>(network_, parameters_, x).cast<double>().array().col(0);
}

std::unique_ptr<const AdversarialMethod> fit_adversarial(const ContinuousSample& training,
                                                         const AdversarialVae& generator,
                                                         const AdversarialOptions& options,
                                                         const EpochCallback& callback) {
  options.check();
  generator.check(training);
  const Network network(training.a.cols() + training.b.cols(),
                        layers_of(options.hidden, Activation::relu, {1, Activation::linear}));
  const Index batch = std::min(options.batch, training.rows());
  PenalisedTrainer trainer(training, generator, network, options, batch);
  EpochRows rows(training.rows(), options.seed);
  for (int number = 1; number <= options.epochs; ++number) {
    rows.shuffle();
    double loss = 0;
    for_each_batch(rows.all(), batch, [&](RowNumbers some) {
      loss += trainer.step(some) * static_cast<double>(some.size()) / static_cast<double>(training.rows());
    });
    check_divergence(number, options.learning_rate, std::isfinite(loss), trainer.parameters().allFinite());
    if (callback && !callback({.number = number, .loss = loss})) break;
  }
  return std::make_unique<const AdversarialMethod>(network, trainer.parameters(), generator.scaling());
}

}  // namespace plumbline
