// The accumulators and ops as run-time rows, made from the folders of include/onefold.
#pragma once

#include <span>
#include <string_view>

#include "onefold/named.hpp"
#include "onefold/op_concept.hpp"

namespace onefold {

// One accumulator for one element type; a state is `words` int64.
struct AccumulatorRow {
  const char* name;
  int words;
  int inputs;
  bool indexed;  // holds the place of an element
  void (*clear)(int64_t* state);
  void (*merge)(int64_t* into, const int64_t* from);  // canonical in, canonical out
  void (*canonicalise)(int64_t* state);
  // Could n < 2^63 elements give this canonical state? Not a proof, but nothing overflows later.
  bool (*possible)(const int64_t* state, Size n);
};
const AccumulatorRow& row_of(Accumulator a, DType t);

struct OpRow {
  const char* name;
  const OpFacts* about;
  Real (*finish)(const Gathered&);
  Recipe (*recipe)(const Named&);  // null: only exact words will do
};
std::span<const OpRow> op_rows();
// throws unknown_op, naming the nearest and all others
const OpRow& find_op(std::string_view name);

// Where each accumulator's words stand in a state of several, and how many there are.
struct Layout {
  int offset[accumulator_count];  // -1: not held
  int words = 0;
  constexpr Layout() {
    for (int& o : offset) o = -1;
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};
Layout layout_of(Accumulators set, DType t);

// For all accumulators of a set.
void clear(int64_t* state, const Layout&, DType);
void merge(int64_t* into, const int64_t* from, const Layout&, DType);
void canonicalise(int64_t* state, const Layout&, DType);

}  // namespace onefold
