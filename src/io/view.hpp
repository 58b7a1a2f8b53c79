// A part of an array in the order in which its file has it, and where each element belongs: to
// which state, and which index it has among the elements folded into that state.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace onefold::io {

struct View {
  struct Axis {
    Size count = 0;
    Size step = 0;  // elements of the file from one to the next
    bool folded = false;
    Size place = 0;  // to the next: states if kept, indices if folded
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::vector<Axis> axes;  // slowest first; at least one, none of count 0
  Size origin = 0;         // where in the file the first element is, in elements
  Size slot = 0;           // its state
  Size first = 0;          // its index
  friend bool operator==(const View&, const View&) = default;

  Size size() const;
  // Its elements are neighbours in the file.
  bool dense() const;
  // Joins axes that one step can walk. Indices matter: folded axes stay apart unless they count on.
  void collapse(bool indices_matter);
  // At most `limit` elements (but at least one) that make whole boxes: a good size for pieces.
  Size whole_boxes(Size limit) const;

  struct Run {
    Size element;  // of the file
    Size left;     // neighbours from there on
  };
  Run run_at(Size i) const;
};

// Folds the elements [begin, end) of a view, which lie at x (and y) without holes, into the states.
//   plan     ops, type, threads and target; not its dimensions
//   states   of all slots from view.slot = 0 on, canonical
void fold_range(const Plan& plan, const View& view, Size begin, Size end, const std::byte* x,
                const std::byte* y, int64_t* states);

// Applies f to every index that a state holds.
template <class F>
void change_indices(int64_t* state, const Plan& plan, F f) {
  for (int a = 0; a < accumulator_count; ++a) {
    if (plan.layout.offset[a] < 0) continue;
    if (!row_of(static_cast<Accumulator>(a), plan.dtype).indexed) continue;
    // least and greatest: key, first index, first NaN index.
    for (int k = 1; k <= 2; ++k) {
      int64_t& w = state[plan.layout.offset[a] + k];
      if (static_cast<Size>(w) != none) w = static_cast<int64_t>(f(static_cast<Size>(w)));
    }
  }
}

}  // namespace onefold::io
