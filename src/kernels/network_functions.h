// The functions of network.h for one instruction set; compiled as those of tile_kernels.h are.
#pragma once

#include "kernels/kernels.h"
#include "kernels/network.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

template <class T>
void dense_forward(const NetworkLayer<T>& layer, const NetworkBatch<const T>& x, const NetworkBatch<T>& y);
template <class T>
void dense_slope(Activation activation, const NetworkBatch<const T>& y, const NetworkBatch<T>& d);
template <class T>
void dense_to_inputs(const NetworkLayer<T>& layer, const NetworkBatch<const T>& dz, const NetworkBatch<T>& dx);
template <class T>
void dense_to_weights(const NetworkBatch<const T>& dz, const NetworkBatch<const T>& x, T* dw, T* dbias);
template <class T>
double loss_squares(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy);
template <class T>
double loss_entropy(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                    const NetworkBatch<T>& dy);
template <class T>
double loss_logits(const NetworkBatch<const T>& y, const NetworkBatch<const T>& t, double scale,
                   const NetworkBatch<T>& dy);
template <class T>
void adam(const AdamStep& step, const T* gradient, std::ptrdiff_t size, T* m, T* v, T* parameters);
template <class T>
void gather(const T* x, const std::int32_t* chosen, const NetworkBatch<T>& out);
template <class T>
double gaussian_kernel(const T* point, const NetworkBatch<const T>& x, T* pull);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
