// Computes again the slices that rows.hpp has noted: with their greatest element, by one f64, by
// two, then by fixed-point numbers.
//
//   grid     again_blocks; a block has a slice at a time, and of neighbouring ones another block
//            has the next
//   memory   of fixed-point numbers: Exponential::limbs
//   ends     at numbers of 3,072 bits of fraction; an answer that these do not decide, which takes
//            data made for it, is NaN (docs/logsumexp.md)
#pragma once

#include "onefold/cuda/kernel/exponential/block.hpp"
#include "onefold/cuda/kernel/exponential/sum.hpp"
#include "onefold/cuda/kernel/undecided.hpp"

namespace onefold::kernel {

template <class T, bool elementwise, class M>
struct ExponentialAgain {
  static constexpr bool narrow = sizeof(T) < 8;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  using L = ExponentialLane;
  using Precise = PreciseRow<Out<M, uint64_t>>;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  SharedTables<M> tables = {};
  BlockNumbers<again_threads, M> block{m};

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // Calls f(x, i) for the elements of the thread, of `threads` threads.
  template <class F>
  ONEFOLD_KERNEL void each(const SlicePart& at, unsigned threads, F f) const {
    const auto x = in.nest.x + at.x;
    ONEFOLD_NO_UNROLL
    for (Size i = t(); i < in.length(); i += threads) {
      const T v = x[static_cast<int64_t>(i) * in.stride()];
      const double e = wide_of(v);
      if (in.nan == NanPolicy::omit && e != e) continue;
      f(e, i);
    }
  }
  ONEFOLD_KERNEL void put(const SlicePart& at, Size i, uint64_t bits) const {
    in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = of_bits<T>(bits);
  }
  ONEFOLD_KERNEL void put_answer(const SlicePart& at, uint64_t bits,
                                 Status status = Status::ok) const {
    if (t() == 0) in.put(at.out, of_bits<T>(bits), status);
  }

  // Sums e^(x - top), by one f64 or by two.
  template <bool pair>
  ONEFOLD_KERNEL RowSum sum(const SlicePart& at, double top) const {
    DoublePair others{0, 0}, some{0, 0};
    unsigned added = 0;
    double count = 0;
    each(at, again_threads, [&](double x, Size) {
      const auto d = two_sum<L>(x, -top);
      if (d.sum == 0) {
        count += 1;
      } else if (x != -L::infinity()) {
        const bool far = d.sum < -700;
        QuickPair<L> e;
        if constexpr (pair) {
          e = pair_exp<L>(far ? -700 : d.sum, far ? 0 : d.rest, tables);
        } else {
          e = {quick_exp<L>(far ? -700 : d.sum), 0};
        }
        add_quickly(some, e);
        if (++added % 256 == 0) {
          add_pair(others, some);
          some = {0, 0};
        }
      }
    });
    RowSum all;
    all.at_greatest = block.sum(count);
    add_pair(others, some);
    all.others = block.pairs(others);
    return all;
  }
  // Writes elements of a slice whose greatest element is no finite number, or alone.
  ONEFOLD_KERNEL void plain(const SlicePart& at, double top, double count, bool finite) const {
    const uint64_t bits = !finite ? format.nan() : in.is_log() ? 0 : reciprocal(count, format);
    const uint64_t below = in.is_log() ? format.sign() | format.infinity() : 0;
    each(at, again_threads, [&](double x, Size i) {
      put(at, i, top == -L::infinity() ? format.nan() : x == top ? bits : below);
    });
  }

  // Computes the elements of the thread; returns whether some are not proven.
  ONEFOLD_KERNEL bool elements(const SlicePart& at, const RowLog& row, bool pair) const {
    bool open = false;
    each(at, again_threads, [&](double x, Size i) {
      uint64_t bits = 0;
      if (element(x, row, pair, &bits)) {
        put(at, i, bits);
      } else {
        open = true;
      }
    });
    return open;
  }
  ONEFOLD_KERNEL bool element(double x, const RowLog& row, bool pair, uint64_t* bits) const {
    if (x == -L::infinity()) {
      *bits = in.is_log() ? format.sign() | format.infinity() : 0;
      return true;
    }
    if constexpr (narrow) {
      if (quick_element(x, row, bits)) return true;
    }
    return pair && pair_answer<T>(x, row, in.is_log(), tables, bits);
  }
  ONEFOLD_KERNEL bool quick_element(double x, const RowLog& row, uint64_t* bits) const {
    const double d = x - row.greatest;
    const auto b = in.is_log() ? quick_logarithm<L>(d, row)
                               : quick_share<L>(quick_exp<L>(d < -700 ? -700 : d), row);
    if (in.is_log() && b.high > 0) return false;
    const uint64_t sign = in.is_log() ? format.sign() : 0;
    *bits = rounded_bits<T>(L::abs(b.low)) | sign;
    return *bits == (rounded_bits<T>(L::abs(b.high)) | sign);
  }

