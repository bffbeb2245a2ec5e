// The table of an experiment that compares methods for numbers: the usual one, and which of OB and SOB beats Adv on
// both axes, error and gap, in a sound run.
//
//   lower, higher   than Adv's, by more than two standard errors of the difference of the means,
//                   2 √((s₁² + s₂²) / repeats)
//   even            neither, or nothing is known of the spread
//
// A method beats Adv by a gap if its MSE and that gap are both lower.
#pragma once

#include <string>

#include "paper/experiment.h"

namespace plumbline {

enum class Place { lower, even, higher };

Place place_of(const Record& ours, const Record& theirs);

std::string regression_table(const RecordList& records);

}  // namespace plumbline
