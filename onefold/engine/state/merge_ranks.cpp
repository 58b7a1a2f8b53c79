#include "onefold/engine/state/merge_ranks.hpp"

namespace onefold {

template <class S>
S merge_ranks(const S& mine, Peers& peers, bool to_all) {
  const Peers::Bytes all = peers.gather(mine.save(), to_all);
  S sum;
  for (std::size_t r = 0; r < peers.ranks() && (to_all || peers.first()); ++r) {
    try {
      sum.merge(S::load(all[r]));
    } catch (const Error& e) {
      throw Error(e.code(), "rank " + std::to_string(r) + ": " + e.what());
    }
  }
  return sum;
}
template State merge_ranks(const State&, Peers&, bool);
template States merge_ranks(const States&, Peers&, bool);

}  // namespace onefold
