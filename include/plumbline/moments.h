// The one statistic that every fit is a function of: weighted first and second moments of rows x = (b, a),
// b ∈ R^p sensitive, a ∈ R^q not.
//
//   W = Σ w_i        μ = Σ w_i x_i / W        C = Σ w_i (x_i − μ)(x_i − μ)ᵀ
//
// Kind::full keeps all of C; Kind::cross only C_BB, C_BA and the diagonal of C_AA, which is all that a fit of full
// rank needs and costs O(p) a cell in place of O(p + q).
//
// Rows are read once. In each leaf of 4,096 rows products are taken of deviations from an origin o near their mean
// (that of the first 64th of its rows; with weights their weighted mean), so a mean of 1e9 with a spread of 1 is no
// trouble:
//
//   S = Σ w (x − o)(x − o)ᵀ     r = Σ w (x − o)     μ = o + r / W     C = S − r rᵀ / W
//
// Products of up to 64 sensitive columns with each other are summed in twice the precision of a double, in which
// leaves are also merged, in the order of the rows:
//
//   δ = μ₂ − μ₁     μ = μ₁ + δ W₂/W     C = C₁ + C₂ + δδᵀ W₁W₂/W
//
// so the result has the same bits for any number of threads, and the same statistic of parts merges to that of the
// whole up to the rounding within a leaf. The empty statistic is the identity of merge, exactly, on both sides.
//
// update and merge throw Error, and leave the statistic as it was, when shapes or names disagree, a cell is NaN or
// infinite, a weight is negative or not finite, or a column's squares or the sum of the weights leave the range of a
// double.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

struct UpdateOptions {
  int threads = 0;                       // 0: one a core, or as many as OMP_NUM_THREADS says
  std::span<const double> weights = {};  // empty: all one; else one a row, finite and not negative
};

class Moments {
 public:
  enum class Kind : std::uint32_t { cross, full };

  Moments() = default;                                               // empty, of any shape: the identity of merge
  Moments(Index features, Index sensitive, Kind kind = Kind::full);  // columns named a0, a1 …, b0, b1 …
  // Throws Error unless all names differ.
  Moments(std::vector<std::string> features, std::vector<std::string> sensitive, Kind kind = Kind::full);

  void update(const Columns& a, const Columns& b, const UpdateOptions& options = {});
  void merge(const Moments& other);

  // The statistic of all rows but those of a part, whose columns are the same. A column that varies by no more than
  // what is left of it by rounding does not vary. Throws Error if the part has more rows or weight, or nothing is left.
  Moments without(const Moments& part) const;

  // The same statistic with further columns, which are 0 in every row. Throws Error unless the names hold those that
  // there are, in their order.
  Moments widened(const std::vector<std::string>& features, const std::vector<std::string>& sensitive) const;

  // The same statistic of other features: that of feature j is the sum of those i with into[i] = j, of which no two
  // differ from 0 in one row (indicators of levels that are merged). Throws Error unless each name has a feature.
  Moments merged(std::vector<std::string> features, const std::vector<Index>& into) const;

  // The same statistic of some of the sensitive columns, the same numbers. Throws Error unless they are there, in this
  // order.
  Moments of_sensitive(const std::vector<std::string>& names) const;

  // The statistic with a feature that has this value in every row.
  void hold(Index feature, double value);

  Moments cross() const;  // without the products of features with each other

  Kind kind() const { return kind_; }
  Index features() const { return static_cast<Index>(feature_names_.size()); }
  Index sensitive() const { return static_cast<Index>(sensitive_names_.size()); }
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  const std::vector<std::string>& sensitive_names() const { return sensitive_names_; }

  std::int64_t rows() const { return rows_; }
  double weight() const { return weight_[0]; }
  Eigen::VectorXd mean_a() const { return mean_.col(0).tail(features()); }
  Eigen::VectorXd mean_b() const { return mean_.col(0).head(sensitive()); }
  Eigen::VectorXd scatter_diagonal_a() const;
  Eigen::MatrixXd scatter_aa() const;  // throws Error for Kind::cross
  Eigen::MatrixXd scatter_ba() const;  // p × q
  Eigen::MatrixXd scatter_bb() const;
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Extended extended_scatter_bb() const;  // with the digits beyond a double

  // The file form: magic, version, kind, names, numbers, checksum; little-endian, exact. A path that ends in .gz or
  // .zst is compressed; - is standard output or input. A file that exists is replaced as a whole.
  std::string to_bytes() const;
  static Moments from_bytes(std::string_view bytes);
  void save(const std::filesystem::path& path) const;
  static Moments load(const std::filesystem::path& path);

  bool operator==(const Moments&) const;

 private:
  Index columns() const { return features() + sensitive(); }
  Index lead() const { return kind_ == Kind::full ? columns() : sensitive(); }
  const std::string& name(Index column) const;
  void reset();
  void check_same_columns(const Moments& other) const;
  void combine(const Moments& other, double sign);  // the sums of both, or the difference
  void accumulate(const Columns& a, const Columns& b, std::span<const double> weights, Index first, Index count,
                  std::vector<double>& tile);
  void check_range(const Columns& a, const Columns& b, std::span<const double> weights, Index first, Index count) const;

  Kind kind_ = Kind::full;
  std::vector<std::string> feature_names_;
  std::vector<std::string> sensitive_names_;
  std::int64_t rows_ = 0;
  // Each number is hi + lo. x = (b, a); of C the columns [0, lead) from the diagonal down, then the diagonal alone.
  double weight_[2] = {0, 0};
  Eigen::MatrixX2d mean_;
  Eigen::MatrixXd scatter_hi_, scatter_lo_;
  Eigen::MatrixX2d diagonal_;
};

}  // namespace plumbline
