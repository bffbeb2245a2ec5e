// A map after which the features have one law for all b: feature after feature, each given b and those before it.
//
// Features come in groups: a number (a boolean is one with two values), or the indicators of a category. In their order
// j = 1 … J, with f = f_j(ã_1 … ã_{j−1}) the leaf of a tree and w_k(b) the regions of a partition
// (plumbline/partition.h):
//
//   category     p_b(l) = Σ_k w_k(b) p_fk(l),  p̄(l) its average over b. Level l is kept with probability
//                min(1, p̄(l) / p_b(l)), else another one is drawn in proportion to (p̄ − p_b)₊: of all ways from p_b to
//                p̄ the one that changes the fewest
//   levels       u = F_b(a),  ã = F̄⁻¹(u), with F_b = Σ_k w_k(b) F_fk and F̄ its average. Inside an atom u is drawn. Of
//                numbers with fewer than 16 values, or one that more than a fifth of the rows have
//   continuous   r = (a − m − g(ã_<j, b)) / s(b),  u = F_b(r),  ã = m̄ + ḡ(ã_<j) + s̄ Q̄(u) in units of a, with
//                m + g linear in w(b), b, earlier features, their hinges and products with b, and Q̄ = Σ_k π_k Q_fk the
//                average of quantiles, so that ã is the nearest to a that has one law. Values on a grid are first
//                spread over the half way to their neighbours, and put back on it at last
//
// How p_fk and F_fk are learned says src/debias/conditional_law.h, and the tree src/debias/regression_tree.h.
// If A_j = f_j(B, A_1 … A_{j−1}, ε_j) with f_j rising in ε_j, and the order is that one, ã tends to a function of the
// noises ε alone as rows become many: independent of B, and the same for a row and what it would be at another b.
// What is left on finite rows is what regions, leaves and locations do not resolve.
//
// a is n × q, b is n × p. What a row becomes is a function of the seed and the row's own numbers: the same in any
// order, chunk, tile or thread. Draws have the same bits on every machine. The rest is sums, products, quotients and
// square roots in one order, but for the exp of partitions by several numbers, whose last bit may differ between C
// libraries.
//
// In the fit, weights count relative to each other: they are scaled to a mean of 1 over rows of positive weight, so
// that what goes by the number of rows, leaves and priors, goes by the rows that there are.
//
// Throws Error when shapes disagree, a cell is not finite, groups or their order do not fit the columns, b does not
// vary, or rows are too few. A category without a level in a row (all zeros) is left so; one that is given by shares
// gets a level drawn by them. Constant groups stay as they are.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/affine_model.h"
#include "plumbline/columns.h"
#include "plumbline/encoding.h"
#include "plumbline/error.h"
#include "plumbline/partition.h"

namespace plumbline {

inline constexpr Index kDistributionRows = 131'072;  // of a larger table a fit looks at a sample of so many

struct FeatureGroup {
  std::string name;
  Index width = 1;
  bool is_category = false;

  bool operator==(const FeatureGroup&) const = default;
};

std::vector<FeatureGroup> feature_groups(const Encoding& encoding);
std::vector<FeatureGroup> feature_groups(const std::vector<std::string>& names);  // all numbers

struct DistributionOptions {
  std::uint64_t seed = 0;
  // Of groups, by name: the causal order where it is known. Those not named come after: numbers, which keep their
  // ranks, before categories, and of each those first of which regions of b explain most (measured on Adult: the least
  // that trees read back, at the best prediction of income, of eight orders).
  std::vector<std::string> order = {};
  int leaves = 0;        // of a tree, at most; 0: √n / 6, up to 64
  int least_rows = 100;  // of a leaf
  double prior = 0;      // rows that the law without interaction is worth; 0: estimated
  PartitionOptions partition = {.among = 0.5, .least = 8, .most = 32};

  void check() const;  // throws Error naming the field
};

// What the fit did to a group on its own rows.
struct GroupChange {
  std::string name;
  double changed = 0;  // share of rows whose value is another one
  double moved = 0;    // mean |ã − a| of a number in standard deviations; of a category as `changed`

  bool operator==(const GroupChange&) const = default;
};

struct DistributionParts;

class Distribution {
 public:
  Distribution() = default;
  static Distribution fit(const Columns& a, const Columns& b, const std::vector<FeatureGroup>& groups,
                          const DistributionOptions& options = {}, std::span<const double> weights = {},
                          int threads = 0);

  Index features() const;
  Index sensitive_inputs() const;
  std::uint64_t seed() const;
  const std::vector<FeatureGroup>& groups() const { return groups_; }
  const std::vector<GroupChange>& changes() const { return changes_; }  // in the order of the map

  // out: n × q, and may be a itself.
  void apply(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how = {}) const;

  // One row, without allocation after the first call on a thread; the same bits as apply. `out` may be `a`.
  void apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const;

  // What the rows would be at `to` (n × p): u as above, then the law at `to` in place of the average. At a row's own b
  // it is the row itself. Exact, as rows become many, for numbers of a triangular model; of categories it is the
  // coupling that changes fewest.
  void counterfactual(const Columns& a, const Columns& b, const Columns& to, const MutableColumns& out,
                      const ApplyOptions& how = {}) const;

  std::string to_json() const;                           // reads back exactly; has a checksum
  static Distribution from_json(std::string_view text);  // throws Error if it is cut, edited, newer or inconsistent

  bool operator==(const Distribution& other) const;

 private:
  friend class DistributionLearner;
  friend class DistributionJson;

  const DistributionParts& parts() const;
  void run(const Columns& a, const Columns& b, const Columns* to, const MutableColumns& out,
           const ApplyOptions& how) const;
  std::string feature_name(Index column) const;

  std::vector<FeatureGroup> groups_;
  std::vector<GroupChange> changes_;
  std::shared_ptr<const DistributionParts> parts_;
};

}  // namespace plumbline
