// The end of folds that only count zeros, NaN or infinities. Blocks pass on their counts
// (arrivals.hpp), and the first warp of the last block makes the state or the answers.
//
//   parts    the last parts are filled up with zeros, whose number is subtracted from the count
//   cost     no fence, no ticket, and one round trip to the cache
//   bound    a lane adds fewer than 2^30 elements
#pragma once

#include "onefold/cuda/kernel/end/sums.hpp"

namespace onefold::kernel {

// A lane's counts, in order, as the totals of a feed (end/sums.hpp).
template <class T, uint32_t set, class Part>
struct CountTotals {
  static constexpr bool zeros = Accumulators(set).has(Accumulator::zeros),
                        tally = Floating<T> && Accumulators(set).has(Accumulator::tally);
  enum : int { nan = zeros ? 1 : 0, positive, negative, N = nan + (tally ? 3 : 0) };
  const Part& part;

  ONEFOLD_KERNEL bool touched() const { return false; }
  ONEFOLD_KERNEL void take_totals(int64_t (&counts)[N]) const {
    if constexpr (zeros) counts[0] = part.zeros.found;
    if constexpr (tally) {
      counts[nan] = part.counts.nan;
      counts[positive] = part.counts.positive;
      counts[negative] = part.counts.negative;
    }
  }
};

// The view of counts that an op gets. It has the same members as onefold::Gathered.
struct SeenCounts {
  Tally of_all;
  Size zero;
  NanPolicy nan;

  ONEFOLD_FN constexpr Tally tally() const { return of_all; }
  ONEFOLD_FN constexpr Size counted(Accumulator) const { return zero; }
};
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL void put_count(M m, const Place<M>& place, const Real& r) {
  // An i64 answer is a count, a boolean one says whether the count is not 0. Code for other types
  // is a function of its own, which is not inlined.
  if (r.kind == Real::Kind::finite && place.dtype == DType::i64) {
    put_bits(m, place, 8, round_integer(r, DType::i64).bits, Status::ok);
  } else if (r.kind == Real::Kind::finite && place.dtype == DType::boolean) {
    put_bits(m, place, 1, r.numerator.zero() ? 0 : 1, Status::ok);
  } else {
    put_cold<steps>(m, place, r);
  }
}

// Adds the block's counts, and answers if it is the last block. Called by a block.
template <class T, uint32_t set, int warps, OpSet ops, class M, class Part>
ONEFOLD_KERNEL void end_counts(M m, const Workspace<M>& workspace, const Results<M, ops>& results,
                               const Part& part, Size n, Size lacking) {
  using State = StateOf<T, set>;
  using Totals = CountTotals<T, set, Part>;
  constexpr int N = Totals::N;
  const TotalsOfWarps<M> block{.low = shared<int64_t, (N + 1) * warps, struct low_>(m),
                               .high = shared<int, (N + 1) * warps, struct high_>(m)};
  Totals counts{part};
  Beside beside{};
  if constexpr (Totals::tally) beside.some = part.counts.some_not_negative_zero;
  share_totals<warps>(m, counts, beside, block);
  m.sync();
  if (static_cast<unsigned>(m.thread()) >= 32) return;
  const Arrival a = arrive_with<N, warps>(m, block, workspace.words + replicas * State::words);
  if (!a.last) return;
  int64_t total[N];
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const int64_t low = a.low(m, static_cast<unsigned>(i)),
                  high = a.high(m, static_cast<unsigned>(i));
    total[i] = low + high * (int64_t{1} << 32);
  }
  if constexpr (Totals::zeros) total[0] -= static_cast<int64_t>(lacking);
  if (m.lane() != 0) return;
  int64_t words[State::words] = {};
  if constexpr (State::has(Accumulator::zeros)) {
    words[State::offset(Accumulator::zeros) + accumulator::zeros<T>::count] = total[0];
  }
  if constexpr (State::has(Accumulator::tally)) {
    using Tally = accumulator::tally<T>;
    const auto tally = words + State::offset(Accumulator::tally);
    tally[Tally::n] = static_cast<int64_t>(n);
    if constexpr (Totals::tally) {
      tally[Tally::nan] = total[Totals::nan];
      tally[Tally::positive_infinity] = total[Totals::positive];
      tally[Tally::negative_infinity] = total[Totals::negative];
      tally[Tally::not_negative_zero] = a.some ? 1 : 0;
    }
  }
  if constexpr (ops == 0) {
    ONEFOLD_UNROLL
    for (int k = 0; k < State::words; ++k) results.state[k] = words[k];
  } else {
    SeenCounts g{.of_all = {}, .zero = 0, .nan = results.nan};
    if constexpr (State::has(Accumulator::tally)) {
      g.of_all =
          tally_of<accumulator::tally<T>>(words + State::offset(Accumulator::tally), results.nan);
    }
    if constexpr (Totals::zeros) g.zero = static_cast<Size>(total[0]);
    int k = 0;
    each_op<ops>([&]<class Op>() {
      if constexpr (requires { Op::finish(g); }) {
        put_count<steps_of<T, ops>()>(m, results.place[k], Op::finish(g));
      }
      ++k;
    });
  }
}

}  // namespace onefold::kernel
