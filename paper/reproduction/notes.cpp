#include "paper/reproduction/notes.h"

#include <array>

#include "base/names.h"
#include "paper/reproduction/records.h"

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
  kLatent,
  kSparseWhole,
  kSplit,
  kUnknown,
  kTheorem,
  kSameData,
  kLinear,
  kNotLinear,
  kLemma,
  kBasis,
  kNetworks,
  kUnits,
  kByRank,
  kPolicies,
  kBins,
  kSeconds,
  kJudges,
  kSlopes,
  kExpansions,
  kRefitted,
  kNumbers = kRefitted
};

constexpr std::array<std::string_view, kNumbers> kTexts = {
    "As published, OB is fitted anew on every matrix that it is given: the training part, the test part, and each "
    "counterfactual copy of the test part. In such a copy all rows have the same group, so that nothing is removed but "
    "the mean of the copy, and below full rank what lies outside the first k axes; and equal means are what CF, EO and "
    "AA ask for. FTU[recentred] never hears of the group: it is FTU with the mean of each batch removed. For seed 0 "
    "its CF is .0069 on COMPAS, where FTU has .1406 and OB of rank 5 .0060 and .0065; .03 on Adult, where FTU has .23 "
    "and SOB .05 and .06; and .03 on the loans, where FTU has .39 and OB .02 and .01: there OB removes somewhat more. "
    "So the small CF, EO and AA of OB come, all or nearly all, from recentring batches that no deployed model will "
    "ever see, not from orthogonality.",
    "The paper's OB sees the group as its number in alphabetical order, as if the groups lay on a line in equal steps. "
    "Fitted on the training part and left alone, it is [code], which takes the errors apart and is not sound. What is "
    "left depends on how far the groups are from a line: on COMPAS nearly all of the gap, on Adult more than without "
    "OB, on the loans little. With an indicator for each group ([onehot]) and all dimensions kept, OB_1 and OB_2 are "
    "FLAP_1(O) and FLAP_2(O), prediction by prediction.",
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
    "the starts. The printed ACC, CF, EO and AA lie within their spread, which brackets them and proves nothing: the "
    "mark is ~ at best.",
    "The paper gives neither the effects of groups nor the number of rows, and its noises lack their scales. Ours: "
    "20,000 rows; groups B = 0, 1, 2 with shares 0.76, 0.16, 0.08; education E = max(0, λ_E + 0.428 ε_E), λ_E = 1.07 "
    "and for groups 1 and 2 −0.4 and −0.8 added; income I = λ_I exp(0.428 ε_E + 0.1 ε_I), λ_I = 0.58 and −0.2 and "
    "−0.35 added; P(approved) = expit(β + 1 E + 2 I), β = −1 and −1 and −1.9 added; ε_E, ε_I standard normals. "
    "Moreover print's pairs cannot be of one population: for calibrated probabilities an ACC of .6618 forces an AUC of "
    "at most .828, and .9457 is printed. Compare orderings, not cells: the tables under the cells say which hold. AUC: "
    "ML > FTU > EO fails because EO and FTU rank people alike: for seed 0 both have .7829.",
    "FL in the tables is the residual form, a − mean(A | s). FL[mcmc] is FairLearning proper: one latent for each "
    "person, sampled by Markov chain Monte Carlo from a linear-Gaussian causal model, and a decision from that latent "
    "alone. It is run where features share a latent, as education and income do; principal scores do not.",
    "With as many components as features, whatever the bound on them, SOB's features are OB's turned by an invertible "
    "map, and a logistic regression predicts the same from both: SOB_1[onehot] and SOB_2[onehot] are OB_1[onehot] and "
    "OB_2[onehot]. Sparsity changes no prediction here.",
    "The paper's cells are of seed 0; this is another split, or a mean over several.",
    "The data are not the published ones, or something has changed that we do not know of.",
    "The theorem says: if features and b are jointly elliptical and uncorrelated, a predictor that settles on a "
    "functional of their mean is, with enough data, counterfactually fair. What elliptical laws buy is that E[A | B] "
    "is a line: to remove what is linear in b is then to remove all of b from the mean. What is left of OB's gap is "
    "the error of the estimated line, which falls like 1/√n. FTU's gap is the effect of b itself and does not fall. "
    "Where b and the noises are jointly normal, OB's features are independent of b, and any predictor will do. "
    "OB[powers] pays for terms that are not needed here, most of all where b has heavy tails.",
    "Here the theorem as printed fails. These are the very rows of student-t: elliptical, and uncorrelated once OB is "
    "done; no method can tell the two from data. But b moves the scale of the noises, so that a person's features, and "
    "any linear prediction, move with b although their mean does not. The proof puts the average of all who have b in "
    "the place of the one person whom the definition speaks of; of averages it is right. Nor is this model far "
    "fetched: the paper asks for noises that are independent, and its appendix for noises that are independent and "
    "jointly elliptical; only normal ones are both. A Student-t law with independent noises is this one. The theorem "
    "needs in addition that b only shifts the features.",
    "Not elliptical, and yet the gap falls like 1/√n: the effect of b is a line and the noises do not depend on b. "
    "That is what counts. Elliptical laws are one way to have a mean that is a line: not needed for fairness and, "
    "beyond the mean, not enough.",
    "E[A | B] is no line here. OB removes the line that fits best and leaves the rest: a floor, however many rows "
    "there are, while correlation with b is zero. OB[powers] removes what is linear in b and b² together: for squares "
    "that is all, and the gap falls like 1/√n again; for a hinge it is most, and the floor is lower. An expansion of b "
    "removes what its terms can express and no more.",
    "In print: the additional reconstruction error of OB compared to the SVD is ‖k P V_k D_k‖, P = 11ᵀ/n + bbᵀ/‖b‖². "
    "The factor k has no place there, and it is squares that add: A − Ã is the sum of A − A_k and P A_k, whose rows "
    "are orthogonal to each other, so that ‖A − Ã‖² = ‖A − A_k‖² + ‖P V_k D_k‖² exactly: lemma, which is what OB[paper "
    "basis] measures, to rounding. lemma[printed] adds norms, as print does; lemma[printed squared] adds squares and "
    "keeps k, and is right for k = 1 alone. Both are bounds from above; above 1 they say nothing, for OB never moves A "
    "by more than its norm. P is a projection if b is centred, which the paper assumes; for several sensitive columns "
    "it is the projection on their span.",
    "The paper takes the first k singular vectors of A, since \"the constraint does not involve the orthonormal "
    "basis\", and calls the change minimal. It is so at full rank alone. For a given U the best scores are (I − P) A "
    "U, and ‖A − Ã‖² = ‖A‖² − tr(Uᵀ Aᵀ (I − P) A U): the nearest matrix has the first k eigenvectors of Aᵀ (I − P) A. "
    "Otherwise directions are spent on what is then removed.",
    "How the paper's networks start, scale and stop is not known beyond layers, batches and epochs. With those, ML and "
    "FTU predict better than print has it, by more than the spread of either. OB and SOB, by print's formulas, come "
    "near: over ten seeds OB's MSE is .612, .446 and .439 at ranks 4, 20 and 100; print has .4534 at 20 and .4184 at "
    "100, and another computation than this one .60, .446 and .415. The OB of this library, which standardises "
    "features and adds their means back, has .579, .433 and .408 in its place. So print's formula fits ranks 4 and 20 "
    "and the other one rank 100; at 20 and 100 both are within the spread. In print OB and SOB predict better than ML "
    "and FTU; here, as published and sound, to remove b costs accuracy.",
    "CF_abs is in standard deviations of y, as MSE is in their squares. Print's cells are an eighth to three tenths of "
    "ours. A unit may be part of it: y itself is from 0 to 1 with a standard deviation of .233, and .233 times ours "
    "lies within two printed standard deviations of the cell for all six methods, if above it for most. So it does for "
    "four of the five methods on bins, FLAP-o, FLAP-m, FL and EO: .106, .159, .066 and .147, where print has .0911, "
    ".1043, .0790 and .2485 with wide spreads; but not for AA, .055 where print has .1526 ± .0393, which is nearer to "
    "ours as it is, .235. So a unit explains the size of most cells of both tables, and not of all. Print then has "
    "MSE in one unit of y and CF in another; the text does not say. The order of methods does not depend on it. For OB "
    "and SOB there is a second way to cells as small, without another unit: to fit them anew on every batch (note 31).",
    "In print CF at ranks 90 to 120 is a third of that at rank 20. No reading of ours has that: from rank 20 to 100 "
    "CF_abs falls from .69 to .38 by print's formula, from .15 to .10 if it is refitted (note 31), and from .64 to .58 "
    "with the OB of this library; a unit of y changes none of these ratios. Of the sizes, one alone is within two "
    "printed standard deviations of .0321, that of OB[refitted] in units of y itself, .022; the others are three to "
    "eighteen times print. Within 90 to 120 nothing changes beyond the spread, in print and here.",
    "Print gives neither the number of policies nor how features and y are scaled, nor the range of b'. Ours: 10,000 "
    "policies, features from 0 to 1, y with standard deviation 1, b' over the training range. Each of our runs "
    "simulates policies of its own; print's spreads, .0001 of OB's MSE and .0002 of FTU's CF, are so small that its "
    "ten runs seem to share one set of policies. Then its ± is that of trainings and ours that of data and trainings: "
    "not the same quantity. Print's spreads of Adv's MSE are as large as its means, so that ~ says little. The true "
    "gap of FTU, CF_exact, is what b does to the price; the generator finds about three fifths of it. How a generator "
    "comes out is a matter of its seed, and even of how its sums are rounded: its gaps differ more between two such "
    "trainings than MSE does, and the spread over runs has that in it.",
    "Which of the FLAP methods was taken, and what EO and AA do for numbers, is not said. Here FLAP-o is FLAP_2(O) and "
    "FLAP-m FLAP_2(M), and all see the bin as indicators. Print has one MSE for EO and AA, that of a predictor which "
    "knows b; but AA, which takes the mean over the bins of all features moved, predicts differently from EO. Within a "
    "bin b still moves features: what is left is the price of bins.",
    "Seconds of one thread on the machine that wrote this page, from the data to the fitted method; for Adv the "
    "generator is included. Print's are of a T4 GPU. Adv draws 2 b' for each row of a batch in place of 20, which "
    "gives the same slope on average and sends a fifth of the rows through the network. On Crime, fold 1, one seed, "
    "20 draws and λ = 0.1 give MSE .3703 in place of .3715 and CF_abs .0489 in place of .0497, and the predictor takes "
    "six times as long to train. Other programs that run meanwhile make all times longer.",
    "Who judges matters as much as who is judged. CF_abs asks the generator that Adv was trained with; CF_additive the "
    "lines of the training part, along which OB does not move, by construction; CF_exact the truth, which insurance "
    "has. On Crime Adv is by far the fairest in the generator's eyes, and moves nearly as much as FTU along the lines. "
    "On insurance Adv(0.2) keeps some two fifths of FTU's gap in the generator's eyes and two thirds in truth; OB two "
    "thirds of it in the generator's eyes, or five sixths of it where generators were trained with AVX2, and a sixth "
    "in truth, from a hundredth to 44 % by seed. Adv clips features to their training range, as its generator "
    "does, and ML, FTU, OB and SOB do not: what lines or the truth move beyond that range Adv sees at its end.",
    "With a least-squares predictor, what is left of OB's gap is the sampling error of the slopes: A4 has slope 5 and "
    "noise 1,000, so that with 10,000 rows the slope itself is known to 40 %. The gap falls like 1/√n, to a few "
    "hundredths of FTU's at 200,000 rows; FTU's does not fall. So that n alone changes, b' does not follow the "
    "training range, which widens with n: 20 values a row, within three standard deviations of the mean of b. In each "
    "run a cell is the mean over 8 samples of n rows: over several runs ± is that of such means, in a single run that "
    "of the samples.",
    "Terms that are not needed cost: where b acts along a line, as on insurance, each further term of the expansion is "
    "another slope to estimate, most uncertain where b is rare, and b' reaches to the ends. On Crime the expansions "
    "hardly change MSE and CF_abs, and along lines, which are not what they remove, they move. OB[blind] sees no b "
    "when it predicts, so that nothing in it follows b' directly: on Crime half of OB's CF_abs at nearly its error.",
    "Print's formulas take one whole matrix, and say nothing of other rows. OB and SOB as published keep the means, "
    "slopes and axes of the training part. On COMPAS OB was fitted anew on every matrix (note 1), and OB[refitted] "
    "is what that gives here: the test part is a batch, and so are, for a gap, all test rows with one draw of b' "
    "each. Each batch loses a mean and a line in b' of its own, so that whatever b' does to all rows alike, or in "
    "proportion to b', is gone before anything is predicted; a model that is asked about one row at a time has no "
    "such batch. On Crime, over ten seeds, CF_abs falls from .41, .69 and .38 at ranks 4, 20 and 100 to .09, .15 and "
    ".10, and SOB's at rank 20 from .56 to .13; MSE changes little, from .612, .446 and .439 to .646, .458 and .442. "
    "Print's CF is .1047 ± .0373 for OB and .1051 ± .0328 for SOB at rank 20, .0321 ± .0099 at rank 100. Within two "
    "of its standard deviations lie: at rank 20 both when refitted, both when kept but in units of y (.16, .13), and "
    "OB alone when refitted and in units of y (.035; SOB .030); at rank 100 only what is refitted and in units of y "
    "(.022). So no reading fits all cells. The nearest is OB refitted and CF in units of y, in which the cells of "
    "ML, FTU and Adv fit too (note 23): then OB's cell at rank 20 lies at the border and SOB's beyond it. That it is "
    "what the paper did remains a guess.",
};

