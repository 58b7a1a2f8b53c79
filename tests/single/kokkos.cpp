// A program for Kokkos itself, which is compiled where its headers are.
#include <vector>

#include "kokkos.hpp"

double sum_of(const std::vector<double>& x) {
  onefold::ExactSum<double> sum;
  const double* const p = x.data();
  Kokkos::parallel_reduce(
      x.size(),
      KOKKOS_LAMBDA(const std::size_t i, onefold::ExactSum<double>& part) { part.add(p[i]); },
      ExactSumReducer<double>(sum));
  return sum.value();
}
