#include "onefold/engine/group/quick_totals.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/memory.hpp"

namespace onefold {
namespace {

constexpr int split = 38;  // bits of an integer's lower part
constexpr int room = 3;    // binades above the block that chose the unit
constexpr int least_unit = -960, most_unit = 900;
constexpr int most_changes = 32;  // of the unit; then elements of any magnitude come
constexpr uint64_t negative_zero = uint64_t{1} << 63;

template <class T>
void grow(std::vector<T>& list, Size n) {
  if (n > list.capacity()) system::reserve(list, n * 3 / 2);
  list.resize(n);
}

}  // namespace

bool QuickTotals::serve(const Plan& plan) {
  if (plan.dtype != DType::f64 || plan.inputs != 1) return false;
  bool sums = false;
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.layout.offset[a] < 0) continue;
    switch (static_cast<Accumulator>(a)) {
      case Accumulator::sum:
      case Accumulator::decimal:
        if (std::exchange(sums, true)) return false;
        break;
      case Accumulator::tally:
      case Accumulator::least:
      case Accumulator::greatest:
        break;
      default:
        return false;
    }
  }
  return std::ranges::none_of(plan.ops, [](const OpRow* op) { return op->about->uses_index; });
}

QuickTotals::QuickTotals(const Plan& plan)
    : decimals_(plan.layout.offset[static_cast<int>(Accumulator::decimal)] >= 0),
      extremes_(plan.layout.offset[static_cast<int>(Accumulator::least)] >= 0 ||
                plan.layout.offset[static_cast<int>(Accumulator::greatest)] >= 0) {}

// Splits x into a multiple of 2^(unit + split) and a rest, which is a multiple of 2^unit if x fits:
// adding a number of 2^52 units rounds to a unit, and its bits then count units.
void QuickTotals::convert_binary(Block& b) const {
  const double high_base = std::ldexp(0x1.8p52, unit_ + split),
               low_base = std::ldexp(0x1.8p52, unit_);
  const double limit = std::ldexp(1.0, unit_ + 2 * split);
  const auto high_bits = bit_cast<int64_t>(high_base), low_bits = bit_cast<int64_t>(low_base);
  for (Size i = 0; i < block; ++i) {
    const double x = b.x[i], t = x + high_base, rest = x - (t - high_base), u = rest + low_base;
    b.high[i] = bit_cast<int64_t>(t) - high_bits;
    b.low[i] = bit_cast<int64_t>(u) - low_bits;
    b.fits[i] =
        (u - low_base == rest) & (std::fabs(x) < limit) & (bit_cast<uint64_t>(x) != negative_zero);
  }
}

void QuickTotals::convert_decimals(Block& b) const {
  const double power = scale_.power;
  for (Size i = 0; i < block; ++i) {
    const double x = b.x[i], t = x * power + DecimalScale::magic, digits = t - DecimalScale::magic;
    b.low[i] = bit_cast<int64_t>(t) - bit_cast<int64_t>(DecimalScale::magic);
    b.fits[i] = (digits / power == x) & (std::fabs(digits) <= decimal::most_digits) &
                (bit_cast<uint64_t>(x) != negative_zero);
  }
}

void QuickTotals::convert(Block& b) const { decimals_ ? convert_decimals(b) : convert_binary(b); }

void QuickTotals::choose(const Block& b, Size n) {
  since_ = 0;
  ++changes_;
  if (decimals_) {
    scale_ = {};
    for (Size i = 0; i < n; ++i) scale_.widen(std::fabs(b.x[i]));
    return;
  }
  int most = least_unit;
  for (Size i = 0; i < n; ++i) {
    if (std::isfinite(b.x[i]) && b.x[i] != 0) most = std::max(most, std::ilogb(b.x[i]) + 1);
  }
  unit_ = std::clamp(most + room - 2 * split, least_unit, most_unit);
}

