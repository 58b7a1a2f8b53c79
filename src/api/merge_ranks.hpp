// The states of all ranks merged by engines that can only hand words around.
#pragma once

#include "api/peers.hpp"
#include "onefold/states.hpp"

namespace onefold {

// The state of all ranks, or the states of all slices, on each of them.
//   to_all  false: on the first rank alone; the others get nothing
//   throws  as State::merge, where they are merged
template <class S>
S merge_ranks(const S& mine, Peers& peers, bool to_all = true);
extern template State merge_ranks(const State&, Peers&, bool);
extern template States merge_ranks(const States&, Peers&, bool);

}  // namespace onefold
