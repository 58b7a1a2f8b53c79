// Compares keys that a device, real or simulated, has numbered with keys that are sorted here.
#pragma once

#include <cmath>
#include <compare>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gpu/axes.hpp"
#include "onefold/fold.hpp"
#include "onefold/numbered_keys.hpp"

namespace onefold::test {

// The distinct keys, and the number of each element's key.
template <class K>
struct Numbering {
  std::vector<K> names;
  std::vector<int32_t> labels;
  Numbering(const NumberedKeys& found, Size elements) : names(found.size()), labels(elements) {
    found.write_keys(names.data());
    found.copy_labels(labels.data());
  }
};

// A key's place among others: NaN is the last.
struct KeyPlace {
  bool nan = false;
  double real = 0;
  int64_t integer = 0;
  friend bool operator==(const KeyPlace& a, const KeyPlace& b) { return (a <=> b) == 0; }
  friend std::partial_ordering operator<=>(const KeyPlace& a, const KeyPlace& b) {
    if (a.nan || b.nan) return a.nan <=> b.nan;
    if (a.real != b.real) return a.real <=> b.real;
    return a.integer <=> b.integer;
  }
};

inline double real_of_half(uint64_t bits) {
  const auto e = static_cast<int>(bits >> 10 & 31), f = static_cast<int>(bits & 1023);
  const double v = e == 31 ? (f == 0 ? INFINITY : NAN)
                           : std::ldexp(f + (e == 0 ? 0 : 1024), (e == 0 ? 1 : e) - 25);
  return (bits >> 15 & 1) != 0 ? -v : v;
}

inline KeyPlace place_of(DType t, uint64_t bits) {
  const auto as = [&]<class T>(T v) {
    std::memcpy(static_cast<void*>(&v), &bits, sizeof v);
    return v;
  };
  double real = 0;
  if (t == f64) real = as(double{});
  if (t == f32) real = static_cast<double>(as(float{}));
  if (t == f16) real = real_of_half(bits);
  if (t == bf16) {
    bits <<= 16;
    real = static_cast<double>(as(float{}));
  }
  if (is_floating(t)) return std::isnan(real) ? KeyPlace{.nan = true} : KeyPlace{.real = real};
  switch (t) {
    case DType::boolean:
      return {.integer = bits != 0};
    case DType::i8:
      return {.integer = as(int8_t{})};
    case DType::i16:
      return {.integer = as(int16_t{})};
    case DType::i32:
      return {.integer = as(int32_t{})};
    case DType::i64:
      return {.integer = as(int64_t{})};
    case DType::u64:
      return {.integer = static_cast<int64_t>(bits ^ uint64_t{1} << 63)};
    default:
      return {.integer = static_cast<int64_t>(bits)};
  }
}

// The bits of n keys of a type.
inline std::vector<uint64_t> random_keys(std::mt19937_64& r, DType t, Size n) {
  const Size bytes = bytes_of(t);
  const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
  const auto kind = r() % 7;
  const uint64_t factor = r() | 1, few = 1 + r() % 50, first = r();
  std::vector<uint64_t> keys;
  for (Size i = 0; i < n; ++i) {
    uint64_t key = r();
    if (kind == 0) key = first;
    if (kind == 1) key = i * factor;                           // all distinct
    if (kind == 2) key = key % few * factor;                   // few
    if (kind == 3 && key % 10 != 0) key = first;               // one is frequent
    if (kind == 4) key = (uint64_t{1} << 31) - 25 + key % 50;  // borders of 31 and 32 bits
    if (kind == 5) key = (uint64_t{1} << 32) - 25 + key % 50;
    if (kind == 6) {  // the least, the greatest, 0, -0, infinities, NaN of both signs
      constexpr double some[] = {0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY};
      const double d = some[key % 6];
      const auto f = static_cast<float>(d);
      uint32_t f_bits;
      std::memcpy(&f_bits, &f, 4);
      std::memcpy(&key, &d, 8);
      if (t == f32) key = f_bits;
      if (t == bf16) key = f_bits >> 16;
      if (t == f16) key = f_bits >> 31 << 15 | (r() % 2 == 0 ? 0x7c00 : 0);
      if (r() % 4 == 0) key = ~uint64_t{0};
      if (r() % 8 == 0) key = ~uint64_t{0} >> 1;
      if (r() % 8 == 0) key = uint64_t{1} << (8 * bytes - 1);
      if (bytes < 8 && r() % 4 == 0) key = (mask >> 1) - r() % 3;
    }
    keys.push_back(key & mask);
  }
  return keys;
}

// Says what is wrong with the numbers of keys and the answers of their groups; empty: nothing.
//   sum_of  folded by these keys, too
inline std::string key_flaws(const std::string& ops, DType t, DType sum_of, uint64_t seed, Size n) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const Size bytes = bytes_of(t);
  const std::vector<uint64_t> bits = random_keys(r, t, n);
  const int64_t step = r() % 3 == 0 ? (r() % 2 == 0 ? -1 : 2) : 1;
  const Size apart = step == 2 ? 2 : 1;
  std::vector<std::byte> memory(std::max<Size>(n, 1) * apart * bytes, std::byte{0x5b});
  for (Size i = 0; i < n; ++i) {
    const Size at = step < 0 ? n - 1 - i : i * apart;
    std::memcpy(&memory[at * bytes], &bits[i], bytes);
  }
  const DeviceBytes there(gpu, memory.size()), numbers(gpu, 4 * n + 4), names(gpu, n * bytes + 8);
  there.write(memory);
  const Size first = step < 0 && n > 0 ? n - 1 : 0;
  const Dims shape(static_cast<int64_t>(n)), strides(step * static_cast<int64_t>(bytes));
  const ArrayRef on_host(memory.data() + first * bytes, t, shape, strides),
      on_device(there.data() + first * bytes, t, shape, strides);

