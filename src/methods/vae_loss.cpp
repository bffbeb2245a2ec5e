#include "methods/vae_loss.h"

#include "predict/loss.h"
#include "predict/mmd.h"

namespace plumbline {

using Eigen::Index;

template <class T>
VaeLoss<T>::VaeLoss(const Network& encoder, const Network& decoder, const Network& adversary, double adversary_weight,
                    Index most_rows)
    : encoder_(encoder),
      decoder_(decoder),
      adversary_(adversary),
      latent_(adversary.inputs()),
      features_(decoder.outputs() - 1),
      sensitive_(adversary.outputs()),
      weight_(adversary_weight),
      encoding_(encoder, most_rows),
      decoding_(decoder, most_rows),
      guessing_(adversary, most_rows),
      x_(nullptr, 0, 0, 0),
      encoded_(nullptr, 0, 0, 0),
      code_(most_rows, latent_ + sensitive_),
      d_code_(most_rows, latent_ + sensitive_),
      d_latent_(most_rows, latent_),
      d_encoded_(most_rows, 2 * latent_),
      d_decoded_(most_rows, features_ + 1),
      d_guess_(most_rows, sensitive_) {}

template <class T>
void VaeLoss<T>::encode(const Vector<T>& encoder, ReadBatch<T> x, ReadBatch<T> noise) {
  for (Batch<T>* const batch : {&code_, &d_code_, &d_latent_, &d_encoded_, &d_decoded_, &d_guess_})
    batch->set_rows(x.rows());
  x_ = x;
  encoded_ = encoder_.forward(encoder, x, encoding_);
  const auto encoded = encoded_.matrix();
  code_.view().columns(0, latent_).matrix() =
      encoded.leftCols(latent_).array() + (encoded.rightCols(latent_).array() / 2).exp() * noise.matrix().array();
  code_.view().columns(latent_, sensitive_).matrix() = x.columns(features_, sensitive_).matrix();
}

template <class T>
double VaeLoss<T>::adversary_slope(const Vector<T>& adversary, Vector<T>& gradient) {
  const double loss = guess(adversary);
  adversary_.backward(adversary, d_guess_.view(), guessing_, gradient);
  return loss;
}

template <class T>
VaeLosses VaeLoss<T>::slopes(const Vector<T>& encoder, const Vector<T>& decoder, const Vector<T>& adversary,
                             ReadBatch<T> normal, Vector<T>& encoder_gradient, Vector<T>& decoder_gradient) {
  VaeLosses out;
  const auto decoded = decoder_.forward(decoder, code_.view(), decoding_);
  out.features = loss_and_slope<T>(Loss::bce_logits, decoded.columns(0, features_), x_.columns(0, features_),
                                   d_decoded_.view().columns(0, features_));
  out.outcome = loss_and_slope<T>(Loss::mse, decoded.columns(features_, 1), x_.columns(features_ + sensitive_, 1),
                                  d_decoded_.view().columns(features_, 1));
  decoder_.backward(decoder, d_decoded_.view(), decoding_, decoder_gradient, d_code_.view());
  const BatchView<T> dz = d_code_.view().columns(0, latent_);
  if (weight_ > 0) {
    out.adversary = guess(adversary);
    adversary_.backward_to_inputs(adversary, d_guess_.view(), guessing_, d_latent_.view());
    dz.matrix() -= static_cast<T>(weight_) * d_latent_.matrix();
  }
  out.latent = mmd_and_slope<T>(z(), normal, dz);

  // z = μ + e^{l / 2} ε:  ∂z/∂μ = 1,  ∂z/∂l = (z − μ) / 2
  d_encoded_.matrix().leftCols(latent_) = dz.matrix();
  d_encoded_.matrix().rightCols(latent_) =
      dz.matrix().array() * (z().matrix().array() - encoded_.matrix().leftCols(latent_).array()) / 2;
  encoder_.backward(encoder, d_encoded_.view(), encoding_, encoder_gradient);
  return out;
}

template <class T>
double VaeLoss<T>::guess(const Vector<T>& adversary) {
  return loss_and_slope<T>(Loss::mse, adversary_.forward(adversary, z(), guessing_), x_.columns(features_, sensitive_),
                           d_guess_.view());
}

template class VaeLoss<float>;
template class VaeLoss<double>;

}  // namespace plumbline
