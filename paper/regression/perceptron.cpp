#include "paper/regression/perceptron.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumbline/error.h"
#include "predict/network_json.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr const char* kFormat = "plumbline-perceptron";
constexpr int kVersion = 1;

double deviation_or_one(const VectorXd& x, double mean) {
  const double largest = (x.array() - mean).abs().maxCoeff();
  if (!(largest > 1e-12 * std::abs(mean))) return 1;  // what rounding the mean leaves counts as none
  return largest * std::sqrt(((x.array() - mean) / largest).square().mean());
}

// (x − mean) / scale as floats, column by column.
template <class Means, class Scales>
Cells<float> scaled(const char* what, const MatrixXd& x, const Means& means, const Scales& scales) {
  Cells<float> out(x.rows(), x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    out.col(j) = ((x.col(j).array() - means[j]) / scales[j]).template cast<float>();
    for (Index i = 0; !out.col(j).allFinite() && i < x.rows(); ++i)
      if (!std::isfinite(out(i, j)))
        throw Error(
            fmt::format("{} is {} in row {}, column {}, more than a float can hold; rescale it", what, x(i, j), i, j));
  }
  return out;
}

PerceptronScaling scaling_of(const MatrixXd& x, const VectorXd& y, const PerceptronOptions& options) {
  PerceptronScaling out{VectorXd::Zero(x.cols()), VectorXd::Ones(x.cols())};
  for (Index j = 0; options.standardize_inputs && j < x.cols(); ++j) {
    out.means[j] = x.col(j).mean();
    out.scales[j] = deviation_or_one(x.col(j), out.means[j]);
  }
  if (options.standardize_outcome && options.outcome == Outcome::number) {
    out.outcome_mean = y.mean();
    out.outcome_scale = deviation_or_one(y, out.outcome_mean);
  }
  return out;
}

void check_data(const MatrixXd& x, const VectorXd& y, const PerceptronOptions& options) {
  options.check();
  if (y.size() != x.rows())
    throw Error(fmt::format("y has {} rows and x has {}; they must have the same rows", y.size(), x.rows()));
  if (x.rows() == 0 || x.cols() == 0)
    throw Error(fmt::format("x is {} × {}; a perceptron needs at least one row and one column", x.rows(), x.cols()));
  check_finite<double>("x", x);
  check_finite<double>("y", y);
  for (Index i = 0; options.outcome == Outcome::probability && i < y.size(); ++i)
    if (!(y[i] >= 0 && y[i] <= 1))
      throw Error(fmt::format("y is {} in row {}; as a probability it must be from 0 to 1", y[i], i));
}

}  // namespace

void PerceptronOptions::check() const {
  for (const Index outputs : hidden)
    if (outputs < 1) throw Error(fmt::format("a layer in hidden is {}; it must be at least 1", outputs));
  TrainingOptions{
      .epochs = epochs, .batch = batch, .learning_rate = learning_rate, .validation = validation, .patience = patience}
      .check();
}

Perceptron::Perceptron(Network network, Vector<float> parameters, PerceptronScaling scaling, Outcome outcome)
    : network_(std::move(network)),
      parameters_(std::move(parameters)),
      scaling_(std::move(scaling)),
      outcome_(outcome) {
  if (network_.outputs() != 1)
    throw Error(fmt::format("the network of a perceptron has {} outputs; it must have 1", network_.outputs()));
  if (parameters_.size() != network_.parameter_count())
    throw Error(fmt::format("the parameters of a network have {} numbers; its layers have {}", parameters_.size(),
                            network_.parameter_count()));
  if (scaling_.means.size() != network_.inputs() || scaling_.scales.size() != network_.inputs())
    throw Error(fmt::format("a perceptron of {} inputs has {} means and {} scales; it must have as many",
                            network_.inputs(), scaling_.means.size(), scaling_.scales.size()));
  if (!(scaling_.scales.minCoeff() > 0) || !(scaling_.outcome_scale > 0))
    throw Error("a scale of a perceptron is not positive; it divides");
}

VectorXd Perceptron::predict(const MatrixXd& x) const {
  if (x.cols() != network_.inputs())
    throw Error(fmt::format("x has {} columns; this perceptron was fitted to {}", x.cols(), network_.inputs()));
  check_finite<double>("x", x);
  const Cells<float> out = evaluate(network_, parameters_, scaled("x", x, scaling_.means, scaling_.scales));
  return outcome_of(out.col(0).cast<double>());
}

VectorXd Perceptron::outcome_of(const Eigen::ArrayXd& out) const {
  if (outcome_ == Outcome::number) return scaling_.outcome_mean + scaling_.outcome_scale * out;
  return 1 / (1 + (-out).exp());
}

