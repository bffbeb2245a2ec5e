#include "fit_flags.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "command_line/arguments.h"
#include "plumbline/error.h"

namespace plumbline::app {

namespace {

// income=0.8, in lists between commas; the last = ends the name.
std::vector<std::pair<std::string, double>> reliability_of(const char* flag, const std::vector<std::string>& lists) {
  std::vector<std::pair<std::string, double>> out;
  for (const std::string& list : lists)
    for (const std::string& one : names_of(flag, list)) {
      const std::size_t equals = one.rfind('=');
      if (equals == std::string::npos || equals == 0)
        throw Error(fmt::format("{} {} has no reliability; write {}=0.8", flag, one, one.empty() ? "income" : one));
      out.emplace_back(one.substr(0, equals), number_of(flag, one.substr(equals + 1), 0, 1));
    }
  return out;
}

}  // namespace

void FitFlags::add_to(Flags& command) {
  const auto option = [&](const char* flag, std::string& to, const char* type, const char* text) {
    command.value(flag, to, type, text);
  };
  option("--method", method, "ob|sob", "sob finds sparse directions");
  option("--basis", basis, "optimal|paper", "Of ob below full rank: what changes least, or as printed");
  option("--mode", mode, "aware|blind", "The map of blind needs no sensitive column at scoring time");
  option("--remove", remove, "mean|spread|distribution",
         "What becomes equal for all values of the sensitive columns: means, means and covariances, or the whole law");
  command.value("--order", order, "C1,C2",
                "Of --remove distribution: features in causal order; those not named come after, by a rule");
  option("--spread", spread, "full|diagonal", "Of --remove spread: covariances, or variances alone");
  option(
      "--regions", regions, "N",
      "Unless --remove mean: regions of the sensitive columns, for each combination of levels; by the rows by default");
  option("--rank", rank, "K", "Dimensions to keep: a number, or a share of variance such as 0.95; all by default");
  option("--l1", l1, "H", "Of sob: bound of the 1-norm of each direction, at least 1; half the root of q by default");
  option("--tol", tolerance, "ETA", "Of sob: stop when a direction moves by less; 1e-6 by default");
  option("--max-iterations", iterations, "N", "Of sob, for each direction; 1000 by default");
  option("--random-starts", starts, "N", "Of sob: starts tried beside the deterministic one");
  option("--seed", seed, "N", "Of the random starts, and of the draws of --remove distribution");
  option("--alpha", alpha, "A", "Strength, from 0 (no change) to 1 (no linear influence left)");
  command.value(
      "--expand", expand, "TERM",
      "Remove more than the linear influence: powers=3, splines=5, bins=4, interactions; auto where a test finds it");
  command.value("--noise-b", noise_b, "COLUMN=RHO",
                "The reliability of a sensitive number, income=0.8: the share of its variance that is not noise");
  command.flag("--no-standardize", no_standardize, "Features weigh by their variance, not alike");
}

FitOptions FitFlags::options() const {
  FitOptions out;
  out.method = choice_of<Method>("--method", method, {{"ob", Method::ob}, {"sob", Method::sob}});
  out.basis = choice_of<Basis>("--basis", basis, {{"optimal", Basis::optimal}, {"paper", Basis::paper}});
  out.mode = choice_of<Mode>("--mode", mode, {{"aware", Mode::aware}, {"blind", Mode::blind}});
  out.remove = choice_of<Remove>(
      "--remove", remove, {{"mean", Remove::mean}, {"spread", Remove::spread}, {"distribution", Remove::distribution}});
  out.spread.diagonal = choice_of<bool>("--spread", spread, {{"full", false}, {"diagonal", true}});
  if (!regions.empty())
    out.spread.partition.regions = out.distribution.partition.regions =
        static_cast<int>(integer_of("--regions", regions, 2, 1000));
  for (const std::string& list : order)
    for (const std::string& name : names_of("--order", list)) out.distribution.order.push_back(name);
  if (!rank.empty()) out.rank = rank_of("--rank", rank);
  out.alpha = number_of("--alpha", alpha, 0, 1);
  out.standardize = !no_standardize;
  if (!l1.empty()) out.sob.l1_bound = number_of("--l1", l1, 1, 1e300);
  if (!tolerance.empty()) out.sob.tolerance = number_of("--tol", tolerance, 1e-300, 1e300);
  if (!iterations.empty())
    out.sob.max_iterations =
        static_cast<int>(integer_of("--max-iterations", iterations, 1, std::numeric_limits<int>::max()));
  out.sob.random_starts = static_cast<int>(integer_of("--random-starts", starts, 0, 1'000'000));
  out.sob.seed = static_cast<std::uint64_t>(integer_of("--seed", seed, 0, std::numeric_limits<std::int64_t>::max()));
  out.reliability = reliability_of("--noise-b", noise_b);
  out.distribution.seed = out.sob.seed;
  out.check();
  return out;
}

void FitFlags::warn_of_idle_flags(const Flags& command, const FitOptions& options, const Console& console) const {
  if (options.remove != Remove::spread && command.is_given("--spread"))
    console.warn("--spread has no effect without --remove spread");
  if (options.remove == Remove::mean && command.is_given("--regions"))
    console.warn("--regions has no effect with --remove mean");
  if (options.remove != Remove::distribution && command.is_given("--order"))
    console.warn("--order has no effect without --remove distribution");
  for (const char* flag : {"--l1", "--tol", "--max-iterations", "--random-starts", "--seed"})
    if (options.method != Method::sob && command.is_given(flag) &&
        !(options.remove == Remove::distribution && std::string_view(flag) == "--seed"))
      console.warn(fmt::format("{} has no effect without --method sob{}", flag,
                               std::string_view(flag) == "--seed" ? " or --remove distribution" : ""));
  if (options.basis == Basis::paper && options.rank.is_all())
    console.warn("--basis paper has no effect without --rank: at full rank all bases give the same");
  if (options.method == Method::sob && options.sob.random_starts == 0 && command.is_given("--seed"))
    console.warn("--seed has no effect without --random-starts");
}

}  // namespace plumbline::app
