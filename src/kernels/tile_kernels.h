// The functions of kernels.h for one instruction set, each in a file of its name. All are compiled once for each set,
// with PLUMBLINE_ISA naming it and PLUMBLINE_ISA_NAMESPACE holding them apart.
#pragma once

#include "kernels/kernels.h"

namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE {

template <class T>
void mean(const Block&, const double* weights, double* mean);
template <class T>
void pack(const Block&, const double* scale, const double* shift, double* tile);
template <class T>
void unpack(const double* tile, const MutableBlock&);
void scatter(const double* tile, Size rows, Size cols, Size lead, double* c, Size c_stride, double* diagonal,
             const Ahead& ahead);
void wide_scatter(const double* tile, Size rows, Size cols, double* hi, double* lo);
template <class T>
void cross(const Block& x, const double* shift, const double* b, Size b_cols, double* sums, double* squares, double* c,
           Size c_stride);
void sums(const double* tile, const double* scale, Size rows, Size cols, double* sums);
void affine(const Matrix& m, const double* base, const double* direct, const double* source, const double* in,
            Size rows, double* out);
template <class T>
bool direct(const Matrix& m, const double* transposed, const double* base, const double* direct, const Block& x,
            const double* in, const MutableBlock& out, bool stream);
void matvec(const Matrix& m, const double* x, double* y);
void transposed_matvec(const Matrix& m, const double* x, double* y);
void symmetric_matvec(const Matrix& m, const double* x, double* y);
void rotate(double* columns, Size count, const double* c, const double* s);
double logistic(const double* eta, const double* y, const double* weights, Size rows, double* residual, double* root);

Norms norms(const double* x, Size size);
Excess excess(const double* x, Size size, double largest, double root);
void shrink(const Shrinkage& by, const double* x, Size size, double* u);
double extrapolate(const Extrapolation& from, Size size);
Progress advance(const double* u, const double* next, Size size, double* step);

}  // namespace plumbline::kernels::PLUMBLINE_ISA_NAMESPACE
