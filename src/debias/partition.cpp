#include "plumbline/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "debias/partition_json.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr std::string_view kPartitionFormat = "plumbline-partition";
constexpr int kPartitionVersion = 1;
constexpr Index kMostRegions = 100'000;
constexpr int kLongestOnStack = 256;

// κ_j ≤ x < κ_{j+1}, or the first or last pair.
Index interval_of(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin(), knots.end(), x) - knots.begin();
  return std::clamp<Index>(above - 1, 0, static_cast<Index>(knots.size()) - 2);
}

}  // namespace

void PartitionOptions::check() const {
  if (regions != 0 && (regions < 2 || regions > 1000))
    throw Error(fmt::format("regions is {}; it must be from 2 to 1000, or 0 for as many as the rows allow", regions));
  if (!(among > 0 && among <= 100)) throw Error(fmt::format("among is {}; it must be above 0, to 100", among));
  if (least < 2 || most < least || most > 1000)
    throw Error(fmt::format("least is {} and most {}; they must be from 2 to 1000, in this order", least, most));
  if (least_rows < 1) throw Error(fmt::format("least_rows is {}; it must be at least 1", least_rows));
}

Partition::Range Partition::stratum_weights(const Stratum& stratum, std::span<const double> b, double* out) const {
  if (stratum.count == 1) {
    out[0] = 1;
    return {stratum.first, 1};
  }
  if (!stratum.knots.empty()) {
    const double x = b[static_cast<std::size_t>(numbers_[0].column)];
    const Index j = interval_of(stratum.knots, x);
    const double low = stratum.knots[static_cast<std::size_t>(j)],
                 high = stratum.knots[static_cast<std::size_t>(j + 1)];
    const double share = std::clamp((x - low) / (high - low), 0.0, 1.0);
    out[0] = 1 - share;
    out[1] = share;
    return {stratum.first + j, 2};
  }
  double nearest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < stratum.count; ++k) {
    double distance = 0;
    for (std::size_t l = 0; l < numbers_.size(); ++l) {
      const Number& number = numbers_[l];
      const double d = (b[static_cast<std::size_t>(number.column)] - number.mean) / number.sd -
                       stratum.prototypes(k, static_cast<Index>(l));
      distance += d * d;
    }
    out[k] = distance;
    nearest = std::min(nearest, distance);
  }
  double sum = 0;
  for (Index k = 0; k < stratum.count; ++k)
    sum += out[k] = std::exp(-(out[k] - nearest) / (2 * stratum.width * stratum.width));
  for (Index k = 0; k < stratum.count; ++k) out[k] /= sum;
  return {stratum.first, stratum.count};
}

Partition::Range Partition::weights(std::span<const double> b, std::span<double> out) const {
  if (static_cast<Index>(b.size()) != inputs_)
    throw Error(fmt::format("b has {} columns; the partition was fitted to {}", b.size(), inputs_));
  if (static_cast<Index>(out.size()) < regions())
    throw Error(fmt::format("out has {} places; the partition has {} regions", out.size(), regions()));
  if (binaries_.empty()) return stratum_weights(strata_[0], b, out.data());
  char buffer[kLongestOnStack];
  std::string longer;
  char* pattern = buffer;
  if (binaries_.size() > kLongestOnStack) {
    longer.resize(binaries_.size());
    pattern = longer.data();
  }
  for (std::size_t i = 0; i < binaries_.size(); ++i) {
    const double x = b[static_cast<std::size_t>(binaries_[i].column)];
    pattern[i] = std::abs(x - binaries_[i].high) < std::abs(x - binaries_[i].low) ? '1' : '0';
  }
  const std::string_view wanted(pattern, binaries_.size());
  const auto at = std::lower_bound(patterns_.begin(), patterns_.end(), wanted);
  if (at != patterns_.end() && *at == wanted)
    return stratum_weights(
        strata_[static_cast<std::size_t>(stratum_of_[static_cast<std::size_t>(at - patterns_.begin())])], b,
        out.data());

  // The patterns that are nearest share the row; their weights are spread over all regions.
  const auto distance = [&](const std::string& seen) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) count += seen[i] != wanted[i] ? 1 : 0;
    return count;
  };
  std::size_t least = wanted.size() + 1, sharing = 0;
  for (const std::string& seen : patterns_) {
    const std::size_t d = distance(seen);
    sharing = d < least ? 1 : sharing + (d == least ? 1 : 0);
    least = std::min(least, d);
  }
  double* const all = out.data();
  std::fill_n(all, regions(), 0.0);
  for (std::size_t s = 0; s < strata_.size(); ++s) {
    std::size_t patterns = 0;
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      patterns += stratum_of_[i] == static_cast<Index>(s) && distance(patterns_[i]) == least ? 1 : 0;
    if (patterns == 0) continue;
    const Stratum& stratum = strata_[s];
    double* const own = all + stratum.first;
    const Range range = stratum_weights(stratum, b, own);
    if (range.first > stratum.first) {  // two hats, written at the beginning
      const double one = own[0], other = own[1];
      own[0] = own[1] = 0;
      all[range.first] = one;
      all[range.first + 1] = other;
    }
    for (Index k = 0; k < stratum.count; ++k) own[k] *= static_cast<double>(patterns) / static_cast<double>(sharing);
  }
  return {0, regions()};
}

