// JSON form of Distribution, version 1. Tables of probabilities are texts of four hexadecimal digits an entry.
#include "debias/distribution_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "debias/distribution_step.h"
#include "plumbline/distribution.h"

namespace plumbline {
namespace {

constexpr std::string_view kDistributionFormat = "plumbline-distribution";
constexpr int kDistributionVersion = 1;
constexpr Index kMostColumns = 10'000'000;
constexpr Index kMostLevelsOfStep = 65'536;

const std::initializer_list<std::pair<StepKind, const char*>> kKinds = {{StepKind::constant, "constant"},
                                                                        {StepKind::category, "category"},
                                                                        {StepKind::levels, "levels"},
                                                                        {StepKind::continuous, "continuous"}};

std::string hex_of(const std::vector<std::uint16_t>& table) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(4 * table.size());
  for (const std::uint16_t entry : table)
    for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(entry >> shift) & 15];
  return out;
}

std::vector<std::uint16_t> table_from(const std::string& text) {
  if (text.size() % 4 != 0) bad_member("table", "is cut");
  std::vector<std::uint16_t> out(text.size() / 4);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && !(c >= 'a' && c <= 'f')) bad_member("table", "holds what is no hexadecimal digit");
    out[i / 4] = static_cast<std::uint16_t>(out[i / 4] << 4 | (is_digit ? c - '0' : c - 'a' + 10));
  }
  return out;
}

std::vector<double> numbers_in(const Json& list, const char* what) {
  if (!list.is_array()) bad_member(what, "is not a list");
  std::vector<double> out;
  for (const Json& number : list) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) bad_member(what, "holds what is no number");
    out.push_back(number.get<double>());
  }
  return out;
}

std::vector<double> numbers_at(const Json& object, const char* what) {
  const Eigen::VectorXd numbers = vector_at(object, what);
  return {numbers.begin(), numbers.end()};
}

Json json_of(const RegressionTree& tree) {
  Json nodes = Json::array();
  for (const RegressionTree::Node& node : tree.nodes())
    nodes.push_back(Json::array({node.input, node.left, node.threshold, node.set, node.levels}));
  std::string sets;
  for (const std::uint8_t bit : tree.sets()) sets += bit != 0 ? '1' : '0';
  return {{"nodes", std::move(nodes)}, {"sets", std::move(sets)}};
}

RegressionTree tree_from(const Json& in) {
  const auto numbers = matrix_at(in, "nodes", 5);
  std::vector<RegressionTree::Node> nodes;
  for (Index i = 0; i < numbers.rows(); ++i) {
    const auto whole = [&](Index column) {
      const double x = numbers(i, column);
      if (!(x >= -1 && x <= 1e9) || x != std::floor(x)) bad_member("nodes", "holds what is no place");
      return static_cast<std::int32_t>(x);
    };
    nodes.push_back({whole(0), whole(1), numbers(i, 2), whole(3), whole(4)});
  }
  std::vector<std::uint8_t> sets;
  for (const char c : value_at<std::string>(in, "sets")) {
    if (c != '0' && c != '1') bad_member("sets", "holds what is neither 0 nor 1");
    sets.push_back(c == '1' ? 1 : 0);
  }
  return {std::move(nodes), std::move(sets)};
}

Json json_of(const DistributionStep& step) {
  Json out;
  for (const auto& [kind, name] : kKinds)
    if (kind == step.kind) out["kind"] = name;
  out["group"] = step.group;
  if (step.kind == StepKind::constant) return out;
  out["levels"] = step.levels;
  out["terms"] = step.terms;
  out["tree"] = json_of(step.tree);
  out["table"] = hex_of(step.table);
  out["average"] = step.average;
  if (!step.is_number()) return out;
  out["knots"] = step.knots;
  out["grid"] = {{"values", step.grid.values},
                 {"per_unit", step.grid.per_unit},
                 {"least", step.grid.least},
                 {"most", step.grid.most}};
  out["centre"] = step.centre;
  out["sd"] = step.sd;
  out["hinges"] = step.hinges;
  if (step.kind != StepKind::continuous) return out;
  out["of_terms"] = step.of_terms;
  out["of_regions"] = step.of_regions;
  out["of_sensitive"] = step.of_sensitive;
  out["of_products"] = step.of_products;
  out["scale"] = step.scale;
  out["scale_of_sensitive"] = step.scale_of_sensitive;
  out["sizes"] = step.sizes;
  out["average_location"] = step.average_location;
  out["average_scale"] = step.average_scale;
  return out;
}

