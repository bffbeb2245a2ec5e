#include "debias/price_forms.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace plumbline {
namespace {

double amount_at(const Json& in, const char* what) {
  const double amount = number_at(in, what);
  if (!(amount >= 0)) bad_member(what, "is negative");
  return amount;
}

std::string what_of(const Price& price) {
  const std::string name = printable(price.target);
  if (!price.levels.empty())
    return fmt::format("of the probability that '{}' is '{}'", name, printable(price.levels[1]));
  return price.is_probability ? fmt::format("of the probability that '{}' is 1", name) : fmt::format("of '{}'", name);
}

std::string kept_in_words(const PricedPredictions& given) {
  if (given.kept == 0) return "no less than that floor, so they may be fair";
  if (given.kept == 1)
    return "no more than lines in all columns leave, so the linear form takes all of the sensitive columns' effect for "
           "kept";
  return fmt::format("below that floor, so at least {:.0f} % of the sensitive columns' effect was kept",
                     100 * given.kept);
}

}  // namespace

std::string to_text(const Price& price) {
  const auto share = [&](double amount) { return amount / price.variance; };
  std::string out = fmt::format(
      "\n  price: no counterfactually fair prediction {} can have a mean square error below {:.2g} of its variance, "
      "{:.3g}\n  (linear form: {:.2g} that lines in all columns leave, and {:.2g} that the sensitive columns explain "
      "and fairness gives up)\n",
      what_of(price), price.floor_share(), price.floor(), share(price.unexplained), share(price.by_sensitive));
  if (price.predictions)
    out += fmt::format("  predictions '{}': a mean square error of {:.2g} of the variance, {:.3g}; {}\n",
                       printable(price.predictions->column), share(price.predictions->error), price.predictions->error,
                       kept_in_words(*price.predictions));
  return out;
}

Json json_of(const Price& price) {
  Json out = {{"target", price.target},
              {"levels", price.levels},
              {"is_probability", price.is_probability},
              {"variance", price.variance},
              {"unexplained", price.unexplained},
              {"by_sensitive", price.by_sensitive},
              {"floor", price.floor()},
              {"floor_share", price.floor_share()}};
  if (price.predictions)
    out["predictions"] = {
        {"column", price.predictions->column}, {"error", price.predictions->error}, {"kept", price.predictions->kept}};
  return out;
}

Price price_from(const Json& in) {
  Price out;
  out.target = value_at<std::string>(in, "target");
  out.levels = strings_at(in, "levels");
  if (!out.levels.empty() && out.levels.size() != 2) bad_member("levels", "are not two");
  out.is_probability = value_at<bool>(in, "is_probability");
  out.variance = amount_at(in, "variance");
  if (!(out.variance > 0)) bad_member("variance", "is 0");
  out.unexplained = amount_at(in, "unexplained");
  out.by_sensitive = amount_at(in, "by_sensitive");
  if (in.contains("predictions")) {
    const Json& of = in["predictions"];
    out.predictions = {value_at<std::string>(of, "column"), amount_at(of, "error"), amount_at(of, "kept")};
    if (out.predictions->kept > 1) bad_member("kept", "is above 1");
  }
  return out;
}

}  // namespace plumbline
