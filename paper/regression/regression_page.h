// The table of an experiment that compares methods for numbers: the usual one, and which of OB and SOB beats Adv on
// both axes, error and gap, in a sound run.
//
// Lower and higher are decided by pairs of runs (decision.h); "–" where there are no two to compare. A method beats Adv
// by a gap if its MSE and that gap are both lower. After one run that is left out.
#pragma once

#include <optional>
#include <string>

#include "paper/reproduction/experiment.h"
#include "paper/results/decision.h"

namespace plumbline {

std::optional<Place> place_of(const Record& ours, const Record& theirs);

std::string regression_table(const RecordList& records);

}  // namespace plumbline