// The first rule that fits a record is its note.
struct Rule {
  std::string_view experiment, protocol, method, metric;  // patterns
  Number note;
  std::optional<double> value = {};  // of ours, to four decimals, where the note speaks of it
};

constexpr Rule kReasons[] = {
    // for a difference
    {"compas", "*", "FLAP_?(?)", "EO", kFlapFairness},
    {"compas", "*", "FLAP_?(?)", "AA", kFlapFairness},
    {"adult", "*", "*", "AUC", kAdultAuc},
    {"adult", "*", "SOB_?", "*", kSparse},
    {"adult", "*", "FLAP_?(M)", "*", kFlapMarginal},
    {"adult", "published", "FLAP_1(O)", "ACC", kFlapAccuracy, .7548},
    {"adult", "published", "FLAP_2(O)", "ACC", kFlapAccuracy, .7594},
    {"adult", "sound", "*", "ACC", kZeroLabels},
    {"loan", "*", "*", "*", kLoan},
    {"discretised", "*", "*OB[[]crime]", "MSE", kNetworks},
    {"discretised", "*", "*[[]crime]", "CF_abs", kUnits},
    {"discretised", "*", "*OB[[]insurance]", "*", kPolicies},
    {"crime", "*", "*", "MSE", kNetworks},
    {"sensitivity-crime", "*", "*", "MSE", kNetworks},
    {"crime", "*", "*", "CF_abs", kUnits},
    {"sensitivity-crime", "*", "*", "CF_abs", kByRank},
    {"insurance", "*", "*", "*", kPolicies},
    {"discretised", "*", "*", "*", kBins},
};

