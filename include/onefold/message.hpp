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

#include "onefold/states.hpp"

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
               std::span<const std::span<const std::byte>> carried) const&;
  // The same in the memory of this message, which is of no use afterwards.
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) &&;
  // Whether that may run out of memory: where more than sums and counts is kept.
  bool allocates() const { return allocates_; }

 private:
  State state_;  // of which `merged` takes the kind
  uint64_t kind_ = 0;
  bool allocates_ = false;
  std::vector<int64_t> added_;
  std::vector<std::byte> carried_;
};

// The same of many slices. Which words of them are held is agreed on first, so that all ranks send
// the same ones:
//
//   StatesMessage mine(states);
//   or mine.held() over the ranks, bit by bit, and mine.hold(that);
//   sum mine.added() as int64, hand mine.carried() and mine.ranges() of each around
//   States all = mine.merged(0, sum, carried_of_each, ranges_of_each);
//
// Words stand slice by slice, as many of each. So an engine may leave every rank the sum of a block
// of slices (reduce_scatter), and the rank needs the others' `carried` of that block alone.
class StatesMessage {
 public:
  explicit StatesMessage(const States&);

  uint64_t kind() const { return kind_; }  // as Message has it; of one shape, too
  Size size() const { return states_.size(); }
  std::span<const uint64_t> held() const { return held_; }
  // throws  bad_state: of another kind, or without words that are held here
  void hold(std::span<const uint64_t> held);
  std::span<const int64_t> added() const { return added_; }
  std::span<const std::byte> carried() const { return carried_; }
  std::span<const std::byte> ranges() const { return ranges_; }

  // The states of all ranks: those of the slices from `first` on that there is a sum of.
  //   carried  of the same slices
  //   throws   as Message::merged
  States merged(Size first, std::span<const int64_t> sum,
                std::span<const std::span<const std::byte>> carried,
                std::span<const std::span<const std::byte>> ranges) const;

 private:
  Size words_each() const;
  States states_;
  uint64_t kind_ = 0;
  std::vector<uint64_t> held_;
  std::vector<int64_t> added_;
  std::vector<std::byte> carried_, ranges_;
};

}  // namespace onefold
