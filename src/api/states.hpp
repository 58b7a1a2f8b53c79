// What States hold.
#pragma once

#include "onefold/states.hpp"

#include <algorithm>

#include "api/state.hpp"
#include "group/slice_states.hpp"

namespace onefold {

struct States::Impl {
  State::Impl kind;  // of every slice: without words; `count` is that of the largest one
  Dims shape;
  SliceStates slices;

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

// So many slices are a task of a thread: at 0.1 us and more a slice.
inline constexpr Size slices_a_task = 1024;

}  // namespace onefold
