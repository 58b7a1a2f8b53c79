// logsumexp and its kin of slices by numbers of one f64, or of two for f64, without their greatest
// elements: e^x of any element within -700 .. 640 is a normal f64. What that does not decide is
// noted, for again.hpp.
//
//   grid    teams of threads, one for each part of each slice
//   reads   once; functions of elements read them again, from the caches if slices are short
#pragma once

#include "onefold/cuda/kernel/exponential/elements.hpp"
#include "onefold/cuda/kernel/exponential/teams.hpp"

namespace onefold::kernel {

//   pair   by two f64; else T is narrower than f64
//   held   softmax of pairs: a thread keeps its elements and their e^x
template <class T, bool elementwise, bool pair, bool held, class M>
struct ExponentialRows {
  using L = ExponentialLane;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr Exponentials how = pair                            ? Exponentials::pairs
                                      : elementwise && sizeof(T) == 4 ? Exponentials::quick
                                                                      : Exponentials::rough;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, elementwise, M> teams{m, in, scratch};
  static constexpr unsigned size = Vector16<T>::size;
  HeldElements<T, held ? held_exponentials : 1, M> kept_elements{};
  QuickPair<L> power[held ? held_exponentials : 1][size] = {};

  // What the elements of each slice of a block are computed with: words of a RowLog.
  static constexpr unsigned words = pair ? 6 : 3;
  static constexpr int all_words = elementwise ? int{words * exponential_threads} : 1;
  Shared<M, double> word = shared<double, all_words, struct exponential_words_>(m);

  ONEFOLD_KERNEL RowLog log_of(DoublePair sum, const SharedTables<M>& tables) const {
    if constexpr (!pair) {
      return direct_logs(sum.high + sum.low);
    } else {
      return pair_logs(RowSum{sum, 0}, 0, in.length(), tables);
    }
  }
  // Writes the answer of a slice, or notes it.
  ONEFOLD_KERNEL void answer(const SlicePart& at, const RowLog& row, bool near,
                             const SharedTables<M>& tables) const {
    uint64_t bits = 0;
    if (near && log_of_sum_bits<T>(row, in.length(), in.is_mean(), pair, tables, &bits)) {
      in.put(at.out, of_bits<T>(bits), Status::ok);
    } else {
      note_slice(m, scratch, at.slice);
    }
  }

  // Keeps a row's words for its team, and returns those of the thread's row.
  ONEFOLD_KERNEL void keep(unsigned index, const RowLog& row) const {
    const auto to = word + words * index;
    to[0] = row.log_high;
    to[1] = row.inverse_high;
    to[2] = pair ? row.pair_error : row.quick_error;
    if constexpr (pair) {
      to[3] = row.log_low;
      to[4] = row.inverse_low;
      to[5] = row.quotient_error;
    }
  }
  ONEFOLD_KERNEL RowLog kept(unsigned index) const {
    const auto from = word + words * index;
    RowLog row;
    const double log = from[0], inverse = from[1], lost = from[2];
    row.log_high = log;
    row.inverse_high = inverse;
    row.quick_error = row.pair_error = lost;
    if constexpr (pair) {
      const double low = from[3], inverse_low = from[4], quotient = from[5];
      row.log_low = low;
      row.inverse_low = inverse_low;
      row.quotient_error = quotient;
    }
    return row;
  }

  ONEFOLD_KERNEL bool pair_element(T v, const RowLog& row, const SharedTables<M>& tables,
                                   uint64_t& bits) const {
    const double x = wide_of(v);
    if (x == -L::infinity()) {
      bits = in.is_log() ? format.sign() | format.infinity() : 0;
      return true;
    }
    if (in.is_log()) return decided_pair<T>(pair_difference<L>({x, 0}, row), bits);
    return pair_share(x, pair_exp<L>(within_range(x), 0, tables), row, bits);
  }
  // An element of softmax from e^x.
  ONEFOLD_KERNEL bool pair_share(double x, const QuickPair<L>& e, const RowLog& row,
                                 uint64_t& bits) const {
    // Below, e^x or the answer may be no normal number.
    const double d = x - row.log_high;
    if (d < far_below) {
      bits = 0;
      return true;
    }
    const auto q = pair_quotient<L>(e, row);
    return d > least_of_pairs && x > least_of_pairs && decided_pair<T>(q, bits);
  }

