#include "plumbline/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "base/finite.h"
#include "base/names.h"
#include "base/ordered.h"
#include "base/weights.h"
#include "kernels/views.h"
#include "moments/double_double.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {
namespace {

constexpr Index kLeafTiles = 8;
constexpr Index kLeafRows = kLeafTiles * kernels::kTileRows;
constexpr Index kStraightRows = 128;
constexpr Index kWideSensitive = 64;  // more of them would cost more than the features do
constexpr double kNoScatter = 1e-12;  // of what there was before rows were taken away
constexpr Index kSampleShare = 64;    // one in so many rows, the first of a leaf, gives its origin

std::vector<std::string> numbered(const char* letter, Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", letter, i));
  return names;
}

// A certificate and a model file tell columns apart by their names.
void check_distinct(const std::vector<std::string>& features, const std::vector<std::string>& sensitive) {
  std::unordered_set<std::string_view> seen;
  for (const auto* names : {&features, &sensitive})
    for (const std::string& name : *names)
      if (!seen.insert(name).second)
        throw Error(
            fmt::format("'{}' names two columns; features and sensitive columns need names of their own", name));
}

DoubleDouble get(const Eigen::MatrixX2d& pairs, Index i) { return {pairs(i, 0), pairs(i, 1)}; }
void set(Eigen::MatrixX2d& pairs, Index i, DoubleDouble value) { pairs.row(i) << value.hi, value.lo; }

Index at_least_one(Index columns, const char* what) {
  if (columns < 1) throw Error(fmt::format("{} is {}; it must be at least 1", what, columns));
  return columns;
}

}  // namespace

Moments::Moments(Index features, Index sensitive, Kind kind)
    : Moments(numbered("a", at_least_one(features, "features")), numbered("b", at_least_one(sensitive, "sensitive")),
              kind) {}

Moments::Moments(std::vector<std::string> features, std::vector<std::string> sensitive, Kind kind)
    : kind_(kind), feature_names_(std::move(features)), sensitive_names_(std::move(sensitive)) {
  if (feature_names_.empty()) throw Error("there are no feature columns; at least one is needed");
  if (sensitive_names_.empty()) throw Error("there are no sensitive columns; at least one is needed");
  check_distinct(feature_names_, sensitive_names_);
  reset();
}

const std::string& Moments::name(Index column) const {
  return column < sensitive() ? sensitive_names_[column] : feature_names_[column - sensitive()];
}

void Moments::reset() {
  rows_ = 0;
  weight_[0] = weight_[1] = 0;
  mean_.setZero(columns(), 2);
  scatter_hi_.setZero(columns(), lead());
  scatter_lo_.setZero(columns(), lead());
  diagonal_.setZero(columns(), 2);
}

