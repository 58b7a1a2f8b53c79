// Determinant, inverse and solutions of a symmetric matrix of integers, exactly.
//
//   method   elimination modulo primes of 62 bits, and the Chinese remainder theorem: a number of
//            bits B takes B / 61 primes, and each prime size^3 / 2 products
//   bound    all numbers are minors of a matrix without negative eigenvalues, so they are at most
//            the product of its diagonal (Hadamard)
//   source   the sweep of a symmetric matrix: Goodnight, American Statistician 33 (1979)
#pragma once

#include <vector>

#include "onefold/core/base.hpp"
#include "onefold/engine/fit/big_integer.hpp"

namespace onefold {

// A symmetric matrix, as rows of its lower triangle.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), entry_(size * (size + 1) / 2) {}
  std::size_t size() const { return size_; }
  //   j  at most i
  BigInteger& at(std::size_t i, std::size_t j) { return entry_[i * (i + 1) / 2 + j]; }
  const BigInteger& at(std::size_t i, std::size_t j) const { return entry_[i * (i + 1) / 2 + j]; }
  const std::vector<BigInteger>& entries() const { return entry_; }

 private:
  std::size_t size_;
  std::vector<BigInteger> entry_;
};

// The parts of a matrix (A b; b' c), whose last row is b' c, each but the first times the
// determinant of A.
struct Elimination {
  // If A is singular, the first row that is a linear combination of the rows before it, and the
  // numbers are 0. Else `none`.
  Size dependent = none;
  BigInteger determinant;
  BigInteger rest;                   // c - b' A^-1 b
  std::vector<BigInteger> solution;  // A^-1 b
  std::vector<BigInteger> diagonal;  // of A^-1
};

// Eliminates all rows but the last of a matrix of sums of products (so no eigenvalue is negative).
//   threads  as in Options
Elimination eliminate(const SymmetricMatrix& matrix, int threads);

}  // namespace onefold
