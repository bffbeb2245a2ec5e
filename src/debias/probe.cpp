#include "plumbline/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/finite.h"
#include "base/ordered.h"
#include "base/random_stream.h"
#include "base/weights.h"
#include "debias/auc.h"
#include "debias/random_hinges.h"
#include "debias/ridge.h"
#include "kernels/kernels.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWidth = 2.06;  // of half an interval, in standard errors; see the header
constexpr std::uint64_t kOrderSeed = 0x70726f6265, kHingeSeed = 0x68696e67;
constexpr Index kSides = 2;    // before, after
constexpr Index kBuiltIn = 2;  // linear, hinges

struct Target {
  Index column;
  ReadAs as;
};

struct Part {
  std::vector<Index> rows;                  // of the sample, fold after fold
  std::vector<Index> first_of_fold;         // and the end
  MatrixXd x[kSides], y;                    // their features, and the targets
  VectorXd weights, roots;                  // empty: all one
  std::vector<MatrixXd> predicted[kSides];  // one an attacker

  Index first(Index fold) const { return first_of_fold[static_cast<std::size_t>(fold)]; }
  Index count(Index fold) const { return first(fold + 1) - first(fold); }
};

MatrixXd gathered(const Columns& table, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  MatrixXd out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i)
      out(i, j) = table(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return out;
}

std::vector<Index> all_of(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

// `count` of them at random, ascending.
std::vector<Index> chosen_features(Index all, Index count) {
  std::vector<Index> out = all_of(all);
  if (all <= count) return out;
  std::sort(out.begin(), out.end(), [](Index i, Index j) {
    return mix(kOrderSeed ^ mix(static_cast<std::uint64_t>(i))) < mix(kOrderSeed ^ mix(static_cast<std::uint64_t>(j)));
  });
  out.resize(static_cast<std::size_t>(count));
  std::sort(out.begin(), out.end());
  return out;
}

double weighted_median(const VectorXd& y, const VectorXd& weights) {
  std::vector<Index> order = all_of(y.size());
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return y[i] < y[j]; });
  const double half = (weights.size() == 0 ? static_cast<double>(y.size()) : weights.sum()) / 2;
  double sum = 0;
  for (const Index i : order) {
    sum += weights.size() == 0 ? 1.0 : weights[i];
    if (sum >= half) return y[i];
  }
  return y[order.back()];
}

// What of the columns can be judged. `b` are the rows of positive weight.
std::vector<Target> targets_of(const MatrixXd& b, const std::vector<std::string>& names, Probe& out) {
  std::vector<Target> targets;
  for (Index l = 0; l < b.cols(); ++l) {
    const std::string& name = names[static_cast<std::size_t>(l)];
    const auto column = b.col(l).array();
    const double low = column.minCoeff(), high = column.maxCoeff();
    const bool is_level = (column == 0.0 || column == 1.0).all();
    if (low == high) {
      out.not_estimable.push_back(fmt::format("'{}' is constant in the rows that were probed", name));
    } else if (is_level) {
      const auto ones = static_cast<Index>(column.sum());
      const Index rarer = std::min(ones, b.rows() - ones);
      if (rarer < kLeastOfAValue) {
        out.not_estimable.push_back(
            fmt::format("of '{}' {} of {} rows that were probed {} the rarer value; {} are needed", name, rarer,
                        b.rows(), rarer == 1 ? "has" : "have", kLeastOfAValue));
        continue;
      }
      const bool is_complement = std::any_of(targets.begin(), targets.end(), [&](const Target& other) {
        return other.as == ReadAs::level && (b.col(other.column).array() + column == 1.0).all();
      });
      if (!is_complement) targets.push_back({l, ReadAs::level});
    } else {
      targets.push_back({l, ReadAs::number});
      targets.push_back({l, ReadAs::distance});
    }
  }
  return targets;
}

