// Computes the answers of groups from their sums and counts; one thread for each group.
#pragma once

#include "onefold/core/exact/long_integer.hpp"
#include "onefold/cuda/kernel/answer/ops.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/labels/gather.hpp"
#include "onefold/cuda/kernel/labels/rest.hpp"

namespace onefold::kernel {

// The view of a group's sums that an op gets.
struct GroupView {
  Tally counted;
  SignedMagnitude sum, square;
  Leading difference;  // n Q - S^2, times the denominator of ddof
  NanPolicy nan;
  Correction correction;
  ONEFOLD_KERNEL Tally tally() const { return counted; }
  ONEFOLD_KERNEL SignedMagnitude limbs(Accumulator a) const {
    return a == Accumulator::sumsq ? square : sum;
  }
  ONEFOLD_KERNEL Leading spread(uint32_t) const { return difference; }
};

template <class M, class T, uint32_t set, OpSet ops>
struct AnswersOfLabels {
  using In = LabelSums<M, T>;
  using Rest = RestOfLabels<M, T, set>;
  using State = StateOf<T, set>;
  using Sum = accumulator::sum<T>;
  using Square = accumulator::sumsq<T>;
  using Tallied = accumulator::tally<T>;
  static constexpr bool sums = State::has(Accumulator::sum),
                        squares = State::has(Accumulator::sumsq);

  M m;
  const In& in;
  const Results<M, ops>& results;
  Rest rest;

  ONEFOLD_KERNEL void answer() const {
    if (rest.thread_of_all() < Size{In::told_words}) {
      const int64_t word = in.words[rest.thread_of_all()];
      in.told[rest.thread_of_all()] = word;
    }
    const bool holds = rest.holds();
    if (rest.thread_of_all() == 0) {
      const int64_t bad = in.words[int{In::bad}];
      in.words[int{In::verdict}] = int64_t{bad != 0 ? int{SumsOutcome::bad_label}
                                           : holds  ? int{SumsOutcome::answered}
                                                    : int{SumsOutcome::refused}};
    }
    if (!holds) return;
    const int64_t base = in.words[int{In::base}];
    ONEFOLD_NO_UNROLL
    for (Size g = rest.thread_of_all(); g < in.groups; g += rest.all_threads()) {
      put(g, seen(g, static_cast<int>(base)));
    }
  }

