#include "predict/adam.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/error.h"
#include "predict/network_kernels.h"

namespace plumbline {

void AdamOptions::check() const {
  if (!(learning_rate > 0) || !std::isfinite(learning_rate))
    throw Error(fmt::format("learning_rate is {}; it must be positive and finite", learning_rate));
  if (!(beta1 >= 0 && beta1 < 1)) throw Error(fmt::format("beta1 is {}; it must be at least 0 and below 1", beta1));
  if (!(beta2 >= 0 && beta2 < 1)) throw Error(fmt::format("beta2 is {}; it must be at least 0 and below 1", beta2));
  if (!(epsilon > 0) || !std::isfinite(epsilon))
    throw Error(fmt::format("epsilon is {}; it must be positive and finite", epsilon));
}

template <class T>
Adam<T>::Adam(Eigen::Index size, const AdamOptions& options)
    : options_(options), m_(Vector<T>::Zero(size)), v_(Vector<T>::Zero(size)) {
  options.check();
}

template <class T>
void Adam<T>::step(const Vector<T>& gradient, Vector<T>& parameters) {
  if (gradient.size() != m_.size() || parameters.size() != m_.size())
    throw Error(fmt::format("Adam of {} parameters got {} derivatives and {} parameters; all must be as many",
                            m_.size(), gradient.size(), parameters.size()));
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  const kernels::AdamStep step = {options_.beta1, options_.beta2, options_.learning_rate / (1 - power1_),
                                  std::sqrt(1 - power2_), options_.epsilon};
  network_kernels<T>().adam(step, gradient.data(), gradient.size(), m_.data(), v_.data(), parameters.data());
}

template class Adam<double>;
template class Adam<float>;

}  // namespace plumbline
