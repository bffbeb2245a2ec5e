// Reads lines "seed rows", writes a line of the permutation for each (paper/numpy_permutation.h).
#include <iostream>

#include "paper/datasets/numpy_permutation.h"
#include "plumbline/error.h"

int main() {
  try {
    std::uint32_t seed = 0;
    plumbline::Index rows = 0;
    while (std::cin >> seed >> rows) {
      for (const plumbline::Index row : plumbline::numpy_permutation(seed, rows)) std::cout << row << ' ';
      std::cout << '\n';
    }
  } catch (const plumbline::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
