// The totals that a lane keeps in registers for one answer. Merging two totals is exact, or within
// their error bounds.
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/quick/digits.hpp"
#include "onefold/cuda/kernel/quick/extreme.hpp"
#include "onefold/cuda/kernel/quick/needed_totals.hpp"
#include "onefold/cuda/kernel/quick/range.hpp"
#include "onefold/cuda/kernel/quick/sums.hpp"
#include "onefold/cuda/kernel/schedule/beside.hpp"

namespace onefold::kernel {

//   selects   elements may be left out; the others are then counted
//   exact     sums are known to have no errors, which then are not tracked
template <class T, OpSet ops, bool selects = false, bool exact = false>
struct LaneTotals {
  static constexpr NeededTotals needed = needed_totals<T>(ops);
  static constexpr bool floating = Floating<T>;
  static constexpr bool pairs = needed.pairs;
  static constexpr bool digits = (ops & by_digits) != 0;
  static_assert(!digits || (digits_hold<T>(ops) && !selects));
  static constexpr Terms floats = digits ? Terms{} : needed.floats();
  static constexpr Terms integers = needed.integers();
  static constexpr int sum_words = words_of_sum<T>();

  If<selects, LaneCount> taken;
  If<digits, DigitSum<T>> digit_sum;
  If<!floats.empty(), TermSums<floats, sum_words, exact ? Terms{} : needed.tracked>> sums;
  If<!integers.empty(), WholeSums<integers, sums_are_wide<T>(needed.whole)>> whole;
  If<needed.apart, GreatestDifference<T>> apart;
  If<needed.least, LaneExtreme<T, false, needed.index>> least;
  If<needed.greatest, LaneExtreme<T, true, needed.index>> greatest;
  If<needed.zeros(), LaneCount> zeros;
  If<needed.nan, LaneCount> nan;
  If<needed.infinite, LaneCount> positive_infinity, negative_infinity;

