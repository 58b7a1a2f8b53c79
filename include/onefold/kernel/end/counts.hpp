// The end of folds that only count zeros, NaN or infinities. Blocks pass on their counts
// (arrivals.hpp), and the first warp of the last block makes the state or the answers.
//
//   parts    the last parts are filled up with zeros, whose number is subtracted from the count
//   cost     no fence, no ticket, and one round trip to the cache
//   bound    a lane adds fewer than 2^30 elements
#pragma once

#include "onefold/kernel/answer/answers.hpp"
#include "onefold/kernel/end/arrivals.hpp"

namespace onefold::kernel {

// The counts that a set of accumulators needs, in order.
template <class T, uint32_t set>
struct CountTotals {
  static constexpr bool zeros = Accumulators(set).has(Accumulator::zeros),
                        tally = Floating<T> && Accumulators(set).has(Accumulator::tally);
  enum : int { nan = zeros ? 1 : 0, positive, negative, N = nan + (tally ? 3 : 0) };
};

// Returns the sum of what a warp's lanes have counted.
template <class M>
ONEFOLD_KERNEL int64_t count_of_warp(M m, uint32_t v) {
  const uint32_t low = m.redux_add(v & 0xffff), high = m.redux_add(v >> 16);
  return low + (static_cast<int64_t>(high) << 16);
}

// The view of counts that an op gets. It has the same members as onefold::Gathered.
struct SeenCounts {
  Tally of_all;
  Size zero;
  NanPolicy nan;

  ONEFOLD_FN constexpr Tally tally() const { return of_all; }
  ONEFOLD_FN constexpr Size counted(Accumulator) const { return zero; }
};
// G is SeenCounts, named by a template parameter (see answers.hpp for why).
template <class T, uint32_t ops, class M, class G>
ONEFOLD_KERNEL void put_counts(M m, const G& g, const Results<M, ops>& results) {
  int k = 0;
#define ONEFOLD_ENTRY(name)                                                       \
  if constexpr (asks(ops, OpIndex::name##_)) {                                    \
    if constexpr (requires { op::name##_::finish(g); }) {                         \
      put_count<steps_of<T, ops>()>(m, results.place[k], op::name##_::finish(g)); \
    }                                                                             \
    ++k;                                                                          \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
}
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL void put_count(M m, const Place<M>& place, const Real& r) {
  // An i64 answer is a count, or whether a count is not 0; code for other types is compiled apart.
  if (r.kind == Real::Kind::finite && place.dtype == DType::i64) {
    put_bits(m, place, 8, round_integer(r, DType::i64).bits, Status::ok);
  } else if (r.kind == Real::Kind::finite && place.dtype == DType::boolean) {
    put_bits(m, place, 1, r.numerator.zero() ? 0 : 1, Status::ok);
  } else {
    put_cold<steps>(m, place, r);
  }
}

// Adds the block's counts, and answers if it is the last block. Called by a block.
template <class T, uint32_t set, int warps, uint32_t ops, class M, class Part>
ONEFOLD_KERNEL void end_counts(M m, const Workspace<M>& workspace, const Results<M, ops>& results,
                               const Part& part, Size n, Size lacking) {
  using State = StateOf<T, set>;
  using Totals = CountTotals<T, set>;
  constexpr int N = Totals::N;
  auto of_warps = shared<int64_t, (N + 1) * warps, struct of_warps_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  int64_t counts[N + 1] = {};  // the last one: whether some element is not -0
  if constexpr (Totals::zeros) counts[0] = count_of_warp(m, part.zeros.found);
  if constexpr (Totals::tally) {
    const auto& special = part.counts;
    if (m.any((special.nan | special.positive | special.negative) != 0)) [[unlikely]] {
      counts[Totals::nan] = count_of_warp(m, special.nan);
      counts[Totals::positive] = count_of_warp(m, special.positive);
      counts[Totals::negative] = count_of_warp(m, special.negative);
    }
    counts[N] = Arrival::flags_of(false, m.any(special.some_not_negative_zero));
  }
  if (lane == 0) {
    ONEFOLD_UNROLL
    for (int i = 0; i <= N; ++i) of_warps[i * warps + static_cast<int>(warp)] = counts[i];
  }
  m.sync();
  if (warp != 0) return;
  // Two lanes share a total: each passes on one of its two pieces.
  int64_t v = 0;
  if (lane <= 2 * N) {
    const int i = static_cast<int>(lane / 2) * warps;
    ONEFOLD_UNROLL
    for (int w = 0; w < warps; ++w) {
      const int64_t one = of_warps[i + w];
      v += one;
    }
  }
  const Arrival a = arrive_pieces<N>(m, workspace.words + replicas * State::words,
                                     lane == 2 * N   ? v
                                     : lane % 2 != 0 ? v >> 32
                                                     : v & 0xffffffff);
  if (!a.last) return;
  int64_t total[N];
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const int64_t low = a.low(m, static_cast<unsigned>(i)),
                  high = a.high(m, static_cast<unsigned>(i));
    total[i] = low + high * (int64_t{1} << 32);
  }
  if constexpr (Totals::zeros) total[0] -= static_cast<int64_t>(lacking);
  if (lane != 0) return;
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
    put_counts<T, ops>(m, g, results);
  }
}

}  // namespace onefold::kernel
