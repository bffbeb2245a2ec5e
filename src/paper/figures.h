// A figure for each experiment, drawn by gnuplot, a program of its own; its data stand beside it as CSV.
//
//   by method   a line of text each, ACC in one panel and CF, logarithmic, in the other: the printed cell, ours as
//               published, and sound with its interval
//   by rank     k across and CF, logarithmic, up; for an experiment all of whose methods have ranks
//
// figure_csv holds what is drawn: protocol, method, k, and for each metric its value, the printed cell METRIC_paper and
// the interval METRIC_low and METRIC_high, empty where there is none. draw_figure returns the SVG, or nothing and why
// in `problem`, one sentence, if gnuplot is not installed or fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper/reproduction.h"

namespace plumbline {

std::string figure_csv(const std::vector<const Record*>& records);

std::string figure_script(const Experiment& experiment, const std::vector<const Record*>& records);

std::optional<std::string> draw_figure(const std::string& script, std::string& problem,
                                       const std::string& gnuplot = "gnuplot");

}  // namespace plumbline
