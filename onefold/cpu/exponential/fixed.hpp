// Exponentials and logarithms of any precision, by integers: what no quick number decides is
// computed by them.
//
//   number     an unsigned integer of limbs times 2^-64F, F limbs of which are its fraction; one
//              more is its integer part
//   unit       2^-64F, of which errors are bounded; each operation cuts off less than one unit
//   exp        e^-u = 2^-k e^r, 0 <= r < 2 ln 2. r is halved up to 16 times, its series is summed
//              and the sum squared as often. The series has fewer than 2^10 terms, each with an
//              error below 2 units; a squaring doubles the error, and the last ones multiply it by
//              at most 4: below 2^(11 + 16 + 2) units. k ln 2 adds less than 2^29
//   log        of s >= 1: y = log s as f64, and t = s e^-y - 1 < 2^-40, so that
//              ln s = y + t - t^2 / 2 + t^3 / 3 - ..; it inherits the error of s e^-y
#pragma once

#include <vector>

#include "onefold/core/base.hpp"

namespace onefold::cpu_backend {

using Limbs = std::vector<uint64_t>;  // the lowest first

class FixedPoint {
 public:
  explicit FixedPoint(int fraction_limbs);

  int fraction() const { return fraction_; }
  int size() const { return fraction_ + 1; }
  Limbs zero() const { return Limbs(static_cast<std::size_t>(size())); }
  Limbs integer(uint64_t v) const;
  // Returns v >= 0, below 2^62; bits below the unit are cut off.
  Limbs of(double v) const;

  // Writes e^-u, with an error below 2^exp_error units; e^-0 is exactly 1.
  static constexpr int exp_error = 32;
  void exp_minus(const Limbs& u, Limbs& out);
  // Does so for 2^k e^-u, 1 <= 2^k e^-u < 4, u < 2^13, and returns k.
  int exp_parts(const Limbs& u, Limbs& out);
  // Returns ln s of 1 <= s < 2^62. If s has an error below 2^error units and s 2^exp_error <=
  // 2^error, ln s has one below 2^(error + 3) units.
  Limbs log(const Limbs& s);

 private:
  void multiply(const Limbs& a, const Limbs& b, Limbs& out);  // out may be a or b

  int fraction_, halvings_;
  Limbs ln2_, r_, term_, product_;
};

// A number as high + low, |low| < 2^-50 |high|, with a relative error below 2^-100.
struct DoublePair {
  double high, low;
};
DoublePair pair_of(const Limbs& a, int fraction);

// Operations on limbs of the same number; the last carry is dropped.
void add(Limbs& a, const Limbs& b);
void subtract(Limbs& a, const Limbs& b);
bool is_zero(const Limbs& a);
void divide(Limbs& a, uint32_t by);
// Adds v 2^(64 F), or subtracts it, where a has F limbs of fraction; bits below the unit are cut
// off, and those above the last limb dropped.
void add_double(Limbs& a, double v, int fraction, bool minus = false);

}  // namespace onefold::cpu_backend
