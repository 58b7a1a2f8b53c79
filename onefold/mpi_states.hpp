// States of many slices over MPI. Every rank has gathered its part of all slices, such as some of
// the images of a stack; it gets the merged states of all slices, or of a block of them.
//
//   States all = onefold::mpi::allreduce(gather_states("mean,var", part, {.axes = {0}}), comm);
//   Block mine = onefold::mpi::reduce_scatter(states, comm);   // of 1/P of the slices
//
// As in onefold/mpi.hpp: header only, collective, equal bits; if one rank fails, all throw its
// error.
#pragma once

#include "onefold/mpi_rows.hpp"

#define ONEFOLD_MPI(call, ...) ::onefold::mpi::detail::check(call(__VA_ARGS__), #call)

namespace onefold::mpi {

// Consecutive slices in C order. Two ranks' blocks differ by at most one slice.
struct Block {
  Size first = 0;
  States states;  // their shape has one axis
};

namespace detail {

template <>
struct KindOf<States> {
  static States nothing(const States& states) {
    StatesMessage m(states);
    return m.merged(0, std::vector<int64_t>(m.added().size()), {}, {});
  }
};

// Merges the states that `gather` returns on all ranks; returns all slices, or this rank's block.
template <class Gather>
Block gather_and_merge_slices(Gather&& gather, bool scatter, MPI_Comm comm) {
  const std::size_t me = static_cast<std::size_t>(rank_of(comm)),
                    ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<uint64_t> held;
  std::vector<Size> begin;  // the first slice of each rank's block, then the number of slices
  std::vector<int> room;
  RankStates<StatesMessage> greeted = gather_and_greet<States, StatesMessage>(
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
  std::optional<RowOperator<StatesMessage>> how;
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

// Merges the states of all ranks and returns the result, with equal bytes, on each rank. A rank
// without data may pass States().
//   throws  on all ranks alike: as allreduce of a State; shape_mismatch: ranks have other shapes
//   cost    five collectives, of which four have a few words; one more if ranges are kept, and two
//           more if ranks have different numbers of ranges. States::bytes says how many bytes a
//           slice has
inline States allreduce(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, false, comm).states;
}
// Does the same in the memory of `mine`, without a copy if all ranks hold the same words.
inline States allreduce(States&& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return std::move(mine); }, false, comm).states;
}
// Gives each rank a block of the merged slices. Some get none if there are fewer slices than ranks.
inline Block reduce_scatter(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, true, comm);
}

// Does the same for the states that `gather()` returns; if it throws on a rank, all ranks throw.
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
