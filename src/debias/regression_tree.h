// A tree that cuts rows into leaves within which a target varies least.
//
//   leaves are cut, the one that gains most first, at the cut that gains most:   gain = |S_l|²/W_l + |S_r|²/W_r −
//   |S|²/W
//
// with W the weight and S ∈ R^d the weighted sum of the targets in a node. Numbers are cut at a threshold (left: x ≤
// t), categories into two sets of levels, neighbours in the order of their means of the target along the axis in which
// these differ most. A cut must leave `least` of weight on either side, and gain more than noise would: 2 log(1 + cuts
// looked at) times the variance of the target in the node. Inputs and cuts are tried in their order and the first of
// equals is taken, so that the tree has the same bits for any number of threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

struct TreeInput {
  Index input = 0;                   // where x has it
  std::vector<std::uint16_t> codes;  // of each row: its level, or how many cuts lie below it
  Index bins = 1;
  std::vector<double> cuts;  // of a number, ascending, one less than bins; none: a category
};

struct TreeTarget {
  Index outputs = 1;
  std::vector<std::uint16_t> classes;  // one a row, below outputs: the target is their indicators
  Eigen::MatrixXd values;              // else outputs × n
};

struct TreeOptions {
  Index leaves = 1;
  double least = 1;
  int threads = 1;
};

class RegressionTree {
 public:
  struct Node {
    std::int32_t input = -1;  // −1: a leaf
    std::int32_t left = 0;    // the number of the leaf, or the left child; the right one is next to it
    double threshold = 0;     // of a number
    std::int32_t set = -1;    // of a category: where its levels of the left side begin in sets
    std::int32_t levels = 0;

    bool operator==(const Node&) const = default;
  };

  RegressionTree() : nodes_(1) {}
  RegressionTree(std::vector<Node> nodes, std::vector<std::uint8_t> sets);  // throws Error if they are no tree

  static RegressionTree learn(const std::vector<const TreeInput*>& inputs, const TreeTarget& target,
                              std::span<const double> weights, const TreeOptions& options);

  Index leaves() const { return leaves_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::uint8_t>& sets() const { return sets_; }

  Index leaf(const double* x) const {
    const Node* node = nodes_.data();
    while (node->input >= 0) {
      const double v = x[node->input];
      bool right = false;
      if (node->set < 0)
        right = v > node->threshold;
      else
        right = !(v >= 0 && v < node->levels) || sets_[static_cast<std::size_t>(node->set + static_cast<int>(v))] == 0;
      node = nodes_.data() + node->left + (right ? 1 : 0);
    }
    return node->left;
  }

  bool operator==(const RegressionTree&) const = default;

 private:
  friend class TreeGrower;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> sets_;  // 1: to the left
  Index leaves_ = 1;
};

}  // namespace plumbline