DistributionStep step_from(const Json& in) {
  DistributionStep step;
  const auto text = value_at<std::string>(in, "kind");
  const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return text == kind.second; });
  if (known == kKinds.end()) bad_member("kind", "is not a known kind");
  step.kind = known->first;
  step.group = value_at<Index>(in, "group");
  if (step.kind == StepKind::constant) return step;
  step.levels = value_at<Index>(in, "levels");
  step.terms = value_at<Index>(in, "terms");
  step.tree = tree_from(member(in, "tree"));
  step.table = table_from(value_at<std::string>(in, "table"));
  step.average = numbers_at(in, "average");
  if (!step.is_number()) return step;
  step.knots = numbers_at(in, "knots");
  const Json& grid = member(in, "grid");
  step.grid = {numbers_at(grid, "values"), number_at(grid, "per_unit"), number_at(grid, "least"),
               number_at(grid, "most")};
  step.centre = number_at(in, "centre");
  step.sd = number_at(in, "sd");
  step.hinges = numbers_at(in, "hinges");
  if (step.kind != StepKind::continuous) return step;
  step.of_terms = numbers_at(in, "of_terms");
  step.of_regions = numbers_at(in, "of_regions");
  step.of_sensitive = numbers_at(in, "of_sensitive");
  step.of_products = numbers_at(in, "of_products");
  step.scale = numbers_at(in, "scale");
  step.scale_of_sensitive = numbers_at(in, "scale_of_sensitive");
  step.sizes = numbers_at(in, "sizes");
  step.average_location = number_at(in, "average_location");
  step.average_scale = number_at(in, "average_scale");
  if (step.levels >= 1 && step.levels <= kMostLevelsOfStep) step.shares = knot_shares(step.levels);
  return step;
}

// A file may come from anyone: all that apply() looks into without a check must be there.
class StepChecker {
 public:
  explicit StepChecker(const DistributionParts& parts) : parts_(parts) {}

  void check(const DistributionStep& step) {
    if (step.kind == StepKind::constant) {
      ++done_;
      return;
    }
    const auto L = step.levels, F = step.tree.leaves(), K = parts_.partition.regions();
    expect(L >= 1 && L <= kMostLevelsOfStep && F <= kMostLevelsOfStep, "its levels");
    const auto size = [](const auto& list) { return static_cast<Index>(list.size()); };
    expect(size(step.table) == F * L * K, "the size of a table");
    const bool is_continuous = step.kind == StepKind::continuous;
    expect(size(step.average) == F * (is_continuous ? L + 1 : L), "the size of an average");
    for (const RegressionTree::Node& node : step.tree.nodes()) expect(node.input < done_, "a tree looks ahead");
    if (step.kind == StepKind::category) {
      expect(step.width == L && (step.terms == 0 || step.terms == L), "the levels of a category");
    } else {
      check_number(step);
      expect(size(step.knots) == (is_continuous ? F * (L + 1) : 2 * L), "the number of its knots");
      expect(step.terms == 0 ? step.hinges.empty() : step.terms == size(step.hinges) + 1, "its terms");
    }
    if (is_continuous) {
      expect(size(step.of_terms) == terms_ && size(step.of_regions) == K && size(step.scale) == K &&
                 size(step.of_sensitive) == parts_.terms_of_b() &&
                 size(step.scale_of_sensitive) == parts_.terms_of_b() &&
                 size(step.of_products) == parts_.product_terms * numbers_,
             "the size of a location");
      expect(size(step.sizes) == K && std::all_of(step.sizes.begin(), step.sizes.end(), [](double s) { return s > 0; }),
             "a scale");
      for (Index f = 0; f < F; ++f)
        expect(std::is_sorted(step.knots.begin() + f * (L + 1), step.knots.begin() + (f + 1) * (L + 1)),
               "the order of its knots");
    }
    ++done_;
    terms_ += step.terms;
    if (step.is_number()) numbers_ += 1 + (parts_.has_hinge_products ? static_cast<Index>(step.hinges.size()) : 0);
  }

 private:
  static void expect(bool agrees, const char* what) {
    if (!agrees) throw Error(fmt::format("the distribution contradicts itself: {}", what));
  }

  static void check_number(const DistributionStep& step) {
    const Grid& grid = step.grid;
    expect(step.sd > 0 && grid.per_unit >= 0 && grid.least <= grid.most, "the grid of a number");
    expect(std::is_sorted(grid.values.begin(), grid.values.end()), "the order of its values");
  }

  const DistributionParts& parts_;
  Index done_ = 0, terms_ = 0, numbers_ = 0;
};

}  // namespace

class DistributionJson {
 public:
  static Json write(const Distribution& distribution);
  static Distribution read(const Json& in);
};

