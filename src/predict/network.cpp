#include "predict/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random_stream.h"
#include "plumbline/error.h"
#include "predict/network_kernels.h"

namespace plumbline {
namespace {

using Eigen::Index;

template <class T>
void check_size(const char* what, const Vector<T>& vector, Index size) {
  if (vector.size() != size)
    throw Error(fmt::format("the {} of a network have {} numbers; its layers have {}", what, vector.size(), size));
}

template <class T>
void check_batch(const char* what, const BatchView<T>& batch, Index rows, Index cols) {
  if (batch.rows() != rows || batch.cols() != cols)
    throw Error(
        fmt::format("{} of a network is {} × {}; it must be {} × {}", what, batch.rows(), batch.cols(), rows, cols));
}

template <class T>
void copy(BatchView<const T> from, BatchView<T> to) {
  to.matrix() = from.matrix();
}

}  // namespace

const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::linear:
      return "linear";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::sigmoid:
      return "sigmoid";
  }
  return "";
}

std::vector<Layer> layers_of(const std::vector<Index>& hidden, Activation activation, Layer last) {
  std::vector<Layer> layers;
  for (const Index outputs : hidden) layers.push_back({outputs, activation});
  layers.push_back(last);
  return layers;
}

Network::Network(Index inputs, std::vector<Layer> layers) : inputs_(inputs), layers_(std::move(layers)) {
  if (inputs < 1) throw Error(fmt::format("a network has {} inputs; it must have at least 1", inputs));
  if (layers_.empty()) throw Error("a network has no layers; it must have at least 1");
  offsets_.push_back(0);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].outputs < 1)
      throw Error(fmt::format("layer {} of a network has {} outputs; it must have at least 1", l, layers_[l].outputs));
    offsets_.push_back(offsets_.back() + layers_[l].outputs * (inputs_of(l) + 1));
  }
}

template <class T>
Vector<T> Network::initial_parameters(std::uint64_t seed) const {
  Vector<T> out(parameter_count());
  RandomStream random(seed, 1, 0);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const double bound = 1 / std::sqrt(static_cast<double>(inputs_of(l)));
    for (Index i = offsets_[l]; i < offsets_[l + 1]; ++i) out[i] = static_cast<T>((2 * random.uniform() - 1) * bound);
  }
  return out;
}

template <class T>
kernels::NetworkLayer<T> Network::layer_for_kernels(const Vector<T>& parameters, std::size_t layer) const {
  const T* const w = parameters.data() + offsets_[layer];
  const Index inputs = inputs_of(layer), outputs = layers_[layer].outputs;
  return {w, w + inputs * outputs, inputs, outputs, layers_[layer].activation};
}

template <class T>
BatchView<const T> Network::forward(const Vector<T>& parameters, ReadBatch<T> x, Workspace<T>& workspace) const {
  check_size("parameters", parameters, parameter_count());
  check_batch("x", x, x.rows(), inputs_);
  workspace.check(*this);
  const kernels::NetworkFunctions<T>& kernel = network_kernels<T>();
  for (Batch<T>& output : workspace.outputs_) output.set_rows(x.rows());
  workspace.x_ = x.data();
  workspace.x_stride_ = x.stride();
  workspace.rows_ = x.rows();
  for (std::size_t l = 0; l < layers_.size(); ++l)
    kernel.forward(layer_for_kernels(parameters, l), workspace.input_of(l, inputs_).for_kernels(),
                   workspace.outputs_[l].view().for_kernels());
  return std::as_const(workspace.outputs_.back()).view();
}

