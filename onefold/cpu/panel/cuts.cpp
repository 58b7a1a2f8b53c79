// Cuts elements and products into words; see onefold/cpu/window/cuts.hpp.
#include "onefold/cpu/window/cuts.hpp"

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/cuts.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace cuts_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

template <class T>
HWY_ATTR Spread read_as(const T* x, Size n, double* to) {
  const V infinity = Lanes::infinity(), minus_zero = hn::Set(d64, -0.0);
  V low = infinity, high = hn::Neg(infinity);
  VI odd = hn::Zero(di64), signs = odd;
  for (Size i = 0; i < n; i += N) {
    const std::size_t r = n - i < N ? n - i : N;
    const V v = HWY_LIKELY(r == N) ? load(x + i) : load_some(x + i, r, hn::Zero(d64));
    hn::Store(v, d64, to + i);
    const auto finite = hn::Lt(hn::Abs(v), infinity);
    low = hn::Min(low, hn::IfThenElse(finite, v, infinity));
    high = hn::Max(high, hn::IfThenElse(finite, v, hn::Neg(infinity)));
    if constexpr (Floating<T>) {
      signs = hn::Or(signs,
                     hn::VecFromMask(di64, hn::Eq(bits_of_vector(v), bits_of_vector(minus_zero))));
    }
    odd = hn::Or(odd, hn::VecFromMask(di64, hn::RebindMask(di64, hn::Not(finite))));
  }
  for (Size i = (n + N - 1) / N * N; i % 8 != 0; i += N) hn::Store(hn::Zero(d64), d64, to + i);
  const auto any = [](VI v) HWY_ATTR { return !hn::AllTrue(di64, hn::Eq(v, hn::Zero(di64))); };
  return {hn::GetLane(hn::MinOfLanes(d64, low)), hn::GetLane(hn::MaxOfLanes(d64, high)), any(odd),
          any(signs)};
}

HWY_ATTR Spread read(DType t, const std::byte* x, Size n, double* to) {
  return visit(t, [&]<class T>() HWY_ATTR {
    if constexpr (takes<T>) {
      return read_as(reinterpret_cast<const T*>(x), n, to);
    }
    return Spread::none();
  });
}
bool takes_type(DType t) {
  return visit(t, []<class T>() { return takes<T>; });
}

HWY_INLINE HWY_ATTR V near_pivot(const double* x, V pivot) {
  const V v = hn::Load(d64, x);
  return hn::IfThenElseZero(hn::Lt(hn::Abs(v), Lanes::infinity()), hn::Sub(v, pivot));
}

HWY_INLINE HWY_ATTR V rounded(V v, V magic) { return hn::Sub(hn::Add(v, magic), magic); }

template <int words>
HWY_ATTR bool values_in(const double* x, double pivot, Size n, const double* magic,
                        double* const* to) {
  V left = hn::Zero(d64);
  const V p = hn::Set(d64, pivot);
  for (Size i = 0; i < n; i += N) {
    V v = near_pivot(x + i, p);
    for (int k = 0; k < words; ++k) {
      const V t = rounded(v, hn::Set(d64, magic[k]));
      hn::Store(t, d64, to[k] + i);
      v = hn::Sub(v, t);
    }
    left = hn::Or(left, hn::Abs(v));
  }
  return !hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
}

// Cuts a number a + b whose second word is below an ulp of a. Where the first cut takes most of it,
// a - t and its sum with b are exact; otherwise b is below half an ulp of what is left, and `over`
// is what that sum rounds.
template <int words>
HWY_INLINE HWY_ATTR V cut_two(V a, V b, const double* magic, double* const* to, Size i) {
  const V t = rounded(a, hn::Set(d64, magic[0])), l = hn::Sub(a, t);
  hn::Store(t, d64, to[0] + i);
  const V m = hn::Add(l, b), over = hn::Sub(b, hn::Sub(m, l));
  const V u = rounded(m, hn::Set(d64, magic[1])), o = hn::Sub(m, u);
  hn::Store(u, d64, to[1] + i);
  if constexpr (words == 2) {
    return hn::Or(hn::Abs(o), hn::Abs(over));
  } else {
    const V k = hn::Add(o, over), w = rounded(k, hn::Set(d64, magic[2]));
    hn::Store(w, d64, to[2] + i);
    return hn::Or(hn::Abs(hn::Sub(k, w)), hn::Abs(hn::Sub(over, hn::Sub(k, o))));
  }
}
// Returns not 0 where a product has no exact second word: below 2^-960 it may have bits that no f64
// can hold.
HWY_INLINE HWY_ATTR V lost_of(V product, V a, V b) {
  const auto small = hn::Lt(hn::Abs(product), hn::Set(d64, 0x1p-960));
  const auto any = hn::And(hn::Ne(a, hn::Zero(d64)), hn::Ne(b, hn::Zero(d64)));
  return hn::IfThenElseZero(hn::And(small, any), hn::Set(d64, 1));
}

template <int words>
HWY_ATTR bool products_in(const double* x, double pivot, const double* y, double pivot_y, Size n,
                          const double* magic, double* const* to) {
  V left = hn::Zero(d64);
  const V px = hn::Set(d64, pivot), py = hn::Set(d64, pivot_y);
  for (Size i = 0; i < n; i += N) {
    const V a = near_pivot(x + i, px), b = near_pivot(y + i, py);
    const auto p = Lanes::product(a, b);
    left = hn::Or(left, lost_of(p.sum, a, b));
    left = hn::Or(left, cut_two<words>(p.sum, p.rest, magic, to, i));
  }
  return !hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
}

// The square is s + e, exactly. A cube is s a + e a, a fourth power s s + 2 e s + e e, of which the
// last term is left out; the second words are rounded three times.
template <int words>
HWY_ATTR bool powers_in(const double* x, double pivot, int power, Size n, const double* magic,
                        double* const* to) {
  V left = hn::Zero(d64);
  const V p = hn::Set(d64, pivot);
  for (Size i = 0; i < n; i += N) {
    const V a = near_pivot(x + i, p);
    const auto square = Lanes::product(a, a);
    const V by = power == 3 ? a : square.sum;
    const auto q = Lanes::product(square.sum, by);
    const V twice = power == 3 ? square.rest : hn::Add(square.rest, square.rest);
    const V low = hn::MulAdd(twice, by, q.rest), high = hn::Add(q.sum, low);
    left = hn::Or(left, hn::Or(lost_of(q.sum, a, a), hn::Abs(square.rest)));
    left = hn::Or(left, cut_two<words>(high, hn::Sub(low, hn::Sub(high, q.sum)), magic, to, i));
  }
  return !hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
}

bool values(const double* x, double pivot, Size n, const double* magic, int words,
            double* const* to) {
  return (words == 2 ? values_in<2> : values_in<3>)(x, pivot, n, magic, to);
}
bool products(const double* x, double pivot, const double* y, double pivot_y, Size n,
              const double* magic, int words, double* const* to) {
  return (words == 2 ? products_in<2> : products_in<3>)(x, pivot, y, pivot_y, n, magic, to);
}
bool powers(const double* x, double pivot, int power, Size n, const double* magic, int words,
            double* const* to) {
  return (words == 2 ? powers_in<2> : powers_in<3>)(x, pivot, power, n, magic, to);
}

constexpr CutWays ways{takes_type, read, values, products, powers};
const CutWays* get() { return &ways; }

}  // namespace cuts_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

Spread Spread::none() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {infinity, -infinity};
}

const CutWays* cut_ways([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, cuts_of::get());
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
