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

#include "onefold/base.hpp"

namespace onefold {

struct Axis {
  Size extent = 0;
  // Bytes, in each input; one input: the first two are equal. The third is of the mask, in its own
  // units (Selector), 0 where there is none.
  int64_t stride[3] = {};
  int64_t step = 0;  // answers (kept) or indices (folded); 0: nobody asks for an index
  bool folded = false;
  friend bool operator==(const Axis&, const Axis&) = default;
};

struct Nest {
  std::vector<Axis> axes = {};  // the slowest first
  Size bytes = 1;               // bytes of an element
  // The first element in the order of the loops: its distance from the beginning of each input in
  // bytes (of the mask in units), its answer and its index.
  int64_t origin[3] = {};
  Size answer = 0, index = 0;
  Size repeats = 1;  // how often each element counts
  friend bool operator==(const Nest&, const Nest&) = default;

  Size size() const;      // elements, each counted once
  Size answers() const;   // product of the kept extents
  Size elements() const;  // product of the folded ones
};

// Whether elements of so many bytes are neighbours along an axis.
inline bool is_dense(const Axis& a, Size bytes) {
  return a.stride[0] == static_cast<int64_t>(bytes) && a.stride[1] == a.stride[0];
}

// The access pattern of a nest in its simplest form; a backend may have a separate loop for each.
enum class Family : uint8_t {
  whole,    // one answer, one run of neighbours
  rows,     // each answer from a run of neighbours
  columns,  // neighbours belong to different answers, which lie side by side
  middle,   // columns between kept axes, repeated
  general,  // anything else
};
Family family_of(const Nest& nest);
const char* name_of(Family f);

// Adds an axis faster than those that are there, of elements that are so many elements apart and
// count on; none where there is just one.
void add_axis(Nest& nest, Size extent, Size apart, bool folded);

// The passes that make a nest plain. Each leaves the set of (element, answer, index) as it is.
void drop_ones(std::vector<Axis>& axes);  // axes of extent 1
void turn_upwards(Nest& nest);            // no axis runs downwards in all inputs
void sort_by_memory(Nest& nest);          // the slowest first; kept axes of stride 0 before all
void join(std::vector<Axis>& axes);  // neighbours of one role that one stride and step can walk
void hoist_repeats(Nest& nest);      // folded axes of stride 0, whose elements are all the same
void make_plain(Nest& nest);         // all of them

// Turns an axis round: the walk begins at its other end.
void turn(Nest& nest, Axis& axis);

// Whether steps count on without gaps, in this order: the place of an element is its number.
bool counts_on(const std::vector<Axis>& axes);
// The sum of the steps from the first element to element i of axes in this order.
Size place_of(const std::vector<Axis>& axes, Size i);

// A part of a nest: `count` steps along axis `level` from element `begin` of the walk on, all
// faster axes whole. begin must be at the start of such a step.
Nest box_of(const Nest& nest, std::size_t level, Size begin, Size count);
// Changes the nest for elements that have been copied into contiguous memory in the order of the
// loops; a mask is not copied.
void pack(Nest& nest);
// Whether the elements are neighbours in the order of the walk already.
bool is_packed(const Nest& nest);

// The position of element i, in the order of the loops, in the first input (bytes from its
// beginning), and the number of neighbours that follow.
struct Run {
  Size offset, left;
};
Run run_at(const Nest& nest, Size i);

// "kept 3 at stride 8 answer step 1", for `onefold explain`.
std::string text_of(const Axis& axis, int inputs);

}  // namespace onefold
