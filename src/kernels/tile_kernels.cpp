#include "kernels/tile_kernels.h"

namespace plumbline::kernels {

using namespace PLUMBLINE_ISA_NAMESPACE;

#define PLUMBLINE_TEXT_OF(x) #x
#define PLUMBLINE_TEXT(x) PLUMBLINE_TEXT_OF(x)

extern const Dispatch PLUMBLINE_ISA;
const Dispatch PLUMBLINE_ISA = {
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
};

}  // namespace plumbline::kernels