constexpr Rule kSplitFirst = {"*compas", "*", "*", "*", kSplit};
constexpr Rule kRounding = {"compas", "*", "FLAP_2(O)", "ACC", kFlapRounding, .5598};

constexpr Rule kRemarks[] = {
    // whether it agrees or not
    {"*", "*", "*[[]linear]", "*", kSlopes},
    {"*", "*", "*", "train_s", kSeconds},
    {"*", "*", "OB[[]refitted]", "*", kRefitted},
    {"*", "*", "OB[[]powers]", "CF_*", kExpansions},
    {"*", "*", "OB[[]spline]", "CF_*", kExpansions},
    {"*", "*", "OB[[]bins]", "CF_*", kExpansions},
    {"*", "*", "OB[[]blind]", "CF_*", kExpansions},
    {"*", "*", "*", "CF_additive", kJudges},
    {"insurance", "*", "*", "CF_exact", kJudges},
    {"tradeoff", "*", "*", "CF_exact", kJudges},
    {"insurance", "published", "*", "MSE", kPolicies},
    {"discretised", "published", "*OB[[]crime]", "MSE", kNetworks},
    {"discretised", "published", "*OB[[]insurance]", "MSE", kPolicies},
    {"discretised", "published", "*[[]crime]", "CF_abs", kUnits},
    {"discretised", "published", "*", "MSE", kBins},
    {"theory", "*", "FTU[[]*", "*", kTheorem},
    {"theory", "*", "*[[]gaussian]", "*", kTheorem},
    {"theory", "*", "*[[]student-t]", "*", kTheorem},
    {"theory", "*", "*[[]student-t-scale]", "*", kSameData},
    {"theory", "*", "*[[]skewed]", "*", kLinear},
    {"theory", "*", "*[[]squares]", "*", kNotLinear},
    {"theory", "*", "*[[]hinge]", "*", kNotLinear},
    {"theory", "*", "lemma*", "*", kLemma},
    {"theory", "*", "OB[[]paper basis]", "*", kLemma},
    {"theory", "*", "OB[[]optimal basis]", "*", kBasis},
    {"compas", "published", "OB_?", "AUC", kAucRank},
    {"*", "published", "OB_?", "CF*", kBatch},
    {"*", "published", "OB_?", "EO", kBatch},
    {"*", "published", "OB_?", "AA", kBatch},
    {"adult", "published", "SOB_?", "*", kSparse},
    {"*", "*", "FTU[[]recentred]", "*", kBatch},
    {"*", "*", "FL[[]mcmc]", "*", kLatent},
    {"*", "*", "*[[]code]", "*", kCode},
    {"*", "*", "OB_?[[]onehot]", "*", kCode},
    {"*", "*", "SOB_?[[]onehot]", "*", kSparseWhole},
    {"adult", "published", "*", "ACC", kZeroLabels},
    {"adult", "published", "*", "AUC", kAdultAuc},
};

