#include "plumbline/affine_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/finite.h"
#include "base/large_pages.h"
#include "base/ordered.h"
#include "kernels/views.h"
#include "plumbline/error.h"
#include "plumbline/poll.h"

namespace plumbline {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::kTileRows;
using kernels::kTileStride;

constexpr Index kTaskTiles = 8;
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr Index kStreamedCells = 8 << 20;  // 64 MB, more than the caches hold

void expect_shape(const char* what, Index rows, Index cols, Index want_rows, Index want_cols) {
  if (rows != want_rows || cols != want_cols)
    throw Error(fmt::format("{} is {} × {}; it must be {} × {}", what, rows, cols, want_rows, want_cols));
}

template <class M>
void expect_finite(const char* what, const M& m) {
  for (const double x : m.reshaped())
    if (!std::isfinite(x)) throw Error(fmt::format("{} holds {}; all its numbers must be finite", what, x));
}

void expect_positive(const char* what, const VectorXd& x) {
  expect_finite(what, x);
  if (!(x.array() > 0).all())
    throw Error(fmt::format("{} holds {}; all its numbers must be positive", what, x.minCoeff()));
}

[[noreturn]] void report_too_large(Index row, const std::string& column) {
  throw Error(fmt::format("row {}, column '{}': the values are so large that the result leaves the range of its type",
                          row, column));
}

bool is_same_table(const Columns& a, const MutableColumns& out) {
  return a.scalar() == out.scalar() && a.row_stride() == out.row_stride() && a.rows() == out.rows() &&
         a.cols() == out.cols() && std::equal(a.data(), a.data() + a.cols(), out.data());
}

kernels::Matrix matrix_of(const AffineModel::RowMajor& m) { return {m.data(), m.rows(), m.cols()}; }

}  // namespace

struct AffineModel::Scratch {
  std::vector<double> raw_b, b, in, inner, out, sums;  // `in` holds z where it is needed, then a

  Scratch(const AffineModel& model, Index raw_columns)
      : raw_b(tile(model.parts_.expansion ? raw_columns : 0)),
        b(tile(model.parts_.reduce_b ? model.parts_.mean_b.size() : 0)),
        in(tile(model.reduced() + model.features())),
        inner(tile(model.project_.rows())),
        out(tile(model.features())),
        sums(static_cast<std::size_t>(std::max(model.features(), model.project_.rows()))) {}

 private:
  static std::size_t tile(Index columns) { return static_cast<std::size_t>(columns * kTileStride); }
};

AffineModel::AffineModel(AffineParts parts) : parts_(std::move(parts)) {
  const AffineParts& m = parts_;
  const Index q = m.mean_a.size(), p = m.mean_b.size(), k = m.output.cols();
  if (q == 0) throw Error("the model has no features");
  expect_shape("feature_names", static_cast<Index>(m.feature_names.size()), 1, q, 1);
  expect_shape("sensitive_names", static_cast<Index>(m.sensitive_names.size()), 1, p, 1);
  expect_shape("scale_a", m.scale_a.size(), 1, q, 1);
  expect_shape("scale_b", m.scale_b.size(), 1, p, 1);
  expect_shape("direct", m.direct.size(), 1, q, 1);
  if (m.project_b && !m.project_a) throw Error("project_b is given without project_a");
  if (m.reduce_b) expect_shape("reduce_b", m.reduce_b->rows(), m.reduce_b->cols(), m.reduce_b->rows(), p);
  const Index r = reduced();
  expect_shape("output", m.output.rows(), k, q, m.project_a ? k : r);
  if (m.project_b) expect_shape("project_b", m.project_b->rows(), m.project_b->cols(), k, r);
  if (m.project_a) expect_shape("project_a", m.project_a->rows(), m.project_a->cols(), k, q);
  if (m.has_scores && !m.project_a) throw Error("has_scores is true without project_a");
  if (m.expansion && m.expansion->names() != m.sensitive_names)
    throw Error("sensitive_names are not the names of the expansion's columns");
  if (!(m.alpha >= 0 && m.alpha <= 1)) throw Error(fmt::format("alpha is {}; it must be from 0 to 1", m.alpha));
  expect_finite("mean_a", m.mean_a);
  expect_finite("mean_b", m.mean_b);
  expect_positive("scale_a", m.scale_a);
  expect_positive("scale_b", m.scale_b);
  expect_finite("direct", m.direct);
  expect_finite("output", m.output);
  if (m.reduce_b) expect_finite("reduce_b", *m.reduce_b);
  if (m.project_b) expect_finite("project_b", *m.project_b);
  if (m.project_a) expect_finite("project_a", *m.project_a);

  if (m.project_a) {
    project_.resize(k, (m.project_b ? r : 0) + q);
    if (m.project_b) project_.leftCols(r) = *m.project_b;
    project_.rightCols(q) = *m.project_a;
    base_ = m.mean_a;
  } else {
    base_ = m.mean_a - m.direct.cwiseProduct(m.mean_a);
    transposed_ = m.output.transpose();
  }
}