void Moments::update(const Columns& a, const Columns& b, const UpdateOptions& options) {
  if (columns() == 0) throw Error("this statistic has no columns; construct it with the numbers of columns");
  if (a.cols() != features())
    throw Error(fmt::format("a has {} columns; the statistic has {} features", a.cols(), features()));
  if (b.cols() != sensitive())
    throw Error(fmt::format("b has {} columns; the statistic has {} sensitive columns", b.cols(), sensitive()));
  if (a.rows() != b.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  check_weights(options.weights, a.rows());
  const Index leaves = (a.rows() + kLeafRows - 1) / kLeafRows;
  const int threads = thread_count(options.threads, leaves);
  if (a.rows() == 0) return;
  Moments sum = *this;  // leaf by leaf, so that it does not matter in how many calls they come
  std::vector<Moments> leaf(static_cast<std::size_t>(threads), Moments(feature_names_, sensitive_names_, kind_));
  std::vector<std::vector<double>> tile(leaf.size());
  run_ordered(
      leaves, threads,
      [&](Index i, int slot) {
        const auto s = static_cast<std::size_t>(slot);
        const Index first = i * kLeafRows;
        leaf[s].reset();
        leaf[s].accumulate(a, b, options.weights, first, std::min(kLeafRows, a.rows() - first), tile[s]);
      },
      [&](Index, int slot) { sum.merge(leaf[slot]); });
  *this = std::move(sum);
}

// The statistic of up to kLeafRows rows, in plain double precision, about an origin o near their mean:
//   S = Σ w (x − o)(x − o)ᵀ,   r = Σ w (x − o),   μ = o + r / W,   C = S − r rᵀ / W.
// Products of up to kWideSensitive sensitive columns with each other are summed in twice the precision: what they are
// rounded by comes back multiplied with the condition of B.
// Without weights o is the mean of the first 1 / kSampleShare of the rows. A share s of rows whose mean is off by δ
// gives all of them a variance of δ² s / (1 − s) at least, so the last subtraction cancels a factor of kSampleShare at
// most, whatever the data. With weights o is the weighted mean.
void Moments::accumulate(const Columns& a, const Columns& b, std::span<const double> weights, Index first, Index count,
                         std::vector<double>& tile) {
  const kernels::Dispatch& kernel = kernels::active();
  const Index p = sensitive();
  const Index m = columns();
  const Index last = first + count;
  const double* w = weights.empty() ? nullptr : weights.data();
  rows_ = count;
  weight_[0] = w ? Eigen::Map<const Eigen::VectorXd>(w + first, count).sum() : static_cast<double>(count);
  if (weight_[0] == 0) {
    check_finite(b, sensitive_names_, first, count);
    check_finite(a, feature_names_, first, count);
    return;
  }

  Eigen::VectorXd origin(m), rest = Eigen::VectorXd::Zero(m), sums(m), root;
  const Index wide = p <= kWideSensitive ? p : 0;  // sensitive columns summed in twice the precision
  Eigen::MatrixXd wide_hi = Eigen::MatrixXd::Zero(wide + 1, wide + 1), wide_lo = wide_hi;
  const auto origin_of = [&](const Columns& table, double* out) {
    kernels::Block block = kernels::view(table, first, count);
    if (!w) block.rows = (count + kSampleShare - 1) / kSampleShare;
    kernel.mean[kernels::slot(table.scalar())](block, w ? w + first : nullptr, out);
  };
  origin_of(b, origin.data());
  origin_of(a, origin.data() + p);

  // Features that are only multiplied with B need not go through a tile.
  const bool straight = kind_ == Kind::cross && !w && (a.row_stride() == 1 || a.has_neighbouring_columns());
  const Index step = straight && a.row_stride() != 1 ? kStraightRows : kernels::kTileRows;
  tile.resize(static_cast<std::size_t>((straight ? p + 1 : m) * kernels::kTileStride));
  for (Index at = first; at < last; at += step) {
    const Index n = std::min<Index>(step, last - at);
    poll();
    if (w) root = Eigen::Map<const Eigen::VectorXd>(w + at, n).cwiseSqrt();
    const double* scale = w ? root.data() : nullptr;
    kernel.pack[kernels::slot(b.scalar())](kernels::view(b, at, n), scale, origin.data(), tile.data());
    if (wide > 0) {
      // A column of ones, where the first feature will stand, gives the sums.
      Eigen::Map<Eigen::VectorXd> ones(tile.data() + p * kernels::kTileStride, kernels::padded(n));
      ones.setZero();
      if (w)
        ones.head(n) = root;
      else
        ones.head(n).setOnes();
      kernel.wide_scatter(tile.data(), n, p + 1, wide_hi.data(), wide_lo.data());
    }
    if (straight) {
      if (wide == 0) {
        kernel.scatter(tile.data(), n, p, p, scatter_hi_.data(), m, diagonal_.data(), {});
        kernel.sums(tile.data(), nullptr, n, p, sums.data());
        rest.head(p) += sums.head(p);
      }
      kernel.cross[kernels::slot(a.scalar())](kernels::view(a, at, n), origin.data() + p, tile.data(), p,
                                              rest.data() + p, diagonal_.data() + p, scatter_hi_.data() + p, m);
      continue;
    }
    kernel.pack[kernels::slot(a.scalar())](kernels::view(a, at, n), scale, origin.data() + p,
                                           tile.data() + p * kernels::kTileStride);
    kernel.scatter(tile.data(), n, m, lead(), scatter_hi_.data(), m, diagonal_.data(),
                   kernels::ahead(a, at + n, std::min<Index>(at + n + step, last)));
    kernel.sums(tile.data(), scale, n, m, sums.data());
    rest += sums;
  }
  for (Index j = 0; j < wide; ++j) rest[j] = wide_hi(wide, j);
  for (Index j = 0; j < lead(); ++j) scatter_hi_.col(j).tail(m - j) -= rest.tail(m - j) * (rest[j] / weight_[0]);
  const DoubleDouble weight{weight_[0], 0};
  const auto wide_sum = [&](Index i, Index j) { return quick_two_sum(wide_hi(i, j), wide_lo(i, j)); };
  for (Index j = 0; j < wide; ++j)
    for (Index i = j; i < wide; ++i) {
      const DoubleDouble scatter = wide_sum(i, j) - wide_sum(wide, i) * (wide_sum(wide, j) / weight);
      scatter_hi_(i, j) = scatter.hi;
      scatter_lo_(i, j) = scatter.lo;
    }
  diagonal_.col(0).tail(m - lead()) -= rest.tail(m - lead()).cwiseProduct(rest.tail(m - lead()) / weight_[0]);
  for (Index j = 0; j < m; ++j) {
    double& square = j < lead() ? scatter_hi_(j, j) : diagonal_(j, 0);
    if (square < 0) {  // rounding, where a single row has weight
      square = 0;
      if (j < lead()) scatter_lo_(j, j) = 0;
    }
    const DoubleDouble sum = j < wide ? wide_sum(wide, j) : DoubleDouble{rest[j], 0};
    set(mean_, j, DoubleDouble{origin[j], 0} + sum / weight);
  }
  check_range(a, b, weights, first, count);
}

// Throws if a column's squares have left the range of a double, or a cell was not finite to begin with.
void Moments::check_range(const Columns& a, const Columns& b, std::span<const double> weights, Index first,
                          Index count) const {
  for (Index j = 0; j < columns(); ++j) {
    const bool is_b = j < sensitive();
    const double square = j < lead() ? scatter_hi_(j, j) : diagonal_(j, 0);
    if (std::isfinite(mean_(j, 0)) && square >= kSmallestSquare && std::isfinite(square)) continue;
    const Columns& table = is_b ? b : a;
    const Index column = is_b ? j : j - sensitive();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = first; i < first + count; ++i) {
      if (!weights.empty() && weights[static_cast<std::size_t>(i)] == 0) continue;
      low = std::min(low, table(i, column));
      high = std::max(high, table(i, column));
    }
    if (low == high && std::isfinite(low) && square == 0) continue;
    check_finite(b, sensitive_names_, first, count);
    check_finite(a, feature_names_, first, count);
    throw Error(fmt::format(
        "column '{}' has values from {} to {} in rows {} to {}, whose squares{} a double cannot hold with all digits; "
        "rescale the column{}",
        name(j), low, high, first, first + count - 1, weights.empty() ? "" : ", times their weights,",
        weights.empty() ? "" : " or the weights"));
  }
}

