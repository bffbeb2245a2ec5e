#include "tables/telling_columns.h"

#include "plumbline/error.h"
#include "tables/table_fit.h"

namespace plumbline {
namespace {

constexpr double kLeastShare = 0.05;

}  // namespace

std::vector<TellingColumn> telling_columns(ChunkSource& source, const std::vector<Index>& columns, const Schema& schema,
                                           const ReadOptions& options) {
  if (columns.empty()) return {};
  Schema of_columns = schema;
  of_columns.features = columns;
  source.allow_rereading();
  Fit fit;
  try {
    fit = fit_table(source, of_columns, {.missing = Missing::mean, .read = options}).fit;
  } catch (const Error&) {
    return {};  // columns that pass need not be such that anything can be learned of them
  }
  const FeatureTable& table = *fit.certificate.by_feature;
  std::vector<TellingColumn> out;
  Index first = 0;
  for (const TableColumn& column : fit.encoding->features) {
    TellingColumn found{column.name};
    for (Index j = first; j < first + column.width(); ++j) {
      if (table.explained_before[j] > found.share) found = {column.name, "", table.explained_before[j]};
      for (Index l = 0; l < table.correlation_before.cols(); ++l) {
        const double share = table.correlation_before(j, l) * table.correlation_before(j, l);
        if (share > 0.9 * found.share) found = {column.name, table.sensitive[static_cast<std::size_t>(l)], share};
      }
    }
    if (found.share >= kLeastShare) out.push_back(found);
    first += column.width();
  }
  return out;
}

}  // namespace plumbline
