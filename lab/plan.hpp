// The launches of a rung, as plain values, which are the same for every machine.
#pragma once

#include <vector>

#include "lab/entry.hpp"

namespace onefold::lab {

enum class Buffer { input, first, second };

struct Step {
  Buffer x = Buffer::input, y = Buffer::first;
  Size n = 0;
  Size step = 0;
  Size grid = 1;
  bool cooperative = false;

  bool operator==(const Step&) const = default;
};

struct Plan {
  std::vector<Step> steps;
  unsigned block = 256;
  std::size_t shared_elements = 0;  // size of `extern __shared__`
  Size first_size = 0, second_size = 0;
  Size ticket_size = 1;       // of its words, 0 before and after: the ticket is the first
  bool first_zeroed = false;  // zeroed before, since the kernels add to it
  Buffer answer = Buffer::first;
  Size answers = 1;      // number of values that the host folds
  bool exact = false;    // the answer is rounded once
  double roundings = 0;  // if not exact: the most roundings that an element passes through

  bool operator==(const Plan&) const = default;
};

// Returns the facts of a rung, or of its published form.
inline Rung facts_of(const Entry& e, bool twin) {
  Rung r = e.about;
  if (!twin) return r;
  r.grid = e.twin.grid;
  r.in_place = e.twin.in_place;
  r.fixed_block = e.twin.fixed_block;
  return r;
}

// Returns the block size that it runs with if `asked` is asked for.
inline unsigned block_of(const Entry& e, bool twin, unsigned asked) {
  return twin && e.twin.fixed_block != 0 ? e.twin.fixed_block : asked;
}

// Returns the launches over n elements with blocks of `block` threads, and `chosen` blocks if the
// rung does not fix their number.
Plan plan(const Rung& r, Size n, unsigned block, Size chosen);
inline Plan plan(const Entry& e, bool twin, Size n, unsigned block, Size chosen) {
  return plan(facts_of(e, twin), n, block, chosen);
}

}  // namespace onefold::lab
