// Finds the units and norms of a product's vectors, and with them the moduli that it needs.
//
//   grid   blocks of of_survey_block() vectors for each factor; the last to end chooses the mode
//   reads  8 or 32 lanes a vector, or a lane a vector if vectors lie side by side
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/matrix/input.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// Returns log2 of x, or up to 0.087 more.
ONEFOLD_KERNEL float log2_above(double x) {
  const auto bits = bit_cast<uint64_t>(x);
  const double fraction =
      bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52) - 1;
  return static_cast<float>(static_cast<int>(bits >> 52) - 1023) + static_cast<float>(fraction) +
         0.087f;
}

// What is known of a part of a vector.
template <class T>
struct VectorFacts {
  static constexpr int none = 1 << 20;
  int low = none;      // of the lowest bit that is set, above unit_of<T>
  int top = -1;        // of 8 bytes: above the highest bit; of f64: the greatest biased exponent
  double squares = 0;  // in units of 2^(2 unit_of<T>); of f64 of 2^(2 top - 2,046)
  uint32_t bad = 0;    // 1: some element is infinite; 2: one is NaN; or both

  ONEFOLD_KERNEL void see(T x) {
    if constexpr (Floating<T> && sizeof(T) <= 4) return see_short(x);
    if constexpr (Floating<T> && sizeof(T) == 8) return see_long(x);
    const Numeric e = numeric(x);
    if (!e.finite) bad |= is_nan(x) ? 2u : 1u;
    if (e.mantissa == 0) return;
    // The unit of integers is 1, so that no answer must be shifted.
    const int lowest = Floating<T> ? e.shift + bit_length(e.mantissa & (0 - e.mantissa)) - 1 : 0;
    low = lowest < low ? lowest : low;
    if constexpr (sizeof(T) == 8) {
      const int above = e.shift + bit_length(e.mantissa);
      top = above > top ? above : top;
    } else {
      const double v = static_cast<double>(e.mantissa) *
                       bit_cast<double>(static_cast<uint64_t>(1023 + e.shift) << 52);
      squares += v * v;
    }
  }
  // The same of floats of at most 32 bits, in fewer instructions.
  ONEFOLD_KERNEL void see_short(T x) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr uint32_t one = 1u << f.mantissa_bits, top_exponent = (1u << f.exponent_bits) - 1;
    const uint32_t bits = bit_cast<bits_of<T>>(x), fraction = bits & (one - 1),
                   exponent = bits >> f.mantissa_bits & top_exponent,
                   mantissa = exponent != 0 ? fraction | one : fraction;
    if (exponent == top_exponent) bad |= fraction != 0 ? 2u : 1u;
    const int lowest = static_cast<int>(exponent != 0 ? exponent - 1 : 0) +
                       bit_length(uint64_t{mantissa & (0 - mantissa)}) - 1;
    low = mantissa != 0 && lowest < low ? lowest : low;
    const double v = static_cast<double>(f32_of(x)) *
                     bit_cast<double>(static_cast<uint64_t>(1023 - f.unit) << 52);
    squares += v * v;
  }
  // The same of f64, whose squares may overflow.
  ONEFOLD_KERNEL void see_long(T x) {
    constexpr uint64_t one = uint64_t{1} << 52;
    const auto bits = bit_cast<uint64_t>(x), fraction = bits & (one - 1);
    const int exponent = static_cast<int>(bits >> 52 & 2047), e = exponent != 0 ? exponent : 1;
    const uint64_t mantissa = exponent != 0 ? fraction | one : fraction;
    if (exponent == 2047) bad |= fraction != 0 ? 2u : 1u;
    const int lowest = e - 1 + bit_length(mantissa & (0 - mantissa)) - 1;
    low = mantissa != 0 && lowest < low ? lowest : low;
    raise(mantissa != 0 && e > top ? e : top);
    const double v = static_cast<double>(mantissa) * 0x1p-52 * power_or_0(e - top);
    squares += v * v;
  }
  ONEFOLD_KERNEL static double power_or_0(int e) { return e > -1000 ? power_of_two(e) : 0; }
  ONEFOLD_KERNEL void raise(int to) {
    squares *= power_or_0(2 * (top - to));
    top = to;
  }
  ONEFOLD_KERNEL void merge(VectorFacts o) {
    const int greater = o.top > top ? o.top : top;
    if constexpr (Floating<T> && sizeof(T) == 8) {
      raise(greater);
      o.raise(greater);
    }
    top = greater;
    low = o.low < low ? o.low : low;
    squares += o.squares;
    bad |= o.bad;
  }
  ONEFOLD_KERNEL int unit() const { return low == none ? 0 : low; }
  ONEFOLD_KERNEL float bits(Size n) const {
    if (bad != 0) return bit_cast<float>(bad >= 2 ? 0x7fc00000u : 0x7f800000u);
    if (low == none) return 0;
    // Additions of n squares err by less than 2^-20 of the sum, n < 2^30.
    if constexpr (sizeof(T) == 8) {
      const float above =
          Floating<T> ? 0.5f * log2_above(squares) + 51 : 0.5f * log2_above(static_cast<double>(n));
      return static_cast<float>(top - low) + above + 0.001f;
    } else {
      return 0.5f * log2_above(squares) - static_cast<float>(low) + 0.001f;
    }
  }
};

