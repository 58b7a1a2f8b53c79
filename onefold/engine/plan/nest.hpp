// The loop nest of a fold: which element belongs to which answer, at which index. Plans, files,
// streams of text and all backends use it.
//
// A nest is a list of loops over memory, the slowest first. Each loop is an axis; it says how many
// bytes one step moves in each input, and by how much a step changes the answer's number (a kept
// axis) or the index within the answer (a folded axis). So loops can be reversed and sorted into
// the order of memory, and each element's index in C order is still known.
#pragma once

#include <string>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

struct Axis {
  Size extent = 0;
  // In bytes, for each input; with one input the first two are equal. The third is the mask's, in
  // units of the mask (Selector); 0 if there is no mask.
  int64_t stride[3] = {};
  int64_t step = 0;  // answers (kept axis) or indices (folded axis); 0: no op needs an index
  bool folded = false;
  friend bool operator==(const Axis&, const Axis&) = default;
};

struct Nest {
  std::vector<Axis> axes = {};  // the slowest first
  Size bytes = 1;               // bytes of an element
  // The first element in the order of the loops: its distance from the beginning of each input in
  // bytes (for the mask in units), its answer and its index.
  int64_t origin[3] = {};
  Size answer = 0, index = 0;
  Size repeats = 1;  // how often each element counts
  friend bool operator==(const Nest&, const Nest&) = default;

  Size size() const;      // number of elements, without repeats
  Size answers() const;   // number of answers: product of the kept extents
  Size elements() const;  // elements of an answer: product of the folded extents
};

// Returns whether elements of so many bytes are neighbours along an axis.
inline bool is_dense(const Axis& a, Size bytes) {
  return a.stride[0] == static_cast<int64_t>(bytes) && a.stride[1] == a.stride[0];
}

// The access pattern of a nest in its simplest form. A backend may have a separate loop for each.
enum class Family : uint8_t {
  whole,    // one answer, from one contiguous run
  rows,     // each answer from a contiguous run
  columns,  // neighbouring elements belong to neighbouring answers
  middle,   // columns that repeat along a slower kept axis
  general,  // any other pattern
};
Family family_of(const Nest& nest);
const char* name_of(Family f);

// Adds an axis that is faster than the present ones. Its elements are `apart` elements from each
// other, and their numbers continue. An extent of 1 adds no axis.
void add_axis(Nest& nest, Size extent, Size apart, bool folded);

// The passes that simplify a nest. Each keeps the set of (element, answer, index).
void drop_ones(std::vector<Axis>& axes);  // removes axes of extent 1
void turn_upwards(Nest& nest);            // reverses axes that run downwards in all inputs
void sort_by_memory(Nest& nest);          // slowest axis first; kept axes of stride 0 at the front
void join(std::vector<Axis>& axes);  // joins neighbouring axes that one stride and step can replace
void hoist_repeats(Nest& nest);      // removes folded axes of stride 0: repetitions
void make_plain(Nest& nest);         // runs all of these passes

// Reverses an axis: the loop begins at its other end.
void turn(Nest& nest, Axis& axis);

// Returns whether element i of these loops has the number i.
bool counts_on(const std::vector<Axis>& axes);
// Returns the sum of the steps from the first element to element i of these axes, in this order.
Size place_of(const std::vector<Axis>& axes, Size i);

// Returns a part of a nest: `count` steps along axis `level` from element `begin` in loop order,
// with all faster axes whole. `begin` must be the first element of a step.
Nest box_of(const Nest& nest, std::size_t level, Size begin, Size count);
// Changes the nest for elements that were copied to contiguous memory in the order of the loops; a
// mask is not copied.
void pack(Nest& nest);
// Returns whether elements already are contiguous in the order of the loops.
bool is_packed(const Nest& nest);

// Where element i, in the order of the loops, lies in the first input (in bytes from its
// beginning), and how many contiguous elements follow.
struct Run {
  Size offset, left;
};
Run run_at(const Nest& nest, Size i);

// Returns for example "kept 3 at stride 8 answer step 1", for `onefold explain`.
std::string text_of(const Axis& axis, int inputs);

}  // namespace onefold
