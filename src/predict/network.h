// A network of dense layers:  y⁰ = x,  yˡ = fₗ(Wₗ yˡ⁻¹ + bₗ),  y = y of the last layer,  each row of a batch alike.
//
//   linear f(z) = z,   relu max(z, 0) with slope 0 at 0,   tanh,   sigmoid 1 / (1 + e^{−z})
//
// Network is the shape alone. Parameters are one vector that the caller owns, so that one optimiser step, one copy of
// the best or one file takes all of them: W₁ row by row (outputs × inputs), b₁, W₂, b₂ …, the order of PyTorch.
//
// Networks are put together through what the caller owns as well. forward leaves what backward needs in a Workspace,
// and gives y, which lives there; backward takes ∂L/∂y of the last forward with that workspace, and
//
//   adds      ∂L/∂parameters to `gradient`: set it to zero first, or let several passes add up
//   writes    ∂L/∂x to `dx`, a batch of the same rows, if it is asked for
//
// so the dx of one network is, or is part of, the dy of another. x, y and dx may be some columns of larger batches. x
// is not copied: it has to stay as it is from forward to backward. dy is not changed. Nothing is allocated.
//
// One network can be at work in several workspaces at once, in as many threads. The kernels that compute are those of
// the instruction set in use: for one set, the same input gives the same bits.
//
// initial_parameters draws W and b of each layer from U(−1/√inputs, 1/√inputs), in order, as PyTorch's Linear does by
// default; the numbers are the same for the same seed on every machine (random_stream.h).
//
// Error when a layer has no outputs or the network no inputs or no layers; when shapes, the size of a vector or the
// rows of a workspace do not match; when backward is called before forward.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "predict/batch.h"

namespace plumbline {

using kernels::Activation;

const char* name_of(Activation activation);

template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

struct Layer {
  Eigen::Index outputs;
  Activation activation = Activation::relu;
};

// Layers of these many outputs with one activation, and a last one.
std::vector<Layer> layers_of(const std::vector<Eigen::Index>& hidden, Activation activation, Layer last);

template <class T>
class Workspace;

class Network {
 public:
  Network(Eigen::Index inputs, std::vector<Layer> layers);

  Eigen::Index inputs() const { return inputs_; }
  Eigen::Index outputs() const { return layers_.back().outputs; }
  const std::vector<Layer>& layers() const { return layers_; }
  Eigen::Index inputs_of(std::size_t layer) const { return layer == 0 ? inputs_ : layers_[layer - 1].outputs; }
  Eigen::Index parameter_count() const { return offsets_.back(); }

  template <class T>
  Vector<T> initial_parameters(std::uint64_t seed) const;

  // The result is valid until the next forward with this workspace.
  template <class T>
  BatchView<const T> forward(const Vector<T>& parameters, ReadBatch<T> x, Workspace<T>& workspace) const;

  template <class T>
  void backward(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace, Vector<T>& gradient,
                std::type_identity_t<std::optional<BatchView<T>>> dx = std::nullopt) const;

  // ∂L/∂x alone, for a network whose parameters stand still.
  template <class T>
  void backward_to_inputs(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace,
                          std::type_identity_t<BatchView<T>> dx) const;

 private:
  template <class T>
  void run_back(const Vector<T>& parameters, ReadBatch<T> dy, Workspace<T>& workspace, Vector<T>* gradient,
                const std::optional<BatchView<T>>& dx) const;
  template <class T>
  kernels::NetworkLayer<T> layer_for_kernels(const Vector<T>& parameters, std::size_t layer) const;

  Eigen::Index inputs_;
  std::vector<Layer> layers_;
  std::vector<Eigen::Index> offsets_;  // of each layer's W in the parameters, and their number
};

template <class T>
using Cells = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// Throws Error naming the first cell that is not finite, if one is.
template <class T>
void check_finite(const char* what, const Cells<T>& cells);

// y of every row of x, by batches.
inline constexpr Eigen::Index kEvaluatedTogether = 128;  // what a layer says of them stays in the L1 cache
template <class T>
Cells<T> evaluate(const Network& network, const Vector<T>& parameters, const Cells<T>& x);

// Room for the outputs of all layers and their derivatives, for up to most_rows rows.
template <class T>
class Workspace {
 public:
  Workspace(const Network& network, Eigen::Index most_rows);

  Eigen::Index most_rows() const { return outputs_.front().most_rows(); }

 private:
  friend class Network;

  BatchView<const T> input_of(std::size_t layer, Eigen::Index inputs) const;
  void check(const Network& network) const;

  std::vector<Batch<T>> outputs_;  // of each layer
  std::vector<Batch<T>> slopes_;   // by what goes into each layer's activation
  const T* x_ = nullptr;           // of the last forward
  Eigen::Index x_stride_ = 0, rows_ = 0;
};

}  // namespace plumbline
