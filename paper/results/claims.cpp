#include "paper/results/claims.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "paper/reproduction/printed_cells.h"
#include "paper/results/exponential.h"

namespace plumbline {
namespace {

constexpr double kTie = 1e-9;

// The cells of one column, by "method metric", which is of the highest rank, and by "method k metric".
class Cells {
 public:
  void put(std::string_view method, std::optional<Index> rank, std::string_view metric, Sampled value) {
    const std::string name(method.substr(0, method.find("[onehot]"))), key = name + ' ' + std::string(metric);
    const Index size = rank.value_or(std::numeric_limits<Index>::max());  // none is full rank
    Index& highest = rank_.try_emplace(key, -1).first->second;
    if (size > highest) {
      highest = size;
      cells_[key] = value;
    }
    if (rank) cells_[name + ' ' + std::to_string(*rank) + ' ' + std::string(metric)] = std::move(value);
  }
  const Sampled& operator()(const std::string& key) const { return cells_.at(key); }  // throws where there is none
  const Sampled& operator()(const std::string& method, const std::string& metric) const {
    return cells_.at(method + ' ' + metric);
  }
  bool has(const std::string& key) const { return cells_.contains(key); }

 private:
  std::map<std::string, Sampled> cells_;
  std::map<std::string, Index> rank_;
};

using Names = std::vector<std::string>;
using Test = std::function<Answer(const Cells&)>;

const Names kFairOthers = {"FL", "EO", "AA", "FLAP_1(O)", "FLAP_2(O)", "FLAP_1(M)", "FLAP_2(M)"};
const Names kFlapAndFl = {"FL", "FLAP_1(O)", "FLAP_2(O)", "FLAP_1(M)", "FLAP_2(M)"};

const Names kPlain = {"ML", "FTU"}, kAdversarial = {"Adv(0.1)", "Adv(0.2)"},
            kBinned = {"FLAP-o", "FLAP-m", "FL", "EO", "AA"},
            kByPenalty = {"Adv(0.02)", "Adv(0.05)", "Adv(0.1)", "Adv(0.2)", "Adv(0.5)", "Adv(1)", "Adv(2)", "Adv(5)"},
            kOurs = {"OB", "SOB"};

Answer greater(const Sampled& x, const Sampled& y) { return opposite(at_most(x, y, kTie)); }

const Sampled& larger(const Sampled& x, const Sampled& y) { return x.mean < y.mean ? y : x; }

// Whether all of ours are at most all of the others.
Answer all_at_most(const Cells& at, const Names& ours, const Names& others, const std::string& end) {
  std::vector<Answer> answers;
  for (const std::string& mine : ours)
    for (const std::string& other : others) answers.push_back(at_most(at(mine + end), at(other + end), kTie));
  return all_of(answers);
}

// Whether the better of our two is first or second in ACC among the methods that aim at fairness.
Test first_or_second(const std::string& ours) {
  return [ours](const Cells& at) {
    const Sampled& best = larger(at(ours + "_1 ACC"), at(ours + "_2 ACC"));
    int surely_above = 0, perhaps_above = 0;
    for (const std::string& name : kFairOthers) {
      const Answer is_above = greater(at(name + " ACC"), best);
      surely_above += is_above == Answer::yes ? 1 : 0;
      perhaps_above += is_above != Answer::no ? 1 : 0;
    }
    if (surely_above > 1) return Answer::no;
    return perhaps_above > 1 ? Answer::even : Answer::yes;
  };
}

Test comparable_cf(const std::string& ours) {
  return [ours](const Cells& at) {
    Sampled largest;
    for (const std::string& name : kFlapAndFl) largest = larger(largest, at(name + " CF"));
    return all_of({at_most(at(ours + "_1 CF"), largest, 0.001), at_most(at(ours + "_2 CF"), largest, 0.001)});
  };
}

Test lowest(const std::string& ours, const std::string& metric) {
  return [ours, metric](const Cells& at) {
    return all_at_most(at, {ours + "_1", ours + "_2"}, kFlapAndFl, ' ' + metric);
  };
}

// first > second > … > all of the others.
Test ordered(const Names& falling, const Names& others, const std::string& metric) {
  return [falling, others, metric](const Cells& at) {
    const auto cell = [&](const std::string& name) -> const Sampled& { return at(name + ' ' + metric); };
    std::vector<Answer> answers;
    for (std::size_t i = 0; i + 1 < falling.size(); ++i)
      answers.push_back(greater(cell(falling[i]), cell(falling[i + 1])));
    for (const std::string& name : others) answers.push_back(greater(cell(falling.back()), cell(name)));
    return all_of(answers);
  };
}

Test improves_with_rank(const std::string& metric, bool upwards) {
  return [metric, upwards](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string name : {"OB_1 ", "OB_2 "})
      for (const int k : {3, 4}) {
        const Sampled &here = at(name + std::to_string(k) + ' ' + metric),
                      &next = at(name + std::to_string(k + 1) + ' ' + metric);
        answers.push_back(upwards ? at_most(here, next, kTie) : at_most(next, here, kTie));
      }
    return all_of(answers);
  };
}

// Whether OB's gap falls like 1/√n.
Test falls_like_root(const std::string& model) {
  return [model](const Cells& at) {
    const Sampled& slope = at("OB[" + model + "] slope");
    return all_of({at_most(slope, {-0.4}, 0), at_most({-0.6}, slope, 0)});
  };
}

// Whether two distances are the same for every k, or the first is at most the second.
Test for_every_rank(const std::string& one, const std::string& two, bool is_at_most) {
  return [one, two, is_at_most](const Cells& at) {
    std::vector<Answer> answers;
    for (int k = 1; k == 1 || at.has(one + ' ' + std::to_string(k) + " distance"); ++k) {
      const std::string end = ' ' + std::to_string(k) + " distance";
      answers.push_back(at_most(at(one + end), at(two + end), kTie));
      if (!is_at_most) answers.push_back(at_most(at(two + end), at(one + end), kTie));
    }
    return all_of(answers);
  };
}

// Whether both of ours are at most all of the others; their names end in a suffix.
Test both_at_most(const Names& others, const std::string& metric, const std::string& suffix = {}) {
  return [others, metric, suffix](const Cells& at) { return all_at_most(at, kOurs, others, suffix + ' ' + metric); };
}

// Whether each of ours is at most a share of another.
Test at_most_share(const std::string& of, const std::string& metric, double share) {
  return [of, metric, share](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string& mine : kOurs) answers.push_back(at_most(at(mine, metric), at(of, metric), 0, share));
    return all_of(answers);
  };
}

