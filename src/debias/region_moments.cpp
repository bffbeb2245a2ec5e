#include "plumbline/region_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/names.h"
#include "base/ordered.h"
#include "kernels/views.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::kTileRows;
using kernels::kTileStride;

constexpr Index kRegionLeaf = 4096;
constexpr Index kExpandedRows = Index{16} * kRegionLeaf;  // at a time
constexpr double kNoRegion = 1e-12;                       // of a region's weight before rows were taken away

// Σ w x / Σ w over the rows of a leaf.
VectorXd mean_of(const Columns& x, std::span<const double> weights, Index first, Index count) {
  VectorXd sum = VectorXd::Zero(x.cols());
  double total = 0;
  for (Index i = first; i < first + count; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
    if (weight == 0) continue;
    total += weight;
    for (Index j = 0; j < x.cols(); ++j) sum[j] += weight / total * (x(i, j) - sum[j]);
  }
  return sum;
}

}  // namespace

// What a thread needs for a leaf of rows.
struct RegionMoments::Leaf {
  std::vector<Products> sums;
  std::vector<double> packed;               // tile by tile, φ and a about their origins
  std::vector<double> tile, cells;          // gathered rows of one region; their products
  VectorXd squares;                         // of a, where cells have none
  std::vector<double> row, weight;          // b of one row; its w
  std::vector<std::vector<Index>> rows;     // of each region
  std::vector<std::vector<double>> shares;  // w_k of these rows, without ω
  std::vector<Partition::Range> ranges;     // of each row
  std::vector<std::array<double, 2>> few;   // w of a row that has up to two
  std::vector<std::vector<double>> many;    // of one that has more
};

RegionMoments::RegionMoments(Partition partition, std::optional<Expansion> expansion, std::vector<std::string> features,
                             std::vector<std::string> sensitive, Moments::Kind kind)
    : partition_(std::move(partition)),
      expansion_(std::move(expansion)),
      input_names_(std::move(sensitive)),
      whole_(std::move(features), expansion_ ? expansion_->names() : input_names_, kind) {
  if (partition_.inputs() != static_cast<Index>(input_names_.size()))
    throw Error(fmt::format("the partition is of {} sensitive columns; there are {}", partition_.inputs(),
                            input_names_.size()));
  if (expansion_ && expansion_->input_names() != input_names_)
    throw Error("the expansion is of other sensitive columns than the regions");
  products_.resize(static_cast<std::size_t>(partition_.regions()));
  products_ = zeros();
}

std::vector<RegionMoments::Products> RegionMoments::zeros() const {
  return std::vector<Products>(products_.size(),
                               {MatrixXd::Zero(columns(), lead()), VectorXd::Zero(columns() - lead())});
}

VectorXd RegionMoments::squares_a(Index k) const {
  const Products& of = products_[static_cast<std::size_t>(k)];
  return of.squares.size() > 0 ? of.squares : VectorXd(of.cells.diagonal().tail(features()));
}

