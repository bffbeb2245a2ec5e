#include "paper/notes.h"

#include <array>

#include "data/names.h"
#include "paper/records.h"

namespace plumbline {
namespace {

enum Number : int {
  kBatch = 1,
  kCode,
  kAucRank,
  kFlapFairness,
  kFlapRounding,
  kZeroLabels,
  kAdultAuc,
  kFlapAccuracy,
  kFlapMarginal,
  kSparse,
  kLoan,
  kSplit,
  kLatent,
  kNumbers = kLatent
};

constexpr std::array<std::string_view, kNumbers> kTexts = {
    "As published, OB is fitted anew on every matrix that it is given: the training part, the test part, and each "
    "counterfactual copy of the test part. In such a copy all rows have the same group, so that nothing is removed but "
    "the mean of the copy; and equal means are what CF, EO and AA ask for. A predictor that never hears of the group, "
    "with the mean of each batch removed, does as well: FTU[recentred]. So the small CF, EO and AA of OB come from "
    "recentring batches that no deployed model will ever see, not from orthogonality.",
    "The paper's OB sees the group as its number in alphabetical order, as if the groups lay on a line in equal steps. "
    "Fitted on the training part and left alone ([code]), this removes little. With an indicator for each group "
    "([onehot]) and all dimensions kept, OB_1 and OB_2 are FLAP_1(O) and FLAP_2(O), prediction by prediction.",
    "The printed AUC row of OB is that of rank 2; all other rows of these columns are of rank 5, whose AUC is not "
    "printed.",
    "The printed EO and AA of FLAP, 1e-6 and below, are not what the definitions give. They give what stands here, as "
    "they do in print for ML, FTU, FL, EO and AA: FLAP looks at the group to undo it, so that a change of the group "
    "alone moves its prediction.",
    "FLAP_2(O) and FL see features that differ by a constant and predict the same. Print has .5598 for one and .5599 "
    "for the other.",
    "The labels in adult.test end in a full stop, and were compared with a label without one: as published every test "
    "label is 0, and the printed ACC is mean(1 − p): it rewards whoever predicts that nobody earns much. Sound: true "
    "labels.",
    "The printed AUC row of Adult could not be reproduced. With every test label 0 AUC is not defined, so it must come "
    "from another computation than ACC; here, under both protocols, it is that of the true labels.",
    "The printed ACC of FLAP(O) on Adult could not be reproduced. FLAP_2(O) predicts what FL predicts, whose ACC is "
    "printed .7594; and .7548 and .7594, what we find for FLAP_1(O) and FLAP_2(O), are printed under FLAP(M).",
    "The printed ACC, CF, EO and AA of FLAP(M) on Adult are those of FLAP(O). Here they are FLAP(M)'s own.",
    "How SOB was run is not known. As published, here: the group as one number, rank 2, a bound that does not bind, a "
    "tolerance of 1e-2, random starts, refitted on every batch (note 1); mean and standard deviation over ten seeds of "
    "the starts. The printed ACC, CF, EO and AA lie within their spread, which brackets them and proves nothing.",
    "The paper gives neither the effects of groups nor the number of rows, and its noises lack their scales; the "
    "parameters here are ours (src/paper/loan.h). Moreover print's pairs cannot be of one population: for calibrated "
    "probabilities an ACC of .6618 forces an AUC of at most .828, and .9457 is printed. Compare orderings, not cells.",
    "The paper's cells are of seed 0; this is another split, or a mean over several.",
    "FL in the tables is the residual form, a − mean(A | s). FL[mcmc] is FairLearning proper: one latent for each "
    "person, "
    "sampled by Markov chain Monte Carlo from a linear-Gaussian causal model, and a decision from that latent alone. "
    "It "
    "is run where features share a latent, as education and income do; principal scores do not.",
};

// The first rule that fits a record is its note.
struct Rule {
  std::string_view experiment, protocol, method, metric;  // patterns
  Number note;
};

constexpr Rule kReasons[] = {
    // for a difference
    {"compas", "*", "FLAP_?(?)", "EO", kFlapFairness},
    {"compas", "*", "FLAP_?(?)", "AA", kFlapFairness},
    {"adult", "*", "*", "AUC", kAdultAuc},
    {"adult", "*", "SOB_?", "*", kSparse},
    {"adult", "*", "FLAP_?(M)", "*", kFlapMarginal},
    {"adult", "published", "FLAP_?(O)", "ACC", kFlapAccuracy},
    {"adult", "sound", "*", "ACC", kZeroLabels},
    {"loan", "*", "*", "*", kLoan},
};

constexpr Rule kSplitFirst = {"*compas", "*", "*", "*", kSplit};
constexpr Rule kRounding = {"compas", "*", "FLAP_2(O)", "ACC", kFlapRounding};

constexpr Rule kRemarks[] = {
    // whether it agrees or not
    {"compas", "published", "OB_?", "AUC", kAucRank}, {"*", "published", "OB_?", "CF*", kBatch},
    {"*", "published", "OB_?", "EO", kBatch},         {"*", "published", "OB_?", "AA", kBatch},
    {"adult", "published", "SOB_?", "*", kSparse},    {"*", "*", "FTU[[]recentred]", "*", kBatch},
    {"*", "*", "FL[[]mcmc]", "*", kLatent},           {"*", "*", "*[[]code]", "*", kCode},
    {"*", "*", "OB_?[[]onehot]", "*", kCode},         {"adult", "published", "*", "ACC", kZeroLabels},
    {"adult", "published", "*", "AUC", kAdultAuc},
};

constexpr std::string_view kFindings[] = {
    "**The CF metric depends on the coordinates.** The marginal mapping works feature by feature, and the features are "
    "principal scores, whose signs are arbitrary: scikit-learn before 1.5 and after it choose differently. With the "
    "later choice the CF of FL on COMPAS is .0095 in place of .0054, and with the plain features it is .0690. Cells of "
    "CF in the third decimal say nothing about methods. We take the signs by which the printed cells arise.",
    "**The CF that is printed is not the CF that is computed.** The paper's formula averages |f(a of g) − f(a of h)| "
    "over people; its cells are |mean f(a of g) − mean f(a of h)|, in which gains and losses of different people "
    "cancel. We compute the cells' metric, too.",
    "**The sensitive attribute is not what the text says.** It speaks of gender on Adult and of Caucasian or not on "
    "COMPAS; the cells arise from race and sex together, 10 and 6 groups.",
    "**\"As k increases, a consistent improvement\"** is not what the paper's own table of ranks shows: CF is .0120, "
    ".0157, .0060 for k = 3, 4, 5.",
    "**Swapped ranks.** \"Rank k was set to 4 (Crime) and 20 (Synthetic)\": the synthetic data have four features, so "
    "these are the other way round.",
    "**P(B) of the loan simulation.** The printed formula never gives group 2; the text that it adapts has .76, .16, "
    ".08, which we use.",
};

bool fits(const Rule& rule, const Record& record) {
  return matches_glob(rule.experiment, record.experiment) && matches_glob(rule.protocol, name_of(record.protocol)) &&
         matches_glob(rule.method, record.method) && matches_glob(rule.metric, record.metric);
}

}  // namespace

std::optional<int> note_for(const Record& record) {
  if (record.mark == Mark::different) {
    for (const Rule& rule : kReasons)
      if (fits(rule, record)) return rule.note;
    if ((record.seed != 0 || record.repeats > 1) && fits(kSplitFirst, record)) return kSplit;
    if (fits(kRounding, record)) return kRounding.note;
  }
  for (const Rule& rule : kRemarks)
    if (fits(rule, record)) return rule.note;
  return std::nullopt;
}

std::string_view note_text(int number) { return kTexts.at(static_cast<std::size_t>(number - 1)); }
int note_count() { return kNumbers; }
std::span<const std::string_view> findings() { return kFindings; }

}  // namespace plumbline
