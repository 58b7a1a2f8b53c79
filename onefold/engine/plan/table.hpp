// Tables of all accumulators and ops at run time, made from the folders of onefold.
#pragma once

#include <span>
#include <string_view>

#include "onefold/core/op_facts.hpp"

namespace onefold {

struct Gathered;
struct Named;
struct Recipe;

// One accumulator for one element type; a state is `words` int64.
struct AccumulatorRow {
  const char* name;
  int words;
  int limbs;     // the first so many words are digits (exact/limbs.hpp)
  int64_t base;  // the base of those digits: 2^32, or 10^9 (exact/decimal.hpp)
  int inputs;
  bool indexed;   // holds the index of an element
  bool additive;  // states are merged by adding words
  int flag;       // number of the word that is a flag: nonzero means 1; -1: none
  void (*clear)(int64_t* state);
  void (*merge)(int64_t* into, const int64_t* from);  // both are canonical, before and after
  // Merges n states, each `step` words after the one before. For accumulators whose words are not
  // added.
  void (*merge_each)(int64_t* into, const int64_t* from, Size step, Size n);
  void (*canonicalise)(int64_t* state);
};
const AccumulatorRow& row_of(Accumulator a, DType t);

struct OpRow {
  std::size_t index;  // in op_rows(); a row with another name for messages keeps it
  const char* name;
  const OpFacts* about;
  Real (*finish)(const Gathered&);
  Recipe (*recipe)(const Named&);  // null: only exact words can answer
};
std::span<const OpRow> op_rows();
// Returns the op of this name or alias.
//   throws  unknown_op: names the nearest op and all others
const OpRow& find_op(std::string_view name);

// Where each accumulator's words are in a state, and the number of all words.
struct Layout {
  int offset[every_accumulator];  // -1: not held
  int words = 0;
  constexpr Layout() {
    for (int& o : offset) o = -1;
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};
Layout layout_of(Accumulators set, DType t);

// Carries n consecutive digits of a state, for an accumulator with limbs.
void carry(const AccumulatorRow& row, int64_t* digit, int n);

// Clears the words of all accumulators.
void clear(int64_t* state, const Layout&, DType);
void merge(int64_t* into, const int64_t* from, const Layout&, DType);
void canonicalise(int64_t* state, const Layout&, DType);

// Applies f to every index that a state holds.
template <class F>
void change_indices(int64_t* state, const Layout& layout, DType t, F f) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (layout.offset[a] < 0 || !row_of(static_cast<Accumulator>(a), t).indexed) continue;
    // least and greatest: key, first index, first NaN index.
    for (int k = 1; k <= 2; ++k) {
      int64_t& w = state[layout.offset[a] + k];
      if (static_cast<Size>(w) != none) w = static_cast<int64_t>(f(static_cast<Size>(w)));
    }
  }
}

}  // namespace onefold
