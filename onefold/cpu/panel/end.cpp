// Totals of panels added up, and rounded: exact/quick.inl, a vector of answers at once.
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/end.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_end_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/answers.inl"

#include "onefold/cpu/panel/rounding.inl"

HWY_ATTR void add_sum(PanelTotals& into, const PanelTotals& from, int first, Size n) {
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    QuickV q = number(into, first, a, r);
    q.add(number(from, first, a, r));
    hn::StoreU(q.high, d64, into.word[first] + a);
    hn::StoreU(q.low, d64, into.word[first + 1] + a);
    hn::StoreU(q.rest, d64, into.word[first + 2] + a);
    hn::StoreU(q.lost, d64, into.word[first + 3] + a);
  }
}
// Adds totals of one or two words, which are exact, word by word. If that is not exact, returns
// false and changes nothing.
HWY_ATTR bool add_exactly(PanelTotals& into, const PanelTotals& from, Size n) {
  constexpr uint32_t one = 1u << PanelTotals::high, two = one | 1u << PanelTotals::low;
  if (into.used != from.used || (into.used != one && into.used != two)) return false;
  const int words = into.used == one ? 1 : 2;
  const V zero = hn::Zero(d64);
  for (int w = PanelTotals::high; w < words; ++w) {
    auto exact = hn::Eq(zero, zero);
    for (Size a = 0; a < n; a += N) {
      const std::size_t r = n - a < N ? n - a : N;
      const auto s = two_sum<Lanes>(word(into, w, a, r), word(from, w, a, r));
      exact = hn::And(exact, hn::Eq(s.rest, zero));
    }
    if (!hn::AllTrue(d64, exact)) return false;
  }
  for (int w = PanelTotals::high; w < words; ++w) {
    for (Size a = 0; a < n; a += N) {
      const std::size_t r = n - a < N ? n - a : N;
      hn::StoreU(hn::Add(word(into, w, a, r), word(from, w, a, r)), d64, into.word[w] + a);
    }
  }
  return true;
}
HWY_ATTR void add(PanelTotals& into, const PanelTotals& from, Size n) {
  if (add_exactly(into, from, n)) return;
  for (int first = PanelTotals::high; first < PanelTotals::origin; first += 4) {
    if (!from.has(static_cast<PanelTotals::Word>(first))) continue;
    add_sum(into, from, first, n);
    into.used |= 15u << first;
  }
}

// Rounds (high + low) / n, for an exact sum, to f64. The quotient is q + c, apart from what c
// loses; q is within 2 ulp, and c at most 3 ulp of q. If c loses nothing, one addition rounds.
// Otherwise both ends of c's interval must give the same answer: c differs by at most 2^-51 of it.
//   per   1 / n, rounded
//   good  the lanes that are decided; near 0, where remainders lose bits, none is
HWY_INLINE HWY_ATTR V quotient_of(V high, V low, V n, V per, hn::Mask<D>& good) {
  const auto s = two_sum<Lanes>(high, low);
  const V q = hn::Mul(s.sum, per);
  const auto left = two_sum<Lanes>(Lanes::residue(s.sum, q, n), s.rest);
  const V near = hn::Mul(left.sum, per);
  const V c = hn::MulAdd(Lanes::residue(left.sum, near, n), per, near);
  const V lost = Lanes::residue(left.sum, c, n), v = hn::Add(q, c);
  const V above = hn::Set(d64, 1 + 0x1p-50), below = hn::Set(d64, 1 - 0x1p-50),
          zero = hn::Zero(d64);
  const auto exact = hn::And(hn::Eq(lost, zero), hn::Eq(left.rest, zero));
  const auto same = hn::Eq(hn::Add(q, hn::Mul(c, above)), hn::Add(q, hn::Mul(c, below)));
  const V size = hn::Abs(q);
  const auto usual =
      hn::And(hn::Gt(size, hn::Set(d64, 0x1p-900)), hn::Lt(size, hn::Set(d64, 0x1p990)));
  good = hn::And(usual, hn::Or(exact, same));
  return v;
}