Index AffineModel::reduced() const {
  if (!needs_sensitive()) return 0;
  return parts_.reduce_b ? parts_.reduce_b->rows() : parts_.mean_b.size();
}

Index AffineModel::sensitive_inputs() const {
  if (!needs_sensitive()) return 0;
  return parts_.expansion ? parts_.expansion->inputs() : parts_.mean_b.size();
}

Index AffineModel::scores() const { return parts_.has_scores ? project_.rows() : 0; }

Index AffineModel::rank() const { return parts_.has_scores ? project_.rows() : features(); }

void AffineModel::check_tables(const Columns& a, const Columns& b, Index out_rows, Index out_cols,
                               Index expected_cols) const {
  if (features() == 0) throw Error("the model is empty; fit or load one first");
  if (a.cols() != features())
    throw Error(fmt::format("a has {} columns; the model has {} features", a.cols(), features()));
  if (needs_sensitive()) {
    if (b.cols() != sensitive_inputs())
      throw Error(fmt::format("b has {} columns; the model needs {} sensitive columns{}", b.cols(), sensitive_inputs(),
                              b.cols() == 0 ? "; a model fitted in blind mode needs none" : ""));
    if (b.rows() != a.rows())
      throw Error(fmt::format("a has {} rows and b has {}; they must have the same rows", a.rows(), b.rows()));
  }
  if (out_rows != a.rows() || out_cols != expected_cols)
    throw Error(fmt::format("out is {} × {}; it must be {} × {}", out_rows, out_cols, a.rows(), expected_cols));
}

// z of these rows, into `in`.
void AffineModel::load_sensitive(const Columns& b, Index first, Index count, Scratch& scratch) const {
  if (!needs_sensitive()) return;
  const kernels::Dispatch& kernel = kernels::active();
  const auto pack = kernel.pack[kernels::slot(b.scalar())];
  double* in = parts_.reduce_b ? scratch.b.data() : scratch.in.data();
  if (parts_.expansion) {
    pack(kernels::view(b, first, count), nullptr, nullptr, scratch.raw_b.data());
    parts_.expansion->evaluate(scratch.raw_b.data(), kTileStride, count, in, kTileStride, first);
    for (Index j = 0; j < parts_.mean_b.size(); ++j) {
      Eigen::Map<Eigen::ArrayXd> column(in + j * kTileStride, kernels::padded(count));
      column.head(count) -= parts_.mean_b[j];
      column.tail(column.size() - count).setZero();
    }
  } else {
    pack(kernels::view(b, first, count), nullptr, parts_.mean_b.data(), in);
  }
  if (parts_.reduce_b)
    kernel.affine(matrix_of(*parts_.reduce_b), nullptr, nullptr, nullptr, in, count, scratch.in.data());
}

