// Numbers as unsigned integers in their order, -0 before +0.
#pragma once

#include "onefold/core/order_key.hpp"

namespace onefold {

// Converts numbers of all types to 64-bit keys in their order, -0 before +0, and back.
template <class T>
constexpr unsigned spare_bits = 64 - 8 * sizeof(T);
// The sign of an order_key is its top bit; keys of bools and unsigned types < 64 bits have none.
template <class T>
constexpr uint64_t signed_keys = (Floating<T> || dtype_of<T> == DType::u64 ||
                                  kind_of(dtype_of<T>) == Kind::signed_integer)
                                     ? uint64_t{1} << 63
                                     : 0;
template <class T>
ONEFOLD_FN constexpr uint64_t key_of(T x) {
  return (static_cast<uint64_t>(order_key(x)) << spare_bits<T>)^signed_keys<T>;
}
template <class T>
ONEFOLD_FN constexpr T element_of(uint64_t key) {
  const uint64_t bits = key ^ signed_keys<T>;
  const auto shifted = signed_keys<T> == 0 ? static_cast<int64_t>(bits >> spare_bits<T>)
                                           : static_cast<int64_t>(bits) >> spare_bits<T>;
  return from_order_key<T>(shifted);
}

// The same in as few bits as the type has, 16 of 16-bit types; of all NaN the greatest key, which
// no number has.
template <class T>
struct OrderedBits {
  static constexpr unsigned bits = 8 * sizeof(T);
  using Key = typename detail::Bits<(sizeof(T) == 8 ? 8 : 4)>::type;
  static constexpr Key nan = static_cast<Key>(~uint64_t{0} >> (64 - bits));

  ONEFOLD_FN static constexpr Key of(T x) {
    if constexpr (Floating<T>) {
      constexpr Key top = Key{1} << (bits - 1);
      constexpr auto infinity = static_cast<Key>(float_format(dtype_of<T>).infinity());
      const Key b = bit_cast<bits_of<T>>(x);
      // All bits of negative numbers are flipped; without a branch, as signs may be random.
      const Key key = b ^ (((Key{0} - (b >> (bits - 1))) & nan) | top);
      return (b & ~top) > infinity ? nan : key;
    } else {
      if constexpr (dtype_of<T> == DType::boolean) x.byte = x.byte != 0;
      return static_cast<Key>(key_of(x) >> (64 - bits));
    }
  }
  // As key_of has them.
  ONEFOLD_FN static constexpr uint64_t wide(Key k) { return uint64_t{k} << (64 - bits); }
};

}  // namespace onefold
