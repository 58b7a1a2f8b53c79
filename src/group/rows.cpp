#include "group/rows.hpp"

#include <algorithm>
#include <cstring>

#include "plan/natural.hpp"
#include "vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "group/rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
using M = hn::Mask<D>;
using MI = hn::Mask<DI>;
constexpr D d64;
constexpr DI di64;
constexpr std::size_t N = hn::MaxLanes(D());

// The words of N rows, one row in each vector lane.
struct Words {
  int64_t* row;
  VI at;
  Words(int64_t* first, int width)
      : row(first), at(hn::Mul(hn::Iota(di64, 0), hn::Set(di64, width))) {}
  HWY_INLINE VI get(int slot) const { return hn::GatherIndex(di64, row + slot, at); }
  HWY_INLINE void set(int slot, VI v) const { hn::ScatterIndex(v, di64, row + slot, at); }
};

HWY_INLINE VI with_sign(VI v, VI sign) { return hn::Sub(hn::Xor(v, sign), sign); }

// Returns which last digits need a limb above them.
HWY_INLINE MI carry(const Words& words, const RowShape::Limbs& p) {
  const VI low = hn::Set(di64, 0xffffffff);
  const int last = p.slot + p.digits - 1;
  VI up = hn::Zero(di64);
  for (int k = p.slot; k < last; ++k) up = hn::ShiftRight<32>(hn::Add(words.get(k), up));
  const VI sign = hn::BroadcastSignBit(hn::Add(words.get(last), up));
  up = hn::Zero(di64);
  for (int k = p.slot; k < last; ++k) {
    const VI v = hn::Add(with_sign(words.get(k), sign), up);
    up = hn::ShiftRight<32>(v);
    words.set(k, with_sign(hn::And(v, low), sign));
  }
  const VI top = hn::Add(with_sign(words.get(last), sign), up);
  words.set(last, with_sign(top, sign));
  return hn::Gt(top, low);
}

uint64_t carry_some(const RowShape& shape, int64_t* rows) {
  const Words words(rows, shape.width);
  uint64_t above = 0;
  for (std::size_t p = 0; p < shape.limbs.size(); ++p) {
    if (shape.limbs[p].digits == 0) continue;
    const MI beyond = carry(words, shape.limbs[p]);
    if (!shape.limbs[p].top && !hn::AllFalse(di64, beyond)) above |= uint64_t{1} << p;
  }
  for (const int k : shape.flags) {
    words.set(k, hn::IfThenElseZero(hn::Ne(words.get(k), hn::Zero(di64)), hn::Set(di64, 1)));
  }
  return above;
}

// Compares sums by their highest bits; sums that are too close count as in doubt.
struct Surely {
  using Count = V;
  struct Number {
    V m;  // |sum| = m 2^e, with a relative error below 2^-50
    int e;
    M negative, odd;
  };
  struct Product {
    V m;
    int e;
  };
  M doubt;
  HWY_INLINE Surely() : doubt(hn::MaskFromVec(hn::Zero(d64))) {}

  HWY_INLINE void refuse(M m, const char*) { doubt = hn::Or(doubt, m); }
  HWY_INLINE void refuse(MI m) { doubt = hn::Or(doubt, hn::RebindMask(d64, m)); }
  HWY_INLINE void refuse_one(V n, const Product&, const Product&, const char*) {
    refuse(hn::Eq(n, hn::Set(d64, 1)), nullptr);
  }
  HWY_INLINE static M negative(const Number& v) { return v.negative; }
  HWY_INLINE static M parities_differ(const Number& a, const Number& b) {
    return hn::Xor(a.odd, b.odd);
  }
  HWY_INLINE static Product times(V n, const Number* a = nullptr, const Number* b = nullptr,
                                  int shift = 0) {
    Product p{n, shift};
    for (const Number* v : {a, b}) {
      if (v != nullptr) p = {hn::Mul(p.m, v->m), p.e + v->e};
    }
    return p;
  }
  HWY_INLINE static Product value(const Number& a, const Number* b = nullptr) {
    return times(hn::Set(d64, 1), &a, b);
  }
  // Each m is 0 or in [2^-300, 2^34), so nothing below is too large or too small.
  HWY_INLINE static M less(const Product& p, const Product& q) {
    const int more = std::min(p.e - q.e, 300);  // p is not less than that
    const V left =
        more < -300
            ? hn::Zero(d64)
            : hn::Mul(p.m,
                      hn::Set(d64, bit_cast<double>(static_cast<uint64_t>(more + 1023) << 52)));
    const V right = hn::Mul(q.m, hn::Set(d64, 1 + 0x1p-40));
    return hn::Not(hn::Or(hn::Ge(left, right), hn::Eq(q.m, hn::Zero(d64))));
  }
};