void Moments::check_same_columns(const Moments& other) const {
  if (other.kind_ != kind_) throw Error("one statistic is cross-only and the other is full; they cannot be merged");
  if (other.feature_names_ != feature_names_ || other.sensitive_names_ != sensitive_names_)
    throw Error(fmt::format("the statistics are of different columns and cannot be merged: {}",
                            other.feature_names_ != feature_names_
                                ? first_difference(other.feature_names_, feature_names_)
                                : first_difference(other.sensitive_names_, sensitive_names_)));
}

void Moments::merge(const Moments& other) {
  if (other.columns() == 0) return;
  if (columns() == 0) {
    *this = other;
    return;
  }
  check_same_columns(other);
  if (other.weight_[0] == 0 || weight_[0] == 0) {
    const std::int64_t rows = rows_ + other.rows_;
    if (weight_[0] == 0) *this = other;
    rows_ = rows;
    return;
  }
  combine(other, 1);
}

Moments Moments::without(const Moments& part) const {
  check_same_columns(part);
  if (part.rows_ > rows_ || !(part.weight_[0] < weight_[0]))
    throw Error(fmt::format("a part of {} rows is not less than the {} rows it is taken from", part.rows_, rows_));
  Moments out = *this;
  out.rows_ -= 2 * part.rows_;  // combine adds them
  if (part.weight_[0] > 0)
    out.combine(part, -1);
  else
    out.rows_ += part.rows_;
  for (Index j = 0; j < columns(); ++j) {
    const double whole = j < lead() ? scatter_hi_(j, j) : diagonal_(j, 0);
    const double left = j < lead() ? out.scatter_hi_(j, j) : out.diagonal_(j, 0);
    if (left > kNoScatter * whole) continue;
    if (j >= lead()) {
      out.diagonal_.row(j).setZero();
    } else {
      for (Eigen::MatrixXd* scatter : {&out.scatter_hi_, &out.scatter_lo_}) scatter->col(j).setZero();
    }
    for (Eigen::MatrixXd* scatter : {&out.scatter_hi_, &out.scatter_lo_})
      scatter->row(j).head(std::min(j, lead())).setZero();
  }
  return out;
}

