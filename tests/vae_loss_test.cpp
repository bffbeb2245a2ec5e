#include "methods/vae_loss.h"

#include <gtest/gtest.h>

#include "reference_network.h"

namespace plumbline {
namespace {

using testing::central_differences;
using testing::exact_in_float;
using testing::kGradientTolerance;
using testing::Random;
using testing::reference_forward;
using testing::reference_loss;
using testing::ReferenceForward;
using testing::relative_error;
using testing::Surrounded;
using testing::WideMatrix;
using testing::WideVector;

template <class T>
class VaeLossOf : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(VaeLossOf, Scalars);

struct Reference {
  long double features, outcome, latent, adversary;
  long double nearest_kink;

  long double total(double weight) const { return features + outcome + latent - weight * adversary; }
};

// What adversarial_vae.h says, of small networks with the activations of the paper's.
struct VaeProblem {
  VaeProblem(unsigned seed, Index sensitive) : p(sensitive) {
    Random random(seed);
    q = random.integer(1, 5), latent = random.integer(1, 3), n = random.integer(2, 12);
    weight = random.uniform(0.5, 20);
    encoder = Network(q + p + 1, layers_of({7, 5}, Activation::relu, {2 * latent, Activation::linear}));
    decoder = Network(latent + p, layers_of({6}, Activation::relu, {q + 1, Activation::linear}));
    adversary = Network(latent, {{5, Activation::tanh}, {4, Activation::relu}, {p, Activation::linear}});
    do {
      phi = exact_in_float(0.7 * random.matrix(encoder.parameter_count(), 1));
      theta = exact_in_float(0.7 * random.matrix(decoder.parameter_count(), 1));
      psi = exact_in_float(0.7 * random.matrix(adversary.parameter_count(), 1));
      x = exact_in_float(random.matrix(n, q + p + 1));
      for (Index j = 0; j < q; ++j)
        for (Index i = 0; i < n; ++i) x(i, j) = static_cast<float>(random.uniform(0, 1));
      noise = exact_in_float(random.matrix(n, latent));
      normal = exact_in_float(random.matrix(n, latent));
    } while (at(phi, theta, psi).nearest_kink < 1e-4L);
  }

  Reference at(const WideVector& encoding, const WideVector& decoding, const WideVector& guessing) const {
    const ReferenceForward encoded = reference_forward(encoder, encoding, x);
    const WideMatrix z =
        encoded.y.leftCols(latent).array() + (encoded.y.rightCols(latent).array() / 2).exp() * noise.array();
    WideMatrix code(n, latent + p);
    code << z, x.middleCols(q, p);
    const ReferenceForward decoded = reference_forward(decoder, decoding, code);
    const ReferenceForward guessed = reference_forward(adversary, guessing, z);
    return {reference_loss(Loss::bce_logits, decoded.y.leftCols(q), x.leftCols(q)),
            reference_loss(Loss::mse, decoded.y.col(q), x.col(q + p)), testing::reference_mmd(z, normal),
            reference_loss(Loss::mse, guessed.y, x.middleCols(q, p)),
            std::min({encoded.nearest_kink, decoded.nearest_kink, guessed.nearest_kink})};
  }

  Network encoder{1, {{1}}}, decoder{1, {{1}}}, adversary{1, {{1}}};
  WideVector phi, theta, psi;  // their parameters
  WideMatrix x, noise, normal;
  Index q = 0, p, latent = 0, n = 0;
  double weight = 0;
};

template <class Function>
void for_each_problem(const Function& check) {
  for (const Index sensitive : {1, 2})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << sensitive << " sensitive columns");
      check(VaeProblem(seed, sensitive));
    }
}

TYPED_TEST(VaeLossOf, DerivativesOfTheSumAreThoseOfCentralDifferences) {
  using T = TypeParam;
  for_each_problem([](VaeProblem p) {
    for (const double weight : {p.weight, 0.0}) {
      VaeLoss<T> loss(p.encoder, p.decoder, p.adversary, weight, p.n + 2);
      Surrounded<T> x(p.x, 0), noise(p.noise, 0), normal(p.normal, 0);
      const Vector<T> phi = p.phi.cast<T>(), theta = p.theta.cast<T>(), psi = p.psi.cast<T>();
      Vector<T> by_phi = Vector<T>::Zero(phi.size()), by_theta = Vector<T>::Zero(theta.size());
      loss.encode(phi, x.view(), noise.view());
      const VaeLosses found = loss.slopes(phi, theta, psi, normal.view(), by_phi, by_theta);

      const Reference expected = p.at(p.phi, p.theta, p.psi);
      const auto near = [](double value, long double formula) {
        EXPECT_NEAR(value, static_cast<double>(formula), (sizeof(T) == 4 ? 1e-5 : 1e-12) * std::max(1.0, value));
      };
      near(found.features, expected.features);
      near(found.outcome, expected.outcome);
      near(found.latent, expected.latent);
      near(found.adversary, weight > 0 ? expected.adversary : 0);
      EXPECT_LE(relative_error(
                    by_phi, central_differences(
                                p.phi, [&](const WideVector& at) { return p.at(at, p.theta, p.psi).total(weight); })),
                kGradientTolerance<T>);
      EXPECT_LE(relative_error(
                    by_theta, central_differences(
                                  p.theta, [&](const WideVector& at) { return p.at(p.phi, at, p.psi).total(weight); })),
                kGradientTolerance<T>);
    }
  });
}

TYPED_TEST(VaeLossOf, DerivativesOfTheAdversaryAreThoseOfCentralDifferences) {
  using T = TypeParam;
  for_each_problem([](VaeProblem p) {
    VaeLoss<T> loss(p.encoder, p.decoder, p.adversary, p.weight, p.n);
    Surrounded<T> x(p.x, 0), noise(p.noise, 0);
    const Vector<T> phi = p.phi.cast<T>(), psi = p.psi.cast<T>();
    Vector<T> by_psi = Vector<T>::Zero(psi.size());
    loss.encode(phi, x.view(), noise.view());
    loss.adversary_slope(psi, by_psi);
    const auto value = [&](const WideVector& at) { return p.at(p.phi, p.theta, at).adversary; };
    EXPECT_LE(relative_error(by_psi, central_differences(p.psi, value)), kGradientTolerance<T>);
  });
}

}  // namespace
}  // namespace plumbline
