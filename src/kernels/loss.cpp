#include "kernels/lanes.h"
#include "kernels/network_functions.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {
namespace {

template <class T>
struct Term {
  Lanes<T> loss, slope;
};

// Σ over all cells of the loss of term(y, t), and scale times its slope in dy.
template <class T, class Function>
double sum_terms(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                 const NetworkBatch<T>& dy, const Function& term) {
  constexpr Size lanes = Of<T>::kCount;
  double total = 0;
  for (Size j = 0; j < y.cols; ++j) {
    Lanes<T> column = {};
    for (Size r = 0; r < y.rows; r += lanes) {
      const Term<T> at = term(load<T>(y.cells + j * y.stride + r), load<T>(t.cells + j * t.stride + r));
      store<T>(dy.cells + j * dy.stride + r, static_cast<T>(scale) * at.slope);
      column += r + lanes <= y.rows ? at.loss : first_lanes<T>(at.loss, y.rows - r);
    }
    total += static_cast<double>(sum_of<T>(column));
  }
  return total;
}

template <class T>
inline Lanes<T> bounded_log(const Lanes<T>& x) {
  constexpr T kLeastNormal = sizeof(T) == 4 ? static_cast<T>(0x1p-126) : static_cast<T>(0x1p-1022);
  const Lanes<T> log = log_of<T>(x);
  return x < kLeastNormal ? all<T>(-100) : (log < -100 ? all<T>(-100) : log);
}

}  // namespace

template <class T>
double loss_squares(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy) {
  return sum_terms<T>(y, t, scale, dy, [](const Lanes<T>& at, const Lanes<T>& target) -> Term<T> {
    const Lanes<T> off = at - target;
    return {off * off, 2 * off};
  });
}

template <class T>
double loss_entropy(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy) {
  return sum_terms<T>(y, t, scale, dy, [](const Lanes<T>& p, const Lanes<T>& target) -> Term<T> {
    constexpr T kLeast = static_cast<T>(1e-12);
    const Lanes<T> spread = p * (1 - p);
    return {-(target * bounded_log<T>(p) + (1 - target) * bounded_log<T>(1 - p)),
            (p - target) / (spread < kLeast ? all<T>(kLeast) : spread)};
  });
}

template <class T>
double loss_logits(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                   const NetworkBatch<T>& dy) {
  return sum_terms<T>(y, t, scale, dy, [](const Lanes<T>& at, const Lanes<T>& target) -> Term<T> {
    const Lanes<T> u = exp_of<T>(at < 0 ? at : -at), larger = 1 / (1 + u);
    return {((at < 0 ? Lanes<T>{} : at) - target * at) + log_of_one_plus<T>(u),
            (at < 0 ? u * larger : larger) - target};
  });
}

#define PLUMBLINE_INSTANTIATE(T)                                                                      \
  template double loss_squares<T>(const NetworkBatch<const T>&, const NetworkBatch<const T>&, double, \
                                  const NetworkBatch<T>&);                                            \
  template double loss_entropy<T>(const NetworkBatch<const T>&, const NetworkBatch<const T>&, double, \
                                  const NetworkBatch<T>&);                                            \
  template double loss_logits<T>(const NetworkBatch<const T>&, const NetworkBatch<const T>&, double,  \
                                 const NetworkBatch<T>&);
PLUMBLINE_INSTANTIATE(double)
PLUMBLINE_INSTANTIATE(float)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
