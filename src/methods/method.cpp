#include "methods/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "methods/fair_learning.h"
#include "methods/families.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

struct Entry {
  std::string name;
  std::function<MethodPointer(const Sample&, const MethodOptions&)> fit;
};

Entry flap(const char* name, Use use, Mapping mapping) {
  return {name, [=](const Sample& training, const MethodOptions& options) {
            return fit_flap(training, options, use, mapping);
          }};
}

Entry orthogonal(const char* name, Use use, Method method) {
  return {name, [=](const Sample& training, const MethodOptions& options) {
            return fit_orthogonal(training, options, use, method);
          }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"ML", fit_ml},
      {"FTU", fit_ftu},
      {"EO", fit_eo},
      {"AA", fit_aa},
      {"FL", fit_fl},
      {"FL[mcmc]",
       [](const Sample& training, const MethodOptions& options) {
         return std::make_unique<const FairLearning>(training, options.learner, options.scm);
       }},
      flap("FLAP_1(O)", Use::averaged, Mapping::orthogonal),
      flap("FLAP_1(M)", Use::averaged, Mapping::marginal),
      flap("FLAP_2(O)", Use::alone, Mapping::orthogonal),
      flap("FLAP_2(M)", Use::alone, Mapping::marginal),
      orthogonal("OB_1", Use::averaged, Method::ob),
      orthogonal("OB_2", Use::alone, Method::ob),
      orthogonal("SOB_1", Use::averaged, Method::sob),
      orthogonal("SOB_2", Use::alone, Method::sob),
  };
  return all;
}

}  // namespace

TableFit fit_here() {
  return [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const FitOptions& options, const TableOptions& table) {
    return fit(a, b, options, table);
  };
}

void MethodOptions::check() const {
  if (!debias) throw Error("debias is empty; it must be a function that fits OB and SOB");
  if (!learner) throw Error("learner is empty; it must be a function that fits a predictor");
  sob.check();
  scm.check();
}

std::unique_ptr<const FittedMethod> fit_method(std::string_view name, const Sample& training,
                                               const MethodOptions& options) {
  training.check();
  options.check();
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const Entry& entry) { return entry.name == name; });
  if (found == entries().end())
    throw Error(fmt::format("there is no method '{}'; the methods are {}", name, fmt::join(method_names(), ", ")));
  return found->fit(training, options);
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Entry& entry : entries()) out.push_back(entry.name);
    return out;
  }();
  return names;
}

}  // namespace plumbline
