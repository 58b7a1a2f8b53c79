// Folds answers with weights. A block folds 2^answer_bits answers at once, each by several lanes.
//
//   grid    any number of blocks, of weighted_threads threads
//   lanes   take turns at an answer's elements. Each has totals of its own (totals.hpp), which are
//           merged in the answer's first lane, by shuffles and shared memory
//   parts   several blocks may share an answer; the last of them merges their totals
//   loads   a lane has `at_once` loads of each array in flight
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/weighted/decide.hpp"
#include "onefold/kernel/weighted/input.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool repeated, class M>
struct WeightedWalk {
  using All = WeightedTotals<T, ops, repeated>;
  static_assert(int{All::words} <= int{most_weighted_words});
  using Input = WeightedInput<M, T>;
  using Reader = WeightedReader<T, All::two, repeated, M>;

  M m;
  const Input& in;

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned element_bits() const { return weighted_bits - in.answer_bits; }
  // Returns which of the block's answers this lane folds; then its number among the answer's lanes.
  ONEFOLD_KERNEL unsigned answer_of_lane() const {
    return in.beside ? t() & ((1u << in.answer_bits) - 1) : t() >> element_bits();
  }
  ONEFOLD_KERNEL unsigned element_of_lane() const {
    return in.beside ? t() >> in.answer_bits : t() & ((1u << element_bits()) - 1);
  }

  // Adds the elements `first`, first + step, .. of an answer.
  template <class Totals>
  ONEFOLD_KERNEL void gather(const WeightedElements& of, Size first, Size step, Totals& all) const {
    constexpr int at_once = sizeof(T) < 8 ? 4 : 2;
    const Reader reader{in, of.from};
    const Size n = of.n;
    Totals mine;  // in registers: the address of `all` is passed on
    Size e = first;
    ONEFOLD_NO_UNROLL
    for (; e + (at_once - 1) * step < n; e += at_once * step) {
      add_some<at_once>(reader, e, step, mine);
    }
    ONEFOLD_NO_UNROLL
    for (; e < n; e += step) add_some<1>(reader, e, step, mine);
    all = mine;
  }

  // Merges the totals of an answer's lanes; its first lane then has all of them.
  ONEFOLD_KERNEL void meet(All& all) const {
    const unsigned lanes = 1u << element_bits(), apart = in.beside ? 1u << in.answer_bits : 1;
    ONEFOLD_NO_UNROLL
    for (unsigned d = lanes / 2 * apart; d >= apart && d != 0; d /= 2) {
      if (d < 32) {
        all.add(all.across(m, d));
      } else {
        meet_in_memory(all, d);
      }
    }
  }

  ONEFOLD_KERNEL void fold(const Scratch<M>& scratch, const Results<M, ops>& results) const {
    const Size at_once = Size{1} << in.answer_bits, groups = (in.answers + at_once - 1) / at_once;
    const unsigned lane = element_of_lane();
    ONEFOLD_NO_UNROLL
    for (Size item = m.block(); item < groups * in.parts; item += m.blocks()) {
      const Size group = item / in.parts, part = item - group * in.parts;
      const Size answer = group * at_once + answer_of_lane();
      All all;
      WeightedElements of;
      if (answer < in.answers) {
        of = elements_of(m, in, answer);
        if (is_here(of)) {
          gather(of, (part << element_bits()) + lane, Size{in.parts} << element_bits(), all);
        }
      }
      meet(all);
      if (in.parts > 1 && !meet_parts(scratch, group, part, all)) continue;
      if (lane == 0 && answer < in.answers) put_all(scratch, results, answer, of, all);
      m.sync();
    }
  }

