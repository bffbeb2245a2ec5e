// Adam (Kingma and Ba, 2015), as PyTorch computes it. At step t = 1, 2, … with derivatives g:
//
//   m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
//   θ ← θ − learning_rate / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
//
// m and v start at 0. Error when an option is out of range or a vector is not of the size that Adam was made for.
#pragma once

#include "predict/network.h"

namespace plumbline {

struct AdamOptions {
  double learning_rate = 1e-3;  // > 0
  double beta1 = 0.9;           // 0 ≤ β₁ < 1
  double beta2 = 0.999;         // 0 ≤ β₂ < 1
  double epsilon = 1e-8;        // > 0

  void check() const;  // throws Error naming the field
};

template <class T>
class Adam {
 public:
  Adam(Eigen::Index size, const AdamOptions& options);

  void step(const Vector<T>& gradient, Vector<T>& parameters);

 private:
  AdamOptions options_;
  double power1_ = 1, power2_ = 1;  // βᵗ
  Vector<T> m_, v_;
};

}  // namespace plumbline
