#include "onefold/engine/fit/elimination.hpp"

#include "onefold/system/parallel.hpp"

namespace onefold {

void Elimination::sweep(std::size_t m, int threads) {
  const BigInteger pivot = at(m, m);
  std::vector<BigInteger> column(size_);
  for (std::size_t i = 0; i < size_; ++i) column[i] = at(i, m);
  const auto row = [&](std::size_t i) {
    for (std::size_t j = 0; i != m && j <= i; ++j) {
      if (j == m) continue;
      BigInteger& v = at(i, j);
      v = exact_quotient(v * pivot - column[i] * column[j], divisor_);
    }
  };
  parallel(size_, size_ < 8 ? 1 : threads, row);
  at(m, m) = -divisor_;
  divisor_ = pivot;
}

}  // namespace onefold
