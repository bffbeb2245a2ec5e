// The theory's records as tables and as figures.
//
//   OB[powers][student-t]   CF_exact@1000   the gap of OB[powers] in the model student-t, fitted to 1,000 rows
//   OB[powers][student-t]   slope           of log CF_exact on log n
//   OB[paper basis], k      distance        ‖A − Ã‖² / ‖A‖² (reconstruction.h)
//
//   table         the gaps, a line for each model and method and a column for each n; the distances, a line for each k
//   theory        the gaps against n, both logarithmic, a panel for each model, beside a line that falls like 1/√n
//   theory-lemma  the distances against k
//
// The data of the first figure are model, method and each metric, METRIC and METRIC_sd; those of the second k and each
// method, METHOD and METHOD_sd. Empty where there is none.
#pragma once

#include <string>
#include <string_view>

#include "paper/reproduction/experiment.h"

namespace plumbline {

inline constexpr std::string_view kGapMetric = "CF_exact", kSlopeMetric = "slope", kDistanceMetric = "distance";

std::string theory_method(std::string_view method, std::string_view model);
std::string theory_metric(Index rows);

std::string theory_table(const RecordList& records);

std::string theory_gap_csv(const FigureData& figure);
std::string theory_gap_script(const FigureData& figure);
std::string theory_distance_csv(const FigureData& figure);
std::string theory_distance_script(const FigureData& figure);

}  // namespace plumbline