// Whoever takes a part away must have said that it is less than the whole.
void Moments::combine(const Moments& other, double sign) {
  const DoubleDouble w1{weight_[0], weight_[1]}, w2{sign * other.weight_[0], sign * other.weight_[1]};
  const DoubleDouble w = w1 + w2, share = w2 / w, factor = w1 * share;
  if (!std::isfinite(w.hi))
    throw Error(fmt::format("the parts' weights add up to {} and {}, whose sum a double cannot hold; scale the weights",
                            w1.hi, w2.hi));
  const Index m = columns();
  std::vector<DoubleDouble> delta(static_cast<std::size_t>(m)), square(delta.size());
  for (Index j = 0; j < m; ++j) {
    const auto of = [&](const Moments& part) {
      const double as = &part == &other ? sign : 1;
      return j < lead() ? DoubleDouble{as * part.scatter_hi_(j, j), as * part.scatter_lo_(j, j)}
                        : DoubleDouble{as * part.diagonal_(j, 0), as * part.diagonal_(j, 1)};
    };
    delta[j] = get(other.mean_, j) - get(mean_, j);
    square[j] = (of(*this) + of(other)) + delta[j] * factor * delta[j];
    if (!std::isfinite(square[j].hi))
      throw Error(
          fmt::format("the parts' means of column '{}' are {} and {} and their squares about them {} and {}, which "
                      "together a double cannot hold; rescale the column",
                      name(j), mean_(j, 0), other.mean_(j, 0), of(*this).hi, of(other).hi));
  }
  // From here on nothing throws, and no product is larger than the squares.
  rows_ += other.rows_;
  weight_[0] = w.hi;
  weight_[1] = w.lo;
  for (Index j = 0; j < m; ++j) set(mean_, j, get(mean_, j) + delta[j] * share);
  for (Index j = 0; j < lead(); ++j) {
    const DoubleDouble step = delta[j] * factor;
    scatter_hi_(j, j) = square[j].hi;
    scatter_lo_(j, j) = square[j].lo;
    for (Index i = j + 1; i < m; ++i) {
      const DoubleDouble mine{scatter_hi_(i, j), scatter_lo_(i, j)};
      const DoubleDouble theirs{sign * other.scatter_hi_(i, j), sign * other.scatter_lo_(i, j)};
      const DoubleDouble merged = (mine + theirs) + step * delta[i];
      scatter_hi_(i, j) = merged.hi;
      scatter_lo_(i, j) = merged.lo;
    }
  }
  for (Index j = lead(); j < m; ++j) set(diagonal_, j, square[j]);
}

Moments Moments::widened(const std::vector<std::string>& features, const std::vector<std::string>& sensitive) const {
  Moments out(features, sensitive, kind_);
  std::vector<Index> place;  // of each column, in the new statistic
  const auto find = [&](const std::vector<std::string>& mine, const std::vector<std::string>& all, Index first) {
    auto at = all.begin();
    for (const std::string& name : mine) {
      at = std::find(at, all.end(), name);
      if (at == all.end()) throw Error(fmt::format("column '{}' is not among the names, or not in its order", name));
      place.push_back(first + (at++ - all.begin()));
    }
  };
  find(sensitive_names_, sensitive, 0);
  find(feature_names_, features, out.sensitive());
  out.rows_ = rows_;
  std::copy(weight_, weight_ + 2, out.weight_);
  for (Index j = 0; j < columns(); ++j) {
    out.mean_.row(place[j]) = mean_.row(j);
    if (j >= lead()) out.diagonal_.row(place[j]) = diagonal_.row(j);
    for (Index i = j; j < lead() && i < columns(); ++i) {
      out.scatter_hi_(place[i], place[j]) = scatter_hi_(i, j);
      out.scatter_lo_(place[i], place[j]) = scatter_lo_(i, j);
    }
  }
  return out;
}

Moments Moments::of_sensitive(const std::vector<std::string>& names) const {
  Moments out(feature_names_, names, kind_);
  std::vector<Index> source;  // of each column of the new statistic
  auto at = sensitive_names_.begin();
  for (const std::string& name : names) {
    at = std::find(at, sensitive_names_.end(), name);
    if (at == sensitive_names_.end())
      throw Error(fmt::format("'{}' is not among the sensitive columns, or not in their order", name));
    source.push_back(at++ - sensitive_names_.begin());
  }
  for (Index j = 0; j < features(); ++j) source.push_back(sensitive() + j);
  out.rows_ = rows_;
  std::copy(weight_, weight_ + 2, out.weight_);
  for (Index j = 0; j < out.columns(); ++j) {
    out.mean_.row(j) = mean_.row(source[j]);
    if (j >= out.lead()) out.diagonal_.row(j) = diagonal_.row(source[j]);
    for (Index i = j; j < out.lead() && i < out.columns(); ++i) {
      out.scatter_hi_(i, j) = scatter_hi_(source[i], source[j]);
      out.scatter_lo_(i, j) = scatter_lo_(source[i], source[j]);
    }
  }
  return out;
}

