// A state as a message for engines that know only int64 and bytes: MPI, NCCL, torch.distributed,
// JAX.
//
//   const Message mine(state);                         // on every rank
//   sum mine.added() over the ranks as int64, word by word, and hand mine.carried() of each around
//   State all = mine.merged(sum, carried_of_each);     // the same bytes on every rank
//
// Any order, tree and engine gives the same state, since whole numbers are added. onefold/mpi.hpp
// does it over MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onefold/states.hpp"

namespace onefold {

class RowMerge;

class Message {
 public:
  explicit Message(State);

  const State& source() const { return state_; }

  // Equal for states that merge; 0 for the empty State(), which has no words. Compare kinds before
  // words are added; State::merge says in what two states differ.
  uint64_t kind() const { return kind_; }
  // The words that merging adds: those of up to 2^31 states can be added without overflow.
  std::span<const int64_t> added() const { return added_; }
  // The bytes of everything that is no sum: extremes and the ranges of gathered indices. Often
  // empty.
  std::span<const std::byte> carried() const { return carried_; }

  // The state of all ranks.
  //   sum      of `added` of every rank, this one among them
  //   carried  `carried` of every rank, in any order; empty ones may be left out
  //   throws   overlap, overflow: as State::merge; bad_state: words that no states of this kind
  //            give
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) const&;
  // The same, reusing the memory of this message, which must not be used afterwards.
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) &&;
  // Whether `merged` may run out of memory: if more than sums and counts is kept.
  bool allocates() const { return allocates_; }

  // The same as one row of words, for states that keep no ranges (otherwise a row has no words).
  // Rows merge by adding int64 if adds(), else by merge(). The first word is free for the engine:
  // put_row() sets it to 0, and it is added, too.
  Size words_each() const;
  bool adds() const;
  // Writes the row of a state of this kind, or of State(). throws bad_state: of another kind
  void put_row(const State& state, std::span<int64_t> row) const;
  void merge(int64_t* into, const int64_t* from, Size n) const;  // n rows; allocates nothing
  // The state of all ranks.
  //   room    a copy of source(), whose memory becomes the result's: nothing needs more
  //   throws  overflow, bad_state: as merged()
  State merged_row(std::span<const int64_t> row, State room) const;

 private:
  State state_;  // of which `merged` takes the kind
  uint64_t kind_ = 0;
  bool allocates_ = false;
  std::vector<int64_t> added_;
  std::vector<std::byte> carried_;
};

// A message of the states of many slices: a row of words for each slice. Ranks first agree on which
// words a row has, so that all send the same ones:
//
//   StatesMessage mine(states);
//   or mine.held() over the ranks, bit by bit, and mine.hold(that);
//   merge mine.take_rows() over the ranks by mine.merge(), and hand mine.ranges() of each around
//   States all = mine.merged_rows(0, rows, ranges_of_each);
//
// If mine.adds(), rows merge by adding int64, by any engine. If not, an engine that can only add
// sums mine.added(), gathers mine.carried() of each rank, and calls mine.merged(). Rows are in the
// order of slices, so an engine may give each rank a block of them (reduce_scatter).
class StatesMessage {
 public:
  explicit StatesMessage(States);

  uint64_t kind() const { return kind_; }           // as Message has it; of one shape, too
  const States& source() const { return states_; }  // until take_rows()
  Size size() const { return states_.size(); }
  std::span<const uint64_t> held() const { return held_; }
  // throws bad_state: of another kind, or without words that are held here
  void hold(std::span<const uint64_t> held);

  Size words_each() const { return used_.size(); }  // of a row
  std::vector<int64_t> rows() const;
  // The same, without a copy where all ranks hold what this one does.
  std::vector<int64_t> take_rows();
  bool adds() const;
  void merge(int64_t* into, const int64_t* from, Size n) const;  // n rows; allocates nothing
  std::vector<int64_t> added() const;
  std::vector<std::byte> carried() const;
  std::span<const std::byte> ranges() const { return ranges_; }

  // The states of all ranks: those of the slices from `first` on that there are rows of.
  //   throws   as Message::merged
  States merged_rows(Size first, std::vector<int64_t> rows,
                     std::span<const std::span<const std::byte>> ranges) const;
  //   carried  of the same slices
  States merged(Size first, std::span<const int64_t> sum,
                std::span<const std::span<const std::byte>> carried,
                std::span<const std::span<const std::byte>> ranges) const;

 private:
  bool halves() const;  // counts go as two words
  States states_;
  uint64_t kind_ = 0;
  std::vector<uint64_t> held_;
  std::vector<int> used_;  // words of a row
  std::shared_ptr<const RowMerge> merge_;
  std::vector<std::byte> ranges_;
};

}  // namespace onefold
