// The sum of a thread's elements, as integers of one unit.
//
//   floats   two windows of f64 (three for f64), as in feed/anchored.hpp: units 2^(E - 23),
//            2^(E - 63), 2^(E - 103), for an anchor E. An element is cut into multiples of them;
//            nothing is lost if it is below 2^E and a multiple of the last unit
//   others   integers, which are exact
//   fields   the windows as integers. The sum of all elements before may be below 2^(E + 27)
#pragma once

#include "onefold/core/numeric.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/scan/input.hpp"
#include "onefold/cuda/kernel/scan/narrow.hpp"

namespace onefold::kernel {

// Passes carries on: all fields but the first become digits of `gap` bits.
template <int gap, int fields>
ONEFOLD_KERNEL void carry_fields(int64_t (&f)[fields]) {
  ONEFOLD_UNROLL
  for (int k = fields - 1; k > 0; --k) {
    f[k - 1] += f[k] >> gap;
    f[k] &= (int64_t{1} << gap) - 1;
  }
}

// Passes v * 2^position to add(k, part), as parts of limbs; the last limb takes all that is left.
template <int limbs, class Add>
ONEFOLD_KERNEL void add_at(int position, int64_t v, Add add) {
  const int k = position >> 5, r = position & 31;
  const uint64_t low = static_cast<uint64_t>(v) << r;
  const auto middle = static_cast<int64_t>(low >> 32), high = v >> 1 >> (63 - r);
  add(k, static_cast<int64_t>(low & 0xffffffff));
  if (k + 2 < limbs) {
    add(k + 1, middle);
    add(k + 2, high);
  } else {
    add(k + 1, middle + high * (int64_t{1} << 32));
  }
}

// Returns the sum of a warp's numbers up to each lane's own.
template <class M>
ONEFOLD_KERNEL int64_t sum_up_to(M m, int64_t v) {
  const unsigned lane = static_cast<unsigned>(m.lane());
  ONEFOLD_UNROLL
  for (unsigned d = 1; d < 32; d *= 2) {
    const int64_t other = m.shuffle_up(v, d);
    v += lane >= d ? other : 0;
  }
  return v;
}

template <class T>
struct FloatScan {
  static constexpr int fields = sizeof(T) == 8 ? 3 : 2, gap = 40, top = 23;
  static constexpr int below_top = gap * (fields - 1);
  using Answer = T;
  using Wide = Either<sizeof(T) == 8, double, float>;  // holds an element
  static constexpr int exponent_at = sizeof(T) == 8 ? 21 : 24, bias = sizeof(T) == 8 ? 1023 : 127;
  static constexpr uint32_t specials = sizeof(T) == 8 ? 2047 : 255;
  static constexpr int64_t most = int64_t{1} << 50;  // of the top field, in front of a tile
  static constexpr int mantissa_bits = float_format(dtype_of<T>).mantissa_bits;

  // The magnitudes of elements, by their upper bits: exponent, then mantissa.
  struct Range {
    uint32_t greatest = 0, smallest = ~0u;  // of zero: ~0
    ONEFOLD_KERNEL void see(T x) {
      const uint32_t w = upper(wide(x));
      greatest = w > greatest ? w : greatest;
      smallest = w - 1 < smallest ? w - 1 : smallest;
    }
    ONEFOLD_KERNEL bool special() const { return greatest >= specials << exponent_at; }
    // All are below 2^exponent.
    ONEFOLD_KERNEL int exponent() const {
      return static_cast<int>(greatest >> exponent_at) - bias + 1;
    }
  };
  struct Anchor {
    int e;
    // E is at least so large that the last unit is that of T, and at most so large that the windows
    // are finite.
    static constexpr int lowest = unit_of<T> + top + below_top, highest = 1023 - 30;
    ONEFOLD_KERNEL explicit Anchor(int least) {
      e = least < lowest ? lowest : least > highest ? highest : least;
    }
    ONEFOLD_KERNEL int unit() const { return e - top - below_top; }
    ONEFOLD_KERNEL bool fits(const Range& r) const {
      const int least = unit() + mantissa_bits + bias;
      const uint32_t low =
          e == lowest || least <= 0 ? 0 : (static_cast<uint32_t>(least) << exponent_at) - 1;
      return !r.special() && r.exponent() <= e && r.smallest >= low;
    }
    // Whether windows hold a sum below 2^(top + 27).
    ONEFOLD_KERNEL bool holds(int top) const { return top <= e; }
    ONEFOLD_KERNEL double origin(int k) const { return magic(e - top - gap * k + 1075); }
  };

  double a[fields];