  // True if a few elements are first added plainly; their range gives the error.
  static constexpr bool plain =
      floating && sizeof(T) < 8 && !pairs && !needed.tracked.empty() && !digits && !exact;
  using Context = Either<digits, DigitUnit<T>, Either<plain, MagnitudeRange<T>, NoRange>>;
  ONEFOLD_KERNEL static Context context_of(Size n) {
    if constexpr (digits) return DigitUnit<T>(n);
    return {};
  }
  // Plain sums of a few elements: of the tracked terms.
  static constexpr Terms batched = plain ? needed.tracked : Terms{};
  using Batch = If<plain, TermSums<batched, 1>>;
  // The neutral element that replaces elements which do not count.
  static constexpr Fill fill = fill_of(needed);
  // Whether there is none: then each element's flag is tested.
  static constexpr bool asks_each = selects && fill == Fill::none;
  // Counts element e of a unit if it is a NaN; if NaN are omitted, clears its flag.
  template <class Unit>
  ONEFOLD_KERNEL void see_nan(Unit& there, T x, int e, bool omits) {
    const bool is = has_nan(there.with(x, e));
    if constexpr (needed.nan) nan.n += is && there.takes(e) ? 1 : 0;
    if (is && omits) there.mask.drop(e);
  }
  // Counts the elements of a load that are not left out. Returns the load with the neutral element
  // in place of the others.
  //   there   a BesideUnit, or a type derived from it
  template <class Unit, class Load>
  ONEFOLD_KERNEL Load select(Unit& there, const Load& load, bool omits) {
    if constexpr (!selects) {
      return load;
    } else {
      there.mask.settle();
      if (needed.nan || omits) {
        constexpr int n = Unit::elements;
        struct Elements {
          T v[n];
        };
        const auto all = bit_cast<Elements>(load);
        ONEFOLD_UNROLL
        for (int e = 0; e < n; ++e) see_nan(there, all.v[e], e, omits);
      }
      taken.n = there.mask.count(taken.n);
      return there.template filled<fill>(load);
    }
  }
  // Adds element number j of the answer.
  //   there     whether it counts; read only if `asks_each`
  //   range     the magnitudes that the lane has added, from which `lose` bounds the error
  //   batch     plain sums of a few elements, which are added to the totals later
  //   ordered   j grows from element to element
  template <bool ordered = false, class R>
  ONEFOLD_KERNEL void add(R& range, Batch& batch, T x, uint32_t j, bool there = true) {
    static_assert(!pairs);
    const auto or_else = [&](Fill other) -> T {
      return !asks_each || there ? x : bit_cast<T>(bits_of_fill<T>(other));
    };
    if constexpr (digits) {
      digit_sum.add(range, OneElement<T>(x));
    } else if constexpr (!floats.empty()) {
      const T one = or_else(Fill::zero);
      if constexpr (floating) range.add(one);
      if constexpr (R::plain) {
        batch.template add<batched>(one, one);
        sums.template add<floats.without(batched)>(one, one);
      } else {
        sums.template add<floats>(one, one);
      }
    }
    if constexpr (!integers.empty()) {
      const Numeric v = numeric(or_else(Fill::zero));
      whole.add(v, v);
    }
    if constexpr (needed.index) {
      if constexpr (needed.least) least.template add<ordered>(x, j, !selects || there);
      if constexpr (needed.greatest) greatest.template add<ordered>(x, j, !selects || there);
    } else {
      if constexpr (needed.least) least.add(or_else(Fill::highest), j, true);
      if constexpr (needed.greatest) greatest.add(or_else(Fill::lowest), j, true);
    }
    if constexpr (needed.zeros()) {
      const Numeric v = numeric(or_else(Fill::counted));
      zeros.n += v.finite && v.mantissa == 0 ? 1 : 0;
    }
    if constexpr (needed.nan && !selects) nan.n += is_a_nan(x) ? 1 : 0;
    if constexpr (needed.infinite) {
      const Decoded d = decode(or_else(Fill::counted));
      positive_infinity.n += d.infinite && !d.negative ? 1 : 0;
      negative_infinity.n += d.infinite && d.negative ? 1 : 0;
    }
  }
  // Adds the sums of a batch; take() does so for a lane's only batch.
  ONEFOLD_KERNEL void add(const Batch& batch) {
    if constexpr (plain) {
      each_term<batched>([&]<Term t>() { sums.at(t).template add<true>(batch.at(t).high); });
    }
  }
  ONEFOLD_KERNEL void take(const Batch& batch) {
    if constexpr (plain) {
      each_term<batched>([&]<Term t>() { sums.at(t).high = batch.at(t).high; });
    }
  }
  // Adds the error bound of n elements that were added in batches of `batch` elements.
  template <class R>
  ONEFOLD_KERNEL void lose(const R& range, double batch, double n) {
    if constexpr (R::plain) {
      double lost = range.lost(batch, batch);
      if (lost != 0) lost = range.lost(batch, n);
      each_term<batched>([&]<Term t>() { sums.at(t).lost += lost; });
    }
  }
  // Whether four bytes, or two halves, are added by one instruction.
  static constexpr bool packed =
      !floating && !pairs && !asks_each && !needed.least && !needed.greatest && floats.empty() &&
      (sizeof(T) == 1 || (sizeof(T) == 2 && !integers.has(Term::xx) && !needed.zeros()));
  // Adds all elements of up to four words. Sums fit 32 bits: 16 squares of bytes are below 2^20.
  template <class Words>
  ONEFOLD_KERNEL void add_packed(const Words& words) {
    constexpr int n = sizeof(Words) / 4;
    static_assert(packed && n <= 4);
    constexpr bool truth = dtype_of<T> == DType::boolean;
    using V = Narrow<kind_of(dtype_of<T>) == Kind::signed_integer>;
    V s = 0, magnitudes = 0, squares = 0;
    uint32_t z = 0;
    ONEFOLD_UNROLL
    for (int k = 0; k < n; ++k) {
      const uint32_t w = words.v[k];
      if constexpr (truth || needed.zeros()) z = dot_bytes(z, zero_bytes(w), 0x01010101u);
      if constexpr (!truth && integers.has(Term::x)) s = dot_elements<T>(s, w, 0x01010101u);
      if constexpr (!truth && integers.has(Term::magnitude))
        magnitudes = dot_elements<T>(magnitudes, w, signs_of<T>(w));
      if constexpr (!truth && integers.has(Term::xx)) squares = dot_elements<T>(squares, w, w);
    }
    z >>= 7;
    if constexpr (truth) s = magnitudes = squares = 4 * n - z;
    if constexpr (!integers.empty()) {
      each_term<integers>([&]<Term t>() {
        whole.at(t) += t == Term::x ? s : t == Term::magnitude ? magnitudes : squares;
      });
    }
    if constexpr (needed.zeros()) zeros.n += z;
  }
  // Adds a pair of elements of two arrays.
  template <bool ordered = false, class R>
  ONEFOLD_KERNEL void add(R&, Batch&, const Pair<T>& of, uint32_t, bool = true) {
    if constexpr (needed.apart) apart.add_pair(of);
    if constexpr (!floats.empty()) sums.template add<floats>(of.x, of.y);
    if constexpr (!integers.empty()) whole.add(numeric(of.x), numeric(of.y));
  }
  ONEFOLD_KERNEL void add(const LaneTotals& t) {
    each_part(t, [](auto& part, const auto& other) { part.add(other); });
  }
  static constexpr int words =
      total_words_of<T>(ops, selects) - (exact ? needed.tracked.count() : 0);
  // Calls f(word, other word) for each word; f may change it.
  template <class F>
  ONEFOLD_KERNEL void zip(const LaneTotals& o, F f) {
    each_part(o, [&](auto& part, const auto& other) { part.zip(other, f); });
  }
  // Calls f(part, other part) for each part.
  template <class F>
  ONEFOLD_KERNEL void each_part(const LaneTotals& o, F f) {
    f(taken, o.taken);
    f(digit_sum, o.digit_sum);
    f(sums, o.sums);
    f(whole, o.whole);
    f(apart, o.apart);
    f(least, o.least);
    f(greatest, o.greatest);
    f(zeros, o.zeros);
    f(nan, o.nan);
    f(positive_infinity, o.positive_infinity);
    f(negative_infinity, o.negative_infinity);
  }
  template <class F>
  ONEFOLD_KERNEL void each(F f) {
    zip(*this, [&](auto& word, const auto&) { f(word); });
  }
  // Returns totals whose sums have no error so far.
  ONEFOLD_KERNEL static LaneTotals of_exact(const LaneTotals<T, ops, selects, true>& t) {
    LaneTotals all;
    all.taken = t.taken, all.whole = t.whole, all.least = t.least, all.greatest = t.greatest;
    all.zeros = t.zeros;
    if constexpr (!floats.empty()) {
      each_term<floats>([&]<Term of>() { all.sums.at(of) = t.sums.at(of); });
    }
    return all;
  }
  // Returns the totals of another lane.
  template <class M>
  ONEFOLD_KERNEL LaneTotals across(M m, unsigned distance) const {
    LaneTotals t = *this;
    t.each([&](auto& word) { word = m.shuffle_xor(word, distance); });
    return t;
  }
  template <class M>
  ONEFOLD_KERNEL LaneTotals from_lane(M m, unsigned lane) const {
    LaneTotals t = *this;
    t.each([&](auto& word) { word = m.shuffle(word, lane); });
    return t;
  }
  // Returns one of two totals, word by word, since registers cannot be indexed.
  ONEFOLD_KERNEL static LaneTotals choose(bool first, const LaneTotals& a, const LaneTotals& b) {
    LaneTotals t = b;
    t.zip(a, [&](auto& word, const auto& other) { word = first ? other : word; });
    return t;
  }

  // Stores totals in memory, or loads them; each word takes 64 bits.
  template <class P>
  ONEFOLD_KERNEL void store(P to, Size stride) const {
    LaneTotals t = *this;
    Size k = 0;
    t.each([&](auto& word) { to[k++ * stride] = word_of(word); });
  }
  template <class P>
  ONEFOLD_KERNEL static LaneTotals load(P from, Size stride) {
    LaneTotals t;
    Size k = 0;
    t.each([&](auto& word) {
      const int64_t v = from[k++ * stride];
      of_word(v, word);
    });
    return t;
  }
};

}  // namespace onefold::kernel
