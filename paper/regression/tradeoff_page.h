// The trade-off's two figures.
//
//   tradeoff             MSE against the gap, means with standard deviations, a panel for CF_abs and one for CF_exact;
//                        dashed: MSE = α e^{β gap}, by least squares of log MSE on the gaps of Adv, and only as far as
//                        these
//   tradeoff-predictions what is predicted for one person whose b is moved, against b'; a panel for what the generator
//                        makes of the person and one for the truth
//
// Their data: method, MSE, MSE_sd, CF_abs, CF_abs_sd, CF_exact, CF_exact_sd; curve, b, prediction.
#pragma once

#include <optional>
#include <string>

#include "paper/reproduction/experiment.h"
#include "paper/results/exponential.h"

namespace plumbline {

// Through the points (gap, MSE) of Adv's records; none if there are fewer than two.
std::optional<Exponential> fitted_curve(const RecordList& records, std::string_view gap);

std::string tradeoff_table(
    const RecordList& records);  // the usual one, the curves, and who of those in Adv's range lies where

std::string tradeoff_csv(const FigureData& figure);
std::string tradeoff_script(const FigureData& figure);
std::string predictions_csv(const FigureData& figure);
std::string predictions_script(const FigureData& figure);

}  // namespace plumbline
