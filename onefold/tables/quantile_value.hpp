// A quantile of sorted numbers: the two numbers on both sides of it, and its value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "onefold/core/dtype.hpp"
#include "onefold/core/order_key.hpp"
#include "onefold/fold.hpp"

namespace onefold::io {

// How a quantile between two numbers is defined, with NumPy's names.
enum class QuantileMethod : uint8_t {
  // Here h = q (n - 1) has a fraction.
  linear,    // x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h])
  lower,     // x[floor h]
  higher,    // x[ceil h]
  nearest,   // the nearer number; of two equally near ones, the one of even rank
  midpoint,  // halfway between the two
  // Of Hyndman and Fan (1996), types 1 to 3: a number, or halfway between two if q n is whole.
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  // The same, types 4, 5, 6, 8 and 9: as linear, with h below, from 0 to n - 1.
  interpolated_inverted_cdf,  // q n - 1
  hazen,                      // q n - 1/2
  weibull,                    // q (n + 1) - 1
  median_unbiased,            // q (n + 1/3) - 2/3
  normal_unbiased             // q (n + 1/4) - 5/8
};
//   throws  bad_option: no method has this name
QuantileMethod quantile_method(const std::string& name);

// The quantile q = part / of, exactly.
struct Quantile {
  std::string name;
  Uint128 part = 1, of = 2;  // 0 <= part <= of <= 10^37
  QuantileMethod method = QuantileMethod::linear;
};
// Reads a decimal from 0 to 1 with at most 37 digits after the point. An f64 from 10^-21 on has
// fewer digits.
//   throws  bad_option
Quantile read_quantile(const std::string& word);

// The value is x + (y - x) * rest / of, for the numbers x of rank `rank` and y of rank + 1.
struct QuantilePlace {
  Size rank = 0;
  Uint128 rest = 0, of = 1;  // of <= 8 * 10^37, so 3 * of < 2^128
};
//   n  > 0
QuantilePlace place_of(const Quantile& q, Size n);

// Converts numbers of all types to 64-bit keys in their order, -0 before +0, and back.
template <class T>
constexpr unsigned spare_bits = 64 - 8 * sizeof(T);
// The sign of an order_key is its top bit; keys of bools and unsigned types < 64 bits have none.
template <class T>
constexpr uint64_t signed_keys = (Floating<T> || dtype_of<T> == DType::u64 || std::is_signed_v<T>)
                                     ? uint64_t{1} << 63
                                     : 0;
template <class T>
uint64_t key_of(T x) {
  return (static_cast<uint64_t>(order_key(x)) << spare_bits<T>)^signed_keys<T>;
}
template <class T>
T element_of(uint64_t key) {
  const uint64_t bits = key ^ signed_keys<T>;
  const auto shifted = signed_keys<T> == 0 ? static_cast<int64_t>(bits >> spare_bits<T>)
                                           : static_cast<int64_t>(bits) >> spare_bits<T>;
  return from_order_key<T>(shifted);
}

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

// The type of quantiles: the type of floats itself; for all other types f64.
constexpr DType quantile_type(DType t) { return is_floating(t) ? t : DType::f64; }

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

}  // namespace onefold::io