// Rounds a spread of totals of one word each to a narrow type, or its root. n Q - S^2 is rounded
// twice, by 2^-53 of n Q and of itself; the factor and the product with it once each.
//   good  the lanes whose interval has one rounding; near 0 none is
template <class T>
HWY_INLINE HWY_ATTR V round_spread(const QuickFormula& f, const PanelTotals& t, Size a,
                                   std::size_t r, hn::Mask<D>& good) {
  const V s = word(t, PanelTotals::high, a, r), ls = word(t, PanelTotals::lost, a, r);
  const V n = hn::Set(d64, f.elements), per = hn::Set(d64, f.factor / f.n);
  const V nq = hn::Mul(n, word(t, PanelTotals::square, a, r)), size = hn::Abs(s);
  const V given = hn::MulAdd(hn::Add(hn::Add(size, size), ls), ls,
                             hn::Mul(n, word(t, PanelTotals::square_lost, a, r)));
  const V v = hn::Mul(Lanes::residue(nq, s, s), per);
  const V wide =
      hn::MulAdd(hn::MulAdd(nq, hn::Set(d64, 0x1p-50), given),
                 hn::Mul(per, hn::Set(d64, 1 + 0x1p-20)), hn::Mul(v, hn::Set(d64, 0x1p-50)));
  V up = hn::Add(v, wide), down = hn::Sub(v, wide);
  good = hn::And(hn::Gt(v, hn::Set(d64, 0x1p-200)), hn::Lt(v, hn::Set(d64, 0x1p900)));
  if (f.root) {
    up = hn::Mul(hn::Sqrt(up), hn::Set(d64, 1 + 0x1p-51));
    down = hn::Mul(hn::Sqrt(down), hn::Set(d64, 1 - 0x1p-51));
  }
  up = Lanes::narrow<T>(up);
  good = hn::And(good, hn::And(hn::Eq(up, Lanes::narrow<T>(down)), hn::Ne(up, hn::Zero(d64))));
  return up;
}

template <class T>
HWY_INLINE HWY_ATTR V round_quick(const QuickFormula& f, const PanelTotals& t, Size a,
                                  std::size_t r, hn::Mask<D>& good) {
  constexpr uint32_t more = 6u << PanelTotals::high | 6u << PanelTotals::square;
  const auto beyond = hn::Not(hn::FirstN(d64, r));
  const bool usual = f.times == 1 && f.left == 1 && f.n < 0x1p50;
  if (sizeof(T) < 8 && usual && f.spread && (t.used & more) == 0) {
    const V v = round_spread<T>(f, t, a, r, good);
    if (HWY_LIKELY(hn::AllTrue(d64, hn::Or(good, beyond)))) return v;
  }
  QuickV sum = number(t, PanelTotals::high, a, r), squares = sum;
  sum.settle();
  if (f.spread) {
    squares = number(t, PanelTotals::square, a, r);
    squares.settle();
  }
  if (usual) {
    const V elements = hn::Set(d64, f.elements), factor = hn::Set(d64, f.factor);
    const QuickV q = f.spread ? QuickV::spread(sum, squares, elements, factor) : sum;
    const V v = round_soon<T>(q, hn::Set(d64, f.n), hn::Set(d64, 1 / f.n), f.root, good);
    if (HWY_LIKELY(hn::AllTrue(d64, hn::Or(good, beyond)))) return v;
  }
  return quick_number<Lanes>(f, sum, squares).template decide<T>(good);
}