// The sum of a row's digits; rows with digits that are not canonical are in doubt.
HWY_INLINE Surely::Number read(const Words& words, const RowShape::Limbs& p, Surely& f) {
  const V unit = hn::Set(d64, 0x1p-32);
  const int last = p.slot + p.digits - 1;
  VI all = hn::Zero(di64), positive = all, negative = all, top = all;
  V m = hn::Zero(d64);
  for (int k = p.slot; k <= last; ++k) {
    const VI v = words.get(k), size = hn::Abs(v);
    positive = hn::Or(positive, hn::Sub(hn::Zero(di64), v));
    negative = hn::Or(negative, v);
    all = hn::Or(all, size);
    m = hn::Add(hn::Mul(m, unit), hn::ConvertTo(d64, size));
    top = size;
  }
  const MI zero = hn::Eq(all, hn::Zero(di64));
  // A sign bit in both: digits of both signs.
  f.refuse(hn::Lt(hn::And(positive, negative), hn::Zero(di64)));
  f.refuse(hn::Ne(hn::ShiftRight<32>(all), hn::Zero(di64)));
  if (p.top) f.refuse(hn::Ne(hn::ShiftRight<31>(top), hn::Zero(di64)));
  f.refuse(hn::AndNot(hn::RebindMask(d64, zero), hn::Lt(m, hn::Set(d64, 0x1p-300))), nullptr);
  const VI lowest = p.digits > 0 && p.lowest == 0 ? words.get(p.slot) : hn::Zero(di64);
  const MI odd = hn::Ne(hn::And(lowest, hn::Set(di64, 1)), hn::Zero(di64));
  return {m, 32 * (p.lowest + p.digits - 1), hn::RebindMask(d64, hn::Lt(negative, hn::Zero(di64))),
          hn::RebindMask(d64, odd)};
}

#include "plan/sum_facts.inl"

// The extremes that are held: of finite elements, at index 0.
HWY_INLINE void check_extremes(const Words& words, const RowShape& shape, Surely& f) {
  const VI none = hn::Set(di64, -1);
  VI key[2] = {hn::Set(di64, shape.keys[0]), hn::Set(di64, shape.keys[1])};
  const VI lowest = key[0], highest = key[1];
  for (int e = 0; e < 2; ++e) {
    if (shape.extremes[e] < 0) continue;
    key[e] = words.get(shape.extremes[e]);
    f.refuse(hn::Lt(key[e], lowest));
    f.refuse(hn::Gt(key[e], highest));
    f.refuse(hn::Ne(words.get(shape.extremes[e] + 1), hn::Zero(di64)));
    f.refuse(hn::Ne(words.get(shape.extremes[e] + 2), none));
  }
  f.refuse(hn::Gt(key[0], key[1]));
}

template <class T>
void doubt_some(const RowShape& shape, const int64_t* rows, Size most, uint8_t* doubt) {
  const Words words(const_cast<int64_t*>(rows), shape.width);  // which is never set
  const VI zero = hn::Zero(di64), count = words.get(shape.count);
  Surely f;
  f.refuse(hn::Lt(count, hn::Set(di64, 1)));
  f.refuse(hn::Gt(
      count, hn::Set(di64, static_cast<int64_t>(std::min(most, static_cast<Size>(int64_max))))));
  VI some = count;  // elements that are not zero
  if (shape.n >= 0) f.refuse(hn::Ne(words.get(shape.n), count));
  for (const int k : shape.not_numbers) f.refuse(hn::Ne(words.get(k), zero));
  if (shape.flag >= 0) {
    f.refuse(hn::Ne(words.get(shape.flag), hn::Set(di64, Floating<T> ? 1 : 0)));
  }
  if (shape.zeros >= 0) {
    const VI zeros = words.get(shape.zeros);
    f.refuse(hn::Lt(zeros, zero));
    some = hn::Sub(some, zeros);
    f.refuse(hn::Lt(some, zero));
  }
  Surely::Number sums[3];
  const Surely::Number* held[3] = {};  // sum, sumabs, sumsq
  for (const RowShape::Limbs& p : shape.limbs) {
    const int s = p.accumulator == Accumulator::sum      ? 0
                  : p.accumulator == Accumulator::sumabs ? 1
                                                         : 2;
    sums[s] = read(words, p, f);
    held[s] = &sums[s];
  }
  check_sums<T>(f, held[0], held[1], held[2], hn::ConvertTo(d64, some), shape.n >= 0,
                shape.n >= 0 && shape.zeros_counted);
  check_extremes(words, shape, f);
  HWY_ALIGN int64_t bits[N];
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, f.doubt)), di64, bits);
  for (std::size_t i = 0; i < N; ++i) doubt[i] = bits[i] != 0;
}

