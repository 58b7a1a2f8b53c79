#include "onefold/engine/group/rows.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/core/order_key.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/engine/group/rows.cpp"
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
// A sum's magnitude m 2^(32 top), with a relative error below 2^-50.
struct Rough {
  double m = 0;
  int top = 0;  // number of the highest digit
  bool negative = false;
};

// Returns false if digits are not canonical, or the sum may be too large for n elements.
bool read_rough(const RowShape& shape, const RowShape::Limbs& p, const int64_t* row, double n,
                Rough& sum) {
  uint64_t positive = 0, negative = 0, all = 0;
  for (const int64_t* digit = row + p.slot; digit != row + p.slot + p.digits; ++digit) {
    const auto v = static_cast<uint64_t>(*digit), size = *digit < 0 ? 0 - v : v;
    (*digit < 0 ? negative : positive) |= size;
    all |= size;
    sum.m = sum.m * 0x1p-32 + static_cast<double>(size);
  }
  sum.negative = negative != 0;
  sum.top = p.lowest + p.digits - 1;
  if ((positive != 0 && negative != 0) || all >> 32 != 0) return false;
  if (all != 0 && sum.m < 0x1p-300) return false;  // its square would vanish
  const int above = sum.top - (row_of(p.accumulator, shape.dtype).limbs - 2);
  return above < 0 || sum.m * (above == 0 ? 1 + 0x1p-40 : 0x1.1p32) <= n;
}

// Returns whether n b > a^2 surely, or a is 0.
bool surely_above(double n, const Rough& b, const Rough& a) {
  if (a.m == 0) return true;
  const int shift = 32 * (b.top - 2 * a.top);
  if (shift < -900 || shift > 900) return shift > 0 && b.m != 0;
  const auto scale = bit_cast<double>(static_cast<uint64_t>(1023 + shift) << 52);
  return n * b.m * scale > a.m * a.m * (1 + 0x1p-40);
}

bool extremes_valid(const RowShape& shape, const int64_t* row) {
  int64_t last = shape.keys[0];
  for (const int slot : shape.extremes) {
    if (slot < 0) continue;
    const int64_t* const w = row + slot;
    if (w[0] < last || w[0] > shape.keys[1] || w[1] != 0 || w[2] != -1) return false;
    last = w[0];
  }
  return true;
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

bool surely_valid(const RowShape& shape, const int64_t* row, Size most) {
  if (!shape.known) return false;
  const int64_t count = row[shape.count];
  if (count < (shape.squared ? 2 : 1) || static_cast<Size>(count) > most) return false;
  if (shape.n >= 0 && row[shape.n] != count) return false;
  for (const int k : shape.not_numbers) {
    if (row[k] != 0) return false;
  }
  if (shape.flag >= 0 && row[shape.flag] != (is_floating(shape.dtype) ? 1 : 0)) return false;
  if (shape.zeros >= 0 && (row[shape.zeros] < 0 || row[shape.zeros] > count)) return false;
  const auto n = static_cast<double>(count);
  Rough sums[3];  // sum, sumabs, sumsq
  const Rough& squares = sums[2];
  for (const RowShape::Limbs& p : shape.limbs) {
    const bool signed_sum = p.accumulator == Accumulator::sum;
    Rough& sum = sums[signed_sum ? 0 : p.accumulator == Accumulator::sumabs ? 1 : 2];
    if (!read_rough(shape, p, row, n, sum) || (sum.negative && !signed_sum)) return false;
  }
  if (shape.squared && !(surely_above(n, squares, sums[0]) && surely_above(n, squares, sums[1]))) {
    return false;
  }
  return extremes_valid(shape, row);
}

}  // namespace onefold
#endif
