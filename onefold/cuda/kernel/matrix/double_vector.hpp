// What doubles.hpp knows of a vector.
#pragma once

#include "onefold/cuda/kernel/matrix/survey.hpp"

namespace onefold::kernel {

// Returns a power of two times a number from 1 to 2 that is at least 2^v and at most 1.07 of it.
ONEFOLD_KERNEL double power_above(int whole, float v) {
  const float low = v < 0 ? -static_cast<float>(static_cast<int>(1 - v))
                          : static_cast<float>(static_cast<int>(v));
  const double up =
      bit_cast<double>(static_cast<uint64_t>(1023 + whole + static_cast<int>(low)) << 52);
  return up * (1 + static_cast<double>(v - low));
}

// What is known of a vector. Its numbers are those of a sum times 2^power.
template <class T>
struct DoubleVector {
  float bits;       // log2 of the norm in units of its lowest bit; from 10^6 on: it is not finite
  int power = 0;    // of f64: one more than that of the norm
  double norm = 0;  // at most 10 % too large

  ONEFOLD_KERNEL DoubleVector(float bits_of, int unit) : bits(bits_of) {
    if (!(bits < 1e6f)) return;
    if constexpr (sizeof(T) == 8) {
      if (bits == 0) return;  // all elements are 0
      const int whole = static_cast<int>(bits) + 1;
      power = unit + whole;
      norm = power_above(0, bits - static_cast<float>(whole));
      if (power < -1000) {  // few bits are above 2^-26, so second words are rounded
        power = -1000;
        bits = 1e5f;
      }
    } else {
      norm = power_above(unit, bits);
    }
  }
  // 2^-power, which may be subnormal.
  ONEFOLD_KERNEL double scale() const {
    return power < 1000 ? power_of_two(-power) : power_of_two(-1000) * power_of_two(1000 - power);
  }
};

}  // namespace onefold::kernel
