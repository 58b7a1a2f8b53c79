// Totals of groups of f64 in small records, which a StateTable gets when all elements are known.
//
//   record   the sum as an integer of 128 bits and the number of elements, 24 bytes, and the least
//            and the greatest, 16; a slice of the table has 40 to 90
//   unit     of the integers: a power of two, or of ten if elements stand for decimals. It follows
//            from a block of elements, and from another one if many do not fit
//   rest     NaN, infinities, -0 and what does not fit the unit goes to the table at once
//   exact    each element is an integer of units: that is tested, and integers are added
#pragma once

#include <limits>
#include <vector>

#include "onefold/engine/group/decimal_scale.hpp"
#include "onefold/engine/group/state_table.hpp"

namespace onefold {

class QuickTotals {
 public:
  // Whether the states of a plan follow from such totals.
  static bool serve(const Plan& plan);
  explicit QuickTotals(const Plan& plan);

  Size bytes() const { return sums_.capacity() * sizeof(Sum) + ends_.capacity() * sizeof(Ends); }
  // Adds element x[i] to group[i] < groups, as StateTable::add does; what does not fit to `table`.
  void add(const uint32_t* group, Size groups, const std::byte* x, Size step, Size n,
           const std::byte* is_long, StateTable& table);
  // Moves all totals to the table.
  void settle(StateTable& table);

 private:
  static constexpr Size block = 256;
  struct Sum {
    uint64_t low = 0, high = 0;  // halves of the integer: as one it would make 32 bytes
    Size n = 0;
    Int128 units() const { return static_cast<Int128>(Uint128{high} << 64 | low); }
    void add(Int128 units) {
      const auto sum = static_cast<Uint128>(this->units() + units);
      low = static_cast<uint64_t>(sum);
      high = static_cast<uint64_t>(sum >> 64);
      ++n;
    }
  };
  struct Ends {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
  };
  // A block of elements as integers high 2^split + low; fits[i]: 0 if one is none.
  struct Block {
    double x[block];
    int64_t high[block], low[block];
    bool fits[block];
  };

  void convert(Block& b) const;
  void convert_binary(Block& b) const;
  void convert_decimals(Block& b) const;
  // Chooses a unit for the elements of a block.
  void choose(const Block& b, Size n);
  template <class Add>
  static void over_fitting(const Block& b, Size n, bool all, Add add);
  void add_block(const uint32_t* group, const Block& b, Size n, bool all);
  void add_rest(const uint32_t* group, const Block& b, Size n, const std::byte* is_long,
                StateTable& table) const;

  bool decimals_, extremes_;
  int changes_ = 0;     // of the unit; 0: none is chosen yet
  Size since_ = 0;      // number of elements since the unit was chosen
  DecimalScale scale_;  // of decimals
  int unit_ = 0;        // else the exponent of the unit
  std::vector<Sum> sums_;
  std::vector<Ends> ends_;  // none if the plan needs none
};

}  // namespace onefold
