// The maximum mean discrepancy (Gretton et al. 2012) of a batch z from a sample x of what it should be distributed as:
//
//   MMD² = mean_{i,j} k(z_i, z_j) + mean_{i,j} k(x_i, x_j) − 2 mean_{i,j} k(z_i, x_j),     k(u, v) = exp(−‖u − v‖² / d)
//
// d: columns. All pairs count, i = j among them, so MMD² ≥ 0. O(n² d), and nothing is allocated.
//
// mmd_and_slope returns weight × MMD² and adds its derivative by z to dz. Error when shapes disagree or there are no
// rows.
#pragma once

#include "predict/batch.h"

namespace plumbline {

template <class T>
double mmd_and_slope(ReadBatch<T> z, ReadBatch<T> x, BatchView<T> dz, double weight = 1);

}  // namespace plumbline
