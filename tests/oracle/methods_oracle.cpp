// What the library's regressions, methods and metrics compute, for a test in another language to compare with a
// computation of its own.
//
// Reads from stdin a list of cases, and writes to stdout the list of their results. A case has one of these forms:
//
//   {logistic: {x: rows, y: [y], weights: [w], ridge, intercept, later: rows}}         the last four may be left out
//     → {coefficients, intercept, standard_errors, intercept_error, log_likelihood, redundant, status, probabilities}
//   {metrics: {p: [p], y: [y], weights: [w]}}                                          weights may be left out
//     → {soft_accuracy, hard_accuracy, auc, average_precision}
//   {mapping: {a: rows, s: [s], levels, later: {a: rows, s: [s]}}}
//     → {shares, orthogonal: one table a level, marginal: the same, averaged_orthogonal, averaged_marginal}
//   {methods: {a: rows, s: [s], y: [y], levels, later: {a: rows, s: [s]}, names: [name], coding, rank, standardize}}
//     → for each name {p, cf, eo, aa}                                                  the last three may be left out
//   or {error: message}
//
// Rows of `later` are not seen by a fit; predictions are of them, or of x where there are none.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "answers.h"
#include "methods/group_mapping.h"
#include "methods/method.h"
#include "metrics/accuracy.h"
#include "metrics/counterfactual.h"
#include "plumbline/error.h"
#include "predict/logistic.h"

namespace {

using namespace plumbline;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Eigen::VectorXi;
using Json = nlohmann::json;

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

template <class Vector>
Vector vector_of(const Json& cells) {
  const auto values = cells.get<std::vector<typename Vector::Scalar>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

VectorXd optional_vector(const Json& object, const char* field) {
  return object.contains(field) ? vector_of<VectorXd>(object[field]) : VectorXd();
}

Json json_of(const VectorXd& x) { return std::vector<double>(x.begin(), x.end()); }

Json json_of(const MatrixXd& x) {
  Json rows = Json::array();
  for (Index i = 0; i < x.rows(); ++i) rows.push_back(std::vector<double>(x.row(i).begin(), x.row(i).end()));
  return rows;
}

Json logistic(const Json& in) {
  const MatrixXd x = table_of(in.at("x"));
  const LogisticOptions options{.ridge = in.value("ridge", 0.0), .intercept = in.value("intercept", true)};
  const LogisticRegression model =
      fit_logistic(x, vector_of<VectorXd>(in.at("y")), options, optional_vector(in, "weights"));
  const LogisticFit& fit = model.fit();
  return {{"coefficients", json_of(fit.coefficients)},
          {"intercept", fit.intercept},
          {"standard_errors", json_of(fit.standard_errors)},
          {"intercept_error", fit.intercept_error},
          {"log_likelihood", fit.log_likelihood},
          {"redundant", fit.redundant},
          {"status", name_of(fit.status)},
          {"probabilities", json_of(model.predict(in.contains("later") ? table_of(in["later"]) : x))}};
}

Json metrics(const Json& in) {
  const auto p = vector_of<VectorXd>(in.at("p")), y = vector_of<VectorXd>(in.at("y"));
  const VectorXd weights = optional_vector(in, "weights");
  return {{"soft_accuracy", soft_accuracy(p, y, weights)},
          {"hard_accuracy", hard_accuracy(p, y, weights)},
          {"auc", auc(p, y, weights)},
          {"average_precision", average_precision(p, y, weights)}};
}

Json mapping(const Json& in) {
  const GroupMapping map(table_of(in.at("a")), vector_of<VectorXi>(in.at("s")), in.at("levels").get<int>());
  const MatrixXd a = table_of(in.at("later").at("a"));
  const auto s = vector_of<VectorXi>(in["later"].at("s"));
  Json out = {{"shares", json_of(map.shares())},
              {"orthogonal", Json::array()},
              {"marginal", Json::array()},
              {"averaged_orthogonal", json_of(map.averaged(Mapping::orthogonal, a, s))},
              {"averaged_marginal", json_of(map.averaged(Mapping::marginal, a, s))}};
  for (int g = 0; g < map.levels(); ++g) {
    out["orthogonal"].push_back(json_of(map.to(Mapping::orthogonal, a, s, g)));
    out["marginal"].push_back(json_of(map.to(Mapping::marginal, a, s, g)));
  }
  return out;
}

Json methods(const Json& in) {
  const Sample training{table_of(in.at("a")), vector_of<VectorXi>(in.at("s")), vector_of<VectorXd>(in.at("y")),
                        in.at("levels").get<int>()};
  const MatrixXd a = table_of(in.at("later").at("a"));
  const auto s = vector_of<VectorXi>(in["later"].at("s"));
  MethodOptions options;
  options.coding = in.value("coding", "one_hot") == "code" ? GroupCoding::code : GroupCoding::one_hot;
  options.standardize = in.value("standardize", true);
  if (in.contains("rank")) options.rank = Rank::count(in["rank"].get<Index>());
  const GroupMapping map(training.a, training.s, training.levels);
  Json out = Json::object();
  for (const auto& name : in.at("names").get<std::vector<std::string>>()) {
    const auto method = fit_method(name, training, options);
    const auto gap = [&](Mapping kind) {
      return counterfactual_gap(counterfactual_predictions(*method, map, kind, a, s));
    };
    out[name] = {{"p", json_of(method->predict(a, s))},
                 {"cf", gap(Mapping::marginal)},
                 {"eo", gap(Mapping::none)},
                 {"aa", gap(Mapping::orthogonal)}};
  }
  return out;
}

Json result_of(const Json& in) {
  if (in.contains("logistic")) return logistic(in["logistic"]);
  if (in.contains("metrics")) return metrics(in["metrics"]);
  if (in.contains("mapping")) return mapping(in["mapping"]);
  return methods(in.at("methods"));
}

}  // namespace

int main() { return testing::answer("plumbline_methods_oracle", result_of); }