void RegionMoments::sum_leaf(const Columns& a, const Columns& b, const Columns& phi, std::span<const double> weights,
                             Index first, Index count, const VectorXd& origin_a, const VectorXd& origin_b,
                             Leaf& leaf) const {
  const kernels::Dispatch& kernel = kernels::active();
  const Index p = phi.cols(), q = a.cols(), x = p + q, regions = this->regions();
  const auto n = static_cast<std::size_t>(count), all = static_cast<std::size_t>(regions);
  leaf.packed.resize(static_cast<std::size_t>((count + kTileRows - 1) / kTileRows * x * kTileStride));
  for (Index at = 0; at < count; at += kTileRows) {
    double* tile = leaf.packed.data() + at / kTileRows * x * kTileStride;
    const Index rows = std::min<Index>(kTileRows, count - at);
    kernel.pack[kernels::slot(phi.scalar())](kernels::view(phi, first + at, rows), nullptr, origin_b.data(), tile);
    kernel.pack[kernels::slot(a.scalar())](kernels::view(a, first + at, rows), nullptr, origin_a.data(),
                                           tile + p * kTileStride);
  }

  leaf.row.resize(static_cast<std::size_t>(b.cols()));
  leaf.weight.resize(all);
  leaf.rows.resize(all);
  leaf.shares.resize(all);
  leaf.ranges.assign(n, {});
  leaf.few.resize(n);
  leaf.many.resize(n);
  for (auto& rows : leaf.rows) rows.clear();
  for (auto& shares : leaf.shares) shares.clear();
  for (Index i = 0; i < count; ++i) {
    if (!weights.empty() && weights[static_cast<std::size_t>(first + i)] == 0) continue;
    for (Index l = 0; l < b.cols(); ++l) leaf.row[static_cast<std::size_t>(l)] = b(first + i, l);
    const auto at = static_cast<std::size_t>(i);
    const Partition::Range range = leaf.ranges[at] = partition_.weights(leaf.row, leaf.weight);
    if (range.count <= 2)
      std::copy_n(leaf.weight.begin(), range.count, leaf.few[at].begin());
    else
      leaf.many[at].assign(leaf.weight.begin(), leaf.weight.begin() + range.count);
    for (Index k = 0; k < range.count; ++k) {
      const double share = leaf.weight[static_cast<std::size_t>(k)];
      if (!(share > 0)) continue;
      leaf.rows[static_cast<std::size_t>(range.first + k)].push_back(i);
      leaf.shares[static_cast<std::size_t>(range.first + k)].push_back(share);
    }
  }

  leaf.sums = zeros();
  for (Index k = 0; k < regions; ++k) {
    const std::vector<Index>& members = leaf.rows[static_cast<std::size_t>(k)];
    const std::vector<double>& shares = leaf.shares[static_cast<std::size_t>(k)];
    Products& sums = leaf.sums[static_cast<std::size_t>(k)];
    for (std::size_t start = 0; start < members.size(); start += kTileRows) {
      const Index rows = std::min<Index>(kTileRows, static_cast<Index>(members.size() - start));
      const Index* const member = members.data() + start;
      // Only weights of regions that meet in these rows differ from 0.
      Index low = regions, high = 0;
      for (Index r = 0; r < rows; ++r) {
        const Partition::Range range = leaf.ranges[static_cast<std::size_t>(member[r])];
        low = std::min(low, range.first);
        high = std::max(high, range.first + range.count);
      }
      const Index near = high - low, cols = near + x, lead = whole_.kind() == Moments::Kind::full ? cols : near + p;
      leaf.tile.resize(static_cast<std::size_t>((cols + 1) * kTileStride));
      double* const tile = leaf.tile.data();
      double* const root = tile + cols * kTileStride;
      const Index end = kernels::padded(rows);
      for (Index r = 0; r < rows; ++r) {
        const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(first + member[r])];
        root[r] = std::sqrt(weight * shares[start + static_cast<std::size_t>(r)]);
      }
      for (Index j = 0; j < near; ++j) std::fill_n(tile + j * kTileStride, end, 0.0);
      for (Index r = 0; r < rows; ++r) {
        const auto at = static_cast<std::size_t>(member[r]);
        const Partition::Range range = leaf.ranges[at];
        const double* const w = range.count <= 2 ? leaf.few[at].data() : leaf.many[at].data();
        for (Index l = 0; l < range.count; ++l) tile[(range.first + l - low) * kTileStride + r] = root[r] * w[l];
      }
      for (Index j = 0; j < x; ++j) {
        double* const to = tile + (near + j) * kTileStride;
        const double* const from = leaf.packed.data() + j * kTileStride;
        for (Index r = 0; r < rows; ++r)
          to[r] = root[r] * from[member[r] / kTileRows * x * kTileStride + member[r] % kTileRows];
        std::fill(to + rows, to + end, 0.0);
      }
      leaf.cells.assign(static_cast<std::size_t>(cols * lead), 0.0);
      leaf.squares = VectorXd::Zero(cols);
      kernel.scatter(tile, rows, cols, lead, leaf.cells.data(), cols, leaf.squares.data(), {});
      const Eigen::Map<const MatrixXd> cells(leaf.cells.data(), cols, lead);
      sums.cells.block(low, low, near, near) += cells.topLeftCorner(near, near);
      sums.cells.block(regions, low, x, near) += cells.block(near, 0, x, near);
      sums.cells.bottomRightCorner(x, lead - near) += cells.bottomRightCorner(x, lead - near);
      if (sums.squares.size() > 0) sums.squares += leaf.squares.tail(q);
    }
  }
}

