// The words of slices that merge with those of other parts (core/exponential/state.hpp).
//
//   grid    a block takes a slice at a time
//   reads   a slice twice: its greatest element says which bins are kept
//   writes  .limbs: the words of a slice, at the place of its answer
#pragma once

#include "onefold/core/exponential/state.hpp"
#include "onefold/cuda/kernel/exponential/block.hpp"
#include "onefold/cuda/kernel/exponential/numbers.hpp"

namespace onefold::kernel {

template <class T, class M>
struct StateRows {
  static constexpr Size words = sizeof(ExponentialState) / 8;
  struct Words {
    uint64_t word[words];
  };
  // Parts of 32 bits of a bin, added by all threads as words of 64 bits.
  static constexpr int parts = 4;
  // Terms are below 2^112, and as many of them below 2^128.
  static constexpr Size at_once = Size{1} << 15;
  M m;
  const Exponential<M, T>& in;
  SharedTables<M> tables = {};
  BlockNumbers<exponential_threads, M> block{m};
  Shared<M, uint64_t> sum = shared<uint64_t, state_bins * parts, struct state_sums_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // Calls f(x) for the thread's elements from the first-th on.
  template <class F>
  ONEFOLD_KERNEL void each(const Spot& at, Size first, Size end, F f) const {
    const auto x = in.nest.x + at.x;
    ONEFOLD_NO_UNROLL
    for (Size i = first + t(); i < end; i += exponential_threads) {
      const T v = x[static_cast<int64_t>(i) * in.stride()];
      f(wide_of(v));
    }
  }
  // Returns the counts and extremes of a slice.
  ONEFOLD_KERNEL ExponentialState survey(const Spot& at) const {
    const double infinity = OneLane::infinity();
    double nan = 0, highest = 0, lowest = 0, finite = 0, greatest = -infinity, least = infinity;
    each(at, 0, in.length(), [&](double x) {
      if (OneLane::abs(x) < infinity) {
        finite += 1;
        if (detail::is_above(x, greatest)) greatest = x;
        if (detail::is_above(least, x)) least = x;
      } else {
        nan += x != x ? 1 : 0;
        highest += x == infinity ? 1 : 0;
        lowest += x == -infinity ? 1 : 0;
      }
    });
    ExponentialState s;
    s.nan = static_cast<uint64_t>(block.sum(nan));
    s.highest = static_cast<uint64_t>(block.sum(highest));
    s.lowest = static_cast<uint64_t>(block.sum(lowest));
    s.finite = static_cast<uint64_t>(block.sum(finite));
    const auto above = [](double a, double b) { return detail::is_above(b, a) ? b : a; };
    const auto below = [](double a, double b) { return detail::is_above(a, b) ? b : a; };
    greatest = block.reduce(greatest, above);
    least = block.reduce(least, below);
    if (s.finite != 0) {
      s.greatest = greatest;
      s.least = least;
    }
    return s;
  }
  // Adds the thread's terms of [first, end) to the block's; returns how many are the greatest.
  ONEFOLD_KERNEL double add(const Spot& at, Size first, Size end, double greatest) const {
    const double top = base_of(greatest);
    Uint128 bin[state_bins] = {};
    double at_greatest = 0;
    each(at, first, end, [&](double x) {
      if (!(OneLane::abs(x) < OneLane::infinity())) return;
      const double base = base_of(x);
      const auto d = two_sum<OneLane>(x, -base);
      const auto e = pair_exp<ExponentialLane>(d.sum, d.rest, tables);
      const Uint128 units = units_of(e.sum, e.rest);
      const int which = bin_of(top, base);
      ONEFOLD_UNROLL
      for (int k = 0; k < state_bins; ++k) {
        if (k == which) bin[k] += units;
      }
      at_greatest += x == greatest ? 1 : 0;
    });
    ONEFOLD_UNROLL
    for (int k = 0; k < state_bins; ++k) {
      const auto low = static_cast<uint64_t>(bin[k]), high = static_cast<uint64_t>(bin[k] >> 64);
      const uint64_t part[parts] = {low & 0xffffffff, low >> 32, high & 0xffffffff, high >> 32};
      ONEFOLD_UNROLL
      for (int i = 0; i < parts; ++i) {
        if (part[i] != 0) m.add(sum, parts * k + i, part[i]);
      }
    }
    return at_greatest;
  }
  // Makes limbs of the parts of a bin.
  ONEFOLD_KERNEL void carry(ExponentialState& s, int k) const {
    uint64_t part[2 * state_limbs] = {}, over = 0;
    for (int i = 0; i < 2 * state_limbs; ++i) {
      const uint64_t here = i < parts ? uint64_t{sum[parts * k + i]} : 0;
      const uint64_t all = here + over;
      part[i] = all & 0xffffffff;
      over = all >> 32;
    }
    for (int i = 0; i < state_limbs; ++i) s.bin[k][i] = part[2 * i] | part[2 * i + 1] << 32;
  }
  ONEFOLD_KERNEL void slice(Size i) const {
    const Spot at = answer_at<false>(in.nest, i);
    ExponentialState s = survey(at);
    if (t() < state_bins * parts) sum[t()] = uint64_t{0};
    m.sync();
    double at_greatest = 0;
    if (m.branch(s.finite != 0)) {
      ONEFOLD_NO_UNROLL
      for (Size first = 0; first < in.length(); first += at_once * exponential_threads) {
        const Size left = in.length() - first, most = at_once * exponential_threads;
        at_greatest += add(at, first, first + (left < most ? left : most), s.greatest);
      }
    }
    s.at_greatest = static_cast<uint64_t>(block.sum(at_greatest));
    if (m.branch(t() == 0)) {
      for (int k = 0; k < state_bins; ++k) carry(s, k);
      const auto all = bit_cast<Words>(s);
      const auto to = in.limbs + at.step * static_cast<int64_t>(words);
      ONEFOLD_NO_UNROLL
      for (Size w = 0; w < words; ++w) to[w] = all.word[w];
    }
    m.sync();
  }
  ONEFOLD_KERNEL void run() {
    tables = shared_tables(m);
    ONEFOLD_NO_UNROLL
    for (Size i = m.block(); i < in.nest.answers; i += m.blocks()) slice(i);
  }
};

}  // namespace onefold::kernel
