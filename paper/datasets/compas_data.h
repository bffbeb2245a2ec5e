// COMPAS as the paper prepares it, the same in both protocols.
//
//   rows   of compas-scores-two-years.csv with race African-American, Caucasian or Hispanic: 6,787
//   a      age, juv_fel_count, juv_misd_count, juv_other_count, priors_count, as principal scores (principal_scores.h)
//          of all these rows, before any split; no outcome is looked at
//   s      2 race + sex, 6 levels, both in alphabetical order
//   y      two_year_recid
//
// split_sample (parts.h) cuts them by the seed. Errors are those of published_table.h, and an outcome
// other than 0 or 1.
#pragma once

#include "paper/datasets/parts.h"
#include "paper/datasets/published_table.h"

namespace plumbline {

struct CompasData {
  Sample people;
  std::vector<std::string> warnings;  // of a file that is not the published one
};

CompasData read_compas(const DataSource& source);

}  // namespace plumbline
