// The data members of States.
#pragma once

#include "onefold/states.hpp"

#include <algorithm>

#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/state/state.hpp"

namespace onefold {

struct States::Impl {
  State::Impl kind;  // the kind of all slices, without words; `count` of the largest slice
  Dims shape;
  StateTable slices;  // trimmed: holds no word that is not used

  static const Impl& of(const States& states) { return states.held(); }

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

// Throws shape_mismatch unless shapes are equal.
//   verb  what the caller does with them: "merge"
void check_same_shape(const States::Impl&, const States::Impl&, const char* verb);

// Calls bad(why), which throws, if the words of n slices are not canonical, a slice has more than
// `most` elements, or its words are invalid.
//   rows  describes the table's rows
void check_slices(const States::Impl& states, const RowShape& rows, Size first, Size n, Size most,
                  void (*bad)(const std::string&));

// The number of slices in a thread's task; a slice takes at least 0.1 us.
inline constexpr Size slices_a_task = 1024;

}  // namespace onefold