  // Writes the elements of the thread; returns whether all are proven.
  template <bool is_log>
  ONEFOLD_KERNEL bool elements(const SlicePart& at, const RowLog& row,
                               const SharedTables<M>& tables) const {
    if constexpr (pair) {
      bool all = true;
      // Those that pairs do not prove are written with the others: the slice is computed again.
      const auto each = [&](auto& to, auto prove) {
        uint64_t bits = 0;
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < sizeof(to) / sizeof(T); ++k) {
          all &= prove(k, bits);
          to[k] = of_bits<T>(bits);
        }
        return 0u;
      };
      const auto never = [](T, Size, T&) { return false; };
      if constexpr (held) {
        kept_elements.answer(
            m, in, at,
            [&](unsigned u, Size, auto& to) {
              return each(to, [&](unsigned k, uint64_t& bits) {
                return pair_share(kept_elements.v[u].v[k], power[u][k], row, bits);
              });
            },
            never);
      } else {
        answer_elements(
            m, in, at,
            [&](const auto& x, Size, auto& to) {
              return each(to, [&](unsigned k, uint64_t& bits) {
                return pair_element(x[k], row, tables, bits);
              });
            },
            never);
      }
      return all;
    } else {
      const SoftmaxElements<T, is_log> of(row);
      return answer_elements(
          m, in, at, [&](const auto& x, Size, auto& to) { return of.quick(x, to); },
          [&](T x, Size, T& to) { return of.rare(x, row, to); });
    }
  }
  ONEFOLD_KERNEL DoublePair sum_of_kept(const SlicePart& at, const SharedTables<M>& tables) {
    DoublePair sum{0, 0};
    kept_elements.load(m, in, at);
    kept_elements.each(at, in.team, [&](unsigned u, Size) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < size; ++k) {
        power[u][k] = pair_exp<L>(within_range(kept_elements.v[u].v[k]), 0, tables);
        add_quickly(sum, power[u][k]);
      }
    });
    return sum;
  }
  // Makes what a team needs, or the slice's answer, of the sum over a part.
  ONEFOLD_KERNEL void finish(unsigned index, const SlicePart& at, DoublePair all,
                             const SharedTables<M>& tables) const {
    if (in.step == ExponentialStep::sums) {
      const Size place = 2 * (at.slice * in.parts + at.first / in.part);
      in.sums[place] = all.high;
      in.sums[place + 1] = all.low;
      return;
    }
    const double s = all.high + all.low;
    if constexpr (elementwise) {
      RowLog row;
      row.log_high = s != s ? s : OneLane::infinity();
      if (is_near(s)) row = log_of(all, tables);
      keep(index, row);
    } else if (at.first == 0) {
      if (s != s && in.nan == NanPolicy::propagate) {
        in.put(at.out, of_bits<T>(format.nan()), Status::ok);
      } else {
        answer(at, log_of(all, tables), is_near(s), tables);
      }
    }
  }

  ONEFOLD_KERNEL void run() {
    SharedTables<M> tables{};
    if constexpr (pair) tables = shared_tables(m);
    const unsigned t = static_cast<unsigned>(m.thread()), index = teams.index();
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    const Size sums = 2 * (at.slice * in.parts);
    DoublePair mine{0, 0};
    if (m.branch(active)) {
      if constexpr (held) {
        mine = sum_of_kept(at, tables);
      } else if (in.step != ExponentialStep::answers) {
        mine = sum_of_part<how>(m, in, at, tables);
      } else {
        ONEFOLD_NO_UNROLL
        for (Size k = at.member; k < in.parts; k += in.team) {
          const double h = in.sums[sums + 2 * k], l = in.sums[sums + 2 * k + 1];
          add_pair(mine, {h, l});
        }
      }
    }
    const DoublePair all = sum_of_team<how>(m, mine, in.team, in.across);
    // Neighbouring threads finish the slices of the block: a logarithm takes as long as 20
    // elements.
    if (m.branch(t < teams.count())) {
      const SlicePart of = teams.place_of(t);
      if (teams.has(of)) finish(t, of, all, tables);
    }
    if (in.step == ExponentialStep::sums) return;
    if constexpr (elementwise) {
      m.sync();
      bool bad = false;
      if (m.branch(active)) {
        const RowLog row = kept(index);
        if (row.log_high != row.log_high) {
          teams.spread_nan(at);
        } else {
          bad = row.log_high == OneLane::infinity() ||
                !(!held && in.is_log() ? elements<true>(at, row, tables)
                                       : elements<false>(at, row, tables));
        }
      }
      teams.note_each(at, bad);
    }
  }
};

}  // namespace onefold::kernel
