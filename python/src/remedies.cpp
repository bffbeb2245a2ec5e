#include "remedies.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace plumbline::python {
namespace {

// What comes after the sentence; nothing where there is no parameter for it.
const char* in_parameters(Remedy remedy) {
  switch (remedy) {
    case Remedy::allow_missing:
      return "; missing='drop' leaves such rows out, and missing='mean' fills in the column's mean";
    case Remedy::allow_unknown:
      return "; unknown='ignore' maps it to none of them";
    case Remedy::fewer_levels:
      return "; leave columns out, or merge more levels with min_level_rows";
    case Remedy::fill_missing:
      return "; leave that column out, or fill it with missing='mean'";
    case Remedy::fit_blind:
      return ", and a fit with mode='blind' would not";
    case Remedy::fit_with_rank:
      return "; fit it with n_components";
    case Remedy::leave_out:
      return "; leave it out";
    case Remedy::name_sensitive:
      return "; name columns in sensitive_feature_ids, or give sensitive_features";
    default:
      return "";
  }
}

// The same where the words name the column.
std::string in_calls(const RemediableError& error) {
  const std::string column = printable(error.column());
  switch (error.remedy()) {
    case Remedy::no_dates:
      return fmt::format(
          "; leave it out, make a number of it, such as (d - d.min()).dt.days of d = pandas.to_datetime(X['{0}']), or "
          "a "
          "category, as by X['{0}'].astype('category')",
          column);
    case Remedy::no_ids:
      return fmt::format("; leave it out, or make a category of it, as by X['{}'].astype('category')", column);
    case Remedy::no_text:
      return fmt::format(
          "; make numbers of it, as by pandas.read_csv with decimal=',' or thousands=',', or a category, as by "
          "X['{}'].astype('category')",
          column);
    default:
      return in_parameters(error.remedy());
  }
}

}  // namespace

const char* name_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::allow_missing:
      return "allow_missing";
    case Remedy::allow_unknown:
      return "allow_unknown";
    case Remedy::as_category:
      return "as_category";
    case Remedy::as_missing:
      return "as_missing";
    case Remedy::fewer_levels:
      return "fewer_levels";
    case Remedy::fill_missing:
      return "fill_missing";
    case Remedy::fit_blind:
      return "fit_blind";
    case Remedy::fit_with_rank:
      return "fit_with_rank";
    case Remedy::leave_out:
      return "leave_out";
    case Remedy::name_sensitive:
      return "name_sensitive";
    case Remedy::no_dates:
      return "no_dates";
    case Remedy::no_ids:
      return "no_ids";
    case Remedy::no_text:
      return "no_text";
    default:
      return "other";
  }
}

std::string worded(const RemediableError& error) { return error.what() + in_calls(error); }

}  // namespace plumbline::python