// Whether no Adv has both a lower error and a lower gap.
Test beaten_by_none(const std::string& gap) {
  return [gap](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string& mine : kOurs)
      for (const std::string& other : kByPenalty)
        answers.push_back(
            std::max(at_most(at(mine, "MSE"), at(other, "MSE"), kTie), at_most(at(mine, gap), at(other, gap), kTie)));
    return all_of(answers);
  };
}

// How far from their mean the runs of a cell are, each; throws where there are no three, for two are equally far.
Sampled distances_from_mean(const Sampled& cell) {
  Sampled out;
  double runs = 0;
  for (const double value : cell.by_run) {
    out.by_run.push_back(std::abs(value - cell.mean));
    if (std::isfinite(value)) out.mean += out.by_run.back(), ++runs;
  }
  if (runs < 3) throw std::out_of_range("too few runs to compare spreads");
  out.mean /= runs;
  return out;
}

Test narrower(const std::string& metric) {
  return [metric](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string& mine : kOurs)
      for (const std::string& other : kByPenalty)
        answers.push_back(at_most(distances_from_mean(at(mine, metric)), distances_from_mean(at(other, metric)), kTie));
    return all_of(answers);
  };
}

// log MSE less what Adv's curve has at the same gap, in one run, or of the means; NaN outside of Adv's gaps.
double above_curve(const Cells& at, const std::string& method, const std::string& gap, std::optional<std::size_t> run) {
  const auto value = [&](const std::string& name, const std::string& metric) {
    const Sampled& cell = at(name, metric);
    return !run ? cell.mean : *run < cell.by_run.size() ? cell.by_run[*run] : std::nan("");
  };
  std::vector<double> gaps, errors;
  for (const std::string& other : kByPenalty) {
    gaps.push_back(value(other, gap));
    errors.push_back(value(other, "MSE"));
  }
  const auto curve = fit_exponential(gaps, errors);
  const double mine = value(method, gap);
  return curve && curve->covers(mine) ? std::log(value(method, "MSE") / curve->at(mine)) : std::nan("");
}