// Sums of products over the rows of one fold, of z = (columns of the attackers, targets, 1).
MatrixXd fold_products(const Part& part, int side, Index fold, const RandomHinges& hinges) {
  const Index d = hinges.columns(), t = part.y.cols(), m = d + t + 1;
  MatrixXd out = MatrixXd::Zero(m, m);
  const kernels::Dispatch& kernel = kernels::active();
  std::vector<double> tile(static_cast<std::size_t>(m * kernels::kTileStride), 0.0);
  const double* roots = part.roots.size() == 0 ? nullptr : part.roots.data();
  const Index last = part.first(fold + 1);
  for (Index at = part.first(fold); at < last; at += kernels::kTileRows) {
    const Index n = std::min<Index>(kernels::kTileRows, last - at), padded = kernels::padded(n);
    hinges.write(part.x[side], at, n, roots, tile.data(), kernels::kTileStride);
    for (Index j = d; j < m; ++j) {
      Eigen::Map<Eigen::ArrayXd> column(tile.data() + j * kernels::kTileStride, n);
      if (j < d + t)
        column = part.y.col(j - d).segment(at, n).array();
      else
        column.setOnes();
      if (roots) column *= part.roots.segment(at, n).array();
    }
    for (Index j = 0; j < m; ++j)
      std::fill(tile.begin() + j * kernels::kTileStride + n, tile.begin() + j * kernels::kTileStride + padded, 0.0);
    kernel.scatter(tile.data(), n, m, m, out.data(), m, nullptr, {});
  }
  return out;
}

double effective_rows(const Part& part, Index without_fold) {
  const Index first = part.first(without_fold), last = part.first(without_fold + 1), n = part.y.rows();
  if (part.weights.size() == 0) return static_cast<double>(n - (last - first));
  double sum = 0, squares = 0;
  for (Index i = 0; i < n; ++i) {
    if (i >= first && i < last) continue;
    sum += part.weights[i];
    squares += part.weights[i] * part.weights[i];
  }
  return sum * sum / squares;
}

// What the built-in attackers predict for the rows of a fold.
void attack(Part& part, int side, Index fold, const RandomHinges& hinges, const MatrixXd& products) {
  const RidgeSums sums{products, effective_rows(part, fold)};
  const Index widths[kBuiltIn] = {hinges.features(), hinges.columns()};
  const Index first = part.first(fold), last = part.first(fold + 1);
  MatrixXd tile(kernels::kTileRows, hinges.columns());
  for (std::size_t k = 0; k < kBuiltIn; ++k) {
    const RidgeFit fit = ridge(sums, widths[k], hinges.columns());
    for (Index at = first; at < last; at += kernels::kTileRows) {
      const Index n = std::min<Index>(kernels::kTileRows, last - at);
      hinges.write(part.x[side], at, n, nullptr, tile.data(), tile.rows());
      part.predicted[side][k].middleRows(at, n) =
          (tile.topLeftCorner(n, widths[k]) * fit.weights).rowwise() + fit.base.transpose();
    }
  }
}

template <class Use>
void for_each_other(const Part& part, Index fold, const Use& use) {
  for (Index i = 0; i < part.y.rows(); ++i)
    if (i < part.first(fold) || i >= part.first(fold + 1)) use(i);
}

void attack(Part& part, int side, Index fold, const std::vector<ReadAs>& as, const std::vector<Attacker>& attackers) {
  std::vector<Index> others;
  for_each_other(part, fold, [&](Index i) { others.push_back(i); });
  const Index first = part.first(fold), count = part.count(fold);
  const MatrixXd learned = part.x[side](others, Eigen::all), y = part.y(others, Eigen::all);
  const VectorXd weights = part.weights.size() == 0 ? VectorXd() : VectorXd(part.weights(others));
  const MatrixXd judged = part.x[side].middleRows(first, count);
  for (std::size_t k = 0; k < attackers.size(); ++k) {
    MatrixXd predicted = attackers[k].predict(learned, y, weights, as, judged);
    if (predicted.rows() != count || predicted.cols() != y.cols())
      throw Error(fmt::format("attacker '{}' predicts {} × {} numbers for {} rows and {} outcomes", attackers[k].name,
                              predicted.rows(), predicted.cols(), count, y.cols()));
    if (!predicted.allFinite())
      throw Error(fmt::format("attacker '{}' predicts what is not a finite number", attackers[k].name));
    part.predicted[side][static_cast<std::size_t>(kBuiltIn) + k].middleRows(first, count) = predicted;
  }
}

// No prediction is further out than what was learned from.
void clip(Part& part, Index target) {
  for (Index fold = 0; fold < kProbeFolds; ++fold) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for_each_other(part, fold, [&](Index i) {
      low = std::min(low, part.y(i, target));
      high = std::max(high, part.y(i, target));
    });
    for (auto& of_side : part.predicted)
      for (MatrixXd& predicted : of_side) {
        auto column = predicted.col(target).segment(part.first(fold), part.count(fold));
        column = column.cwiseMax(low).cwiseMin(high).eval();
      }
  }
}

