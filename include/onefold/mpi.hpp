// States over MPI: the ranks' answers have the bits that one process gives, whatever their number,
// the split, the tree and the order.
//
//   State all = onefold::mpi::allreduce(onefold::gather("mean,var", part), MPI_COMM_WORLD);
//   State all = onefold::mpi::allreduce([&] { return onefold::gather("mean", read(part)); }, comm);
//
// Header only: whoever includes it links MPI, the library does not. Host memory only; what is sent
// is some hundred int64 by MPI_SUM; extremes and ranges, where there are any, by MPI_Allgatherv.
// All functions are collective: every rank of `comm` must call the same one. Where one of them
// fails, all throw, with the same code. A rank whose memory ends once the others know what it
// brings throws alone, and they wait for it: let that exception end the program, and mpirun ends
// them.
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

// What is more is said by all ranks alike.
inline void check_bytes(uint64_t n) {
  if (n <= INT_MAX) return;
  throw Error(ErrorCode::bad_state, "one message has " + std::to_string(n) +
                                        " bytes, and MPI takes 2^31 - 1; merge fewer at once");
}

// The bytes of one rank, on all.
inline std::vector<std::byte> broadcast(std::vector<std::byte> bytes, int from, MPI_Comm comm) {
  uint64_t n = bytes.size();
  ONEFOLD_MPI(MPI_Bcast, &n, 1, MPI_UINT64_T, from, comm);
  check_bytes(n);
  bytes.resize(n);
  ONEFOLD_MPI(MPI_Bcast, bytes.data(), static_cast<int>(n), MPI_BYTE, from, comm);
  return bytes;
}

inline std::string broadcast_text(const std::string& mine, int from, MPI_Comm comm) {
  const auto* const text = reinterpret_cast<const std::byte*>(mine.data());
  std::vector<std::byte> bytes;
  if (rank_of(comm) == from) bytes.assign(text, text + mine.size());
  bytes = broadcast(std::move(bytes), from, comm);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What every rank says before words are added.
struct Hello {
  uint64_t error = 0;  // an ErrorCode
  uint64_t kind = 0;
  uint64_t carried = 0;
};

inline std::vector<Hello> greet(Hello mine, MPI_Comm comm) {
  std::vector<Hello> all(static_cast<std::size_t>(size_of(comm)));
  ONEFOLD_MPI(MPI_Allgather, &mine, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, comm);
  return all;
}

// Throws on all ranks what the first failing rank met.
inline void throw_first_error(const std::vector<Hello>& all, const std::string& mine,
                              MPI_Comm comm) {
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].error == 0) continue;
    throw Error(
        static_cast<ErrorCode>(all[r].error),
        "rank " + std::to_string(r) + ": " + broadcast_text(mine, static_cast<int>(r), comm));
  }
}

// What a rank has met instead of a result.
struct Failure {
  ErrorCode code = ErrorCode::ok;
  std::string why;
};
// Calls f, and returns what it throws.
template <class F>
Failure failure_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, "memory ran out"};
  } catch (const std::exception& e) {
    return {ErrorCode::peer_failed, e.what()};
  } catch (...) {
    return {ErrorCode::peer_failed, "it threw what is no std::exception"};
  }
  return {};
}

// Throws on all ranks what the root has met; the others have none.
inline void throw_failure_of(int root, const Failure& mine, MPI_Comm comm) {
  auto code = static_cast<uint64_t>(mine.code);
  ONEFOLD_MPI(MPI_Bcast, &code, 1, MPI_UINT64_T, root, comm);
  if (code != 0) throw Error(static_cast<ErrorCode>(code), broadcast_text(mine.why, root, comm));
}

// A state of the same kind that holds nothing.
template <class S>
struct KindOf {
  static State nothing(const State& state) {
    const Message m(state);
    return m.merged(std::vector<int64_t>(m.added().size()), {});
  }
};

// Throws on all ranks where two are of different kinds; returns the first that is of one, or -1.
template <class S>
int agree(const std::vector<Hello>& all, const S& mine, MPI_Comm comm) {
  int first = -1;
  for (int r = 0; r < static_cast<int>(all.size()); ++r) {
    const uint64_t kind = all[static_cast<std::size_t>(r)].kind;
    if (kind == 0) continue;
    if (first < 0) first = r;
    if (kind == all[static_cast<std::size_t>(first)].kind) continue;
    const std::string ranks = "ranks " + std::to_string(first) + " and " + std::to_string(r) + ": ";
    const std::vector<std::byte> kind_of_mine = KindOf<S>::nothing(mine).save();
    S one = S::load(broadcast(kind_of_mine, first, comm));
    const S other = S::load(broadcast(kind_of_mine, r, comm));
    try {
      one.merge(other);
    } catch (const Error& e) {
      throw Error(e.code(), ranks + e.what());
    }
    throw Error(ErrorCode::bad_state, ranks + "the states are of different kinds");
  }
  return first;
}

// Of a rank that brought nothing, where others brought something: nothing of their kind.
template <class S>
void take_kind(const std::vector<Hello>& all, int first, S& mine, MPI_Comm comm) {
  const auto of_no_kind = [](const Hello& h) { return h.kind == 0; };
  if (std::none_of(all.begin(), all.end(), of_no_kind)) return;
  const std::vector<std::byte> kind =
      broadcast(rank_of(comm) == first ? KindOf<S>::nothing(mine).save() : std::vector<std::byte>(),
                first, comm);
  if (of_no_kind(all[static_cast<std::size_t>(rank_of(comm))])) mine = S::load(kind);
}

