// Exact sums by single/onefold_exact.hpp, for tests that include the library's own headers: a
// source file includes one of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace one_file {

using Bytes = std::vector<std::byte>;

// The classes: ExactSum, ExactVar, ExactMoments, ExactDot.
enum class Kind { sum, var, moments, dot };
// How elements are added: as one array, one by one, or in parts that are merged in any order.
enum class Way { array, one_by_one, parts };

// Returns the saved state of n elements. type: "f32"; y: the second array of dot.
Bytes gather(Kind kind, std::string_view type, const void* x, const void* y, std::size_t n, Way way,
             uint64_t seed = 0);

struct Answer {
  bool overflow = false;
  uint64_t bits = 0;
};
// Returns an answer of a saved state. op: "mean"; result: "f64", or "" for the type of the op.
Answer answer(Kind kind, std::string_view type, const Bytes& state, std::string_view op,
              std::string_view result, int64_t ddof);

// Returns the bytes of states after merging or removing one; nothing if `remove` refuses, or if a
// state does not load.
std::optional<Bytes> merged(Kind kind, std::string_view type, const Bytes& a, const Bytes& b);
std::optional<Bytes> removed(Kind kind, std::string_view type, const Bytes& a, const Bytes& b);

}  // namespace one_file
