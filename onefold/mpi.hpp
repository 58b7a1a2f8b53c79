// States over MPI. Answers have the same bits as one process gives, for any number of ranks, split
// of the data, tree and order.
//
//   State all = onefold::mpi::allreduce(onefold::gather("mean,var", part), MPI_COMM_WORLD);
//   State all = onefold::mpi::allreduce([&] { return onefold::gather("mean", read(part)); }, comm);
//
// Header only: a program that includes it links MPI, the library does not. Only host memory is
// sent: some hundred int64 by MPI_SUM; extremes and ranges, if there are any, by MPI_Allgatherv.
// All functions are collective: every rank of `comm` must call the same one. If one rank fails, all
// throw the same code. That includes a rank that runs out of memory: it allocates before the others
// depend on it, or the ranks compare their results afterwards.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <concepts>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/message.hpp"

namespace onefold::mpi {

namespace detail {

inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorCode::peer_failed, std::string(call) + ": " + text);
}
#define ONEFOLD_MPI(call, ...) ::onefold::mpi::detail::check(call(__VA_ARGS__), #call)

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  ONEFOLD_MPI(MPI_Comm_rank, comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  ONEFOLD_MPI(MPI_Comm_size, comm, &size);
  return size;
}

// Throws if n bytes are too many for one message; n is the same on all ranks, so all throw.
inline void check_bytes(uint64_t n) {
  if (n <= INT_MAX) return;
  throw Error(ErrorCode::bad_state,
              "a message has " + std::to_string(n) +
                  " bytes, but MPI's limit is 2^31 - 1; merge fewer states at once");
}

// Sets each word to the largest over all ranks, without allocating.
template <std::size_t n>
void take_largest(uint64_t (&words)[n], MPI_Comm comm) {
  ONEFOLD_MPI(MPI_Allreduce, MPI_IN_PLACE, words, static_cast<int>(n), MPI_UINT64_T, MPI_MAX, comm);
}
// Returns the lowest rank that calls this with yes = true, or -1.
inline int first_that(bool yes, MPI_Comm comm) {
  uint64_t word[] = {yes ? ~static_cast<uint64_t>(rank_of(comm)) : 0};
  take_largest(word, comm);
  return word[0] == 0 ? -1 : static_cast<int>(~word[0]);
}

// The error that a rank has instead of a result.
struct Failure {
  ErrorCode code = ErrorCode::ok;
  std::string why;
};
// Calls f, and returns the error that it throws.
template <class F>
Failure failure_of(F&& f) {
  const auto told = [](ErrorCode code, const char* why) -> Failure {
    try {
      return {code, why};
    } catch (const std::bad_alloc&) {
      return {code, "memory ran out"};  // short, so that the text needs no allocation
    }
  };
  try {
    f();
  } catch (const Error& e) {
    return told(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, "memory ran out"};
  } catch (const std::exception& e) {
    return told(ErrorCode::peer_failed, e.what());
  } catch (...) {
    return {ErrorCode::peer_failed, "a function threw something that is not a std::exception"};
  }
  return {};
}

// Throws the error of one rank on all ranks, if it has one. The text is cut to fit a buffer on the
// stack.
//   of_all  the error concerns the states of all ranks: it names no rank, unless memory ran out
inline void throw_failure_of(int rank, const Failure& mine, bool of_all, MPI_Comm comm) {
  auto code = static_cast<uint64_t>(mine.code);
  ONEFOLD_MPI(MPI_Bcast, &code, 1, MPI_UINT64_T, rank, comm);
  if (code == 0) return;
  char why[1000] = "";
  mine.why.copy(why, sizeof why - 1);
  ONEFOLD_MPI(MPI_Bcast, why, static_cast<int>(sizeof why), MPI_CHAR, rank, comm);
  const auto what = static_cast<ErrorCode>(code);
  const bool named = !of_all || what == ErrorCode::out_of_memory;
  throw Error(what, (named ? "rank " + std::to_string(rank) + ": " : "") + why);
}

// Calls f on all ranks. If it throws on one, all throw that error; if it throws on all, the error
// names no rank.
template <class F>
void together(F&& f, MPI_Comm comm) {
  const Failure failed = failure_of(f);
  const auto code = static_cast<uint64_t>(failed.code);
  uint64_t said[] = {code == 0 ? 0 : ~static_cast<uint64_t>(rank_of(comm)), code, ~code};
  take_largest(said, comm);
  if (said[0] == 0) return;
  if (said[1] == ~said[2]) throw Error(failed.code, failed.why);
  throw_failure_of(static_cast<int>(~said[0]), failed, false, comm);
}

// Returns on all ranks the bytes that `make` returns on one.
template <class Make>
std::vector<std::byte> broadcast(Make&& make, int from, MPI_Comm comm) {
  std::vector<std::byte> bytes;
  together(
      [&] {
        if (rank_of(comm) == from) bytes = make();
        check_bytes(bytes.size());
      },
      comm);
  uint64_t n = bytes.size();
  ONEFOLD_MPI(MPI_Bcast, &n, 1, MPI_UINT64_T, from, comm);
  together([&] { bytes.resize(n); }, comm);
  ONEFOLD_MPI(MPI_Bcast, bytes.data(), static_cast<int>(n), MPI_BYTE, from, comm);
  return bytes;
}