template <class T>
HWY_ATTR Size round_to(const QuickFormula& f, const PanelTotals& t, Size n, std::byte* out,
                       uint8_t* decided) {
  QuickFormula once = f;  // one division by n * left instead of two
  if (f.n * f.left < 0x1p53) {
    once.n = f.n * f.left;
    once.left = 1;
  }
  const V infinity = Lanes::infinity(), elements = hn::Set(d64, f.n), per = hn::Set(d64, 1 / f.n);
  // A sum in one word, or in two for f64, is rounded once. A quotient S / n of one word is rounded
  // to f64 and then to a type of p <= 24 bits. For n < 2^28 this gives the same as rounding once.
  // Let m be a midpoint between two neighbours of that type. Then n m is an f64, as S is, so S
  // equals n m or differs from it by at least an ulp. So S / n equals m or differs from it by more
  // than half an ulp of f64, and is never rounded to m wrongly.
  const bool of_sum = !f.spread && !f.root && f.left == 1 && f.times == 1;
  const bool single = of_sum && t.used == 1u << PanelTotals::high;
  const bool two = of_sum && sizeof(T) == 8 && f.n < 0x1p50 &&
                   t.used == (1u << PanelTotals::high | 1u << PanelTotals::low);
  const bool whole = (single || two) && f.n == 1;
  const bool quotient = single && sizeof(T) < 8 && f.n < 0x1p28;
  Size sure = 0;
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    V v;
    hn::Mask<D> good;
    if (whole || quotient) {
      v = word(t, PanelTotals::high, a, r);
      if (two) {  // a second word of 0 must not change the sign of a zero
        const V low = word(t, PanelTotals::low, a, r);
        v = hn::IfThenElse(hn::Eq(low, hn::Zero(d64)), v, hn::Add(v, low));
      }
      good = hn::Lt(hn::Abs(v), infinity);
      if (!whole) v = hn::Div(v, elements);
      if constexpr (sizeof(T) == 2) v = Lanes::narrow<T>(v);
    } else if (two) {
      v = quotient_of(word(t, PanelTotals::high, a, r), word(t, PanelTotals::low, a, r), elements,
                      per, good);
      if (HWY_UNLIKELY(!hn::AllTrue(d64, good))) v = round_quick<T>(once, t, a, r, good);
    } else {
      v = round_quick<T>(once, t, a, r, good);
    }
    put<T>(v, out + a * sizeof(T), r);
    sure += mark(good, decided + a, r);
  }
  return sure;
}

// Rounds `times` times a sum to an integer. Sum and words are below 2^62. A negative sum for u64 is
// left to exact words, which report `overflow`.
template <class T>
HWY_ATTR Size round_to_integer(double times, const PanelTotals& t, Size n, std::byte* out,
                               uint8_t* decided) {
  const V limit = hn::Set(d64, 0x1p62 / times);
  Size sure = 0;
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    const QuickV q = number(t, PanelTotals::high, a, r);
    auto good = hn::And(hn::Eq(q.lost, hn::Zero(d64)), hn::Lt(hn::Abs(q.high), limit));
    VI v = hn::ConvertTo(di64, q.high);
    if (t.used != 1u << PanelTotals::high) {
      v = hn::Add(v, hn::Add(hn::ConvertTo(di64, q.low), hn::ConvertTo(di64, q.rest)));
    }
    if (times != 1) v = hn::Mul(v, hn::Set(di64, static_cast<int64_t>(times)));
    if constexpr (std::is_unsigned_v<T>) {
      good = hn::AndNot(hn::RebindMask(d64, hn::Lt(v, hn::Zero(di64))), good);
    }
    put<double>(hn::BitCast(d64, v), out + a * sizeof(T), r);
    sure += mark(good, decided + a, r);
  }
  return sure;
}

// Computes a formula of the numbers of zeros block by block, so that each step is a vector loop.
// One answer at a time took half the time of `any` over 8 rows.
template <QuickFormula::Count count, class Out>
HWY_ATTR void count_to(const QuickFormula& f, const PanelTotals& t, Size n, std::byte* out) {
  using Count = QuickFormula::Count;
  constexpr Size block = 64;
  const double times = f.times, elements = f.elements;
  for (Size first = 0; first < n; first += block) {
    const Size m = std::min(block, n - first);
    double zeros[block] = {};
    for (const int w : {PanelTotals::high, PanelTotals::low, PanelTotals::rest}) {
      if (!t.has(static_cast<PanelTotals::Word>(w))) continue;
      const double* const from = t.word[w] + first;
      for (Size i = 0; i < m; ++i) zeros[i] += from[i];
    }
    Out answer[block];
    for (Size i = 0; i < m; ++i) {
      const double z = zeros[i] * times;
      if constexpr (count == Count::elements) answer[i] = static_cast<Out>(elements);
      if constexpr (count == Count::zeros) answer[i] = static_cast<Out>(z);
      if constexpr (count == Count::others) answer[i] = static_cast<Out>(elements - z);
      if constexpr (count == Count::some_others) answer[i] = z != elements;
      if constexpr (count == Count::no_zeros) answer[i] = z == 0;
    }
    std::memcpy(out + first * sizeof(Out), answer, m * sizeof(Out));
  }
}

