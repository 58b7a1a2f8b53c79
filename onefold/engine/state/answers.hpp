// Answers of a State to several ops.
#pragma once

#include <span>

#include "onefold/engine/plan/op_list.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Returns one for each op, without axes.
//   throws  as State::answer
Answers answers_of(const State& state, std::span<const OpRow* const> ops, const Options& options);

}  // namespace onefold
