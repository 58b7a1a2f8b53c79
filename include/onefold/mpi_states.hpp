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
inline std::vector<int64_t> add_many(std::span<const int64_t> words, MPI_Comm comm) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::vector<int64_t> sum(words.size());
  for (std::size_t at = 0; at < words.size(); at += most) {
    const int n = static_cast<int>(std::min(most, words.size() - at));
    ONEFOLD_MPI(MPI_Allreduce, words.data() + at, sum.data() + at, n, MPI_INT64_T, MPI_SUM, comm);
  }
  return sum;
}

// Words of a block a rank: `begin` has where each begins, in slices, and the end.
inline std::vector<int64_t> add_block(std::span<const int64_t> words, Size each,
                                      const std::vector<Size>& begin, MPI_Comm comm) {
  check_bytes(words.size());
  std::vector<int> counts;
  for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
    counts.push_back(static_cast<int>((begin[r + 1] - begin[r]) * each));
  }
  std::vector<int64_t> sum(
      static_cast<std::size_t>(counts[static_cast<std::size_t>(rank_of(comm))]));
  ONEFOLD_MPI(MPI_Reduce_scatter, words.data(), sum.data(), counts.data(), MPI_INT64_T, MPI_SUM,
              comm);
  return sum;
}

// Of what this rank carries, each rank gets what is of its block; returns that of all ranks.
inline std::vector<std::byte> exchange_blocks(std::span<const std::byte> mine, Size each,
                                              const std::vector<Size>& begin, Places& got,
                                              MPI_Comm comm) {
  const std::size_t ranks = begin.size() - 1, me = static_cast<std::size_t>(rank_of(comm));
  check_bytes(mine.size());
  std::vector<int> counts, places;
  for (std::size_t r = 0; r < ranks; ++r) {
    counts.push_back(static_cast<int>((begin[r + 1] - begin[r]) * each));
    places.push_back(static_cast<int>(begin[r] * each));
  }
  // Blocks are equal but for one slice, so that all ranks see what is too much alike.
  check_bytes((begin[1] - begin[0] + 1) * each * ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    got.begin.push_back(static_cast<int>(got.total));
    got.bytes.push_back(counts[me]);
    got.total += static_cast<std::size_t>(counts[me]);
  }
  std::vector<std::byte> all(got.total);
  if (mine.empty()) return all;
  ONEFOLD_MPI(MPI_Alltoallv, mine.data(), counts.data(), places.data(), MPI_BYTE, all.data(),
              got.bytes.data(), got.begin.data(), MPI_BYTE, comm);
  return all;
}

// The states of all slices, or of this rank's block, of what `gather` returns on all ranks.
template <class Gather>
Block gather_and_merge_slices(Gather&& gather, bool scatter, MPI_Comm comm) {
  Greeted<StatesMessage> greeted = gather_and_greet<States, StatesMessage>(
      gather, [](const StatesMessage& m) { return m.ranges(); }, comm);
  if (!greeted.message) return {};
  StatesMessage& message = *greeted.message;
  const std::size_t me = static_cast<std::size_t>(rank_of(comm)),
                    ranks = greeted.carried.bytes.size();

  std::vector<uint64_t> held(message.held().size());
  ONEFOLD_MPI(MPI_Allreduce, message.held().data(), held.data(), static_cast<int>(held.size()),
              MPI_UINT64_T, MPI_BOR, comm);
  message.hold(held);
  const Places& ranges_at = greeted.carried;
  const std::vector<std::byte> ranges = collect(message.ranges(), ranges_at, -1, comm);

  const Size slices = message.size();
  if (slices == 0) return {0, message.merged(0, {}, {}, cut(ranges, ranges_at))};
  const Size words_each = message.added().size() / slices,
             bytes_each = message.carried().size() / slices;
  std::vector<Size> begin;
  for (std::size_t r = 0; r <= ranks; ++r)
    begin.push_back(slices / ranks * r + slices % ranks * r / ranks);
  Places at;
  if (scatter) {
    const std::vector<int64_t> sum = add_block(message.added(), words_each, begin, comm);
    const std::vector<std::byte> carried =
        exchange_blocks(message.carried(), bytes_each, begin, at, comm);
    return {begin[me], message.merged(begin[me], sum, cut(carried, at), cut(ranges, ranges_at))};
  }
  at = places(std::vector<uint64_t>(ranks, message.carried().size()));
  const std::vector<int64_t> sum = add_many(message.added(), comm);
  const std::vector<std::byte> carried = collect(message.carried(), at, -1, comm);
  return {0, message.merged(0, sum, cut(carried, at), cut(ranges, ranges_at))};
}

}  // namespace detail

// The states of all ranks, on each of them: equal bytes everywhere. A rank may bring States(),
// which is nothing.
//   throws  on all ranks alike: as allreduce of a State; shape_mismatch: of other slices
//   cost    three collectives, a fourth where extremes are kept, a fifth where ranges are, and a
//           sixth where ranks have different numbers of them; of a slice what States::bytes says
//           and 8 bytes
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
