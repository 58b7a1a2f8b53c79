// Gathers what lies in the folder pair/, from tiles of two arrays.
//
// Pairs with a NaN or an infinity are lifted one by one and left out; what is left goes to the
// feeds of one array: sums and squares of each side, and of the absolute differences.
#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/feed.hpp"
#include "backend/cpu/inputs.hpp"
#include "backend/cpu/select.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

class PairGatherer {
 public:
  static constexpr Size most = Selection::most;  // pairs at a time

  explicit PairGatherer(const Plan& plan);
  ~PairGatherer();
  void open(int64_t* state);
  void run(Inputs in, Size n);
  void close();  // the words are not necessarily canonical afterwards

 private:
  // A feed of one array that is given one side of the pairs, or what is made of both.
  struct Part {
    enum class Of : uint8_t { left, right, differences } of;
    const Feed* feed;
    std::size_t work;                                        // where its work begins
    std::vector<std::pair<Accumulator, Accumulator>> words;  // of the feed, and where they stand
  };
  struct Memory;

  void add(Part::Of of, DType t, std::initializer_list<std::pair<Accumulator, Accumulator>> wanted);
  int64_t* words(Accumulator a) const { return state_ + plan_.layout.offset[static_cast<int>(a)]; }
  void lift(const std::byte* x, const std::byte* y);
  void run_part(const Part& part, const std::byte* x, Size n);
  void run_differences(const Part& part, Inputs in, Size n);
  void run_greatest(Inputs in, Size n);
  Inputs leave_out(Inputs in, Size& n);

  const Plan& plan_;
  const Target target_;
  const SelectWays& ways_;
  std::vector<Part> parts_;
  std::size_t work_bytes_ = 0;
  std::unique_ptr<Memory> memory_;
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> work_;
  int64_t* state_ = nullptr;
};

}  // namespace onefold::cpu_backend