Reading judged_by_auc(const std::vector<Part>& parts, int side, std::size_t attacker, Index target) {
  FoldedAuc auc;
  for (const Part& part : parts)
    for (Index fold = 0; fold < kProbeFolds; ++fold) {
      const Index first = part.first(fold), count = part.count(fold);
      auc.add_fold(part.predicted[side][attacker].col(target).segment(first, count),
                   part.y.col(target).segment(first, count),
                   part.weights.size() == 0 ? VectorXd() : VectorXd(part.weights.segment(first, count)));
    }
  const FoldedAuc::Interval interval = auc.interval();
  return {auc.value(), interval.low, interval.high};
}

Reading judged_by_r2(const std::vector<Part>& parts, int side, std::size_t attacker, Index target) {
  double weight = 0, sum = 0;
  const auto weight_of = [](const Part& part, Index i) { return part.weights.size() == 0 ? 1.0 : part.weights[i]; };
  const auto for_each = [&](const auto& use) {
    for (const Part& part : parts)
      for (Index i = 0; i < part.y.rows(); ++i)
        use(weight_of(part, i), part.y(i, target), part.predicted[side][attacker](i, target));
  };
  for_each([&](double w, double y, double) {
    weight += w;
    sum += w * y;
  });
  const double mean = sum / weight;
  double errors = 0, squares = 0;
  for_each([&](double w, double y, double f) {
    errors += w * (y - f) * (y - f);
    squares += w * (y - mean) * (y - mean);
  });
  const double left = errors / squares;  // 1 − R²
  double variance = 0;
  for_each([&](double w, double y, double f) {
    const double z = w * ((y - f) * (y - f) - left * (y - mean) * (y - mean)) / squares;
    variance += z * z;
  });
  const double half = left > 0 ? kWidth * std::sqrt(variance) / left : 0;
  return {1 - left, 1 - left * std::exp(half), 1 - left * std::exp(-half)};
}

void check_tables(const Columns& a, const Columns& b, const std::vector<std::string>& names,
                  const ProbeOptions& options) {
  if (a.rows() != b.rows())
    throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  if (static_cast<Index>(names.size()) != b.cols())
    throw Error(fmt::format("b has {} columns and {} names", b.cols(), names.size()));
  options.check(a.rows());
}

}  // namespace

void ProbeOptions::check(Index rows) const {
  if (parts < 1 || parts > 10) throw Error(fmt::format("parts is {}; it must be from 1 to 10", parts));
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
  check_weights(weights, rows);
  for (const Attacker& attacker : further)
    if (!attacker.predict) throw Error(fmt::format("attacker '{}' predicts nothing", attacker.name));
}

double Probe::exposure(const Reading& reading, ReadAs as) {
  return as == ReadAs::level ? std::max(0.0, 2 * reading.low - 1) : std::sqrt(std::max(0.0, reading.low));
}

Probe::Exposed Probe::most_exposed(bool linear_only) const {
  Exposed out;
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t k = 0; k < (linear_only ? std::size_t{1} : columns[c].after.size()); ++k)
      if (const double value = exposure(columns[c].after[k], columns[c].read_as); value > out.exposure)
        out = {static_cast<Index>(c), static_cast<Index>(k), value};
  return out;
}