  ONEFOLD_KERNEL static Wide wide(T x) {
    if constexpr (sizeof(T) == 2) {
      return f32_of(x);
    } else {
      return x;
    }
  }
  ONEFOLD_KERNEL static uint32_t upper(Wide x) {
    if constexpr (sizeof(T) == 8) {
      const auto b = bit_cast<uint64_t>(x);
      return static_cast<uint32_t>(b >> 32) << 1 | (static_cast<uint32_t>(b) != 0 ? 1u : 0u);
    } else {
      return bit_cast<uint32_t>(x) << 1;
    }
  }

  ONEFOLD_KERNEL explicit FloatScan(const Anchor& b) {
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) a[k] = b.origin(k);
  }
  ONEFOLD_KERNEL void add(T x) {
    double d = wide(x);
    ONEFOLD_UNROLL
    for (int k = 0; k < fields - 1; ++k) d = take(a[k], d);
    a[fields - 1] += d;
  }
  ONEFOLD_KERNEL void fields_to(const Anchor& b, int64_t (&f)[fields]) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) f[k] = bits_of_double(a[k]) - bits_of_double(b.origin(k));
  }
  ONEFOLD_KERNEL void begin_at(const Anchor& b, const int64_t (&f)[fields]) {
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) a[k] = bit_cast<double>(bits_of_double(b.origin(k)) + f[k]);
  }
  // Returns the least magnitude of a sum that can be rounded although it is greater than the
  // windows say, by less than a unit (`more`).
  ONEFOLD_KERNEL static double least_of(const Anchor& b, bool more) {
    return more ? magic(b.unit() + mantissa_bits + 3 + 1023) : 0;
  }
  // Finds the sum rounded once. Returns false if that takes exact words.
  ONEFOLD_KERNEL bool answer(const Anchor& b, bool more, double least, Answer& r) const {
    const double h = a[0] - b.origin(0), m = a[1] - b.origin(1);
    if constexpr (fields == 3) {
      r = rounded_sum(h, m, a[2] - b.origin(2), more);
      return absolute(r) >= least;
    } else if constexpr (sizeof(T) == 4) {
      round_sum(h, m, more, r);
      return absolute(r) >= static_cast<float>(least);
    } else {
      const bool known = round_sum(h, m, more, r);
      return known && (!more || absolute(h + m) >= least);
    }
  }
};

template <class T>
struct IntegerScan {
  static constexpr int fields = 2, gap = 32, below_top = gap;
  static constexpr bool is_signed = kind_of(dtype_of<T>) != Kind::unsigned_integer;
  using Answer = Either<is_signed, int64_t, uint64_t>;
  using Sum = Either<sizeof(T) == 8, Int128, int64_t>;
  struct Range {
    uint32_t greatest = 0, smallest = 0;
    ONEFOLD_KERNEL void see(T) {}
    ONEFOLD_KERNEL bool special() const { return false; }
    ONEFOLD_KERNEL int exponent() const { return 0; }
  };
  struct Anchor {
    ONEFOLD_KERNEL explicit Anchor(int) {}
    ONEFOLD_KERNEL int unit() const { return 0; }
    ONEFOLD_KERNEL bool fits(const Range&) const { return true; }
    ONEFOLD_KERNEL bool holds(int) const { return true; }
  };
  static constexpr int64_t most = int64_t{1} << 61;
  Sum sum = 0;

  ONEFOLD_KERNEL explicit IntegerScan(const Anchor&) {}
  ONEFOLD_KERNEL void add(T x) {
    if constexpr (dtype_of<T> == DType::boolean) {
      sum += x.byte != 0 ? 1 : 0;
    } else {
      sum += x;
    }
  }
  ONEFOLD_KERNEL void fields_to(const Anchor&, int64_t (&f)[2]) const {
    f[0] = static_cast<int64_t>(sum >> gap);
    f[1] = static_cast<int64_t>(sum) & 0xffffffff;
  }
  ONEFOLD_KERNEL void begin_at(const Anchor&, const int64_t (&f)[2]) {
    sum = static_cast<Sum>(f[0]) * (int64_t{1} << gap) + f[1];
  }
  // Returns whether the type of answers holds the sum.
  ONEFOLD_KERNEL static int least_of(const Anchor&, bool) { return 0; }
  ONEFOLD_KERNEL bool answer(const Anchor&, bool, int, Answer& r) const {
    r = static_cast<Answer>(sum);
    const bool fits = static_cast<Int128>(r) == static_cast<Int128>(sum);
    if (!fits) r = 0;
    return fits;
  }
};

template <class T>
using ScanOf = typename EitherOf<Floating<T>, FloatScan<T>, IntegerScan<T>>::type;

}  // namespace onefold::kernel
