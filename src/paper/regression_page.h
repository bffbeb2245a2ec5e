// The table of an experiment that compares methods for numbers: the usual one, and which of OB and SOB beats Adv on
// both axes, error and gap, in a sound run.
//
//   lower, higher   than Adv's, by more than two standard errors of the mean difference; runs of one seed share their
//                   data and are paired: d_r = ours_r − theirs_r,  |mean d| > 2 sd(d) / √runs
//   even            neither, or there are no two runs to compare
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