template <class T>
void Network::run_back(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace, Vector<T>* gradient,
                       const std::optional<BatchView<T>>& dx) const {
  check_size("parameters", parameters, parameter_count());
  workspace.check(*this);
  if (workspace.rows_ == 0) throw Error("backward was called before forward; it needs the outputs of the layers");
  check_batch("dy", dy, workspace.rows_, outputs());
  if (gradient != nullptr) check_size("derivatives", *gradient, parameter_count());
  if (dx) check_batch("dx", *dx, workspace.rows_, inputs_);

  const kernels::NetworkFunctions<T>& kernel = network_kernels<T>();
  for (Batch<T>& slope : workspace.slopes_) slope.set_rows(workspace.rows_);
  copy<T>(dy, workspace.slopes_.back().view());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const BatchView<T> dz = workspace.slopes_[l].view();
    if (layers_[l].activation != Activation::linear)
      kernel.slope(layers_[l].activation, std::as_const(workspace.outputs_[l]).view().for_kernels(), dz.for_kernels());
    const kernels::NetworkLayer<T> layer = layer_for_kernels(parameters, l);
    const BatchView<const T> constant_dz = dz;
    if (gradient != nullptr) {
      T* const dw = gradient->data() + offsets_[l];
      kernel.to_weights(constant_dz.for_kernels(), workspace.input_of(l, inputs_).for_kernels(), dw,
                        dw + layer.inputs * layer.outputs);
    }
    if (l > 0)
      kernel.to_inputs(layer, constant_dz.for_kernels(), workspace.slopes_[l - 1].view().for_kernels());
    else if (dx)
      kernel.to_inputs(layer, constant_dz.for_kernels(), dx->for_kernels());
  }
}

template <class T>
void Network::backward(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace, Vector<T>& gradient,
                       std::type_identity_t<std::optional<BatchView<T>>> dx) const {
  run_back<T>(parameters, dy, workspace, &gradient, dx);
}

template <class T>
void Network::backward_to_inputs(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace,
                                 std::type_identity_t<BatchView<T>> dx) const {
  run_back<T>(parameters, dy, workspace, nullptr, dx);
}

template <class T>
Workspace<T>::Workspace(const Network& network, Index most_rows) {
  for (const Layer& layer : network.layers()) {
    outputs_.emplace_back(most_rows, layer.outputs);
    slopes_.emplace_back(most_rows, layer.outputs);
  }
}

template <class T>
BatchView<const T> Workspace<T>::input_of(std::size_t layer, Index inputs) const {
  return layer == 0 ? BatchView<const T>(x_, rows_, inputs, x_stride_) : outputs_[layer - 1].view();
}

template <class T>
void Workspace<T>::check(const Network& network) const {
  bool fits = outputs_.size() == network.layers().size();
  for (std::size_t l = 0; fits && l < outputs_.size(); ++l) fits = outputs_[l].cols() == network.layers()[l].outputs;
  if (!fits) throw Error("a workspace was made for a network of other layers; each network needs its own");
}

template <class T>
void check_finite(const char* what, const Cells<T>& cells) {
  if (cells.allFinite()) return;
  for (Index j = 0; j < cells.cols(); ++j)
    for (Index i = 0; i < cells.rows(); ++i)
      if (!std::isfinite(cells(i, j)))
        throw Error(fmt::format("{} is {} in row {}, column {}; cells must be finite", what, cells(i, j), i, j));
}

template <class T>
Cells<T> evaluate(const Network& network, const Vector<T>& parameters, const Cells<T>& x) {
  Cells<T> out(x.rows(), network.outputs());
  if (x.rows() == 0) return out;
  const Index together = std::min(kEvaluatedTogether, x.rows());
  Workspace<T> workspace(network, together);
  Batch<T> batch(together, x.cols());
  for (Index first = 0; first < x.rows(); first += together) {
    const Index rows = std::min(together, x.rows() - first);
    batch.set_rows(rows);
    batch.matrix() = x.middleRows(first, rows);
    out.middleRows(first, rows) = network.forward(parameters, batch.view(), workspace).matrix();
  }
  return out;
}

#define PLUMBLINE_INSTANTIATE(T)                                                                        \
  template class Workspace<T>;                                                                          \
  template void check_finite<T>(const char*, const Cells<T>&);                                          \
  template Cells<T> evaluate<T>(const Network&, const Vector<T>&, const Cells<T>&);                     \
  template Vector<T> Network::initial_parameters<T>(std::uint64_t) const;                               \
  template BatchView<const T> Network::forward<T>(const Vector<T>&, ReadBatch<T>, Workspace<T>&) const; \
  template void Network::backward<T>(const Vector<T>&, ReadBatch<T>, Workspace<T>&, Vector<T>&,         \
                                     std::optional<BatchView<T>>) const;                                \
  template void Network::backward_to_inputs<T>(const Vector<T>&, ReadBatch<T>, Workspace<T>&, BatchView<T>) const;
PLUMBLINE_INSTANTIATE(double)
PLUMBLINE_INSTANTIATE(float)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline
