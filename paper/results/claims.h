// What the paper's text says of its tables, and the orders that its cells have, asked of three columns: the printed
// cells, ours as published, and sound.
//
// A claim is a statement about methods and metrics that holds or does not; it says nothing where a cell is missing. In
// the sound column OB and SOB are those with indicators, OB_1[onehot] and so on. Of several ranks the highest is meant
// unless one is named. Of one run, and of print, the answer is that of the numbers. Where there are several runs,
// each comparison that a claim consists of is decided by two standard errors of the mean difference over runs of the
// same seed (decision.h), and is even where that is not enough; each run is asked as well. Ties within 1e-9 count as
// equal. A spread is compared by the distances of the runs from their mean, if there are three; the curve of
// the trade-off is fitted to Adv in each run, and says nothing of a run whose gap is outside of Adv's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/reproduction/records.h"
#include "paper/results/decision.h"

namespace plumbline {

struct HeldRuns {
  int held = 0, asked = 0;  // runs that have the claim's cells
};

struct Claim {
  std::string_view text;   // the claim, made precise
  bool is_of_text = true;  // false: an order of the printed cells, which the text does not speak of
  std::optional<Answer> in_print, as_published, sound;
  HeldRuns published_runs = {}, sound_runs = {};
};

std::vector<Claim> claims_of(std::string_view experiment, const std::vector<const Record*>& records);

}  // namespace plumbline
