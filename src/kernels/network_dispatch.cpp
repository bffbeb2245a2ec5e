#include "kernels/network_functions.h"

namespace plumbline::kernels {

using namespace PLUMBLINE_ISA_NAMESPACE;

#define PLUMBLINE_JOIN_OF(x, y) x##y
#define PLUMBLINE_JOIN(x, y) PLUMBLINE_JOIN_OF(x, y)

extern const NetworkDispatch PLUMBLINE_JOIN(network_, PLUMBLINE_ISA);
const NetworkDispatch PLUMBLINE_JOIN(network_, PLUMBLINE_ISA) = {
    {dense_forward<double>, dense_slope<double>, dense_to_inputs<double>, dense_to_weights<double>,
     loss_squares<double>, loss_entropy<double>, loss_logits<double>, adam<double>, gather<double>,
     gaussian_kernel<double>},
    {dense_forward<float>, dense_slope<float>, dense_to_inputs<float>, dense_to_weights<float>, loss_squares<float>,
     loss_entropy<float>, loss_logits<float>, adam<float>, gather<float>, gaussian_kernel<float>},
};

}  // namespace plumbline::kernels
