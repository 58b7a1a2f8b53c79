// Finds sums of cubes and fourth powers that no elements can give, though each is canonical by
// itself.
//
//   S1..S4   sums of x .. x^4; N, x as in contradiction.cpp
//   source   Cauchy and Schwarz: S2^2 <= N S4, S3^2 <= S2 S4. x are integers: x^4 is at least x^2
//            and |x^3|, all powers are odd together, and S4 <= S2^2. Pearson: kurtosis is at least
//            the squared skewness + 1. Wilkins: the squared skewness is at most (N-2)^2 / (N-1)
#include <optional>

#include "api/contradiction.hpp"
#include "onefold/accumulator.hpp"
#include "onefold/formula/statistics.hpp"

namespace onefold {
namespace {

// The exact sums of n elements, which formulas read; one that is not held is 0.
struct Powers {
  using Number = Integer;
  Size n;
  Integer powers[4];
  Integer operator()(Term t) const {
    switch (t) {
      case Term::x:
        return powers[0];
      case Term::xx:
        return powers[1];
      case Term::xxx:
        return powers[2];
      case Term::xxxx:
        return powers[3];
      default:
        return integer(n);
    }
  }
};

// Checks each sum by itself, and with one other.
template <class T>
const char* check_sizes(const std::optional<Number> (&sums)[4], const FiniteElements& e) {
  const auto& [sum, squares, cubes, fourths] = sums;
  const int bits = largest_bits<T>();
  if (cubes) {
    if (less({.n = e.not_zero, .shift = 3 * bits}, {1, &*cubes})) {
      return "the sum of cubes is beyond its elements";
    }
    if (squares && cubes->odd() != squares->odd()) return "one sum is odd and another even";
  }
  if (!fourths) return nullptr;
  const Product fourth{1, &*fourths};
  if (fourths->negative()) return "a sum of what is never negative is";
  if (less({.n = e.not_zero, .shift = 4 * bits}, fourth)) {
    return "the sum of fourth powers is beyond its elements";
  }
  if (e.counted && less(fourth, {.n = e.not_zero})) return "elements that are not zero are missing";
  if (cubes && less(fourth, {1, &*cubes})) return "the cubes are beyond the fourth powers";
  if (!squares) return nullptr;
  const Product square{1, &*squares}, squared{1, &*squares, &*squares};
  if (fourths->odd() != squares->odd()) return "one sum is odd and another even";
  if (less(fourth, square) || less(squared, fourth) || less({e.not_zero, &*fourths}, squared)) {
    return "the fourth powers are not those of the squares";
  }
  if (cubes && less({1, &*squares, &*fourths}, {1, &*cubes, &*cubes})) {
    return "the cubes are beyond the squares and fourth powers";
  }
  return nullptr;
}

// Checks central moments of e.finite elements.
const char* check_moments(const std::optional<Number> (&sums)[4], const FiniteElements& e) {
  if (!e.tallied || !sums[0] || !sums[1] || !sums[2]) return nullptr;
  Powers s{e.finite, {}};
  for (int k = 0; k < 4; ++k) {
    if (sums[k]) s.powers[k] = sums[k]->exact();
  }
  const Integer second = formula::spread_x(s), third = formula::third_moment(s, second);
  const Integer cube = second * second * second, square = third * third;
  const Integer left = integer(e.finite < 2 ? 0 : e.finite - 2);
  if (less(left * left * cube, integer(e.finite < 1 ? 0 : e.finite - 1) * square) ||
      (second.zero() && !third.zero())) {
    return "the skewness is beyond that of so many elements";
  }
  if (!sums[3]) return nullptr;
  const Integer excess = formula::fourth_excess(s, second);
  if (less(excess * second + cube + cube, square) || (second.zero() && !excess.zero())) {
    return "the kurtosis is below that of the skewness";
  }
  return nullptr;
}

}  // namespace

const char* contradiction_of_moments(const HeldWords& s, const FiniteElements& e) {
  if (s.at(Accumulator::sumcube) == nullptr && s.at(Accumulator::sumfourth) == nullptr) {
    return nullptr;
  }
  return visit(s.kind.dtype, [&]<class T>() {
    const std::optional<Number> sums[] = {s.sum<accumulator::sum<T>>(Accumulator::sum),
                                          s.sum<accumulator::sumsq<T>>(Accumulator::sumsq),
                                          s.sum<accumulator::sumcube<T>>(Accumulator::sumcube),
                                          s.sum<accumulator::sumfourth<T>>(Accumulator::sumfourth)};
    const char* const why = check_sizes<T>(sums, e);
    return why != nullptr ? why : check_moments(sums, e);
  });
}

}  // namespace onefold
