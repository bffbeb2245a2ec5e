// The model file: how it was fitted, the map, and the certificate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "debias/affine_model_json.h"
#include "debias/certificate_json.h"
#include "debias/distribution_json.h"
#include "debias/encoding_json.h"
#include "debias/spread_json.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace plumbline {
namespace {

constexpr std::string_view kModelFormat = "plumbline-model";
// 1 had no merged levels and no features that are held, 2 the names of version 1 of the certificate, 3 no noise in b,
// no chosen terms, and removed means alone.
constexpr int kModelVersion = 4;

template <class E>
using Names = std::initializer_list<std::pair<E, const char*>>;

const Names<Method> kMethods = {{Method::ob, "ob"}, {Method::sob, "sob"}};
const Names<Basis> kBases = {{Basis::optimal, "optimal"}, {Basis::paper, "paper"}};
const Names<Mode> kModes = {{Mode::aware, "aware"}, {Mode::blind, "blind"}};
const Names<Remove> kRemoved = {{Remove::mean, name_of(Remove::mean)},
                                {Remove::spread, name_of(Remove::spread)},
                                {Remove::distribution, name_of(Remove::distribution)}};
const Names<SobForm> kForms = {
    {SobForm::automatic, "automatic"}, {SobForm::gram, "gram"}, {SobForm::matrix_free, "matrix-free"}};
const Names<SobStatus> kStatuses = {{SobStatus::converged, name_of(SobStatus::converged)},
                                    {SobStatus::iteration_limit, name_of(SobStatus::iteration_limit)},
                                    {SobStatus::nothing_left, name_of(SobStatus::nothing_left)}};

template <class E>
const char* text_of(const Names<E>& names, E value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

template <class E>
E choice(const Names<E>& names, const std::string& text, const char* what) {
  for (const auto& [value, name] : names)
    if (text == name) return value;
  bad_member(what, "is not a known choice");
}

Json options_json(const FitOptions& o) {
  Json out;
  out["method"] = text_of(kMethods, o.method);
  out["basis"] = text_of(kBases, o.basis);
  out["mode"] = text_of(kModes, o.mode);
  out["remove"] = name_of(o.remove);
  out["rank"] = o.rank.count();
  out["share"] = o.rank.share();
  out["alpha"] = o.alpha;
  out["standardize"] = o.standardize;
  if (!o.reliability.empty()) {
    out["reliability"] = Json::array();
    for (const auto& [name, value] : o.reliability) out["reliability"].push_back({{"name", name}, {"value", value}});
  }
  out["sob"] = {
      {"l1_bound", o.sob.l1_bound},           {"tolerance", o.sob.tolerance}, {"max_iterations", o.sob.max_iterations},
      {"random_starts", o.sob.random_starts}, {"seed", o.sob.seed},           {"form", text_of(kForms, o.sob.form)}};
  if (o.remove == Remove::spread)
    out["spread"] = {{"diagonal", o.spread.diagonal},
                     {"regions", o.spread.partition.regions},
                     {"least_rows", o.spread.partition.least_rows},
                     {"shrinkage", o.spread.shrinkage},
                     {"max_iterations", o.spread.max_iterations},
                     {"tolerance", o.spread.tolerance}};
  if (o.remove == Remove::distribution)
    out["distribution"] = {{"seed", o.distribution.seed},
                           {"order", o.distribution.order},
                           {"leaves", o.distribution.leaves},
                           {"least_leaf_rows", o.distribution.least_rows},
                           {"prior", o.distribution.prior},
                           {"regions", o.distribution.partition.regions},
                           {"least_rows", o.distribution.partition.least_rows}};
  return out;
}

FitOptions options_from(const Json& in) {
  FitOptions o;
  o.method = choice(kMethods, value_at<std::string>(in, "method"), "method");
  o.basis = choice(kBases, value_at<std::string>(in, "basis"), "basis");
  o.mode = choice(kModes, value_at<std::string>(in, "mode"), "mode");
  const auto count = value_at<Index>(in, "rank");
  const double share = number_at(in, "share");
  o.rank = count != 0 ? Rank::count(count) : share != 0 ? Rank::share(share) : Rank::all();
  o.alpha = number_at(in, "alpha");
  o.standardize = value_at<bool>(in, "standardize");
  if (in.contains("reliability"))
    for (const Json& of : list_at(in, "reliability"))
      o.reliability.emplace_back(value_at<std::string>(of, "name"), number_at(of, "value"));
  const Json& sob = member(in, "sob");
  o.sob.l1_bound = number_at(sob, "l1_bound");
  o.sob.tolerance = number_at(sob, "tolerance");
  o.sob.max_iterations = value_at<int>(sob, "max_iterations");
  o.sob.random_starts = value_at<int>(sob, "random_starts");
  o.sob.seed = value_at<std::uint64_t>(sob, "seed");
  o.sob.form = choice(kForms, value_at<std::string>(sob, "form"), "form");
  if (in.contains("remove")) o.remove = choice(kRemoved, value_at<std::string>(in, "remove"), "remove");
  if (o.remove == Remove::spread) {
    const Json& spread = member(in, "spread");
    o.spread.diagonal = value_at<bool>(spread, "diagonal");
    o.spread.partition.regions = value_at<int>(spread, "regions");
    o.spread.partition.least_rows = value_at<int>(spread, "least_rows");
    o.spread.shrinkage = number_at(spread, "shrinkage");
    o.spread.max_iterations = value_at<int>(spread, "max_iterations");
    o.spread.tolerance = number_at(spread, "tolerance");
  }
  if (o.remove == Remove::distribution) {
    const Json& distribution = member(in, "distribution");
    o.distribution.seed = value_at<std::uint64_t>(distribution, "seed");
    o.distribution.order = strings_at(distribution, "order");
    o.distribution.leaves = value_at<int>(distribution, "leaves");
    o.distribution.least_rows = value_at<int>(distribution, "least_leaf_rows");
    o.distribution.prior = number_at(distribution, "prior");
    o.distribution.partition.regions = value_at<int>(distribution, "regions");
    o.distribution.partition.least_rows = value_at<int>(distribution, "least_rows");
  }
  o.check();
  return o;
}

// What is said twice in a model file must be said alike: a checksum is no signature, and who edits a file can make it
// anew.
void check_agreement(const Fit& fit) {
  const AffineModel& model = fit.model;
  const Certificate& c = fit.certificate;
  const auto expect = [](bool agrees, const char* what) {
    if (!agrees) throw Error(fmt::format("the model file contradicts itself: {}", what));
  };
  expect((fit.options.mode == Mode::aware) == model.needs_sensitive(), "its mode is not that of its map");
  expect(fit.options.has_noise() == (model.parts().noise_b.size() > 0), "its reliability is not that of its map");
  const double alpha = fit.spread ? fit.spread->parts().alpha : model.parts().alpha;
  expect(fit.options.alpha == alpha && c.alpha == alpha, "it has more than one strength");
  expect((fit.options.remove == Remove::spread) == fit.spread.has_value(),
         "what it removes is not what its map removes");
  expect((fit.options.remove == Remove::distribution) == fit.distribution.has_value(),
         "what it removes is not what its map removes");
  if (fit.spread) fit.spread->check_fits(model);
  if (const auto& d = fit.distribution) {
    expect(d->features() == model.features() && d->sensitive_inputs() == model.sensitive_inputs(),
           "its distribution is of other columns");
    expect(d->seed() == fit.options.distribution.seed, "it has more than one seed");
    expect(!fit.encoding || feature_groups(*fit.encoding) == d->groups(),
           "the groups of its distribution are not those of its encoding");
  }
  expect(fit.options.rank.is_all() != model.parts().has_scores, "its rank is not that of its map");
  expect(c.removed == fit.options.remove, "what its certificate says was removed is not what its map removes");
  expect(c.rank == model.rank(), "the rank of its certificate is not that of its map");
  expect(c.features == model.features(), "the features of its certificate are not those of its map");
  expect(c.sensitive == model.parts().mean_b.size(),
         "the sensitive columns of its certificate are not those of its map");
  expect(fit.options.method == Method::sob || (fit.sob_status.empty() && fit.sob_iterations.empty()),
         "it has sparse components and its method is ob");
}

}  // namespace

std::string Fit::to_json() const {
  Json out;
  out["options"] = options_json(options);
  Json statuses = Json::array();
  for (const SobStatus status : sob_status) statuses.push_back(text_of(kStatuses, status));
  out["sob_status"] = statuses;
  if (!sob_iterations.empty()) out["sob_iterations"] = sob_iterations;
  if (encoding) out["encoding"] = json_of(*encoding);
  out["map"] = json_of(model);
  if (spread) out["spread"] = json_of(*spread);
  if (distribution) out["distribution"] = json_of(*distribution);
  out["certificate"] = json_of(certificate);
  return seal(kModelFormat, kModelVersion, std::move(out));
}

Fit Fit::from_json(std::string_view text) {
  const Json in = unseal(text, kModelFormat, kModelVersion);
  Fit out;
  out.options = options_from(member(in, "options"));
  for (const std::string& status : strings_at(in, "sob_status"))
    out.sob_status.push_back(choice(kStatuses, status, "sob_status"));
  if (in.contains("sob_iterations"))
    for (const Json& iterations : list_at(in, "sob_iterations")) {
      if (!iterations.is_number_unsigned() || !std::in_range<int>(iterations.get<std::uint64_t>()))
        bad_member("sob_iterations", "holds what is no number of iterations");
      out.sob_iterations.push_back(iterations.get<int>());
    }
  out.model = affine_model_from(member(in, "map"));
  if (in.contains("spread")) out.spread = spread_from(in["spread"]);
  if (in.contains("distribution")) out.distribution = distribution_from(in["distribution"]);
  out.certificate = certificate_from(member(in, "certificate"));
  if (in.contains("encoding")) {
    out.encoding = encoding_from(in["encoding"]);
    const AffineParts& parts = out.model.parts();
    const std::vector<std::string>& sensitive =
        parts.expansion ? parts.expansion->input_names() : parts.sensitive_names;
    if (out.encoding->feature_names() != parts.feature_names || out.encoding->sensitive_names() != sensitive)
      throw Error("the columns of the encoding are not those of the map");
  }
  check_agreement(out);
  return out;
}

}  // namespace plumbline
