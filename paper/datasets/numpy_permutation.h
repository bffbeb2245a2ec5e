// The random permutation that the paper's splits come from, and the split: NumPy's legacy generator and scikit-learn's
// train_test_split, for any seed.
//
//   permutation   π = (0, 1, …, n − 1); for i = n − 1 … 1: swap π_i and π_j, j uniform in 0 … i
//   j             a 32-bit draw of the Mersenne twister seeded by the plain integer, with all bits above the highest of
//                 i cleared; drawn anew while it is above i
//   split         test = the first ⌈share · n⌉ of π, train = the next ⌊(1 − share) · n⌋
//
// numpy_permutation(seed, n) is numpy.random.RandomState(seed).permutation(n). Error when n is negative or above 2³²,
// share is not between 0 and 1, or either part of the split would be empty.
#pragma once

#include <cstdint>
#include <vector>

#include "plumbline/columns.h"

namespace plumbline {

std::vector<Index> numpy_permutation(std::uint32_t seed, Index n);

struct Split {
  std::vector<Index> train, test;  // rows
};

Split numpy_split(std::uint32_t seed, Index n, double test_share = 0.25);

}  // namespace plumbline
