// Answers of groups from the few words that a table holds of each: sums, means, extremes and counts
// of f64. A state, a formula and exact rounding took 0.6 us for three ops of a group.
//
//   sums     at most three words that are not 0 are an integer of 127 bits; it is divided by the
//            number of elements and, where it counts decimals, by a power of ten, and rounded once
//   else     for NaN, infinities, a sum of 0, or sums of more words put() returns false, and a
//            state answers
#pragma once

#include <vector>

#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold {

class RowAnswers {
 public:
  //   plan  the plan by which states would be answered
  RowAnswers(const Plan& plan, const StateTable& groups);
  // Whether it can answer all ops of the plan.
  explicit operator bool() const { return !ops_.empty(); }
  // Writes the answers of a group's words, which need not be carried, as answer `at` of each op.
  // Returns false, having written any of them, if the state must answer.
  bool put(const int64_t* row, const std::vector<std::byte*>& to, Size at) const;

 private:
  enum class Kind : uint8_t { sum, mean, least, greatest, count };
  bool put_sum(const int64_t* row, uint64_t divisor, std::byte* to) const;

  RowShape shape_;
  std::vector<Kind> ops_;
  RowShape::Limbs sum_ = {};
  bool decimal_ = false;
};

// Rounds (-1)^negative a 2^power / divisor to the nearest f64. Returns false if that is not a
// normal number. a, divisor > 0; divisor < 2^63.
bool round_quotient(Uint128 a, bool negative, int power, uint64_t divisor, double& rounded);

}  // namespace onefold