Test under_the_curve(const std::string& gap) {
  return [gap](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string& mine : kOurs) {
      Sampled above{above_curve(at, mine, gap, {})};
      for (std::size_t r = 0; r < at(mine, "MSE").by_run.size(); ++r)
        above.by_run.push_back(above_curve(at, mine, gap, r));
      const auto covered =
          std::count_if(above.by_run.begin(), above.by_run.end(), [](double x) { return !std::isnan(x); });
      if (std::isnan(above.mean) || (above.by_run.size() > 1 && covered < 2))
        throw std::out_of_range("Adv has no such gaps");
      answers.push_back(at_most(above, {0}, 0));
    }
    return all_of(answers);
  };
}

// Whether the error at the lowest of Crime's ranks is the largest, and whether all are within a share of the smallest.
const Names kRanks = {"OB 90", "OB 100", "OB 110", "OB 120"};
Test lowest_rank_is_worst() {
  return [](const Cells& at) { return all_at_most(at, {kRanks.begin() + 1, kRanks.end()}, {"OB 90"}, " MSE"); };
}
Test within_share(const std::string& metric, double share) {
  return [metric, share](const Cells& at) {
    std::vector<Answer> answers;
    for (const std::string& high : kRanks)
      for (const std::string& low : kRanks)
        answers.push_back(at_most(at(high + ' ' + metric), at(low + ' ' + metric), 0, 1 + share));
    return all_of(answers);
  };
}

struct Statement {
  std::vector<std::string_view> experiments;
  std::string_view text;
  Test test;
  bool is_of_text = true;
};