// C_gg of a sum of features is Σ C_ij. Where these differ from 0 in rows of their own, C_ij = −W μ_i μ_j for i ≠ j,
// which cross-only moments do not hold.
Moments Moments::merged(std::vector<std::string> features, const std::vector<Index>& into) const {
  if (static_cast<Index>(into.size()) != this->features())
    throw Error(fmt::format("{} places are given for {} features", into.size(), this->features()));
  std::vector<bool> is_used(features.size());
  for (const Index j : into) {
    if (j < 0 || j >= static_cast<Index>(features.size()))
      throw Error(fmt::format("a feature goes to place {} of {}", j, features.size()));
    is_used[static_cast<std::size_t>(j)] = true;
  }
  if (std::find(is_used.begin(), is_used.end(), false) != is_used.end())
    throw Error("a name has no feature that goes into it");
  Moments out(std::move(features), sensitive_names_, kind_);
  out.rows_ = rows_;
  std::copy(weight_, weight_ + 2, out.weight_);
  const Index p = sensitive();
  const auto place = [&](Index column) { return column < p ? column : p + into[static_cast<std::size_t>(column - p)]; };
  const auto add = [](double& hi, double& lo, DoubleDouble value) {
    const DoubleDouble sum = DoubleDouble{hi, lo} + value;
    hi = sum.hi;
    lo = sum.lo;
  };
  const DoubleDouble weight{weight_[0], weight_[1]};
  for (Index j = 0; j < columns(); ++j) {
    const Index to = place(j);
    set(out.mean_, to, get(out.mean_, to) + get(mean_, j));
    for (Index i = j; j < lead() && i < columns(); ++i) {
      const Index a = std::max(to, place(i)), b = std::min(to, place(i));
      const DoubleDouble scatter{scatter_hi_(i, j), scatter_lo_(i, j)};
      add(out.scatter_hi_(a, b), out.scatter_lo_(a, b), scatter);
      if (i != j && a == b) add(out.scatter_hi_(a, b), out.scatter_lo_(a, b), scatter);
    }
    if (j < lead()) continue;
    DoubleDouble square = get(out.diagonal_, to) + get(diagonal_, j);
    for (Index i = p; i < j; ++i)
      if (place(i) == to) square = square - DoubleDouble{2, 0} * weight * get(mean_, i) * get(mean_, j);
    set(out.diagonal_, to, square);
  }
  return out;
}

void Moments::hold(Index feature, double value) {
  const Index at = sensitive() + feature;
  set(mean_, at, {value, 0});
  diagonal_.row(at).setZero();
  scatter_hi_.row(at).setZero();
  scatter_lo_.row(at).setZero();
  if (at >= lead()) return;
  scatter_hi_.col(at).setZero();
  scatter_lo_.col(at).setZero();
}

Moments Moments::cross() const {
  if (kind_ == Kind::cross || columns() == 0) return *this;
  Moments out(feature_names_, sensitive_names_, Kind::cross);
  const Index p = sensitive();
  out.rows_ = rows_;
  std::copy(weight_, weight_ + 2, out.weight_);
  out.mean_ = mean_;
  out.scatter_hi_ = scatter_hi_.leftCols(p);
  out.scatter_lo_ = scatter_lo_.leftCols(p);
  for (Index j = p; j < columns(); ++j) set(out.diagonal_, j, {scatter_hi_(j, j), scatter_lo_(j, j)});
  return out;
}

Eigen::VectorXd Moments::scatter_diagonal_a() const {
  if (kind_ == Kind::full) return scatter_hi_.diagonal().tail(features());
  return diagonal_.col(0).tail(features());
}

Eigen::MatrixXd Moments::scatter_bb() const {
  return scatter_hi_.topLeftCorner(sensitive(), sensitive()).selfadjointView<Eigen::Lower>();
}

Moments::Extended Moments::extended_scatter_bb() const {
  const Index p = sensitive();
  const Extended lower =
      scatter_hi_.topLeftCorner(p, p).cast<long double>() + scatter_lo_.topLeftCorner(p, p).cast<long double>();
  return lower.selfadjointView<Eigen::Lower>();
}

Eigen::MatrixXd Moments::scatter_ba() const {
  return scatter_hi_.bottomLeftCorner(features(), sensitive()).transpose();
}

Eigen::MatrixXd Moments::scatter_aa() const {
  if (kind_ != Kind::full)
    throw Error("the statistic is cross-only and holds no products of features with each other; collect it as full");
  return scatter_hi_.bottomRightCorner(features(), features()).selfadjointView<Eigen::Lower>();
}

bool Moments::operator==(const Moments&) const = default;

}  // namespace plumbline
