// How much predictions depend on sensitive columns that are numbers: what they would be, had b been another.
//
//   Δ(i, b') = f(a of b', b')_i − f(a of b_i, b_i)_i        a of b': the features of row i, had its b been b'
//
//   absolute   mean over rows i and draws b' of |Δ(i, b')|
//   square     mean of Δ(i, b')²
//
// b' is drawn uniformly between the smallest and the largest training b, column by column, `draws` times a row. The
// features come from a Counterfactuals: a learned generator (VaeCounterfactuals, methods/adversarial_vae.h), the laws
// of the features given b (LawCounterfactuals, plumbline/distribution.h), one that moves b and keeps what a line does
// not explain (AdditiveNoise), or the simulated truth.
//
//   AdditiveNoise   a of b' = a + (b' − b) Γ,   Γ: least squares of the training A on B and a constant
//
// Rows go through f in blocks, so memory does not grow with the draws. The result is a function of the seed, for any
// number of threads. Error when shapes disagree, there are no rows, or draws is not from 1 to 1,000,000.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "methods/adversarial_vae.h"
#include "methods/continuous_method.h"
#include "plumbline/distribution.h"

namespace plumbline {

// The features of some given rows, had their b been another.
class Counterfactuals {
 public:
  Counterfactuals() = default;
  Counterfactuals(const Counterfactuals&) = delete;
  Counterfactuals& operator=(const Counterfactuals&) = delete;
  virtual ~Counterfactuals() = default;

  virtual Eigen::Index rows() const = 0;
  virtual Eigen::MatrixXd features(const Eigen::MatrixXd& b) const = 0;  // b: one row for each row; its own included
  // Of one of the rows, for several b: the rows that features() gives it, as it is by default, without the others.
  virtual Eigen::MatrixXd features_of_row(Eigen::Index row, const Eigen::MatrixXd& b) const;
};

class AdditiveNoise final : public Counterfactuals {
 public:
  // Learns from `training`; then a and b are the rows in question.
  AdditiveNoise(const ContinuousSample& training, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

  Eigen::Index rows() const override { return a_.rows(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override;

 private:
  Eigen::MatrixXd a_, b_, slopes_;
};

class VaeCounterfactuals final : public Counterfactuals {
 public:
  // The generator outlives this.
  VaeCounterfactuals(const AdversarialVae& generator, const ContinuousSample& rows)
      : generator_(generator), z_(generator.infer(rows)) {}

  Eigen::Index rows() const override { return z_.rows(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override { return generator_.decode(z_, b); }
  Eigen::MatrixXd features_of_row(Eigen::Index row, const Eigen::MatrixXd& b) const override {
    return generator_.decode(z_.row(row).replicate(b.rows(), 1), b);
  }

 private:
  const AdversarialVae& generator_;
  Eigen::MatrixXd z_;
};

class LawCounterfactuals final : public Counterfactuals {
 public:
  // The distribution outlives this.
  LawCounterfactuals(const Distribution& distribution, Eigen::MatrixXd a, Eigen::MatrixXd b)
      : distribution_(distribution), a_(std::move(a)), b_(std::move(b)) {}

  Eigen::Index rows() const override { return a_.rows(); }
  Eigen::MatrixXd features(const Eigen::MatrixXd& b) const override;

 private:
  const Distribution& distribution_;
  Eigen::MatrixXd a_, b_;
};

struct ContinuousGap {
  double absolute = 0, square = 0;
};

struct GapOptions {
  Eigen::VectorXd low, high;  // of b', a number a column
  int draws = 1000;
  std::uint64_t seed = 0;
  int threads = 1;  // 0: one a core

  // Between the smallest and the largest b.
  static GapOptions within(const Eigen::MatrixXd& b, int draws = 1000, std::uint64_t seed = 0);
};

ContinuousGap continuous_gap(const ContinuousMethod& method, const Counterfactuals& world, const Eigen::MatrixXd& b,
                             const GapOptions& options);

// Of several methods, for the same draws: the features of each draw are made up once.
std::vector<ContinuousGap> continuous_gaps(std::span<const ContinuousMethod* const> methods,
                                           const Counterfactuals& world, const Eigen::MatrixXd& b,
                                           const GapOptions& options);

}  // namespace plumbline
