// The result of every fit: one affine map, kept factored.
//
//   ã = μ_A + γ ∘ (a − μ_A) + R s            s = L_B z + L_A (a − μ_A)            z = Z (b − μ_B)
//
// with γ ∈ R^q, R (q × k), L_B (k × r), L_A (k × q), Z (r × p), so T_A = diag(γ) + R L_A and T_B = R L_B Z. In blind
// mode L_B is absent, which is zero, and b need not be given. In a fit of full rank both are absent, and s is z itself.
// z are r uncorrelated columns of unit variance that span B; without Z, z is b − μ_B. B is φ(b) where the fit expanded
// it, and p counts φ's columns.
//
// Tables may be double or float, of any layout (plumbline/columns.h); rows are independent, so any number of threads
// gives the same bits. Calls throw Error when shapes disagree, a cell is NaN or infinite, a code is not known to φ, or
// the result leaves the range of `out`'s numbers, naming such a cell; `out` then holds any of its old and new rows.
// apply_in_place has computed every row once before it writes the first, and leaves a as it was if it throws; so does
// apply where `out` is `a` itself. `out` must not overlap a or b in any other way.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"
#include "plumbline/expansion.h"

namespace plumbline {

struct AffineParts {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  std::vector<std::string> feature_names, sensitive_names;  // sensitive: the columns of φ(b) if it is expanded
  std::optional<Expansion> expansion;
  Eigen::VectorXd mean_a, mean_b, scale_a, scale_b;  // the scales are those of the fit; the map does not use them
  Eigen::VectorXd direct;                            // γ
  RowMajor output;                                   // R
  std::optional<RowMajor> reduce_b;                  // Z
  std::optional<RowMajor> project_b, project_a;      // L_B, L_A; L_B is absent wherever L_A is
  bool has_scores = false;                           // s are the scores of a fit of rank k
  double alpha = 1;                                  // the strength of the fit, which is part of γ and R
};

// y = c + T_A a + T_B φ(b).
struct DenseMap {
  Eigen::VectorXd constant;  // c
  Eigen::MatrixXd a, b;      // T_A, T_B; T_B is zero in blind mode
};

struct ApplyOptions {
  int threads = 0;  // 0: one a core, or as many as OMP_NUM_THREADS says
};

// What makes ã (n × q) of rows, whatever kind of map it is.
using RowsMap = std::function<void(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions&)>;

class AffineModel {
 public:
  using RowMajor = AffineParts::RowMajor;

  AffineModel() = default;
  explicit AffineModel(AffineParts parts);  // throws Error when shapes disagree, or a number is not finite or a scale
                                            // not positive

  Index features() const { return parts_.mean_a.size(); }
  Index sensitive_inputs() const;  // columns of b to give: before expansion, and none in blind mode
  Index scores() const;            // columns of scores; 0 if the model has none
  Index rank() const;              // dimensions kept: scores, or q at full rank
  bool needs_sensitive() const { return !parts_.project_a || parts_.project_b; }
  const AffineParts& parts() const { return parts_; }

  // out: n × q. In blind mode b may have no columns.
  void apply(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& options = {}) const;
  void apply_in_place(const MutableColumns& a, const Columns& b, const ApplyOptions& options = {}) const;
  Eigen::MatrixXd apply(const Columns& a, const Columns& b, const ApplyOptions& options = {}) const;

  // out: n × k. Throws Error if the model has no scores.
  void apply_scores(const Columns& a, const Columns& b, const MutableColumns& out,
                    const ApplyOptions& options = {}) const;

  // One row, without allocation after the first call on a thread for a model of that size. `out` may be `a`. It sums in
  // another order than apply, so the last bits of its result may differ.
  void apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const;
  void apply_row_scores(std::span<const double> a, std::span<const double> b, std::span<double> out) const;

  // The same map written out: ã = c + T_A a + T_B φ(b).
  Eigen::MatrixXd dense_a() const;
  Eigen::MatrixXd dense_b() const;
  Eigen::VectorXd constant() const;
  DenseMap dense_scores() const;  // of s in place of ã; throws Error if the model has no scores

  std::string to_json() const;                          // numbers that read back exactly, and a checksum
  static AffineModel from_json(std::string_view text);  // throws Error if it is cut, edited, newer or inconsistent

  bool operator==(const AffineModel& other) const;

 private:
  enum class Output { features, scores };
  struct Scratch;

  Index reduced() const;  // columns of z; none in blind mode

  template <class Tile>
  void for_each_tile(const Columns& a, const Columns& b, const ApplyOptions& options, const Tile& tile) const;
  void run(const Columns& a, const Columns& b, const MutableColumns& out, Output kind,
           const ApplyOptions& options) const;
  void check_tables(const Columns& a, const Columns& b, Index out_rows, Index out_cols, Index expected_cols) const;
  void load_sensitive(const Columns& b, Index first, Index count, Scratch& scratch) const;
  bool transform_direct(const Columns& a, const MutableColumns& out, Index first, Index count, Scratch& scratch) const;
  const double* transform_packed(const Columns& a, Index first, Index count, Output kind, Scratch& scratch) const;
  void check_inputs(const Columns& a, const Columns& b, Index first, Index count) const;
  std::string result_name(Index column, Output kind) const;
  void run_row(std::span<const double> a, std::span<const double> b, std::span<double> out, Output kind) const;
  bool is_finite(const double* tile, Index count, Index cols, Scalar scalar, Scratch& scratch) const;

  AffineParts parts_;
  RowMajor project_;      // [L_B L_A]
  RowMajor transposed_;   // Rᵀ, where s is z
  Eigen::VectorXd base_;  // what is added to γ ∘ source + R s, the source being a, or a − μ_A where L_A needs that
};

}  // namespace plumbline
