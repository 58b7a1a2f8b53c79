// Rows of words, one row for each slice; vector code processes several slices at once.
//
//   carry    makes rows canonical again after other rows were added to them
//   doubt    separates rows that some data certainly give from doubtful ones, which contradiction()
//            checks
//   source   sum_facts.inl: contradiction() checks the same facts exactly, `doubt` by the highest
//            bits of sums
#pragma once

#include <vector>

#include "plan/table.hpp"

namespace onefold {

// Which words a row has.
struct RowShape {
  // Digits of an accumulator's limbs: `digits` words from `slot` on, all with the sum's sign.
  // The held limbs of one accumulator; a sum that is 0 in all rows has no entry.
  struct Limbs {
    Accumulator accumulator;
    int slot, digits;
    int lowest;  // the limb of the first digit
    bool top;    // the last digit is the accumulator's last limb, which is never carried
  };
  DType dtype = DType::f64;
  int width = 0;
  std::vector<Limbs> limbs = {};
  std::vector<int> flags = {};  // slots of words that are 0 or 1 whatever is added to them

  // The slots of the words that doubt_rows() reads, or -1.
  bool known = false;  // other accumulators are held: every row is in doubt
  int count = -1;      // elements
  int n = -1, flag = -1, zeros = -1;
  bool zeros_counted = false;         // also where no row has any
  int extremes[2] = {-1, -1};         // slots of least, greatest: key, index, first NaN
  std::vector<int> not_numbers = {};  // counts of NaN and infinities
  int64_t keys[2] = {};  // keys of the least and the greatest finite element of the type
};

// How rows of one layout merge: additive words and counts are added, extremes chosen. Sums are not
// carried.
class RowMerge {
 public:
  //   used  the words of a row, rising; words behind those of the layout are added
  RowMerge(DType dtype, const Layout& layout, const std::vector<int>& used);
  bool adds() const { return chosen_.empty(); }  // nothing else is done
  void operator()(int64_t* into, const int64_t* from, Size n) const;

 private:
  struct Run {
    Size begin, end;
  };
  struct Chosen {
    Size slot;
    const AccumulatorRow* row;
  };
  Size width_;
  std::vector<Run> added_;
  std::vector<Chosen> chosen_;
};

// Carries digits, all with the sign of their sum, and makes flags 0 or 1.
//   returns  a bit for each of shape.limbs: in some row its last digit needs a limb above it
uint64_t carry_rows(const RowShape& shape, int64_t* rows, Size n);

// Sets doubt[i] to 0 where row i is canonical and data give it, with at most `most` elements; else
// to another number. Empty slices, NaN and infinities are always in doubt.
void doubt_rows(const RowShape& shape, const int64_t* rows, Size n, Size most, uint8_t* doubt);

}  // namespace onefold