 private:
  ONEFOLD_KERNEL GroupView seen(Size g, int base) const {
    const Mark mark{in.words[in.marks() + g]};
    GroupView s{.counted = {},
                .sum = {},
                .square = {},
                .difference = {},
                .nan = results.nan,
                .correction = results.correction};
    if (in.counts) {
      const int64_t n = in.words[in.counted() + g];
      s.counted.n = static_cast<Size>(n);
    }
    const Size row = in.rows_at() + static_cast<Size>(mark.row()) * State::words;
    const bool has_row = m.branch(mark.row() >= 0);
    if (has_row) {
      const Size tally = row + static_cast<Size>(State::offset(Accumulator::tally));
      const int64_t nan = in.words[tally + Tallied::nan],
                    positive = in.words[tally + Tallied::positive_infinity],
                    negative = in.words[tally + Tallied::negative_infinity];
      s.counted.nan = static_cast<Size>(nan);
      s.counted.positive_infinity = static_cast<Size>(positive);
      s.counted.negative_infinity = static_cast<Size>(negative);
      if (results.nan == NanPolicy::omit) s.counted.n -= s.counted.nan;
    }
    s.counted.all_negative_zero = mark.has_negative_zero() && !mark.has_other();
    if constexpr (sums || squares) {
      const Units units{sums ? rest.total(g) : Int128{0},
                        squares ? rest.square_total(g) : Uint128{0},
                        Rest::real ? base - ImageForm<T>::zero : 0};
      if (has_row) {
        see_with_row(s, units, row);
      } else {
        see(s, units);
      }
    }
    return s;
  }
  // The sums of a group's elements that fit the windows, as integers in the windows' unit.
  struct Units {
    Int128 sum;
    Uint128 square;
    int unit;
    ONEFOLD_KERNEL Uint128 magnitude() const { return static_cast<Uint128>(sum < 0 ? -sum : sum); }
  };
  ONEFOLD_KERNEL static void see(GroupView& s, const Units& u) {
    s.sum = {Leading(u.magnitude(), u.unit), u.sum < 0};
    s.square = {Leading(u.square, 2 * u.unit), false};
    if constexpr (subtracts(ops)) {  // n Q has 192 bits, the denominator 30
      using Number = LongInteger<8>;
      s.difference = difference(s, Number(u.square), Number(u.magnitude()), 2 * u.unit);
    }
  }
  template <class Number>
  ONEFOLD_KERNEL static Leading difference(const GroupView& s, const Number& square,
                                           const Number& sum, int unit) {
    const Number d = Number(Uint128{s.counted.n}) * square - sum * sum;
    return leading(d * Number(static_cast<Uint128>(s.correction.denominator)), unit);
  }
  // The limbs of A for one group: its row of limbs (elements that fit no window) plus its sum in
  // units.
  template <class A>
  struct Limbs {
    int64_t limb[A::limbs];
    ONEFOLD_KERNEL Limbs(const In& in, Size row, Uint128 magnitude, bool negative, int position) {
      ONEFOLD_NO_UNROLL
      for (int k = 0; k < A::limbs; ++k) {
        const int64_t v = in.words[row + static_cast<Size>(k)];
        limb[k] = v;
      }
      // Bits below the lowest unit of the type are 0.
      if (position < 0) {
        magnitude >>= -position;
        position = 0;
      }
      deposit([&](int k, int64_t v) { limb[k] += v; }, magnitude, negative, position);
      carry(limb, A::limbs);
    }
    ONEFOLD_KERNEL auto digits() const { return find_digits(limb, A::limbs); }
    ONEFOLD_KERNEL SignedMagnitude sum() const {
      const auto d = digits();
      return {leading(d, A::unit), d.negative};
    }
  };
  // Out of line, since few groups have a row of limbs.
  ONEFOLD_KERNEL_COLD void see_with_row(GroupView& s, Units u, Size row) const {
    const auto at = [&](Accumulator a) { return row + static_cast<Size>(State::offset(a)); };
    if constexpr (sums && squares) {
      const Limbs<Sum> sum(in, at(Accumulator::sum), u.magnitude(), u.sum < 0, u.unit - Sum::unit);
      const Limbs<Square> square(in, at(Accumulator::sumsq), u.square, false,
                                 2 * u.unit - Square::unit);
      s.sum = sum.sum();
      s.square = square.sum();
      if constexpr (subtracts(ops)) {
        using Number = LongInteger<2 * Sum::limbs + 8>;
        s.difference = difference(s, Number(square.digits()), Number(sum.digits()), Square::unit);
      }
    } else if constexpr (sums) {
      s.sum =
          Limbs<Sum>(in, at(Accumulator::sum), u.magnitude(), u.sum < 0, u.unit - Sum::unit).sum();
    } else {
      s.square =
          Limbs<Square>(in, at(Accumulator::sumsq), u.square, false, 2 * u.unit - Square::unit)
              .sum();
    }
  }

  ONEFOLD_KERNEL void put(Size g, const GroupView& s) const {
    int k = 0;
    const auto one = [&]<class Op>() {
      const Place<M>& place = results.place[k++];
      Rounded r = round<Taking<steps_of<T, ops>()>>(Op::finish(s), place.dtype);
      change_empty(place.empty_nan, place.dtype, r.bits, r.status);
      store<uint64_t>(place, g, r.bits);
      store<uint32_t>(place, g, r.bits);
      store<uint16_t>(place, g, r.bits);
      store<uint8_t>(place, g, r.bits);
      if (place.has_status) place.status[g] = static_cast<uint8_t>(r.status);
    };
    each_op<ops>(one);
  }
  template <class Word>
  ONEFOLD_KERNEL void store(const Place<M>& place, Size g, uint64_t bits) const {
    if (bytes_of(place.dtype) != sizeof(Word)) return;
    m.template as<Word>(place.value)[g] = static_cast<Word>(bits);
  }
};

//   omits   NaN were skipped, and no op counts them
template <class T, uint32_t set, OpSet ops, bool omits = false, class M>
ONEFOLD_KERNEL void label_sums(M m, const LabelSums<M, T>& in, const Results<M, ops>& results) {
  const RestOfLabels<M, T, set> rest{m, in};
  if (in.step == SumStep::gather) {
    constexpr bool counting = ops != bit_of(OpIndex::sum_);
    GatherLabels<M, T, set, counting, omits> all{{m, in, {}}};
    all.gather();
  } else if (in.step == SumStep::begin) {
    rest.begin();
  } else if (in.step == SumStep::number) {
    rest.number();
  } else if (in.step == SumStep::rest) {
    rest.rest();
  } else {
    const AnswersOfLabels<M, T, set, ops> answers{m, in, results, rest};
    answers.answer();
  }
}

}  // namespace onefold::kernel
