// A state as engines send it that know nothing of states: MPI, NCCL, torch.distributed, JAX.
//
//   const Message mine(state);                         // on every rank
//   sum mine.added() over the ranks as int64, word by word, and hand mine.carried() of each around
//   State all = mine.merged(sum, carried_of_each);     // the same bytes on every rank
//
// Any order, any tree, any engine gives the same state, for whole numbers are added.
// onefold/mpi.hpp does it over MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onefold/fold.hpp"

namespace onefold {

class Message {
 public:
  explicit Message(const State&);

  // Equal for states that merge; 0: nothing of no kind, which has no words. Compare it before
  // words are added: what states differ in is said by State::merge.
  uint64_t kind() const { return kind_; }
  // Merging is adding these: of up to 2^31 states, and nothing is lost or carried on the way.
  std::span<const int64_t> added() const { return added_; }
  // What is no sum: least and greatest values, which elements have been gathered. Often empty.
  std::span<const std::byte> carried() const { return carried_; }

  // The state of all ranks.
  //   sum      of `added` of every rank, this one among them
  //   carried  of every rank, in any order; those that are empty may be left out
  //   throws   overlap, overflow: as State::merge; bad_state: what no states of this kind give
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) const;

 private:
  State state_;  // of which `merged` takes the kind
  uint64_t kind_ = 0;
  std::vector<int64_t> added_;
  std::vector<std::byte> carried_;
};

}  // namespace onefold
