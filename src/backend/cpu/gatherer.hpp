// Open feeds that add elements to one state after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "backend/cpu/feed.hpp"
#include "backend/cpu/inputs.hpp"
#include "backend/cpu/pair_gatherer.hpp"
#include "plan/plan.hpp"

namespace onefold::cpu_backend {

class Gatherer {
 public:
  // plan and feeds must outlive it.
  Gatherer(const Plan& plan, std::span<const Feed* const> feeds) : plan_(plan), feeds_(feeds) {
    std::size_t bytes = 0;
    for (const Feed* f : feeds) bytes += round_up(f->work_bytes);
    if (!plan.needs.of_pairs().empty()) pairs_ = std::make_unique<PairGatherer>(plan);
    work_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
  }

  void open(int64_t* state) {
    state_ = state;
    taken_ = 0;
    uint32_t left = plan_.needs.bits;
    std::byte* work = work_.get();
    for (const Feed* f : feeds_) {
      int64_t* words[accumulator_count] = {};
      for (int a = 0; a < accumulator_count; ++a) {
        const uint32_t bit = uint32_t{1} << a;
        if ((left & f->provides.bits & bit) != 0) words[a] = state + plan_.layout.offset[a];
      }
      left &= ~f->provides.bits;
      f->open(work, words);
      work += round_up(f->work_bytes);
    }
    if (pairs_) pairs_->open(state);
  }

  // n neighbouring elements, each at a multiple of its size; `first` is the index of the first one.
  void run(Inputs in, Size n, Size first) {
    const Size bytes = bytes_of(plan_.dtype);
    const Size limit = pairs_              ? PairGatherer::most
                       : feeds_.size() > 1 ? union_tile_bytes / bytes
                                           : carry_interval;
    for (Size i = 0; i < n;) {
      const Size m = std::min({n - i, limit, carry_interval - taken_});
      std::byte* work = work_.get();
      for (const Feed* f : feeds_) {
        f->run(work, in.x + i * bytes, in.y == nullptr ? nullptr : in.y + i * bytes, m, first + i);
        work += round_up(f->work_bytes);
      }
      if (pairs_)
        pairs_->run(in.at(static_cast<int64_t>(i * bytes), static_cast<int64_t>(i * bytes)), m);
      i += m;
      taken_ += m;
      if (taken_ == carry_interval) {
        int64_t* state = state_;
        close();
        open(state);
      }
    }
  }

  void close() {
    std::byte* work = work_.get();
    for (const Feed* f : feeds_) {
      f->close(work);
      work += round_up(f->work_bytes);
    }
    if (pairs_) pairs_->close();
    canonicalise(state_, plan_.layout, plan_.dtype);
  }

 private:
  // Several feeds share the data tile by tile: 256 KB stay in L2 while each takes its turn.
  static constexpr std::size_t union_tile_bytes = 256 << 10;
  // Feeds may have as much in words of their own, which close() adds to the state's.
  static constexpr Size carry_interval = most_uncarried / 2;

  static std::size_t round_up(std::size_t n) { return (n + 63) / 64 * 64; }
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  const Plan& plan_;
  std::span<const Feed* const> feeds_;
  std::unique_ptr<std::byte, Free> work_;
  std::unique_ptr<PairGatherer> pairs_;  // null: nothing of pairs is wanted
  int64_t* state_ = nullptr;
  Size taken_ = 0;
};

}  // namespace onefold::cpu_backend
