#include <fmt/format.h>

#include <algorithm>

#include "plumbline/error.h"
#include "plumbline/fit.h"

namespace plumbline {
namespace {

constexpr double kCheapProducts = 8e8;  // some ten milliseconds

}  // namespace

void FitOptions::check() const {
  if (!(alpha >= 0 && alpha <= 1)) throw Error(fmt::format("alpha is {}; it must be from 0 to 1", alpha));
  if (remove == Remove::distribution) {
    const auto refuse = [](const char* what) { throw Error(fmt::format("remove is distribution and {}", what)); };
    if (mode == Mode::blind)
      refuse("mode is blind: where a row lies in the law given its b cannot be known without b; use mode aware");
    if (method == Method::sob) refuse("method is sob: features keep their kinds, and are not combined; use ob");
    if (!rank.is_all()) refuse("a rank is given: features keep their kinds, and are not combined; keep all");
    if (alpha != 1) refuse("alpha is not 1: between two levels there is none; use alpha 1");
    if (basis == Basis::paper) refuse("basis is paper: there are no directions to choose; use optimal");
    distribution.check();
  }
  if (remove == Remove::spread && mode == Mode::blind)
    throw Error(
        "remove is spread and mode is blind: how far a row lies from what its region expects cannot be known without "
        "its sensitive columns; use mode aware, or remove mean");
  if (remove == Remove::spread && method == Method::sob && sob.form == SobForm::matrix_free)
    throw Error("remove is spread and sob.form is matrix_free; spreads are products of features, so use gram");
  spread.check();
  sob.check();
  for (std::size_t i = 0; i < reliability.size(); ++i) {
    const auto& [name, value] = reliability[i];
    if (!(value > 0 && value <= 1))
      throw Error(fmt::format("the reliability of '{}' is {}; it must be above 0 and at most 1", name, value));
    for (std::size_t j = 0; j < i; ++j)
      if (reliability[j].first == name) throw Error(fmt::format("the reliability of '{}' is given twice", name));
  }
  if (has_noise() && remove != Remove::mean)
    throw Error("a reliability is given, which is of a fit that removes the mean; leave it out");
  if (has_noise() && mode == Mode::blind)
    throw Error("a reliability is given and mode is blind, whose result noise in b does not touch; leave it out");
  if (has_noise() && method == Method::sob && sob.form == SobForm::matrix_free)
    throw Error("a reliability is given and sob.form is matrix_free, which needs b as it is; use gram");
  if (method == Method::sob && rank.is_all())
    throw Error("method is sob and no rank is given; give a number or a share of variance");
  if (method == Method::sob && mode == Mode::blind && sob.form == SobForm::matrix_free)
    throw Error("sob.form is matrix_free and mode is blind, which needs the products of all features; use gram");
  if (method == Method::sob && basis == Basis::paper)
    throw Error("basis is paper, which is a choice of method ob; sob has its own");
}

void TableOptions::check(Index features, Index sensitive) const {
  const auto check_names = [](const char* field, const std::vector<std::string>& names, const char* table, Index cols) {
    if (!names.empty() && static_cast<Index>(names.size()) != cols)
      throw Error(fmt::format("{} has {} names; {} has {} columns, so give {} or none", field, names.size(), table,
                              cols, cols));
  };
  check_names("feature_names", feature_names, "a", features);
  check_names("sensitive_names", sensitive_names, "b", sensitive);
  if (expand) expand->check(sensitive);
  if (threads < 0) throw Error(fmt::format("threads is {}; it must be at least 1, or 0 for one a core", threads));
}

void FitOptions::check_expanded(bool automatic) const {
  if (has_noise())
    throw Error("a reliability is given and b is expanded: what noise does to terms of b is not known; leave one out");
  if (automatic && remove != Remove::mean)
    throw Error(
        "expand is automatic, which is of a fit that removes the mean; others follow bends of b by themselves, so "
        "leave "
        "expand out or name terms");
}

bool FitOptions::has_noise() const {
  return std::any_of(reliability.begin(), reliability.end(), [](const auto& of) { return of.second < 1; });
}

Moments::Kind FitOptions::moments_needed() const {
  const bool mixes = remove == Remove::spread && !spread.diagonal;
  return method == Method::ob && rank.is_all() && mode == Mode::aware && !mixes ? Moments::Kind::cross
                                                                                : Moments::Kind::full;
}

Moments::Kind FitOptions::moments_for(Index rows, Index features) const {
  const auto products = static_cast<double>(rows) * static_cast<double>(features) * static_cast<double>(features);
  return products <= kCheapProducts ? Moments::Kind::full : moments_needed();
}

}  // namespace plumbline
