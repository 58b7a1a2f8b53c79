// Removal: the exact inverse of merging.
//
//   words     differences, with carries: sums of integers have an inverse
//   extremes  have no inverse: no state keeps the second least element
//   flags     whether some number is not -0 is kept as a flag, not as a count: after removal it
//             follows from a sum that is not 0, or else is not known, and then refused if an answer
//             may be -0
//   source    docs/decisions/0018-one-table-of-states.md
#include <algorithm>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/state/states.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse_removal(const std::string& why) {
  throw Error(ErrorCode::bad_state, "remove: " + why);
}

void check_kinds(const State::Impl& mine, const State::Impl& other) {
  if (mine.holds.empty()) refuse_removal("the state is empty, so nothing can be removed from it");
  check_alike(mine, other, "remove");
  for (int a = 0; a < every_accumulator; ++a) {
    if (mine.layout.offset[a] < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), mine.dtype);
    if (row.additive) continue;
    refuse_removal(std::string("the states contain extremes (") + row.name +
                   "), and after a removal the new extreme is unknown; gather the remaining "
                   "elements again, or gather only sums and counts");
  }
}

bool all_zero(const int64_t* words, int n) {
  return std::all_of(words, words + n, [](int64_t w) { return w == 0; });
}

// Returns whether some element is known not to be zero, by sums or by counts of zeros.
//   finite  number of remaining elements
bool has_nonzero(const State::Impl& left, Size finite) {
  for (const Accumulator a : {Accumulator::decimal, Accumulator::sum, Accumulator::sumabs,
                              Accumulator::sumsq, Accumulator::sumcube, Accumulator::sumfourth}) {
    const int64_t* const w = left.at(a);
    if (w != nullptr && !all_zero(w, row_of(a, left.dtype).limbs)) return true;
  }
  const int64_t* const zeros = left.at(Accumulator::zeros);
  return zeros != nullptr && static_cast<Size>(zeros[0]) < finite;
}

// Returns whether the state has a sum that is -0 if all its terms are -0: of x or of x^3, but not
// of |x|, x^2 or x^4. Counts have none.
bool has_signed_sum(const State::Impl& left) {
  constexpr Accumulator sums[] = {Accumulator::decimal, Accumulator::sum, Accumulator::sumcube};
  return std::ranges::any_of(sums, [&](Accumulator a) { return left.at(a) != nullptr; });
}

// Returns the flag of the remaining elements: some number is not -0.
//   before   the flag of all elements
//   removed  the flag of the removed elements
//   numbers  how many remaining elements are not NaN
//   other    whether one of these is known to differ from -0
//   matters  whether an answer of the state can be -0; if none can, an unknown flag stays set while
//            numbers remain
int64_t flag_of_rest(int64_t before, int64_t removed, int64_t numbers, bool other, bool matters) {
  if (!matters && numbers == 0 && removed <= before) return 0;
  if (removed == 0) return before;
  if (before == 0) refuse_removal("the elements to remove are not part of the state");
  if (other) return 1;
  if (numbers == 0) return 0;
  if (!matters) return 1;
  refuse_removal(
      "the remaining elements sum to 0, but the sign of this 0 is unknown; gather them again");
}

// Sets the flag of an accumulator that counts its elements: tally or dot.
//   other, matters  as flag_of_rest() has them
template <class A>
void set_flag(Accumulator a, State::Impl& left, const State::Impl& before,
              const State::Impl& removed, bool other, bool matters) {
  int64_t* const w = left.words.data() + left.layout.offset[static_cast<int>(a)];
  w[A::not_negative_zero] =
      flag_of_rest(before.at(a)[A::not_negative_zero], removed.at(a)[A::not_negative_zero],
                   w[A::n] - w[A::nan], other, matters);
}

template <class T>
void set_flags(State::Impl& left, const State::Impl& before, const State::Impl& removed) {
  using Tally = accumulator::tally<T>;
  using Dot = accumulator::dot<T>;
  if (const int64_t* const w = left.at(Accumulator::tally)) {
    const int64_t infinite = w[Tally::positive_infinity] + w[Tally::negative_infinity];
    const auto finite = static_cast<Size>(w[Tally::n] - w[Tally::nan] - infinite);
    set_flag<Tally>(Accumulator::tally, left, before, removed,
                    infinite != 0 || has_nonzero(left, finite), has_signed_sum(left));
  }
  if (const int64_t* const w = left.at(Accumulator::dot)) {
    const bool infinite = !all_zero(w + Dot::invalid, Dot::not_negative_zero - Dot::invalid);
    set_flag<Dot>(Accumulator::dot, left, before, removed, infinite || !all_zero(w, Dot::limbs),
                  true);
  }
}

// Returns `mine` without `other`; both have the same kind, and no extremes.
State::Impl without(const State::Impl& mine, const State::Impl& other) {
  if (other.count > mine.count) {
    refuse_removal(std::to_string(other.count) + " elements cannot be removed from a state of " +
                   std::to_string(mine.count));
  }
  State::Impl left = mine;
  left.count -= other.count;
  for (std::size_t w = 0; w < left.words.size(); ++w) left.words[w] -= other.words[w];
  canonicalise(left.words.data(), left.layout, left.dtype);
  visit(left.dtype, [&]<class T>() { set_flags<T>(left, mine, other); });
  if (const char* why = why_invalid(left)) {
    refuse_removal(std::string("the elements to remove are not part of the state: ") + why);
  }
  return left;
}

}  // namespace

void State::remove(const State& other) {
  const Impl& o = other.held();
  if (o.holds.empty()) return;
  check_kinds(held(), o);
  // Only a share of the same files, or a state that is no share, can be part of a share.
  if (o.whole.known() && o.whole != impl_->whole) {
    refuse_removal("the state to remove is a share of different files");
  }
  impl_ = std::make_unique<Impl>(without(*impl_, o));
}

void States::remove(const States& other) {
  const Impl& o = other.held();
  if (o.kind.holds.empty()) return;
  const Impl& mine = held();
  check_kinds(mine.kind, o.kind);
  check_same_shape(mine, o, "remove");
  auto left = std::make_unique<Impl>(Impl{.kind = mine.kind,
                                          .shape = mine.shape,
                                          .slices = {mine.kind.dtype, mine.kind.layout, size()}});
  parallel((size() + slices_a_task - 1) / slices_a_task, 0, [&](std::size_t task) {
    const Size end = std::min(size(), (task + 1) * slices_a_task);
    for (Size i = task * slices_a_task; i < end; ++i) {
      const State::Impl rest = without(*mine[i], *o[i]);
      left->slices.put(i, 1, rest.words.data(), false, [&](Size) { return rest.count; });
    }
  });
  left->slices.trim();
  left->count_largest();
  impl_ = std::move(left);
}

}  // namespace onefold
