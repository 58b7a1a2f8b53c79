// A block's table of the sums, squares and counts of groups, in shared memory.
//
//   words    copies of a group's word lie side by side. Order: the lowest words of all sums, then
//            their next ones; the counts, the words of all squares from the lowest on
//   copies   1 to 32; a lane uses the copy of its number, modulo the number of copies
#pragma once

#include "onefold/core/accumulators.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Words of 32 bits of a sum of squares: 2^19 squares of numbers below 2^38 need 95 bits.
inline constexpr unsigned square_words = 3;

// Words of 32 bits of a sum of 2^20 64-bit elements that lie within `windows` windows.
ONEFOLD_FN constexpr uint32_t long_words(uint32_t windows) { return 2 + windows; }

//   windows    number of windows for each group's sum; long elements have one sum for all
//   likely     the highest word of most squares is not 0
template <class M, uint32_t set, bool counting, int windows, bool longs, bool likely>
struct LabelTable {
  static constexpr bool has_sums = Accumulators(set).has(Accumulator::sum),
                        has_squares = Accumulators(set).has(Accumulator::sumsq);

  static constexpr unsigned sum_words = !has_sums ? 0 : longs ? long_words(windows) : 2;

  M m;
  Shared<M, uint32_t> low, counts, squares;
  unsigned copy_bits = 0, copies = 1, copy = 0;
  uint32_t sums, groups, of_squares;

  //   table_words   size of the memory for the table
  ONEFOLD_KERNEL LabelTable(M machine, uint32_t all, uint32_t table_words)
      : m(machine),
        low(shared_of_launch<uint32_t>(machine)),
        counts(low),
        squares(low),
        sums(has_sums ? all * (longs ? 1 : windows) : 0),
        groups(counting ? all : 0),
        of_squares(has_squares ? all : 0) {
    while (copies < 32 && words() * 2 <= table_words) {
      ++copy_bits;
      copies *= 2;
    }
    copy = static_cast<unsigned>(m.thread()) & (copies - 1);
    counts = low + sum_words * sum_plane();
    squares = counts + (groups << copy_bits);
  }
  ONEFOLD_KERNEL uint32_t words() const {
    return (sum_words * sums + groups + square_words * of_squares) << copy_bits;
  }
  ONEFOLD_KERNEL uint32_t sum_plane() const { return sums << copy_bits; }
  ONEFOLD_KERNEL uint32_t square_plane() const { return of_squares << copy_bits; }

  // Adds the square of an element in units: each word with the carry of the one below.
  ONEFOLD_KERNEL void add_square(uint32_t at, int64_t units) const {
    const auto magnitude = static_cast<uint64_t>(units < 0 ? -units : units);
    const Uint128 square = static_cast<Uint128>(magnitude) * magnitude;
    uint64_t more = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < square_words; ++k) {
      more += static_cast<uint32_t>(square >> 32 * k);
      const auto word = static_cast<uint32_t>(more);
      more >>= 32;
      const uint32_t to = k * square_plane() + at;
      if (k + 1 < square_words) {
        const uint32_t old = m.add(squares, to, word);
        more += old + word < old ? 1 : 0;
      } else if (likely || m.branch(word != 0)) {
        m.add(squares, to, word);
      }
    }
  }
};

}  // namespace onefold::kernel
