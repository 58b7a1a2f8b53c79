// The kernels under test. Each file has sets of accumulators for a few types, since one file would
// take minutes to compile.
#pragma once

#include <vector>

#include "cuda/kernel/simulate.hpp"

namespace onefold::test {

struct Kernel {
  const char* name;
  DType dtype;
  Accumulators set;
  KernelResult (*run)(const Data&, const Data*, const KernelRun&, const Rounding&);
};

constexpr uint32_t sum_set = (Accumulator::sum | Accumulator::tally).bits,
                   norm1_set = (Accumulator::sumabs | Accumulator::tally).bits,
                   norm2_set = (Accumulator::sumsq | Accumulator::tally).bits,
                   var_set = sum_set | norm2_set, sums_set = var_set | norm1_set,
                   argmin_set = Accumulators(Accumulator::least).bits,
                   argmax_set = Accumulators(Accumulator::greatest).bits,
                   ptp_set = argmin_set | argmax_set,
                   tally_set = Accumulators(Accumulator::tally).bits,
                   count_set = (Accumulator::zeros | Accumulator::tally).bits,
                   dot_set = Accumulators(Accumulator::dot).bits,
                   describe_set = var_set | norm1_set | ptp_set | count_set;

template <class T>
std::vector<Kernel> kernels_of() {
  const auto row = []<uint32_t set, int U, int warps>(const char* name) {
    return Kernel{name, dtype_of<T>, Accumulators(set), simulate_whole<T, set, U, warps>};
  };
  return {row.template operator()<sum_set, 8, 2>("sum"),
          row.template operator()<norm1_set, 1, 2>("norm1"),
          row.template operator()<norm2_set, 8, 1>("norm2"),
          row.template operator()<var_set, 2, 4>("var"),
          row.template operator()<sums_set, 2, 2>("sums"),
          row.template operator()<argmin_set, 2, 2>("argmin"),
          row.template operator()<argmax_set, 1, 1>("argmax"),
          row.template operator()<ptp_set, 2, 2>("ptp"),
          row.template operator()<tally_set, 1, 2>("tally"),
          row.template operator()<count_set, 1, 2>("count"),
          row.template operator()<dot_set, 1, 2>("dot"),
          row.template operator()<describe_set, 2, 2>("describe")};
}

inline std::vector<Kernel> all_of(std::initializer_list<std::vector<Kernel>> lists) {
  std::vector<Kernel> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Kernel> f64_kernels(), f32_kernels(), f16_kernels(), bf16_kernels(), bytes_kernels(),
    halves_kernels(), words_kernels(), longs_kernels();

}  // namespace onefold::test
