// States of many slices over MPI. Every rank has gathered its part of all slices, such as some of
// the images of a stack; it gets the merged states of all slices, or of a block of them.
//
//   States all = onefold::mpi::allreduce(gather_states("mean,var", part, {.axes = {0}}), comm);
//   Block mine = onefold::mpi::reduce_scatter(states, comm);   // of 1/P of the slices
//
// As in onefold/mpi.hpp: header only, collective, equal bits; an error of one rank is thrown on
// all.
#pragma once

#include "onefold/mpi.hpp"

#define ONEFOLD_MPI(call, ...) ::onefold::mpi::detail::check(call(__VA_ARGS__), #call)

namespace onefold::mpi {

// Consecutive slices in C order; the numbers of slices of two ranks differ by at most one.
struct Block {
  Size first = 0;
  States states;  // of one axis
};

namespace detail {

template <>
struct KindOf<States> {
  static States nothing(const States& states) {
    const StatesMessage m(states);
    return m.merged(0, std::vector<int64_t>(m.added().size()), {}, {});
  }
};

// How MPI merges rows of words: by MPI_SUM if all words are added, otherwise by an operator of
// ours. The operator finds the message by an attribute of the MPI type of a row.
class RowOperator {
 public:
  explicit RowOperator(const StatesMessage& message)
      : each_(static_cast<int>(message.words_each())) {
    if (message.adds()) return;
    unit_ = 1;
    ONEFOLD_MPI(MPI_Type_contiguous, each_, MPI_INT64_T, &type_);
    ONEFOLD_MPI(MPI_Type_commit, &type_);
    ONEFOLD_MPI(MPI_Type_set_attr, type_, key(), const_cast<StatesMessage*>(&message));
    ONEFOLD_MPI(MPI_Op_create, merge, 1, &op_);
  }
  ~RowOperator() {
    if (unit_ != 1) return;
    if (op_ != MPI_SUM) MPI_Op_free(&op_);
    if (type_ != MPI_INT64_T) MPI_Type_free(&type_);
  }
  RowOperator(const RowOperator&) = delete;
  RowOperator& operator=(const RowOperator&) = delete;

  // Reduces in place, in pieces, since an MPI count is at most 2^31 - 1.
  void allreduce(std::span<int64_t> rows, MPI_Comm comm) const {
    const auto each = static_cast<std::size_t>(each_), most = (std::size_t{1} << 30) / each;
    for (std::size_t at = 0; at < rows.size(); at += most * each) {
      const std::size_t n = std::min(most, (rows.size() - at) / each);
      ONEFOLD_MPI(MPI_Allreduce, MPI_IN_PLACE, rows.data() + at, counts(n), type_, op_, comm);
    }
  }
  //   begin  the first slice of each rank's block, and the end
  void reduce_scatter(std::span<const int64_t> rows, std::span<int64_t> block,
                      const std::vector<Size>& begin, std::vector<int>& room, MPI_Comm comm) const {
    for (std::size_t r = 0; r < room.size(); ++r) room[r] = counts(begin[r + 1] - begin[r]);
    ONEFOLD_MPI(MPI_Reduce_scatter, rows.data(), block.data(), room.data(), type_, op_, comm);
  }

 private:
  int counts(std::size_t rows) const { return static_cast<int>(rows) * (unit_ == 1 ? 1 : each_); }
  static int key() {
    static const int made = [] {
      int k = 0;
      ONEFOLD_MPI(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &k,
                  nullptr);
      return k;
    }();
    return made;
  }
  static void merge(void* from, void* into, int* n, MPI_Datatype* type) {
    const StatesMessage* message = nullptr;
    int found = 0;
    MPI_Type_get_attr(*type, key(), &message, &found);
    message->merge(static_cast<int64_t*>(into), static_cast<const int64_t*>(from),
                   static_cast<Size>(*n));
  }

  int each_, unit_ = 0;
  MPI_Datatype type_ = MPI_INT64_T;
  MPI_Op op_ = MPI_SUM;
};

// Merges the states that `gather` returns on all ranks; returns all slices, or this rank's block.
template <class Gather>
Block gather_and_merge_slices(Gather&& gather, bool scatter, MPI_Comm comm) {
  const std::size_t me = static_cast<std::size_t>(rank_of(comm)),
                    ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<uint64_t> held;
  std::vector<Size> begin;  // of each rank's block, in slices, and the end
  std::vector<int> room;
  Greeted<StatesMessage> greeted = gather_and_greet<States, StatesMessage>(
      gather, [](const StatesMessage& m) { return m.ranges(); },
      [&](const StatesMessage& m) {
        held.resize(m.held().size());
        room.resize(ranks);
        begin.clear();
        const Size slices = m.size();
        for (std::size_t r = 0; r <= ranks; ++r)
          begin.push_back(slices / ranks * r + slices % ranks * r / ranks);
      },
      comm);
  if (!greeted.message) return {};
  StatesMessage& message = *greeted.message;
  ONEFOLD_MPI(MPI_Allreduce, message.held().data(), held.data(), static_cast<int>(held.size()),
              MPI_UINT64_T, MPI_BOR, comm);
  std::vector<int64_t> rows, block_rows;
  std::optional<RowOperator> how;
  together(
      [&] {
        message.hold(held);
        rows = message.take_rows();
        check_bytes(scatter ? rows.size() * sizeof(int64_t) : 0);
        if (scatter) block_rows.resize((begin[me + 1] - begin[me]) * message.words_each());
        how.emplace(message);
      },
      comm);
  collect(message.ranges(), greeted.places, greeted.all, -1, comm);
  Block block;
  if (scatter) {
    block.first = begin[me];
    how->reduce_scatter(rows, block_rows, begin, room, comm);
    rows = std::move(block_rows);
  } else {
    how->allreduce(rows, comm);
  }
  together(
      [&] { block.states = message.merged_rows(block.first, std::move(rows), greeted.of_each); },
      comm);
  return block;
}

}  // namespace detail

// Merges the states of all ranks and returns the result, equal bytes, on each rank. A rank without
// data may pass States().
//   throws  on all ranks alike: as allreduce of a State; shape_mismatch: of other slices
//   cost    five collectives, of which four have a few words; one more if ranges are kept, and two
//           if ranks have different numbers of ranges. A slice has as many bytes as States::bytes
//           says
inline States allreduce(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, false, comm).states;
}
// Each rank gets a block of the merged slices; if there are fewer slices than ranks, some get none.
inline Block reduce_scatter(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, true, comm);
}

// The same for the states that `gather()` returns; if it throws on a rank, all ranks throw.
template <std::invocable Gather>
requires(std::same_as<std::invoke_result_t<Gather>, States>) States
    allreduce(Gather&& gather, MPI_Comm comm) {
  return detail::gather_and_merge_slices(gather, false, comm).states;
}
template <std::invocable Gather>
requires(std::same_as<std::invoke_result_t<Gather>, States>) Block
    reduce_scatter(Gather&& gather, MPI_Comm comm) {
  return detail::gather_and_merge_slices(gather, true, comm);
}

}  // namespace onefold::mpi

#undef ONEFOLD_MPI
