// Recomputes, by exact numbers, the answers with weights that totals leave undecided.
//
//   lanes     each lane of a block adds elements to careful totals (totals.hpp). If these are
//             exact, their f64 are added to digits in shared memory; otherwise the lane adds its
//             elements to the digits, one by one
//   answer    one thread computes it by long integers (weighted.hpp), as the processor does
//   repeated  elements are added to the words of a state as often as they count (block_words.hpp);
//             these words answer any op
#pragma once

#include "onefold/cuda/kernel/end/words.hpp"
#include "onefold/cuda/kernel/number/digit_pool.hpp"
#include "onefold/cuda/kernel/undecided.hpp"
#include "onefold/cuda/kernel/weighted/walk.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct WeightedRecomputation {
  using Walk = WeightedWalk<T, ops, false, false, M>;
  using All = WeightedTotals<T, ops, false, false, true>;
  using Of = weighted::Sums<T, All::moments>;
  using Number = LongIntegerOf<M, Of::most_digits>;
  // Words in shared memory: the digits of the sums, then counts of elements, by kind.
  enum : int {
    digits = All::count * Of::limbs,
    n = digits,
    nan,
    infinite,
    invalid,
    above,
    below,
    nonzero,
    words
  };

  M m;
  const WeightedInput<M, T>& in;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  Shared<M, int64_t> word = shared<int64_t, int{words}, struct digits_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  ONEFOLD_KERNEL void by_block(Size answer, const AnswerPart& part) const {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < static_cast<unsigned>(words); k += m.threads()) word[k] = int64_t{0};
    m.sync();
    const WeightedElements of = elements_of(m, in, answer);
    gather(of, Size{part.part} * m.threads() + t(), Size{part.parts} * m.threads());
    m.sync();
    if (part.parts > 1 && !collect(part)) return;
    if (t() == 0) put_all(static_cast<Size>(of.from.step));
    m.sync();
  }

 private:
  ONEFOLD_KERNEL_COLD void gather(const WeightedElements& of, Size first, Size step) const {
    const Walk walk{m, in};
    All all;
    walk.gather(of, first, step, all, {});
    weighted::SpecialValues seen;
    const auto put = [&](Term term, int k, int64_t digit) {
      if (digit != 0) m.add(word, All::place_of(term) * Of::limbs + k, digit);
    };
    if (all.is_exact()) {
      seen.n = all.is_empty() ? 0 : 1;
      seen.nan = (all.flags & All::has_nan) != 0 ? 1 : 0;
      seen.nonzero = (all.flags & All::is_nonzero) != 0;
      put_totals(all, put);
    } else {
      lift_all(of, first, step, seen, put);
    }
    const auto count = [&](int word_of, Size v) {
      if (v != 0) m.add(word, word_of, static_cast<int64_t>(v));
    };
    count(n, seen.n);
    count(nan, seen.nan);
    count(infinite, seen.infinite ? 1 : 0);
    count(invalid, seen.invalid ? 1 : 0);
    count(above, seen.above ? 1 : 0);
    count(below, seen.below ? 1 : 0);
    count(nonzero, seen.nonzero ? 1 : 0);
  }
  template <class Put>
  ONEFOLD_KERNEL static void put_totals(const All& all, const Put& put) {
    ONEFOLD_NO_UNROLL
    for (int term = 0; term < term_count; ++term) {
      const auto of = static_cast<Term>(term);
      if (!All::has(of)) continue;
      Quick<OneLane> s = all.sum[0].v;
      ONEFOLD_UNROLL
      for (int k = 1; k < All::count; ++k) {
        if (All::place_of(of) == k) s = all.sum[k].v;
      }
      const double each[] = {s.high, s.low, s.rest};
      ONEFOLD_NO_UNROLL
      for (const double v : each) {
        const Decoded d = decode(v);
        if (d.mantissa == 0) continue;
        // Totals are multiples of the lowest digit, so nothing is below it.
        const int at = d.shift + float_format(DType::f64).unit - Of::unit_of(of);
        const int low = at < 0 ? -at : 0;
        const weighted::Product<1> word{{d.mantissa >> low}, at + low, d.negative};
        word.deposit([&](int k, int64_t digit) { put(of, k, digit); });
      }
    }
  }
  template <class Put>
  ONEFOLD_KERNEL void lift_all(const WeightedElements& of, Size first, Size step,
                               weighted::SpecialValues& seen, const Put& put) const {
    const typename Walk::Reader reader{in, of.from};
    ONEFOLD_NO_UNROLL
    for (Size e = first; e < of.n; e += step) {
      const WeightedSpot s = weighted_spot(in, in.kept, in.folded, e);
      if (!is_there(in, of.from, s)) continue;
      Of::template lift<All::terms, All::two>(
          weighted::decoded(reader.weight_at(m, s)), weighted::decoded(reader.x_at(s)),
          All::two ? weighted::decoded(reader.y_at(s)) : Decoded{}, in.omit, seen, put);
    }
  }
  // Adds up the parts of an answer. Returns true in the last block, which then has the sum.
  ONEFOLD_KERNEL_COLD bool collect(const AnswerPart& part) const {
    const auto all = scratch.left + Size{part.slot} * part.parts * int{words},
               mine = all + Size{part.part} * int{words};
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < static_cast<unsigned>(words); k += m.threads()) {
      const int64_t v = word[k];
      mine[k] = v;
    }
    if (!is_last_part(m, scratch, part.slot, part.parts)) return false;
    ONEFOLD_NO_UNROLL
    for (unsigned k = t(); k < static_cast<unsigned>(words); k += m.threads()) {
      int64_t v = 0;
      ONEFOLD_NO_UNROLL
      for (unsigned p = 0; p < part.parts; ++p) {
        const int64_t one = all[p * static_cast<unsigned>(words) + k];
        v += one;
      }
      word[k] = v;
    }
    m.sync();
    return true;
  }
  ONEFOLD_KERNEL_COLD void put_all(Size place) const {
    if constexpr (M::pools_digits) PooledDigits<M, Of::most_digits>::open();
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < All::count; ++k) carry_limbs(word + k * Of::limbs, Of::limbs);
    const auto counted = [&](int k) {
      const int64_t v = word[k];
      return static_cast<Size>(v);
    };
    const weighted::SpecialValues seen{.n = counted(n),
                                       .nan = counted(nan),
                                       .infinite = counted(infinite) != 0,
                                       .invalid = counted(invalid) != 0,
                                       .above = counted(above) != 0,
                                       .below = counted(below) != 0,
                                       .nonzero = counted(nonzero) != 0};
    const auto load = [&](Term term) { return word + All::place_of(term) * Of::limbs; };
    int k = 0;
    each_op<ops>([&]<class Op>() {
      constexpr weighted::Formula f = weighted_formula<Op>(false);
      const Place<M>& to = results.place[k++];
      const Rounded r =
          round(weighted::answer<Of, f.of, Number>(f, seen, results.nan, load), to.dtype);
      put_sized(m, to, to.dtype, place, r.bits, r.status);
    });
  }
};

