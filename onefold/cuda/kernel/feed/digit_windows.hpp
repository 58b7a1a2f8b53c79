// Sums f32, bf16 and f16, or their magnitudes, and their squares, exactly, without instructions of
// f64: as digits below an anchor (quick/digits.hpp), in one launch of any size.
//
//   idea     as in windows.hpp: a chunk is added only if digits hold all bits of its elements
//   digits   two, three, four digits of f32 hold 22, 45, 68 binades below the anchor; one or two of
//            bf16 hold 15 or 38; two of f16 hold every number. A chunk uses as few as hold it. With
//            squares, f32 has at most three
//   flush    after each chunk the sums of digits, of 32 bits, are added to integers of 64 bits: the
//            first two digits to one, the others to another
//   squares  products of digits are added to integers of 64 bits, one for each sum of the digits'
//            numbers: of x = a + b + c, a a, a b, b b + 2 a c, b c and c c
//   anchor   if a sample's range is small, few digits hold most chunks, so the anchor is just above
//            the sample; otherwise the sample lies in the middle of three digits (bf16: two)
//   misfits  as in windows.hpp; f16 has none: NaN and infinities are counted first (tally.hpp)
#pragma once

#include "onefold/cuda/kernel/feed/anchored.hpp"
#include "onefold/cuda/kernel/feed/misfits.hpp"
#include "onefold/cuda/kernel/quick/digit_chunks.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

// The totals that a set of accumulators needs: first those of x, then those of squares.
template <class T, uint32_t set>
struct DigitShape {
  using D = DigitsOf<T>;
  static constexpr Accumulators in{set};
  static constexpr bool magnitudes = in.has(Accumulator::sumabs),
                        of_x = magnitudes || in.has(Accumulator::sum),
                        squares = in.has(Accumulator::sumsq);
  static_assert(!(magnitudes && in.has(Accumulator::sum)));
  // The largest number of digits, the least anchor with which they hold every number, and the
  // number of totals.
  static constexpr int most = D::all + (D::wide && !squares ? 1 : 0),
                       lowest = static_cast<int>(Anchors<T>::lowest >> 23) + 23 * (most - D::all),
                       first_square = !of_x      ? 0
                                      : most > 2 ? 2
                                                 : 1,
                       apart = most > 2 ? 23 * (most - 2) : 23,
                       count = first_square + (squares ? 2 * D::all - 1 : 0);

  // Returns log2 of the unit of total i below an anchor e.
  ONEFOLD_KERNEL static int unit(int i, int e) {
    const int j = i - first_square, first = e - 127 - 22;
    return j >= 0 ? 2 * first - 23 * j + j % 2 : first - 23 * (i == 0 ? 1 : most - 1);
  }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(i, e) - (i >= first_square ? 2 : 1) * unit_of<T>;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return magnitudes ? Accumulator::sumabs : Accumulator::sum;
  }
};