 private:
  // Returns whether this kernel folds the answer; the second kernel folds longer ones.
  ONEFOLD_KERNEL bool is_here(const WeightedElements& of) const {
    return !in.cut || of.n <= in.longest;
  }
  // Adds n elements of an answer, all of which exist.
  template <int n, class Totals>
  ONEFOLD_KERNEL void add_some(const Reader& reader, Size e, Size step, Totals& mine) const {
    T xs[n], ys[n];
    decltype(reader.weight_at(m, reader.from)) ws[n];
    bool there[n];
    Size indices[n];
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      const WeightedSpot s = element_of(e + static_cast<Size>(u) * step);
      there[u] = is_there(in, reader.from, s);
      indices[u] = static_cast<Size>(s.step);
      xs[u] = reader.x_at(s);
      ys[u] = reader.y_at(s);
      ws[u] = reader.weight_at(m, s);
    }
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      if (there[u]) {
        mine.add(xs[u], ys[u], reader.weight_of(ws[u]), in.omit, in.index + indices[u]);
      }
    }
  }
  ONEFOLD_KERNEL WeightedSpot element_of(Size i) const {
    if (in.folded != 1) return weighted_spot(in, in.kept, in.folded, i);
    const WeightedAxis& a = in.axis[in.kept];
    const auto steps = static_cast<int64_t>(i);
    return {.x = steps * a.stride[0],
            .y = steps * a.stride[1],
            .w = steps * a.stride[2],
            .mask = steps * a.stride[3],
            .step = steps * a.step};
  }
  // Adds the totals of thread t() ^ d, through 6 KB of shared memory, one sum after another.
  ONEFOLD_KERNEL_COLD void meet_in_memory(All& all, unsigned d) const {
    const auto words = shared<int64_t, 3 * weighted_threads, struct met_>(m);
    const auto mine = words + t(), other = words + (t() ^ d);
    constexpr Size apart = weighted_threads;
    all.each_sum([&](QuickTotal& s) {
      m.sync();
      mine[0] = bit_cast<int64_t>(s.high);
      mine[apart] = bit_cast<int64_t>(s.low);
      mine[2 * apart] = bit_cast<int64_t>(s.size);
      m.sync();
      const int64_t a = other[0], b = other[apart], c = other[2 * apart];
      s.add(QuickTotal{bit_cast<double>(a), bit_cast<double>(b), bit_cast<double>(c)});
    });
    if constexpr (All::counted != 0) {
      typename All::Counts more;
      ONEFOLD_UNROLL
      for (int k = 0; k < All::Counts::words; ++k) {
        m.sync();
        mine[0] = all.counts.word[k];
        m.sync();
        const int64_t v = other[0];
        more.word[k] = v;
      }
      all.counts.add(more);
    }
    m.sync();
    mine[0] = static_cast<int64_t>(all.n);
    mine[apart] = static_cast<int64_t>(all.flags);
    m.sync();
    const int64_t n = other[0], flags = other[apart];
    all.add_seen(static_cast<Size>(n), static_cast<uint32_t>(flags));
    m.sync();
  }
  // Returns true in the last block of a group of answers: their first lanes then have all totals.
  ONEFOLD_KERNEL bool meet_parts(const Scratch<M>& scratch, Size group, Size part, All& all) const {
    const unsigned answer = answer_of_lane(), lane = element_of_lane();
    const Size at_once = Size{1} << in.answer_bits;
    const auto left = scratch.left + group * in.parts * at_once * int{All::words};
    if (lane == 0) all.store(left + (part * at_once + answer) * int{All::words});
    if (!is_last_part(m, scratch, group, in.parts)) return false;
    all = All();
    ONEFOLD_NO_UNROLL
    for (Size p = lane; p < in.parts; p += Size{1} << element_bits()) {
      all.add_stored(left + (p * at_once + answer) * int{All::words});
    }
    meet(all);
    return true;
  }
  // Returns shared memory for the words by which this lane answers ops without sums.
  ONEFOLD_KERNEL Shared<M, int64_t> counted_words() const {
    constexpr int words = All::counted == 0 ? 0 : int{All::Counts::words},
                  each = int{weighted_threads};
    static_assert((words + 3) * 8 * each <= 48 << 10);
    if constexpr (words == 0) {
      return {};
    } else {
      return shared<int64_t, words * each, struct counted_>(m) + t() * words;
    }
  }
  ONEFOLD_KERNEL void put_all(const Scratch<M>& scratch, const Results<M, ops>& results,
                              Size answer, const WeightedElements& of, const All& all) const {
    if (!is_here(of)) return note_undecided(m, scratch, answer);
    // An element is up to three additions to a sum; further ones merge lanes and parts.
    const Size of_lane = of.n / (Size{in.parts} << element_bits()) + 1;
    const double depth = 4 * static_cast<double>(3 * of_lane + in.parts + 40);
    bool decided = true;
    int k = 0;
    const bool bad = (all.flags & All::is_bad) != 0;
    const auto memory = counted_words();
    each_op<ops>([&]<class Op>() {
      const Place<M>& place = results.place[k++];
      AnswerBits d = near_answer<Op>(all, place.dtype, results.nan, results.correction, depth);
      if constexpr (All::counted != 0 && weighted_formula<Op>(repeated).of == Statistic::nothing) {
        const Rounded r =
            all.counts.template answer<Op>(m, memory, place.dtype, results.nan, results.correction);
        d = {r.bits, true, r.status};
      }
      if (bad) d = {0, true, Status::bad_weights};
      if (of.bad) d = {0, true, Status::bad_offsets};
      if (d.decided) put_sized(m, place, static_cast<Size>(of.from.step), d.bits, d.status);
      decided = decided && d.decided;
    });
    if (!decided) note_undecided(m, scratch, answer);
  }
};

template <class T, uint32_t ops, bool repeated, class M>
ONEFOLD_KERNEL void fold_weighted(M m, const WeightedInput<M, T>& in, const Scratch<M>& scratch,
                                  const Results<M, ops>& results) {
  const WeightedWalk<T, ops, repeated, M> walk{m, in};
  walk.fold(scratch, results);
}

}  // namespace onefold::kernel
