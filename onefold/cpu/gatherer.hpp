// Runs a set of feeds, which add the elements of one answer after another to its state.
#pragma once

#include <algorithm>
#include <memory>

#include "onefold/cpu/inputs.hpp"
#include "onefold/cpu/pair_gatherer.hpp"
#include "onefold/cpu/turns.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cpu_backend {

class Gatherer {
 public:
  // plan must outlive the gatherer.
  Gatherer(const Plan& plan, std::span<const Feed* const> feeds)
      : plan_(plan), turns_(feeds, plan.needs, plan.layout.offset) {
    const Size bytes = bytes_of(plan.dtype);
    if (!plan.needs.of_pairs().empty()) pairs_ = std::make_unique<PairGatherer>(plan);
    for (int a = 0; a < every_accumulator; ++a) {
      if (plan.layout.offset[a] < 0) continue;
      const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), plan.dtype);
      if (row.additive) sums_[sums_count_++] = {row.canonicalise, plan.layout.offset[a]};
    }
    tile_ = pairs_              ? PairGatherer::most
            : turns_.size() > 1 ? union_tile_bytes / bytes
                                : carry_interval;
  }

  void open(int64_t* state) {
    state_ = state;
    taken_ = 0;
    turns_.open(state);
    if (pairs_) pairs_->open(state);
  }

  // Adds n neighbouring, aligned elements; `first` is the index of the first one.
  void run(Inputs in, Size n, Size first) {
    while (n != 0) {
      const Size m = std::min(n, tile_);
      taken_ += m;
      if (taken_ > carry_interval) carry(m);
      turns_.run(in.x, in.y, m, first);
      if (pairs_) pairs_->run(in, m);
      n -= m;
      if (n == 0) return;
      first += m;
      const auto bytes = static_cast<int64_t>(m * bytes_of(plan_.dtype));
      in = in.at(bytes, bytes);
    }
  }

  void close() {
    turns_.close();
    if (pairs_) pairs_->close();
    for (int k = 0; k < sums_count_; ++k) sums_[k].canonicalise(state_ + sums_[k].offset);
  }

 private:
  void carry(Size next) {
    close();
    open(state_);
    taken_ = next;
  }

  // Several feeds take turns on a tile of 256 KB, which stays in L2.
  static constexpr std::size_t union_tile_bytes = 256 << 10;
  // Half the limit without a carry: the other half is for the words that feeds add at close().
  static constexpr Size carry_interval = most_uncarried / 2;

  // Words of an accumulator that additions may leave without carries propagated.
  struct UncarriedWords {
    void (*canonicalise)(int64_t*);
    int offset;
  };

  const Plan& plan_;
  Turns turns_;
  UncarriedWords sums_[every_accumulator];
  int sums_count_ = 0;
  std::unique_ptr<PairGatherer> pairs_;  // null if no accumulator of two arrays is asked for
  Size tile_;                            // elements
  int64_t* state_ = nullptr;
  Size taken_ = 0;
};

}  // namespace onefold::cpu_backend
