#include "debias/regression_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/ordered.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr Index kAxisRounds = 12;
constexpr Index kWorthThreads = 200'000;  // cells of a histogram's rows

struct Cut {
  double gain = 0;
  Index input = -1;                // among the inputs that were given
  Index bin = 0;                   // of a number: the last one to the left
  std::vector<std::uint8_t> left;  // of a category: 1 for each level to the left
};

// Weights and weighted targets of the rows of a node, in their order; of classes the weights alone.
struct Gathered {
  Eigen::MatrixXd sums;
  double squares = 0;  // of all targets, weighted
};

struct Open {
  Index first = 0, count = 0;  // its rows, in the order of the grower
  std::int32_t node = 0;
  Cut cut;
};

}  // namespace

class TreeGrower {
 public:
  TreeGrower(const std::vector<const TreeInput*>& inputs, const TreeTarget& target, std::span<const double> weights,
             const TreeOptions& options)
      : inputs_(inputs), target_(target), weights_(weights), options_(options), rows_(weights.size()) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  RegressionTree grow() {
    std::vector<Open> open = {{0, static_cast<Index>(rows_.size()), 0, {}}};
    open[0].cut = best_cut(open[0]);
    RegressionTree tree;
    while (static_cast<Index>(open.size()) < options_.leaves) {
      const auto at = std::max_element(open.begin(), open.end(),
                                       [](const Open& x, const Open& y) { return x.cut.gain < y.cut.gain; });
      if (!(at->cut.gain > 0)) break;
      auto [left, right] = divide(tree, *at);
      *at = std::move(left);
      open.push_back(std::move(right));
    }
    std::sort(open.begin(), open.end(), [](const Open& x, const Open& y) { return x.first < y.first; });
    for (std::size_t i = 0; i < open.size(); ++i)
      tree.nodes_[static_cast<std::size_t>(open[i].node)].left = static_cast<std::int32_t>(i);
    tree.leaves_ = static_cast<Index>(open.size());
    return tree;
  }

 private:
  std::pair<Open, Open> divide(RegressionTree& tree, const Open& node) {
    const TreeInput& input = *inputs_[static_cast<std::size_t>(node.cut.input)];
    const bool is_category = input.cuts.empty();
    const auto goes_left = [&](std::int32_t row) {
      const std::uint16_t code = input.codes[static_cast<std::size_t>(row)];
      return is_category ? node.cut.left[code] != 0 : code <= node.cut.bin;
    };
    const auto begin = rows_.begin() + node.first;
    const auto middle = std::stable_partition(begin, begin + node.count, goes_left);
    RegressionTree::Node& parent = tree.nodes_[static_cast<std::size_t>(node.node)];
    parent.input = static_cast<std::int32_t>(input.input);
    parent.left = static_cast<std::int32_t>(tree.nodes_.size());
    if (is_category) {
      parent.set = static_cast<std::int32_t>(tree.sets_.size());
      parent.levels = static_cast<std::int32_t>(node.cut.left.size());
      tree.sets_.insert(tree.sets_.end(), node.cut.left.begin(), node.cut.left.end());
    } else {
      parent.threshold = input.cuts[static_cast<std::size_t>(node.cut.bin)];
    }
    const std::int32_t left_node = parent.left;
    tree.nodes_.resize(tree.nodes_.size() + 2);
    Open left{node.first, middle - begin, left_node, {}};
    Open right{node.first + left.count, node.count - left.count, left_node + 1, {}};
    left.cut = best_cut(left);
    right.cut = best_cut(right);
    return {std::move(left), std::move(right)};
  }

  Cut best_cut(const Open& node) const {
    const auto count = static_cast<Index>(inputs_.size());
    std::vector<Cut> cuts(inputs_.size());
    Index tried = 0;
    for (const TreeInput* input : inputs_) tried += input->bins - 1;
    const bool is_large = node.count * count > kWorthThreads;
    const Gathered gathered = gather(node);
    run_parallel(count, is_large ? thread_count(options_.threads, count) : 1,
                 [&](Index i, int) { cuts[static_cast<std::size_t>(i)] = best_cut_of(node, gathered, i, tried); });
    Cut best;
    for (Cut& cut : cuts)
      if (cut.gain > best.gain) best = std::move(cut);
    return best;
  }

