// Folds answers with weights. A block folds 2^answer_bits answers at once, each by several lanes.
//
//   grid    any number of blocks, of weighted_threads threads
//   lanes   take turns at an answer's elements. Each has totals of its own (totals.hpp), which are
//           merged in the answer's first lane, by shuffles and shared memory
//   parts   several blocks may share an answer; the last of them merges their totals
//   loads   a lane has `at_once` loads of each array in flight: of an element, or of 16 bytes
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/weighted/decide.hpp"
#include "onefold/cuda/kernel/weighted/input.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, bool repeated, bool wide, class M>
struct WeightedWalk {
  using All = WeightedTotals<T, ops, repeated, wide>;
  static_assert(int{All::words} <= int{most_weighted_words});
  using Input = WeightedInput<M, T>;
  using Reader = WeightedReader<T, All::two, repeated, M>;
  using Vectors = Vector16<T>;

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

  // Where 0 is for the totals of an answer: its first element, if that counts and is a number.
  struct Origin {
    double x = 0, y = 0;
  };
  ONEFOLD_KERNEL Origin origin_of(const WeightedElements& of) const {
    if (!All::shifts || of.n == 0 || !is_there(in, of.from, WeightedSpot())) return {};
    const Reader reader{in, of.from};
    const auto tame = [](double v) { return absolute(v) < OneLane::infinity() ? v : 0; };
    return {tame(f64_of(reader.x_at({}))), All::two ? tame(f64_of(reader.y_at({}))) : 0};
  }
  // Adds the elements `first`, first + step, .. of an answer. If elements are contiguous, whole
  // loads of 16 bytes are chosen in this way, then the remaining elements; not for careful totals.
  template <class Totals>
  ONEFOLD_KERNEL void gather(const WeightedElements& of, Size first, Size step, Totals& all,
                             const Origin& origin) const {
    constexpr int at_once = (sizeof(T) < 8 ? 8 : 4) / (All::two ? 2 : 1);
    constexpr int most = All::two || sizeof(T) < 4 ? 2 : 4;  // loads of 16 bytes
    const Reader reader{in, of.from};
    const Size n = of.n;
    Totals mine;  // in registers: the address of `all` is passed on
    Size e = first;
    if constexpr (!repeated && Totals::words_of_sum != 3) {
      if (in.wide) {
        const Size loads = n / Vectors::size;
        ONEFOLD_NO_UNROLL
        for (; e + (most - 1) * step < loads; e += most * step) {
          add_loads<most>(reader, e, step, mine, origin);
        }
        ONEFOLD_NO_UNROLL
        for (; e < loads; e += step) add_loads<1>(reader, e, step, mine, origin);
        e = loads * Vectors::size + first;
      }
    }
    if (in.folded != 1) {
      ONEFOLD_NO_UNROLL
      for (; e < n; e += step) {
        add_some<1>(reader, weighted_spot(in, in.kept, in.folded, e), {}, mine, origin);
      }
    } else {
      const WeightedSpot next = along_axis(step);
      WeightedSpot s = along_axis(e);
      ONEFOLD_NO_UNROLL
      for (; e + (at_once - 1) * step < n; e += at_once * step) {
        add_some<at_once>(reader, s, next, mine, origin);
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) s.move(next);
      }
      ONEFOLD_NO_UNROLL
      for (; e < n; e += step) {
        add_some<1>(reader, s, next, mine, origin);
        s.move(next);
      }
    }
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

  // The lanes of an answer take turns: each rounds the answer of another item of a batch.
  ONEFOLD_KERNEL void fold(const Scratch<M>& scratch, const Results<M, ops>& results) const {
    const Size at_once = Size{1} << in.answer_bits, groups = (in.answers + at_once - 1) / at_once,
               items = groups * in.parts;
    const unsigned lane = element_of_lane();
    ONEFOLD_NO_UNROLL
    for (Size first = Size{m.block()} * in.batch; first < items;
         first += Size{m.blocks()} * in.batch) {
      All kept;
      bool ends = lane < in.batch;
      ONEFOLD_NO_UNROLL
      for (unsigned b = 0; b < in.batch && first + b < items; ++b) {
        const Size group = quotient_of(first + b, in.parts), part = first + b - group * in.parts,
                   answer = group * at_once + answer_of_lane();
        All all;
        if (answer < in.answers) {
          const WeightedElements of = elements_of(m, in, answer);
          if (is_here(of)) {
            gather(of, (part << element_bits()) + lane, Size{in.parts} << element_bits(), all,
                   origin_of(of));
          }
        }
        meet(all);
        if (in.parts > 1) ends = meet_parts(scratch, group, part, all) && lane == 0;
        if (b == lane) kept = all;
      }
      const Size answer = quotient_of(first + lane, in.parts) * at_once + answer_of_lane();
      if (ends && answer < in.answers) put_all(scratch, results, answer, kept);
      if (in.parts > 1) m.sync();
    }
  }
  // Writes the answers that totals decide; returns whether these are all.
  //   longest   the most additions to a sum by one lane
  template <bool counts>
  ONEFOLD_KERNEL bool put_decided(const Results<M, ops>& results, const WeightedElements& of,
                                  const All& all, const Origin& origin, Size longest) const {
    const double depth = static_cast<double>(longest + in.parts + 40);  // lanes and parts merge
    bool decided = true;
    int k = 0;
    const bool bad = (all.flags & All::is_bad) != 0;
    const auto memory = counted_words<counts>();
    each_op<ops>([&]<class Op>() {
      const Place<M>& place = results.place[k++];
      constexpr bool is_count = weighted_formula<Op>(repeated).of == Statistic::nothing;
      if constexpr (counts || !is_count) {
        const DType type = wide ? place.dtype : Op::about.result.of(dtype_of<T>);
        AnswerBits d =
            near_answer<Op>(all, type, results.nan, results.correction, depth, origin.x, origin.y);
        if constexpr (All::counted != 0 && is_count) {
          const Rounded r =
              all.counts.template answer<Op>(m, memory, type, results.nan, results.correction);
          d = {r.bits, true, r.status};
        }
        // Sums of one f64 can decide only answers of the op's own type.
        if (!counts && !wide && place.dtype != type) d = {};
        if (bad) d = {0, true, Status::bad_weights};
        if (of.bad) d = {0, true, Status::bad_offsets};
        if (d.decided) {
          put_sized(m, place, type, static_cast<Size>(of.from.step), d.bits, d.status);
        }
        decided = decided && d.decided;
      }
    });
    return decided;
  }

