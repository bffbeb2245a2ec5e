#include "methods/adversarial_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/penalised_loss.h"
#include "plumbline/error.h"
#include "predict/adam.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

// A batch goes through f in parts that fit the cache. A part is one block of rows after another: the rows themselves,
// what the generator makes of them with their own b, and with b' 1, 2, ….
class PenalisedTrainer {
 public:
  PenalisedTrainer(const ContinuousSample& training, const AdversarialVae& generator, const Network& network,
                   const AdversarialOptions& options)
      : generator_(generator),
        network_(network),
        options_(options),
        a_(generator.scaling().of_a(training.a)),
        b_(generator.scaling().of_b(training.b)),
        z_(generator.infer(training).cast<float>()),
        own_(decoded(generator, z_, b_).leftCols(a_.cols())),
        y_(generator.scaling().of_y(training.y)),
        low_(b_.colwise().minCoeff()),
        width_(b_.colwise().maxCoeff() - b_.colwise().minCoeff()),
        random_(options.seed, 1, kPenaltyDraws),
        parameters_(network.initial_parameters<float>(options.seed)),
        gradient_(Vector<float>::Zero(network.parameter_count())),
        adam_(network.parameter_count(), {.learning_rate = options.learning_rate}),
        part_(std::max<Index>(1, kTogether / (options.draws + 2))),
        workspace_(network, part_ * (options.draws + 2)),
        decoding_(generator.decoder(), part_ * options.draws),
        code_(part_ * options.draws, generator.decoder().inputs()),
        x_(part_ * (options.draws + 2), network.inputs()),
        t_(part_, 1),
        dy_(part_ * (options.draws + 2), 1) {}

  // The loss of a batch, and one step along its slope.
  double step(RowNumbers rows) {
    const float share = 1.0F / static_cast<float>(rows.size());
    double loss = 0;
    gradient_.setZero();
    for_each_batch(rows, part_, [&](RowNumbers some) {
      fill(some);
      decode(static_cast<Index>(some.size()));
      loss += penalised_loss_and_slope<float>(network_.forward(parameters_, x_.view(), workspace_), t_.view(),
                                              options_.penalty, share, dy_.view());
      network_.backward(parameters_, dy_.view(), workspace_, gradient_);
    });
    adam_.step(gradient_, parameters_);
    return loss;
  }

  const Vector<float>& parameters() const { return parameters_; }

 private:
  static constexpr std::int64_t kPenaltyDraws = std::int64_t{1} << 41;
  static constexpr Index kTogether = 256;

  using ByRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  static MatrixXf decoded(const AdversarialVae& generator, const ByRows& z, const ByRows& b) {
    MatrixXf code(z.rows(), z.cols() + b.cols());
    code << z, b;
    return evaluate<float>(generator.decoder(), generator.decoder_parameters(), code);
  }

  void fill(RowNumbers rows) {
    const auto n = static_cast<Index>(rows.size());
    const Index m = options_.draws, q = a_.cols(), p = b_.cols(), latent = z_.cols();
    code_.set_rows(n * m);
    x_.set_rows(n * (m + 2));
    t_.set_rows(n);
    dy_.set_rows(n * (m + 2));
    auto code = code_.matrix(), x = x_.matrix();
    const auto gather = [&](const auto& from, auto&& to) {
      for (Index i = 0; i < n; ++i) to.row(i) = from.row(rows[static_cast<std::size_t>(i)]);
    };
    gather(y_, t_.matrix());
    gather(a_, x.block(0, 0, n, q));
    gather(own_, x.block(n, 0, n, q));
    gather(b_, x.block(0, q, n, p));
    x.block(n, q, n, p) = x.block(0, q, n, p);
    for (Index d = 0; d < m; ++d) {
      gather(z_, code.block(d * n, 0, n, latent));
      for (Index j = 0; j < p; ++j)
        for (Index i = 0; i < n; ++i)
          code(d * n + i, latent + j) = low_[j] + width_[j] * static_cast<float>(random_.uniform());
    }
  }

  void decode(Index n) {
    const Index rows = n * options_.draws, q = a_.cols(), p = b_.cols();
    const auto decoded = generator_.decoder().forward(generator_.decoder_parameters(), code_.view(), decoding_);
    auto x = x_.matrix();
    x.block(2 * n, 0, rows, q) = decoded.matrix().leftCols(q);
    x.block(2 * n, q, rows, p) = code_.matrix().rightCols(p);
  }

  const AdversarialVae& generator_;
  const Network& network_;
  const AdversarialOptions& options_;
  ByRows a_, b_, z_;  // chosen rows are taken from them, again and again
  ByRows own_;        // what the generator makes of each row with its own b
  Eigen::VectorXf y_;
  Eigen::RowVectorXf low_, width_;
  RandomStream random_;
  Vector<float> parameters_, gradient_;
  Adam<float> adam_;
  Index part_;  // rows that go through f together, each with its counterfactuals
  Workspace<float> workspace_, decoding_;
  Batch<float> code_, x_, t_, dy_;
};

}  // namespace

void AdversarialOptions::check() const {
  TrainingOptions{.epochs = epochs, .batch = batch, .learning_rate = learning_rate}.check();
  if (!(penalty >= 0 && std::isfinite(penalty)))
    throw Error(fmt::format("penalty is {}; it must be at least 0 and finite", penalty));
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
  PenalisedTrainer trainer(training, generator, network, options);
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
