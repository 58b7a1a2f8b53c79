// Quantiles of elements with weights: the least key that has, with all below it, a share of the
// weight of a slice or segment. Sums are exact.
//
//   units   weights are integers, in units of the lowest bit that one of the slice has; a sum has
//           as many words as the greatest of them and the number of elements ask for
//   digits  a pass adds the weights of keys that begin as the answer does, by their next digit: of
//           8 bits, or of fewer where sums are long (of 4 for any f64)
//   reads   one for the units and one a digit, for each level; as many again for the next key,
//           where a level lies between two
//   grid    short: slices or segments, or 8 of them, then those that follow after as many; a warp
//           answers one of up to 128 elements alone. Long: parts of slices, a launch a read, whose
//           last block of a slice finds the digit
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quantile/weight_rows.hpp"
#include "onefold/cuda/kernel/quantile/weight_sums.hpp"

namespace onefold::kernel {

template <class T, class M>
struct WeightedSelect {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  M m;
  const WeightedQuantiles<M, T>& q;
  WeightSums<M> sums{{m}};

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL uint32_t word(WeightWord w) const { return sums.word(w); }

  // Calls f(key, weight) for the elements [begin, end) that the mask takes and whose weight has any
  // bits.
  template <class F>
  ONEFOLD_KERNEL void each(const WeightedElements& e, Size begin, Size end, F f) const {
    constexpr unsigned at_once = 4;
    ONEFOLD_NO_UNROLL
    for (Size i = begin + t(); i < end; i += at_once * weight_threads) {
      T x[at_once];
      Size bytes[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        x[u] = T{};
        bytes[u] = 0;
        const Size at = i + u * weight_threads;
        if (m.branch(at < end)) {
          const WeightedSpot s = element_at<false>(q.in, at);
          if (m.branch(is_there(q.in, e.from, s))) {
            const T v = q.in.x[e.from.x + s.x];
            x[u] = v;
            bytes[u] = count_at(m, q.in, e.from, s);
          }
        }
      }
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        if (m.branch(bytes[u] != 0)) f(O::of(x[u]), weight_of_bytes(q.in.count_type, bytes[u]));
      }
    }
  }

  // Finds the range of bits of weights, whether one is wrong, and whether a number that has any is
  // NaN. Thread 0 gets the range.
  ONEFOLD_KERNEL WeightSpan survey(const WeightedElements& e, Size begin, Size end) const {
    WeightSpan mine;
    uint32_t nans = 0, flaws = 0;
    each(e, begin, end, [&](K key, const WeightBits& w) {
      if (w.bad) {
        flaws = 1;
      } else if (key == O::nan) {
        nans |= w.mantissa != 0 ? 1u : 0u;
      } else {
        mine.take(w);
      }
    });
    return sums.meet(mine, nans, flaws);
  }

  // Adds up the weights of keys that begin as the answer does, by their next digit.
  ONEFOLD_KERNEL void count(const WeightedElements& e, Size begin, Size end) const {
    const unsigned known = word(known_bits), d = sums.digit(O::bits), shift = O::bits - known - d;
    const auto prefix = static_cast<K>(sums.long_word(prefix_low));
    const uint32_t bins = 1u << d;
    each(e, begin, end, [&](K key, const WeightBits& w) {
      if (m.branch(key != O::nan && (known == 0 || key >> (O::bits - known) == prefix))) {
        sums.add(w, static_cast<uint32_t>(key >> shift) & (bins - 1), bins);
      }
    });
  }

  ONEFOLD_KERNEL void put_all(int64_t at, Status status) const {
    ONEFOLD_NO_UNROLL
    for (unsigned l = t(); l < q.levels; l += weight_threads)
      q.put(l, at, quantile_nan<T>(), status);
  }
  // Writes NaN as all answers of a slice, if its elements or weights are such.
  ONEFOLD_KERNEL bool put_if_spoilt(int64_t at) const {
    const bool flawed = word(flawed_word) != 0, nans = word(nans_word_of_weights) != 0,
               counts = nans && q.nan != NanPolicy::omit;
    if (!flawed && !counts && word(word_count) != 0) return false;
    put_all(at, flawed                                ? Status::bad_weights
                : counts && q.nan == NanPolicy::raise ? Status::nan_found
                                                      : Status::ok);
    return true;
  }
  // Writes the value between the keys of both sides; called by thread 0.
  ONEFOLD_KERNEL void put_value(unsigned l, int64_t at, K low, K high) const {
    if (word(flawed_word) != 0) return q.put(l, at, quantile_nan<T>(), Status::bad_weights);
    q.put_between(l, at, low, high, word(next_word) != 0, sums.total());
  }

  // Finds a digit, by the sums of all blocks. The first one of a key finds the level's share, too.
  ONEFOLD_KERNEL void find(unsigned l, unsigned side) const {
    const unsigned d = sums.digit(O::bits);
    const auto upto = sums.scan(1u << d);
    if (word(known_bits) == 0) {
      sums.keep_total(upto, 1u << d);
      if (t() == 0) sums.want(q.level[l], side, q.repeated);
      m.sync();
    }
    sums.find_digit(upto, d);
  }
  ONEFOLD_KERNEL bool is_found() const { return word(known_bits) == O::bits; }
  // Whether the level lies between the key that was found and the next one.
  ONEFOLD_KERNEL bool needs_next() const { return word(next_word) != 0 && word(met_word) != 0; }