// Returns a state of the same kind that holds no elements.
template <class S>
struct KindOf {
  static State nothing(const State& state) {
    const Message m(state);
    return m.merged(std::vector<int64_t>(m.added().size()), {});
  }
};

// Throws on all ranks: two ranks have states of different kinds. Names `first` and the first rank
// whose kind differs from that one's.
template <class S>
[[noreturn]] void throw_difference(int first, int other, const S& mine, MPI_Comm comm) {
  const auto kind_of_mine = [&] { return KindOf<S>::nothing(mine).save(); };
  const std::vector<std::byte> saved_one = broadcast(kind_of_mine, first, comm),
                               saved_other = broadcast(kind_of_mine, other, comm);
  S one, two;
  together([&] { one = S::load(saved_one), two = S::load(saved_other); }, comm);
  const std::string ranks = "ranks " + std::to_string(first) + " and " + std::to_string(other);
  try {
    one.merge(two);
  } catch (const Error& e) {
    throw Error(e.code(), ranks + ": " + e.what());
  }
  throw Error(
      ErrorCode::bad_state,
      ranks + ": their states are of different kinds; gather the same ops and type on all ranks");
}

// Replaces a rank's State() by an empty state of the other ranks' kind.
//   kind    the kind of this rank's state, or 0 if it has none; some rank has a kind
//   throws  on all ranks, if two are of different kinds
template <class S>
void take_kind(uint64_t kind, S& mine, MPI_Comm comm) {
  const int first = first_that(kind != 0, comm);
  uint64_t theirs = kind;
  ONEFOLD_MPI(MPI_Bcast, &theirs, 1, MPI_UINT64_T, first, comm);
  const int other = first_that(kind != 0 && kind != theirs, comm);
  if (other >= 0) throw_difference(first, other, mine, comm);
  const std::vector<std::byte> nothing =
      broadcast([&] { return KindOf<S>::nothing(mine).save(); }, first, comm);
  together(
      [&] {
        if (kind == 0) mine = S::load(nothing);
      },
      comm);
}

// The offsets of each rank's bytes in a buffer that holds the bytes of all ranks.
struct Places {
  std::vector<int> bytes, begin;
  std::size_t total = 0;
};
inline Places places(const std::vector<uint64_t>& bytes) {
  Places p;
  for (const uint64_t n : bytes) {
    p.begin.push_back(static_cast<int>(p.total));
    p.bytes.push_back(static_cast<int>(n));
    p.total += n;
  }
  if (p.total > static_cast<std::size_t>(INT_MAX)) {
    throw Error(ErrorCode::bad_state,
                "the ranges of all ranks take " + std::to_string(p.total) +
                    " bytes, but MPI's limit is 2^31 - 1; gather neighbouring parts on one rank");
  }
  return p;
}

// Cuts a buffer with the bytes of all ranks, rank by rank, into one span for each rank.
inline std::vector<std::span<const std::byte>> cut(std::span<const std::byte> all,
                                                   const Places& at) {
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t r = 0; r < at.bytes.size(); ++r) {
    parts.push_back(
        all.subspan(static_cast<std::size_t>(at.begin[r]), static_cast<std::size_t>(at.bytes[r])));
  }
  return parts;
}

inline void add(std::span<const int64_t> words, std::span<int64_t> sum, int root, MPI_Comm comm) {
  const int n = static_cast<int>(words.size());
  if (root < 0) {
    ONEFOLD_MPI(MPI_Allreduce, words.data(), sum.data(), n, MPI_INT64_T, MPI_SUM, comm);
  } else {
    ONEFOLD_MPI(MPI_Reduce, words.data(), sum.data(), n, MPI_INT64_T, MPI_SUM, root, comm);
  }
}

inline void collect(std::span<const std::byte> mine, const Places& of, std::span<std::byte> all,
                    int root, MPI_Comm comm) {
  if (of.total == 0) return;
  const int n = of.bytes[static_cast<std::size_t>(rank_of(comm))];
  if (root < 0) {
    ONEFOLD_MPI(MPI_Allgatherv, mine.data(), n, MPI_BYTE, all.data(), of.bytes.data(),
                of.begin.data(), MPI_BYTE, comm);
  } else {
    ONEFOLD_MPI(MPI_Gatherv, mine.data(), n, MPI_BYTE, all.data(), of.bytes.data(), of.begin.data(),
                MPI_BYTE, root, comm);
  }
}

// The states that the ranks have gathered, all of one kind, and memory for the bytes that they
// exchange.
template <class M>
struct RankStates {
  std::optional<M> message;          // of this rank; empty if no rank has gathered anything
  std::vector<uint64_t> bytes = {};  // each rank's number of bytes besides its words
  Places places = {};                // offsets of those bytes, rank by rank
  std::vector<std::byte> all = {};
  std::vector<std::span<const std::byte>> of_each = {};  // parts of `all`

