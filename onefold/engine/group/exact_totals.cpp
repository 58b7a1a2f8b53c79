// Totals of panels as words of a table: sums of three f64 as digits, and the keys of extremes.
//
//   digits  a sum minus its nearest multiple of 2^(32 k) leaves what lower digits hold; it is
//           found by one addition, since 1.5 * 2^52 times that power has just its ulp there
//   range   the slices of a block have the same number of digits. If that is too large, the halves
//           of the block are converted; a single slice with too many digits is left to a state
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/engine/group/exact_totals.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#ifndef ONEFOLD_SUM_DIGITS
#define ONEFOLD_SUM_DIGITS
namespace onefold {

// The digits of the sums of a block of slices. digit[k][i] belongs to slice i, and to limb `lowest`
// + k; digits have the sum's sign.
struct SumDigits {
  static constexpr Size block = 128;
  static constexpr int most = 12;
  double word[3][block];  // the sum of slice i is word[0][i] + word[1][i] + word[2][i]
  int64_t digit[most][block];
  int lowest, n;
};

}  // namespace onefold
#endif

HWY_BEFORE_NAMESPACE();
namespace onefold {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr D d64;
constexpr DI di64;
constexpr std::size_t N = hn::MaxLanes(D());
static_assert(SumDigits::block % N == 0);

HWY_INLINE VI with_sign(VI v, VI sign) { return hn::Sub(hn::Xor(v, sign), sign); }

// Moves the multiples of 2^e out of all words into one row of digits. Returns whether some word is
// not 0 afterwards.
HWY_INLINE bool take_digit(SumDigits& s, int e, int64_t* digit) {
  const V ruler = hn::Set(d64, std::ldexp(1.5, 52 + e));
  const VI zero = hn::BitCast(di64, ruler);
  VI left = hn::Zero(di64);
  for (Size i = 0; i < SumDigits::block; i += N) {
    VI sum = hn::Zero(di64);
    for (auto& word : s.word) {
      const V x = hn::LoadU(d64, word + i), y = hn::Add(x, ruler);
      const V rest = hn::Sub(x, hn::Sub(y, ruler));
      sum = hn::Add(sum, hn::Sub(hn::BitCast(di64, y), zero));
      left = hn::Or(left, hn::BitCast(di64, hn::Abs(rest)));
      hn::StoreU(rest, d64, word + i);
    }
    hn::StoreU(sum, di64, digit + i);
  }
  return !hn::AllTrue(di64, hn::Eq(left, hn::Zero(di64)));
}

// Carries digits, and gives all of them the sign of the sum.
HWY_INLINE void carry_digits(SumDigits& s) {
  const VI low = hn::Set(di64, 0xffffffff);
  const int last = s.n - 1;
  for (Size i = 0; i < SumDigits::block; i += N) {
    const auto get = [&](int k) HWY_ATTR { return hn::LoadU(di64, s.digit[k] + i); };
    VI up = hn::Zero(di64);
    for (int k = 0; k < last; ++k) up = hn::ShiftRight<32>(hn::Add(get(k), up));
    const VI sign = hn::BroadcastSignBit(hn::Add(get(last), up));
    up = hn::Zero(di64);
    for (int k = 0; k < last; ++k) {
      const VI v = hn::Add(with_sign(get(k), sign), up);
      up = hn::ShiftRight<32>(v);
      hn::StoreU(with_sign(hn::And(v, low), sign), di64, s.digit[k] + i);
    }
    const VI top = hn::Add(with_sign(get(last), sign), up);
    hn::StoreU(with_sign(top, sign), di64, s.digit[last] + i);
  }
}

// Converts the words of finite multiples of 2^unit to digits; the words become 0. Returns false if
// the sums have too many digits, or bits that are out of reach of f64 arithmetic.
bool find_digits(SumDigits& s, int unit) {
  V most = hn::Zero(d64);
  for (const auto& word : s.word) {
    for (Size i = 0; i < SumDigits::block; i += N) {
      most = hn::Max(most, hn::Abs(hn::LoadU(d64, word + i)));
    }
  }
  const double greatest = hn::GetLane(hn::MaxOfLanes(d64, most));
  s.lowest = s.n = 0;
  if (greatest == 0) return true;
  int above = 0;  // all words are below 2^above, all sums below 2^(above + 2)
  std::frexp(greatest, &above);
  const int top = std::max((above + 2 - unit + 31) / 32 - 1, 0);
  if (unit + 32 * top > 1023 - 53) return false;
  int limb = top;
  for (bool left = true; left; --limb) {
    if (limb < 0 || unit + 32 * limb < -1074 || top - limb >= SumDigits::most) return false;
    left = take_digit(s, unit + 32 * limb, s.digit[SumDigits::most - 1 - (top - limb)]);
  }
  s.lowest = limb + 1;
  s.n = top - limb;
  if (s.n < SumDigits::most) {
    int64_t* const digits = &s.digit[0][0];
    const auto end = static_cast<Size>(SumDigits::most), n = static_cast<Size>(s.n);
    std::copy(digits + (end - n) * SumDigits::block, digits + end * SumDigits::block, digits);
  }
  carry_digits(s);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace onefold
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold {
namespace {

auto* find_digits_here() {
  ONEFOLD_OF_TARGET(usable_targets()[0], find_digits);
  return HWY_STATIC_DISPATCH(find_digits);
}

// Returns whether some of n numbers differ from 0.
bool any(const int64_t* v, Size n) {
  int64_t bits = 0;
  for (Size i = 0; i < n; ++i) bits |= v[i];
  return bits != 0;
}

}  // namespace

int unit_of_sum(Accumulator a, DType t) {
  return visit(t, [&]<class T>() {
    return a == Accumulator::sumsq ? accumulator::sumsq<T>::unit : accumulator::sum<T>::unit;
  });
}

void StateTable::put(const ExactTotals& totals, uint8_t* exact) {
  for (Size k = 0; k < totals.n; k += SumDigits::block) {
    put_block(totals, k, std::min(SumDigits::block, totals.n - k), exact);
  }
}

void StateTable::put_block(const ExactTotals& totals, Size begin, Size n, uint8_t* exact) {
  constexpr Size block = SumDigits::block;
  using Tally = accumulator::tally<double>;
  // The words of the slices, column by column.
  struct WordColumn {
    int word;
    const int64_t* values;
  };
  std::vector<WordColumn> columns;
  std::vector<std::unique_ptr<SumDigits>> sums;
  int64_t n_finite[block], flags[block], zeros[block];
  static constexpr std::array<int64_t, block> no_index = [] {
    std::array<int64_t, block> a{};
    a.fill(static_cast<int64_t>(none));
    return a;
  }();
  static constexpr int64_t nothing[block] = {};
  for (const AccumulatorSlice& part : parts_) {
    if (part.row->limbs != 0) {
      SumDigits& s = *sums.emplace_back(std::make_unique_for_overwrite<SumDigits>());
      const ExactTotals::Sum& sum = totals.of(part.accumulator);
      const double* const from[] = {sum.high + begin, sum.low + begin, sum.rest + begin};
      for (int w = 0; w < 3; ++w) {
        for (Size i = 0; i < n; ++i) s.word[w][i] = exact[begin + i] != 0 ? from[w][i] : 0;
        std::fill(s.word[w] + n, s.word[w] + block, 0.0);
      }
      if (!find_digits_here()(s, unit_of_sum(part.accumulator, dtype_))) {
        if (n == 1) {
          exact[begin] = 0;
          return;
        }
        put_block(totals, begin, n / 2, exact);
        return put_block(totals, begin + n / 2, n - n / 2, exact);
      }
      for (int k = 0; k < s.n; ++k) {
        const int word = part.begin + s.lowest + k;
        if (any(s.digit[k], block)) columns.push_back({word, s.digit[k]});
      }
    } else if (part.accumulator == Accumulator::tally) {
      // Only the sum of elements that are all -0 is -0.
      const double* const sum = totals.sum.high + begin;
      for (Size i = 0; i < n; ++i) {
        n_finite[i] = static_cast<int64_t>(totals.count);
        flags[i] =
            exact[begin + i] != 0 && is_floating(dtype_) && !(sum[i] == 0 && std::signbit(sum[i]));
      }
      columns.push_back({part.begin + Tally::n, n_finite});
      if (any(flags, n)) columns.push_back({part.begin + Tally::not_negative_zero, flags});
    } else if (part.accumulator == Accumulator::zeros) {
      const auto& [high, low, rest] = totals.zeros;
      for (Size i = 0; i < n; ++i) {
        const Size k = begin + i;
        zeros[i] = exact[k] == 0 ? 0 : static_cast<int64_t>(high[k] + low[k] + rest[k]);
      }
      if (any(zeros, n)) columns.push_back({part.begin, zeros});
    } else {  // an extreme without an index
      const bool least = part.accumulator == Accumulator::least;
      columns.push_back({part.begin, (least ? totals.least : totals.greatest) + begin});
      columns.push_back({part.begin + 1, nothing});
      columns.push_back({part.begin + 2, no_index.data()});
    }
  }
  std::vector<int> needed;
  for (const WordColumn& c : columns) needed.push_back(c.word);
  Lock lock(widening_);
  widen(needed, lock);
  const std::size_t width = used_.size();
  std::vector<const int64_t*> column(width - 1, nothing);
  for (const WordColumn& c : columns) {
    column[static_cast<std::size_t>(slot_[static_cast<std::size_t>(c.word)])] = c.values;
  }
  for (Size i = 0; i < n; ++i) {
    if (exact[begin + i] == 0) continue;
    int64_t* const to = at(totals.first + (begin + i) * totals.step);
    for (std::size_t k = 0; k + 1 < width; ++k) to[k] = column[k][i];
    to[width - 1] = static_cast<int64_t>(totals.count);
  }
}

}  // namespace onefold
#endif