template <class T, uint32_t set, OpSet ops, class M>
struct RepeatedRecomputation {
  using State = StateOf<T, set>;
  enum : int { words_of_state = State::words };

  M m;
  const WeightedInput<M, T>& in;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  BlockWords<M, T, set, true> words = BlockWords<M, T, set, true>(m);

  ONEFOLD_KERNEL void by_block(Size i, const AnswerPart& part) const {
    const WeightedElements of = elements_of(m, in, i);
    const Size each = (of.n + part.parts - 1) / part.parts, begin = part.part * each;
    words.gather(m, in, of.from, begin, begin + each < of.n ? begin + each : of.n);
    if (part.parts > 1) {
      words.carry(m);
      const auto left = scratch.left + Size{part.slot} * part.parts * State::words;
      ONEFOLD_NO_UNROLL
      for (unsigned k = static_cast<unsigned>(m.thread()); k < static_cast<unsigned>(State::words);
           k += m.threads()) {
        const int64_t v = words.words[k];
        left[part.part * State::words + k] = v;
      }
      if (!is_last_part(m, scratch, part.slot, part.parts)) return;
      words.collect(m, left, part.parts);
    }
    answer<T, set, ops>(m, words.words, results_of(results, static_cast<Size>(of.from.step)));
    m.sync();
  }
};

// Decides an answer of floats of up to 32 bits. If the first kernel had sums of one f64, this one
// has sums of two; otherwise it has sums of one f64 from an origin, which decide constant elements.
// Called by a warp; all lanes return whether the answer is decided.
template <class T, OpSet ops, bool repeated, bool wide, class M>
ONEFOLD_KERNEL_COLD bool decide_by_warp(M m, const WeightedInput<M, T>& in,
                                        const Results<M, ops>& results, Size answer) {
  using Walk = WeightedWalk<T, ops, repeated, wide, M>;
  const WeightedElements of = elements_of(m, in, answer);
  if (of.n > Size{1} << 14) return false;
  const Walk walk{m, in};
  typename Walk::All all;
  const auto lane = static_cast<unsigned>(m.lane());
  const auto origin = walk.origin_of(of);
  walk.gather(of, lane, 32, all, origin);
  ONEFOLD_NO_UNROLL
  for (unsigned d = 16; d > 0; d /= 2) all.add(all.across(m, d));
  bool decided = false;
  if (lane == 0) {
    decided =
        walk.template put_decided<false>(results, of, all, origin, of.n / 32 + Walk::Vectors::size);
  }
  return m.shuffle(decided ? 1u : 0u, 0) != 0;
}
template <class T, bool repeated, bool wide, class M, OpSet ops, class Recomputation>
ONEFOLD_KERNEL void fold_undecided_weighted(M m, const WeightedInput<M, T>& in,
                                            const Scratch<M>& scratch,
                                            const Results<M, ops>& results,
                                            const Recomputation& again) {
  const Size most = in.elements / (4 * m.threads()), blocks = m.blocks();
  each_undecided(
      m, scratch, in.answers, static_cast<unsigned>(most < blocks ? most : blocks),
      [&](Size i) {
        if constexpr (Floating<T> && sizeof(T) < 8 &&
                      (!wide || WeightedTotals<T, ops, repeated>::shifts)) {
          return decide_by_warp<T, ops, repeated, !wide>(m, in, results, i);
        } else {
          return false;
        }
      },
      [&](Size i, const AnswerPart& part) { again.by_block(i, part); });
}

// Folds answers with weights, or recomputes the undecided ones, as `walk` says.
//   set   the accumulators, if elements are repeated
//   wide  as WeightedTotals
template <class T, uint32_t set, OpSet ops, Walk walk, bool repeated, bool wide = false, class M>
ONEFOLD_KERNEL void weighted_answers(M m, const WeightedInput<M, T>& in, const Scratch<M>& scratch,
                                     const Results<M, ops>& results) {
  if constexpr (walk == Walk::weighted) {
    fold_weighted<T, ops, repeated, wide>(m, in, scratch, results);
  } else if constexpr (repeated) {
    const RepeatedRecomputation<T, set, ops, M> again{m, in, scratch, results};
    fold_undecided_weighted<T, repeated, wide>(m, in, scratch, results, again);
  } else {
    const WeightedRecomputation<T, ops, M> again{m, in, scratch, results};
    fold_undecided_weighted<T, repeated, wide>(m, in, scratch, results, again);
  }
}

}  // namespace onefold::kernel