constexpr std::string_view kFindings[] = {
    "**The CF metric depends on the coordinates.** The marginal mapping works feature by feature, and the features are "
    "principal scores, whose signs are arbitrary: scikit-learn before 1.5 and after it choose differently. With the "
    "later choice the CF of FL on COMPAS is .0095 in place of .0054, and with the plain features it is .0690. Cells of "
    "CF in the third decimal say nothing about methods. We take the signs by which the printed cells arise.",
    "**The CF that is printed is not the CF that is computed.** The paper's formula averages |f(a of g) − f(a of h)| "
    "over people; its cells are |mean f(a of g) − mean f(a of h)|, in which gains and losses of different people "
    "cancel. We compute what the cells are.",
    "**The marginal mapping does not preserve ties.** Where many values are equal, it sends all of them to the upper "
    "end of the tie, so that a feature of small counts does not get the distribution of the other group, and CF "
    "measures that. On COMPAS's plain counts FL has a CF of .0690, and of .0048 if ties are spread evenly.",
    "**The sensitive attribute is not what the main text says.** It speaks of gender on Adult and of Caucasian or not "
    "on COMPAS; the appendix, and the cells, of race and sex together, 10 and 6 groups.",
    "**\"As k increases, a consistent improvement\"** is not what the paper's own table of ranks shows: CF is .0120, "
    ".0157, .0060 for k = 3, 4, 5.",
    "**Swapped ranks.** \"Rank k was set to 4 (Crime) and 20 (Synthetic)\": the synthetic data have four features, so "
    "these are the other way round.",
    "**Two units of y in one table?** On Communities and Crime print's CF fits y as it is, from 0 to 1, better than y "
    "in standard deviations, which its MSE is in. OB's cells could also come of a fit to every batch anew.",
    "**P(B) of the loan simulation.** The printed formula never gives group 2; the text that it adapts has .76, .16, "
    ".08, which we use.",
};

bool fits(const Rule& rule, const Record& record) {
  return matches_glob(rule.experiment, record.experiment) && matches_glob(rule.protocol, name_of(record.protocol)) &&
         matches_glob(rule.method, record.method) && matches_glob(rule.metric, record.metric) &&
         (!rule.value || mark_of(record.value, *rule.value, {}, {}) == Mark::equal);
}

}  // namespace

std::optional<int> note_for(const Record& record) {
  if (record.mark == Mark::different) {
    for (const Rule& rule : kReasons)
      if (fits(rule, record)) return rule.note;
    if ((record.seed != 0 || record.repeats > 1) && fits(kSplitFirst, record)) return kSplit;
    return fits(kRounding, record) ? kRounding.note : kUnknown;
  }
  for (const Rule& rule : kRemarks)
    if (fits(rule, record)) return rule.note;
  return std::nullopt;
}

std::string_view note_text(int number) { return kTexts.at(static_cast<std::size_t>(number - 1)); }
int note_count() { return kNumbers; }
std::span<const std::string_view> findings() { return kFindings; }

}  // namespace plumbline
