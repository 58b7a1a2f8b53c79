// Answers of a row by fixed-point numbers, each rounded once, however many bits that takes.
//
//   method   Ziv's: an interval that holds the exact value is made with 192 bits of fraction, then
//            with twice as many, until both of its ends round to the same number
//   ends     because no exact value is a floating-point number or lies halfway between two, unless
//            all elements are equal (theorem of Lindemann and Weierstrass, see
//            docs/decisions/0065-logsumexp.md)
//   cost     about 1 us an element for the first interval
#pragma once

#include <functional>
#include <memory>

#include "onefold/core/dtype.hpp"
#include "onefold/cpu/exponential/fixed.hpp"

namespace onefold::cpu_backend {

// Calls its argument with the elements of a row, block by block.
using RowBlocks = std::function<void(const std::function<void(const double*, Size)>&)>;

class PreciseRow {
 public:
  //   n         number of elements; -inf is allowed, but at least two are finite
  //   greatest  the greatest of them, finite
  PreciseRow(RowBlocks blocks, Size n, double greatest);

  // Each returns the bits of a number of the format f.
  uint64_t logsumexp(FloatFormat f) { return log_of_sum(f, false); }
  // Some elements differ.
  uint64_t logmeanexp(FloatFormat f) { return log_of_sum(f, true); }
  // x is a finite element; some finite elements differ.
  uint64_t softmax(double x, FloatFormat f);
  // x is a finite element.
  uint64_t log_softmax(double x, FloatFormat f);

 private:
  struct Level {
    explicit Level(int fraction) : number(fraction), log_of_sum(number.zero()) {}
    FixedPoint number;
    Limbs log_of_sum;  // ln(sum of e^(x - greatest)), with an error below 2^log_error_ units
  };
  Level& level(std::size_t k);
  uint64_t log_of_sum(FloatFormat f, bool mean);

  RowBlocks blocks_;
  Size n_;
  double greatest_;
  int log_error_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace onefold::cpu_backend
