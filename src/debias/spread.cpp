#include "plumbline/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/finite.h"
#include "base/ordered.h"
#include "kernels/views.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::kTileRows;
using kernels::kTileStride;

constexpr Index kBlockRows = Index{8} * kTileRows;
constexpr Index kBlockStride = kBlockRows + 8;

kernels::Matrix as_matrix(const SpreadParts::RowMajor& m) { return {m.data(), m.rows(), m.cols()}; }

bool is_of(const Columns& a, const MutableColumns& out) {
  return a.scalar() == out.scalar() && a.row_stride() == out.row_stride() && a.rows() == out.rows() &&
         a.cols() == out.cols() && std::equal(a.data(), a.data() + a.cols(), out.data());
}

}  // namespace

void SpreadOptions::check() const {
  partition.check();
  if (!(shrinkage >= 0 && shrinkage <= 1e6))
    throw Error(fmt::format("spread.shrinkage is {}; it must be from 0 to 1e6", shrinkage));
  if (max_iterations < 1)
    throw Error(fmt::format("spread.max_iterations is {}; it must be at least 1", max_iterations));
  if (!(tolerance > 0 && tolerance < 1))
    throw Error(fmt::format("spread.tolerance is {}; it must be above 0 and below 1", tolerance));
}

// Rows of one range of regions go through the maps together. A slot is a range: by its first region and whether it has
// one, two or more; the last has all of them.
struct Spread::Scratch {
  std::vector<double> s, row, weight;
  std::vector<std::vector<Index>> rows;      // of each slot
  std::vector<std::vector<double>> weights;  // of these rows, one after the other
  std::vector<Partition::Range> ranges;      // of each slot
  std::vector<double> own, in, one, other, source, out, sums, w;
  VectorXd ones;

  Scratch(const SpreadParts& parts, const AffineModel& model, Index sensitive)
      : s(static_cast<std::size_t>(parts.means.cols() * kBlockStride)),
        row(static_cast<std::size_t>(sensitive)),
        weight(static_cast<std::size_t>(parts.partition.regions())),
        rows(static_cast<std::size_t>(3 * parts.partition.regions() + 1)),
        weights(rows.size()),
        ranges(rows.size()),
        own(tile(parts.means.cols())),
        in(own.size()),
        one(own.size()),
        other(own.size()),
        source(tile(model.features())),
        out(source.size()),
        sums(static_cast<std::size_t>(std::max(model.features(), parts.means.cols()))),
        w(static_cast<std::size_t>(kTileStride)),
        ones(VectorXd::Ones(parts.means.cols())) {}

 private:
  static std::size_t tile(Index columns) { return static_cast<std::size_t>(columns * kTileStride); }
};

Spread::Spread(SpreadParts parts) : parts_(std::move(parts)) {
  const SpreadParts& p = parts_;
  const Index k = p.partition.regions(), m = p.means.cols();
  const auto expect = [](bool holds, const char* what) {
    if (!holds) throw Error(fmt::format("the spread contradicts itself: {}", what));
  };
  expect(k > 0 && p.means.rows() == k, "its means are not one a region");
  expect(p.maps.empty() ? p.scales.rows() == k && p.scales.cols() == m : static_cast<Index>(p.maps.size()) == k,
         "its maps are not one a region");
  for (const auto& map : p.maps) expect(map.rows() == m && map.cols() == m, "the size of a map");
  expect(p.centre.cols() == m && p.centre.rows() == (p.maps.empty() ? 1 : m), "the size of its centre");
  expect(p.rows.size() == k && p.shrunk.size() == k, "what it says of regions");
  expect(p.alpha >= 0 && p.alpha <= 1, "its strength");
  const auto finite = [](const auto& x) { return x.size() == 0 || x.allFinite(); };
  expect(finite(p.means) && finite(p.scales) && finite(p.centre) && finite(p.rows) && finite(p.shrunk) &&
             finite(p.kept) && std::all_of(p.maps.begin(), p.maps.end(), finite),
         "a number is not finite");
}

void Spread::check_fits(const AffineModel& model) const {
  const AffineParts& m = model.parts();
  if (!model.needs_sensitive() || parts_.means.cols() != model.rank() || parts_.kept.size() != model.features() ||
      parts_.partition.inputs() != model.sensitive_inputs())
    throw Error("the regions and spreads are not those of the affine map");
  if (m.alpha != 1) throw Error("the affine map before equal spreads is not of full strength");
}

void Spread::hold(Index feature) { parts_.kept[feature] = 0; }

