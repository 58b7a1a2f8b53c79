// Runs several feeds in turn on the same elements. Each feed has its work space, and fills its
// accumulators' words of a state.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {

class Turns {
 public:
  Turns() = default;  // without feeds
  // feeds: together they gather `needs`
  //   offset  the position of each accumulator's words in a state
  Turns(std::span<const Feed* const> feeds, Accumulators needs, const int* offset) {
    turns_.reserve(feeds.size());
    std::size_t bytes = 0;
    for (const Feed* feed : feeds) {
      Turn& turn = turns_.emplace_back(Turn{feed, bytes, {}, {}});
      for (int a = 0; a < accumulator_count; ++a) {
        const bool fills = (needs & feed->provides).has(static_cast<Accumulator>(a));
        turn.offset[a] = fills ? offset[a] : -1;
      }
      needs = Accumulators(needs.bits & ~feed->provides.bits);
      bytes += (feed->work_bytes + 63) / 64 * 64;
    }
    work_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
  }

  std::size_t size() const { return turns_.size(); }

  void open(int64_t* state) {
    if (state != state_) find_words(state);
    for (const Turn& t : turns_) t.feed->open(work_.get() + t.work, t.words);
  }
  // Passes n neighbouring elements to every feed. `first` is the index of the first element; y is
  // null for ops of one array.
  void run(const std::byte* x, const std::byte* y, Size n, Size first) {
    for (const Turn& t : turns_) t.feed->run(work_.get() + t.work, x, y, n, first);
  }
  // After close the words hold the whole sum; they may need a carry to be canonical.
  void close() {
    for (const Turn& t : turns_) t.feed->close(work_.get() + t.work);
  }

 private:
  struct Turn {
    const Feed* feed;
    std::size_t work;                   // offset of the feed's work space
    int offset[accumulator_count];      // offset of each accumulator's words; -1: not filled
    int64_t* words[accumulator_count];  // addresses in `state_`
  };
  void find_words(int64_t* state) {
    state_ = state;
    for (Turn& t : turns_) {
      for (int a = 0; a < accumulator_count; ++a) {
        t.words[a] = t.offset[a] < 0 ? nullptr : state + t.offset[a];
      }
    }
  }
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::vector<Turn> turns_;
  std::unique_ptr<std::byte, Free> work_;
  int64_t* state_ = nullptr;
};

}  // namespace onefold::cpu_backend
