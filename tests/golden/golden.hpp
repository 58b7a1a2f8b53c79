// The random folds of the golden hash, and how their answers are hashed.
//
//   fold     random data, type, shape, axes and options
//   hash     64-bit FNV-1a of each answer's type, status and bits, or of an error's code
//   data     random bits, made by integers alone, so that they do not depend on float arithmetic
#pragma once

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "onefold/fold.hpp"

namespace onefold::golden {

// splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t below(uint64_t n) { return next() % n; }
};

struct Hash {
  uint64_t value = 0xcbf29ce484222325;
  void add(uint64_t word) {
    for (int k = 0; k < 8; ++k, word >>= 8) value = (value ^ (word & 0xff)) * 0x100000001b3;
  }
};

constexpr DType types[] = {DType::boolean, DType::i8,  DType::i16, DType::i32, DType::i64,
                           DType::u8,      DType::u16, DType::u32, DType::u64, DType::f16,
                           DType::bf16,    DType::f32, DType::f64};

enum class Draw { any_bits, near, wide, cancelling, few };
constexpr int draws = 5;

inline uint64_t float_bits(Random& random, DType t, Draw draw) {
  const FloatFormat f = float_format(t);
  const int bits = static_cast<int>(bytes_of(t)) * 8;
  const uint64_t sign = random.next() >> 63 << (bits - 1),
                 mantissa = random.next() & ((uint64_t{1} << f.mantissa_bits) - 1);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int span = draw == Draw::wide ? bias : 8;
  const auto exponent =
      static_cast<uint64_t>(bias - span / 2) + random.below(static_cast<uint64_t>(span));
  if (draw == Draw::few) {  // zeros, ones, and numbers half a unit away
    const uint64_t one = static_cast<uint64_t>(bias) << f.mantissa_bits;
    const uint64_t half = static_cast<uint64_t>(bias - f.mantissa_bits - 1) << f.mantissa_bits;
    const uint64_t choice[] = {0, one, one + 1, half, half + 1};
    return sign | choice[random.below(5)];
  }
  return sign | exponent << f.mantissa_bits | mantissa;
}

// n elements of a type.
inline std::vector<std::byte> draw(Random& random, DType t, std::size_t n) {
  const auto way = static_cast<Draw>(random.below(draws));
  const std::size_t bytes = bytes_of(t);
  std::vector<std::byte> data(n * bytes);
  uint64_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    uint64_t bits = random.next();
    if (t == DType::boolean) {
      bits &= 1;
    } else if (is_floating(t)) {
      const bool pair = way == Draw::cancelling && i % 2 == 1;
      if (way != Draw::any_bits) bits = float_bits(random, t, way);
      if (pair) bits = last ^ uint64_t { 1 } << (8 * bytes - 1);
    } else if (way != Draw::any_bits) {
      bits = bits % 200 - (kind_of(t) == Kind::signed_integer ? 100 : 0);
    }
    last = bits;
    for (std::size_t k = 0; k < bytes; ++k) {
      data[i * bytes + k] = static_cast<std::byte>(bits >> 8 * k);
    }
  }
  return data;
}

inline bool takes_two(std::string_view op) {
  const double one = 1;
  try {
    static_cast<void>(fold(op, ArrayRef(&one, DType::f64, Dims(1))));
  } catch (const Error&) {
    return true;
  }
  return false;
}

// A fold with its data.
struct Drawn {
  std::string_view op;
  bool two = false;  // the op takes two arrays
  DType type = f64;
  Dims shape = {};
  std::vector<std::byte> x = {}, y = {}, mask = {};
  bool masked = false;
  Options options = {};

  // Folds by the op, or by several at once.
  Answers answers(std::string_view ops, Options with) const {
    if (masked) with.where = ArrayRef(mask.data(), DType::boolean, shape);
    const ArrayRef first(x.data(), type, shape), second(y.data(), type, shape);
    return two ? fold(ops, first, second, with) : fold(ops, first, with);
  }
};

inline Drawn drawn(std::string_view op, bool two, Random& random) {
  Drawn f{.op = op, .two = two, .type = types[random.below(std::size(types))]};
  const uint64_t size = random.below(100);
  const auto length = static_cast<int64_t>(size == 0 ? random.below(5000) : random.below(40));
  const bool matrix = random.below(3) == 0;
  const auto rows = static_cast<int64_t>(matrix ? 1 + random.below(6) : 1);
  const auto n = static_cast<std::size_t>(rows * length);
  f.x = draw(random, f.type, n);
  f.y = draw(random, f.type, n);
  f.mask.resize(n);
  for (std::byte& one : f.mask) one = static_cast<std::byte>(random.below(4) != 0);
  f.shape = matrix ? Dims(rows, length) : Dims(length);
  if (matrix) {
    const uint64_t axes = random.below(3);
    if (axes != 2) f.options.axes = Axes(static_cast<int64_t>(axes));
  }
  f.options.nan = random.below(3) == 0 ? NanPolicy::omit : NanPolicy::propagate;
  f.options.ddof = static_cast<double>(random.below(2));
  f.options.empty_nan = random.below(2) == 0;
  f.masked = random.below(4) == 0;
  return f;
}

// Hashes of an op's first folds, and of all its folds.
struct Hashes {
  uint64_t first = 0, all = 0;
};
constexpr int first_folds = 3000, all_folds = 30000;

//   folds    how many: first_folds or all_folds
//   answer   returns the Answer for a Drawn, or throws its Error
template <class F>
Hashes hashes_of(std::string_view op, int folds, const F& answer) {
  Hash name;  // seeds the folds, so that a new op changes no other op's folds
  for (const char c : op) name.add(static_cast<unsigned char>(c));
  Random random{name.value};
  const bool two = takes_two(op);
  Hash hash;
  Hashes result;
  for (int i = 0; i < folds; ++i) {
    const Drawn f = drawn(op, two, random);
    try {
      const Answer a = answer(f);
      hash.add(static_cast<uint64_t>(a.dtype));
      for (Size k = 0; k < a.size(); ++k) {
        hash.add(static_cast<uint64_t>(a[k].status));
        hash.add(a[k].bits);
      }
    } catch (const Error& e) {
      hash.add(static_cast<uint64_t>(e.code()));
    }
    if (i + 1 == first_folds) result.first = hash.value;
  }
  result.all = hash.value;
  return result;
}

inline std::string hex(uint64_t v) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
  return text;
}

// Reads the hashes of each op from a file: of the first folds, and of all.
inline std::map<std::string, std::vector<std::string>> read(const std::string& path) {
  std::map<std::string, std::vector<std::string>> lines;
  std::ifstream file(path);
  for (std::string op, first, all; file >> op >> first >> all;) lines[op] = {first, all};
  return lines;
}

}  // namespace onefold::golden
