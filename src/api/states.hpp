// The data members of States.
#pragma once

#include "onefold/states.hpp"

#include <algorithm>

#include "api/contradiction.hpp"
#include "group/state_table.hpp"

namespace onefold {

struct States::Impl {
  State::Impl kind;  // the kind of all slices, without words; `count` of the largest slice
  Dims shape;
  StateTable slices;  // trim

  std::unique_ptr<State::Impl> operator[](Size i) const {
    auto state = std::make_unique<State::Impl>(kind);
    state->words.resize(static_cast<std::size_t>(kind.layout.words));
    slices.get(i, state->words.data());
    state->count = slices.count(i);
    return state;
  }
  void count_largest() {
    kind.count = 0;
    for (Size i = 0; i < slices.size(); ++i) kind.count = std::max(kind.count, slices.count(i));
  }
};

// throws shape_mismatch
//   verb  what is to be done with both: "merge"
void check_same_shape(const States::Impl&, const States::Impl&, const char* verb);

// The words of slices, one after another, as contradiction() reads them: no state is expanded.
class HeldSlices {
 public:
  explicit HeldSlices(const States::Impl& states);
  // Valid until the next one.
  HeldWords operator[](Size slice);

 private:
  struct Copied {
    std::size_t slot, word;
  };
  const States::Impl& states_;
  std::vector<Copied> copied_;  // copies of words that are no limbs, and of last limbs
  std::vector<int> held_;       // accumulators with limbs that are held
  int slot_[every_accumulator] = {};
  HeldWords::Limbs limbs_[every_accumulator];
  std::vector<int64_t> words_;
};

// Calls bad(why), which throws, where the words of n slices are not canonical, where a slice has
// more than `most` elements, and where no data give its words.
//   rows  of the table
void check_slices(const States::Impl& states, const RowShape& rows, Size first, Size n, Size most,
                  void (*bad)(const std::string&));

// The number of slices in a task of a thread; a slice takes 0.1 us or more.
inline constexpr Size slices_a_task = 1024;

}  // namespace onefold
