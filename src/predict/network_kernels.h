// The kernels of networks of one number type, of the instruction set in use.
#pragma once

#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/network.h"

namespace plumbline {

template <class T>
const kernels::NetworkFunctions<T>& network_kernels() {
  if constexpr (std::is_same_v<T, float>)
    return kernels::network_of(kernels::active()).of_float;
  else
    return kernels::network_of(kernels::active()).of_double;
}

}  // namespace plumbline