template <class T, class M>
struct MatrixSurvey {
  using Facts = VectorFacts<T>;
  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  Shared<M, int32_t> numbers = shared<int32_t, 3 * int{matrix_threads}, struct numbers_>(m);
  Shared<M, double> squares = shared<double, int{matrix_threads}, struct squares_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  ONEFOLD_KERNEL void put(const MatrixFactor<M, T>& f, Size vector, const Facts& facts) const {
    f.unit[vector] = unit_of<T> + facts.unit();
    f.bits[vector] = facts.bits(in.inner);
  }
  // Sees elements `first`, `first` + by, .. of a vector; several loads are on their way at once.
  ONEFOLD_KERNEL void see(const MatrixFactor<M, T>& f, Size vector, Size first, unsigned by,
                          Facts& facts) const {
    constexpr unsigned at_once = 64 / sizeof(T) < 32 ? 64 / sizeof(T) : 32;
    const auto x = f.x + static_cast<int64_t>(vector) * f.apart;
    ONEFOLD_NO_UNROLL
    for (Size k = first; k < in.inner; k += at_once * by) {
      T some[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const Size at = k + u * by < in.inner ? k + u * by : first;
        some[u] = x[static_cast<int64_t>(at) * f.step];
      }
      // Zeros change nothing.
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) facts.see(k + u * by < in.inner ? some[u] : T{});
    }
  }
  ONEFOLD_KERNEL void along(const MatrixFactor<M, T>& f, Size vector, unsigned lanes) const {
    Facts facts;
    if (m.branch(vector < f.vectors)) see(f, vector, t() % lanes, lanes, facts);
    ONEFOLD_NO_UNROLL
    for (unsigned d = lanes / 2; d != 0; d /= 2) {
      Facts other;
      other.low = m.shuffle_xor(facts.low, d);
      other.bad = m.shuffle_xor(facts.bad, d);
      if constexpr (sizeof(T) == 8) other.top = m.shuffle_xor(facts.top, d);
      if constexpr (Floating<T> || sizeof(T) < 8) {
        other.squares = m.shuffle_xor(facts.squares, d);
      }
      facts.merge(other);
    }
    if (m.branch(t() % lanes == 0 && vector < f.vectors)) put(f, vector, facts);
  }
  ONEFOLD_KERNEL void side_by_side(const MatrixFactor<M, T>& f, Size vector) const {
    Facts facts;
    if (m.branch(vector < f.vectors)) see(f, vector, t() / 32, matrix_threads / 32, facts);
    numbers[3 * t()] = facts.low;
    numbers[3 * t() + 1] = facts.top;
    numbers[3 * t() + 2] = static_cast<int32_t>(facts.bad);
    squares[t()] = facts.squares;
    m.sync();
    if (t() >= 32) return;
    for (unsigned k = t() + 32; k < matrix_threads; k += 32) {
      Facts other;
      other.low = numbers[3 * k];
      other.top = numbers[3 * k + 1];
      const int32_t bad = numbers[3 * k + 2];
      other.bad = static_cast<uint32_t>(bad);
      other.squares = squares[k];
      facts.merge(other);
    }
    if (m.branch(vector < f.vectors)) put(f, vector, facts);
  }

  // Chooses the mode from the numbers of entries that are left undecided. One with an infinity
  // counts many times, since it takes exact words; NaN is decided if it propagates.
  ONEFOLD_KERNEL void decide(const Scratch<M>& scratch, NanPolicy nan) const {
    constexpr unsigned bins = matrix_threads;
    const auto count = shared<uint32_t, 2 * int{bins}, struct counts_of_bits_>(m);
    const auto open = shared<int64_t, 3, struct open_>(m);
    for (unsigned k = t(); k < 2 * bins; k += matrix_threads) count[k] = 0u;
    if (t() < 3) open[t()] = int64_t{0};
    m.sync();
    const Size of_vector[2] = {in.factor[1].vectors, in.factor[0].vectors};
    ONEFOLD_NO_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const MatrixFactor<M, T> f = member.factor(side);
      for (Size v = t(); v < f.vectors; v += matrix_threads) {
        const float bits = f.bits[v];
        if (bits < 1e6f) {
          const auto above = static_cast<unsigned>(bits) + 1;
          m.add(count, side * bins + (above < bins ? above : bins - 1), 1u);
        } else if (bits == bits || nan != NanPolicy::propagate) {
          m.add(open, 2, static_cast<int64_t>(of_vector[side]));
        }
      }
    }
    m.sync();
    constexpr auto near = static_cast<unsigned>(residues::moduli<near_moduli<T>>.limit),
                   wide = static_cast<unsigned>(residues::moduli<wide_moduli<T>>.limit);
    Size beyond_near = 0, beyond_wide = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned k = bins; k-- > 0 && k + t() > near;) {
      const uint32_t n = count[bins + k];
      beyond_near += n;
      beyond_wide += k + t() > wide ? n : 0;
    }
    const uint32_t mine = count[t()];
    m.add(open, 0, static_cast<int64_t>(mine * beyond_near));
    m.add(open, 1, static_cast<int64_t>(mine * beyond_wide));
    m.sync();
    if (t() != 0) return;
    const int64_t of_near = open[0], of_wide = open[1], special = open[2];
    const auto all = static_cast<int64_t>(in.factor[0].vectors * in.factor[1].vectors);
    uint32_t mode = of_near > all / 1000 ? wide_mode : near_mode;
    if ((mode == wide_mode ? of_wide : of_near) + 64 * special > all / 64) mode = other_walk;
    in.mode[member.index] = mode;
    if (mode == other_walk) m.add(scratch.undecided, Size{all_undecided}, 1u);
  }

  ONEFOLD_KERNEL void run(const Scratch<M>& scratch, NanPolicy nan) const {
    Size block = member.block;
    ONEFOLD_NO_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      const MatrixFactor<M, T> f = member.factor(side);
      const unsigned each = f.of_survey_block(in.inner), lanes = f.survey_lanes(in.inner);
      const Size blocks = quotient_of(f.vectors + each - 1, Size{each});
      if (block < blocks) {
        f.along() ? along(f, block * each + t() / lanes, lanes)
                  : side_by_side(f, block * each + t() % 32);
        break;
      }
      block -= blocks;
    }
    if (in.by_doubles) return;
    if constexpr (Floating<T>) {
      const auto blocks = static_cast<uint32_t>(member.blocks);
      if (is_last_part(m, scratch, member.index, blocks)) decide(scratch, nan);
    } else if (member.block == 0 && m.thread() == 0) {
      in.mode[member.index] = uint32_t{near_mode};  // near_moduli decide any integers
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void survey_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                  NanPolicy nan) {
  const MatrixMember<M, T> member(m, in);
  MatrixSurvey<T, M>{m, in, member}.run(scratch, nan);
}

}  // namespace onefold::kernel
