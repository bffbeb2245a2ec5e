#include "role_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/names.h"
#include "base/remedy.h"
#include "command_line/arguments.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

std::optional<Index> choose_one(const std::string& name, const std::vector<std::string>& columns, const char* flag) {
  if (name.empty()) return std::nullopt;
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) refuse_column(flag, name, columns);
  return at - columns.begin();
}

// The part that each column plays, refusing a second one.
class Parts {
 public:
  explicit Parts(const std::vector<std::string>& names) : names_(names), parts_(names.size()) {}

  void give(Index column, const char* flag) {
    const char*& part = parts_[static_cast<std::size_t>(column)];
    if (part)
      throw Error(fmt::format("column '{}' is named by both {} and {}; it can have one part only",
                              names_[static_cast<std::size_t>(column)], part, flag));
    part = flag;
  }

  std::vector<Index> give(const std::vector<std::string>& lists, const char* flag) {
    std::vector<Index> chosen = choose_columns(lists, names_, flag);
    for (const Index column : chosen) give(column, flag);
    return chosen;
  }

  std::optional<Index> give_one(const std::string& name, const char* flag) {
    const std::optional<Index> column = choose_one(name, names_, flag);
    if (column) give(*column, flag);
    return column;
  }

  std::vector<Index> free() const {
    std::vector<Index> out;
    for (std::size_t j = 0; j < parts_.size(); ++j)
      if (!parts_[j]) out.push_back(static_cast<Index>(j));
    return out;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<const char*> parts_;
};

}  // namespace

Missing missing_of(const std::string& text) {
  return choice_of<Missing>("--missing", text,
                            {{"error", Missing::error}, {"drop", Missing::drop}, {"mean", Missing::mean}});
}

std::vector<std::string> kept_columns(const std::vector<std::string>& keep, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Index column : choose_columns(keep, names, "--keep"))
    out.push_back(names[static_cast<std::size_t>(column)]);
  return out;
}

void RoleFlags::add_to(Flags& command) {
  const auto columns = [&](const char* flag, std::vector<std::string>& to, const char* text) {
    command.value(flag, to, "COLUMN", text);
  };
  columns("--sensitive,-s", sensitive_, "Columns to be orthogonal to: names, lists a,b and patterns race*");
  columns("--features", features_, "Columns to change; all others that have no part if none are named");
  columns("--drop", drop_, "Columns that are left out, of the model and of the output");
  columns("--keep", keep_, "Columns that pass through unchanged, such as keys");
  command.value("--target", target_, "COLUMN", "The column to be predicted; it passes through");
  command.value("--weights", weights_, "COLUMN", "The column of the weights of rows; it passes through");
  columns("--categorical", categorical_, "Categories, although they look like numbers");
  command.value("--missing", missing_, "error|drop|mean",
                "Missing cells are refused, cost the row, or become the mean");
  command.value("--min-level-rows", least_rows_, "N",
                "Levels of features that fewer rows have are merged; by default 100 or 10 for each sensitive column as "
                "encoded, whichever is more, and a twentieth of the rows at most");
}

std::optional<std::int64_t> RoleFlags::least_rows() const {
  if (least_rows_.empty()) return std::nullopt;
  return integer_of("--min-level-rows", least_rows_, 0, std::numeric_limits<std::int64_t>::max());
}

Schema RoleFlags::schema(const CsvSource& source, const Console& console) const {
  const std::vector<std::string>& names = source.names();
  if (sensitive_.empty()) throw RemediableError("no sensitive column is named", Remedy::name_sensitive);
  Parts parts(names);
  Schema out;
  out.sensitive = parts.give(sensitive_, "--sensitive");
  out.target = parts.give_one(target_, "--target");
  out.weights = parts.give_one(weights_, "--weights");
  out.features = parts.give(features_, "--features");
  parts.give(drop_, "--drop");
  parts.give(keep_, "--keep");
  if (out.features.empty()) {
    out.features = parts.free();
  } else if (const std::vector<Index> rest = parts.free(); !rest.empty()) {
    std::vector<std::string> left;
    for (const Index column : rest) left.push_back(names[static_cast<std::size_t>(column)]);
    console.say(fmt::format("left out, as --features and --keep do not name them: {}", listed(left)));
  }
  if (out.features.empty()) throw Error("no feature is left; every column has another part");
  for (const ColumnLook& look : look_at(source.table())) out.kinds.push_back(look.kind);
  for (const Index column : choose_columns(categorical_, names, "--categorical"))
    out.kinds[static_cast<std::size_t>(column)] = ColumnKind::category;
  if (out.weights && out.kinds[static_cast<std::size_t>(*out.weights)] != ColumnKind::number)
    throw Error(fmt::format("--weights names '{}', whose cells are not numbers", weights_));
  return out;
}

void say_dropped(std::int64_t rows, const Console& console) {
  if (rows > 0) console.warn(fmt::format("left out for missing cells: {}", counted(rows, "row")));
}

void warn_of_many_levels(const Encoding& encoding, const Console& console) {
  constexpr std::size_t kMany = 100;
  for (const auto* columns : {&encoding.features, &encoding.sensitive})
    for (const TableColumn& column : *columns)
      if (column.levels.size() > kMany)
        console.warn(
            fmt::format("column '{}' has {} different values and becomes as many columns; if it is a name, an id "
                        "or a date, leave it out with --drop '{}'",
                        column.name, column.levels.size(), column.name));
}

}  // namespace plumbline::app