Probe probe(const Columns& a, const Columns& b, const std::vector<std::string>& sensitive_names,
            const MapWithout& map_without, const ProbeOptions& options) {
  check_tables(a, b, sensitive_names, options);
  Probe out;
  out.attackers = {"linear", "hinges"};
  for (const Attacker& attacker : options.further) out.attackers.push_back(attacker.name);
  const std::vector<Index> shown = chosen_features(a.cols(), kMostProbedFeatures);
  out.features = static_cast<Index>(shown.size());

  std::vector<Index> rows;
  for (Index i = 0; i < a.rows(); ++i)
    if (options.weights.empty() || options.weights[static_cast<std::size_t>(i)] > 0) rows.push_back(i);
  const auto n = static_cast<Index>(rows.size());
  out.rows = n;
  if (n < kLeastProbedRows) {
    out.not_estimable.push_back(
        fmt::format("{} rows are too few to learn from and to judge; {} are needed", n, kLeastProbedRows));
    return out;
  }
  const auto key = [](Index i) { return mix(kOrderSeed + mix(static_cast<std::uint64_t>(i))); };
  std::sort(rows.begin(), rows.end(), [&](Index i, Index j) { return key(i) < key(j); });
  const MatrixXd sensitive = gathered(b, rows, all_of(b.cols()));
  const std::vector<Target> targets = targets_of(sensitive, sensitive_names, out);
  if (targets.empty()) return out;
  MatrixXd y(n, static_cast<Index>(targets.size()));
  VectorXd weights;
  if (!options.weights.empty()) {
    weights.resize(n);
    for (Index i = 0; i < n; ++i)
      weights[i] = options.weights[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
  }
  for (Index t = 0; t < y.cols(); ++t) {
    const Target& target = targets[static_cast<std::size_t>(t)];
    y.col(t) = sensitive.col(target.column);
    if (target.as == ReadAs::distance) y.col(t) = (y.col(t).array() - weighted_median(y.col(t), weights)).abs().eval();
  }
  std::vector<ReadAs> as;
  for (const Target& target : targets) as.push_back(target.as);

  std::vector<Part> parts(static_cast<std::size_t>(options.parts));
  std::uint64_t done = 0;
  const auto all = static_cast<std::uint64_t>(options.parts * kSides * kProbeFolds);
  for (Index p = 0; p < options.parts; ++p) {
    Part& part = parts[static_cast<std::size_t>(p)];
    const Index first = n * p / options.parts, count = n * (p + 1) / options.parts - first;
    part.rows.assign(rows.begin() + first, rows.begin() + first + count);
    for (Index fold = 0; fold <= kProbeFolds; ++fold) part.first_of_fold.push_back(count * fold / kProbeFolds);
    part.y = y.middleRows(first, count);
    if (weights.size() > 0) {
      part.weights = weights.segment(first, count);
      part.roots = part.weights.cwiseSqrt();
    }
    const MatrixXd features = gathered(a, part.rows, all_of(a.cols()));
    if (!features.allFinite()) throw Error("a cell of the features is not a finite number");
    std::vector<Index> held_out = part.rows;
    std::sort(held_out.begin(), held_out.end());
    MatrixXd fair(count, a.cols());
    try {
      map_without(held_out)(features, MatrixXd(sensitive.middleRows(first, count)), fair, {.threads = options.threads});
    } catch (const Error& error) {
      out.not_estimable.push_back(
          fmt::format("no map could be fitted to some of the rows and tried on others: {}", error.what()));
      return out;
    }
    part.x[0] = features(Eigen::all, shown);
    part.x[1] = fair(Eigen::all, shown);
    for (auto& predicted : part.predicted) predicted.assign(out.attackers.size(), MatrixXd::Zero(count, y.cols()));

    std::vector<RandomHinges> hinges;
    for (int side = 0; side < kSides; ++side)
      hinges.emplace_back(part.x[side], kHingeSeed + static_cast<std::uint64_t>(p));
    const int threads = thread_count(options.threads, kSides * kProbeFolds);
    std::vector<MatrixXd> products(static_cast<std::size_t>(kSides * kProbeFolds));
    run_parallel(kSides * kProbeFolds, threads, [&](Index i, int) {
      const auto side = static_cast<int>(i / kProbeFolds);
      products[static_cast<std::size_t>(i)] =
          fold_products(part, side, i % kProbeFolds, hinges[static_cast<std::size_t>(side)]);
    });
    run_parallel(kSides * kProbeFolds, threads, [&](Index i, int) {
      const auto side = static_cast<int>(i / kProbeFolds);
      const Index fold = i % kProbeFolds;
      MatrixXd others =
          MatrixXd::Zero(products[static_cast<std::size_t>(i)].rows(), products[static_cast<std::size_t>(i)].cols());
      for (Index k = 0; k < kProbeFolds; ++k)
        if (k != fold) others += products[static_cast<std::size_t>(side * kProbeFolds + k)];
      attack(part, side, fold, hinges[static_cast<std::size_t>(side)], others);
    });
    if (!options.further.empty() || options.progress)
      for (int side = 0; side < kSides; ++side)
        for (Index fold = 0; fold < kProbeFolds; ++fold) {
          if (!options.further.empty()) attack(part, side, fold, as, options.further);
          if (options.progress) options.progress(++done, all);
          poll();
        }
    for (Index t = 0; t < y.cols(); ++t)
      if (as[static_cast<std::size_t>(t)] != ReadAs::level) clip(part, t);
    out.learned_rows = count - part.count(0);
  }

  for (std::size_t t = 0; t < targets.size(); ++t) {
    ProbedColumn column{sensitive_names[static_cast<std::size_t>(targets[t].column)], as[t], {}, {}};
    for (std::size_t k = 0; k < out.attackers.size(); ++k)
      for (int side = 0; side < kSides; ++side) {
        const Reading reading = as[t] == ReadAs::level ? judged_by_auc(parts, side, k, static_cast<Index>(t))
                                                       : judged_by_r2(parts, side, k, static_cast<Index>(t));
        (side == 0 ? column.before : column.after).push_back(reading);
      }
    out.columns.push_back(std::move(column));
  }
  return out;
}

}  // namespace plumbline
