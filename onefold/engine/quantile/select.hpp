// Quantiles of sorted keys, and the quantiles that a user asks for.
#pragma once

#include <functional>
#include <vector>

#include "onefold/core/quantile/value.hpp"
#include "onefold/engine/as_double.hpp"
#include "onefold/quantile.hpp"

namespace onefold {

// Appends the key of x to `keys`; a NaN is only counted.
template <class T>
void add_key(T x, std::vector<uint64_t>& keys, Size& nans) {
  if constexpr (dtype_of<T> == DType::boolean) x.byte = x.byte != 0;
  if constexpr (Floating<T>) {
    if (decode(x).nan) {
      ++nans;
      return;
    }
  }
  keys.push_back(key_of(x));
}

// The bits of the value between two numbers of this type, given by their keys. The value is rounded
// once to `type`.
//   type  quantile_type(dtype), or dtype
uint64_t quantile_bits(DType dtype, uint64_t low, uint64_t high, const QuantilePlace& place,
                       DType type);
// The bits of NaN in this type; of an integer type the least integer, which times use as NaT.
uint64_t quantile_of_nothing(DType type);

// Finds the quantiles of some keys, and calls put(k, bits) for the k-th one. Reorders the keys.
void select_quantiles(const std::vector<Quantile>& quantiles, std::vector<uint64_t>& keys,
                      DType dtype, DType type,
                      const std::function<void(std::size_t k, uint64_t bits)>& put);

// Writes the value of one slice or group, which also has `nans` NaN.
void put_quantile(Answer& answer, Size place, uint64_t bits, Size nans, NanPolicy policy);

}  // namespace onefold