// Where each rank's bytes begin in a buffer of all.
struct Places {
  std::vector<int> bytes, begin;
  std::size_t total = 0;
};
inline Places places(const std::vector<Hello>& all) {
  Places p;
  for (const Hello& h : all) {
    p.begin.push_back(static_cast<int>(p.total));
    p.bytes.push_back(static_cast<int>(h.carried));
    p.total += h.carried;
  }
  if (p.total > static_cast<std::size_t>(INT_MAX)) {
    throw Error(ErrorCode::bad_state,
                "the ranges of all ranks are " + std::to_string(p.total) +
                    " bytes, and MPI takes 2^31 - 1; gather neighbouring parts on one rank");
  }
  return p;
}

// A buffer of all, rank by rank.
inline std::vector<std::span<const std::byte>> cut(std::span<const std::byte> all,
                                                   const Places& at) {
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t r = 0; r < at.bytes.size(); ++r) {
    parts.push_back(
        all.subspan(static_cast<std::size_t>(at.begin[r]), static_cast<std::size_t>(at.bytes[r])));
  }
  return parts;
}

inline std::vector<int64_t> add(std::span<const int64_t> words, int root, MPI_Comm comm) {
  std::vector<int64_t> sum(words.size());
  const int n = static_cast<int>(words.size());
  if (root < 0) {
    ONEFOLD_MPI(MPI_Allreduce, words.data(), sum.data(), n, MPI_INT64_T, MPI_SUM, comm);
  } else {
    ONEFOLD_MPI(MPI_Reduce, words.data(), sum.data(), n, MPI_INT64_T, MPI_SUM, root, comm);
  }
  return sum;
}

inline std::vector<std::byte> collect(std::span<const std::byte> mine, const Places& of, int root,
                                      MPI_Comm comm) {
  std::vector<std::byte> all(of.total);
  if (of.total == 0) return all;
  const int n = of.bytes[static_cast<std::size_t>(rank_of(comm))];
  if (root < 0) {
    ONEFOLD_MPI(MPI_Allgatherv, mine.data(), n, MPI_BYTE, all.data(), of.bytes.data(),
                of.begin.data(), MPI_BYTE, comm);
  } else {
    ONEFOLD_MPI(MPI_Gatherv, mine.data(), n, MPI_BYTE, all.data(), of.bytes.data(), of.begin.data(),
                MPI_BYTE, root, comm);
  }
  return all;
}

// What the ranks have gathered, once all have said hello and are of one kind.
template <class M>
struct Greeted {
  std::optional<M> message;  // of this rank; none where no rank has gathered anything
  std::vector<Hello> all;
  std::size_t carried = 0;  // bytes that this rank has announced
};
// Calls `gather` and greets the others. A rank that cannot gather still takes part, or the others
// would wait for ever.
//   M        the message of an S
//   carried  the bytes of one that travel beside its words
//   throws   on all ranks alike: what one has met, states of different kinds
template <class S, class M, class Gather, class Carried>
Greeted<M> gather_and_greet(Gather&& gather, Carried carried, MPI_Comm comm) {
  S mine;
  Greeted<M> g;
  const Failure failed = failure_of([&] {
    mine = gather();
    g.message.emplace(mine);
  });
  Hello hello{.error = static_cast<uint64_t>(failed.code)};
  if (hello.error == 0) hello = {0, g.message->kind(), carried(*g.message).size()};
  g.all = greet(hello, comm);
  g.carried = hello.carried;
  throw_first_error(g.all, failed.why, comm);
  const int first = agree(g.all, mine, comm);
  if (first < 0) {
    g.message.reset();
    return g;
  }
  take_kind(g.all, first, mine, comm);
  if (hello.kind == 0) g.message.emplace(mine);
  return g;
}

// Merges what `gather` returns on all ranks, on `root` or, if that is -1, on all.
template <class Gather>
State gather_and_merge(Gather&& gather, int root, MPI_Comm comm) {
  const Greeted<Message> greeted = gather_and_greet<State, Message>(
      gather, [](const Message& m) { return m.carried(); }, comm);
  if (!greeted.message) return {};
  const Message& message = *greeted.message;
  const Places at = places(greeted.all);
  const std::vector<int64_t> sum = add(message.added(), root, comm);
  const std::vector<std::byte> carried =
      collect(message.carried().first(greeted.carried), at, root, comm);
  if (root < 0) return message.merged(sum, cut(carried, at));
  State merged;
  throw_failure_of(root, rank_of(comm) != root ? Failure{} : failure_of([&] {
                     merged = message.merged(sum, cut(carried, at));
                   }),
                   comm);
  return merged;
}
inline int checked_root(int root, MPI_Comm comm) {
  if (root >= 0 && root < size_of(comm)) return root;
  throw Error(ErrorCode::bad_option, "reduce: there is no rank " + std::to_string(root) + " of " +
                                         std::to_string(size_of(comm)));
}
}  // namespace detail

// The state of all ranks, on each of them: equal bytes everywhere. A rank may bring State(), which
// is nothing.
//   throws  bad_state: the states are of different kinds; overlap, overflow: as State::merge;
//           peer_failed: MPI reported an error (where its handler returns)
//   cost    two messages, a third where extremes or ranges are kept
inline State allreduce(const State& mine, MPI_Comm comm) {
  return detail::gather_and_merge([&] { return mine; }, -1, comm);
}
// The same on `root` only; the others get State().
//   throws  as allreduce, on all ranks alike; bad_option: there is no such rank
//   cost    a word more, from the root to all: whether it could merge them
inline State reduce(const State& mine, int root, MPI_Comm comm) {
  return detail::gather_and_merge([&] { return mine; }, detail::checked_root(root, comm), comm);
}

// The same of what `gather()` returns. Where it throws on a rank, all ranks throw an Error of its
// code that names the rank.
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
