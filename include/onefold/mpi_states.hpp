// States of many slices over MPI: every rank has gathered its part of all slices, such as some of
// the images of a stack, and gets the states of all slices or of a block of them.
//
//   States all = onefold::mpi::allreduce(gather_states("mean,var", part, {.axes = {0}}), comm);
//   Block mine = onefold::mpi::reduce_scatter(states, comm);   // of 1/P of the slices
//
// As onefold/mpi.hpp has it: header only, collective, equal bits, an error on one rank is thrown on
// all.
#pragma once

#include "onefold/mpi.hpp"

#define ONEFOLD_MPI(call, ...) ::onefold::mpi::detail::check(call(__VA_ARGS__), #call)

namespace onefold::mpi {

// Some of the slices, in C order: as many on each rank, or one more.
struct Block {
  Size first = 0;
  States states;  // of one axis
};

namespace detail {

template <>
struct KindOf<States> {
  static States nothing(const States& states) {
    const StatesMessage m(states);
    const std::vector<int64_t> words(m.added().size());
    return m.merged(0, words, {}, {});
  }
};

// Adds words of all ranks, on all of them; MPI counts to 2^31 - 1.
inline void add_many(std::span<const int64_t> words, std::span<int64_t> sum, MPI_Comm comm) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t at = 0; at < words.size(); at += most) {
    const int n = static_cast<int>(std::min(most, words.size() - at));
    ONEFOLD_MPI(MPI_Allreduce, words.data() + at, sum.data() + at, n, MPI_INT64_T, MPI_SUM, comm);
  }
}

// How many things each rank has, of `each` a slice, and where they begin.
struct Cuts {
  std::vector<int> counts, places;
  Cuts(Size each, const std::vector<Size>& begin) {
    check_bytes(begin.back() * each);
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
      counts.push_back(static_cast<int>((begin[r + 1] - begin[r]) * each));
      places.push_back(static_cast<int>(begin[r] * each));
    }
  }
};

// What slices need to meet, made before the ranks do.
struct Meeting {
  std::vector<Size> begin;             // of each rank's block, in slices, and the end
  std::vector<int64_t> sum;            // of all slices, or of the block
  std::optional<Cuts> words, carried;  // of blocks
  Places got;                          // what each rank hands around
  std::vector<std::byte> all = {};
  std::vector<std::span<const std::byte>> of_each = {};

  Meeting(const StatesMessage& message, bool scatter, std::size_t rank, std::size_t ranks) {
    const Size slices = message.size(), words_each = message.added().size() / slices,
               bytes_each = message.carried().size() / slices;
    for (std::size_t r = 0; r <= ranks; ++r)
      begin.push_back(slices / ranks * r + slices % ranks * r / ranks);
    Size mine = slices;
    if (scatter) {
      mine = begin[rank + 1] - begin[rank];
      words.emplace(words_each, begin);
      carried.emplace(bytes_each, begin);
    }
    sum.resize(mine * words_each);
    got = places(std::vector<uint64_t>(ranks, mine * bytes_each));
    all.resize(got.total);
    of_each = cut(all, got);
  }
};

// The states of all slices, or of this rank's block, of what `gather` returns on all ranks.
template <class Gather>
Block gather_and_merge_slices(Gather&& gather, bool scatter, MPI_Comm comm) {
  const std::size_t me = static_cast<std::size_t>(rank_of(comm)),
                    ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<uint64_t> held;
  Greeted<StatesMessage> greeted = gather_and_greet<States, StatesMessage>(
      gather, [](const StatesMessage& m) { return m.ranges(); },
      [&](const StatesMessage& m) { held.resize(m.held().size()); }, comm);
  if (!greeted.message) return {};
  StatesMessage& message = *greeted.message;
  ONEFOLD_MPI(MPI_Allreduce, message.held().data(), held.data(), static_cast<int>(held.size()),
              MPI_UINT64_T, MPI_BOR, comm);
  std::optional<Meeting> meeting;
  together(
      [&] {
        message.hold(held);
        if (message.size() > 0) meeting.emplace(message, scatter, me, ranks);
      },
      comm);
  collect(message.ranges(), greeted.places, greeted.all, -1, comm);
  Block block;
  if (!meeting) {
    together([&] { block.states = message.merged(0, {}, {}, greeted.of_each); }, comm);
    return block;
  }
  Meeting& m = *meeting;
  if (scatter) {
    block.first = m.begin[me];
    ONEFOLD_MPI(MPI_Reduce_scatter, message.added().data(), m.sum.data(), m.words->counts.data(),
                MPI_INT64_T, MPI_SUM, comm);
    if (!message.carried().empty()) {
      ONEFOLD_MPI(MPI_Alltoallv, message.carried().data(), m.carried->counts.data(),
                  m.carried->places.data(), MPI_BYTE, m.all.data(), m.got.bytes.data(),
                  m.got.begin.data(), MPI_BYTE, comm);
    }
  } else {
    add_many(message.added(), m.sum, comm);
    collect(message.carried(), m.got, m.all, -1, comm);
  }
  together([&] { block.states = message.merged(block.first, m.sum, m.of_each, greeted.of_each); },
           comm);
  return block;
}

}  // namespace detail

// The states of all ranks, on each of them: equal bytes everywhere. A rank may bring States(),
// which is nothing.
//   throws  on all ranks alike: as allreduce of a State; shape_mismatch: of other slices
//   cost    five collectives, of which four are a few words; another where extremes are kept,
//           where ranges are, and two where ranks have different numbers of them; of a slice what
//           States::bytes says and 8 bytes
inline States allreduce(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, false, comm).states;
}
// Each rank gets a block of the slices; where there are fewer slices than ranks, some get none.
inline Block reduce_scatter(const States& mine, MPI_Comm comm) {
  return detail::gather_and_merge_slices([&] { return mine; }, true, comm);
}

// The same of what `gather()` returns; where it throws on a rank, all ranks do.
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
