// Exact sums of what one CUDA thread adds, in registers: for onefold_block.cuh.
#pragma once

#include "onefold_cell.cuh"
#include "onefold_windows.cuh"

#if defined(__clang__) && defined(__FAST_MATH__)
#error "clang's -ffast-math would delete the exact rest of an addition"
#endif

namespace onefold {

// The sum of the elements that one thread adds.
template <class T>
class ThreadSum {
  using W = Windows<T>;
  using Number = typename W::Number;
  using Bits = bits_of<T>;
  using Summed = accumulator::sum<T>;
  static constexpr int digits = significand_bits<T>;
  static constexpr bool wide = sizeof(T) == 8, narrow = sizeof(T) == 2;
  static constexpr bool by_bits = sizeof(Number) == 4, fixed_point = sizeof(Number) == 16;
  static constexpr int bias = wide ? 1023 : 127, exponent_at = wide ? 21 : 24;

 public:
  using Limbs = detail::LocalWords<T>;  // what registers do not hold: a variable beside the sum

  __device__ explicit ThreadSum(Limbs& rest) : rest_(&rest) {
    rest_->clear();
    set_anchor(W::first);
  }

  // Adds N elements; 8 or 16 at once take the fewest instructions.
  template <int N>
  __device__ __forceinline__ void add(const T (&x)[N]) {
    static_assert(N >= 1 && N <= 32, "1 to 32 elements at once");
    T e[N];
#pragma unroll
    for (int i = 0; i < N; ++i) e[i] = x[i];
    const Range r = range_of(e);
    if (!fits(r) && !add_rare(e, r)) return;
    add_to_windows(e);
  }
  __device__ __forceinline__ void add(T x) {
    const T one[1] = {x};
    add(one);
  }

  // For BlockSum: after flush() the windows are empty, and whole(w) counts units of 2^unit(w).
  __device__ __forceinline__ void flush() {
#pragma unroll
    for (int w = 0; w < W::count; ++w) whole_[w] += emptied(w);
    if constexpr (fixed_point) window_[0] = 0;
    rest_->count(added_, added_ == 0);
    added_ = 0;
  }
  __device__ int anchor() const { return anchor_; }
  __device__ __forceinline__ int64_t whole(int w) const {  // without an index, for registers
    int64_t v = whole_[0];
#pragma unroll
    for (int k = 1; k < W::count; ++k) v = k == w ? whole_[k] : v;
    return v;
  }
  __device__ const Limbs& rest() const { return *rest_; }
  // The weight of window w's unit above the lowest bit of a limb.
  __device__ static constexpr int position(int anchor, int w) {
    return anchor - W::top - W::step * w - Summed::unit;
  }

 private:
  // The greatest |x|, and the least but 0, less 1: exponent and upper digits, shifted left by one.
  struct Range {
    uint32_t high, low;
  };
  __device__ __forceinline__ static uint32_t upper_bits(T x) {
    if constexpr (wide) {
      return static_cast<uint32_t>((bit_cast<uint64_t>(x) << 1) >> 32);
    } else if constexpr (narrow) {
      return static_cast<uint32_t>(x.bits) << 17;
    } else {
      return bit_cast<uint32_t>(x) << 1;
    }
  }
  __device__ static uint32_t upper_bits_of_power(int e) {
    const int field = e + bias, infinite = 2 * bias + 1;
    return static_cast<uint32_t>(field < 0          ? 0
                                 : field > infinite ? infinite
                                                    : field)
           << exponent_at;
  }
  template <int N>
  __device__ __forceinline__ static Range range_of(const T (&x)[N]) {
    Range r{0, ~0u};
#pragma unroll
    for (int i = 0; i < N; ++i) {
      uint32_t b = upper_bits(x[i]);
      r.high = r.high > b ? r.high : b;
      // A small subnormal is not 0, though its upper bits are.
      if constexpr (wide) b |= b == 0 && static_cast<uint32_t>(bit_cast<uint64_t>(x[i])) != 0;
      --b;
      r.low = r.low < b ? r.low : b;
    }
    return r;
  }
  // Whether windows hold all of a batch, of which some element is not 0.
  __device__ __forceinline__ bool fits(Range r) const {
    return r.high - 1 < high_ && r.low >= low_;
  }