// Rounds counts; every answer is decided.
HWY_ATTR Size round_count(const QuickFormula& f, const PanelTotals& t, Size n, std::byte* out,
                          uint8_t* decided) {
  using Count = QuickFormula::Count;
  switch (f.count) {
    case Count::elements:
      count_to<Count::elements, int64_t>(f, t, n, out);
      break;
    case Count::zeros:
      count_to<Count::zeros, int64_t>(f, t, n, out);
      break;
    case Count::others:
      count_to<Count::others, int64_t>(f, t, n, out);
      break;
    case Count::some_others:
      count_to<Count::some_others, uint8_t>(f, t, n, out);
      break;
    default:
      count_to<Count::no_zeros, uint8_t>(f, t, n, out);
  }
  std::memset(decided, 1, n);
  return n;
}

template <class T>
HWY_ATTR Size round_each_to(const QuickFormula& f, const AnswerCounts& counts, const PanelTotals& t,
                            Size n, std::byte* out, uint8_t* decided) {
  constexpr uint32_t words = 1u << PanelTotals::high | 1u << PanelTotals::low;
  const bool of_sum = !f.spread && !f.root;
  const bool two = of_sum && sizeof(T) == 8 && t.used == words;
  const bool quotient = of_sum && sizeof(T) < 8 && t.used == 1u << PanelTotals::high;
  const V one = hn::Set(d64, 1), factor = hn::Set(d64, f.factor);
  Size sure = 0;
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    const V divisor = count_at(counts.divisors, a, r), per = hn::Div(one, divisor);
    V v;
    hn::Mask<D> good;
    if (two) {
      v = quotient_of(word(t, PanelTotals::high, a, r), word(t, PanelTotals::low, a, r), divisor,
                      per, good);
    } else if (quotient) {  // as in round_to
      const V sum = word(t, PanelTotals::high, a, r);
      v = hn::Div(sum, divisor);
      if constexpr (sizeof(T) == 2) v = Lanes::narrow<T>(v);
      good =
          hn::And(hn::Lt(hn::Abs(sum), Lanes::infinity()), hn::Lt(divisor, hn::Set(d64, 0x1p28)));
    } else {
      QuickV q = number(t, PanelTotals::high, a, r);
      q.settle();
      if (f.spread) {
        QuickV squares = number(t, PanelTotals::square, a, r);
        squares.settle();
        q = QuickV::spread(q, squares, count_at(counts.elements, a, r), factor);
      }
      v = round_soon<T>(q, divisor, per, f.root, good);
    }
    put<T>(v, out + a * sizeof(T), r);
    sure += mark(good, decided + a, r);
  }
  return sure;
}

HWY_ATTR Size round(const QuickFormula& f, const AnswerCounts* counts, DType to,
                    const PanelTotals& t, Size n, std::byte* out, uint8_t* decided) {
  if (f.count != QuickFormula::Count::none) return round_count(f, t, n, out, decided);
  return visit(to, [&]<class T>() {
    if constexpr (Floating<T> && takes<T>) {
      return counts != nullptr ? round_each_to<T>(f, *counts, t, n, out, decided)
                               : round_to<T>(f, t, n, out, decided);
    }
    if constexpr (!Floating<T> && sizeof(T) == 8) {
      if (counts == nullptr) return round_to_integer<T>(f.times, t, n, out, decided);
    }
    std::memset(decided, 0, n);
    return Size{0};
  });
}

constexpr PanelEnd end{add, round};
const PanelEnd* get() { return &end; }

}  // namespace panel_end_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelEnd* panel_end([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, panel_end_of::get());
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
