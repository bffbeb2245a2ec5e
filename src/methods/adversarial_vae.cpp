#include "methods/adversarial_vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"
#include "methods/vae_loss.h"
#include "plumbline/error.h"
#include "predict/adam.h"
#include "predict/epoch_rows.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

std::vector<Layer> with_output(std::vector<Layer> layers, Index outputs) {
  layers.push_back({outputs, Activation::linear});
  return layers;
}

// A network in training: what is learned, and how.
struct Learned {
  Learned(const Network& of, std::uint64_t seed, double learning_rate)
      : parameters(of.initial_parameters<float>(seed)),
        gradient(Vector<float>::Zero(of.parameter_count())),
        adam(of.parameter_count(), {.learning_rate = learning_rate}) {}

  void step() {
    adam.step(gradient, parameters);
    gradient.setZero();
  }

  Vector<float> parameters, gradient;
  Adam<float> adam;
};

void require(bool holds, const char* field, double value, const char* constraint) {
  if (!holds) throw Error(fmt::format("{} is {}; it must be {}", field, value, constraint));
}

}  // namespace

void VaeOptions::check() const {
  AdamOptions{.learning_rate = learning_rate}.check();
  require(latent >= 1 && latent <= 64, "latent", static_cast<double>(latent), "from 1 to 64");
  require(adversary_weight >= 0 && std::isfinite(adversary_weight), "adversary_weight", adversary_weight,
          "at least 0 and finite");
  require(epochs >= 1, "epochs", epochs, "at least 1");
  require(batch >= 1, "batch", static_cast<double>(batch), "at least 1");
  require(adversary_steps >= 0, "adversary_steps", adversary_steps, "at least 0");
  require(first_adversary_steps >= 0, "first_adversary_steps", first_adversary_steps, "at least 0");
}

class AdversarialVae::Trainer {
 public:
  Trainer(const AdversarialVae& vae, const MatrixXf& x, const VaeOptions& options)
      : x_(x),
        random_(options.seed, 1, kNoiseDraws),
        logits_(vae.decoder_.inputs(),
                layers_of(options.decoder, Activation::relu, {vae.decoder_.outputs(), Activation::linear})),
        adversary_network_(options.latent, with_output(options.adversary, vae.decoder_.inputs() - options.latent)),
        encoder_(vae.encoder_, 3 * options.seed, options.learning_rate),
        decoder_(logits_, 3 * options.seed + 1, options.learning_rate),
        adversary_(adversary_network_, 3 * options.seed + 2, options.learning_rate),
        loss_(vae.encoder_, logits_, adversary_network_, options.adversary_weight, options.batch),
        batch_(options.batch, x.cols()),
        noise_(options.batch, options.latent),
        normal_(options.batch, options.latent) {}

  void step(RowNumbers rows, int adversary_steps, VaeEpoch& sum) {
    const auto n = static_cast<Index>(rows.size());
    for (Batch<float>* const batch : {&batch_, &noise_, &normal_}) batch->set_rows(n);
    auto x = batch_.matrix();
    for (Index j = 0; j < x.cols(); ++j)
      for (Index i = 0; i < n; ++i) x(i, j) = x_(rows[static_cast<std::size_t>(i)], j);
    draw(noise_);
    draw(normal_);
    loss_.encode(encoder_.parameters, batch_.view(), noise_.view());
    for (int i = 0; i < adversary_steps; ++i) {
      loss_.adversary_slope(adversary_.parameters, adversary_.gradient);
      adversary_.step();
    }
    const VaeLosses losses = loss_.slopes(encoder_.parameters, decoder_.parameters, adversary_.parameters,
                                          normal_.view(), encoder_.gradient, decoder_.gradient);
    encoder_.step();
    decoder_.step();
    sum.features += losses.features;
    sum.outcome += losses.outcome;
    sum.latent += losses.latent;
    sum.adversary += losses.adversary;
  }

  bool is_finite() const { return encoder_.parameters.allFinite() && decoder_.parameters.allFinite(); }
  const Vector<float>& encoder() const { return encoder_.parameters; }
  const Vector<float>& decoder() const { return decoder_.parameters; }

 private:
  static constexpr std::int64_t kNoiseDraws = std::int64_t{1} << 41;

  void draw(Batch<float>& batch) {
    auto cells = batch.matrix();
    for (Index j = 0; j < cells.cols(); ++j)
      for (Index i = 0; i < cells.rows(); ++i) cells(i, j) = static_cast<float>(random_.normal());
  }

  const MatrixXf& x_;
  RandomStream random_;
  Network logits_, adversary_network_;
  Learned encoder_, decoder_, adversary_;
  VaeLoss<float> loss_;
  Batch<float> batch_, noise_, normal_;
};

