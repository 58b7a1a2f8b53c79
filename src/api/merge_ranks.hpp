// The states of all ranks merged by engines that can only hand words around.
#pragma once

#include <functional>
#include <vector>

#include "onefold/states.hpp"

namespace onefold {

// As many words of each rank, one rank after another; every rank must call it.
using GatherWords = std::function<std::vector<uint64_t>(const std::vector<uint64_t>& mine)>;

// The state of all ranks, or the states of all slices, on each of them.
//   error   what this rank has to say instead of a state, or null: all ranks then throw what the
//           first of them says, with its number
//   throws  as State::merge, on all ranks alike
//   cost    two calls of `gather`: sizes, then saved states or messages
template <class S>
S merge_ranks(const S& mine, const Error* error, std::size_t ranks, const GatherWords& gather);
extern template State merge_ranks(const State&, const Error*, std::size_t, const GatherWords&);
extern template States merge_ranks(const States&, const Error*, std::size_t, const GatherWords&);

}  // namespace onefold
