// Ranks that work together by collective calls: a rank that fails reports its error in the next
// call, and all ranks throw the same error.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "onefold/error.hpp"

namespace onefold {

// Gathers the same number of words from each rank into `all`, rank by rank. Every rank must call
// it. Returns false if the ranks cannot be reached.
//   to_all  false: only the first rank gets the words; `all` is empty on the others
using GatherWords =
    std::function<bool(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all)>;

class Peers {
 public:
  Peers(std::size_t rank, std::size_t ranks, GatherWords gather);
  std::size_t rank() const { return rank_; }
  std::size_t ranks() const { return ranks_; }
  bool first() const { return rank_ == 0; }

  // Gathers the bytes of each rank; only on the first rank if `to_all` is false.
  //   throws  on all ranks alike: the error of the first rank that failed
  //   cost    three calls of GatherWords: errors and sizes, whether all have room, the bytes
  class Bytes {
   public:
    std::span<const std::byte> operator[](std::size_t rank) const {
      return {reinterpret_cast<const std::byte*>(words_.data() + rank * each_), sizes_[rank]};
    }

   private:
    friend class Peers;
    std::size_t each_ = 0;
    std::vector<uint64_t> sizes_, words_;
  };
  Bytes gather(std::span<const std::byte> mine, bool to_all = true);
  // Gathers one word from each rank.
  std::vector<uint64_t> gather(uint64_t mine);

  // Called, instead of the next collective call, by a rank that cannot continue.
  //   throws  the same error as gather throws on the other ranks
  [[noreturn]] void fail(const Error& error);
  // Ends the work of all ranks. It waits for the others, so that all learn of a rank that failed
  // late.
  void end();
  // Returns whether all ranks have thrown, so that none must be told.
  bool told() const { return told_; }

 private:
  enum MessageKind : uint64_t { bytes, the_end };
  void say(uint64_t code, std::size_t size, MessageKind saying);
  void call(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all);
  bool exchange(std::span<const std::byte> mine, bool to_all, Bytes& got);
  [[noreturn]] void throw_failure(std::span<const std::byte> mine);

  std::size_t rank_, ranks_;
  GatherWords gather_;
  std::vector<uint64_t> said_;  // for each rank: its error code or 0, its bytes, a Saying
  bool told_ = false;
};

}  // namespace onefold
