#include "kernels/network.h"

#include "kernels/kernels.h"

namespace plumbline::kernels {

const NetworkDispatch& network_of(const Dispatch& table) {
#if defined(__x86_64__)
  if (&table == &avx512) return network_avx512;
  if (&table == &avx2) return network_avx2;
#endif
  static_cast<void>(table);
  return network_baseline;
}

}  // namespace plumbline::kernels
