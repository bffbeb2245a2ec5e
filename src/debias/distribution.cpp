#include "plumbline/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/finite.h"
#include "base/ordered.h"
#include "debias/distribution_step.h"

namespace plumbline {
namespace {

constexpr Index kTile = 128;  // rows that go through a step together, while its tables are at hand

// One row, with what it needs on its way.
struct Workspace {
  RowState row;
  SensitivePlace to;
  std::vector<double> a, b, there, out, counterfactual;
  bool is_done = false;

  void resize(const DistributionParts& parts) {
    a.resize(static_cast<std::size_t>(parts.features));
    out.resize(a.size());
    counterfactual.resize(a.size());
    b.resize(static_cast<std::size_t>(parts.sensitive));
    there.resize(b.size());
  }

  void start(const DistributionParts& parts, bool is_counterfactual) {
    is_done = is_counterfactual && b == there;
    if (is_done) {
      counterfactual = a;
      return;
    }
    row.start(parts, a, b);
    if (is_counterfactual) to.set(parts, there);
  }

  void take(const DistributionParts& parts, const DistributionStep& step, bool is_counterfactual) {
    if (!is_done)
      take_step(parts, step, row, a.data(), out.data(), is_counterfactual ? &to : nullptr, counterfactual.data());
  }
};

std::span<Workspace> workspaces(const DistributionParts& parts, Index rows) {
  thread_local std::vector<Workspace> all;
  if (static_cast<Index>(all.size()) < rows) all.resize(static_cast<std::size_t>(rows));
  for (Index r = 0; r < rows; ++r) all[static_cast<std::size_t>(r)].resize(parts);
  return {all.data(), static_cast<std::size_t>(rows)};
}

template <class T>
void write(const MutableColumns& out, Index row, const std::vector<double>& cells) {
  for (std::size_t j = 0; j < cells.size(); ++j)
    static_cast<T*>(out.data()[j])[row * out.row_stride()] = static_cast<T>(cells[j]);
}

}  // namespace

void DistributionOptions::check() const {
  if (leaves < 0 || leaves > 256)
    throw Error(fmt::format("leaves is {}; it must be from 1 to 256, or 0 for as many as the rows allow", leaves));
  if (least_rows < 1) throw Error(fmt::format("least_rows is {}; it must be at least 1", least_rows));
  if (!(prior >= 0 && std::isfinite(prior)))
    throw Error(fmt::format("prior is {}; it must be positive, or 0 for an estimate", prior));
  partition.check();
}

std::vector<FeatureGroup> feature_groups(const Encoding& encoding) {
  std::vector<FeatureGroup> out;
  for (const TableColumn& column : encoding.features)
    out.push_back({column.name, column.width(), column.kind == ColumnKind::category});
  return out;
}

std::vector<FeatureGroup> feature_groups(const std::vector<std::string>& names) {
  std::vector<FeatureGroup> out;
  for (const std::string& name : names) out.push_back({name});
  return out;
}

const DistributionParts& Distribution::parts() const {
  if (!parts_) throw Error("the distribution is empty; fit or load one first");
  return *parts_;
}

Index Distribution::features() const { return parts_ ? parts_->features : 0; }
Index Distribution::sensitive_inputs() const { return parts_ ? parts_->sensitive : 0; }
std::uint64_t Distribution::seed() const { return parts().seed; }

std::string Distribution::feature_name(Index column) const {
  for (const FeatureGroup& group : groups_) {
    if (column < group.width) return group.name;
    column -= group.width;
  }
  return {};
}

void Distribution::run(const Columns& a, const Columns& b, const Columns* to, const MutableColumns& out,
                       const ApplyOptions& how) const {
  const DistributionParts& parts = this->parts();
  if (a.cols() != parts.features || out.cols() != parts.features || out.rows() != a.rows())
    throw Error(fmt::format("a is {} × {} and out {} × {}; the distribution has {} features", a.rows(), a.cols(),
                            out.rows(), out.cols(), parts.features));
  for (const Columns* sensitive : {&b, to})
    if (sensitive != nullptr && (sensitive->cols() != parts.sensitive || sensitive->rows() != a.rows()))
      throw Error(fmt::format("b is {} × {}; the distribution needs {} sensitive columns of {} rows", sensitive->rows(),
                              sensitive->cols(), parts.sensitive, a.rows()));
  const Index tiles = (a.rows() + kTile - 1) / kTile;
  const int threads = thread_count(how.threads, tiles);
  run_parallel(tiles, threads, [&](Index tile, int) {
    const Index first = tile * kTile, count = std::min(kTile, a.rows() - first);
    const std::span<Workspace> rows = workspaces(parts, count);
    for (Index i = first; i < first + count; ++i) {
      Workspace& work = rows[static_cast<std::size_t>(i - first)];
      for (Index j = 0; j < parts.features; ++j)
        if (!std::isfinite(work.a[static_cast<std::size_t>(j)] = a(i, j)))
          report_not_finite(i, feature_name(j), a(i, j));
      for (Index l = 0; l < parts.sensitive; ++l)
        if (!std::isfinite(work.b[static_cast<std::size_t>(l)] = b(i, l)))
          report_not_finite(i, fmt::format("b{}", l), b(i, l));
      for (Index l = 0; to != nullptr && l < parts.sensitive; ++l)
        if (!std::isfinite(work.there[static_cast<std::size_t>(l)] = (*to)(i, l)))
          report_not_finite(i, fmt::format("b{}", l), (*to)(i, l));
      work.start(parts, to != nullptr);
    }
    for (const DistributionStep& step : parts.steps)
      for (Workspace& work : rows) work.take(parts, step, to != nullptr);
    for (Index i = first; i < first + count; ++i) {
      const Workspace& work = rows[static_cast<std::size_t>(i - first)];
      const std::vector<double>& result = to != nullptr ? work.counterfactual : work.out;
      if (out.scalar() == Scalar::float64)
        write<double>(out, i, result);
      else
        write<float>(out, i, result);
    }
  });
}

void Distribution::apply(const Columns& a, const Columns& b, const MutableColumns& out, const ApplyOptions& how) const {
  run(a, b, nullptr, out, how);
}

void Distribution::counterfactual(const Columns& a, const Columns& b, const Columns& to, const MutableColumns& out,
                                  const ApplyOptions& how) const {
  run(a, b, &to, out, how);
}

void Distribution::apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const {
  const DistributionParts& parts = this->parts();
  const auto features = static_cast<std::size_t>(parts.features), sensitive = static_cast<std::size_t>(parts.sensitive);
  if (a.size() != features || out.size() != features)
    throw Error(
        fmt::format("a has {} and out {} numbers; the distribution has {} features", a.size(), out.size(), features));
  if (b.size() != sensitive)
    throw Error(fmt::format("b has {} numbers; the distribution needs {} sensitive columns", b.size(), sensitive));
  for (std::size_t j = 0; j < features; ++j)
    if (!std::isfinite(a[j])) report_not_finite(0, feature_name(static_cast<Index>(j)), a[j]);
  for (std::size_t l = 0; l < sensitive; ++l)
    if (!std::isfinite(b[l])) report_not_finite(0, fmt::format("b{}", l), b[l]);
  Workspace& work = workspaces(parts, 1).front();
  std::copy(a.begin(), a.end(), work.a.begin());
  std::copy(b.begin(), b.end(), work.b.begin());
  work.start(parts, false);
  for (const DistributionStep& step : parts.steps) work.take(parts, step, false);
  std::copy(work.out.begin(), work.out.end(), out.begin());
}

bool Distribution::operator==(const Distribution& other) const {
  return groups_ == other.groups_ && changes_ == other.changes_ && bool(parts_) == bool(other.parts_) &&
         (!parts_ || *parts_ == *other.parts_);
}

}  // namespace plumbline
