// Elements added one by one to the words of a table.
#include <algorithm>
#include <type_traits>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/group/decimal_scale.hpp"
#include "onefold/engine/group/state_table.hpp"

namespace onefold {

// Returns the slot of a word in each slice; adds a slot if the table does not hold the word.
int StateTable::room_for(int word) {
  int& slot = slot_[static_cast<std::size_t>(word)];
  if (slot < 0) hold({word}, [](int) { return false; });
  return slot;
}

namespace {

// Decimals of elements as integers times one power of ten, as in onefold/cpu/feed/decimals_f64.inl.
// `add(word, value)` gets their digits.
class ScaledDecimals {
 public:
  template <class Add>
  void lift(double x, Add add) {
    const double digits = (x * scale_of_.power + DecimalScale::magic) - DecimalScale::magic;
    const double a = digits < 0 ? -digits : digits;
    if (digits / scale_of_.power != x || !(a <= decimal::most_digits)) {
      if (scale_of_.widen(x < 0 ? -x : x)) set();
      return accumulator::decimal<double>::lift(add, x, Size{0});
    }
    const auto magnitude = static_cast<uint64_t>(a);
    const int64_t sign = digits < 0 ? -1 : 1;
    const uint64_t above = magnitude / below_;
    add(word_, sign * static_cast<int64_t>(magnitude % below_ * scale_));
    if (above == 0) return;
    add(word_ + 1, sign * static_cast<int64_t>(above % decimal::base));
    if (above >= decimal::base) add(word_ + 2, sign * static_cast<int64_t>(above / decimal::base));
  }

 private:
  void set() {
    const int place = -scale_of_.decimals - decimal::lowest;
    word_ = place / 9;
    scale_ = 1;
    for (int r = place % 9; r > 0; --r) scale_ *= 10;
    below_ = decimal::base / scale_;
  }

  DecimalScale scale_of_;
  int word_ = decimal::below;  // gets the lowest digits, times scale_
  uint64_t scale_ = 1, below_ = decimal::base;
};

}  // namespace

template <class A>
void StateTable::add_to(int begin, const uint32_t* group, const std::byte* x, Size step, Size n,
                        const std::byte* is_long, const Size* index) {
  using T = typename A::Element;
  constexpr bool is_decimal = std::is_same_v<A, accumulator::decimal<T>>;
  [[maybe_unused]] ScaledDecimals decimals;
  for (Size i = 0; i < n; ++i) {
    if (is_decimal && is_long != nullptr && is_long[i] != std::byte{0}) continue;
    T value;
    __builtin_memcpy(static_cast<void*>(&value), x + i * step * sizeof(T), sizeof(T));
    const Size g = group[i];
    if constexpr (Small<A>) {
      int64_t* const words = at(g) + slot_[static_cast<std::size_t>(begin)];
      typename A::State s = load_state<A>(words);
      A::lift(s, value, index == nullptr ? 0 : index[i]);
      store_state<A>(words, s);
    } else {
      const auto add = [&](int k, int64_t v) { word_of(g, begin + k) += v; };
      if constexpr (std::is_same_v<A, accumulator::decimal<double>>) {
        decimals.lift(value, add);
      } else {
        A::lift(add, value, Size{0});
      }
    }
  }
}

void StateTable::add(const uint32_t* group, const std::byte* x, Size step, Size n,
                     const std::byte* is_long, const Size* index) {
  // Blocks whose slices stay in a near cache while all accumulators get the same elements.
  constexpr Size block = 256;
  while (n > 0) {
    if (uncarried_ >= carry_interval) carry_up();
    const Size some = std::min({n, carry_interval - uncarried_, block});
    for (Size i = 0; i < some; ++i) load(group[i]);
    for (const AccumulatorSlice& p : parts_) {
      visit(p.accumulator, dtype_, [&]<class A>() {
        if constexpr (Small<A> || OneInput<A>)
          add_to<A>(p.begin, group, x, step, some, is_long, index);
      });
    }
    uncarried_ += some;
    group += some;
    if (is_long != nullptr) is_long += some;
    if (index != nullptr) index += some;
    x += some * step * bytes_of(dtype_);
    n -= some;
  }
}

void StateTable::add(Size slice, const FiniteTotal& total) {
  if (++uncarried_ >= carry_interval) carry_up();
  using Tally = accumulator::tally<double>;
  const auto group = static_cast<uint32_t>(slice);
  const bool negative = total.sum < 0;
  const auto magnitude = static_cast<Uint128>(negative ? -total.sum : total.sum);
  for (const AccumulatorSlice& p : parts_) {
    const auto add = [&](int k, int64_t v) { word_of(slice, p.begin + k) += v; };
    const auto lift = [&]<class A>(const double& x) {
      add_to<A>(p.begin, &group, reinterpret_cast<const std::byte*>(&x), 1, 1, nullptr, nullptr);
    };
    switch (p.accumulator) {
      case Accumulator::sum:
        deposit(add, magnitude, negative, total.unit - unit_of_sum(Accumulator::sum, dtype_));
        break;
      case Accumulator::decimal:
        decimal::add_scaled(add, magnitude, negative, total.unit);
        break;
      case Accumulator::tally:
        add(Tally::n, static_cast<int64_t>(total.n));
        add(Tally::not_negative_zero, 1);
        break;
      case Accumulator::least:
        lift.template operator()<accumulator::least<double>>(total.least);
        break;
      case Accumulator::greatest:
        lift.template operator()<accumulator::greatest<double>>(total.greatest);
        break;
      default:
        break;
    }
  }
}

void StateTable::add(Size slice, const DecimalTerm& term) {
  const int begin = layout_.offset[static_cast<int>(Accumulator::decimal)];
  const int tally = layout_.offset[static_cast<int>(Accumulator::tally)];
  if (begin < 0) return;
  if (++uncarried_ >= carry_interval) carry_up();
  add_term([&](int k, int64_t v) { word_of(slice, begin + k) += v; }, term);
  if (tally >= 0) word_of(slice, tally + accumulator::tally<double>::not_negative_zero) = 1;
}

// Propagates carries: the part of a word beyond a signed digit is added to the next limb; it may
// have either sign.
void StateTable::carry_up() {
  uncarried_ = 0;
  for (const AccumulatorSlice& p : parts_) {
    for (int w = p.begin; w + 1 < p.rest(); ++w) {
      if (slot_[static_cast<std::size_t>(w)] < 0) continue;
      for (Size g = 0; g < size_; ++g) {
        const int64_t up = at(g)[slot_[static_cast<std::size_t>(w)]] / p.row->base;
        if (up == 0) continue;
        const int to = room_for(w + 1);
        at(g)[slot_[static_cast<std::size_t>(w)]] -= up * p.row->base;
        at(g)[to] += up;
      }
    }
  }
}

}  // namespace onefold