VectorXd Perceptron::averaged(const MatrixXd& a, const VectorXd& shares) const {
  const std::vector<Layer>& layers = network_.layers();
  const Index levels = shares.size(), q = a.cols(), width = layers.front().outputs;
  if (layers.size() < 2 || layers.front().activation != Activation::relu || q == 0 || levels + q != network_.inputs())
    return Predictor::averaged(a, shares);
  check_finite<double>("a", a);
  const Cells<float> inputs = scaled("a", a, scaling_.means.tail(q), scaling_.scales.tail(q));
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> weights(parameters_.data(), width, levels + q);
  const Eigen::ArrayXf means = scaling_.means.head(levels).cast<float>(),
                       scales = scaling_.scales.head(levels).cast<float>();
  // W [(1_g − m) / s, a] = what no group is, and what g adds to it
  const Network sums(q, {{width, Activation::linear}}), rest(width, {layers.begin() + 1, layers.end()});
  Vector<float> of_sums(sums.parameter_count());
  Eigen::Map<RowMajor>(of_sums.data(), width, q) = weights.rightCols(q);
  of_sums.tail(width) =
      parameters_.segment(width * (levels + q), width) - weights.leftCols(levels) * (means / scales).matrix();
  const Vector<float> of_rest = parameters_.tail(rest.parameter_count());

  const Index together = std::min(kEvaluatedTogether, std::max<Index>(a.rows(), 1));
  Workspace<float> summing(sums, together), resting(rest, together);
  Batch<float> batch(together, q), hidden(together, width);
  VectorXd out = VectorXd::Zero(a.rows());
  for (Index first = 0; first < a.rows(); first += together) {
    const Index rows = std::min(together, a.rows() - first);
    batch.set_rows(rows);
    hidden.set_rows(rows);
    batch.matrix() = inputs.middleRows(first, rows);
    const auto z = sums.forward(of_sums, batch.view(), summing).matrix();
    for (Index g = 0; g < levels; ++g) {
      if (shares[g] == 0) continue;
      for (Index j = 0; j < width; ++j)
        hidden.matrix().col(j) = (z.col(j).array() + weights(j, g) / scales[g]).max(0.0F);
      const Eigen::ArrayXd said = rest.forward(of_rest, hidden.view(), resting).matrix().col(0).cast<double>().array();
      out.segment(first, rows) += shares[g] * outcome_of(said);
    }
  }
  return out;
}

Perceptron fit_perceptron(const MatrixXd& x, const VectorXd& y, const PerceptronOptions& options,
                          const EpochCallback& callback) {
  check_data(x, y, options);
  const PerceptronScaling scaling = scaling_of(x, y, options);
  const Cells<float> inputs = scaled("x", x, scaling.means, scaling.scales),
                     targets = scaled("y", y, &scaling.outcome_mean, &scaling.outcome_scale);

  const Network network(x.cols(), layers_of(options.hidden, options.activation, {1, Activation::linear}));
  const TrainingOptions training{.loss = options.outcome == Outcome::number ? Loss::mse : Loss::bce_logits,
                                 .epochs = options.epochs,
                                 .batch = options.batch,
                                 .learning_rate = options.learning_rate,
                                 .seed = options.seed,
                                 .validation = options.validation,
                                 .patience = options.patience};
  Training<float> trained =
      train<float>(network, network.initial_parameters<float>(options.seed), inputs, targets, training, callback);
  return {network, std::move(trained.parameters), scaling, options.outcome};
}

Learner perceptron_learner(const PerceptronOptions& options, const EpochCallback& callback) {
  options.check();
  return [options, callback](const MatrixXd& x, const VectorXd& y) -> std::unique_ptr<const Predictor> {
    return std::make_unique<Perceptron>(fit_perceptron(x, y, options, callback));
  };
}

std::string Perceptron::to_json() const {
  Json content = {{"outcome", outcome_ == Outcome::number ? "number" : "probability"},
                  {"means", plumbline::json_of(scaling_.means)},
                  {"scales", plumbline::json_of(scaling_.scales)},
                  {"outcome_mean", scaling_.outcome_mean},
                  {"outcome_scale", scaling_.outcome_scale},
                  {"network", plumbline::json_of(network_, parameters_)}};
  return seal(kFormat, kVersion, std::move(content));
}

Perceptron Perceptron::from_json(std::string_view text) {
  const Json document = unseal(text, kFormat, kVersion);
  const auto outcome = value_at<std::string>(document, "outcome");
  if (outcome != "number" && outcome != "probability") bad_member("outcome", "is neither number nor probability");
  StoredNetwork<float> stored = network_of<float>(member(document, "network"));
  return {std::move(stored.network), std::move(stored.parameters),
          PerceptronScaling{vector_at(document, "means"), vector_at(document, "scales"),
                            number_at(document, "outcome_mean"), number_at(document, "outcome_scale")},
          outcome == "number" ? Outcome::number : Outcome::probability};
}

}  // namespace plumbline
