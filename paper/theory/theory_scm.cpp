#include "paper/theory/theory_scm.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/random_stream.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kFeatures = 4, kSensitive = 3;
constexpr int kDegrees = 6;  // even: half as many uniforms make a chi-square
constexpr int kDrawsPerRow = kSensitive + kFeatures + 1 + kDegrees / 2;

constexpr std::array kScms = {TheoryScm::gaussian, TheoryScm::student_t, TheoryScm::student_t_scale,
                              TheoryScm::skewed,   TheoryScm::squares,   TheoryScm::hinge};
constexpr std::array<std::string_view, kScms.size()> kNames = {"gaussian", "student-t", "student-t-scale",
                                                               "skewed",   "squares",   "hinge"};

MatrixXd slopes() { return MatrixXd{{1, 0.5, -0.5, 0.25}, {0.5, -0.5, 1, 0.5}, {0.25, 0.5, 0.5, -0.5}}; }  // Γ

MatrixXd bends() { return MatrixXd{{0.5, 0.25, 0, 0.25}, {0, 0.25, 0.5, -0.25}, {0.25, 0, 0.25, 0.25}}; }  // Δ

bool is_student(TheoryScm scm) { return scm == TheoryScm::student_t || scm == TheoryScm::student_t_scale; }

// s(b), a number a row.
Eigen::VectorXd scales(TheoryScm scm, const MatrixXd& b) {
  if (scm != TheoryScm::student_t_scale) return Eigen::VectorXd::Ones(b.rows());
  constexpr double kVariance = kDegrees / (kDegrees - 2.0), kOthers = kDegrees + static_cast<double>(kSensitive);
  return ((kDegrees + kVariance * b.rowwise().squaredNorm().array()) / kOthers).sqrt();
}

MatrixXd features_of(TheoryScm scm, const MatrixXd& b, const MatrixXd& noise) {
  MatrixXd a = b * slopes() + scales(scm, b).asDiagonal() * noise;
  if (scm == TheoryScm::squares) a += (b.array().square() - 1).matrix() * bends();
  if (scm == TheoryScm::hinge) a += 2 * b.cwiseMax(0) * bends();
  return a;
}

}  // namespace

std::span<const TheoryScm> theory_scms() { return kScms; }

std::string_view name_of(TheoryScm scm) { return kNames.at(static_cast<std::size_t>(scm)); }

TheoryRows theory_rows(TheoryScm scm, std::uint64_t seed, std::int64_t first, Index count) {
  check_rows(first, count);
  TheoryRows rows{{MatrixXd(count, kFeatures), MatrixXd(count, kSensitive), Eigen::VectorXd(count)},
                  MatrixXd(count, kFeatures)};
  RandomStream stream(seed, kDrawsPerRow, first);
  const auto draw = [&] { return scm == TheoryScm::skewed ? -portable_log(stream.uniform()) - 1 : stream.normal(); };
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < kSensitive; ++j) rows.sample.b(i, j) = draw();
    for (Index j = 0; j < kFeatures; ++j) rows.noise(i, j) = draw();
    rows.sample.y[i] = 0.5 * stream.normal();
    double product = 1;
    for (int d = 0; d < kDegrees / 2; ++d) product *= stream.uniform();
    if (!is_student(scm)) continue;
    const double chi_square = -2 * portable_log(product), scale = std::sqrt((kDegrees - 2) / chi_square);
    rows.sample.b.row(i) *= scale;
    rows.noise.row(i) *= scale;
  }
  rows.noise = scales(scm, rows.sample.b).cwiseInverse().asDiagonal() * rows.noise;
  rows.sample.a = features_of(scm, rows.sample.b, rows.noise);
  rows.sample.y += rows.sample.a.rowwise().sum() + rows.sample.b.rowwise().sum();
  return rows;
}

MatrixXd TheoryCounterfactuals::features(const MatrixXd& b) const {
  if (b.rows() != noise_.rows() || b.cols() != kSensitive)
    throw Error(fmt::format("b is {} × {}; there are {} rows, and {} sensitive columns", b.rows(), b.cols(),
                            noise_.rows(), kSensitive));
  return features_of(scm_, b, noise_);
}

}  // namespace plumbline
