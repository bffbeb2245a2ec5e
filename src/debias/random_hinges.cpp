#include "debias/random_hinges.h"

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"

namespace plumbline {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNoSpread = 1e-12;  // of the mean
constexpr Index kOutermost = 200;    // one row in so many

}  // namespace

RandomHinges::RandomHinges(const MatrixXd& rows, std::uint64_t seed)
    : mean_(rows.colwise().mean()), inverse_(VectorXd::Zero(rows.cols())) {
  const Index n = std::min(rows.rows(), kReference), q = rows.cols();
  for (Index j = 0; j < q; ++j) {
    const double spread = std::sqrt((rows.col(j).array() - mean_[j]).square().mean());
    if (spread > kNoSpread * std::abs(mean_[j])) inverse_[j] = 1 / spread;
  }
  MatrixXd z = (rows.topRows(n).rowwise() - mean_.transpose()) * inverse_.asDiagonal();
  std::vector<Index> varying, of_many_values;
  VectorXd sorted(n);
  const Index tail = std::max<Index>(5, n / kOutermost);
  for (Index j = 0; j < q; ++j) {
    if (inverse_[j] == 0) continue;
    varying.push_back(j);
    sorted = z.col(j);
    std::sort(sorted.begin(), sorted.end());
    const Index below = std::upper_bound(sorted.begin(), sorted.end(), sorted[0]) - sorted.begin();
    if (below == n || sorted[below] == sorted[n - 1]) continue;
    of_many_values.push_back(j);
    if (n <= 2 * tail) continue;
    const double range = sorted[n - 1 - tail] - sorted[tail];
    for (Index i = tail - 1; i + tail < n; ++i) {
      const double gap = sorted[i + 1] - sorted[i];
      if (gap > kWideGap * range) steps_.push_back({j, sorted[i] + gap / 2, gap / std::max(range, gap)});
    }
  }
  std::stable_sort(steps_.begin(), steps_.end(), [](const Step& x, const Step& y) { return x.width > y.width; });
  if (static_cast<Index>(steps_.size()) > kMostSteps) steps_.resize(static_cast<std::size_t>(kMostSteps));
  if (varying.empty()) return;

  const Index most = std::clamp(rows.rows() / 2, kFewestHinges, kMostHinges);
  const Index room = kMostColumns - q - static_cast<Index>(steps_.size());
  const Index hinges = std::clamp(room, std::min(kLeastHinges, most), most);
  for (Index h = 0; h < hinges; ++h) {
    RandomStream random(seed, 16, h);
    const auto below = [&](std::size_t count) {
      return std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(count)), count - 1);
    };
    Hinge hinge{{0, 0, 0}, {1, 0, 0}, 1, 0};
    if (h % 2 == 0 && !of_many_values.empty()) {
      hinge.features[0] = of_many_values[static_cast<std::size_t>(h / 2) % of_many_values.size()];
    } else {
      hinge.count = 1 + static_cast<int>(below(3));
      for (int i = 0; i < hinge.count; ++i) {
        hinge.features[i] = varying[below(varying.size())];
        hinge.slopes[i] = random.normal();
      }
    }
    const auto at = static_cast<Index>(below(static_cast<std::size_t>(n)));
    for (int i = 0; i < hinge.count; ++i) hinge.at += hinge.slopes[i] * z(at, hinge.features[i]);
    hinges_.push_back(hinge);
  }
}

void RandomHinges::write(const MatrixXd& rows, Index first, Index count, const double* scale, double* out,
                         Index stride) const {
  using Column = Eigen::Map<Eigen::ArrayXd>;
  const auto column = [&](Index j) { return Column(out + j * stride, count); };
  for (Index j = 0; j < features(); ++j)
    column(j) = (rows.col(j).segment(first, count).array() - mean_[j]) * inverse_[j];
  Index at = features();
  for (const Step& step : steps_) column(at++) = (column(step.feature) > step.at).cast<double>();
  for (const Hinge& hinge : hinges_) {
    Column to = column(at++);
    to = hinge.slopes[0] * column(hinge.features[0]) - hinge.at;
    for (int i = 1; i < hinge.count; ++i) to += hinge.slopes[i] * column(hinge.features[i]);
    to = to.max(0.0);
  }
  if (scale)
    for (Index j = 0; j < at; ++j) column(j) *= Eigen::Map<const Eigen::ArrayXd>(scale + first, count);
}

}  // namespace plumbline
