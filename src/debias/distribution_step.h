// One group of features of a Distribution, and what a row is while it goes from group to group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "debias/regression_tree.h"
#include "plumbline/partition.h"

namespace plumbline {

enum class StepKind { constant, category, levels, continuous };

// The values that a number may have: those listed, or all k / per_unit, or any.
struct Grid {
  std::vector<double> values;  // ascending; empty: not listed
  double per_unit = 0;         // 0: no grid
  double least = 0, most = 0;

  double snapped(double x) const;
  double jittered(double x, double place) const;  // drawn between the middles to its neighbours

  bool operator==(const Grid&) const = default;
};

struct DistributionStep {
  StepKind kind = StepKind::constant;
  Index group = 0, column = 0, width = 1;
  RegressionTree tree;
  Index levels = 0;                  // L: of a category or of ordered levels; pieces of a continuous law
  std::vector<std::uint16_t> table;  // [leaf][level][region], in 1/65535: p of a category, else F at the level's end
  std::vector<double> average;       // [leaf][level]: p̄, or F̄; continuous: [leaf][L + 1], Q̄ at shares v_0 … v_L
  std::vector<double> knots;         // continuous: [leaf][L + 1], residuals; levels: their L lower and L upper ends
  std::vector<double> shares;        // continuous: v_0 = 0 … v_L = 1, which follow from L
  Grid grid;

  // Of a number, for later steps: z = (a − centre) / sd and (z − hinge)₊; of a category its indicators.
  double centre = 0, sd = 1;
  std::vector<double> hinges;
  Index terms = 0;

  // Continuous: z = λ·terms + μ·w(b) + θ·t(b) + Σ_l t_l(b) (Δ_l·numbers) + s(b) r, with s(b) = σ·w(b) + τ·t(b), but
  // within a factor of two of σ_k·w(b), the mean sizes in regions; and the averages of what b adds and of s.
  std::vector<double> of_terms, of_regions, of_sensitive, of_products, scale, scale_of_sensitive, sizes;
  double average_location = 0, average_scale = 1;

  bool is_number() const { return kind == StepKind::levels || kind == StepKind::continuous; }
  bool operator==(const DistributionStep&) const = default;
};

struct DistributionParts {
  Index features = 0, sensitive = 0;
  std::uint64_t seed = 0;
  Partition partition;
  std::vector<double> centre_b, sd_b;
  std::vector<std::vector<double>> hinges_b;  // of b̃, for each column
  bool has_pairs = false;                     // b̃_l b̃_m among the terms of b
  std::vector<double> mean_terms;             // that are taken off them, so that averages over b have no products
  Index product_terms = 0;          // terms of b that are multiplied with numbers in locations: the first ones
  bool has_hinge_products = false;  // and numbers with their hinges

  Index terms_of_b() const;
  std::vector<DistributionStep> steps;  // in their order

  bool operator==(const DistributionParts&) const = default;
};

// What a row draws for a group: a place inside an atom or whether it keeps its level, a level to move to, a level where
// a cell gives shares; and for counterfactuals.
enum Draw { kPlace, kLevel, kCellLevel, kOtherPlace, kOtherLevel };

// w(b) and the terms t(b) of one b: b̃, its hinges (b̃ − κ)₊, and pairs b̃_l b̃_m, each about its mean.
struct SensitivePlace {
  std::vector<double> terms, weights;
  Partition::Range range;

  void set(const DistributionParts& parts, std::span<const double> b);
  void set_terms(const DistributionParts& parts, const double* b);
};

// A row on its way from group to group.
struct RowState {
  std::uint64_t key = 0;
  SensitivePlace b;
  std::vector<double> x;        // of each step that is done: the value, or the level of a category
  std::vector<double> terms;    // of the steps that are done
  std::vector<double> numbers;  // z of numbers among them, and hinges where products have them

  void start(const DistributionParts& parts, std::span<const double> a, std::span<const double> b);
  double place(Index group, int draw) const;  // uniform on (0, 1), of the row and the group alone
};

// Transforms the step's columns of `a` into those of `out` and appends to the state. With `to` the columns of
// `counterfactual` become what they would be there.
void take_step(const DistributionParts& parts, const DistributionStep& step, RowState& row, const double* a,
               double* out, const SensitivePlace* to = nullptr, double* counterfactual = nullptr);

// What a step that is done adds to the state of a row: step.terms terms, and so many numbers.
Index numbers_of(const DistributionParts& parts, const DistributionStep& step);
void write_terms(const DistributionParts& parts, const DistributionStep& step, double x, double* terms,
                 double* numbers);

// ã of a row with that base and residual, by a continuous step.
double fair_number(const DistributionStep& step, Index leaf, const SensitivePlace& b, double base, double r);

// λ·terms, and the rest of the location.
double base_of(const DistributionStep& step, const RowState& row);
double location_of(const DistributionStep& step, const RowState& row, const SensitivePlace& b);
double scale_of(const DistributionStep& step, const SensitivePlace& b);

// The level of a category: −1 if it has none, and one drawn by their shares where a cell was missing.
Index level_of(const DistributionStep& step, const double* cells, double place);

// Where a number lies among ordered levels.
struct LevelPlace {
  Index level = 0;
  double share = 0;  // of the level that is below it
};
LevelPlace level_place(const DistributionStep& step, double x, double place);

// v_0 … v_L, closer to each other at both ends.
std::vector<double> knot_shares(Index pieces);

}  // namespace plumbline
