// What comes after the affine map where E[A given b] and cov(A given b) are to be the same for all b.
//
//   s̃ = Σ_k w_k(b) T_k (s − Σ_l w_l(b) m_l)        out = α (μ_A + R s̃) + (1 − α) a
//
// s are the k scores of the affine model, or at full rank what it leaves of the q features in working units, and R
// takes them back to features. w_1 … w_K is a partition of unity over b (plumbline/partition.h). In it, with r what
// is left of s once its least-squares regression on ψ(b) = (φ(b), w(b)) is taken away:
//
//   Σ_k = cov(r under weights w_k), drawn towards the pooled Σ = Σ_k π_k Σ_k where a region is thin:
//         (1 − λ_k) Σ_k + λ_k Σ,   λ_k = c (d + 1) / (c (d + 1) + n_k),   n_k = (Σ_i w_k)² / Σ_i w_k²,
//         π_k = mean of w_k, d = dimensions of Σ, 1 where Σ_k is diagonal
//   S   = the Bures–Wasserstein barycentre of the Σ_k with weights π_k:  S = M S M,  M = Σ_k π_k T_k
//   T_k = S^½ (S^½ Σ_k S^½)^{−½} S^½,   so that  T_k Σ_k T_k = S  and  Σ_k π_k T_k = I
//
// in the directions that have more than 1e-7 of the variance of the largest; nothing is left of the others. Diagonal
// Σ_k have S^½ = Σ_k π_k Σ_k^½ and T_k = S^½ Σ_k^{−½}: if A = m(B) + D(B) ε with D diagonal and ε independent of B,
// the result is independent of B.
//
// The means m_l, and the part on φ(b), which is in the affine model, are those for which s̃ is uncorrelated with all of
// ψ(b): generalised least squares, Σ_k E[w_k T_k (s − m) ψᵀ] = 0. Directions of w in which φ leaves less than 1e-4 of
// the variance are not told from φ. A feature that is constant, held, or explained by ψ(b) stays constant.
//
// The model is the fit's. apply, apply_scores and apply_row throw what those of AffineModel do. Results depend on the
// row alone, so any number of threads gives the same bits.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "plumbline/affine_model.h"
#include "plumbline/partition.h"

namespace plumbline {

struct SpreadOptions {
  bool diagonal = false;            // variances alone, not covariances
  PartitionOptions partition = {};  // the regions
  double shrinkage = 1;             // c: 0 takes each region's covariance as it is
  int max_iterations = 200;         // of the barycentre
  double tolerance = 1e-9;          // it has converged when no entry of Σ_k π_k T_k is further from the identity

  void check() const;  // throws Error naming the field
};

struct SpreadParts {
  using RowMajor = AffineParts::RowMajor;

  Partition partition;
  RowMajor means;              // m_l, a row each
  std::vector<RowMajor> maps;  // T_k; none if they are diagonal
  RowMajor scales;             // their diagonals, a row each; empty if they are not diagonal
  RowMajor centre;             // S, or a row with its diagonal
  Eigen::VectorXd rows;        // n_k
  Eigen::VectorXd shrunk;      // λ_k
  Eigen::VectorXd kept;        // share of each feature that stays as it is: 1 − α, or 0 where it is held
  double alpha = 1;
  int iterations = 0;  // of the barycentre
  bool converged = true;
};

class Spread {
 public:
  Spread() = default;
  explicit Spread(SpreadParts parts);  // throws Error when shapes disagree or a number is not finite

  const SpreadParts& parts() const { return parts_; }
  bool is_diagonal() const { return parts_.maps.empty(); }
  Index regions() const { return parts_.partition.regions(); }
  Index dimensions() const { return parts_.means.cols(); }  // of s

  void apply(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out,
             const ApplyOptions& options = {}) const;
  void apply_scores(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out,
                    const ApplyOptions& options = {}) const;

  // Without allocation after the first call on a thread for a model of that size. `out` may be `a`.
  void apply_row(const AffineModel& model, std::span<const double> a, std::span<const double> b,
                 std::span<double> out) const;

  void check_fits(const AffineModel& model) const;  // throws Error unless its columns are those of the model
  void hold(Index feature);                         // nothing of it stays

  bool operator==(const Spread& other) const;

 private:
  enum class Output { features, scores };
  struct Scratch;

  void check_tables(const AffineModel& model, const Columns& a, const Columns& b, Index rows, Index cols,
                    Output kind) const;
  void run(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out, Output kind,
           bool is_dry, const ApplyOptions& options) const;
  void make_equal(const AffineModel& model, const Columns& a, const Columns& b, Scratch& scratch) const;
  void map_group(Index slot, const AffineModel& model, Scratch& scratch) const;
  const double* result_tile(const AffineModel& model, const Columns& a, Index first, Index count, Output kind,
                            Scratch& scratch) const;

  SpreadParts parts_;
};

}  // namespace plumbline
