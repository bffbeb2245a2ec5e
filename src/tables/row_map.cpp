#include "tables/row_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "base/names.h"
#include "base/refusals.h"
#include "base/remedy.h"
#include "debias/fit_spread.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

constexpr double kLargest = 1e300;  // of cells that the map can bear

// c1, c2 …, as columns without names are called.
bool is_numbered(const std::string& name) {
  return name.size() > 1 && name[0] == 'c' && name.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::optional<Remedy> header_remedy(const std::vector<TableColumn>& model, const std::vector<std::string>& table) {
  const bool numbered =
      std::all_of(model.begin(), model.end(), [](const auto& column) { return is_numbered(column.name); });
  if (numbered == std::all_of(table.begin(), table.end(), is_numbered)) return std::nullopt;
  return numbered ? Remedy::no_header : Remedy::with_header;
}

// Columns that have no part in the model: those that have one are not mistyped names of others.
std::vector<std::string> without_part(const Encoding& model, const std::vector<std::string>& columns) {
  std::unordered_set<std::string_view> parts = {model.weights};
  for (const auto* part : {&model.features, &model.sensitive})
    for (const TableColumn& column : *part) parts.insert(column.name);
  std::vector<std::string> out;
  for (const std::string& name : columns)
    if (!parts.contains(name)) out.push_back(name);
  return out;
}

}  // namespace

Placement find_columns(const Encoding& encoding, const ChunkSource& source, const Wanted& wanted) {
  const std::vector<std::string>& names = source.names();
  std::vector<std::string> lacking, lacking_sensitive;
  const auto find = [&](const std::string& name, std::vector<std::string>& absent) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) absent.push_back(name);
    return at - names.begin();
  };
  Placement out;
  for (const TableColumn& column : encoding.features) out.features.push_back(find(column.name, lacking));
  if (wanted.sensitive)
    for (const TableColumn& column : encoding.sensitive) out.sensitive.push_back(find(column.name, lacking_sensitive));
  if (wanted.weights && !encoding.weights.empty()) out.weights = find(encoding.weights, lacking);
  if (!wanted.predictions.empty()) {
    out.target = find(encoding.target, lacking);
    out.predictions = find(wanted.predictions, lacking);
  }
  if (lacking.empty() && lacking_sensitive.empty()) return out;
  std::optional<Remedy> remedy = header_remedy(encoding.features, names);
  if (!remedy && wanted.for_map && !lacking_sensitive.empty()) remedy = Remedy::fit_blind;
  check_present(source.called(), lacking, lacking_sensitive, without_part(encoding, names),
                wanted.for_map ? "the map needs them" : "a certificate needs them", remedy);
  return out;
}

RowMap::RowMap(const Fit& fit, const Placement& placement, const ChunkSource& source, const MapOptions& options)
    : fit_(fit),
      scores_(options.scores),
      encoder_(*fit.encoding, placement, source, options.check ? RowEncoder::kLargestSquared : kLargest) {
  if (scores_ && fit_.distribution)
    throw Error("the model makes the laws of features equal, one by one, and has no scores");
  if (scores_ && fit_.scores() == 0)
    throw RemediableError("the model keeps every feature and has no scores", Remedy::fit_with_rank);
}

Index RowMap::outputs() const { return scores_ ? fit_.scores() : fit_.features(); }

void RowMap::apply(const EncodedRows& rows, const MutableColumns& out) const {
  if (rows.rows == 0) return;
  const Columns b = fit_.needs_sensitive() ? rows.sensitive() : Columns(rows.b.data(), rows.rows, 0, 1, 1);
  if (scores_)
    fit_.apply_scores(rows.features(), b, out, {.threads = 1});
  else
    fit_.apply(rows.features(), b, out, {.threads = 1});
}

RowCheck::RowCheck(const Fit& fit, const RowEncoder& encoder, const ReadOptions& options, CheckProbe probe)
    : fit_(fit),
      measurement_(fit.model,
                   fit.model.parts().project_a || products_are_quick(encoder.features() + encoder.sensitive())
                       ? Moments::Kind::full
                       : Moments::Kind::cross,
                   fit.rows_map()),
      rows_of_fit_(fit.certificate.rows),
      batches_(encoder.features(), encoder.sensitive(),
               [this, options](const RowBatch& batch) {
                 measurement_.update(batch.a, batch.b, {options.threads, batch.weights});
                 rows_ += batch.a.rows();
               }),
      probe_(std::move(probe)) {
  if (probe_.rows > 0) sample_.emplace(encoder.features(), encoder.sensitive(), probe_.rows);
}

// Rows whose target is not known yet cannot be compared.
void RowCheck::add_predictions(const EncodedRows& rows) {
  const Columns extra = rows.extra_columns();
  for (Index i = 0; i < rows.rows; ++i)
    if (!std::isnan(extra(i, 0)))
      errors_.add(extra(i, 0), extra(i, 1), rows.weights.empty() ? 1 : rows.weights[static_cast<std::size_t>(i)]);
}

Certificate RowCheck::finish(const std::string& called) {
  batches_.finish();
  if (rows_ < 2)
    throw Error(fmt::format("{} has {}, which cannot show a correlation; check more", called,
                            rows_ == 1 ? "one row" : "no rows"));
  Certificate out = measurement_.certificate(rows_of_fit_);
  set_removed(fit_.options, out);
  if (out.sensitive_rank == 0)
    throw Error(
        fmt::format("the sensitive columns of {} are constant, which cannot show a correlation; check more", called));
  if (!predictions_.empty()) {
    const double error = errors_.mean(fit_.certificate.price->levels);
    out.price = fit_.certificate.price;
    out.price->predictions = {predictions_, error, out.price->least_kept(error)};
  }
  if (sample_) out.probe = probe_new_rows(fit_, sample_->take(), probe_.options);
  return out;
}

}  // namespace plumbline