const std::vector<Statement>& statements() {
  static const Names rest = {"FL", "AA", "FLAP_1(O)", "FLAP_2(O)", "FLAP_1(M)", "FLAP_2(M)", "OB_1", "OB_2"};
  static const Names rest_and_eo = [] {
    Names names = rest;
    names.emplace_back("EO");
    return names;
  }();
  static const std::vector<Statement> all = {
      {{"compas", "loan"}, "OB's ACC is first or second among FL, EO, AA, FLAP and OB", first_or_second("OB")},
      {{"compas", "loan"},
       "OB's CF is at most that of the worst of FL and FLAP, or within .001 of it",
       comparable_cf("OB")},
      {{"compas", "loan"}, "OB's EO is at most that of FL and every FLAP", lowest("OB", "EO")},
      {{"compas", "loan"}, "OB's AA is at most that of FL and every FLAP", lowest("OB", "AA")},
      {{"adult"}, "SOB's ACC is first or second among FL, EO, AA, FLAP and SOB", first_or_second("SOB")},
      {{"adult"},
       "SOB_1 has the highest ACC of all, ML included",
       ordered({"SOB_1"}, {"ML", "FTU", "FL", "EO", "AA", "FLAP_1(O)", "FLAP_2(O)", "FLAP_1(M)", "FLAP_2(M)", "SOB_2"},
               "ACC")},
      {{"adult"}, "SOB's CF is at most that of the worst of FL and FLAP, or within .001 of it", comparable_cf("SOB")},
      {{"adult"}, "SOB's EO is at most that of FL and every FLAP", lowest("SOB", "EO")},
      {{"adult"}, "SOB's AA is at most that of FL and every FLAP", lowest("SOB", "AA")},
      {{"loan"}, "ACC: ML > FTU > all others", ordered({"ML", "FTU"}, rest_and_eo, "ACC"), false},
      {{"loan"}, "AUC: ML > FTU > EO > all others", ordered({"ML", "FTU", "EO"}, rest, "AUC"), false},
      {{"loan"}, "CF: ML > FTU > EO > all others", ordered({"ML", "FTU", "EO"}, rest, "CF"), false},
      {{"loan"}, "AA: ML > FTU > EO > all others", ordered({"ML", "FTU", "EO"}, rest, "AA"), false},
      {{"theory"},
       "normal noises: the gap of OB falls like 1/√n (slope within .1 of −1/2)",
       falls_like_root("gaussian")},
      {{"theory"}, "Student-t noises that b does not touch: the same", falls_like_root("student-t")},
      {{"theory"},
       "Student-t features and b, independent noises, as theorem and model have it: the same",
       falls_like_root("student-t-scale")},
      {{"theory"},
       "OB's error is the SVD's and ‖k P V_k D_k‖ for every k",
       for_every_rank("OB[paper basis]", "lemma[printed]", false)},
      {{"theory"}, "the same of their squares", for_every_rank("OB[paper basis]", "lemma[printed squared]", false)},
      {{"theory"},
       "no basis moves A less than OB's, for any k",
       for_every_rank("OB[paper basis]", "OB[optimal basis]", true)},
      {{"crime", "insurance"}, "OB's and SOB's MSE is at most that of both Adv", both_at_most(kAdversarial, "MSE")},
      {{"crime", "insurance"},
       "OB's and SOB's CF_abs is at most that of ML and FTU",
       both_at_most(kPlain, "CF_abs"),
       false},
      {{"crime", "insurance"}, "OB and SOB train faster than both Adv", both_at_most(kAdversarial, "train_s")},
      {{"crime", "insurance"}, "CF_abs: FTU > ML", ordered({"FTU", "ML"}, {}, "CF_abs"), false},
      {{"crime"},
       "MSE: ML > FTU > Adv(0.1) > Adv(0.2)",
       ordered({"ML", "FTU", "Adv(0.1)", "Adv(0.2)"}, {}, "MSE"),
       false},
      {{"crime"}, "MSE: OB > SOB", ordered({"OB", "SOB"}, {}, "MSE"), false},
      {{"crime"}, "CF_abs: SOB > OB", ordered({"SOB", "OB"}, {}, "CF_abs"), false},
      {{"crime"}, "MSE: OB and SOB are at most ML and FTU", both_at_most(kPlain, "MSE"), false},
      {{"crime"},
       "CF_abs: FTU > OB > Adv(0.1) > Adv(0.2)",
       ordered({"FTU", "OB", "Adv(0.1)", "Adv(0.2)"}, {}, "CF_abs"),
       false},
      {{"insurance"}, "CF_abs: OB and SOB are at most Adv(0.1)", both_at_most({"Adv(0.1)"}, "CF_abs"), false},
      {{"insurance"},
       "MSE: Adv(0.2) > Adv(0.1) > OB > ML > FTU",
       ordered({"Adv(0.2)", "Adv(0.1)", "OB", "ML", "FTU"}, {}, "MSE"),
       false},
      {{"insurance"},
       "CF_abs: Adv(0.1) > FTU > ML > OB > SOB > Adv(0.2)",
       ordered({"Adv(0.1)", "FTU", "ML", "OB", "SOB", "Adv(0.2)"}, {}, "CF_abs"),
       false},
      {{"tradeoff"},
       "under the curve: OB's and SOB's MSE is at most that of the exponential, fitted to Adv, at their CF_abs",
       under_the_curve("CF_abs")},
      {{"tradeoff"}, "under the curve by CF_exact, the true gap", under_the_curve("CF_exact")},
      {{"tradeoff"},
       "in the lower left: no Adv has both a lower MSE and a lower CF_abs than OB or SOB",
       beaten_by_none("CF_abs")},
      {{"tradeoff"}, "in the lower left by CF_exact", beaten_by_none("CF_exact")},
      {{"tradeoff"},
       "predictions remain flat: OB's and SOB's CF_abs is at most a tenth of FTU's",
       at_most_share("FTU", "CF_abs", 0.1)},
      {{"tradeoff"}, "flat by CF_exact", at_most_share("FTU", "CF_exact", 0.1)},
      {{"tradeoff"},
       "flatter than Adv, of which Adv(0.2) is drawn here: OB's and SOB's CF_abs is at most Adv(0.2)'s",
       both_at_most({"Adv(0.2)"}, "CF_abs")},
      {{"tradeoff"}, "flatter than Adv(0.2) by CF_exact", both_at_most({"Adv(0.2)"}, "CF_exact")},
      {{"tradeoff"},
       "narrow error bars: OB's and SOB's MSE is no further from its mean, in the mean over runs, than any Adv's",
       narrower("MSE")},
      {{"tradeoff"}, "narrow error bars of CF_abs", narrower("CF_abs")},
      {{"tradeoff"},
       "Adv with a larger λ is fairer: CF_abs falls from each of the eight λ to the next",
       ordered(kByPenalty, {}, "CF_abs")},
      {{"tradeoff"},
       "at the expense of accuracy: its MSE rises from each to the next",
       ordered({kByPenalty.rbegin(), kByPenalty.rend()}, {}, "MSE")},
      {{"sensitivity-crime"}, "MSE is largest at k = 90", lowest_rank_is_worst()},
      {{"sensitivity-crime"}, "MSE for k = 90 to 120 is within 5 % of the smallest", within_share("MSE", 0.05)},
      {{"sensitivity-crime"}, "CF_abs for k = 90 to 120 is within 10 % of the smallest", within_share("CF_abs", 0.1)},
      {{"discretised"},
       "Crime: OB's and SOB's CF_abs is at most that of every method on bins; SOB at rank 20, OB at rank 20 in print "
       "and as published, at full rank if sound",
       both_at_most(kBinned, "CF_abs", "[crime]")},
      {{"discretised"}, "insurance: the same; rank 4, which is full", both_at_most(kBinned, "CF_abs", "[insurance]")},
      {{"sensitivity-compas"}, "ACC does not fall from k = 3 to 5", improves_with_rank("ACC", true)},
      {{"sensitivity-compas"}, "CF does not rise from k = 3 to 5", improves_with_rank("CF", false)},
      {{"sensitivity-compas"}, "AA does not rise from k = 3 to 5", improves_with_rank("AA", false)},
  };
  return all;
}