  void make_room() {
    places = detail::places(bytes);
    all.resize(places.total);
    of_each = cut(all, places);
  }
};
// Calls `gather`, then compares the kinds and errors of all ranks by one MPI_Allreduce of five
// words (the greeting). A rank that cannot gather still calls it; otherwise the others would wait
// forever.
//   M        the message of an S
//   carried  the bytes of a message that are sent in addition to its words
//   prepare  allocates memory for the collectives after the greeting
//   throws   on all ranks alike: the error of one rank, states of different kinds
template <class S, class M, class Gather, class Carried, class Prepare>
RankStates<M> gather_and_greet(Gather&& gather, Carried carried, Prepare prepare, MPI_Comm comm) {
  RankStates<M> g;
  const Failure failed = failure_of([&] {
    g.message.emplace(gather());
    g.bytes.assign(static_cast<std::size_t>(size_of(comm)), carried(*g.message).size());
    g.make_room();
    prepare(*g.message);
  });
  const bool bad = failed.code != ErrorCode::ok;
  const uint64_t kind = bad ? 0 : g.message->kind(), size = bad ? 0 : carried(*g.message).size();
  uint64_t said[] = {bad ? ~static_cast<uint64_t>(rank_of(comm)) : 0, kind, ~kind, size, ~size};
  take_largest(said, comm);
  if (said[0] != 0) throw_failure_of(static_cast<int>(~said[0]), failed, false, comm);
  if (said[1] == 0) {
    g.message.reset();
    return g;
  }
  if (said[1] != ~said[2]) {
    S mine;
    together([&] { mine = g.message->source(); }, comm);
    take_kind(kind, mine, comm);
    together(
        [&] {
          if (kind == 0) g.message.emplace(std::move(mine));
          prepare(*g.message);
        },
        comm);
  }
  if (said[3] != ~said[4]) {
    const uint64_t own = carried(*g.message).size();
    ONEFOLD_MPI(MPI_Allgather, &own, 1, MPI_UINT64_T, g.bytes.data(), 1, MPI_UINT64_T, comm);
    together([&] { g.make_room(); }, comm);
  }
  return g;
}

// Merges the states that `gather` returns on all ranks; the result is on `root` or, if that is -1,
// on all.
template <class Gather>
State gather_and_merge(Gather&& gather, int root, MPI_Comm comm) {
  std::vector<int64_t> sum;
  RankStates<Message> greeted = gather_and_greet<State, Message>(
      gather, [](const Message& m) { return m.carried(); },
      [&](const Message& m) { sum.resize(m.added().size()); }, comm);
  if (!greeted.message) return {};
  Message& message = *greeted.message;
  add(message.added(), sum, root, comm);
  collect(message.carried(), greeted.places, greeted.all, root, comm);
  State merged;
  const auto merge = [&] { merged = std::move(message).merged(sum, greeted.of_each); };
  if (root >= 0) {
    throw_failure_of(root, rank_of(comm) != root ? Failure{} : failure_of(merge), true, comm);
  } else if (message.allocates()) {
    together(merge, comm);
  } else {
    merge();
  }
  return merged;
}
inline int checked_root(int root, MPI_Comm comm) {
  if (root >= 0 && root < size_of(comm)) return root;
  throw Error(ErrorCode::bad_option, "reduce: root " + std::to_string(root) +
                                         " is out of range for " + std::to_string(size_of(comm)) +
                                         " ranks; choose 0 to " +
                                         std::to_string(size_of(comm) - 1));
}
}  // namespace detail

// Merges the states of all ranks and returns the result, with equal bytes, on each rank. A rank
// without data may pass State().
//   throws  bad_state: the states are of different kinds; overlap, overflow: as State::merge;
//           peer_failed: MPI reported an error (if its error handler returns)
//   cost    two collectives; a third if extremes or ranges are kept, and a fourth if ranks have
//           different numbers of ranges
inline State allreduce(const State& mine, MPI_Comm comm) {
  return detail::gather_and_merge([&] { return mine; }, -1, comm);
}
// Does the same, but only `root` gets the result; the others get State().
//   throws  as allreduce, on all ranks alike; bad_option: there is no such rank
//   cost    one more collective, of one word, which says whether the root could merge the states
inline State reduce(const State& mine, int root, MPI_Comm comm) {
  return detail::gather_and_merge([&] { return mine; }, detail::checked_root(root, comm), comm);
}

// Does the same for the state that `gather()` returns. If `gather` throws on a rank, all ranks
// throw an Error with the same code, which names that rank.
template <std::invocable Gather>
requires(std::same_as<std::invoke_result_t<Gather>, State>) State
    allreduce(Gather&& gather, MPI_Comm comm) {
  return detail::gather_and_merge(gather, -1, comm);
}
template <std::invocable Gather>
requires(std::same_as<std::invoke_result_t<Gather>, State>) State
    reduce(Gather&& gather, int root, MPI_Comm comm) {
  return detail::gather_and_merge(gather, detail::checked_root(root, comm), comm);
}

#undef ONEFOLD_MPI

}  // namespace onefold::mpi
