// Passes the elements of each answer to feeds: directly from memory or copied into a tile, all
// elements or those that a mask selects.
//
//   none     64 neighbouring elements of which none is selected are not loaded
//   indices  feeds number the elements that they get. With a mask the feeder remembers how many
//            elements were selected before each selection, and converts a feed's number into an
//            index
#pragma once

#include <optional>
#include <vector>

#include "onefold/cpu/loops.hpp"
#include "onefold/cpu/pack.hpp"
#include "onefold/cpu/sieve.hpp"

namespace onefold::cpu_backend {

// Reads the mask of the next n elements of an answer.
//   mask  the position of the answer's first mask unit
inline void read_mask(Selection& to, const SelectWays& ways, const Plan& plan, const Loops& loops,
                      int64_t mask, Walk walk, Size n) {
  to.n = to.taken = 0;
  const int64_t stride = loops.folded.empty() ? 0 : loops.folded.back().stride[2];
  for (Size i = 0; i < n;) {
    const Size m = std::min(n - i, walk.run_left());
    to.append(ways, plan.where, mask + walk.offset_mask(), stride, m);
    walk.skip(m);
    i += m;
  }
}

class Feeder {
 public:
  Feeder(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds)
      : plan_(plan), loops_(loops), gatherer_(plan, feeds) {
    if (plan.where.selects()) sieve_.emplace(plan, 2 * Selection::most);
    const bool neighbours = loops.folded.empty() || is_dense(loops.folded.back(), loops.bytes);
    dense_ = neighbours && (sieve_ || plan.aligned);
    straight_ = dense_ && !sieve_ && loops.folded.size() <= 1;
  }

  // Adds the elements [begin, end) of one answer to its state; `in` is the position of element 0.
  void feed(const Inputs& in, Size begin, Size end, int64_t* state) {
    if (straight_) {
      const auto offset = static_cast<int64_t>(begin * loops_.bytes);
      gatherer_.open(state);
      gatherer_.run(in.at(offset, offset), end - begin, loops_.index + begin);
      return gatherer_.close();
    }
    Walk walk(loops_.folded, begin);
    if (loops_.by_runs) {
      // Feeds need rising indices, which only a run has. So each run gets its own state, and the
      // states are merged by their true indices.
      const auto step = static_cast<Size>(loops_.folded.back().step);
      for (Size i = begin; i < end;) {
        const Size n = std::min(end - i, walk.run_left());
        const Size first = loops_.index + place_of(loops_.folded, i);
        feed_apart(in, walk, n, 0, state, [&](Size k) { return first + k * step; });
        i += n;
      }
    } else if (sieve_ && plan_.indexed) {
      feed_apart(in, walk, end - begin, begin, state,
                 [&](Size k) { return loops_.index + place(in, k); });
    } else {
      gatherer_.open(state);
      feed_next(in, walk, end - begin, loops_.index + begin);
      gatherer_.close();
    }
  }

 private:
  // The number of elements of a packed tile.
  static constexpr Size tile_elements = Selection::most;
  // Shorter runs are copied into a tile, which costs less than calling the feeds for each run.
  static constexpr Size long_run = 256;

  struct Mark {
    Size taken, begin, n;  // selected elements before element `begin`; the selection covers [begin,
                           // begin + n)
  };

  // Adds the next n elements to a separate state, changes its indices by f and merges it into
  // `state`.
  template <class F>
  void feed_apart(const Inputs& in, Walk& walk, Size n, Size first, int64_t* state, F f) {
    own_.resize(static_cast<Size>(plan_.layout.words));
    clear(own_.data(), plan_.layout, plan_.dtype);
    gatherer_.open(own_.data());
    feed_next(in, walk, n, first);
    gatherer_.close();
    change_indices(own_.data(), plan_.layout, plan_.dtype, f);
    merge(state, own_.data(), plan_.layout, plan_.dtype);
  }

  // first: the index of the first element; with a mask its position in the walk
  void feed_next(const Inputs& in, Walk& walk, Size n, Size first) {
    if (sieve_) sieve_->reset();
    marks_.clear();
    for (Size i = 0; i < n;) {
      Size m = n - i;
      const bool stays = dense_ && walk.run_left() >= std::min(m, long_run);
      m = std::min(m, stays ? walk.run_left() : tile_elements);
      if (sieve_) {
        m = std::min(m, Selection::most);
        read_mask(selection_, sieve_->ways(), plan_, loops_, in.mask, walk, m);
      }
      if (sieve_ && selection_.taken == 0) {
        walk.advance(m);
      } else {
        Inputs from = in.at(walk.offset(), walk.offset_y());
        if (stays) {
          walk.skip(m);
        } else {
          walk.pack(in.x, in.y, m, loops_.bytes, packed_, packed_y_);
          from = {packed_, in.y == nullptr ? nullptr : packed_y_};
        }
        if (sieve_) {
          if (plan_.indexed) marks_.push_back({sieve_->taken(), first + i, m});
          sieve_->take(gatherer_, from, selection_, stays && plan_.aligned);
        } else {
          gatherer_.run(from, m, first + i);
        }
      }
      i += m;
    }
    if (sieve_) sieve_->flush(gatherer_);
  }

  // Returns the position of the k-th selected element in the order of the loops.
  Size place(const Inputs& in, Size k) {
    const auto after =
        std::upper_bound(marks_.begin(), marks_.end(), k,
                         [](Size number, const Mark& m) { return number < m.taken; });
    const Mark& mark = *(after - 1);
    read_mask(selection_, sieve_->ways(), plan_, loops_, in.mask, Walk(loops_.folded, mark.begin),
              mark.n);
    return mark.begin + selection_.place(k - mark.taken);
  }

  const Plan& plan_;
  const Loops& loops_;
  Gatherer gatherer_;
  std::optional<Sieve> sieve_;  // null without a mask
  bool dense_;                  // runs along the fastest axis may be fed without a copy
  bool straight_;               // each answer is one contiguous run
  Selection selection_;
  std::vector<Mark> marks_;
  std::vector<int64_t> own_;
  alignas(64) std::byte packed_[tile_elements * 8], packed_y_[tile_elements * 8];
};

}  // namespace onefold::cpu_backend
