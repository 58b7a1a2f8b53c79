// Answers rounded on the device: a set of ops as bits, and where each one's answer goes.
//
//   bits    exact/real.hpp rounds here as on the processor; ops are the same text
//   cost    one thread an op; what can be long is done by many: a warp settles the digits of a sum,
//           the block multiplies for the variance
#pragma once

#include "onefold/formula.hpp"
#include "onefold/generated/op.inl"
#include "onefold/kernel/convert.hpp"
#include "onefold/kernel/settle.hpp"
#include "onefold/kernel/state.hpp"

namespace onefold::kernel {

// Bit k: the k-th op of generated/op.list.
enum class OpIndex : int {
#define ONEFOLD_ENTRY(name) name##_,
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
};
inline constexpr int op_count = 0
#define ONEFOLD_ENTRY(name) +1
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    ;
static_assert(op_count <= 32, "a set of ops is a uint32_t");
constexpr bool asks(uint32_t ops, OpIndex op) { return (ops >> static_cast<int>(op) & 1) != 0; }
// Whether an op of these needs n Q - S^2.
constexpr bool subtracts(uint32_t ops) {
  constexpr Accumulators both = Accumulator::sum | Accumulator::sumsq;
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  any = any || (asks(ops, OpIndex::name##_) && both.within(op::name##_::about.needs));
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}
constexpr int count_ops(uint32_t ops) {
  int n = 0;
  for (; ops != 0; ops &= ops - 1) ++n;
  return n;
}

inline constexpr uint32_t all_ops = ~0u >> (32 - op_count);

// Where one answer goes: as many bytes as its type has, and a Status if there is a place for it.
template <class M>
struct Place {
  Out<M, uint8_t> value, status;
  DType dtype;
  bool has_status;
};

// What a launch leaves: the answers to `ops` in their order, or without any the words of the state,
// not canonical.
template <class M, uint32_t ops>
struct Results {
  Out<M, int64_t> state;
  Correction correction;
  NanPolicy nan;
  Place<M> place[ops == 0 ? 1 : count_ops(ops)];
};

template <class M>
ONEFOLD_KERNEL void put_bits(M, const Place<M>& place, unsigned bytes, uint64_t bits,
                             Status status) {
  ONEFOLD_UNROLL
  for (unsigned k = 0; k < 8; ++k) {
    if (k < bytes) place.value[k] = static_cast<uint8_t>(bits >> 8 * k);
  }
  if (place.has_status) place.status[0] = static_cast<uint8_t>(status);
}
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL void put(M m, Place<M> place, const Real& r) {
  const Rounded v = round<steps>(r, place.dtype);
  put_bits(m, place, static_cast<unsigned>(bytes_of(place.dtype)), v.bits, v.status);
}
// For several answers by one thread.
template <RoundingSteps steps, class M>
ONEFOLD_KERNEL_COLD void put_cold(M m, Place<M> place, const Real& r) {
  put<steps>(m, place, r);
}

// Numbers, so many that a quotient of them takes every step that it may take.
struct Many {
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;

  ONEFOLD_FN constexpr Tally tally() const { return {.n = Size{1} << 62}; }
  ONEFOLD_FN constexpr Tally dot_tally() const { return tally(); }
  ONEFOLD_FN constexpr ExactSum limbs(Accumulator) const { return {}; }
  ONEFOLD_FN constexpr Leading spread(uint32_t) const { return {}; }
  ONEFOLD_FN constexpr Size zeros() const { return 0; }
  ONEFOLD_FN constexpr Extreme extreme(Accumulator) const { return {.value = {}, .index = 0}; }
};
// What rounding the answers to `ops` of T takes. G: Many, by a name that depends on the template,
// or the formulas of all ops are looked at.
template <class T, uint32_t ops, class G = Many>
constexpr RoundingSteps steps_of() {
  RoundingSteps steps{
      .quotient = false, .second_quotient = false, .root = false, .integers = false};
  const auto add = [&](const Real& r, const OpFacts& about) {
    steps.quotient = steps.quotient || r.n != 1 || r.left != 1;
    steps.second_quotient = steps.second_quotient || r.left != 1;
    steps.root = steps.root || r.root;
    steps.integers = steps.integers || !is_floating(about.result.of(dtype_of<T>));
  };
#define ONEFOLD_ENTRY(name)                            \
  if constexpr (asks(ops, OpIndex::name##_)) {         \
    add(op::name##_::finish(G{}), op::name##_::about); \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return steps;
}
// Whether the answers are no quotients and no roots.
template <class T, uint32_t ops>
constexpr bool is_plain() {
  constexpr RoundingSteps steps = steps_of<T, ops>();
  return !steps.quotient && !steps.root;
}

// What an op sees of a sum of tame elements, none of them NaN or infinite, in registers.
struct Tame {
  Size n;
  bool some_not_negative_zero;
  ExactSum sum;
  NanPolicy nan;
  Correction correction;

  ONEFOLD_FN constexpr Tally tally() const {
    return {.n = n, .all_negative_zero = n != 0 && !some_not_negative_zero};
  }
  ONEFOLD_FN constexpr ExactSum limbs(Accumulator) const { return sum; }
};
// The answer to the one op of `ops`; nothing, where it asks for more than a sum. G: Tame, by a name
// that depends on the template, or clang looks at the formulas of all ops.
template <uint32_t ops, class G>
ONEFOLD_FN constexpr Real finish_tame(const G& g) {
  Real r = Real::nan();
#define ONEFOLD_ENTRY(name)                                                            \
  if constexpr (asks(ops, OpIndex::name##_) && requires { op::name##_::finish(g); }) { \
    r = op::name##_::finish(g);                                                        \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return r;
}

// Writes the answer to the one op of `ops` to a sum v * 2^unit, where it is a number of the type
// that the op has for T, for which rounding is compiled as it is; otherwise nothing is written. By
// a warp.
template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL bool put_tame(M m, const Place<M>& place, Int128 v, int unit, bool some, Size n,
                             const Results<M, ops>& results) {
  uint64_t bits = 0;
  if constexpr (!Floating<T>) {
    if constexpr (!is_plain<T, ops>()) return false;
    const bool is_signed = v >> 63 == v >> 127 && place.dtype == DType::i64,
               is_unsigned = v >> 64 == 0 && place.dtype == DType::u64;
    if (unit != 0 || (!is_signed && !is_unsigned)) return false;
    bits = static_cast<uint64_t>(v);
  } else {
    if (place.dtype != dtype_of<T>) return false;
    const auto finish = [&](bool zero, const ExactSum& sum) {
      return finish_tame<ops>(Tame{.n = n,
                                   .some_not_negative_zero = !zero || some,
                                   .sum = sum,
                                   .nan = results.nan,
                                   .correction = results.correction});
    };
    if (v == 0) {
      const Real r = finish(true, {});
      if (r.kind != Real::Kind::finite) return false;
      bits = static_cast<uint64_t>(r.negative) << (8 * sizeof(T) - 1);
    } else if constexpr (is_plain<T, ops>() && sizeof(T) >= 4) {
      if (!convert<T>(v, unit, bits)) return false;
    } else {
      const bool negative = v < 0;
      const Real r =
          finish(false, {Leading(static_cast<Uint128>(negative ? -v : v), unit), negative});
      if (r.kind != Real::Kind::finite) return false;
      bits = round_float<steps_of<T, ops>()>(r, float_format(dtype_of<T>));
    }
  }
  if (m.lane() == 0) put_bits(m, place, Floating<T> ? sizeof(T) : 8, bits, Status::ok);
  return true;
}

// What an op sees here; the same as onefold::Gathered.
template <class M, class T, uint32_t set>
struct Gathered {
  using State = StateOf<T, set>;
  using Limbs = Digits<Shared<M, int64_t>>;
  enum : int { found_words = accumulator_count * found_columns };
  // n Q - S^2 as a Leading: its digits, exponent and sticky bit.
  enum : int { spread_exponent = Leading::size, spread_sticky, spread_words };

  Shared<M, int64_t> words;
  Shared<M, int> found;
  Shared<M, uint32_t> difference;
  NanPolicy nan;
  Correction correction;

  template <class F>
  ONEFOLD_KERNEL static constexpr void for_limbs(F f) {
#define ONEFOLD_ENTRY(name)                                           \
  if constexpr (State::has(Accumulator::name)) {                      \
    if constexpr (requires { accumulator::name<T>::limbs; }) {        \
      f.template operator()<accumulator::name<T>>(Accumulator::name); \
    }                                                                 \
  }
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
  }
  ONEFOLD_KERNEL static constexpr unsigned count_limbs() {
    unsigned n = 0;
    for_limbs([&]<class A>(Accumulator) { ++n; });
    return n;
  }
  ONEFOLD_KERNEL Limbs digits(Accumulator a, int n) const {
    const int at = static_cast<int>(a) * found_columns;
    const int low = found[at + found_low], high = found[at + found_high],
              negative = found[at + found_negative];
    return {.limb = words + State::offset(a),
            .n = n,
            .low = low,
            .high = high,
            .negative = negative != 0};
  }

  ONEFOLD_KERNEL Tally tally() const {
    return tally_of<accumulator::tally<T>>(words + State::offset(Accumulator::tally), nan);
  }
  ONEFOLD_KERNEL Tally dot_tally() const {
    return tally_of<accumulator::dot<T>>(words + State::offset(Accumulator::dot), nan);
  }
  ONEFOLD_KERNEL ExactSum limbs(Accumulator a) const {
    const int at = static_cast<int>(a) * found_columns;
    ExactSum s;
    const int exponent = found[at + found_exponent], sticky = found[at + found_sticky],
              negative = found[at + found_negative];
    for (int k = 0; k < 6; ++k) {
      const int digit = found[at + found_digits + k];
      s.magnitude.digit[k] = static_cast<uint32_t>(digit);
    }
    s.magnitude.exponent = exponent;
    s.magnitude.sticky = sticky != 0;
    s.negative = negative != 0;
    return s;
  }
  ONEFOLD_KERNEL Leading spread(uint32_t) const {
    Leading r;
    for (int k = 0; k < Leading::size; ++k) r.digit[k] = difference[k];
    const uint32_t exponent = difference[spread_exponent], sticky = difference[spread_sticky];
    r.exponent = static_cast<int>(exponent);
    r.sticky = sticky != 0;
    return r;
  }
  ONEFOLD_KERNEL Size zeros() const {
    const int64_t n = words[State::offset(Accumulator::zeros)];
    return static_cast<Size>(n);
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    const int at = State::offset(a);
    const int64_t key = words[at], index = words[at + 1], nan_index = words[at + 2];
    Extreme e = extreme_of(static_cast<Size>(index), static_cast<Size>(nan_index), nan);
    if (!e.nan && !e.empty) e.value = real_of_key<T>(key);
    return e;
  }

  // By a block: leaves n Q - S^2 in `difference`.
  ONEFOLD_KERNEL_COLD static void subtract(M m, Gathered g) {
    // S^2 has twice the digits of S; Q, n and the correction add five.
    constexpr int most = 2 * accumulator::sum<T>::limbs + 8;
    auto column = shared<int64_t, 2 * most, struct column_>(m);
    auto carried = shared<uint32_t, most, struct carried_>(m);
    const auto t = static_cast<unsigned>(m.thread());
    const Limbs s = g.digits(Accumulator::sum, accumulator::sum<T>::limbs),
                q = g.digits(Accumulator::sumsq, accumulator::sumsq<T>::limbs);
    const ColumnRange range = spread_columns(s, q);
    const Size n = g.tally().n;
    ONEFOLD_NO_UNROLL
    for (int k = range.begin + static_cast<int>(t); k < range.end;
         k += static_cast<int>(m.threads())) {
      const Column c = spread_column(s, q, n, k);
      column[2 * (k - range.begin)] = c.high;
      column[2 * (k - range.begin) + 1] = static_cast<int64_t>(c.low);
    }
    m.sync();
    if (t == 0) {
      const auto at = [&](int k) {
        const int64_t high = column[2 * (k - range.begin)], low = column[2 * (k - range.begin) + 1];
        return Column{high, static_cast<uint64_t>(low)}.value();
      };
      const Leading r = carry_columns(at, range, static_cast<uint32_t>(g.correction.denominator),
                                      accumulator::sumsq<T>::unit, carried);
      for (int k = 0; k < Leading::size; ++k) g.difference[k] = r.digit[k];
      g.difference[spread_exponent] = static_cast<uint32_t>(r.exponent);
      g.difference[spread_sticky] = r.sticky ? 1u : 0u;
    }
    m.sync();
  }
};

// Rounds the answers to the words of a state in shared memory. By a block, or by a warp alone.
template <class T, uint32_t set, uint32_t ops, bool by_block, class M>
ONEFOLD_KERNEL void answer_here(M m, Shared<M, int64_t> words, const Results<M, ops>& results) {
  using G = Gathered<M, T, set>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned warp = t / 32, warps = by_block ? m.threads() / 32 : 1;
  const G g{.words = words,
            .found = shared<int, G::found_words, struct found_>(m),
            .difference = shared<uint32_t, G::spread_words, struct difference_>(m),
            .nan = results.nan,
            .correction = results.correction};
  // A sum a warp, by one text for all of them.
  constexpr unsigned sums = G::count_limbs();
  ONEFOLD_NO_UNROLL
  for (unsigned k = warp; k < sums; k += warps) {
    int at = 0, n = 0, unit = 0, found = 0;
    unsigned turn = 0;
    G::for_limbs([&]<class A>(Accumulator a) {
      if (turn++ != k) return;
      at = G::State::offset(a), n = A::limbs, unit = A::unit;
      found = static_cast<int>(a) * found_columns;
    });
    settle<subtracts(ops)>(m, words + at, n, unit, g.found + found);
  }
  if constexpr (by_block) {
    m.sync();
    if constexpr (subtracts(ops)) G::subtract(m, g);
  } else {
    m.sync_warp();
  }
  // An op a lane, spread over the warps; then all round at once.
  constexpr unsigned count = count_ops(ops);
  const unsigned mine = t % 32 * warps + warp;
  if (mine >= count) return;
  Real r;
  unsigned turn = 0;
#define ONEFOLD_ENTRY(name)                                     \
  if constexpr (asks(ops, OpIndex::name##_)) {                  \
    if (count == 1 || turn == mine) r = op::name##_::finish(g); \
    ++turn;                                                     \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  put<steps_of<T, ops>()>(m, results.place[count == 1 ? 0 : mine], r);
}
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer(M m, Shared<M, int64_t> words, Results<M, ops> results) {
  answer_here<T, set, ops, true>(m, words, results);
}
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer_by_warp(M m, Shared<M, int64_t> words, Results<M, ops> results) {
  answer_here<T, set, ops, false>(m, words, results);
}

}  // namespace onefold::kernel
