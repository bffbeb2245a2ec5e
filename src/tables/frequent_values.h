// The most frequent values of the numbers among the features, and which of them so many rows have that they matter.
//
// A value of many rows, an atom, becomes one that depends on b where the map needs b: a tree then reads b off the rows
// that had it. To count all values of all features would take as long as the moments. So of each leaf of kLeaf rows
// kLooked are looked at: a value that 1/16 of them have, or each if there are up to kKept, is counted in kCounted rows
// of the leaf, evenly spread, and the count scaled to the leaf. Rows of weight 0 count for nothing, and all others
// alike. A share of 20 % in 4,096 rows is known to some 2 %, in 1,000,000 to .2 %. Where parts end with leaves, their
// counts add up to those of the whole; else they do up to that error. Levels are counted in all rows (rare_values.h).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "plumbline/certificate.h"
#include "plumbline/columns.h"
#include "plumbline/encoding.h"
#include "tables/rare_values.h"

namespace plumbline {

struct FrequentValues {
  static constexpr Index kLeaf = 4096, kLooked = 32, kCounted = 512;
  static constexpr std::size_t kKept = 8;

  // Of each feature of the table, most frequent first, with the rows that have it as far as was counted; none of
  // categories and of features that are held.
  std::vector<std::vector<std::pair<double, double>>> values;
  double rows = 0;

  // The next rows of a table: whole leaves, but for the last.
  void add(const Encoding& encoding, const Columns& a, std::span<const double> weights);

  void merge(const FrequentValues& other);

 private:
  void add_leaf(const Encoding& encoding, const Columns& a, std::span<const double> weights);
};

// Values and levels of more than Atom::kShare of the rows, in the order of the features. Levels that are merged are
// one.
std::vector<Atom> atoms_among(const Encoding& encoding, const FrequentValues& values,
                              const std::vector<LevelRows>& levels);

}  // namespace plumbline
