// Feeds: loops that gather one or more accumulators from a run of neighbouring elements.
//
// A feed keeps what it learns about the data (anchors, integer sums) in its work space between
// calls of `run`, and adds its sums to the words in `close`. Every accumulator and type has a
// portable feed made from `lift`; the files in feed/ define faster feeds for one or several
// accumulators.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "onefold/core/accumulators.hpp"
#include "onefold/core/dtype.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {

using onefold::Target;                      // `portable` has only the feeds made from lift
Target find_target(std::string_view name);  // empty name: the best target; throws bad_option

struct Feed {
  const char* name;
  Accumulators provides;
  DType dtype;
  // About the picoseconds that an element in L2 takes; only the order among feeds matters.
  int cost;
  std::size_t work_bytes;  // aligned to 64
  // words[a] points to the canonical words of accumulator a, or is null if nobody asked for a.
  void (*open)(void* work, int64_t* const* words);
  // Adds n elements; `first` is the index of the first one. Calls come in the order of their
  // indices. x and y are aligned to the element size. At most 2^30 elements between open and close.
  void (*run)(void* work, const void* x, const void* y, Size n, Size first);
  // After close the words hold the whole sum; they may need a carry to be canonical.
  void (*close)(void* work);
};

// Returns all feeds of a target.
std::span<const Feed> feeds(Target target);

// Returns the cheapest feeds that gather `needs` from elements of type `t`; never freed.
std::span<const Feed* const> choose_feeds(Target target, DType t, Accumulators needs);

// Writes the correctly rounded sum or mean of n <= small_sum_most elements of f64 or f32. Returns
// false if the general path must compute it (special values, wide exponents). The pointer is null
// on targets that have no such function.
template <class T>
using SmallFold = bool(const T* x, Size n, T* out);
// For more elements feeds are as fast (f32), or the accumulators would overflow (f64).
template <class T>
inline constexpr Size small_sum_most = sizeof(T) == 8 ? 1 << 14 : 1 << 9;
template <class T>
SmallFold<T>* small_sum(Target target);
template <class T>
SmallFold<T>* small_mean(Target target);

// Sums with the best instruction set. Also returns false if n is too large, or if the caller has
// set another rounding mode, flushing of subnormals or traps.
template <class T>
bool quick_sum(const T* x, Size n, T* out);
template <class T>
bool quick_mean(const T* x, Size n, T* out);

}  // namespace onefold::cpu_backend
