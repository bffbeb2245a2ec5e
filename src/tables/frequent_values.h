// The most frequent values of the numbers among the features, and which of them so many rows have that they matter.
//
// A value of many rows, an atom, becomes one that depends on b where the map needs b: a tree then reads b off the rows
// that had it. To count all values of all features would take as long as the moments. So of the leaves of kLeaf rows
// the kLeaves of the least keys are kept, a key being a hash of the first rows of a leaf. In each of them runs of
// kRun rows are read, kCounted rows together, or all rows if these are few. kLooked of them are looked at first: a
// value that 1/16 of these have, or each if there are up to kKept, is counted in all that are read, and the count
// scaled to the leaf. Rows of weight 0 count for nothing, and all others alike. A share of 20 % in 4,096 rows is known
// to some 2.5 %, in 65,536 rows and more to .6 %, or to some 10 % if the rows are sorted by the feature. Parts that end
// with leaves have the leaves of the whole, and so its shares; others have them up to that error. Levels are counted in
// all rows (rare_values.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumbline/certificate.h"
#include "plumbline/columns.h"
#include "plumbline/encoding.h"
#include "tables/rare_values.h"

namespace plumbline {

struct FrequentValues {
  static constexpr Index kLeaf = 4096, kLooked = 32, kCounted = 256, kRun = 128;
  static constexpr std::size_t kLeaves = 16, kKept = 4;

  struct Count {
    Index feature = 0;  // of the table
    double value = 0, rows = 0;

    bool operator==(const Count&) const = default;
  };
  struct Leaf {
    std::uint64_t key = 0;
    double rows = 0;                 // of positive weight
    std::vector<Count> counts = {};  // none of categories and of features that are held

    bool operator==(const Leaf&) const = default;
  };
  std::vector<Leaf> leaves;  // by rising keys

  // The next rows of a table: whole leaves, but for the last.
  void add(const Encoding& encoding, const Columns& a, std::span<const double> weights);
  void merge(const FrequentValues& other);

  // Of a feature the most frequent value, the least of several, with its share; of value 0 and share 0 if none is
  // frequent.
  std::pair<double, double> most_of(Index feature) const;

  bool operator==(const FrequentValues&) const = default;

 private:
  void keep(Leaf leaf);
};

// Values and levels of more than Atom::kShare of the rows, in the order of the features. Levels that are merged are
// one.
std::vector<Atom> atoms_among(const Encoding& encoding, const FrequentValues& values,
                              const std::vector<LevelRows>& levels);

}  // namespace plumbline
