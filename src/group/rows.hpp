// Rows of words: one row for each slice. Vector code processes several slices at once.
//
//   carry    makes rows canonical again after adding other rows to them
//   doubt    separates rows that certainly have possible values from doubtful rows, which
//            contradiction() checks
//   source   sum_facts.inl: contradiction() checks the same facts exactly, `doubt` only by the
//            highest bits of sums
#pragma once

#include <vector>

#include "plan/table.hpp"

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

  // Slots of the words that doubt_rows() reads; -1: there is no such word.
  bool known = false;  // false: there are other accumulators, so every row is in doubt
  int count = -1;      // slot of the number of elements
  int n = -1, flag = -1, zeros = -1;
  bool zeros_counted = false;         // zeros are counted, even if no row has any
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

// Sets doubt[i] to 0 if row i is canonical and some data of at most `most` elements certainly give
// it; else to another number. Rows of empty slices, and with NaN or infinities, are always in
// doubt.
void doubt_rows(const RowShape& shape, const int64_t* rows, Size n, Size most, uint8_t* doubt);

}  // namespace onefold