// From a to out without a copy in between; `in` holds b.
bool AffineModel::transform_direct(const Columns& a, const MutableColumns& out, Index first, Index count,
                                   Scratch& scratch) const {
  const bool stream = out.data()[0] != a.data()[0] && out.rows() * out.cols() > kStreamedCells;
  return kernels::active().direct[kernels::slot(a.scalar())](
      matrix_of(parts_.output), transposed_.data(), base_.data(), parts_.direct.data(), kernels::view(a, first, count),
      scratch.in.data(), kernels::view(out, first, count), stream);
}

// Through tiles of a and out, which any layout and any mixing of features allow. Returns the tile of results.
const double* AffineModel::transform_packed(const Columns& a, Index first, Index count, Output kind,
                                            Scratch& scratch) const {
  const kernels::Dispatch& kernel = kernels::active();
  const double* inner = scratch.in.data();
  double* in_a = scratch.in.data() + reduced() * kTileStride;
  kernel.pack[kernels::slot(a.scalar())](kernels::view(a, first, count), nullptr,
                                         parts_.project_a ? parts_.mean_a.data() : nullptr, in_a);
  if (parts_.project_a) {
    kernel.affine(matrix_of(project_), nullptr, nullptr, nullptr, inner, count, scratch.inner.data());
    inner = scratch.inner.data();
  }
  if (kind == Output::scores) return inner;
  kernel.affine(matrix_of(parts_.output), base_.data(), parts_.direct.data(), in_a, inner, count, scratch.out.data());
  return scratch.out.data();
}

void AffineModel::check_inputs(const Columns& a, const Columns& b, Index first, Index count) const {
  if (needs_sensitive())
    check_finite(b, parts_.expansion ? parts_.expansion->input_names() : parts_.sensitive_names, first, count);
  check_finite(a, parts_.feature_names, first, count);
}

std::string AffineModel::result_name(Index column, Output kind) const {
  if (kind == Output::scores) return fmt::format("score {}", column);
  return parts_.feature_names[static_cast<std::size_t>(column)];
}

// Whether a table of that type can hold the tile; false also where only sums over its rows leave the range.
bool AffineModel::is_finite(const double* tile, Index count, Index cols, Scalar scalar, Scratch& scratch) const {
  if (scalar == Scalar::float32)
    for (Index j = 0; j < cols; ++j) {
      const Eigen::Map<const VectorXd> column(tile + j * kTileStride, count);
      if (!(column.cwiseAbs().maxCoeff() <= std::numeric_limits<float>::max())) return false;
    }
  kernels::active().sums(tile, nullptr, count, cols, scratch.sums.data());
  return Eigen::Map<const VectorXd>(scratch.sums.data(), cols).allFinite();
}

template <class Tile>
void AffineModel::for_each_tile(const Columns& a, const Columns& b, const ApplyOptions& options,
                                const Tile& tile) const {
  const Index task_rows = kTaskTiles * kTileRows;
  const Index tasks = (a.rows() + task_rows - 1) / task_rows;
  const int threads = thread_count(options.threads, tasks);
  std::vector<Scratch> scratches(static_cast<std::size_t>(threads), Scratch(*this, b.cols()));
  run_parallel(tasks, threads, [&](Index task, int slot) {
    Scratch& scratch = scratches[static_cast<std::size_t>(slot)];
    const Index end = std::min(a.rows(), (task + 1) * task_rows);
    for (Index first = task * task_rows; first < end; first += kTileRows) {
      const Index count = std::min<Index>(kTileRows, end - first);
      load_sensitive(b, first, count, scratch);
      tile(first, count, scratch);
    }
  });
}