template <class Add>
void QuickTotals::over_fitting(const Block& b, Size n, bool all, Add add) {
  if (all) {
    for (Size i = 0; i < n; ++i) add(i);
  } else {
    for (Size i = 0; i < n; ++i) {
      if (b.fits[i]) add(i);
    }
  }
}

void QuickTotals::add_block(const uint32_t* group, const Block& b, Size n, bool all) {
  Sum* const sums = sums_.data();
  if (decimals_) {
    over_fitting(b, n, all, [&](Size i) { sums[group[i]].add(b.low[i]); });
  } else {
    over_fitting(b, n, all,
                 [&](Size i) { sums[group[i]].add((Int128{b.high[i]} << split) + b.low[i]); });
  }
  if (!extremes_) return;
  Ends* const ends = ends_.data();
  over_fitting(b, n, all, [&](Size i) {
    Ends& e = ends[group[i]];
    const double x = b.x[i];
    e.least = x < e.least ? x : e.least;
    e.greatest = x > e.greatest ? x : e.greatest;
  });
}

void QuickTotals::add_rest(const uint32_t* group, const Block& b, Size n, const std::byte* is_long,
                           StateTable& table) const {
  uint32_t there[block];
  double values[block];
  std::byte longs[block];
  Size rest = 0;
  for (Size i = 0; i < n; ++i) {
    if (b.fits[i]) continue;
    there[rest] = group[i];
    values[rest] = b.x[i];
    longs[rest++] = is_long == nullptr ? std::byte{0} : is_long[i];
  }
  table.grow(sums_.size());
  table.add(there, reinterpret_cast<const std::byte*>(values), 1, rest, longs);
}

void QuickTotals::add(const uint32_t* group, Size groups, const std::byte* x, Size step, Size n,
                      const std::byte* is_long, StateTable& table) {
  const FloatingPointMode mode;
  if (groups > sums_.size()) grow(sums_, groups);
  if (extremes_ && groups > ends_.size()) grow(ends_, groups);
  Block b;
  for (Size at = 0; at < n; at += block) {
    const Size m = std::min(block, n - at);
    for (Size i = 0; i < m; ++i) {
      std::memcpy(&b.x[i], x + (at + i) * step * sizeof(double), sizeof(double));
      __builtin_prefetch(&sums_[group[at + i]], 1);
      if (extremes_) __builtin_prefetch(&ends_[group[at + i]], 1);
    }
    std::fill(b.x + m, b.x + block, 1.0);
    if (changes_ == 0) choose(b, m);
    convert(b);
    const auto find_rest = [&] {
      if (is_long != nullptr) {
        for (Size i = 0; i < m; ++i) b.fits[i] &= is_long[at + i] == std::byte{0};
      }
      return static_cast<Size>(std::count(b.fits, b.fits + m, false));
    };
    Size rest = find_rest();
    if (rest > m / 16 && since_ >= sums_.size() && changes_ < most_changes) {
      settle(table);
      choose(b, m);
      convert(b);
      rest = find_rest();
    }
    add_block(group + at, b, m, rest == 0);
    if (rest > 0) add_rest(group + at, b, m, is_long == nullptr ? nullptr : is_long + at, table);
    since_ += m;
  }
}

void QuickTotals::settle(StateTable& table) {
  for (Size g = 0; g < sums_.size(); ++g) {
    // The first groups show which words the table is to hold: for many groups these are moved once.
    if (g == 0) table.grow(std::min(sums_.size(), block));
    if (g == block) table.grow(sums_.size());
    const Sum& sum = sums_[g];
    if (sum.n == 0) continue;
    const Ends ends = extremes_ ? ends_[g] : Ends();
    table.add(g, {.sum = sum.units(),
                  .unit = decimals_ ? -scale_.decimals : unit_,
                  .n = sum.n,
                  .least = ends.least,
                  .greatest = ends.greatest});
  }
  sums_.assign(sums_.size(), {});
  ends_.assign(ends_.size(), {});
}

}  // namespace onefold
