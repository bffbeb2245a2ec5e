#include "kernels/tile_kernels.h"

namespace plumbline::kernels {

using namespace PLUMBLINE_ISA_NAMESPACE;

#define PLUMBLINE_TEXT_OF(x) #x
#define PLUMBLINE_TEXT(x) PLUMBLINE_TEXT_OF(x)

extern const Table PLUMBLINE_ISA;
const Table PLUMBLINE_ISA = {
    PLUMBLINE_TEXT(PLUMBLINE_ISA),
    {mean<double>, mean<float>},
    {pack<double>, pack<float>},
    {unpack<double>, unpack<float>},
    scatter,
    wide_scatter,
    {cross<double>, cross<float>},
    sums,
    affine,
    {direct<double>, direct<float>},
    matvec,
    transposed_matvec,
    symmetric_matvec,
    rotate,
    logistic,
    {norms, excess, shrink, extrapolate, advance},
    {dense_forward<double>, dense_slope<double>, dense_to_inputs<double>, dense_to_weights<double>,
     loss_squares<double>, loss_entropy<double>, loss_logits<double>, adam<double>, gather<double>, affinity<double>},
    {dense_forward<float>, dense_slope<float>, dense_to_inputs<float>, dense_to_weights<float>, loss_squares<float>,
     loss_entropy<float>, loss_logits<float>, adam<float>, gather<float>, affinity<float>},
};

}  // namespace plumbline::kernels