void RegionMoments::update(const Columns& a, const Columns& b, const UpdateOptions& options) {
  if (expansion_ && b.cols() != expansion_->inputs())
    throw Error(fmt::format("b has {} columns; the expansion is of {}", b.cols(), expansion_->inputs()));
  if (a.rows() != b.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  Moments whole = whole_;
  VectorXd origin_a = origin_a_, origin_b = origin_b_;
  std::vector<Products> sums = zeros();
  for (Index start = 0; start == 0 || start < a.rows(); start += kExpandedRows) {
    const Index count = expansion_ ? std::min(kExpandedRows, a.rows() - start) : a.rows();
    const Columns part_a = a.middle_rows(start, count), part_b = b.middle_rows(start, count);
    const std::span<const double> weights =
        options.weights.empty() || static_cast<Index>(options.weights.size()) != a.rows()
            ? options.weights
            : options.weights.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(count));
    MatrixXd expanded;
    if (expansion_) expanded = expansion_->transform(part_b, weights, start);
    const Columns phi = expansion_ ? Columns(expanded) : part_b;
    whole.update(part_a, phi, {options.threads, weights});
    if (whole.weight() == 0) continue;
    if (origin_a.size() == 0) {  // of the first leaf that has weight
      Index first = 0;
      const auto has_weight = [&](Index at) {
        if (weights.empty()) return true;
        const auto begin = weights.begin() + at;
        return std::any_of(begin, begin + std::min(kRegionLeaf, count - at), [](double w) { return w > 0; });
      };
      while (!has_weight(first)) first += kRegionLeaf;
      origin_a = mean_of(part_a, weights, first, std::min(kRegionLeaf, count - first));
      origin_b = mean_of(phi, weights, first, std::min(kRegionLeaf, count - first));
    }
    const Index leaves = (count + kRegionLeaf - 1) / kRegionLeaf;
    const int threads = thread_count(options.threads, leaves);
    std::vector<Leaf> scratch(static_cast<std::size_t>(threads));
    run_ordered(
        leaves, threads,
        [&](Index leaf, int slot) {
          const Index first = leaf * kRegionLeaf;
          sum_leaf(part_a, part_b, phi, weights, first, std::min(kRegionLeaf, count - first), origin_a, origin_b,
                   scratch[static_cast<std::size_t>(slot)]);
        },
        [&](Index, int slot) {
          const std::vector<Products>& leaf = scratch[static_cast<std::size_t>(slot)].sums;
          for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += leaf[k];
        });
    if (!expansion_) break;
  }
  for (std::size_t k = 0; k < sums.size(); ++k) products_[k] += sums[k];
  whole_ = std::move(whole);
  origin_a_ = std::move(origin_a);
  origin_b_ = std::move(origin_b);
}

// x − o' = (x − o) + d with d = o − o' in every row, and 1 = Σ_l w_l.
void RegionMoments::move_origin(const VectorXd& origin_b, const VectorXd& origin_a) {
  const Index regions = this->regions(), p = origin_b.size(), q = origin_a.size(), x = p + q;
  VectorXd d(x);
  d << origin_b_ - origin_b, origin_a_ - origin_a;
  for (Products& of : products_) {
    const MatrixXd w = of.cells.topLeftCorner(regions, regions).selfadjointView<Eigen::Lower>();
    const MatrixXd xw = of.cells.block(regions, 0, x, regions);
    const VectorXd sums = xw.rowwise().sum();
    const double total = w.sum();
    const Index lead = this->lead() - regions;
    of.cells.block(regions, 0, x, regions) += d * w.colwise().sum();
    of.cells.bottomRightCorner(x, lead) +=
        sums * d.head(lead).transpose() + d * sums.head(lead).transpose() + total * d * d.head(lead).transpose();
    of.squares += (2 * d.cwiseProduct(sums) + total * d.cwiseAbs2()).tail(of.squares.size());
  }
  origin_b_ = origin_b;
  origin_a_ = origin_a;
}

