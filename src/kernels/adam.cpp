#include "kernels/lanes.h"
#include "kernels/network_functions.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

template <class T>
struct Factors {
  T keep1, take1, keep2, take2, rate, inverse_root, epsilon;
};

template <class T>
inline void update(const Factors<T>& f, const Lanes<T>& g, Lanes<T>& m, Lanes<T>& v, Lanes<T>& parameters) {
  m = fused(all<T>(f.keep1), m, f.take1 * g);
  v = fused(all<T>(f.keep2), v, f.take2 * g * g);
  parameters -= f.rate * (m / fused(root_of(v), all<T>(f.inverse_root), all<T>(f.epsilon)));
}

}  // namespace

template <class T>
void adam(const AdamStep& step, const T* gradient, std::ptrdiff_t size, T* m, T* v, T* parameters) {
  constexpr Size lanes = Of<T>::kCount;
  const auto t = [](double x) { return static_cast<T>(x); };
  const Factors<T> f = {t(step.beta1), t(1 - step.beta1), t(step.beta2),  t(1 - step.beta2),
                        t(step.rate),  t(1 / step.root),  t(step.epsilon)};
  Size i = 0;
  for (; i + lanes <= size; i += lanes) {
    Lanes<T> new_m = load<T>(m + i), new_v = load<T>(v + i), at = load<T>(parameters + i);
    update<T>(f, load<T>(gradient + i), new_m, new_v, at);
    store<T>(m + i, new_m);
    store<T>(v + i, new_v);
    store<T>(parameters + i, at);
  }
  if (i == size) return;
  Lanes<T> g = {}, new_m = {}, new_v = {}, at = {};
  for (Size l = 0; l < size - i; ++l) {
    g[l] = gradient[i + l];
    new_m[l] = m[i + l];
    new_v[l] = v[i + l];
    at[l] = parameters[i + l];
  }
  update<T>(f, g, new_m, new_v, at);
  for (Size l = 0; l < size - i; ++l) {
    m[i + l] = new_m[l];
    v[i + l] = new_v[l];
    parameters[i + l] = at[l];
  }
}

template void adam<double>(const AdamStep&, const double*, std::ptrdiff_t, double*, double*, double*);
template void adam<float>(const AdamStep&, const float*, std::ptrdiff_t, float*, float*, float*);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