 private:
  // Returns whether this kernel folds the answer; the second kernel folds longer ones.
  ONEFOLD_KERNEL bool is_here(const WeightedElements& of) const {
    return !in.cut || of.n <= in.longest;
  }
  // Adds n elements of an answer, all of which exist: at `s`, and then each at `next` from the one
  // before.
  template <int n, class Totals>
  ONEFOLD_KERNEL void add_some(const Reader& reader, WeightedSpot s, const WeightedSpot& next,
                               Totals& mine, const Origin& origin) const {
    T xs[n], ys[n];
    decltype(reader.weight_at(m, reader.from)) ws[n];
    bool there[n];
    Size indices[n];
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      there[u] = is_there(in, reader.from, s);
      indices[u] = static_cast<Size>(s.step);
      xs[u] = reader.x_at(s);
      ys[u] = reader.y_at(s);
      ws[u] = reader.weight_at(m, s);
      s.move(next);
    }
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      if (there[u]) {
        mine.add(xs[u], ys[u], reader.weight_of(ws[u]), in.omit, in.index + indices[u], origin.x,
                 origin.y);
      }
    }
  }
  // Adds n loads of 16 bytes of each array: neighbours in memory, none of which is masked.
  template <int n, class Totals>
  ONEFOLD_KERNEL void add_loads(const Reader& reader, Size e, Size step, Totals& mine,
                                const Origin& origin) const {
    Vectors x[n], y[n], w[n];
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      const Size k = e + static_cast<Size>(u) * step;
      x[u] = m.stream(m.by_vector(in.x + reader.from.x), k);
      if constexpr (All::two) y[u] = m.stream(m.by_vector(in.y + reader.from.y), k);
      w[u] = m.stream(m.by_vector(in.w + reader.from.w), k);
    }
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      ONEFOLD_UNROLL
      for (int v = 0; v < int{Vectors::size}; ++v) {
        T other{};
        if constexpr (All::two) other = y[u].v[v];
        mine.add(x[u].v[v], other, w[u].v[v], in.omit, 0, origin.x, origin.y);
      }
    }
  }
  // Returns where element i is, if one axis is folded.
  ONEFOLD_KERNEL WeightedSpot along_axis(Size i) const {
    const WeightedAxis& a = in.axis[in.kept];
    const auto steps = static_cast<int64_t>(i);
    return {.x = steps * a.stride[0],
            .y = steps * a.stride[1],
            .w = steps * a.stride[2],
            .mask = steps * a.stride[3],
            .step = steps * a.step};
  }
  // Adds the totals of thread t() ^ d, through 2 KB of shared memory, one word after another.
  ONEFOLD_KERNEL void meet_in_memory(All& all, unsigned d) const {
    const auto words = shared<int64_t, weighted_threads, struct met_>(m);
    All other = all;
    other.each([&](auto& word) {
      m.sync();
      words[t()] = word_of(word);
      m.sync();
      const int64_t v = words[t() ^ d];
      of_word(v, word);
    });
    all.add(other);
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
      all.add(All::load(left + (p * at_once + answer) * int{All::words}));
    }
    meet(all);
    return true;
  }
  // Returns shared memory for the words by which this lane answers ops without sums.
  template <bool counts>
  ONEFOLD_KERNEL Shared<M, int64_t> counted_words() const {
    constexpr int words = !counts || All::counted == 0 ? 0 : int{All::Counts::words},
                  each = int{weighted_threads};
    static_assert((words + 3) * 8 * each <= 48 << 10);
    if constexpr (words == 0) {
      return {};
    } else {
      return shared<int64_t, words * each, struct counted_>(m) + t() * words;
    }
  }
  ONEFOLD_KERNEL void put_all(const Scratch<M>& scratch, const Results<M, ops>& results,
                              Size answer, const All& all) const {
    const WeightedElements of = elements_of(m, in, answer);
    // A lane may have one load more than others.
    const Size longest = of.n / (Size{in.parts} << element_bits()) + Vectors::size;
    const bool decided = is_here(of) && put_decided<true>(results, of, all, origin_of(of), longest);
    if (!decided) note_undecided(m, scratch, answer);
  }
};

template <class T, OpSet ops, bool repeated, bool wide, class M>
ONEFOLD_KERNEL void fold_weighted(M m, const WeightedInput<M, T>& in, const Scratch<M>& scratch,
                                  const Results<M, ops>& results) {
  const WeightedWalk<T, ops, repeated, wide, M> walk{m, in};
  walk.fold(scratch, results);
}

}  // namespace onefold::kernel
