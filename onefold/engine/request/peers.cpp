#include "onefold/engine/request/peers.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace onefold {
namespace {

constexpr std::size_t words_said = 3;

}  // namespace

Peers::Peers(std::size_t rank, std::size_t ranks, GatherWords gather)
    : rank_(rank), ranks_(ranks), gather_(std::move(gather)), said_(words_said * ranks) {}

void Peers::call(std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all) {
  if (gather_(mine, all, to_all)) return;
  told_ = true;  // no rank can be reached, so none can be told of an error
  throw Error(ErrorCode::peer_failed, "the other ranks cannot be reached");
}

void Peers::say(uint64_t code, std::size_t size, MessageKind saying) {
  const uint64_t mine[words_said] = {code, size, saying};
  call(mine, said_, true);
}

// Throws the error of the first rank that has one. If all other ranks have finished, the error does
// not concern a rank's part, so no rank is named.
void Peers::throw_failure(std::span<const std::byte> mine) {
  told_ = true;
  std::size_t rank = 0;
  while (said_[words_said * rank] == 0) ++rank;
  const auto code = static_cast<ErrorCode>(said_[words_said * rank]);
  bool others_done = true;
  for (std::size_t r = 0; r < ranks_; ++r) {
    if (r == rank) continue;
    others_done &= said_[words_said * r + 2] == the_end;
    said_[words_said * r + 1] = 0;  // only the rank that failed sends its message
  }
  Bytes lines;
  if (!exchange(rank == rank_ ? mine : std::span<const std::byte>(), true, lines)) {
    throw Error(code, "rank " + std::to_string(rank) + ": memory ran out");
  }
  const std::string line(reinterpret_cast<const char*>(lines[rank].data()), lines[rank].size());
  throw Error(code, (others_done ? "" : "rank " + std::to_string(rank) + ": ") + line);
}

// Exchanges bytes whose numbers all ranks have announced. If memory ran out on one rank, returns
// false on all, so that no rank waits for another.
bool Peers::exchange(std::span<const std::byte> mine, bool to_all, Bytes& got) {
  uint64_t most = 0;
  for (std::size_t r = 0; r < ranks_; ++r) most = std::max(most, said_[words_said * r + 1]);
  std::vector<uint64_t> words;
  uint64_t short_of = 0;
  try {
    got.each_ = (most + 7) / 8;
    for (std::size_t r = 0; r < ranks_; ++r) got.sizes_.push_back(said_[words_said * r + 1]);
    words.resize(got.each_);
    if (to_all || first()) got.words_.resize(got.each_ * ranks_);
  } catch (const std::bad_alloc&) {
    short_of = 1;
  } catch (const std::length_error&) {
    short_of = 1;
  }
  call(std::span(&short_of, 1), std::span(said_).first(ranks_), true);
  if (std::any_of(said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(ranks_),
                  [](uint64_t s) { return s != 0; })) {
    return false;
  }
  if (!mine.empty()) std::memcpy(words.data(), mine.data(), mine.size());
  if (got.each_ > 0) call(words, got.words_, to_all);
  return true;
}

Peers::Bytes Peers::gather(std::span<const std::byte> mine, bool to_all) {
  say(0, mine.size(), bytes);
  bool failed = false, ended = false;
  for (std::size_t r = 0; r < ranks_; ++r) {
    failed |= said_[words_said * r] != 0;
    ended |= said_[words_said * r + 2] == the_end;
  }
  if (failed) throw_failure({});
  if (ended) {
    told_ = true;
    throw Error(
        ErrorCode::bad_state,
        "the ranks were started with different files or options; start all with the same command");
  }
  Bytes got;
  if (!exchange(mine, to_all, got)) {
    told_ = true;
    throw Error(ErrorCode::out_of_memory,
                "memory ran out on a rank while the ranks exchanged data");
  }
  return got;
}

std::vector<uint64_t> Peers::gather(uint64_t mine) {
  const Bytes got = gather({reinterpret_cast<const std::byte*>(&mine), sizeof mine});
  return got.words_;
}

void Peers::fail(const Error& error) {
  const std::string line = error.what();
  say(static_cast<uint64_t>(error.code()), line.size(), bytes);
  throw_failure({reinterpret_cast<const std::byte*>(line.data()), line.size()});
}

void Peers::end() {
  say(0, 0, the_end);
  bool failed = false, working = false;
  for (std::size_t r = 0; r < ranks_; ++r) {
    failed |= said_[words_said * r] != 0;
    working |= said_[words_said * r + 2] != the_end;
  }
  if (failed) throw_failure({});
  if (!working) return;
  told_ = true;
  throw Error(
      ErrorCode::bad_state,
      "the ranks were started with different files or options; start all with the same command");
}

}  // namespace onefold
