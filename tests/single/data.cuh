// Data and comparisons of block.cu and cells.cu.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char* type, int kind, int way) {
  if (holds) return;
  ++wrong;
  std::printf("%s: kind %d, way %d is wrong\n", type, kind, way);
}

static uint64_t drawn(uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
template <class T>
T of_bits(uint64_t bits) {
  return onefold::bit_cast<T>(static_cast<onefold::bits_of<T>>(bits));
}
enum Kind {
  near_one,
  any_bits,
  cancelling,
  tiny,
  huge_and_tiny,
  sparse,
  special,
  negative_zeros,
  positive,
  kinds
};
template <class T>
std::vector<T> data(int kind, int n) {
  constexpr auto f = onefold::float_format(onefold::dtype_of<T>);
  constexpr uint64_t fields = uint64_t{1} << f.exponent_bits, sign = onefold::detail::sign_bit<T>;
  uint64_t state = static_cast<uint64_t>(kind);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const uint64_t r = drawn(state), mantissa = r & ((uint64_t{1} << f.mantissa_bits) - 1);
    uint64_t field = fields / 2 - 1 - (r >> 40 & 7);
    if (kind == any_bits || kind == cancelling) field = (r >> 40) % (fields - 1);
    if (kind == tiny) field = (r >> 40) % 3;
    if (kind == huge_and_tiny) field = (r >> 40 & 1) != 0 ? fields - 2 : 1;
    uint64_t bits = mantissa | field << f.mantissa_bits | (r >> 63 != 0 ? sign : 0);
    if (kind == cancelling && i % 2 == 1) {
      bits = onefold::bit_cast<onefold::bits_of<T>>(x[static_cast<std::size_t>(i - 1)]) ^ sign;
    }
    if (kind == sparse && (r >> 50) % 64 != 0) bits = (r >> 49 & 1) != 0 ? sign : 0;
    if (kind == special && i % 100 == 7)
      bits = (fields - 1) << f.mantissa_bits | (i % 500 == 7 ? sign : 0);
    if (kind == negative_zeros) bits = sign;
    if (kind == positive) bits &= ~sign;
    x[static_cast<std::size_t>(i)] = of_bits<T>(bits);
  }
  if (kind == special && n % 2 == 1)
    x[0] = of_bits<T>(fields << f.mantissa_bits | 1 | (fields - 1) << f.mantissa_bits);
  if (kind == cancelling && n > 3) x[static_cast<std::size_t>(n - 1)] = of_bits<T>(1);
  return x;
}
template <class T>
bool same(T a, T b) {
  const auto nan = [](T v) { return onefold::is_nan(v); };
  return std::memcmp(&a, &b, sizeof a) == 0 || (nan(a) && nan(b));
}