template <class M, class T, uint32_t set, int U, int warps>
struct DigitWindows
    : AnchorFeed<DigitWindows<M, T, set, U, warps>, DigitShape<T, set>, M, T, set, U, warps> {
  using Shape = DigitShape<T, set>;
  using Base = AnchorFeed<DigitWindows, Shape, M, T, set, U, warps>;
  using D = DigitsOf<T>;
  using A = Anchors<T>;
  static constexpr int K = Chunk<T, U>::elements, N = Shape::count;
  static_assert(K <= 256, "sums of digits have 32 bits");
  static constexpr int spill_elements = 1 << 13;  // so that a lane's sums stay within 2^60
  static constexpr Accumulators lifted{
      set &
      (Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq | Accumulator::tally).bits};

  int64_t s[N];
  uint32_t limit;  // the anchor, as an f32's bits; 0: none yet
  int held, lifted_so_far;
  bool some_not_negative_zero, spilled;
  mutable int needed;  // number of digits for the chunk that was last found to fit

  ONEFOLD_KERNEL int stand() const { return anchor(); }
  ONEFOLD_KERNEL void set_anchor(int e) { limit = limit_of(e); }
  static constexpr int apart = Shape::apart;
  static constexpr bool one_sum = !Shape::squares;

  // Returns the anchor with which all warps begin. The one of f16 is always the same.
  ONEFOLD_KERNEL static int anchor_above(uint32_t) requires(D::exact) { return Shape::lowest; }
  struct Anchor {
    int e;
    bool spread;  // the sample needs more binades than digits hold
  };
  ONEFOLD_KERNEL static Anchor anchor_of(M m, const Vector16<uint32_t>& sample) {
    DigitRange<T> range;
    ONEFOLD_UNROLL
    for (int k = 0; k < 4; ++k) range.add(m, sample.v[k]);
    const uint32_t top = m.redux_max(range.top() < A::infinity ? range.top() : 0),
                   least = m.redux_min(range.key()) + 1;
    const int above = static_cast<int>(top / A::one) + 1,
              span = least == 0 ? 0 : above - static_cast<int>(least / A::one);
    constexpr int spare = D::wide ? 3 : 1;
    const int room = span + spare <= binades(D::few) ? spare : (binades(D::all) - span) / 2;
    return {clamped(above + (room < 1 ? 1 : room)), span > binades(Shape::most)};
  }

  ONEFOLD_KERNEL void open(M) { open(); }
  ONEFOLD_KERNEL void open() { open_at(0); }
  ONEFOLD_KERNEL void open_at(int e) {
    set_anchor(e);
    held = lifted_so_far = 0;
    spilled = some_not_negative_zero = false;
    needed = Shape::most;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  template <class Reach>
  ONEFOLD_KERNEL bool fits(M m, const Chunk<T, U>& c, const Reach&) const {
    const Range r = range_of(m, c);
    ONEFOLD_UNROLL
    for (needed = D::few; needed < Shape::most; ++needed) {
      if (m.all((r.top < limit) & (r.key >= least_key(limit, needed)))) return true;
    }
    return m.all((r.top < limit) & (r.key >= least_key(limit, needed)));
  }
  template <class Reach>
  ONEFOLD_KERNEL Fit fit(M m, Words<M, T, set> words, const Chunk<T, U>& c, const Reach& reach,
                         bool may_give_up) {
    if (fits(m, c, reach)) return Fit::yes;
    const Range r = range_of(m, c);
    // The same as fit_to, written out: from a call, compilers make code that computes keys of bf16
    // later.
    const uint32_t all = m.redux_max(r.top);
    if (all < A::infinity) {
      const int e = anchor_for(all);
      const uint32_t lacking = m.ballot(r.key < least_key(limit_of(e), Shape::most));
      if (lacking == 0) {
        this->move_to(m, words, e);
        needed = Shape::most;
        return Fit::moved;
      }
      return may_give_up && m.count_bits(lacking) > few_misfits ? Fit::no : Fit::partly;
    }
    const uint32_t special = m.ballot(r.top >= A::infinity);
    return may_give_up && m.count_bits(special) > few_misfits ? Fit::no : Fit::partly;
  }
  template <class See>
  ONEFOLD_KERNEL bool make_fit(M m, Words<M, T, set> words, Chunk<T, U>& c, bool may_give_up,
                               See see) {
    const AnchorChoice v = choose_anchor<DigitWindows>(
        m, words, c, anchor(), may_give_up ? patience_of_misfits - lifted_so_far : ~0);
    if (v.bad < 0) return false;
    if (v.anchor != anchor()) this->move_to(m, words, v.anchor);
    lifted_so_far += v.bad;
    see();
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if (misfit(c, k, anchor())) c.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
    }
    needed = Shape::most;
    return true;
  }

  // Adds a chunk that fits.
  template <bool rare = false>
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    if (D::wide && !some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
    if (!D::exact && needed == D::few) {
      add_digits<D::few>(c);
    } else if (Shape::most == D::all || needed == D::all) {
      add_digits<D::all>(c);
    } else {
      add_digits<Shape::most>(c);
    }
    held += K;
    if (held + K > spill_elements) this->spill(m, words);
  }

  // Returns the lane's sums, and clears them.
  ONEFOLD_KERNEL void take_totals(int64_t (&total)[N]) {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      total[i] = s[i];
      s[i] = 0;
    }
    held = 0;
  }

  ONEFOLD_KERNEL_COLD static void put_all(M m, Words<M, T, set> words, typename Base::Totals total,
                                          int e) {
    warp_totals<N>(m, total.s, [&](int i, int64_t low, int64_t high) {
      words.deposit(m, Shape::accumulator(i), low, Shape::position(i, e));
      words.deposit(m, Shape::accumulator(i), high, Shape::position(i, e) + 44);
    });
  }

  // For misfits.hpp. Anchors are multiples of 4, so that most warps of a block have the same one.
  static constexpr uint32_t infinity = A::infinity;
  ONEFOLD_KERNEL static uint32_t magnitude(const Chunk<T, U>& c, int k) {
    return c.high(k) & 0x7fffffffu;
  }
  ONEFOLD_KERNEL static int anchor_for(uint32_t top) {
    return clamped((static_cast<int>(top / A::one) + 4) & -4);
  }
  ONEFOLD_KERNEL static bool misfit(const Chunk<T, U>& c, int k, int e) {
    const uint32_t h = magnitude(c, k);
    return h >= infinity || h >= limit_of(e) || h - 1 < least_key(limit_of(e), Shape::most);
  }

 private:
  struct Range {
    uint32_t top, key;  // as DigitRange has them
  };
  ONEFOLD_KERNEL static Range range_of(M m, const Chunk<T, U>& c) {
    DigitRange<T> range;
    ONEFOLD_UNROLL
    for (int k = 0; k < Chunk<T, U>::words; ++k) range.add(m, c.w[k]);
    return {range.top(), range.key()};
  }
  // Returns how many binades below an anchor a number of digits holds.
  ONEFOLD_KERNEL static constexpr int binades(int digits) {
    return 23 * digits - 1 - D::mantissa_bits;
  }
  // Returns the least key of an element that `digits` digits hold.
  ONEFOLD_KERNEL static uint32_t least_key(uint32_t limit, int digits) {
    const bool all_numbers = digits == Shape::most && limit <= limit_of(Shape::lowest);
    return all_numbers ? 0 : limit - static_cast<uint32_t>(binades(digits)) * A::one - 1;
  }
  ONEFOLD_KERNEL static int clamped(int e) {
    return e < Shape::lowest ? Shape::lowest : e > 255 ? 255 : e;
  }
  ONEFOLD_KERNEL static uint32_t limit_of(int e) { return static_cast<uint32_t>(e) * A::one; }
  ONEFOLD_KERNEL int anchor() const { return static_cast<int>(limit / A::one); }

  template <int digits>
  ONEFOLD_KERNEL void add_digits(const Chunk<T, U>& c) {
    uint32_t magic[digits], sum[digits];
    ONEFOLD_UNROLL
    for (int i = 0; i < digits; ++i) {
      magic[i] = A::magic(limit, i);
      sum[i] = 0 - K * magic[i];
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t w = c.high(k);
      float rest = bit_cast<float>(Shape::magnitudes ? w & 0x7fffffffu : w);
      int32_t digit[digits];
      ONEFOLD_UNROLL
      for (int i = 0; i < digits; ++i) {
        const float a = bit_cast<float>(magic[i]);
        const float t = i == 0 ? fused(rest, 0x1p-32f, a) : rest + a;
        sum[i] += bit_cast<uint32_t>(t);
        digit[i] = static_cast<int32_t>(bit_cast<uint32_t>(t) - magic[i]);
        if (i + 1 < digits) rest = i == 0 ? fused(t - a, -0x1p32f, rest) : rest - (t - a);
      }
      if constexpr (Shape::squares) add_products(digit);
    }
    if constexpr (Shape::of_x) {
      s[0] += static_cast<int64_t>(static_cast<int32_t>(sum[0])) * (1 << 23);
      if constexpr (digits > 1) s[0] += static_cast<int32_t>(sum[1]);
      if constexpr (digits > 2) {
        s[1] += static_cast<int64_t>(static_cast<int32_t>(sum[2])) * (1 << 23 * (Shape::most - 3));
      }
      if constexpr (digits > 3) s[1] += static_cast<int32_t>(sum[3]);
    }
  }
  // Adds each product of two different digits once, although a square has it twice: the unit of its
  // total is doubled instead (DigitShape), except where it shares a total with squares of digits.
  template <int digits>
  ONEFOLD_KERNEL void add_products(const int32_t (&digit)[digits]) {
    ONEFOLD_UNROLL
    for (int i = 0; i < digits; ++i) {
      ONEFOLD_UNROLL
      for (int j = i; j < digits; ++j) {
        const int twice = i != j && (i + j) % 2 == 0 ? 2 : 1;
        s[Shape::first_square + i + j] += static_cast<int64_t>(digit[i] * twice) * digit[j];
      }
    }
  }
};

}  // namespace onefold::kernel
