#include "onefold/running.hpp"

#include <cstring>

#include "onefold/core/accumulator.hpp"
#include "onefold/core/exact/limbs.hpp"
#include "onefold/core/exact/quick.hpp"
#include "onefold/cpu/family/few.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/state/state.hpp"

namespace onefold {
namespace {

// The digits of a sum in base 2^32, each with its own sign. The first digit belongs to limb `base`
// of a state.
template <int room_below, int limbs>
struct Window {
  static constexpr int n = limbs;
  static constexpr int unset = -1000;
  int64_t base;
  int64_t digit[limbs];

  void clear() {
    base = unset;
    for (int64_t& d : digit) d = 0;
  }
  // The index of limb k's digit among `digits` digits, or -1 if it has none.
  int place(int k, int digits) {
    if (base == unset) base = std::max(0, k - room_below);
    const int64_t at = k - base;
    return at < 0 || at + digits > limbs ? -1 : static_cast<int>(at);
  }
  bool fits(const Window& o) const {
    const int64_t by = o.base == unset || base == unset ? 0 : o.base - base;
    for (int k = 0; k < limbs; ++k) {
      if (o.digit[k] != 0 && (k + by < 0 || k + by >= limbs)) return false;
    }
    return true;
  }
  void merge(const Window& o) {
    if (o.base == unset) return;
    if (base == unset) base = o.base;
    const int64_t by = o.base - base;
    for (int k = 0; k < limbs; ++k) {
      if (o.digit[k] != 0) digit[k + by] += o.digit[k];
    }
  }
  void put(int64_t* limb) const {
    for (int k = 0; k < limbs; ++k) {
      if (digit[k] != 0) limb[base + k] = digit[k];
    }
  }
};
// The digits cover 2^-64 to 2^64 times the first element. A mantissa takes 3 digits, its square
// 5.
using Sum = Window<2, 7>;
using Squares = Window<3, 11>;

// An element as (-1)^negative m 2^position units; has no value if it is not finite.
struct Significand {
  uint64_t m;
  int position;
  int64_t sign;  // 0 or -1
};
template <class T>
bool parts_of(T x, Significand& p) {
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    const auto bits = static_cast<uint64_t>(bit_cast<bits_of<T>>(x));
    const auto exponent = static_cast<int>(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
    p.m = (bits & ((uint64_t{1} << f.mantissa_bits) - 1)) | uint64_t{exponent != 0}
                                                                << f.mantissa_bits;
    p.position = exponent - (exponent != 0);
    p.sign = -static_cast<int64_t>(bits >> (8 * sizeof(T) - 1));
    return exponent != (1 << f.exponent_bits) - 1;
  } else {
    p.sign = x < 0 ? -1 : 0;
    p.m =
        (static_cast<uint64_t>(x) ^ static_cast<uint64_t>(p.sign)) - static_cast<uint64_t>(p.sign);
    p.position = 0;
    return true;
  }
}

// The beginning of a run; its windows follow in memory.
struct Head {
  uint32_t n = 0;
  bool number = false;  // some element is not -0
};
Sum& sum_of(void* run) { return *reinterpret_cast<Sum*>(static_cast<Head*>(run) + 1); }
template <bool sum>
Squares& squares_of(void* run) {
  auto* const after = reinterpret_cast<std::byte*>(static_cast<Head*>(run) + 1);
  return *reinterpret_cast<Squares*>(after + (sum ? sizeof(Sum) : 0));
}

// Adds x; returns false if x does not fit.
template <bool sum, bool squares>
inline __attribute__((always_inline)) bool add(void* run, const Significand& p, bool number) {
  Head& head = *static_cast<Head*>(run);
  if (head.n >= most_uncarried) return false;
  int at = 0, square_at = 0;
  if (p.m != 0) {
    if constexpr (sum) at = sum_of(run).place(p.position >> 5, 3);
    if constexpr (squares) square_at = squares_of<sum>(run).place(p.position >> 4, 5);
    if ((at | square_at) < 0) return false;
  }
  ++head.n;
  head.number |= number;
  if (p.m == 0) return true;
  if constexpr (sum) {
    const int by = p.position & 31;
    const uint64_t low = p.m << by, high = p.m >> 1 >> (63 - by);
    int64_t* const digit = sum_of(run).digit + at;
    digit[0] += (static_cast<int64_t>(static_cast<uint32_t>(low)) ^ p.sign) - p.sign;
    digit[1] += (static_cast<int64_t>(low >> 32) ^ p.sign) - p.sign;
    digit[2] += (static_cast<int64_t>(high) ^ p.sign) - p.sign;
  }
  if constexpr (squares) {
    const Uint128 square = static_cast<Uint128>(p.m) * p.m;
    const int by = 2 * p.position & 31;
    const auto low = static_cast<Uint128>(static_cast<uint64_t>(square)) << by;
    const Uint128 high = (square >> 64 << by) + (low >> 64);
    int64_t* const digit = squares_of<sum>(run).digit + square_at;
    digit[0] += static_cast<uint32_t>(low);
    digit[1] += static_cast<uint32_t>(low >> 32);
    for (int k = 0; k < 3; ++k) digit[2 + k] += static_cast<uint32_t>(high >> 32 * k);
  }
  return true;
}

template <class T, bool sum, bool squares>
Size add_each(void* const* blocks, Size offset, const void* x, Size n, uint32_t* left) {
  Size out = 0;
  constexpr Size ahead = 8;  // prefetches, since runs of different groups are far apart in memory
  for (Size i = 0; i < n; ++i) {
    if (i + ahead < n) __builtin_prefetch(static_cast<std::byte*>(blocks[i + ahead]) + offset, 1);
    T v;
    std::memcpy(&v, static_cast<const std::byte*>(x) + i * sizeof v, sizeof v);
    Significand p;
    const bool fits =
        parts_of(v, p) && add<sum, squares>(static_cast<std::byte*>(blocks[i]) + offset, p,
                                            Floating<T> && (p.m != 0 || p.sign == 0));
    left[out] = static_cast<uint32_t>(i);
    out += fits ? 0 : 1;
  }
  return out;
}

using AddEach = Size (*)(void* const*, Size, const void*, Size, uint32_t*);
template <class T>
AddEach add_of(bool sum, bool squares) {
  return sum ? squares ? add_each<T, true, true> : add_each<T, true, false>
             : add_each<T, false, true>;
}

// Returns m 2^e, which is exact for these digits.
double scaled(uint64_t m, int e) { return __builtin_ldexp(static_cast<double>(m), e); }

// Splits the value of a window into high + low + rest. Returns false if it has too many bits, or an
// exponent out of range.
//   unit  the exponent of limb 0
template <class W>
bool totals_of(const W& w, int unit, double (&out)[3]) {
  int64_t digit[W::n + 2] = {};
  for (int k = 0; k < W::n; ++k) digit[k] = w.digit[k];
  constexpr int n = W::n + 2;
  carry(digit, n);
  const bool negative = digit[n - 1] < 0;
  if (negative) {
    for (int64_t& d : digit) d = -d;
    carry(digit, n);
  }
  int top = n - 1;
  while (top > 0 && digit[top] == 0) --top;
  int lowest = 0;
  while (lowest < top && digit[lowest] == 0) ++lowest;
  // Three f64 hold about 160 bits, so at most five digits fit; the loop finds out whether they do.
  for (double& d : out) d = 0;
  if (top - lowest > 4) return false;
  const int from = 32 * static_cast<int>(w.base == W::unset ? 0 : w.base) + unit;
  if (from + 32 * (top + 1) > 1000 || from + 32 * lowest < -1000) return false;
  double parts[3] = {};
  for (int k = lowest; k <= top; ++k) {
    const double d = scaled(static_cast<uint64_t>(digit[k]), from + 32 * k);
    // TwoSum adds digits from the lowest on; each step passes its error to the number below.
    double up = d;
    for (double& p : parts) {
      const auto both = two_sum<OneLane>(p, up);
      p = both.sum;
      up = both.rest;
    }
    if (up != 0) return false;
  }
  for (int k = 0; k < 3; ++k) out[k] = negative ? -parts[k] : parts[k];
  return true;
}

}  // namespace

struct RunningKind::Impl {
  State::Impl kind;
  bool sum = false, squares = false;
  AddEach add = nullptr;
  cpu_backend::Few few;  // for a single op
  DType result = DType::f64;
  const OpRow* op = nullptr;
};

RunningKind::RunningKind(std::string_view ops, DType dtype, NanPolicy nan) {
  Options options;
  options.nan = nan;
  const Query query(ops, options);
  auto impl = std::make_unique<Impl>();
  if (!query.two_arrays()) {
    impl->kind = kind_of(query.plan(ArrayRef(nullptr, dtype, Dims(0))), 0);
    Accumulators others = impl->kind.holds;
    impl->sum = others.has(Accumulator::sum);
    impl->squares = others.has(Accumulator::sumsq);
    int held = 0;
    for (int a = 0; a < every_accumulator; ++a) held += others.has(static_cast<Accumulator>(a));
    const bool all = others.has(Accumulator::tally) && held == 1 + impl->sum + impl->squares;
    if (all && (impl->sum || impl->squares)) {
      if (dtype == DType::f64) impl->add = add_of<double>(impl->sum, impl->squares);
      if (dtype == DType::f32) impl->add = add_of<float>(impl->sum, impl->squares);
      if (dtype == DType::i64) impl->add = add_of<int64_t>(impl->sum, impl->squares);
    }
    if (query.ops.size() == 1) {
      impl->op = query.ops[0];
      impl->few = cpu_backend::Few(*impl->op, DType::f64, DType::f64);
    }
  }
  impl_ = std::move(impl);
}
RunningKind::~RunningKind() = default;

bool RunningKind::sums() const { return impl_->add != nullptr; }

Size RunningKind::bytes() const {
  return sizeof(Head) + (impl_->sum ? sizeof(Sum) : 0) + (impl_->squares ? sizeof(Squares) : 0);
}

namespace {

// Calls f(accumulator, window...) for each window of the runs; all runs have the same windows.
template <class F, class... Run>
void for_each_window(bool sum, bool squares, F f, Run*... run) {
  if (sum) f(Accumulator::sum, sum_of(run)...);
  if (squares && sum) f(Accumulator::sumsq, squares_of<true>(run)...);
  if (squares && !sum) f(Accumulator::sumsq, squares_of<false>(run)...);
}

}  // namespace

void RunningKind::clear(void* run) const {
  *static_cast<Head*>(run) = {};
  for_each_window(
      impl_->sum, impl_->squares, [](Accumulator, auto& window) { window.clear(); }, run);
}

Size RunningKind::add(void* const* blocks, Size offset, const void* x, Size n,
                      uint32_t* left) const {
  return impl_->add(blocks, offset, x, n, left);
}

bool RunningKind::merge(void* run, const void* other) const {
  Head& into = *static_cast<Head*>(run);
  const Head& from = *static_cast<const Head*>(other);
  if (Size{into.n} + from.n > most_uncarried) return false;
  bool fits = true;
  void* const theirs = const_cast<void*>(other);  // it is only read
  const auto each = [&](auto f) { for_each_window(impl_->sum, impl_->squares, f, run, theirs); };
  each([&](Accumulator, auto& window, const auto& o) { fits = fits && window.fits(o); });
  if (!fits) return false;
  each([](Accumulator, auto& window, const auto& o) { window.merge(o); });
  into.n += from.n;
  into.number |= from.number;
  return true;
}

Size RunningKind::count(const void* run) const { return static_cast<const Head*>(run)->n; }

State RunningKind::state(const void* run) const {
  const Head& head = *static_cast<const Head*>(run);
  auto state = std::make_unique<State::Impl>(impl_->kind);
  state->words.resize(static_cast<std::size_t>(state->layout.words));
  onefold::clear(state->words.data(), state->layout, state->dtype);
  state->count = head.n;
  const auto at = [&](Accumulator a) {
    return state->words.data() + state->layout.offset[static_cast<int>(a)];
  };
  for_each_window(
      impl_->sum, impl_->squares, [&](Accumulator a, auto& window) { window.put(at(a)); },
      const_cast<void*>(run));
  using Tally = accumulator::tally<double>;
  at(Accumulator::tally)[Tally::n] = head.n;
  at(Accumulator::tally)[Tally::not_negative_zero] = head.number ? 1 : 0;
  canonicalise(state->words.data(), state->layout, state->dtype);
  return State(std::move(state));
}

bool RunningKind::answer(const void* run, DType result, const Correction& correction,
                         Value* value) const {
  const Head& head = *static_cast<const Head*>(run);
  if (head.n == 0 || result != DType::f64 || !impl_->few) return false;
  const int unit = visit(impl_->kind.dtype, []<class T>() { return unit_of<T>; });
  constexpr Size room = 8;  // vector loads read so many words
  double words[2][3][room] = {};
  cpu_backend::PanelTotals totals = {};
  bool sure = true;
  for_each_window(
      impl_->sum, impl_->squares,
      [&](Accumulator a, auto& window) {
        const bool square = a == Accumulator::sumsq;
        double parts[3];
        sure = sure && totals_of(window, square ? 2 * unit : unit, parts);
        const int first =
            square ? cpu_backend::PanelTotals::square : cpu_backend::PanelTotals::high;
        for (int k = 0; k < 3; ++k) {
          double* const word = words[square ? 1 : 0][k];
          word[0] = parts[k];
          totals.word[first + k] = word;
          totals.used |= 1u << (first + k);
        }
      },
      const_cast<void*>(run));
  value->dtype = result;
  value->status = Status::ok;
  if (!sure) return false;
  std::byte answer[8];
  uint8_t decided = 0;
  impl_->few.round(totals, 1, head.n, impl_->kind.nan, correction, answer, &decided);
  if (decided != 0) std::memcpy(&value->bits, answer, sizeof answer);
  return decided != 0;
}

}  // namespace onefold