  __device__ __forceinline__ static Number empty_window(int anchor, int w) {
    const int unit = anchor - W::top - W::step * w;
    if constexpr (by_bits) {
      return bit_cast<float>(static_cast<uint32_t>(127 + 23 + unit) << 23 | 1u << 22);
    } else {
      return bit_cast<double>(static_cast<uint64_t>(1023 + 52 + unit) << 52 | uint64_t{1} << 51);
    }
  }
  __device__ __forceinline__ void set_anchor(int anchor) {
    anchor_ = anchor;
    high_ = upper_bits_of_power(anchor) - 1;
    low_ =
        upper_bits_of_power(position(anchor, W::count - 1) + Summed::unit + digits - 1 + W::spare) -
        1;
    added_ = 0;
#pragma unroll
    for (int w = 0; w < W::count; ++w) {
      if constexpr (by_bits) {
        bits_[w] = 0;
      } else if constexpr (fixed_point) {
        window_[0] = 0;
      } else {
        window_[w] = empty_window(anchor, w);
      }
      whole_[w] = 0;
    }
  }
  // Empties a window and returns how many units it had.
  __device__ __forceinline__ int64_t emptied(int w) {
    if constexpr (fixed_point) {
      const Number all = window_[0] >> (96 - 32 * w);
      return w == 0 ? static_cast<int32_t>(all) : static_cast<int64_t>(static_cast<uint32_t>(all));
    } else if constexpr (by_bits) {
      const Number empty = empty_window(anchor_, w);
      const uint32_t units = bits_[w] - static_cast<uint32_t>(added_) * bit_cast<uint32_t>(empty);
      bits_[w] = 0;
      return static_cast<int32_t>(units);
    } else {
      const Number empty = empty_window(anchor_, w);
      const int64_t units = bit_cast<int64_t>(window_[w]) - bit_cast<int64_t>(empty);
      window_[w] = empty;
      return units;
    }
  }
  template <int N>
  __device__ __forceinline__ void add_to_windows(const T (&x)[N]) {
    if (added_ > W::most - N) {
      flush();
      whole_to_limbs(int64_t{1} << 61);
    }
    added_ += N;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if constexpr (fixed_point) {
        const auto bits = bit_cast<uint64_t>(x[i]), field = bits >> 52 & 0x7ff;
        const uint64_t hidden = field != 0 ? uint64_t{1} << 52 : uint64_t{0};  // 0 is no subnormal
        const uint64_t sign = 0 - (bits >> 63);
        const uint64_t v = (((bits & ((uint64_t{1} << 52) - 1)) | hidden) ^ sign) - sign;
        const int shift = static_cast<int>(field) - 1 - position(anchor_, W::count - 1);
        const auto high = static_cast<int64_t>(v) >> (-shift & 63);
        window_[0] += static_cast<Uint128>(high) << 64 | static_cast<Uint128>(v << (shift & 63));
      } else if constexpr (by_bits) {
        float rest = number(x[i]);
#pragma unroll
        for (int w = 0; w < W::count - 1; ++w) {
          const float a = empty_window(anchor_, w), t = rest + a;
          bits_[w] += bit_cast<uint32_t>(t);
          rest -= t - a;
        }
        bits_[W::count - 1] += bit_cast<uint32_t>(rest + empty_window(anchor_, W::count - 1));
      } else {
        double rest = x[i];
#pragma unroll
        for (int w = 0; w < W::count - 1; ++w) {
          const double t = window_[w] + rest;
          rest -= t - window_[w];
          window_[w] = t;
        }
        window_[W::count - 1] += rest;
      }
    }
  }

  __device__ __forceinline__ static float number(T x) {
    if constexpr (narrow) {
      return bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
    } else {
      return x;
    }
  }

  // Moves each whole_[w] with |whole_[w]| > most to the limbs.
  __device__ __forceinline__ void whole_to_limbs(int64_t most) {
    bool any = false;
#pragma unroll
    for (int w = 0; w < W::count; ++w) any = any || whole_[w] > most || whole_[w] < -most;
    if (!any) return;
#pragma unroll 1
    for (int w = 0; w < W::count; ++w) {
      rest_->add(whole(w), position(anchor_, w));
    }
#pragma unroll
    for (int w = 0; w < W::count; ++w) whole_[w] = 0;
  }
  // Moves the anchor if most elements do not fit, adds to the limbs those that still do not, and
  // sets them to 0 in x. Returns whether windows must add the others.
  template <int N>
  __device__ __forceinline__ bool add_rare(T (&x)[N], Range r) {
    constexpr uint32_t infinite = static_cast<uint32_t>(2 * bias + 1) << exponent_at;
    if (r.high == 0 && r.low == ~0u) {  // all are zeros
      bool positive = false;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        positive = positive || bit_cast<Bits>(x[i]) != detail::sign_bit<T>;
      }
      rest_->count(N, !positive);
      return false;
    }
    const bool special = r.high >= infinite;
    unsigned apart = ~0u >> (32 - N);
#pragma unroll 1
    for (bool moved = false; !special; moved = true) {
      apart = misfits(x);
      if (moved || 2 * __popc(apart) <= N) break;
      move_anchor(static_cast<int>(r.high >> exponent_at) - bias + 1 + 4);  // |x| < 2^(anchor - 4)
    }
#pragma unroll 1
    for (; apart != 0; apart &= apart - 1) {
      const int i = __ffs(static_cast<int>(apart)) - 1;
      T one = x[0];
#pragma unroll
      for (int k = 1; k < N; ++k) one = k == i ? x[k] : one;
#pragma unroll
      for (int k = 0; k < N; ++k) x[k] = k == i ? T{} : x[k];
      if (special) rest_->count(one);
      if (upper_bits(one) < infinite) rest_->add(one);
    }
    return !special;
  }
  // Returns a bit for each element that the windows do not hold.
  template <int N>
  __device__ __forceinline__ unsigned misfits(const T (&x)[N]) const {
    unsigned found = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const T one[1] = {x[i]};
      const Range r = range_of(one);
      if (r.low != ~0u && !fits(r)) found |= 1u << i;
    }
    return found;
  }
  // Moves to the grid's next anchor at or above `least`.
  __device__ __forceinline__ void move_anchor(int least) {
    const int steps = (least - W::first + 64 * W::grid + W::grid - 1) / W::grid - 64;
    int to = W::first + steps * W::grid;
    to = to < W::least ? W::least : to > W::greatest ? W::greatest : to;
    if (to == anchor_) return;
    flush();
    whole_to_limbs(0);
    set_anchor(to);
  }
  Number window_[by_bits || fixed_point ? 1 : W::count];
  uint32_t bits_[by_bits ? W::count : 1];
  int64_t whole_[W::count];  // what windows had before
  int anchor_, added_;       // added_: elements in the windows
  uint32_t high_, low_;      // fits() compares with them
  Limbs* rest_;
};

}  // namespace onefold