// Calls f(rows, their index) for N rows at a time; the last rows are copied and padded with empty
// ones.
template <class F>
void in_lanes(const RowShape& shape, int64_t* rows, Size n, F f) {
  const auto width = static_cast<Size>(shape.width);
  Size i = 0;
  for (; i + N <= n; i += N) f(rows + i * width, i);
  if (i == n) return;
  std::vector<int64_t> rest(N * width);
  std::copy(rows + i * width, rows + n * width, rest.begin());
  f(rest.data(), i);
  std::copy_n(rest.begin(), (n - i) * width, rows + i * width);
}

uint64_t carry_of(const RowShape& shape, int64_t* rows, Size n) {
  uint64_t above = 0;
  in_lanes(shape, rows, n, [&](int64_t* some, Size) HWY_ATTR { above |= carry_some(shape, some); });
  return above;
}

void doubt_of(const RowShape& shape, int64_t* rows, Size n, Size most, uint8_t* doubt) {
  visit(shape.dtype, [&]<class T>() HWY_ATTR {
    in_lanes(shape, rows, n, [&](int64_t* some, Size i) HWY_ATTR {
      uint8_t of[N];
      doubt_some<T>(shape, some, most, of);
      std::copy_n(of, std::min<Size>(N, n - i), doubt + i);
    });
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace onefold
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold {

namespace {

auto* carry_here() {
  ONEFOLD_OF_TARGET(usable_targets()[0], carry_of);
  return HWY_STATIC_DISPATCH(carry_of);
}
auto* doubt_here() {
  ONEFOLD_OF_TARGET(usable_targets()[0], doubt_of);
  return HWY_STATIC_DISPATCH(doubt_of);
}

}  // namespace

RowMerge::RowMerge(DType dtype, const Layout& layout, const std::vector<int>& used)
    : width_(used.size()) {
  for (Size k = 0; k < width_;) {
    const AccumulatorRow* row = nullptr;  // that is not additive, of this word
    for (int a = 0; a < every_accumulator; ++a) {
      const AccumulatorRow& each = row_of(static_cast<Accumulator>(a), dtype);
      if (layout.offset[a] == used[k] && !each.additive) row = &each;
    }
    if (row != nullptr) {
      chosen_.push_back({k, row});
      k += static_cast<Size>(row->words);
    } else {
      if (added_.empty() || added_.back().end != k) added_.push_back({k, k});
      added_.back().end = ++k;
    }
  }
}

void RowMerge::operator()(int64_t* into, const int64_t* from, Size n) const {
  if (adds()) {
    for (Size k = 0; k < n * width_; ++k) into[k] += from[k];
    return;
  }
  for (Size i = 0; i < n * width_; i += width_) {
    for (const Run& r : added_) {
      for (Size k = i + r.begin; k < i + r.end; ++k) into[k] += from[k];
    }
  }
  for (const Chosen& c : chosen_) c.row->merge_each(into + c.slot, from + c.slot, width_, n);
}

uint64_t carry_rows(const RowShape& shape, int64_t* rows, Size n) {
  return carry_here()(shape, rows, n);
}

void doubt_rows(const RowShape& shape, const int64_t* rows, Size n, Size most, uint8_t* doubt) {
  if (!shape.known) {
    std::fill_n(doubt, n, 1);
  } else {
    doubt_here()(shape, const_cast<int64_t*>(rows), n, most, doubt);
  }
}

}  // namespace onefold
#endif