Partition::RowMajor Partition::matrix(const Columns& b) const {
  RowMajor out = RowMajor::Zero(b.rows(), regions());
  std::vector<double> row(static_cast<std::size_t>(b.cols())), some(static_cast<std::size_t>(regions()));
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index l = 0; l < b.cols(); ++l) row[static_cast<std::size_t>(l)] = b(i, l);
    const Range range = weights(row, some);
    for (Index k = 0; k < range.count; ++k) out(i, range.first + k) = some[static_cast<std::size_t>(k)];
  }
  return out;
}

Json PartitionJson::of(const Partition& partition) {
  Json out;
  out["inputs"] = partition.inputs_;
  Json binaries = Json::array(), numbers = Json::array(), strata = Json::array();
  for (const auto& b : partition.binaries_)
    binaries.push_back({{"column", b.column}, {"low", b.low}, {"high", b.high}});
  for (const auto& n : partition.numbers_) numbers.push_back({{"column", n.column}, {"mean", n.mean}, {"sd", n.sd}});
  for (const Partition::Stratum& s : partition.strata_)
    strata.push_back(
        {{"regions", s.count}, {"knots", s.knots}, {"prototypes", json_of(s.prototypes)}, {"width", s.width}});
  out["two_valued"] = std::move(binaries);
  out["numbers"] = std::move(numbers);
  out["patterns"] = partition.patterns_;
  out["stratum_of"] = partition.stratum_of_;
  out["strata"] = std::move(strata);
  out["rows"] = json_of(partition.rows_);
  return out;
}

Partition PartitionJson::from(const Json& in) {
  Partition out;
  out.inputs_ = value_at<Index>(in, "inputs");
  for (const Json& b : list_at(in, "two_valued"))
    out.binaries_.push_back({value_at<Index>(b, "column"), number_at(b, "low"), number_at(b, "high")});
  for (const Json& n : list_at(in, "numbers"))
    out.numbers_.push_back({value_at<Index>(n, "column"), number_at(n, "mean"), number_at(n, "sd")});
  out.patterns_ = strings_at(in, "patterns");
  for (const Json& stratum : list_at(in, "stratum_of")) {
    if (!stratum.is_number_unsigned()) bad_member("stratum_of", "holds what is no place");
    out.stratum_of_.push_back(stratum.get<Index>());
  }
  Index first = 0;
  for (const Json& s : list_at(in, "strata")) {
    Partition::Stratum stratum{first, value_at<Index>(s, "regions"), {}, {}, number_at(s, "width")};
    const Eigen::VectorXd knots = vector_at(s, "knots");
    stratum.knots.assign(knots.begin(), knots.end());
    stratum.prototypes = matrix_at(s, "prototypes", static_cast<Index>(out.numbers_.size()));
    if (stratum.count < 1 || stratum.count > kMostRegions) bad_member("regions", "is out of range");
    first += stratum.count;
    out.strata_.push_back(std::move(stratum));
  }
  out.rows_ = vector_at(in, "rows");
  out.check();
  return out;
}

std::string Partition::to_json() const { return seal(kPartitionFormat, kPartitionVersion, PartitionJson::of(*this)); }

Partition Partition::from_json(std::string_view text) {
  return PartitionJson::from(unseal(text, kPartitionFormat, kPartitionVersion));
}

// What a file says must fit together before it is looked into without checks.
void Partition::check() const {
  const auto expect = [](bool agrees, const char* what) {
    if (!agrees) throw Error(fmt::format("the partition contradicts itself: {}", what));
  };
  const auto is_input = [&](Index column) { return column >= 0 && column < inputs_; };
  for (const Binary& b : binaries_) expect(is_input(b.column) && b.low < b.high, "a two-valued column");
  for (const Number& n : numbers_) expect(is_input(n.column) && n.sd > 0, "a number");
  expect(!strata_.empty() && patterns_.size() == stratum_of_.size(), "its strata");
  expect(std::is_sorted(patterns_.begin(), patterns_.end()), "the order of its patterns");
  expect(!patterns_.empty() || binaries_.empty(), "it has no patterns");
  for (const std::string& pattern : patterns_) expect(pattern.size() == binaries_.size(), "a pattern");
  for (const Index stratum : stratum_of_)
    expect(stratum >= 0 && stratum < static_cast<Index>(strata_.size()), "a stratum");
  Index count = 0;
  for (const Stratum& s : strata_) {
    count += s.count;
    expect(s.width > 0, "the width of a region");
    const auto knots = static_cast<Index>(s.knots.size());
    if (s.count == 1) continue;
    expect(knots == (numbers_.size() == 1 ? s.count : 0), "the knots of a stratum");
    expect(s.prototypes.rows() == (numbers_.size() > 1 ? s.count : 0), "the prototypes of a stratum");
    for (Index k = 1; k < knots; ++k)
      expect(s.knots[static_cast<std::size_t>(k - 1)] < s.knots[static_cast<std::size_t>(k)], "the order of its knots");
  }
  expect(count <= kMostRegions && rows_.size() == count && (rows_.array() >= 0).all(), "the number of its regions");
}

bool Partition::operator==(const Partition& other) const {
  return inputs_ == other.inputs_ && binaries_ == other.binaries_ && numbers_ == other.numbers_ &&
         patterns_ == other.patterns_ && stratum_of_ == other.stratum_of_ && strata_ == other.strata_ &&
         rows_ == other.rows_;
}

}  // namespace plumbline
