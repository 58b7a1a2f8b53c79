#include "onefold/cpu/pair_gatherer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "onefold/core/accumulator.hpp"

namespace onefold::cpu_backend {
namespace {

// Returns the type of the differences of integers: unsigned, of the same size.
DType type_of_differences(DType t) {
  if (is_floating(t)) return t;
  constexpr DType types[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  return types[bit_length(uint64_t{bytes_of(t)}) - 1];
}

template <class T>
T load(const std::byte* p, Size i) {
  T v;
  std::memcpy(&v, p + i * sizeof(T), sizeof(T));
  return v;
}

// Writes high - low of each pair as an unsigned integer of that size.
template <class T>
void differences(Inputs in, Size n, bits_of<T>* out) {
  for (Size i = 0; i < n; ++i) {
    const T x = load<T>(in.x, i), y = load<T>(in.y, i);
    if constexpr (dtype_of<T> == DType::boolean) {
      out[i] = (x.byte != 0) != (y.byte != 0);
    } else {
      const auto a = static_cast<bits_of<T>>(x), b = static_cast<bits_of<T>>(y);
      out[i] = static_cast<bits_of<T>>(x < y ? b - a : a - b);
    }
  }
}

// Writes the larger of each pair, and the smaller one with its sign changed. The sum of both is the
// difference.
template <class T>
void ordered(Inputs in, Size n, bits_of<T>* larger, bits_of<T>* smaller) {
  using B = bits_of<T>;
  constexpr B sign = static_cast<B>(B{1} << (8 * sizeof(B) - 1));
  for (Size i = 0; i < n; ++i) {
    const B a = load<B>(in.x, i), b = load<B>(in.y, i);
    // Orders the numbers by their bits; -0 and +0 may come in either order.
    const B ka = (a & sign) != 0 ? static_cast<B>(~a) : static_cast<B>(a | sign);
    const B kb = (b & sign) != 0 ? static_cast<B>(~b) : static_cast<B>(b | sign);
    // No branch, since the processor could not predict it.
    const B swap = static_cast<B>((a ^ b) & static_cast<B>(-static_cast<int>(ka < kb)));
    larger[i] = static_cast<B>(a ^ swap);
    smaller[i] = static_cast<B>(b ^ swap ^ sign);
  }
}

// Returns the largest |x - y|, rounded to f64. The loop has no dependency from one step to the
// next.
template <class T>
double greatest(Inputs in, Size n) {
  constexpr Size lanes = 8;
  double most[lanes] = {};
  const auto at = [&](Size i) {
    const double d = static_cast<double>(load<T>(in.x, i)) - static_cast<double>(load<T>(in.y, i));
    return d < 0 ? -d : d;
  };
  Size i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (Size k = 0; k < lanes; ++k) {
      const double d = at(i + k);
      most[k] = most[k] < d ? d : most[k];
    }
  }
  for (; i < n; ++i) most[0] = std::max(most[0], at(i));
  return *std::max_element(most, most + lanes);
}

}  // namespace

struct PairGatherer::Memory {
  // The buffer has room for one vector after the compressed elements.
  alignas(64) std::byte x[most * 8 + 64], y[most * 8 + 64];
  alignas(64) std::byte larger[most * 8], smaller[most * 8];
};

// The accumulators that have a loop in this file or a feed.
constexpr Accumulators taken =
    Accumulator::pairs | Accumulator::left_sum | Accumulator::left_sumsq | Accumulator::right_sum |
    Accumulator::right_sumsq | Accumulator::sumabsdiff | Accumulator::maxabsdiff;

PairGatherer::PairGatherer(const Plan& plan)
    : plan_(plan),
      target_(find_target(plan.target)),
      ways_(select_ways(target_)),
      left_(turns(plan.dtype, {{Accumulator::sum, Accumulator::left_sum},
                               {Accumulator::sumsq, Accumulator::left_sumsq}})),
      right_(turns(plan.dtype, {{Accumulator::sum, Accumulator::right_sum},
                                {Accumulator::sumsq, Accumulator::right_sumsq}})),
      differences_(
          turns(type_of_differences(plan.dtype), {{Accumulator::sum, Accumulator::sumabsdiff}})),
      lifted_(plan.needs.of_pairs().bits & ~taken.bits),
      memory_(new Memory) {}
PairGatherer::~PairGatherer() = default;

// Returns the feeds for the accumulators that the plan needs. `wanted` pairs each accumulator of
// one array, which a feed gathers, with the accumulator whose words of the state the feed fills.
Turns PairGatherer::turns(DType t,
                          std::initializer_list<std::pair<Accumulator, Accumulator>> wanted) const {
  Accumulators needs;
  int offset[accumulator_count] = {};
  for (const auto& [own, place] : wanted) {
    if (!plan_.needs.has(place)) continue;
    needs = needs | own;
    offset[static_cast<int>(own)] = plan_.layout.offset[static_cast<int>(place)];
  }
  if (needs.empty()) return {};
  return {choose_feeds(target_, t, needs), needs, offset};
}

void PairGatherer::open(int64_t* state) {
  state_ = state;
  for (Turns* t : {&left_, &right_, &differences_}) t->open(state);
}

void PairGatherer::close() {
  for (Turns* t : {&left_, &right_, &differences_}) t->close();
}

void PairGatherer::run(Inputs in, Size n) {
  if (is_floating(plan_.dtype)) in = leave_out(in, n);
  if (n == 0) return;
  if (plan_.needs.has(Accumulator::pairs)) {
    words(Accumulator::pairs)[0] += static_cast<int64_t>(n);
  }
  left_.run(in.x, nullptr, n, 0);
  right_.run(in.y, nullptr, n, 0);
  if (differences_.size() != 0) run_differences(in, n);
  if (plan_.needs.has(Accumulator::maxabsdiff)) run_greatest(in, n);
  if (!lifted_.empty()) lift(lifted_, in, n);
}

// Adds n pairs one by one, by `lift`.
void PairGatherer::lift(Accumulators set, Inputs in, Size n) {
  for (int k = accumulator_count; k < every_accumulator; ++k) {
    const auto a = static_cast<Accumulator>(k);
    if (!set.has(a)) continue;
    visit(a, plan_.dtype, [&]<class A>() {
      using T = typename A::Element;
      int64_t* const w = words(a);
      if constexpr (TwoInputs<A>) {
        const auto add = [w](int word, int64_t v) { w[word] += v; };
        for (Size i = 0; i < n; ++i) A::lift(add, load<T>(in.x, i), load<T>(in.y, i), 0);
      } else if constexpr (SmallPair<A>) {
        auto state = load_state<A>(w);
        for (Size i = 0; i < n; ++i) A::lift(state, load<T>(in.x, i), load<T>(in.y, i), 0);
        store_state<A>(w, state);
      }
    });
  }
}

// Moves the pairs of finite numbers together; sets n to their number.
Inputs PairGatherer::leave_out(Inputs in, Size& n) {
  const Size bytes = bytes_of(plan_.dtype);
  const uint64_t greatest = infinity_bits(plan_.dtype) - 1;
  const SelectWays::Elements& ways = ways_.of(bytes);
  if (ways.all_within(in.x, greatest, n) && ways.all_within(in.y, greatest, n)) return in;
  Selection finite;
  finite.append(ways_, {}, 0, 0, n);
  ways.within(in.x, greatest, n, finite.word);
  const Size left = ways.within(in.y, greatest, n, finite.word);
  for (Size i = 0; i < n; i += 64) {
    for (uint64_t m = ~finite.word[i / 64] & low_bits(std::min<Size>(n - i, 64)); m != 0;
         m &= m - 1) {
      const Size k = i + static_cast<Size>(__builtin_ctzll(m));
      const auto offset = static_cast<int64_t>(k * bytes);
      lift(plan_.needs, in.at(offset, offset), 1);
    }
  }
  compress(ways_, in, finite.word, n, bytes, memory_->x, memory_->y);
  n = left;
  return {memory_->x, memory_->y};
}

void PairGatherer::run_differences(Inputs in, Size n) {
  const bool ordered_floats =
      ways_.order(plan_.dtype, in.x, in.y, n, memory_->larger, memory_->smaller);
  visit(plan_.dtype, [&]<class T>() {
    if (ordered_floats) return;
    static_assert(accumulator::sumabsdiff<T>::limbs == accumulator::sum<T>::limbs);
    auto* const larger = reinterpret_cast<bits_of<T>*>(memory_->larger);
    auto* const smaller = reinterpret_cast<bits_of<T>*>(memory_->smaller);
    if constexpr (Floating<T>) {
      ordered<T>(in, n, larger, smaller);
    } else {
      differences<T>(in, n, larger);
    }
  });
  differences_.run(memory_->larger, nullptr, n, 0);
  if (is_floating(plan_.dtype)) differences_.run(memory_->smaller, nullptr, n, 0);
}

void PairGatherer::run_greatest(Inputs in, Size n) {
  int64_t* const w = words(Accumulator::maxabsdiff);
  visit(plan_.dtype, [&]<class T>() {
    using Greatest = accumulator::maxabsdiff<T>;
    auto state = load_state<Greatest>(w);
    if constexpr (Floating<T> && sizeof(T) >= 4) {
      // Examines only pairs whose rounded difference equals the greatest one.
      const double most_of_all = greatest<T>(in, n);
      if (bit_cast<uint64_t>(most_of_all) < state.high) return;
      for (Size i = 0; i < n; ++i) {
        const T x = load<T>(in.x, i), y = load<T>(in.y, i);
        const double d = static_cast<double>(x) - static_cast<double>(y);
        if ((d < 0 ? -d : d) == most_of_all) Greatest::lift(state, x, y, 0);
      }
    } else {
      for (Size i = 0; i < n; ++i) {
        Greatest::lift(state, load<T>(in.x, i), load<T>(in.y, i), 0);
      }
    }
    store_state<Greatest>(w, state);
  });
}

}  // namespace onefold::cpu_backend
