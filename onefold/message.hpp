// A state as a message for engines that know only int64 and bytes: MPI, NCCL, torch.distributed,
// JAX.
//
//   const Message mine(state);                         // on every rank
//   add up mine.added() of all ranks as int64, word by word; give each mine.carried() to all ranks
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

  // States that merge have equal kinds; the empty State(), which has no words, has kind 0. Compare
  // kinds before words are added. For two different states, State::merge says in what they differ.
  uint64_t kind() const { return kind_; }
  // The words that merging adds. Those of up to 2^31 states can be added without overflow.
  std::span<const int64_t> added() const { return added_; }
  // The bytes of everything that is not a sum: extremes, and ranges of gathered indices. Often
  // empty.
  std::span<const std::byte> carried() const { return carried_; }

  // Returns the merged state of all ranks.
  //   sum      of `added` of every rank, this one among them
  //   carried  `carried` of every rank, in any order; empty ones may be left out
  //   throws   overlap, overflow: as State::merge; bad_state: no states of this kind give such
  //            words
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) const&;
  // Does the same in the memory of this message, which must not be used afterwards.
  State merged(std::span<const int64_t> sum,
               std::span<const std::span<const std::byte>> carried) &&;
  // Returns whether `merged` allocates memory: true if the state keeps indices.
  bool allocates() const { return allocates_; }

  // A state that keeps no ranges can also be sent as one row of words; for others a row has no
  // words. Rows merge by adding int64 if adds() is true, otherwise by merge(). The first word is
  // free for the engine: put_row() sets it to 0, and it is added like the others.
  Size words_each() const;
  bool adds() const;
  // Writes the row of a state. throws bad_state: the state is neither of this kind nor State()
  void put_row(const State& state, std::span<int64_t> row) const;
  void merge(int64_t* into, const int64_t* from, Size n) const;  // merges n rows; allocates nothing
  // Returns the merged state of all ranks.
  //   room    a copy of source(); the result uses its memory, and none is allocated
  //   throws  overflow, bad_state: as merged()
  State merged_row(std::span<const int64_t> row, State room) const;

 private:
  State state_;  // `merged` reads its kind
  uint64_t kind_ = 0;
  bool allocates_ = false;
  std::vector<int64_t> added_;
  std::vector<std::byte> carried_;
};

// A message of the states of many slices, with a row of words for each slice. First the ranks agree
// which words a row has, so that all send the same ones:
//
//   StatesMessage mine(states);
//   combine mine.held() of all ranks by bitwise or, and pass the result to mine.hold();
//   merge mine.take_rows() of all ranks by mine.merge(), and give each mine.ranges() to all ranks
//   States all = mine.merged_rows(0, rows, ranges_of_each);
//
// If mine.adds(), any engine can merge rows by adding int64. Otherwise an engine that can only add
// sums mine.added(), gathers mine.carried() of each rank, and calls mine.merged(). Rows have the
// order of slices, so an engine may give each rank a block of them (reduce_scatter).
class StatesMessage {
 public:
  explicit StatesMessage(States);

  uint64_t kind() const { return kind_; }           // kinds are equal only if shapes are, too
  const States& source() const { return states_; }  // valid until take_rows() is called
  Size size() const { return states_.size(); }
  std::span<const uint64_t> held() const { return held_; }
  // throws bad_state: `held` has another kind, or lacks words that are held here
  void hold(std::span<const uint64_t> held);

  Size words_each() const { return used_.size(); }  // the words of one row
  std::vector<int64_t> rows() const;
  // Does the same; copies nothing if all ranks hold the same words as this one.
  std::vector<int64_t> take_rows();
  bool adds() const;
  void merge(int64_t* into, const int64_t* from, Size n) const;  // merges n rows; allocates nothing
  // As those of Message. They are made at the first call, and stay until hold() or take_rows().
  std::span<const int64_t> added();
  std::span<const std::byte> carried();
  std::span<const std::byte> ranges() const { return ranges_; }

  // Returns the merged states of those slices that `rows` holds: from slice `first` on.
  //   throws   as Message::merged
  States merged_rows(Size first, std::vector<int64_t> rows,
                     std::span<const std::span<const std::byte>> ranges) const;
  //   carried  what all ranks sent for these slices
  States merged(Size first, std::span<const int64_t> sum,
                std::span<const std::span<const std::byte>> carried,
                std::span<const std::span<const std::byte>> ranges) const;

 private:
  bool halves() const;  // whether each count is sent as two words
  States states_;
  uint64_t kind_ = 0;
  std::vector<uint64_t> held_;
  std::vector<int> used_;  // which words of a state a row has
  std::shared_ptr<const RowMerge> merge_;
  std::vector<std::byte> ranges_;
  std::vector<int64_t> added_, carried_;
};

}  // namespace onefold