  std::map<KeyPlace, int32_t> places;
  for (const uint64_t b : bits) places[place_of(t, b)] = 0;
  int32_t next = 0;
  for (auto& [place, number] : places) number = next++;
  std::vector<int32_t> expected;
  for (const uint64_t b : bits) expected.push_back(places[place_of(t, b)]);

  const std::string what = ops + " by " + name_of(t) + ", " + std::to_string(n) + " keys, seed " +
                           std::to_string(seed) + ": ";
  for (const ArrayRef& keys : {on_device, on_host}) {
    const bool own = r() % 2 == 0;
    const NumberedKeys found(ops, keys, {.device = cuda()},
                             own ? nullptr : reinterpret_cast<int32_t*>(numbers.data()));
    if (found.size() != places.size()) {
      return what + std::to_string(found.size()) + " distinct keys, not " +
             std::to_string(places.size());
    }
    if (found.has_nan() != (!places.empty() && places.rbegin()->first.nan)) return what + "NaN";
    std::vector<int32_t> labels(n);
    if (n > 0) found.copy_labels(labels.data());
    if (labels != expected) return what + "numbers";
    if (!own && n > 0 && numbers.read<int32_t>(n) != expected) return what + "numbers elsewhere";
    std::vector<std::byte> on(places.size() * bytes);
    found.write_keys(on.data());
    found.write_keys(names.data());
    if (names.read<std::byte>(on.size()) != on) return what + "keys on the device";
    Size k = 0;
    for (const auto& [place, number] : places) {
      uint64_t key = 0;
      std::memcpy(&key, &on[k++ * bytes], bytes);
      if (place_of(t, key) != place) return what + "key " + std::to_string(k - 1);
      if (is_floating(t) && place.real == 0 && !place.nan && key != 0) return what + "a zero";
    }
  }
  const auto all = generators(sum_of);
  const Data data = generate(all[r() % all.size()], sum_of, n + 1, seed);
  const TwoArrays x(gpu, data, 0, r() % 2, shape, row_major(shape, sum_of));
  const Options here{.nan = static_cast<NanPolicy>(r() % 2)};
  Options options = here;
  options.device = cuda();
  if (!is_floating(t)) {
    const Answers right = fold_by(ops, on_host, x.on_host, here);
    for (const auto& [keys, elements] : {std::pair(on_device, x.on_device),
                                         {on_host, x.on_host},
                                         {on_device, x.on_host},
                                         {on_host, x.on_device}}) {
      const Answers got = fold_by(ops, keys, elements, options);
      if (got.keys != right.keys || got.key_type != t) return what + "the groups' keys";
      const std::string flaws = text_of(got, right);
      if (!flaws.empty()) return what + flaws;
    }
    return "";
  }
  // Several arrays by one numbering.
  const NumberedKeys found(ops, on_device, options);
  for (const std::string& op : {ops, std::string("sum,mean,count")}) {
    const std::string flaws = text_of(
        fold_by(op, found.labels(), x.on_device, {.groups = found.size(), .options = options}),
        fold_by(op, expected, x.on_host, {.groups = places.size(), .options = here}));
    if (!flaws.empty()) return what + flaws;
  }
  return "";
}

}  // namespace onefold::test