  // A slice or segment by one block.
  ONEFOLD_KERNEL K select(const WeightedElements& e, unsigned l, unsigned side) const {
    sums.begin_key();
    ONEFOLD_NO_UNROLL
    while (!is_found()) {
      sums.clear_bins(1u << sums.digit(O::bits));
      count(e, 0, e.n);
      m.sync();
      find(l, side);
    }
    const auto key = static_cast<K>(sums.long_word(prefix_low));
    m.sync();
    return key;
  }
  ONEFOLD_KERNEL void by_block(const WeightedElements& e) const {
    const int64_t at = e.from.step;
    if (e.bad) return put_all(at, Status::bad_offsets);
    sums.clear();
    const WeightSpan span = survey(e, 0, e.n);
    if (t() == 0) sums.settle(span, e.n, q.repeated);
    m.sync();
    if (put_if_spoilt(at)) return;
    ONEFOLD_NO_UNROLL
    for (unsigned l = 0; l < q.levels; ++l) {
      const K low = select(e, l, 0);
      K high = low;
      if (needs_next()) high = select(e, l, 1);
      if (t() == 0) put_value(l, at, low, high);
    }
  }
  ONEFOLD_KERNEL void run() const {
    const auto left = shared<uint64_t, int{weight_threads / 32}, struct weight_list_>(m);
    const auto count = shared<uint32_t, 1, struct weights_left_>(m);
    ONEFOLD_NO_UNROLL
    for (Size first = Size{m.block()} * q.together; first < q.in.answers;
         first += Size{m.blocks()} * q.together) {
      if (t() == 0) count[0] = 0u;
      m.sync();
      const Size own = first + t() / 32;
      if (t() / 32 < q.together && own < q.in.answers) {
        const bool answered = answer_row(m, q, elements_of(m, q.in, own));
        if (!answered && t() % 32 == 0) left[m.add(count, 0, 1u)] = uint64_t{own};
      }
      m.sync();
      const uint32_t some = count[0];
      ONEFOLD_NO_UNROLL
      for (uint32_t k = 0; k < some; ++k) {
        const uint64_t answer = left[k];
        by_block(elements_of(m, q.in, answer));
        m.sync();
      }
      m.sync();
    }
  }

  // One read of a long slice.
  ONEFOLD_KERNEL void run_part() const {
    const uint32_t local = static_cast<uint32_t>(m.block()) / q.parts,
                   part = static_cast<uint32_t>(m.block()) % q.parts;
    const auto kept = q.words + local * weight_words;
    const auto bins = q.bins + local * weight_bins;
    if (q.step == WeightStep::clear) {
      sums.clear();
      sums.store(kept);
      ONEFOLD_NO_UNROLL
      for (unsigned k = t(); k < weight_bins; k += weight_threads) bins[k] = 0u;
      if (t() == 0) q.spans[local] = uint64_t{0};
      if (t() == 0) q.tickets[local] = 0u;
      return;
    }
    const WeightedElements e = elements_of(m, q.in, q.first + local);
    const Size begin = e.n * part / q.parts, end = e.n * (part + 1) / q.parts;
    const Scratch<M> ended{.tickets = q.tickets + local, .left = {}, .undecided = {}};
    sums.load(kept);
    if (q.step == WeightStep::survey) {
      const WeightSpan mine = survey(e, begin, end);
      if (t() == 0) sums.tell(mine, q.spans + local, kept);
      if (!is_last_part(m, ended, 0, q.parts)) return;
      sums.load(kept);
      if (t() == 0) {
        sums.settle(WeightSpan::of(load_relaxed<uint64_t>(m, q.spans + local, 0)), e.n, q.repeated);
      }
      m.sync();
      if (t() == 0) sums.set(spoilt_word, 0);
      if (put_if_spoilt(e.from.step) && t() == 0) sums.set(spoilt_word, 1);
      m.sync();
      return sums.store(kept);
    }
    if (word(spoilt_word) != 0) return;
    const bool goes_on = q.begins ? q.side == 0 || word(answered_word) == 0
                                  : word(answered_word) == 0 && !is_found();
    if (!goes_on) return;
    m.sync();
    if (q.begins) sums.begin_key();
    if (t() == 0) sums.set(answered_word, 0);
    const uint32_t some = 1u << sums.digit(O::bits);
    sums.clear_bins(some);
    count(e, begin, end);
    m.sync();
    sums.add_to(bins, some);
    if (!is_last_part(m, ended, 0, q.parts)) return;
    sums.take_from(bins, some);
    find(q.l, q.side);
    if (is_found() && t() == 0) end_key(e.from.step);
    m.sync();
    sums.store(kept);
  }
  // Called by thread 0.
  ONEFOLD_KERNEL void end_key(int64_t at) const {
    const uint64_t key = sums.long_word(prefix_low);
    if (q.side == 0) {
      sums.set(first_low, static_cast<uint32_t>(key));
      sums.set(first_high, static_cast<uint32_t>(key >> 32));
      if (needs_next()) return;
    }
    put_value(q.l, at, static_cast<K>(sums.long_word(first_low)), static_cast<K>(key));
    sums.set(answered_word, 1);
  }
};

//   is_long   the launches of long slices
template <class T, bool is_long = false, class M>
ONEFOLD_KERNEL void weighted_quantiles(M m, const WeightedQuantiles<M, T>& q) {
  const WeightedSelect<T, M> select{m, q};
  if constexpr (is_long) {
    select.run_part();
  } else {
    select.run();
  }
}

}  // namespace onefold::kernel