Json DistributionJson::write(const Distribution& distribution) {
  const DistributionParts& parts = distribution.parts();
  Json out, groups = Json::array(), changes = Json::array(), steps = Json::array();
  for (const FeatureGroup& g : distribution.groups_)
    groups.push_back({{"name", g.name}, {"width", g.width}, {"category", g.is_category}});
  for (const GroupChange& c : distribution.changes_)
    changes.push_back({{"name", c.name}, {"changed", c.changed}, {"moved", c.moved}});
  for (const DistributionStep& step : parts.steps) steps.push_back(json_of(step));
  out["groups"] = std::move(groups);
  out["changes"] = std::move(changes);
  out["seed"] = parts.seed;
  out["partition"] = parts.partition.to_json();
  out["centre_b"] = parts.centre_b;
  out["sd_b"] = parts.sd_b;
  out["hinges_b"] = parts.hinges_b;
  out["pairs"] = parts.has_pairs;
  out["mean_terms"] = parts.mean_terms;
  out["product_terms"] = parts.product_terms;
  out["hinge_products"] = parts.has_hinge_products;
  out["steps"] = std::move(steps);
  return out;
}

Distribution DistributionJson::read(const Json& in) {
  Distribution out;
  auto parts = std::make_shared<DistributionParts>();
  std::vector<Index> first;
  for (const Json& g : list_at(in, "groups")) {
    FeatureGroup group{value_at<std::string>(g, "name"), value_at<Index>(g, "width"), value_at<bool>(g, "category")};
    if (group.width < 1 || group.width > kMostColumns - parts->features || (!group.is_category && group.width != 1))
      bad_member("width", "is out of range");
    first.push_back(parts->features);
    parts->features += group.width;
    out.groups_.push_back(std::move(group));
  }
  for (const Json& c : list_at(in, "changes"))
    out.changes_.push_back({value_at<std::string>(c, "name"), number_at(c, "changed"), number_at(c, "moved")});
  parts->seed = value_at<std::uint64_t>(in, "seed");
  parts->partition = Partition::from_json(value_at<std::string>(in, "partition"));
  parts->sensitive = parts->partition.inputs();
  parts->centre_b = numbers_at(in, "centre_b");
  parts->sd_b = numbers_at(in, "sd_b");
  for (const Json& hinges : list_at(in, "hinges_b")) parts->hinges_b.push_back(numbers_in(hinges, "hinges_b"));
  parts->has_pairs = value_at<bool>(in, "pairs");
  parts->mean_terms = numbers_at(in, "mean_terms");
  parts->product_terms = value_at<Index>(in, "product_terms");
  parts->has_hinge_products = value_at<bool>(in, "hinge_products");
  const auto expect = [](bool agrees, const char* what) {
    if (!agrees) throw Error(fmt::format("the distribution contradicts itself: {}", what));
  };
  const auto p = static_cast<std::size_t>(parts->sensitive);
  expect(p > 0 && parts->centre_b.size() == p && parts->sd_b.size() == p && parts->hinges_b.size() == p,
         "its sensitive columns");
  expect(parts->mean_terms.size() == static_cast<std::size_t>(parts->terms_of_b()), "its terms of sensitive columns");
  expect(p <= 10'000 && parts->product_terms >= 0 && parts->product_terms <= parts->terms_of_b(), "its products");
  expect(std::all_of(parts->sd_b.begin(), parts->sd_b.end(), [](double sd) { return sd > 0; }), "a scale of b");
  std::vector<char> seen(out.groups_.size());
  StepChecker checker(*parts);
  for (const Json& s : list_at(in, "steps")) {
    DistributionStep step = step_from(s);
    expect(step.group >= 0 && step.group < static_cast<Index>(seen.size()), "a group");
    const auto group = static_cast<std::size_t>(step.group);
    expect(seen[group]++ == 0, "a group comes twice");
    step.column = first[group];
    step.width = out.groups_[group].width;
    expect(step.kind == StepKind::constant || (step.kind == StepKind::category) == out.groups_[group].is_category,
           "the kind of a group");
    checker.check(step);
    parts->steps.push_back(std::move(step));
  }
  expect(parts->steps.size() == out.groups_.size() && out.changes_.size() == out.groups_.size(), "groups are missing");
  out.parts_ = std::move(parts);
  return out;
}

Json json_of(const Distribution& distribution) { return DistributionJson::write(distribution); }

Distribution distribution_from(const Json& in) { return DistributionJson::read(in); }

std::string Distribution::to_json() const { return seal(kDistributionFormat, kDistributionVersion, json_of(*this)); }

Distribution Distribution::from_json(std::string_view text) {
  return distribution_from(unseal(text, kDistributionFormat, kDistributionVersion));
}

}  // namespace plumbline