void AffineModel::run(const Columns& a, const Columns& b, const MutableColumns& out, Output kind,
                      const ApplyOptions& options) const {
  check_tables(a, b, out.rows(), out.cols(), kind == Output::features ? features() : scores());
  const bool direct = !parts_.project_a && a.scalar() == out.scalar() &&
                      ((a.row_stride() == 1 && out.row_stride() == 1) ||
                       (a.has_neighbouring_columns() && out.view().has_neighbouring_columns()));
  for_each_tile(a, b, options, [&](Index first, Index count, Scratch& scratch) {
    if (direct) {
      if (transform_direct(a, out, first, count, scratch)) return;
    } else {
      const double* result = transform_packed(a, first, count, kind, scratch);
      kernels::active().unpack[kernels::slot(out.scalar())](result, kernels::view(out, first, count));
      if (is_finite(result, count, out.cols(), out.scalar(), scratch)) return;
    }
    check_inputs(a, b, first, count);
    for (Index i = first; i < first + count; ++i)
      for (Index j = 0; j < out.cols(); ++j)
        if (!std::isfinite(out.view()(i, j))) report_too_large(i, result_name(j, kind));
  });
}

void AffineModel::apply(const Columns& a, const Columns& b, const MutableColumns& out,
                        const ApplyOptions& options) const {
  if (is_same_table(a, out))
    apply_in_place(out, b, options);
  else
    run(a, b, out, Output::features, options);
}

void AffineModel::apply_in_place(const MutableColumns& a, const Columns& b, const ApplyOptions& options) const {
  check_tables(a.view(), b, a.rows(), a.cols(), features());
  for_each_tile(a.view(), b, options, [&](Index first, Index count, Scratch& scratch) {
    const double* result = transform_packed(a.view(), first, count, Output::features, scratch);
    if (is_finite(result, count, features(), a.scalar(), scratch)) return;
    check_inputs(a.view(), b, first, count);
    const double largest = a.scalar() == Scalar::float32 ? std::numeric_limits<float>::max() : kLargest;
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < features(); ++j)
        if (!(std::abs(result[j * kTileStride + i]) <= largest))
          report_too_large(first + i, result_name(j, Output::features));
  });
  const PollScope to_the_end([] {});
  run(a.view(), b, a, Output::features, options);
}

MatrixXd AffineModel::apply(const Columns& a, const Columns& b, const ApplyOptions& options) const {
  MatrixXd out(a.rows(), features());
  ask_for_large_pages(out.data(), static_cast<std::size_t>(out.size()) * sizeof(double));
  apply(a, b, out, options);
  return out;
}

void AffineModel::apply_scores(const Columns& a, const Columns& b, const MutableColumns& out,
                               const ApplyOptions& options) const {
  if (!parts_.has_scores) throw Error("the model keeps every feature and has no scores; fit it with a rank");
  run(a, b, out, Output::scores, options);
}

void AffineModel::apply_row(std::span<const double> a, std::span<const double> b, std::span<double> out) const {
  run_row(a, b, out, Output::features);
}

void AffineModel::apply_row_scores(std::span<const double> a, std::span<const double> b, std::span<double> out) const {
  if (!parts_.has_scores) throw Error("the model keeps every feature and has no scores; fit it with a rank");
  run_row(a, b, out, Output::scores);
}

