// Code that Message and StatesMessage share.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/error.hpp"

namespace onefold {

// added() begins with the number of elements in two halves. So its sum over 2^31 ranks is correct
// even if it does not fit an int64.
inline constexpr std::size_t count_words = 2;

// Calls f(row, offset of its words) for each accumulator that the state holds.
template <class F>
void for_each_held(const Layout& layout, DType dtype, F f) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (layout.offset[a] >= 0) {
      f(row_of(static_cast<Accumulator>(a), dtype), static_cast<std::size_t>(layout.offset[a]));
    }
  }
}

[[noreturn]] inline void bad_message(const char* why) {
  throw Error(ErrorCode::bad_state, std::string("merged: ") + why);
}

inline void put(std::vector<std::byte>& to, uint64_t v) {
  const auto* b = reinterpret_cast<const std::byte*>(&v);
  to.insert(to.end(), b, b + sizeof v);
}
inline uint64_t take(std::span<const std::byte>& from) {
  uint64_t v = 0;
  if (from.size() < sizeof v) bad_message("the bytes that a rank sent end early");
  std::memcpy(&v, from.data(), sizeof v);
  from = from.subspan(sizeof v);
  return v;
}

inline void put_ranges(std::vector<std::byte>& to, const Ranges& ranges) {
  put(to, ranges.size());
  for (const auto& [begin, end] : ranges) {
    put(to, begin);
    put(to, end);
  }
}
// Merges ranges from bytes. throws  bad_state, overlap
inline void unite_with(Ranges& ranges, std::span<const std::byte>& from) {
  const uint64_t n = take(from);
  if (n > from.size() / (2 * sizeof(Size))) bad_message("the bytes that a rank sent end early");
  Ranges others;
  for (uint64_t k = 0; k < n; ++k) {
    const Size begin = take(from), end = take(from);
    if (!others.append(begin, end)) bad_message("ranges are not in order");
  }
  ranges.unite(others);
}

// Returns the number of elements, from the sums of both halves. throws overflow, bad_state
inline Size count_of(int64_t low, int64_t high) {
  if (low < 0 || high < 0) bad_message("the number of elements is negative");
  const Size all = static_cast<Size>(high) + (static_cast<Size>(low) >> 32);
  if (all >> 31 != 0) {
    throw Error(ErrorCode::overflow, "merged: the states hold 2^63 elements or more together");
  }
  return all << 32 | (static_cast<Size>(low) & 0xffffffff);
}

}  // namespace onefold