void Spread::check_tables(const AffineModel& model, const Columns& a, const Columns& b, Index rows, Index cols,
                          Output kind) const {
  check_fits(model);
  if (kind == Output::scores && model.scores() == 0)
    throw Error("the model keeps every feature and has no scores; fit it with a rank");
  if (a.cols() != model.features())
    throw Error(fmt::format("a has {} columns; the model has {} features", a.cols(), model.features()));
  if (b.cols() != model.sensitive_inputs())
    throw Error(
        fmt::format("b has {} columns; the model needs {} sensitive columns", b.cols(), model.sensitive_inputs()));
  if (b.rows() != a.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  const Index wanted = kind == Output::scores ? model.scores() : model.features();
  if (rows != a.rows() || cols != wanted)
    throw Error(fmt::format("out is {} × {}; it must be {} × {}", rows, cols, a.rows(), wanted));
}

// s̃ of the rows of one slot, in place of s.
void Spread::map_group(Index slot, const AffineModel& model, Scratch& scratch) const {
  const auto at = static_cast<std::size_t>(slot);
  const std::vector<Index>& rows = scratch.rows[at];
  const Partition::Range range = scratch.ranges[at];
  const kernels::Dispatch& kernel = kernels::active();
  const AffineParts& of = model.parts();
  const Index m = parts_.means.cols();
  for (std::size_t start = 0; start < rows.size(); start += kTileRows) {
    const Index count = std::min<Index>(kTileRows, static_cast<Index>(rows.size() - start)),
                end = kernels::padded(count);
    const Index* const member = rows.data() + start;
    const double* const weights = scratch.weights[at].data() + start * static_cast<std::size_t>(range.count);
    for (Index j = 0; j < m; ++j) {
      const double* const from = scratch.s.data() + j * kBlockStride;
      double* const to = scratch.own.data() + j * kTileStride;
      if (of.has_scores) {
        for (Index r = 0; r < count; ++r) to[r] = from[member[r]];
      } else {
        const double mean = of.mean_a[j], scale = of.scale_a[j];
        for (Index r = 0; r < count; ++r) to[r] = (from[member[r]] - mean) / scale;
      }
      std::fill(to + count, to + end, 0.0);
    }
    const auto weight_of = [&](Index k) {
      for (Index r = 0; r < count; ++r) scratch.w[static_cast<std::size_t>(r)] = weights[r * range.count + k];
      return scratch.w.data();
    };
    for (Index k = 0; k < range.count; ++k) {
      const double* const w = weight_of(k);
      for (Index j = 0; j < m; ++j) {
        double* const x = scratch.own.data() + j * kTileStride;
        const double mean = parts_.means(range.first + k, j);
        for (Index r = 0; r < count; ++r) x[r] -= w[r] * mean;
      }
    }
    double *result = scratch.one.data(), *next = scratch.other.data();
    for (Index k = 0; k < range.count; ++k) {
      const double* const w = weight_of(k);
      for (Index j = 0; j < m; ++j) {
        const double* const x = scratch.own.data() + j * kTileStride;
        double* const to = (is_diagonal() ? result : scratch.in.data()) + j * kTileStride;
        if (!is_diagonal()) {
          for (Index r = 0; r < count; ++r) to[r] = w[r] * x[r];
          std::fill(to + count, to + end, 0.0);
          continue;
        }
        const double scale = parts_.scales(range.first + k, j);
        if (k == 0)
          for (Index r = 0; r < count; ++r) to[r] = w[r] * scale * x[r];
        else
          for (Index r = 0; r < count; ++r) to[r] += w[r] * scale * x[r];
      }
      if (is_diagonal()) continue;
      const kernels::Matrix map = as_matrix(parts_.maps[static_cast<std::size_t>(range.first + k)]);
      kernel.affine(map, nullptr, k == 0 ? nullptr : scratch.ones.data(), k == 0 ? nullptr : result, scratch.in.data(),
                    count, next);
      std::swap(result, next);
    }
    for (Index j = 0; j < m; ++j) {
      const double* const from = result + j * kTileStride;
      double* const to = scratch.s.data() + j * kBlockStride;
      for (Index r = 0; r < count; ++r) to[member[r]] = from[r];
    }
  }
}

// s̃ of a block of rows.
void Spread::make_equal(const AffineModel& model, const Columns& a, const Columns& b, Scratch& scratch) const {
  const Index count = a.rows(), m = parts_.means.cols(), k = regions();
  const MutableColumns s(scratch.s.data(), count, m, 1, kBlockStride);
  if (model.parts().has_scores)
    model.apply_scores(a, b, s, {.threads = 1});
  else
    model.apply(a, b, s, {.threads = 1});
  for (auto& rows : scratch.rows) rows.clear();
  for (auto& weights : scratch.weights) weights.clear();
  for (Index i = 0; i < count; ++i) {
    for (Index l = 0; l < b.cols(); ++l) scratch.row[static_cast<std::size_t>(l)] = b(i, l);
    const Partition::Range range = parts_.partition.weights(scratch.row, scratch.weight);
    const Index slot = range.count == k ? 3 * k : (std::min<Index>(range.count, 3) - 1) * k + range.first;
    const auto at = static_cast<std::size_t>(slot);
    scratch.ranges[at] = range;
    scratch.rows[at].push_back(i);
    scratch.weights[at].insert(scratch.weights[at].end(), scratch.weight.begin(), scratch.weight.begin() + range.count);
  }
  for (Index slot = 0; slot <= 3 * k; ++slot)
    if (!scratch.rows[static_cast<std::size_t>(slot)].empty()) map_group(slot, model, scratch);
}

// The result of some rows of a block: the first of its rows is a's.
const double* Spread::result_tile(const AffineModel& model, const Columns& a, Index first, Index count, Output kind,
                                  Scratch& scratch) const {
  const kernels::Dispatch& kernel = kernels::active();
  const AffineParts& of = model.parts();
  const Index m = parts_.means.cols(), q = model.features(), end = kernels::padded(count);
  for (Index j = 0; j < m; ++j) {
    double* const to = scratch.own.data() + j * kTileStride;
    std::copy_n(scratch.s.data() + j * kBlockStride + first, count, to);
    std::fill(to + count, to + end, 0.0);
  }
  if (kind == Output::scores) return scratch.own.data();
  const bool keeps = (parts_.kept.array() != 0).any();
  if (keeps)
    kernel.pack[kernels::slot(a.scalar())](kernels::view(a, first, count), nullptr, nullptr, scratch.source.data());
  if (of.has_scores)
    kernel.affine({of.output.data(), q, m}, nullptr, nullptr, nullptr, scratch.own.data(), count, scratch.out.data());
  for (Index j = 0; j < q; ++j) {
    const double kept = parts_.kept[j], base = (1 - kept) * of.mean_a[j],
                 scale = of.has_scores ? parts_.alpha : parts_.alpha * of.scale_a[j];
    const double* const from = (of.has_scores ? scratch.out : scratch.own).data() + j * kTileStride;
    const double* const source = scratch.source.data() + j * kTileStride;
    double* const to = scratch.out.data() + j * kTileStride;
    if (kept != 0)
      for (Index r = 0; r < count; ++r) to[r] = base + kept * source[r] + scale * from[r];
    else
      for (Index r = 0; r < count; ++r) to[r] = base + scale * from[r];
    std::fill(to + count, to + end, 0.0);
  }
  return scratch.out.data();
}

void Spread::run(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out, Output kind,
                 bool is_dry, const ApplyOptions& options) const {
  check_tables(model, a, b, out.rows(), out.cols(), kind);
  const Index blocks = (a.rows() + kBlockRows - 1) / kBlockRows;
  const int threads = thread_count(options.threads, blocks);
  std::vector<Scratch> scratches(static_cast<std::size_t>(threads), Scratch(parts_, model, b.cols()));
  const AffineParts& of = model.parts();
  const double largest =
      out.scalar() == Scalar::float32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  run_parallel(blocks, threads, [&](Index block, int slot) {
    Scratch& scratch = scratches[static_cast<std::size_t>(slot)];
    const Index start = block * kBlockRows, rows = std::min(kBlockRows, a.rows() - start);
    const Columns part = a.middle_rows(start, rows);
    const auto check_inputs = [&] {
      check_finite(b, of.expansion ? of.expansion->input_names() : of.sensitive_names, start, rows);
      check_finite(a, of.feature_names, start, rows);
    };
    try {
      make_equal(model, part, b.middle_rows(start, rows), scratch);
    } catch (const Error&) {  // which counts rows from the first of the block
      check_inputs();
      if (of.expansion) of.expansion->transform(b.middle_rows(start, rows), {}, start);
      throw;
    }
    for (Index first = 0; first < rows; first += kTileRows) {
      const Index count = std::min<Index>(kTileRows, rows - first);
      const double* const tile = result_tile(model, part, first, count, kind, scratch);
      kernels::active().sums(tile, nullptr, count, out.cols(), scratch.sums.data());
      bool is_good = std::all_of(scratch.sums.begin(), scratch.sums.begin() + out.cols(),
                                 [](double x) { return std::isfinite(x); });
      if (!is_good || out.scalar() == Scalar::float32) {
        for (Index j = 0; j < out.cols(); ++j)
          for (Index r = 0; r < count; ++r) {
            if (std::abs(tile[j * kTileStride + r]) <= largest) continue;
            check_inputs();
            throw Error(fmt::format(
                "row {}, column '{}': the values are so large that the result leaves the range of its type",
                start + first + r,
                kind == Output::scores ? fmt::format("score {}", j) : of.feature_names[static_cast<std::size_t>(j)]));
          }
      }
      if (!is_dry)
        kernels::active().unpack[kernels::slot(out.scalar())](tile, kernels::view(out, start + first, count));
    }
  });
}

void Spread::apply(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out,
                   const ApplyOptions& options) const {
  if (is_of(a, out)) run(model, a, b, out, Output::features, true, options);
  run(model, a, b, out, Output::features, false, options);
}

void Spread::apply_scores(const AffineModel& model, const Columns& a, const Columns& b, const MutableColumns& out,
                          const ApplyOptions& options) const {
  run(model, a, b, out, Output::scores, false, options);
}

void Spread::apply_row(const AffineModel& model, std::span<const double> a, std::span<const double> b,
                       std::span<double> out) const {
  check_fits(model);
  const AffineParts& of = model.parts();
  const Index q = model.features(), m = parts_.means.cols(), k = regions();
  if (static_cast<Index>(out.size()) != q)
    throw Error(fmt::format("out has {} numbers; the model has {} features", out.size(), q));
  thread_local std::vector<double> memory;
  memory.resize(static_cast<std::size_t>(k + 3 * m + 2 * q));
  Eigen::Map<VectorXd> weight(memory.data(), k), s(memory.data() + k, m), in(s.data() + m, m), mapped(in.data() + m, m),
      x(mapped.data() + m, q), result(x.data() + q, q);
  if (of.has_scores) {
    model.apply_row_scores(a, b, {s.data(), static_cast<std::size_t>(m)});
  } else {
    model.apply_row(a, b, {x.data(), static_cast<std::size_t>(q)});
    s = (x - of.mean_a).cwiseQuotient(of.scale_a);
  }
  const Partition::Range range = parts_.partition.weights(b, {weight.data(), static_cast<std::size_t>(k)});
  for (Index l = 0; l < range.count; ++l) s -= weight[l] * parts_.means.row(range.first + l).transpose();
  mapped.setZero();
  for (Index l = 0; l < range.count; ++l) {
    if (is_diagonal()) {
      mapped += weight[l] * parts_.scales.row(range.first + l).transpose().cwiseProduct(s);
      continue;
    }
    in = weight[l] * s;
    kernels::active().matvec(as_matrix(parts_.maps[static_cast<std::size_t>(range.first + l)]), in.data(),
                             mapped.data());
  }
  if (of.has_scores) {
    x.setZero();
    kernels::active().matvec({of.output.data(), q, m}, mapped.data(), x.data());
    x *= parts_.alpha;
  } else {
    x = parts_.alpha * of.scale_a.cwiseProduct(mapped);
  }
  const Eigen::Map<const VectorXd> original(a.data(), q);
  result = x + of.mean_a - parts_.kept.cwiseProduct(of.mean_a) + parts_.kept.cwiseProduct(original);
  if (!result.allFinite()) {
    Index at = 0;
    while (std::isfinite(result[at])) ++at;
    throw Error(fmt::format("row 0, column '{}': the values are so large that the result leaves the range of its type",
                            of.feature_names[static_cast<std::size_t>(at)]));
  }
  Eigen::Map<VectorXd>(out.data(), q) = result;
}

bool Spread::operator==(const Spread& other) const {
  const SpreadParts &x = parts_, &y = other.parts_;
  const auto same = [](const auto& u, const auto& v) { return u.rows() == v.rows() && u.cols() == v.cols() && u == v; };
  return x.partition == y.partition && same(x.means, y.means) && same(x.scales, y.scales) && same(x.centre, y.centre) &&
         same(x.rows, y.rows) && same(x.shrunk, y.shrunk) && same(x.kept, y.kept) &&
         std::equal(x.maps.begin(), x.maps.end(), y.maps.begin(), y.maps.end(), same) && x.alpha == y.alpha &&
         x.iterations == y.iterations && x.converged == y.converged;
}

}  // namespace plumbline