  // Computes by fixed-point numbers what pairs have not proven.
  ONEFOLD_KERNEL void precise(const SlicePart& at, double top, Size n, const RowLog& row) const {
    const auto base = in.limbs + Size{m.block()} * static_cast<Size>(block_limbs);
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < precise_lengths; ++k) {
      const int fraction = fraction_of(k);
      const auto each_limbs = static_cast<Size>(limbs_of_thread(fraction));
      const auto room = static_cast<unsigned>(block_limbs / each_limbs),
                 threads = room < again_threads ? room : again_threads;
      const bool mine = t() < threads;
      const auto memory = base + (mine ? t() : 0) * each_limbs;
      bool open = false;
      m.sync();
      if (mine) {
        const Precise number(n, top, fraction, memory, base);
        each(at, threads, [&](double x, Size) { number.add_term(x); });
      }
      m.sync();
      if (t() == 0) {
        const Precise number = Precise::summed(n, top, fraction, memory, base);
        ONEFOLD_NO_UNROLL
        for (unsigned other = 1; other < threads; ++other) {
          number.add_sum(base + other * each_limbs);
        }
        number.end_sum();
        if constexpr (!elementwise) {
          uint64_t bits = 0;
          open = !number.log_of_sum(in.is_mean(), format, &bits);
          put_answer(at, open ? format.nan() : bits);
        }
      }
      m.sync();
      if constexpr (elementwise) {
        if (mine) {
          const Precise number = Precise::summed(n, top, fraction, memory, base);
          each(at, threads, [&](double x, Size i) {
            uint64_t bits = 0;
            if (element(x, row, true, &bits)) return;
            const bool ok = in.is_log() ? number.log_softmax(x, format, &bits)
                                        : number.softmax(x, format, &bits);
            put(at, i, ok ? bits : format.nan());
            open = open || !ok;
          });
        }
      }
      if (!block.any(open)) return;
    }
  }

  ONEFOLD_KERNEL void slice(Size i) const {
    const Spot spot = answer_at<elementwise>(in.nest, i);
    const SlicePart at{.x = spot.x, .out = elementwise ? spot.y : spot.step, .slice = i};
    double top = -L::infinity(), count = 0;
    bool has_nan = false;
    each(at, again_threads, [&](double x, Size) {
      has_nan = has_nan || x != x;
      top = x > top ? x : top;
      count += 1;
    });
    top = block.reduce(top, [](double a, double b) { return a > b ? a : b; });
    const auto n = static_cast<Size>(block.sum(count));
    if (block.any(has_nan)) {  // the policy is to raise
      if constexpr (!elementwise) put_answer(at, format.nan(), Status::nan_found);
      return;
    }
    const bool finite = L::abs(top) < L::infinity();
    RowSum s;
    if (finite) s = sum<!narrow>(at, top);
    const bool equal = finite && s.others.high == 0;
    if constexpr (elementwise) {
      if (!finite || (equal && (!in.is_log() || s.at_greatest == 1))) {
        return plain(at, top, s.at_greatest, finite);
      }
      // Of softmax the kernel before has done as much by one f64, unless the sum was out of range.
      if (narrow && (in.is_log() || L::abs(top) > 500)) {
        if (!block.any(elements(at, quick_logs(s, top, n), false))) return;
      }
      if constexpr (narrow) s = sum<true>(at, top);
      const RowLog row = pair_logs(s, top, n, tables);
      if (!block.any(elements(at, row, true))) return;
      precise(at, top, n, row);
    } else {
      log_of_sum(at, s, top, n, finite);
    }
  }
  ONEFOLD_KERNEL void log_of_sum(const SlicePart& at, RowSum s, double top, Size n,
                                 bool finite) const {
    uint64_t bits = 0;
    const bool equal = finite && s.others.high == 0 && s.at_greatest == static_cast<double>(n),
               alone = finite && s.others.high == 0 && s.at_greatest == 1;
    bool done = true;
    if (n == 0 && in.is_mean()) {
      bits = format.nan();
    } else if (!finite) {
      bits = format.infinity() | (top < 0 ? format.sign() : 0);
    } else if (n == 1 || (in.is_mean() ? equal : alone)) {
      // The element itself; +0 for zeros of both signs.
      decided_bits<T>({n == 1 || alone ? top : top + 0.0, 0}, 0, &bits);
    } else {
      RowLog row = narrow ? quick_logs(s, top, n) : pair_logs(s, top, n, tables);
      done = log_of_sum_bits<T>(row, n, in.is_mean(), !narrow, tables, &bits);
      if constexpr (narrow) {
        if (!done) {
          row = pair_logs(sum<true>(at, top), top, n, tables);
          done = log_of_sum_bits<T>(row, n, in.is_mean(), true, tables, &bits);
        }
      }
      if (!done) return precise(at, top, n, row);
    }
    put_answer(at, bits);
  }

  ONEFOLD_KERNEL void run() {
    if (how_many_undecided(m, scratch) == 0) return;
    tables = shared_tables(m);
    each_noted_slice(m, in, scratch, [&](Size i) { slice(i); });
  }
};

}  // namespace onefold::kernel
