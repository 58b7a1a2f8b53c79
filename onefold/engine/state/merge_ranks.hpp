// Merges the states of all ranks when the engine can only gather words, not add them.
#pragma once

#include "onefold/engine/request/peers.hpp"
#include "onefold/states.hpp"

namespace onefold {

// Returns on each rank the merged State, or the merged States, of all ranks.
//   to_all  false: only on the first rank; the others get nothing
//   throws  as State::merge, where they are merged
template <class S>
S merge_ranks(const S& mine, Peers& peers, bool to_all = true);
extern template State merge_ranks(const State&, Peers&, bool);
extern template States merge_ranks(const States&, Peers&, bool);

}  // namespace onefold
