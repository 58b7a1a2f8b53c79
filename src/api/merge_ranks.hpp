// The states of all ranks merged by engines that can only hand words around.
#pragma once

#include <functional>
#include <vector>

#include "onefold/fold.hpp"

namespace onefold {

// As many words of each rank, one rank after another; every rank must call it.
using GatherWords = std::function<std::vector<uint64_t>(const std::vector<uint64_t>& mine)>;

// The state of all ranks, on each of them.
//   error   what this rank has to say instead of a state, or null: all ranks then throw what the
//           first of them says, with its number
//   throws  as State::merge, on all ranks alike
//   cost    two calls of `gather`: sizes, then saved states or messages
State merge_ranks(const State& mine, const Error* error, std::size_t ranks,
                  const GatherWords& gather);

}  // namespace onefold
