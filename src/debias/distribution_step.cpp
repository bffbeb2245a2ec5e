#include "debias/distribution_step.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random_stream.h"

namespace plumbline {
namespace {

constexpr double kWhole = 65535;  // a probability of one in a table

// In eight sums that do not wait for each other: the same bits, however a compiler makes vectors of them.
template <class T>
double dot(const double* x, const T* y, Index count) {
  double sums[8] = {};
  Index i = 0;
  for (; i + 8 <= count; i += 8)
    for (Index l = 0; l < 8; ++l) sums[l] += x[i + l] * static_cast<double>(y[i + l]);
  for (; i < count; ++i) sums[0] += x[i] * static_cast<double>(y[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return dot(x.data(), y.data(), static_cast<Index>(x.size()));
}

// Σ_k w_k(b) of a row of a table, or of what there is of each region.
double mixed(const DistributionStep& step, Index leaf, Index level, Index regions, const SensitivePlace& b) {
  const std::uint16_t* const row = step.table.data() + (leaf * step.levels + level) * regions + b.range.first;
  return dot(b.weights.data(), row, b.range.count) / kWhole;
}

double mixed(const std::vector<double>& of_regions, const SensitivePlace& b) {
  return dot(b.weights.data(), of_regions.data() + b.range.first, b.range.count);
}

struct Law {
  const DistributionStep& step;
  Index leaf, regions;
  const SensitivePlace& b;

  double at(Index level) const { return mixed(step, leaf, level, regions, b); }
  double below(Index level) const { return level > 0 ? at(level - 1) : 0; }

  // The first level whose end has a share above u.
  Index level_at(double u) const {
    Index low = 0, high = step.levels - 1;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (at(middle) > u)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
};

double share_of(double u, double low, double high) {
  return high > low ? std::clamp((u - low) / (high - low), 0.0, 1.0) : 0.5;
}

// Draws a level in proportion to what `to` has more than `from`; `level` if there is none.
template <class To, class From>
Index drawn_level(Index levels, Index level, double place, const To& to, const From& from) {
  double lacking = 0;
  for (Index l = 0; l < levels; ++l) lacking += std::max(0.0, to(l) - from(l));
  if (!(lacking > 0)) return level;
  double left = place * lacking;
  Index last = level;
  for (Index l = 0; l < levels; ++l) {
    const double more = to(l) - from(l);
    if (!(more > 0)) continue;
    last = l;
    left -= more;
    if (left < 0) break;
  }
  return last;
}

template <class To, class From>
Index coupled_level(Index levels, Index level, double keep, double place, const To& to, const From& from) {
  const double have = from(level), wanted = to(level);
  if (keep * have < wanted) return level;
  return drawn_level(levels, level, place, to, from);
}

void write_level(const DistributionStep& step, Index level, double* out) {
  std::fill_n(out + step.column, step.width, 0.0);
  out[step.column + level] = 1;
}

double number_of(const DistributionStep& step, Index level, double share) {
  const double low = step.knots[static_cast<std::size_t>(level)],
               high = step.knots[static_cast<std::size_t>(step.levels + level)];
  return high > low ? step.grid.snapped(low + share * (high - low)) : low;
}

double take_category(const DistributionStep& step, const Law& law, const RowState& row, const double* a, double* out,
                     const SensitivePlace* to, double* counterfactual) {
  const Index level = level_of(step, a + step.column, row.place(step.group, kCellLevel));
  if (level < 0) {
    std::copy_n(a + step.column, step.width, out + step.column);
    if (to != nullptr) std::copy_n(a + step.column, step.width, counterfactual + step.column);
    return -1;
  }
  const double* const average = step.average.data() + law.leaf * step.levels;
  const auto of_average = [&](Index l) { return average[l]; };
  const auto of_b = [&](Index l) { return law.at(l); };
  const Index kept =
      coupled_level(step.levels, level, row.place(step.group, kPlace), row.place(step.group, kLevel), of_average, of_b);
  write_level(step, kept, out);
  if (to != nullptr) {
    const Law there{step, law.leaf, law.regions, *to};
    const Index other = coupled_level(
        step.levels, level, row.place(step.group, kOtherPlace), row.place(step.group, kOtherLevel),
        [&](Index l) { return there.at(l); }, of_b);
    write_level(step, other, counterfactual);
  }
  return static_cast<double>(kept);
}

double take_levels(const DistributionStep& step, const Law& law, const RowState& row, double x,
                   const SensitivePlace* to, double* counterfactual) {
  const LevelPlace at = level_place(step, x, row.place(step.group, kPlace));
  const double low = law.below(at.level), u = low + at.share * (law.at(at.level) - low);
  const double* const average = step.average.data() + law.leaf * step.levels;
  const Index level = std::min<Index>(std::upper_bound(average, average + step.levels, u) - average, step.levels - 1);
  const double below = level > 0 ? average[level - 1] : 0;
  if (to != nullptr) {
    const Law there{step, law.leaf, law.regions, *to};
    const Index other = there.level_at(u);
    counterfactual[step.column] = number_of(step, other, share_of(u, there.below(other), there.at(other)));
  }
  return number_of(step, level, share_of(u, below, average[level]));
}

// u, by the law at b.
double share_at(const DistributionStep& step, const Law& law, double r) {
  const Index pieces = step.levels;
  const double* const knots = step.knots.data() + law.leaf * (pieces + 1);
  const Index piece = std::upper_bound(knots + 1, knots + pieces, r) - (knots + 1);
  const double low = law.below(piece);
  return low + share_of(r, knots[piece], knots[piece + 1]) * (law.at(piece) - low);
}

double number_at(const DistributionStep& step, Index leaf, double base, double u) {
  const Index pieces = step.levels;
  const double* const shares = step.shares.data();
  const Index at = std::upper_bound(shares + 1, shares + pieces, u) - (shares + 1);
  const double* const quantiles = step.average.data() + leaf * (pieces + 1);
  const double share = share_of(u, shares[at], shares[at + 1]);
  const double fair = quantiles[at] + share * (quantiles[at + 1] - quantiles[at]);
  return step.grid.snapped(step.centre + step.sd * (base + step.average_location + step.average_scale * fair));
}

double take_continuous(const DistributionStep& step, const Law& law, const RowState& row, double x,
                       const SensitivePlace* to, double* counterfactual) {
  const double base = base_of(step, row);
  const double z = (step.grid.jittered(x, row.place(step.group, kPlace)) - step.centre) / step.sd;
  const double r = (z - base - location_of(step, row, law.b)) / scale_of(step, law.b);
  const double u = share_at(step, law, r);
  if (to != nullptr) {
    const Index pieces = step.levels;
    const double* const knots = step.knots.data() + law.leaf * (pieces + 1);
    const Law there{step, law.leaf, law.regions, *to};
    const Index other = there.level_at(u);
    const double beyond = r < knots[0] ? r - knots[0] : std::max(0.0, r - knots[pieces]);
    const double moved =
        knots[other] + beyond + share_of(u, there.below(other), there.at(other)) * (knots[other + 1] - knots[other]);
    counterfactual[step.column] =
        step.grid.snapped(step.centre + step.sd * (base + location_of(step, row, *to) + scale_of(step, *to) * moved));
  }
  return number_at(step, law.leaf, base, u);
}

}  // namespace

double Grid::snapped(double x) const {
  x = std::clamp(x, least, most);
  if (!values.empty()) {
    const auto above = std::upper_bound(values.begin(), values.end(), x);
    if (above == values.begin()) return values.front();
    if (above == values.end()) return values.back();
    return x - *(above - 1) < *above - x ? *(above - 1) : *above;
  }
  return per_unit > 0 ? std::round(x * per_unit) / per_unit : x;
}

double Grid::jittered(double x, double place) const {
  if (!values.empty()) {
    const auto at = std::lower_bound(values.begin(), values.end(), x);
    if (at == values.end() || *at != x || values.size() < 2) return x;
    const bool is_first = at == values.begin(), is_last = at + 1 == values.end();
    const double below = is_first ? *(at + 1) - x : x - *(at - 1), above = is_last ? below : *(at + 1) - x;
    return x - below / 2 + place * (below + above) / 2;
  }
  return per_unit > 0 && std::round(x * per_unit) / per_unit == x ? x + (place - 0.5) / per_unit : x;
}

void SensitivePlace::set(const DistributionParts& parts, std::span<const double> b) {
  weights.resize(static_cast<std::size_t>(parts.partition.regions()));
  range = parts.partition.weights(b, weights);
  set_terms(parts, b.data());
}

void SensitivePlace::set_terms(const DistributionParts& parts, const double* b) {
  const std::size_t p = parts.centre_b.size();
  terms.resize(static_cast<std::size_t>(parts.terms_of_b()));
  double* next = terms.data();
  for (std::size_t l = 0; l < p; ++l) *next++ = (b[l] - parts.centre_b[l]) / parts.sd_b[l];
  for (std::size_t l = 0; l < p; ++l)
    for (const double hinge : parts.hinges_b[l]) *next++ = std::max(0.0, terms[l] - hinge);
  for (std::size_t l = 0; parts.has_pairs && l < p; ++l)
    for (std::size_t m = 0; m < l; ++m) *next++ = terms[l] * terms[m];
  for (std::size_t t = 0; t < parts.mean_terms.size(); ++t) terms[t] -= parts.mean_terms[t];
}

Index DistributionParts::terms_of_b() const {
  Index count = sensitive + (has_pairs ? sensitive * (sensitive - 1) / 2 : 0);
  for (const std::vector<double>& hinges : hinges_b) count += static_cast<Index>(hinges.size());
  return count;
}

void RowState::start(const DistributionParts& parts, std::span<const double> a, std::span<const double> sensitive) {
  std::uint64_t sum = 0, column = 0;
  for (const auto& cells : {a, sensitive})
    for (const double cell : cells)  // cell + 0 is 0 where it is −0
      sum += mix(std::bit_cast<std::uint64_t>(cell + 0.0) + ++column * 0x9e3779b97f4a7c15);
  key = mix(mix(parts.seed) ^ sum);
  b.set(parts, sensitive);
  x.clear();
  terms.clear();
  numbers.clear();
}

double RowState::place(Index group, int draw) const {
  const std::uint64_t bits =
      mix(key + (8 * static_cast<std::uint64_t>(group) + static_cast<std::uint64_t>(draw) + 1) * 0xd1342543de82ef95);
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

double base_of(const DistributionStep& step, const RowState& row) { return dot(step.of_terms, row.terms); }

double location_of(const DistributionStep& step, const RowState& row, const SensitivePlace& b) {
  double sum = mixed(step.of_regions, b) + dot(step.of_sensitive, b.terms);
  const std::size_t count = row.numbers.size();
  for (std::size_t l = 0; l * count < step.of_products.size(); ++l)
    sum += b.terms[l] * dot(row.numbers.data(), step.of_products.data() + l * count, static_cast<Index>(count));
  return sum;
}

double scale_of(const DistributionStep& step, const SensitivePlace& b) {
  const double size = mixed(step.sizes, b);
  const double fitted = mixed(step.scale, b) + dot(step.scale_of_sensitive, b.terms);
  return std::clamp(fitted, size / 2, 2 * size);
}

Index level_of(const DistributionStep& step, const double* cells, double place) {
  double sum = 0;
  for (Index l = 0; l < step.width; ++l) sum += std::max(0.0, cells[l]);
  if (!(sum > 0)) return -1;
  double left = place * sum;
  Index last = -1;
  for (Index l = 0; l < step.width; ++l) {
    if (!(cells[l] > 0)) continue;
    last = l;
    left -= cells[l];
    if (left < 0) break;
  }
  return last;
}

LevelPlace level_place(const DistributionStep& step, double x, double place) {
  const double* const lower = step.knots.data();
  const double* const upper = lower + step.levels;
  Index level = std::min<Index>(std::lower_bound(upper, upper + step.levels, x) - upper, step.levels - 1);
  if (level > 0 && x < lower[level] && x - upper[level - 1] < lower[level] - x) --level;
  if (!(upper[level] > lower[level])) return {level, place};
  return {level, share_of(step.grid.jittered(x, place), lower[level], upper[level])};
}

std::vector<double> knot_shares(Index pieces) {
  std::vector<double> out;
  for (Index k = 0; k <= pieces; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(pieces);
    out.push_back(t * t * (3 - 2 * t));
  }
  return out;
}

Index numbers_of(const DistributionParts& parts, const DistributionStep& step) {
  if (!step.is_number()) return 0;
  return 1 + (parts.has_hinge_products ? static_cast<Index>(step.hinges.size()) : 0);
}

void write_terms(const DistributionParts& parts, const DistributionStep& step, double x, double* terms,
                 double* numbers) {
  if (step.is_number()) {
    const double z = (x - step.centre) / step.sd;
    *numbers++ = z;
    if (step.terms == 0) return;
    *terms++ = z;
    for (const double hinge : step.hinges) *terms++ = std::max(0.0, z - hinge);
    if (parts.has_hinge_products) std::copy_n(terms - step.hinges.size(), step.hinges.size(), numbers);
  } else if (step.kind == StepKind::category) {
    for (Index l = 0; l < step.terms; ++l) terms[l] = x == static_cast<double>(l) ? 1.0 : 0.0;
  }
}

double fair_number(const DistributionStep& step, Index leaf, const SensitivePlace& b, double base, double r) {
  const Law law{step, leaf, static_cast<Index>(b.weights.size()), b};
  return number_at(step, leaf, base, share_at(step, law, r));
}

void take_step(const DistributionParts& parts, const DistributionStep& step, RowState& row, const double* a,
               double* out, const SensitivePlace* to, double* counterfactual) {
  if (step.kind == StepKind::constant) {
    std::copy_n(a + step.column, step.width, out + step.column);
    if (to != nullptr) std::copy_n(a + step.column, step.width, counterfactual + step.column);
    row.x.push_back(0);
    return;
  }
  const auto regions = static_cast<Index>(row.b.weights.size());
  const Law law{step, step.tree.leaf(row.x.data()), regions, row.b};
  double x = 0;
  if (step.kind == StepKind::category)
    x = take_category(step, law, row, a, out, to, counterfactual);
  else if (step.kind == StepKind::levels)
    x = out[step.column] = take_levels(step, law, row, a[step.column], to, counterfactual);
  else
    x = out[step.column] = take_continuous(step, law, row, a[step.column], to, counterfactual);
  row.x.push_back(x);
  const std::size_t terms = row.terms.size(), numbers = row.numbers.size();
  row.terms.resize(terms + static_cast<std::size_t>(step.terms));
  row.numbers.resize(numbers + static_cast<std::size_t>(numbers_of(parts, step)));
  write_terms(parts, step, x, row.terms.data() + terms, row.numbers.data() + numbers);
}

}  // namespace plumbline
