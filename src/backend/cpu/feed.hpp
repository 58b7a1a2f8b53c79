// Feeds: loops that gather one or more accumulators from a run of neighbouring elements.
//
// A feed keeps what it knows about the data (anchors, integer sums) in its work space from `run` to
// `run`, and adds everything to the words at `close`. For every accumulator and type there is a
// portable feed made from `lift`; files in feed/ add quicker ones, for one accumulator or several.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "onefold/accumulator.hpp"
#include "vectors.hpp"

namespace onefold::cpu_backend {

using onefold::Target;                      // portable: no feed but those made from lift
Target find_target(std::string_view name);  // empty: the best; throws bad_option

struct Feed {
  const char* name;
  Accumulators provides;
  DType dtype;
  // About the picoseconds an element takes from L2; what matters is the order between feeds.
  int cost;
  std::size_t work_bytes;  // aligned to 64
  // words[a]: where the canonical words of accumulator a are, or null if they are not wanted.
  void (*open)(void* work, int64_t* const* words);
  // n elements, `first` the index of the first; runs come in the order of their indices. x and y
  // are aligned to their element. At most 2^30 elements between open and close.
  void (*run)(void* work, const void* x, const void* y, Size n, Size first);
  // Afterwards the words hold everything, not necessarily canonical.
  void (*close)(void* work);
};

// All feeds for a target.
std::span<const Feed> feeds(Target target);

// The cheapest feeds that gather `needs` from elements of type `t`; valid for ever.
std::span<const Feed* const> choose_feeds(Target target, DType t, Accumulators needs);

// The exact sum of a short run of f64 or f32, or their mean, rounded; false if it must go the long
// way (special values, wide exponents). n is at most small_sum_most. Null where a target has none.
template <class T>
using SmallFold = bool(const T* x, Size n, T* out);
// Above this feeds are as quick (f32), or accumulators would overflow (f64).
template <class T>
inline constexpr Size small_sum_most = sizeof(T) == 8 ? 1 << 14 : 1 << 9;
template <class T>
SmallFold<T>* small_sum(Target target);
template <class T>
SmallFold<T>* small_mean(Target target);

// Sums by the best instruction set. Returns false also if there are too many elements, or if the
// caller has set another rounding mode, flushing of subnormals or traps.
template <class T>
bool quick_sum(const T* x, Size n, T* out);
template <class T>
bool quick_mean(const T* x, Size n, T* out);

}  // namespace onefold::cpu_backend
