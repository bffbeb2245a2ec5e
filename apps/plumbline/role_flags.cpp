#include "role_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/names.h"
#include "base/printable.h"
#include "base/remedy.h"
#include "command_line/arguments.h"
#include "plumbline/error.h"
#include "tables/learn_encoding.h"
#include "tables/unlearnable.h"

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

// Numbers that are written in another way are read as numbers, so that the first such cell is refused with its place.
ColumnKind kind_to_read(const ColumnLook& look) {
  const bool is_misread = look.form == ColumnForm::grouped || look.form == ColumnForm::other_decimal;
  return is_misread ? ColumnKind::number : look.kind;
}

std::vector<std::string> names_of(const std::vector<Index>& columns, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Index column : columns) out.push_back(names[static_cast<std::size_t>(column)]);
  return out;
}

bool is_among(Index column, const std::vector<Index>& columns) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

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
  command.value("--max-level-columns", most_level_columns_, "N",
                "Columns that the levels of categories may become; 2000 by default");
}

void RoleFlags::add_predictions_to(Flags& command) {
  command.value("--predictions", predictions_, "COLUMN",
                "Predictions of the target, as numbers: the certificate says how much of the sensitive columns' effect "
                "they must have kept; they pass through");
}

Index RoleFlags::most_level_columns() const {
  if (most_level_columns_.empty()) return kMostLevelColumns;
  return static_cast<Index>(integer_of("--max-level-columns", most_level_columns_, 1, 1'000'000));
}

std::optional<std::int64_t> RoleFlags::least_rows() const {
  if (least_rows_.empty()) return std::nullopt;
  return integer_of("--min-level-rows", least_rows_, 0, std::numeric_limits<std::int64_t>::max());
}

ChosenColumns RoleFlags::choose(CsvSource& source, const ReadOptions& read, const Console& console) const {
  const std::vector<std::string>& names = source.names();
  if (sensitive_.empty()) throw RemediableError("no sensitive column is named", Remedy::name_sensitive);
  Parts parts(names);
  ChosenColumns out{{}, kept_columns(keep_, names), {}, {}, {}};
  Schema& schema = out.schema;
  schema.sensitive = parts.give(sensitive_, "--sensitive");
  schema.target = parts.give_one(target_, "--target");
  schema.weights = parts.give_one(weights_, "--weights");
  schema.predictions = parts.give_one(predictions_, "--predictions");
  if (schema.predictions && !schema.target) throw Error("--predictions needs --target, which they are compared with");
  schema.features = parts.give(features_, "--features");
  parts.give(drop_, "--drop");
  const std::vector<Index> kept = parts.give(keep_, "--keep");

  std::vector<ColumnLook> looks = look_at(source.table());
  for (const Index column : choose_columns(categorical_, names, "--categorical"))
    looks[static_cast<std::size_t>(column)] = {ColumnKind::category};
  for (const ColumnLook& look : looks) schema.kinds.push_back(kind_to_read(look));
  if (schema.target)
    schema.is_priced = may_have_price(source.table(), *schema.target, looks[static_cast<std::size_t>(*schema.target)]);
  if (schema.predictions) {
    const ColumnKind kind = schema.kinds[static_cast<std::size_t>(*schema.predictions)];
    if (kind != ColumnKind::number)
      throw Error(fmt::format("--predictions names '{}', whose cells are not numbers", predictions_));
    if (!schema.is_priced)
      throw Error(
          fmt::format("--predictions needs a target of numbers or of two levels, and '{}' is neither", target_));
    out.kept.push_back(predictions_);
  }
  const std::vector<Index> kept_ids = ids_among(source, kept, looks, read);
  for (const Index column : kept) {
    const ColumnForm form = looks[static_cast<std::size_t>(column)].form;
    if (!is_among(column, kept_ids) && form != ColumnForm::empty) out.told.push_back(column);
  }
  if (schema.features.empty()) {
    schema.features = parts.free();
    const std::vector<Index> ids = ids_among(source, schema.features, looks, read);
    if (!ids.empty()) {
      std::erase_if(schema.features, [&](Index column) { return std::binary_search(ids.begin(), ids.end(), column); });
      const std::vector<std::string> called = names_of(ids, names);
      console.say(
          fmt::format("taken for ids, which pass through unchanged: {}; --features names columns to change, "
                      "--drop those to leave out",
                      all_listed(called)));
      out.kept.insert(out.kept.end(), called.begin(), called.end());
      out.ids = called;
      for (const Index column : ids)  // whole numbers may be more than names of rows
        if (schema.kinds[static_cast<std::size_t>(column)] == ColumnKind::number) out.told.push_back(column);
    }
  } else if (const std::vector<Index> rest = parts.free(); !rest.empty()) {
    console.say(
        fmt::format("left out, as --features and --keep do not name them: {}", all_listed(names_of(rest, names))));
  }
  if (schema.features.empty()) throw Error("no feature is left; every column has another part");
  const auto cell = [&](Index column, std::size_t row) {
    return std::string(source.table().head(row + 1)[row][static_cast<std::size_t>(column)]);
  };
  for (const auto* columns : {&schema.features, &schema.sensitive}) refuse_dates(source, *columns, looks, cell);
  out.looks = std::move(looks);
  if (schema.weights && schema.kinds[static_cast<std::size_t>(*schema.weights)] != ColumnKind::number)
    throw Error(fmt::format("--weights names '{}', whose cells are not numbers", weights_));
  return out;
}

ChosenColumns RoleFlags::choose_for_part(CsvSource& source, const ReadOptions& read, const Console& console) const {
  ChosenColumns out = choose(source, read, console);
  if (!out.ids.empty())
    throw Error(
        fmt::format("{} of {} would be taken for ids here, and perhaps not in other parts; name columns that are "
                    "none in --features, or these in --keep or --drop",
                    quoted(out.ids), source.called()));
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
