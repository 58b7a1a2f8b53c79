// Elimination without fractions, in a symmetric matrix of integers.
//
//   source  Bareiss, Math. Comp. 22 (1968), for the divisions; Goodnight, American Statistician 33
//           (1979), for the sweep of symmetric matrices
#pragma once

#include <vector>

#include "onefold/engine/fit/big_integer.hpp"

namespace onefold {

// A symmetric matrix N of integers and a divisor D: the matrix stands for N / D.
class Elimination {
 public:
  // Makes the matrix 0, with D = 1.
  explicit Elimination(std::size_t size)
      : size_(size), entry_(size * (size + 1) / 2), divisor_(1) {}

  // Returns entry (i, j) of N.
  BigInteger& at(std::size_t i, std::size_t j) { return entry_[place(i, j)]; }
  const BigInteger& at(std::size_t i, std::size_t j) const { return entry_[place(i, j)]; }
  const BigInteger& divisor() const { return divisor_; }

  // Sweeps row m, whose diagonal entry is not 0. When the rows of a set S have been swept, N / D
  // has, A being the matrix from the beginning:
  //   in S             the inverse of A(S, S), times -1
  //   beside S         the solutions of A(S, S) b = A(S, j)
  //   outside of S     what S leaves of A: A(i, j) - A(i, S) b
  // and D is the determinant of A(S, S).
  //   threads  as in Options
  void sweep(std::size_t m, int threads);

 private:
  static std::size_t place(std::size_t i, std::size_t j) {
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
  }
  std::size_t size_;
  std::vector<BigInteger> entry_;  // the lower triangle
  BigInteger divisor_;
};

}  // namespace onefold
