// The records of a reproduction as a page of Markdown: a summary, a table for each experiment with the paper's cell,
// ours as published, their difference and mark, and what a sound run gives, or the table that the experiment brings;
// the paper's claims; the notes; the warnings.
//
// The page is a function of the reproduction alone: no dates, no paths of its own. Figures are linked if their names
// are given.
#pragma once

#include <string>
#include <vector>

#include "paper/reproduction/reproduction.h"

namespace plumbline {

std::string results_page(const Reproduction& reproduction, const std::vector<std::string>& figures);

// How many records of a protocol have each mark; all experiments if none is named.
struct MarkCounts {
  int equal = 0, near = 0, different = 0;
};
MarkCounts count_marks(const Reproduction& reproduction, Protocol protocol, std::string_view experiment = {});

std::string cell_text(double value);  // four decimals; below that two digits, or 0 for what is rounding
// With its standard deviation, and the number of runs that have a value if not all have one: 0.4534 ± 0.0110 (8 of 10);
// a dash where there is none.
std::string value_text(const Record* record);
std::string note_link(int note);

// The paper's cell, ours as published and sound, a line for each metric, method and rank.
std::string comparison_table(const RecordList& records);

}  // namespace plumbline
