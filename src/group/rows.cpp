#include "group/rows.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/order_key.hpp"
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

// The words of N rows, one row in each lane of the vectors.
struct StateRows {
  int64_t* row;
  VI at;
  StateRows(int64_t* first, int width)
      : row(first), at(hn::Mul(hn::Iota(di64, 0), hn::Set(di64, width))) {}
  HWY_INLINE VI get(int slot) const { return hn::GatherIndex(di64, row + slot, at); }
  HWY_INLINE void set(int slot, VI v) const { hn::ScatterIndex(v, di64, row + slot, at); }
};

HWY_INLINE VI with_sign(VI v, VI sign) { return hn::Sub(hn::Xor(v, sign), sign); }

// Returns the rows in which the last digit needs one more limb.
HWY_INLINE MI carry(const StateRows& words, const RowShape::Limbs& p) {
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
  const StateRows words(rows, shape.width);
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

#include "group/row_doubt.inl"

// Calls f(rows, index of the first row) for N rows at a time. The last rows are copied, and
// followed by empty rows.
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
    const AccumulatorRow* row = nullptr;  // the word's accumulator, if its words are not added
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
  for (const SlotAccumulator& c : chosen_)
    c.row->merge_each(into + c.slot, from + c.slot, width_, n);
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