void RegionMoments::check_same_regions(const RegionMoments& other) const {
  if (!(partition_ == other.partition_)) throw Error("the parts have different regions and cannot be merged");
  if (!(expansion_ == other.expansion_)) throw Error("the parts have different expansions and cannot be merged");
}

void RegionMoments::merge(const RegionMoments& other) {
  if (other.products_.empty()) return;
  if (products_.empty()) {
    *this = other;
    return;
  }
  check_same_regions(other);
  whole_.merge(other.whole_);
  if (other.origin_a_.size() == 0) return;
  RegionMoments moved = other;
  if (origin_a_.size() == 0) {
    origin_a_ = other.origin_a_;
    origin_b_ = other.origin_b_;
  } else {
    moved.move_origin(origin_b_, origin_a_);
  }
  for (std::size_t k = 0; k < products_.size(); ++k) products_[k] += moved.products_[k];
}

RegionMoments RegionMoments::empty() const {
  return {partition_, expansion_, whole_.feature_names(), input_names_, whole_.kind()};
}

RegionMoments RegionMoments::without(const RegionMoments& part) const {
  check_same_regions(part);
  RegionMoments out = *this;
  out.whole_ = whole_.without(part.whole_);
  if (part.origin_a_.size() == 0) return out;
  RegionMoments moved = part;
  moved.move_origin(origin_b_, origin_a_);
  const Index regions = this->regions(), p = whole_.sensitive();
  for (Index k = 0; k < regions; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto weight_of = [&](const Products& of) {
      return MatrixXd(of.cells.topLeftCorner(regions, regions).selfadjointView<Eigen::Lower>()).sum();
    };
    Products& left = out.products_[at];
    left.cells -= moved.products_[at].cells;
    left.squares -= moved.products_[at].squares;
    if (weight_of(left) > kNoRegion * weight_of(products_[at])) continue;
    left.cells.setZero();
    left.squares.setZero();
  }
  const VectorXd squares_b = out.whole_.scatter_bb().diagonal(), squares_a = out.whole_.scatter_diagonal_a(),
                 mean_b = out.whole_.mean_b();
  for (Index l = 0; l < p; ++l) {
    if (squares_b[l] > 0) continue;
    out.origin_b_[l] = mean_b[l];
    out.clear(l);
  }
  for (Index j = 0; j < features(); ++j)
    if (!(squares_a[j] > 0)) out.hold(j, out.whole_.mean_a()[j]);
  return out;
}

void RegionMoments::clear(Index column) {
  const Index at = regions() + column, feature = column - whole_.sensitive();
  for (Products& of : products_) {
    of.cells.row(at).setZero();
    if (at < of.cells.cols()) of.cells.col(at).setZero();
    if (feature >= 0 && of.squares.size() > 0) of.squares[feature] = 0;
  }
}

void RegionMoments::hold(Index feature, double value) {
  whole_.hold(feature, value);
  if (origin_a_.size() == 0) return;
  origin_a_[feature] = value;
  clear(whole_.sensitive() + feature);
}

bool RegionMoments::operator==(const RegionMoments& other) const {
  const auto same = [](const Products& x, const Products& y) { return x.cells == y.cells && x.squares == y.squares; };
  return partition_ == other.partition_ && expansion_ == other.expansion_ && input_names_ == other.input_names_ &&
         whole_ == other.whole_ && origin_a_.size() == other.origin_a_.size() &&
         (origin_a_.size() == 0 || (origin_a_ == other.origin_a_ && origin_b_ == other.origin_b_)) &&
         std::equal(products_.begin(), products_.end(), other.products_.begin(), other.products_.end(), same);
}

}  // namespace plumbline
