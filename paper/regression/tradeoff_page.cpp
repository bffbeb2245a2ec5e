#include "paper/regression/tradeoff_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "paper/regression/regression_page.h"
#include "paper/results/figures.h"

namespace plumbline {
namespace {

constexpr std::string_view kError = "MSE";
constexpr std::array<std::string_view, 2> kGaps = {"CF_abs", "CF_exact"};
constexpr std::array<std::string_view, 4> kColours = {"#888888", "#3f8f4f", "#b5452c", "#1f5f8b"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWorlds = {
    {{", generator", "features by the generator"}, {", exact", "the truth"}}};

struct Spot {
  std::string method;
  const Record *error = nullptr, *gaps[kGaps.size()] = {};

  bool is_adversarial() const { return method.starts_with("Adv("); }
};

std::vector<Spot> spots_of(const RecordList& records) {
  std::vector<Spot> out;
  for (const Record* record : records) {
    auto spot = std::find_if(out.begin(), out.end(), [&](const Spot& known) { return known.method == record->method; });
    if (spot == out.end()) spot = out.insert(out.end(), Spot{record->method});
    if (record->metric == kError) spot->error = record;
    for (std::size_t g = 0; g < kGaps.size(); ++g)
      if (record->metric == kGaps[g]) spot->gaps[g] = record;
  }
  return out;
}

std::string number_of(const Record* record) { return record ? figure_number(record->value) : ""; }
std::string spread_of(const Record* record) { return record && record->sd ? figure_number(*record->sd) : ""; }

// A point for each method, as gnuplot reads it: gap, MSE and the spread of both.
std::string line_of(const Record& gap, const Record& error) {
  return fmt::format("{} {} {} {}", gnuplot_number(gap.value), gnuplot_number(error.value),
                     gnuplot_number(gap.sd.value_or(0)), gnuplot_number(error.sd.value_or(0)));
}

std::string panel_of(const std::vector<Spot>& spots, std::size_t gap, const std::optional<Exponential>& curve) {
  std::vector<std::string> adversarial, labels;
  std::string data, plots;
  int style = 0;
  for (const Spot& spot : spots) {
    if (!spot.error || !spot.gaps[gap]) continue;
    const std::string line = line_of(*spot.gaps[gap], *spot.error);
    if (spot.is_adversarial()) {
      adversarial.push_back(line);
      labels.push_back(fmt::format("{} \"{}\"", line, spot.method.substr(4, spot.method.size() - 5)));
      continue;
    }
    data += figure_block(fmt::format("p{}_{}", gap, style), {line});
    plots += fmt::format(", $p{}_{} using 1:2:3:4 with xyerrorbars pt {} ps 1 lc rgb '{}' title '{}'", gap, style,
                         style + 4, kColours[static_cast<std::size_t>(style) % kColours.size()], spot.method);
    ++style;
  }
  if (adversarial.empty()) return {};
  data += figure_block(fmt::format("adv{}", gap), adversarial) + figure_block(fmt::format("lambda{}", gap), labels);
  const std::string dashed =
      curve ? fmt::format(", [{}:{}] {} * exp({} * x) with lines dt 2 lc rgb '#888888' title 'fitted to Adv'",
                          gnuplot_number(curve->low), gnuplot_number(curve->high), figure_number(curve->alpha),
                          figure_number(curve->beta))
            : "";
  return fmt::format(
      "{0}set xlabel '{1}'\nset ylabel 'MSE'\nset logscale y\nset format y '%g'\n"
      "plot $adv{2} using 1:2:3:4 with xyerrorbars pt 7 ps 0.6 lc rgb '#222222' title 'Adv, by λ', "
      "$lambda{2} using 1:2:5 with labels offset 1,0.6 font ',9' notitle{3}{4}\n",
      data, kGaps[gap], gap, plots, dashed);
}

}  // namespace

std::optional<Exponential> fitted_curve(const RecordList& records, std::string_view gap) {
  const auto at = static_cast<std::size_t>(std::find(kGaps.begin(), kGaps.end(), gap) - kGaps.begin());
  if (at == kGaps.size()) return std::nullopt;
  std::vector<double> gaps, errors;
  for (const Spot& spot : spots_of(records)) {
    if (!spot.is_adversarial() || !spot.error || !spot.gaps[at]) continue;
    gaps.push_back(spot.gaps[at]->value);
    errors.push_back(spot.error->value);
  }
  return fit_exponential(gaps, errors);
}

std::string tradeoff_table(const RecordList& records) {
  std::string out = regression_table(records);
  for (std::size_t g = 0; g < kGaps.size(); ++g) {
    const auto curve = fitted_curve(records, kGaps[g]);
    if (!curve) continue;
    std::array<std::string, 3> lists;  // below, above, outside
    for (const Spot& spot : spots_of(records)) {
      if (spot.is_adversarial() || !spot.error || !spot.gaps[g]) continue;
      const double gap = spot.gaps[g]->value, error = spot.error->value;
      if (!std::isfinite(gap) || !std::isfinite(error)) continue;
      std::string& list = lists[!curve->covers(gap) ? 2 : error < curve->at(gap) ? 0 : 1];
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", spot.method);
    }
    for (std::string& list : lists)
      if (list.empty()) list = "none";
    out += fmt::format(
        "\nFitted to Adv: MSE = {:.4f} e^({:.2f} {}), of which log MSE is off by {:.3f} (root mean square). Below it: "
        "{}. Above: {}. Outside of Adv's range of {}, {:.4f} to {:.4f}, and not compared: {}.\n",
        curve->alpha, curve->beta, kGaps[g], curve->residual, lists[0], lists[1], kGaps[g], curve->low, curve->high,
        lists[2]);
  }
  return out;
}

std::string tradeoff_csv(const FigureData& figure) {
  std::string out = "method,MSE,MSE_sd";
  for (const std::string_view gap : kGaps) out += fmt::format(",{0},{0}_sd", gap);
  out += '\n';
  for (const Spot& spot : spots_of(figure.records)) {
    out += fmt::format("{},{},{}", spot.method, number_of(spot.error), spread_of(spot.error));
    for (const Record* gap : spot.gaps) out += fmt::format(",{},{}", number_of(gap), spread_of(gap));
    out += '\n';
  }
  return out;
}

std::string tradeoff_script(const FigureData& figure) {
  const std::vector<Spot> spots = spots_of(figure.records);
  std::string panels;
  for (std::size_t g = 0; g < kGaps.size(); ++g) panels += panel_of(spots, g, fitted_curve(figure.records, kGaps[g]));
  return fmt::format("{}set multiplot layout 1,2\n{}unset multiplot\n", figure_head(figure.experiment.title, 540),
                     panels);
}

std::string predictions_csv(const FigureData& figure) {
  std::string out = "curve,b,prediction\n";
  for (const CurvePoint& point : figure.points)
    out += fmt::format("\"{}\",{},{}\n", point.curve, figure_number(point.x), figure_number(point.y));
  return out;
}

std::string predictions_script(const FigureData& figure) {
  std::vector<std::string> curves;
  for (const CurvePoint& point : figure.points)
    if (std::find(curves.begin(), curves.end(), point.curve) == curves.end()) curves.push_back(point.curve);
  double low = 0, high = 1e-3;  // one scale for both panels
  for (const CurvePoint& point : figure.points)
    if (std::isfinite(point.y)) low = std::min(low, point.y), high = std::max(high, point.y);
  std::string data, panels;
  for (const auto& [world, words] : kWorlds) {
    std::string plots;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      if (!curves[c].ends_with(world)) continue;
      std::vector<std::string> lines;
      for (const CurvePoint& point : figure.points)
        if (point.curve == curves[c])
          lines.push_back(fmt::format("{} {}", gnuplot_number(point.x), gnuplot_number(point.y)));
      data += figure_block(fmt::format("curve{}", c), lines);
      plots += fmt::format("{}$curve{} using 1:2 with points pt 7 ps 0.25 lc rgb '{}' title '{}'",
                           plots.empty() ? "" : ", ", c, kColours[(c / kWorlds.size() + 1) % kColours.size()],
                           curves[c].substr(0, curves[c].size() - world.size()));
    }
    // The world stands below its panel: in the key it would take lines, and the panels were of two heights.
    if (!plots.empty()) panels += fmt::format("set xlabel \"b', {}\"\nplot {}\n", words, plots);
  }
  return fmt::format(
      "{}{}set ylabel 'prediction'\nset yrange [{}:{}]\nset multiplot layout 1,2\n{}"
      "unset multiplot\n",
      figure_head(fmt::format("{}: one person, 1,000 values of b", figure.experiment.title), 480), data,
      figure_number(low), figure_number(high), panels);
}

}  // namespace plumbline
