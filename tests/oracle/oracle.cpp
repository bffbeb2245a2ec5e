// What the library computes, for a test in another language to compare with a computation of its own.
//
// Reads from stdin a list of cases, and writes to stdout the list of their results:
//
//   case     {a: rows, b: rows, weights: [w], expand: {powers, knots, bins, interactions, one_hot},
//             options: {method, basis, mode, rank | share, alpha, standardize, l1_bound, tolerance, max_iterations},
//             later: {a: rows, b: rows}}                              all but a and b may be left out
//   result   {fair: n × q, scores: n × k or null, certificate: {…}, moments: {weight, mean_a, mean_b, aa, ba, bb},
//             later: {fair, from_moments: certificate, from_rows: certificate} or null}
//   or       {error: message}
//
// The moments are of φ(b) where b is expanded. A field that is not listed here is an error.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace {

using namespace plumbline;
using Eigen::MatrixXd;
using Json = nlohmann::json;

void check_fields(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) throw Error(fmt::format("unknown field '{}'", key));
}

MatrixXd table_of(const Json& rows) {
  const Index n = static_cast<Index>(rows.size()), cols = n == 0 ? 0 : static_cast<Index>(rows[0].size());
  MatrixXd x(n, cols);
  for (Index i = 0; i < n; ++i) {
    const auto row = rows[static_cast<std::size_t>(i)].get<std::vector<double>>();
    if (static_cast<Index>(row.size()) != cols) throw Error(fmt::format("row {} is of another length", i));
    std::copy(row.begin(), row.end(), x.row(i).begin());
  }
  return x;
}

Json json_of(const MatrixXd& x) {
  Json rows = Json::array();
  for (Index i = 0; i < x.rows(); ++i) rows.push_back(std::vector<double>(x.row(i).begin(), x.row(i).end()));
  return rows;
}

Json json_of(const Eigen::VectorXd& x) { return std::vector<double>(x.begin(), x.end()); }

Json json_of(const Certificate& certificate) { return Json::parse(certificate.to_json()); }

Json json_of(const Moments& m) {
  return {{"weight", m.weight()},          {"mean_a", json_of(m.mean_a())}, {"mean_b", json_of(m.mean_b())},
          {"aa", json_of(m.scatter_aa())}, {"ba", json_of(m.scatter_ba())}, {"bb", json_of(m.scatter_bb())}};
}

template <class T>
T choice(const Json& object, const char* field, std::initializer_list<std::pair<const char*, T>> choices) {
  const std::string given = object.value(field, choices.begin()->first);
  for (const auto& [name, value] : choices)
    if (given == name) return value;
  throw Error(fmt::format("{} is '{}', which is not one of its values", field, given));
}

FitOptions options_of(const Json& in) {
  check_fields(in, {"method", "basis", "mode", "rank", "share", "alpha", "standardize", "l1_bound", "tolerance",
                    "max_iterations"});
  FitOptions out;
  out.method = choice<Method>(in, "method", {{"ob", Method::ob}, {"sob", Method::sob}});
  out.basis = choice<Basis>(in, "basis", {{"optimal", Basis::optimal}, {"paper", Basis::paper}});
  out.mode = choice<Mode>(in, "mode", {{"aware", Mode::aware}, {"blind", Mode::blind}});
  if (in.contains("rank")) out.rank = Rank::count(in["rank"].get<Index>());
  if (in.contains("share")) out.rank = Rank::share(in["share"].get<double>());
  out.alpha = in.value("alpha", out.alpha);
  out.standardize = in.value("standardize", out.standardize);
  out.sob.l1_bound = in.value("l1_bound", out.sob.l1_bound);
  out.sob.tolerance = in.value("tolerance", out.sob.tolerance);
  out.sob.max_iterations = in.value("max_iterations", out.sob.max_iterations);
  return out;
}

ExpansionOptions expansion_of(const Json& in) {
  check_fields(in, {"powers", "knots", "bins", "interactions", "one_hot"});
  ExpansionOptions out;
  out.powers = in.value("powers", out.powers);
  out.knots = in.value("knots", out.knots);
  out.bins = in.value("bins", out.bins);
  out.interactions = in.value("interactions", out.interactions);
  out.one_hot = in.value("one_hot", out.one_hot);
  return out;
}

Moments moments_of(const AffineModel& model, const MatrixXd& a, const MatrixXd& b, std::span<const double> weights) {
  const auto& expansion = model.parts().expansion;
  Moments moments(model.parts().feature_names, model.parts().sensitive_names);
  moments.update(a, expansion ? expansion->transform(b) : b, {.weights = weights});
  return moments;
}

Json result_of(const Json& in) {
  check_fields(in, {"a", "b", "weights", "expand", "options", "later"});
  const MatrixXd a = table_of(in.at("a")), b = table_of(in.at("b"));
  const auto weights = in.value("weights", std::vector<double>());
  TableOptions table{.weights = weights};
  if (in.contains("expand")) table.expand = expansion_of(in["expand"]);
  const Fit result = fit(a, b, options_of(in.value("options", Json::object())), table);
  const AffineModel& model = result.model;

  Json out;
  out["fair"] = json_of(model.apply(a, b));
  out["scores"] = nullptr;
  if (model.scores() > 0) {
    MatrixXd scores(a.rows(), model.scores());
    model.apply_scores(a, b, scores);
    out["scores"] = json_of(scores);
  }
  out["certificate"] = json_of(result.certificate);
  out["moments"] = json_of(moments_of(model, a, b, weights));
  out["later"] = nullptr;
  if (in.contains("later")) {
    check_fields(in["later"], {"a", "b"});
    const MatrixXd later_a = table_of(in["later"].at("a")), later_b = table_of(in["later"].at("b"));
    out["later"] = {{"fair", json_of(model.apply(later_a, later_b))},
                    {"from_moments", json_of(certify(model, moments_of(model, later_a, later_b, {})))},
                    {"from_rows", json_of(certify(model, later_a, later_b))}};
  }
  return out;
}

}  // namespace

int main() { return testing::answer("plumbline_oracle", result_of); }