void AffineModel::run_row(std::span<const double> a, std::span<const double> b, std::span<double> out,
                          Output kind) const {
  const auto size = [](const auto& span) { return static_cast<Index>(span.size()); };
  if (features() == 0) throw Error("the model is empty; fit or load one first");
  const Index wanted = kind == Output::scores ? scores() : features();
  if (size(a) != features() || size(out) != wanted)
    throw Error(fmt::format("a has {} and out {} numbers; the model has {} features{}", a.size(), out.size(),
                            features(), kind == Output::scores ? fmt::format(" and {} scores", wanted) : ""));
  if (needs_sensitive() && size(b) != sensitive_inputs())
    throw Error(fmt::format("b has {} numbers; the model needs {} sensitive columns", b.size(), sensitive_inputs()));

  const kernels::Dispatch& kernel = kernels::active();
  const Index q = features(), p = needs_sensitive() ? parts_.mean_b.size() : 0, r = reduced(), k = project_.rows();
  thread_local std::vector<double> scratch;
  scratch.resize(static_cast<std::size_t>(r + q + k + q + p));
  Eigen::Map<VectorXd> in_z(scratch.data(), r), in_a(in_z.data() + r, q), inner(in_a.data() + q, k),
      y(inner.data() + k, q), in_b(parts_.reduce_b ? y.data() + q : in_z.data(), p);
  if (p > 0 && parts_.expansion)
    parts_.expansion->evaluate(b.data(), 1, 1, in_b.data(), 1);
  else if (p > 0)
    in_b = Eigen::Map<const VectorXd>(b.data(), p);
  in_b -= parts_.mean_b.head(p);
  if (parts_.reduce_b && p > 0) {
    in_z.setZero();
    kernel.matvec(matrix_of(*parts_.reduce_b), in_b.data(), in_z.data());
  }
  in_a = Eigen::Map<const VectorXd>(a.data(), q);
  if (parts_.project_a) {
    in_a -= parts_.mean_a;
    inner.setZero();
    kernel.matvec(matrix_of(project_), in_z.data(), inner.data());
  }
  y = base_ + parts_.direct.cwiseProduct(in_a);
  kernel.matvec(matrix_of(parts_.output), parts_.project_a ? inner.data() : in_z.data(), y.data());
  const Eigen::Map<const VectorXd> result(kind == Output::scores ? inner.data() : y.data(), wanted);
  if (!result.allFinite()) {
    check_inputs(Columns(a.data(), 1, q, 1, 1), Columns(b.data(), 1, size(b), 1, 1), 0, 1);
    Index at = 0;
    while (std::isfinite(result[at])) ++at;
    report_too_large(0, result_name(at, kind));
  }
  Eigen::Map<VectorXd>(out.data(), wanted) = result;
}

MatrixXd AffineModel::dense_a() const {
  MatrixXd t = parts_.direct.asDiagonal();
  if (parts_.project_a) t += parts_.output * *parts_.project_a;
  return t;
}

MatrixXd AffineModel::dense_b() const {
  if (!needs_sensitive()) return MatrixXd::Zero(features(), parts_.mean_b.size());
  const MatrixXd of_z = parts_.project_b ? MatrixXd(parts_.output * *parts_.project_b) : MatrixXd(parts_.output);
  return parts_.reduce_b ? MatrixXd(of_z * *parts_.reduce_b) : of_z;
}

VectorXd AffineModel::constant() const { return parts_.mean_a - dense_a() * parts_.mean_a - dense_b() * parts_.mean_b; }

DenseMap AffineModel::dense_scores() const {
  if (!parts_.has_scores) throw Error("the model has no scores; it was fitted at full rank");
  DenseMap map{{}, *parts_.project_a, MatrixXd::Zero(scores(), parts_.mean_b.size())};
  if (parts_.project_b)
    map.b = parts_.reduce_b ? MatrixXd(*parts_.project_b * *parts_.reduce_b) : MatrixXd(*parts_.project_b);
  map.constant = -(map.a * parts_.mean_a + map.b * parts_.mean_b);
  return map;
}

bool AffineModel::operator==(const AffineModel& other) const {
  const AffineParts &x = parts_, &y = other.parts_;
  const auto same = [](const auto& u, const auto& v) { return u.rows() == v.rows() && u.cols() == v.cols() && u == v; };
  const auto same_if_any = [&](const auto& u, const auto& v) { return u && v ? same(*u, *v) : !u && !v; };
  return x.feature_names == y.feature_names && x.sensitive_names == y.sensitive_names && x.expansion == y.expansion &&
         same(x.mean_a, y.mean_a) && same(x.mean_b, y.mean_b) && same(x.scale_a, y.scale_a) &&
         same(x.scale_b, y.scale_b) && same(x.direct, y.direct) && same(x.output, y.output) &&
         same_if_any(x.reduce_b, y.reduce_b) && same_if_any(x.project_b, y.project_b) &&
         same_if_any(x.project_a, y.project_a) && x.has_scores == y.has_scores && x.alpha == y.alpha;
}

}  // namespace plumbline
