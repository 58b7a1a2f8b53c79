// Passes selected elements to a gatherer. A run of which all elements are selected is passed
// without a copy; other selected elements are copied together into a tile.
#pragma once

#include <memory>

#include "onefold/cpu/gatherer.hpp"
#include "onefold/cpu/select.hpp"

namespace onefold::cpu_backend {

class Sieve {
 public:
  // elements: the size of the tile
  Sieve(const Plan& plan, Size elements)
      : bytes_(bytes_of(plan.dtype)),
        room_(elements),
        ways_(select_ways(find_target(plan.target))),
        pitch_((elements * bytes_ + 63) / 64 * 64 + 64) {}

  const SelectWays& ways() const { return ways_; }
  Size taken() const { return taken_; }  // since reset()
  void reset() { taken_ = 0; }

  // Passes the selected ones of neighbouring elements to the gatherer.
  //   stays  the elements stay valid until flush() and are aligned to their size
  void take(Gatherer& to, const Inputs& from, const Selection& s, bool stays) {
    if (s.taken == 0) return;
    if (stays && s.taken == s.n) return take_run(to, from, s.n);
    flush_run(to);
    if (fill_ + s.taken > room_) flush_tile(to);
    if (!tile_) {
      tile_.reset(static_cast<std::byte*>(::operator new (2 * pitch_, std::align_val_t{64})));
    }
    tile_at_ = {tile_.get(), from.y == nullptr ? nullptr : tile_.get() + pitch_};
    const Size at = fill_ * bytes_;
    compress(ways_, from, s.word, s.n, bytes_, tile_.get() + at, tile_.get() + pitch_ + at);
    fill_ += s.taken;
    taken_ += s.taken;
  }
  void flush(Gatherer& to) {
    flush_run(to);
    flush_tile(to);
  }

 private:
  // Passes n neighbours, all selected. They extend the waiting run if they follow it in memory.
  void take_run(Gatherer& to, const Inputs& from, Size n) {
    flush_tile(to);
    const Size bytes = run_ * bytes_;
    const bool goes_on = run_ != 0 && run_from_.x + bytes == from.x &&
                         (from.y == nullptr || run_from_.y + bytes == from.y);
    if (!goes_on) {
      flush_run(to);
      run_from_ = from;
    }
    run_ += n;
    taken_ += n;
  }
  void flush_run(Gatherer& to) {
    if (run_ != 0) to.run(run_from_, run_, taken_ - run_);
    run_ = 0;
  }
  void flush_tile(Gatherer& to) {
    if (fill_ != 0) to.run(tile_at_, fill_, taken_ - fill_);
    fill_ = 0;
  }

  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  const Size bytes_, room_;
  const SelectWays& ways_;
  const Size pitch_;                       // bytes between the tile's inputs: the elements and one
                                           // vector
  std::unique_ptr<std::byte, Free> tile_;  // allocated at the first use
  Inputs run_from_, tile_at_;
  Size taken_ = 0;
  Size fill_ = 0;  // elements in the tile
  Size run_ = 0;   // pending elements of a run that is passed without a copy
};

}  // namespace onefold::cpu_backend