VaeScaling::VaeScaling(const ContinuousSample& training) {
  training.check();
  const auto width = [](const MatrixXd& m) -> Eigen::RowVectorXd {
    return (m.colwise().maxCoeff() - m.colwise().minCoeff()).unaryExpr([](double x) { return x > 0 ? x : 1.0; });
  };
  a_low = training.a.colwise().minCoeff();
  a_width = width(training.a);
  b_low = training.b.colwise().minCoeff();
  b_width = width(training.b);
  y_mean = training.y.mean();
  const double sd = std::sqrt((training.y.array() - y_mean).square().mean());
  y_sd = sd > 0 ? sd : 1;
}

MatrixXf VaeScaling::of_a(const MatrixXd& a) const {
  return ((a.rowwise() - a_low).array().rowwise() / a_width.array()).max(0.0).min(1.0).cast<float>();
}

MatrixXf VaeScaling::of_b(const MatrixXd& b) const {
  return ((b.rowwise() - b_low).array().rowwise() / b_width.array()).cast<float>();
}

Eigen::VectorXf VaeScaling::of_y(const Eigen::VectorXd& y) const { return ((y.array() - y_mean) / y_sd).cast<float>(); }

MatrixXd VaeScaling::to_a(const MatrixXf& scaled) const {
  return (scaled.cast<double>().array().rowwise() * a_width.array()).rowwise() + a_low.array();
}

AdversarialVae::AdversarialVae(const ContinuousSample& training, const VaeOptions& options,
                               const std::function<bool(const VaeEpoch&)>& callback)
    : scaling_(training),
      latent_((options.check(), options.latent)),
      encoder_(training.a.cols() + training.b.cols() + 1,
               layers_of(options.encoder, Activation::relu, {2 * options.latent, Activation::linear})),
      decoder_(options.latent + training.b.cols(),
               layers_of(options.decoder, Activation::relu, {training.a.cols() + 1, Activation::sigmoid})) {
  const MatrixXf x = inputs_of(training);
  VaeOptions capped = options;
  capped.batch = std::min(options.batch, training.rows());
  Trainer trainer(*this, x, capped);
  EpochRows rows(training.rows(), options.seed);
  for (int number = 1; number <= options.epochs; ++number) {
    rows.shuffle();
    last_ = {.number = number};
    double steps = 0;
    for_each_batch(rows.all(), capped.batch, [&](RowNumbers some) {
      trainer.step(some, number == 1 ? options.first_adversary_steps : options.adversary_steps, last_);
      ++steps;
    });
    for (double* const loss : {&last_.features, &last_.outcome, &last_.latent, &last_.adversary}) *loss /= steps;
    check_divergence(number, options.learning_rate, std::isfinite(last_.features + last_.outcome + last_.latent),
                     trainer.is_finite());
    if (callback && !callback(last_)) break;
  }
  encoder_parameters_ = trainer.encoder();
  decoder_parameters_ = trainer.decoder();
}

MatrixXf AdversarialVae::inputs_of(const ContinuousSample& rows) const {
  MatrixXf x(rows.rows(), encoder_.inputs());
  x << scaling_.of_a(rows.a), scaling_.of_b(rows.b), scaling_.of_y(rows.y);
  return x;
}

void AdversarialVae::check(const ContinuousSample& rows) const {
  rows.check();
  if (rows.a.cols() != scaling_.a_low.size() || rows.b.cols() != scaling_.b_low.size())
    throw Error(fmt::format("the rows have {} features and {} sensitive columns; the generator was fitted to {} and {}",
                            rows.a.cols(), rows.b.cols(), scaling_.a_low.size(), scaling_.b_low.size()));
}

MatrixXd AdversarialVae::infer(const ContinuousSample& rows) const {
  check(rows);
  const MatrixXf x = inputs_of(rows);
  return evaluate<float>(encoder_, encoder_parameters_, x).leftCols(latent_).cast<double>();
}

MatrixXd AdversarialVae::decode(const MatrixXd& z, const MatrixXd& b) const {
  if (z.rows() != b.rows() || z.cols() != latent_ || b.cols() != scaling_.b_low.size())
    throw Error(fmt::format("z is {} × {} and b is {} × {}; they must have the same rows, {} and {} columns", z.rows(),
                            z.cols(), b.rows(), b.cols(), latent_, scaling_.b_low.size()));
  MatrixXf code(z.rows(), latent_ + b.cols());
  code << z.cast<float>(), scaling_.of_b(b);
  return scaling_.to_a(evaluate<float>(decoder_, decoder_parameters_, code).leftCols(scaling_.a_low.size()));
}

}  // namespace plumbline
