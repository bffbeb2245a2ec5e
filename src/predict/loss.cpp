#include "predict/loss.h"

#include <fmt/format.h>

#include "plumbline/error.h"
#include "predict/network_kernels.h"

namespace plumbline {

const char* name_of(Loss loss) {
  switch (loss) {
    case Loss::mse:
      return "mse";
    case Loss::bce:
      return "bce";
    case Loss::bce_logits:
      return "bce_logits";
  }
  return "";
}

template <class T>
double loss_and_slope(Loss loss, ReadBatch<T> y, ReadBatch<T> t, BatchView<T> dy, double weight) {
  if (y.rows() != t.rows() || y.cols() != t.cols() || y.rows() != dy.rows() || y.cols() != dy.cols())
    throw Error(fmt::format("y is {} × {}, t is {} × {} and dy is {} × {}; all must be of one shape", y.rows(),
                            y.cols(), t.rows(), t.cols(), dy.rows(), dy.cols()));
  const kernels::NetworkFunctions<T>& kernel = network_kernels<T>();
  const auto sum = loss == Loss::mse ? kernel.squares : loss == Loss::bce ? kernel.entropy : kernel.logits;
  const double scale = weight / static_cast<double>(y.rows() * y.cols());
  return scale * sum(y.for_kernels(), t.for_kernels(), scale, dy.for_kernels());
}

template double loss_and_slope<double>(Loss, ReadBatch<double>, ReadBatch<double>, BatchView<double>, double);
template double loss_and_slope<float>(Loss, ReadBatch<float>, ReadBatch<float>, BatchView<float>, double);

}  // namespace plumbline
