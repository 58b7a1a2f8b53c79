// Ziv's loop, see precise.hpp.
#include "onefold/cpu/exponential/precise.hpp"

#include <cmath>
#include <optional>

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/exact/real.hpp"

namespace onefold::cpu_backend {
namespace {

// Limbs above the fraction that hold any f64, and a sign.
constexpr std::size_t integer_limbs = 18;

Limbs widened(const Limbs& a, int fraction) {
  Limbs wide = a;
  wide.resize(static_cast<std::size_t>(fraction) + integer_limbs);
  return wide;
}
Limbs power_of_two(std::size_t size, int bit) {
  Limbs a(size);
  a[static_cast<std::size_t>(bit / 64)] = uint64_t{1} << bit % 64;
  return a;
}
bool is_negative(const Limbs& a) { return static_cast<int64_t>(a.back()) < 0; }
Limbs negated(const Limbs& a) {
  Limbs r(a.size());
  subtract(r, a);
  return r;
}

// Where a number's bits are, and how it is rounded.
struct Rounding {
  int fraction;  // limbs
  FloatFormat format;
  bool minus = false;  // the negative is rounded
  int power = 0;       // the number is multiplied by 2^power
};
// Rounds a two's complement number, or, if `more`, one whose magnitude is between it and the next
// one.
uint64_t rounded(const Limbs& a, const Rounding& r, bool more = false) {
  const bool negative = is_negative(a);
  const Limbs m = negative ? negated(a) : a;
  std::size_t top = m.size() - 1;
  while (top > 1 && m[top] == 0) --top;
  bool sticky = more;
  for (std::size_t i = 0; i + 1 < top; ++i) sticky = sticky || m[i] != 0;
  const Uint128 leading = static_cast<Uint128>(m[top]) << 64 | static_cast<Uint128>(m[top - 1]);
  return detail::round_to_float(leading, 64 * (static_cast<int>(top) - 1 - r.fraction) + r.power,
                                sticky, negative != r.minus, r.format);
}

// Rounds both ends of a number with an error of 2^error units, a number above `least`, which may lie
// halfway between two floating-point numbers.
std::optional<uint64_t> decided(const Limbs& a, int error, const Limbs* least, const Rounding& r) {
  const Limbs e = power_of_two(a.size(), error);
  Limbs low = a, high = a;
  subtract(low, e);
  add(high, e);
  bool at_least = false;
  if (least != nullptr) {
    Limbs above = low;
    subtract(above, *least);
    at_least = is_negative(above);
    if (at_least) low = *least;
  }
  const uint64_t bits = rounded(low, r, at_least && !is_negative(low) && !is_zero(low));
  if (bits != rounded(high, r)) return std::nullopt;
  return bits;
}

constexpr int fraction_of(std::size_t level) { return 3 << level; }

}  // namespace

PreciseRow::PreciseRow(RowBlocks blocks, Size n, double greatest)
    : blocks_(std::move(blocks)),
      n_(n),
      greatest_(greatest),
      log_error_(FixedPoint::exp_error + bit_length(uint64_t{n}) + 3) {}

PreciseRow::Level& PreciseRow::level(std::size_t k) {
  while (levels_.size() <= k) {
    auto made = std::make_unique<Level>(fraction_of(levels_.size()));
    FixedPoint& number = made->number;
    Limbs sum = number.zero(), u = sum, term = sum;
    const Limbs one = number.integer(1);
    blocks_([&](const double* x, Size n) {
      for (Size i = 0; i < n; ++i) {
        const auto d = two_sum<OneLane>(greatest_, -x[i]);
        if (d.sum == 0) {
          add(sum, one);
        } else if (d.sum < 64.0 * number.fraction()) {  // else e^-d is below a unit
          std::fill(u.begin(), u.end(), 0);
          add_double(u, d.sum, number.fraction());
          add_double(u, d.rest, number.fraction());
          number.exp_minus(u, term);
          add(sum, term);
        }
      }
    });
    made->log_of_sum = number.log(sum);
    levels_.push_back(std::move(made));
  }
  return *levels_[k];
}

uint64_t PreciseRow::log_of_sum(FloatFormat f, bool mean) {
  for (std::size_t k = 0;; ++k) {
    Level& l = level(k);
    const int fraction = fraction_of(k);
    Limbs value = widened(l.log_of_sum, fraction), least(value.size());
    add_double(value, greatest_, fraction);
    add_double(least, greatest_, fraction);
    if (mean) subtract(value, widened(l.number.log(l.number.integer(n_)), fraction));
    // Two logarithms, and what is cut off the greatest element.
    const auto bits = decided(value, log_error_ + 2, mean ? nullptr : &least, {fraction, f});
    if (bits) return *bits;
  }
}

uint64_t PreciseRow::softmax(double x, FloatFormat f) {
  const auto d = two_sum<OneLane>(greatest_, -x);
  if (d.sum > 4096) return 0;
  for (std::size_t k = 0;; ++k) {
    Level& l = level(k);
    Limbs u = l.log_of_sum, value = l.number.zero();
    add_double(u, d.sum, l.number.fraction());
    add_double(u, d.rest, l.number.fraction());
    const int power = l.number.exp_parts(u, value);
    const Limbs none = l.number.zero();
    const auto bits =
        decided(value, log_error_ + 3, &none, {l.number.fraction(), f, false, -power});
    if (bits) return *bits;
  }
}

uint64_t PreciseRow::log_softmax(double x, FloatFormat f) {
  for (std::size_t k = 0;; ++k) {
    Level& l = level(k);
    const int fraction = fraction_of(k);
    Limbs value = widened(l.log_of_sum, fraction);
    Limbs least(value.size());  // greatest - x, and ln(sum) is above 0
    add_double(least, greatest_, fraction);
    add_double(least, x, fraction, true);
    add(value, least);
    const auto bits = decided(value, log_error_ + 2, &least, {fraction, f, true});
    if (bits) return *bits;
  }
}

}  // namespace onefold::cpu_backend
