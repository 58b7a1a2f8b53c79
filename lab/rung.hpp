// What a rung says of itself. A rung is one file: facts as fields, then the kernel, then, where the
// published kernel has a flaw, its twin `as_published`. No system header: the texts compile at run
// time for a GPU.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::lab {

// How a rung's launches follow one another.
enum class Flow {
  partials,     // one launch, a value a block; the host adds those
  levels,       // launch after launch until one value is left
  two_pass,     // `grid` blocks, then one block over their values
  one_launch,   // the last block to finish folds the blocks' values
  atomic,       // one launch; every block adds to one value
  pairs,        // one launch a level, in place, the distance between partners doubling
  cooperative,  // one launch whose blocks wait for one another
  library,      // a call of a library, which launches what it likes
  host,         // no GPU
};

// How many blocks the first launch has for n elements.
enum class Grid {
  cover,      // enough for all elements
  published,  // ceil(n / block) / elements a thread, as 001 launches: a tail may be left out
  one,        // one block
  chosen,     // the option --grid
};

struct Published {
  double value = 0;
  const char* unit = nullptr;
  const char* chip = nullptr;
};

// Kinds of flaw, as bits, in the order of sim::FlawKind.
enum Flaws : unsigned {
  no_flaw = 0,
  race = 1,
  barrier_not_reached = 2,
  absent_lane = 4,
  uninitialised = 8,
  out_of_bounds = 16,
  dirty_ticket = 32,
  wrong_result = 64,
  no_progress = 128,
};

struct Rung {
  const char* title = "";
  const char* idea = "";
  const char* source = "";
  Published published[4] = {};
  const char* after = "";  // the rung that it improves on
  Flow flow = Flow::partials;
  Grid grid = Grid::cover;
  unsigned a_thread = 1;     // elements that a thread of the first launch takes; chosen grid: 0
  bool in_place = false;     // overwrites its input
  bool block_known = false;  // the block size is a template argument
  bool any_op = false;       // min and max too
  bool i32_only = false;
  bool exact = false;  // floats too: rounded once
  unsigned min_block = 32;
  unsigned fixed_block = 0;      // as published: no other block size
  unsigned divisions = 0;        // of a thread at each level, which no counter shows
  unsigned shared_a_thread = 0;  // elements of `extern __shared__` per thread
};

// The published form of a rung: what differs, and what is wrong with it.
struct Twin {
  unsigned flaws = 0;
  const char* why = "";
  Grid grid = Grid::cover;
  unsigned fixed_block = 0;
  bool in_place = false;
};

// Where a library's call is queued: a device by its number, and a CUstream of it.
struct OnStream {
  int device = 0;
  void* stream = nullptr;
};

template <class T>
struct Sum {
  using Type = T;
  static constexpr const char* name = "sum";
  ONEFOLD_KERNEL static T identity() { return T(0); }
  ONEFOLD_KERNEL static T fold(T a, T b) { return a + b; }
};
// The identities are the ends of a type's range, infinities for floats.
template <class T>
struct Range {
  ONEFOLD_KERNEL static T lowest() {
    if constexpr (T(0.5) == T(0)) {
      return T(T(1) << (sizeof(T) * 8 - 2)) * T(-2);
    } else {
      return -infinity();
    }
  }
  ONEFOLD_KERNEL static T highest() {
    if constexpr (T(0.5) == T(0)) {
      return T(-1) - lowest();
    } else {
      return infinity();
    }
  }

 private:
  // NVRTC knows no __builtin_huge_val.
  ONEFOLD_KERNEL static T infinity() {
    return T(__builtin_bit_cast(double, 0x7ff0000000000000ull));
  }
};
template <class T>
struct Min {
  using Type = T;
  static constexpr const char* name = "min";
  ONEFOLD_KERNEL static T identity() { return Range<T>::highest(); }
  ONEFOLD_KERNEL static T fold(T a, T b) { return b < a ? b : a; }
};
template <class T>
struct Max {
  using Type = T;
  static constexpr const char* name = "max";
  ONEFOLD_KERNEL static T identity() { return Range<T>::lowest(); }
  ONEFOLD_KERNEL static T fold(T a, T b) { return a < b ? b : a; }
};

// Every kernel text begins with this: F is the fold (Sum<int>, ...), B the block size where the
// text knows it (else 0), M the machine, T the element type.
#define ONEFOLD_RUNG_KERNEL                                           \
  template <class F, unsigned B, class M, class T = typename F::Type> \
  ONEFOLD_KERNEL static void

}  // namespace onefold::lab
