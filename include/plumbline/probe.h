// How well each sensitive column can be read back from the features, before a map and after it: by attackers, on rows
// that neither the map nor the attacker has seen.
//
//   rows       n rows (a, b, w) are cut at random into parts, and each part into K = 5 folds
//   map        T_p is fitted without the rows of part p
//   attackers  f_pk learns on the rows of part p that are not in fold k, and is judged on fold k: of x = a before, of
//              x = T_p(a, b) after. On the map's own rows a linear attacker would be blind by construction
//   level      a column of zeros and ones, y = b_l, is judged by its AUC: the share of pairs of a row with y = 1 and
//   one
//              with y = 0, both of one fold, in which f is larger for the first, ties counting one half
//   number     any other column is judged by R² = 1 − Σ w (y − f)² / Σ w (y − ȳ)², of y = b_l and of its distance
//              y = |b_l − median|: with a = b² + noise nothing is known of the sign of b, and much of its size. f is
//              kept within the values of y that it learned from
//
// Attackers:
//
//   linear     ridge regression on the features
//   hinges     ridge regression on the features, steps 1[x_j > t] in the widest gaps between their values, hinges
//              (x_j − t)₊ and hinges (uᵀx − t)₊ of one to three features, at random: kernel regression with their mean
//              product as the kernel, which finds what trees find
//   others     that are given, such as boosted trees
//
// Columns are standardised; the penalty is chosen for each y among 28 by generalised cross-validation in the rows that
// are learned from.
//
// The interval covers, with probability .95, what these attackers reach on average on new rows: attackers that learned
// from (1 − 1/K) n / parts rows. More rows, or more effort, may read more. With e = y − f, d = y − ȳ, σ² = mean of d²:
//
//   R²    se² = Σ w² (e² − (1 − R²) d²)² / (W σ²)²,   interval 1 − (1 − R²) exp(± 2.06 se / (1 − R²));
//         2.06 in place of 1.96, for folds share the rows that they learn from (tests/probe_coverage_test.cpp)
//   AUC   De Long's variance, within folds, on log-odds. Where fewer than five rows of the rarer value are on the wrong
//         side, which says little of a variance, it is widened to Newcombe's, of Wilson's form. Near one half, where
//         rows judge each other twice over, the variance is doubled (src/debias/auc.h)
//
// Weights are those of repeated rows to the attackers, and of independent rows to the intervals. A column is not
// estimable if it is constant, if fewer than kLeastOfAValue rows have one of its values, or if there are fewer than
// kLeastProbedRows rows. A column that is one minus an earlier one is left out. With more than kMostProbedFeatures
// features, so many of them, at random, are shown to the attackers. The result has the same bits for any number of
// threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/affine_model.h"
#include "plumbline/columns.h"
#include "plumbline/error.h"

namespace plumbline {

struct Reading {
  double value = 0, low = 0, high = 0;

  bool operator==(const Reading&) const = default;
};

enum class ReadAs { number, level, distance };  // judged by R², AUC, R²

struct ProbedColumn {
  std::string name;
  ReadAs read_as = ReadAs::number;
  std::vector<Reading> before, after;  // one an attacker

  bool operator==(const ProbedColumn&) const = default;
};

struct Probe {
  std::vector<std::string> attackers;  // the first one is linear
  std::vector<ProbedColumn> columns;
  std::vector<std::string> not_estimable;  // a sentence each
  std::int64_t rows = 0;                   // that were judged
  std::int64_t learned_rows = 0;           // that an attacker learned from
  Index features = 0;                      // that it was shown

  // How much is read back at least, by the lower end of the interval, from 0, nothing, to 1, all: √R² or 2 AUC − 1.
  static double exposure(const Reading& reading, ReadAs as);

  // The column that is read back best after the map, by the linear attacker or by any; none where nothing is.
  struct Exposed {
    Index column = -1, attacker = -1;
    double exposure = 0;
  };
  Exposed most_exposed(bool linear_only) const;

  bool operator==(const Probe&) const = default;
};

// An attacker that is not built in: what it predicts for `judged`, a column for each of y, after it has learned the
// columns of y from `learned`. Weights are empty where all are one.
struct Attacker {
  std::string name;
  std::function<Eigen::MatrixXd(const Eigen::MatrixXd& learned, const Eigen::MatrixXd& y,
                                const Eigen::VectorXd& weights, std::span<const ReadAs> as,
                                const Eigen::MatrixXd& judged)>
      predict;
};

struct ProbeOptions {
  int parts = 2;  // 1 where a map without all of the rows is to be had
  int threads = 0;
  std::span<const double> weights = {};                                      // empty: all one
  std::vector<Attacker> further = {};                                        // called on this thread
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};  // after each fold

  void check(Index rows) const;  // throws Error naming the field
};

inline constexpr Index kProbeFolds = 5, kLeastOfAValue = 20, kLeastProbedRows = 100, kMostProbedFeatures = 256;

// The map that is fitted without these of the rows, ascending. What it refers to must last until the next call.
using MapWithout = std::function<RowsMap(std::span<const Index> rows)>;

// Throws Error if shapes disagree or a cell is not finite.
Probe probe(const Columns& a, const Columns& b, const std::vector<std::string>& sensitive_names,
            const MapWithout& map_without, const ProbeOptions& options = {});

}  // namespace plumbline
