// Rows of words: one row for each slice. Vector code carries several slices at once.
//
//   carry    makes rows canonical again after adding other rows to them
//   valid    rows that surely are; why_invalid() checks the others exactly
#pragma once

#include <vector>

#include "onefold/engine/plan/table.hpp"

namespace onefold {

// The words that a row has.
struct RowShape {
  // The limbs of one accumulator that rows hold: `digits` words from `slot` on. All have the sign
  // of the sum. A sum that is 0 in all rows has no entry.
  struct Limbs {
    Accumulator accumulator;
    int slot, digits;
    int lowest;  // number of the limb with the first digit
    bool top;    // the last digit is the accumulator's last limb, which is never carried
  };
  DType dtype = DType::f64;
  int width = 0;
  std::vector<Limbs> limbs = {};
  std::vector<int> flags = {};  // slots of words that stay 0 or 1 after additions

  // Slots of the words that surely_valid() reads; -1: there is no such word.
  bool known = false;  // false: there are other accumulators, so no row is surely valid
  int count = -1;      // slot of the number of elements
  int n = -1, flag = -1, zeros = -1;
  bool squared = false;               // there is a sum of squares
  int extremes[2] = {-1, -1};         // slots of the least and the greatest: key, index, first NaN
  std::vector<int> not_numbers = {};  // slots of the counts of NaN and infinities
  int64_t keys[2] = {};               // keys of the type's least and greatest finite element
};

// Merges rows of one layout: adds words and counts, and chooses extremes. Sums are not
// carried.
class RowMerge {
 public:
  //   used  numbers of the words of a row, ascending; words behind those of the layout are counts,
  //         which are added
  RowMerge(DType dtype, const Layout& layout, const std::vector<int>& used);
  bool adds() const { return chosen_.empty(); }  // true: merging only adds
  void operator()(int64_t* into, const int64_t* from, Size n) const;

 private:
  struct Run {
    Size begin, end;
  };
  struct SlotAccumulator {
    Size slot;
    const AccumulatorRow* row;
  };
  Size width_;
  std::vector<Run> added_;
  std::vector<SlotAccumulator> chosen_;
};

// Carries digits, which all have their sum's sign, and makes each flag 0 or 1.
//   returns  bit k is set if in some row the last digit of shape.limbs[k] needs one more limb
uint64_t carry_rows(const RowShape& shape, int64_t* rows, Size n);

// Returns whether a row surely is canonical, has at most `most` elements and is valid: it compares
// sums by their highest bits. False for empty slices, NaN and infinities, and for one element if
// there is a sum of squares.
bool surely_valid(const RowShape& shape, const int64_t* row, Size most);

}  // namespace onefold