  Gathered gather(const Open& node) const {
    const bool has_classes = !target_.classes.empty();
    Gathered out{Eigen::MatrixXd(has_classes ? 1 : 1 + target_.outputs, node.count)};
    for (Index i = 0; i < node.count; ++i) {
      const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(node.first + i)]);
      const double w = out.sums(0, i) = weights_[row];
      if (has_classes) out.squares += w;
      for (Index d = 0; !has_classes && d < target_.outputs; ++d) {
        const double y = target_.values(d, static_cast<Index>(row));
        out.sums(1 + d, i) = w * y;
        out.squares += w * y * y;
      }
    }
    return out;
  }

  // Of each bin: its weight, then the weighted sum of each output.
  void fill(const Open& node, const Gathered& gathered, const TreeInput& input, Eigen::MatrixXd& histogram) const {
    const std::int32_t* const rows = rows_.data() + node.first;
    const std::uint16_t* const codes = input.codes.data();
    const double* from = gathered.sums.data();
    if (!target_.classes.empty()) {
      for (Index i = 0; i < node.count; ++i) {
        double* const bin = histogram.col(codes[rows[i]]).data();
        bin[0] += from[i];
        bin[1 + target_.classes[static_cast<std::size_t>(rows[i])]] += from[i];
      }
    } else if (target_.outputs == 2) {  // of every number
      for (Index i = 0; i < node.count; ++i, from += 3) {
        double* const bin = histogram.data() + 3 * codes[rows[i]];
        for (Index d = 0; d < 3; ++d) bin[d] += from[d];
      }
    } else {
      for (Index i = 0; i < node.count; ++i) histogram.col(codes[rows[i]]) += gathered.sums.col(i);
    }
  }

  Cut best_cut_of(const Open& node, const Gathered& gathered, Index which, Index tried) const {
    const TreeInput& input = *inputs_[static_cast<std::size_t>(which)];
    Eigen::MatrixXd histogram = Eigen::MatrixXd::Zero(target_.outputs + 1, input.bins);
    fill(node, gathered, input, histogram);
    const double squares = gathered.squares;
    const Eigen::VectorXd all = histogram.rowwise().sum();
    const double weight = all[0];
    if (!(weight > 0)) return {};
    const double level = all.tail(target_.outputs).squaredNorm() / weight;
    const double variance = std::max(0.0, squares - level) / weight;
    const double noise = 2 * std::log(1.0 + static_cast<double>(tried)) * variance;

    std::vector<Index> order(static_cast<std::size_t>(input.bins));
    std::iota(order.begin(), order.end(), Index{0});
    if (input.cuts.empty()) order = order_of_levels(histogram, all);
    Eigen::VectorXd left = Eigen::VectorXd::Zero(all.size());
    double best = noise + 1e-12 * squares;
    Index at = -1;
    for (Index k = 0; k + 1 < static_cast<Index>(order.size()); ++k) {
      left += histogram.col(order[static_cast<std::size_t>(k)]);
      const double other = weight - left[0];
      if (left[0] < options_.least || other < options_.least) continue;
      const double gain = left.tail(target_.outputs).squaredNorm() / left[0] +
                          (all - left).tail(target_.outputs).squaredNorm() / other - level;
      if (gain > best) {
        best = gain;
        at = k;
      }
    }
    if (at < 0) return {};
    Cut cut{best, which, at, {}};
    if (input.cuts.empty()) {
      cut.left.assign(order.size(), 0);
      for (Index k = 0; k <= at; ++k) cut.left[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = 1;
    }
    return cut;
  }

  // By their means along the axis in which these differ most, found by powers of their scatter.
  std::vector<Index> order_of_levels(const Eigen::MatrixXd& histogram, const Eigen::VectorXd& all) const {
    const Index d = target_.outputs, levels = histogram.cols();
    Eigen::MatrixXd means = Eigen::MatrixXd::Zero(d, levels);
    Eigen::VectorXd axis = Eigen::VectorXd::Zero(d);
    double longest = -1;
    for (Index k = 0; k < levels; ++k) {
      if (!(histogram(0, k) > 0)) continue;
      means.col(k) = histogram.col(k).tail(d) / histogram(0, k) - all.tail(d) / all[0];
      const double length = histogram(0, k) * means.col(k).squaredNorm();
      if (length > longest) {
        longest = length;
        axis = means.col(k);
      }
    }
    for (Index round = 0; d > 1 && round < kAxisRounds; ++round) {
      Eigen::VectorXd next = Eigen::VectorXd::Zero(d);
      for (Index k = 0; k < levels; ++k) next += histogram(0, k) * means.col(k).dot(axis) * means.col(k);
      const double length = next.norm();
      if (!(length > 0)) break;
      axis = next / length;
    }
    const Eigen::VectorXd place = means.transpose() * axis;
    std::vector<Index> order(static_cast<std::size_t>(levels));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index x, Index y) { return place[x] < place[y]; });
    return order;
  }

  const std::vector<const TreeInput*>& inputs_;
  const TreeTarget& target_;
  std::span<const double> weights_;
  const TreeOptions& options_;
  std::vector<std::int32_t> rows_;
};

RegressionTree RegressionTree::learn(const std::vector<const TreeInput*>& inputs, const TreeTarget& target,
                                     std::span<const double> weights, const TreeOptions& options) {
  if (inputs.empty() || options.leaves < 2) return {};
  return TreeGrower(inputs, target, weights, options).grow();
}

RegressionTree::RegressionTree(std::vector<Node> nodes, std::vector<std::uint8_t> sets)
    : nodes_(std::move(nodes)), sets_(std::move(sets)), leaves_(0) {
  const auto refuse = [] { throw Error("the tree of a distribution contradicts itself"); };
  const auto count = static_cast<std::int64_t>(nodes_.size()), bits = static_cast<std::int64_t>(sets_.size());
  if (count < 1 || count % 2 == 0) refuse();
  std::vector<char> is_child(nodes_.size()), is_leaf(nodes_.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    if (node.input < 0) {  // leaves are numbered once each
      if (node.left < 0 || node.left > count / 2 || is_leaf[static_cast<std::size_t>(node.left)]++) refuse();
      ++leaves_;
      continue;
    }
    // Children stand behind their parent, so that every way down ends.
    if (node.left <= i || node.left + std::int64_t{1} >= count || is_child[static_cast<std::size_t>(node.left)]++)
      refuse();
    if (node.left % 2 == 0) refuse();
    if (!std::isfinite(node.threshold)) refuse();
    if (node.set >= 0 && (node.levels < 1 || std::int64_t{node.set} + node.levels > bits)) refuse();
  }
  if (leaves_ != count / 2 + 1) refuse();
}

}  // namespace plumbline
