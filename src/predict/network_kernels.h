// The kernels of networks of one number type, of the instruction set in use.
#pragma once

#include <type_traits>

#include "kernels/kernels.h"

namespace plumbline {

template <class T>
const kernels::NetworkTable<T>& network_kernels() {
  if constexpr (std::is_same_v<T, float>)
    return kernels::active().network32;
  else
    return kernels::active().network64;
}

}  // namespace plumbline
