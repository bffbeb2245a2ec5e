#include "tables/telling_columns.h"

#include "plumbline/error.h"
#include "tables/dates_as_days.h"
#include "tables/table_fit.h"

namespace plumbline {
namespace {

constexpr double kLeastShare = 0.05;

// One column alone, whose cells need not be such that anything can be learned of them.
TellingColumn told_by(ChunkSource& source, Index column, const Schema& schema, const ReadOptions& options) {
  Schema of_column = schema;
  of_column.features = {column};
  TellingColumn found{source.names()[static_cast<std::size_t>(column)], "", 0};
  try {
    const Fit fit = fit_table(source, of_column, {.missing = Missing::mean, .read = options}).fit;
    const FeatureTable& table = *fit.certificate.by_feature;
    for (Index j = 0; j < table.explained_before.size(); ++j) {
      if (table.explained_before[j] > found.share) found = {found.name, "", table.explained_before[j]};
      for (Index l = 0; l < table.correlation_before.cols(); ++l) {
        const double share = table.correlation_before(j, l) * table.correlation_before(j, l);
        if (share > 0.9 * found.share) found = {found.name, table.sensitive[static_cast<std::size_t>(l)], share};
      }
    }
  } catch (const Error&) {
    return {found.name, "", 0};
  }
  return found;
}

}  // namespace

std::vector<TellingColumn> telling_columns(ChunkSource& source, const std::vector<Index>& columns, const Schema& schema,
                                           const std::vector<ColumnLook>& looks, const ReadOptions& options) {
  std::vector<TellingColumn> out;
  for (const Index column : columns) {
    source.allow_rereading();
    Schema read_as = schema;
    DatesAsDays days(source, column);
    const bool is_date = looks[static_cast<std::size_t>(column)].form == ColumnForm::date;
    if (is_date) read_as.kinds[static_cast<std::size_t>(column)] = ColumnKind::number;
    const TellingColumn found = told_by(is_date ? days : source, column, read_as, options);
    if (found.share >= kLeastShare) out.push_back(found);
  }
  return out;
}

}  // namespace plumbline
