// Dependence of any kind between rows of x and of b, linear or not: the distance correlation of Székely, Rizzo and
// Bakirov (2007), 0 in the limit of many rows exactly where they are independent.
//
//   A_ij = ‖x_i − x_j‖ less the means of its row and column, plus the mean of all;  B_ij the same of b
//   dcor = √(Σ A_ij B_ij / √(Σ A_ij² Σ B_ij²))          0 where x or b is constant
//
// In n rows independent x and b give some n^{−1/4}, not 0. O(n²) time and O(n) memory, the same bits for any number of
// threads. Error when shapes disagree, there are no rows, or a cell is not finite.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace plumbline {

// `row_done` is called twice for each row, by one thread at a time: distances are measured, then summed.
double distance_correlation(const Eigen::MatrixXd& x, const Eigen::MatrixXd& b, int threads = 0,
                            const std::function<void()>& row_done = {});

}  // namespace plumbline
