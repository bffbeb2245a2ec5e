// What the generator's networks make small on a batch (adversarial_vae.h), and its derivatives:
//
//   z = μ + e^{l / 2} ∘ ε,   (μ, l) = encoder(x),   x = [a, b, y]
//
//   encoder and decoder   BCE(â, a) + MSE(ŷ, y) + MMD²(z, normal) − β MSE(b̂, b),   (logits of â, ŷ) = decoder(z, b)
//   adversary             MSE(b̂, b),                                               b̂ = adversary(z)
//
// x: n × (q + p + 1);  ε, normal: n × latent, draws of N(0, 1);  the decoder has q + 1 outputs, all linear. n is at
// most most_rows. `encode` finds z, which adversary_slope and slopes then take, however often; both add to gradients. x
// has to stay as it is in between. Nothing is allocated but by the constructor.
//
// Error when shapes disagree (predict/network.h).
#pragma once

#include "predict/network.h"

namespace plumbline {

struct VaeLosses {
  double features = 0, outcome = 0, latent = 0, adversary = 0;  // the last is 0 where β is
};

template <class T>
class VaeLoss {
 public:
  VaeLoss(const Network& encoder, const Network& decoder, const Network& adversary, double adversary_weight,
          Eigen::Index most_rows);

  void encode(const Vector<T>& encoder, ReadBatch<T> x, ReadBatch<T> noise);

  double adversary_slope(const Vector<T>& adversary, Vector<T>& gradient);

  VaeLosses slopes(const Vector<T>& encoder, const Vector<T>& decoder, const Vector<T>& adversary, ReadBatch<T> normal,
                   Vector<T>& encoder_gradient, Vector<T>& decoder_gradient);

 private:
  double guess(const Vector<T>& adversary);  // the adversary's loss, and its derivative in d_guess_
  BatchView<const T> z() const { return code_.view().columns(0, latent_); }

  const Network &encoder_, &decoder_, &adversary_;
  Eigen::Index latent_, features_, sensitive_;
  double weight_;
  Workspace<T> encoding_, decoding_, guessing_;
  BatchView<const T> x_, encoded_;  // of the last encode
  Batch<T> code_, d_code_, d_latent_, d_encoded_, d_decoded_, d_guess_;
};

}  // namespace plumbline
