// Gathers the accumulators of two arrays, tile by tile.
//
// Pairs with a NaN or an infinity are added one by one by `lift` and removed from the tile. The
// other pairs go to feeds of one array: sums and squares of each side, sums of absolute
// differences. Accumulators without a feed and without a loop here are added by `lift`.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "onefold/cpu/inputs.hpp"
#include "onefold/cpu/select.hpp"
#include "onefold/cpu/turns.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cpu_backend {

class PairGatherer {
 public:
  static constexpr Size most = Selection::most;  // pairs at a time

  explicit PairGatherer(const Plan& plan);
  ~PairGatherer();
  void open(int64_t* state);
  void run(Inputs in, Size n);
  void close();  // the words may need a carry afterwards

 private:
  struct Memory;

  Turns turns(DType t, std::initializer_list<std::pair<Accumulator, Accumulator>> wanted) const;
  int64_t* words(Accumulator a) const { return state_ + plan_.layout.offset[static_cast<int>(a)]; }
  void lift(Accumulators set, Inputs in, Size n);
  void run_differences(Inputs in, Size n);
  void run_greatest(Inputs in, Size n);
  Inputs leave_out(Inputs in, Size& n);

  const Plan& plan_;
  const Target target_;
  const SelectWays& ways_;
  // Feeds of one array: `left_` for x, `right_` for y, `differences_` for x - y.
  Turns left_, right_, differences_;
  const Accumulators lifted_;  // accumulators that `lift` adds
  std::unique_ptr<Memory> memory_;
  int64_t* state_ = nullptr;
};

}  // namespace onefold::cpu_backend