std::optional<Answer> ask(const Test& test, const Cells& cells) {
  try {
    return test(cells);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

// Ours of one protocol: the means, and each run.
struct Column {
  Cells means;
  std::vector<Cells> runs;

  void put(const Record& record) {
    means.put(record.method, record.rank, record.metric, {record.value, record.by_run});
    runs.resize(std::max(runs.size(), record.by_run.size()));
    for (std::size_t r = 0; r < record.by_run.size(); ++r)
      if (!std::isnan(record.by_run[r])) runs[r].put(record.method, record.rank, record.metric, {record.by_run[r]});
  }

  HeldRuns ask_runs(const Test& test) const {
    HeldRuns out;
    for (const Cells& run : runs)
      if (const auto holds = ask(test, run)) {
        ++out.asked;
        out.held += *holds == Answer::yes ? 1 : 0;
      }
    return out;
  }
};

}  // namespace

std::vector<Claim> claims_of(std::string_view experiment, const std::vector<const Record*>& records) {
  Cells print;
  Column published, sound;
  for (const PrintedCell& cell : printed_cells())
    if (cell.experiment == experiment) print.put(cell.method, cell.rank, cell.metric, {cell.value});
  for (const Record* record : records) (record->protocol == Protocol::published ? published : sound).put(*record);
  std::vector<Claim> out;
  for (const Statement& statement : statements()) {
    const auto& names = statement.experiments;
    if (std::find(names.begin(), names.end(), experiment) == names.end()) continue;
    const Test& test = statement.test;
    out.push_back({statement.text, statement.is_of_text, ask(test, print), ask(test, published.means),
                   ask(test, sound.means), published.ask_runs(test), sound.ask_runs(test)});
  }
  return out;
}

}  // namespace plumbline
