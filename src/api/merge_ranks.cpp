#include "api/merge_ranks.hpp"

#include <algorithm>
#include <cstring>

namespace onefold {
namespace {

template <class S>
std::vector<std::byte> brought(const S& mine, const Error* error) {
  if (error == nullptr) return mine.save();
  const std::string line = error->what();
  const auto* const text = reinterpret_cast<const std::byte*>(line.data());
  return {text, text + line.size()};
}

Error of_rank(std::size_t rank, ErrorCode code, const std::string& what) {
  return Error(code, "rank " + std::to_string(rank) + ": " + what);
}

// What each rank has brought.
struct Brought {
  std::vector<uint64_t> codes, sizes;  // codes: of its error, or 0
  std::size_t each = 0;                // words
  std::vector<uint64_t> words;

  std::span<const std::byte> of(std::size_t rank) const {
    return {reinterpret_cast<const std::byte*>(words.data() + rank * each), sizes[rank]};
  }
};

template <class S>
Brought exchange(const S& mine, const Error* error, std::size_t ranks, const GatherWords& gather) {
  const std::vector<std::byte> here = brought(mine, error);
  const uint64_t code = error == nullptr ? 0 : static_cast<uint64_t>(error->code());
  const std::vector<uint64_t> told = gather({code, here.size()});
  if (told.size() != 2 * ranks) throw Error(ErrorCode::peer_failed, "the ranks cannot be reached");
  Brought all;
  for (std::size_t r = 0; r < ranks; ++r) {
    all.codes.push_back(told[2 * r]);
    all.sizes.push_back(told[2 * r + 1]);
  }
  all.each = (*std::max_element(all.sizes.begin(), all.sizes.end()) + 7) / 8;
  std::vector<uint64_t> words(all.each);
  std::memcpy(words.data(), here.data(), here.size());
  all.words = gather(words);
  if (all.words.size() != all.each * ranks) {
    throw Error(ErrorCode::peer_failed, "the ranks cannot be reached");
  }
  return all;
}

}  // namespace

template <class S>
S merge_ranks(const S& mine, const Error* error, std::size_t ranks, const GatherWords& gather) {
  const Brought all = exchange(mine, error, ranks, gather);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (all.codes[r] == 0) continue;
    const auto bytes = all.of(r);
    throw of_rank(r, static_cast<ErrorCode>(all.codes[r]),
                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  S sum;
  for (std::size_t r = 0; r < ranks; ++r) {
    try {
      sum.merge(S::load(all.of(r)));
    } catch (const Error& e) {
      throw of_rank(r, e.code(), e.what());
    }
  }
  return sum;
}
template State merge_ranks(const State&, const Error*, std::size_t, const GatherWords&);
template States merge_ranks(const States&, const Error*, std::size_t, const GatherWords&);

}  // namespace onefold
