// The figures of experiments, drawn by gnuplot, a program of its own; their data stand beside them as CSV. An
// experiment that brings none has one, without a suffix:
//
//   by method   a line of text each, ACC or MSE in one panel and CF or CF_abs, logarithmic, in the other: the printed
//               cell, ours as published, and sound with its interval or, of several runs, its standard deviation
//   by rank     k across and CF or CF_abs, logarithmic, up; for an experiment all of whose methods have ranks
//
// figure_csv holds what is drawn: protocol, method, k, and for each metric its value, the printed cell METRIC_paper,
// the interval METRIC_low and METRIC_high, and METRIC_sd, empty where there is none. draw_figure returns the SVG, or
// nothing and why in `problem`, one sentence, if gnuplot is not installed or fails.
//
// For figures that experiments bring: figure_head opens a script (terminal, title, key, grid), figure_block is named
// data, figure_number a number that reads back exactly, and nothing for what is not finite.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/reproduction/reproduction.h"

namespace plumbline {

std::span<const FigureKind> figure_kinds(const Experiment& experiment);
std::string figure_name(const Experiment& experiment, const FigureKind& kind);  // of its files, without their endings

std::string figure_csv(const FigureData& figure);
std::string figure_script(const FigureData& figure);

std::string figure_head(std::string_view title, int height);
std::string figure_block(std::string_view name, const std::vector<std::string>& lines);
std::string figure_number(double value);
std::string gnuplot_number(double value);  // the same, and NaN for what is not finite

std::optional<std::string> draw_figure(const std::string& script, std::string& problem,
                                       const std::string& gnuplot = "gnuplot");

}  // namespace plumbline
