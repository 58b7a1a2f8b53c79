// A mask leaves out elements before any feed sees them: those that are taken are copied side by
// side into a tile, and feeds take tiles.
//
//   all     a run of neighbours that are all taken is fed where it stands
//   none    what is not taken is not loaded, 64 elements at a time at least
//   places  feeds count what they are fed. Where an op asks for an index, the walk remembers how
//           many had been taken before each selection, and turns the number that comes out into a
//           place
#include "backend/cpu/taken.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/pack.hpp"
#include "backend/cpu/select.hpp"

namespace onefold::cpu_backend {
namespace {

// Elements of a tile, and behind them room for a vector of 64 bytes.
constexpr Size tile_elements = 2 * Selection::most;
// Runs from here on are selected where they stand; shorter ones are packed first.
constexpr Size long_run = 256;

struct Memory {
  alignas(64) std::byte x[tile_elements * 8 + 64], y[tile_elements * 8 + 64];
  alignas(64) std::byte packed_x[Selection::most * 8], packed_y[Selection::most * 8];
};

class Taken {
 public:
  Taken(const Plan& plan, const Loops& loops, Gatherer& gatherer)
      : plan_(plan), loops_(loops), gatherer_(gatherer), memory_(new Memory) {}

  // Of one answer, whose state is open.
  void feed(Inputs in, Size begin, Size end) {
    in_ = in;
    taken_ = 0;
    marks_.clear();
    Walk walk(loops_.folded, begin);
    for (Size i = begin; i < end;) {
      const Size n = select(walk, std::min(end - i, Selection::most));
      if (selection_.taken != 0) {
        if (plan_.indexed) marks_.push_back({taken_, i, n});
        take(walk, n);
      }
      walk.advance(n);
      i += n;
    }
    flush();
  }

  // Where the k-th element that was fed stands in the walk.
  Size place(Size k) {
    const auto after =
        std::upper_bound(marks_.begin(), marks_.end(), k,
                         [](Size number, const Mark& m) { return number < m.taken; });
    const Mark& mark = *(after - 1);
    const Walk walk(loops_.folded, mark.begin);
    select(walk, mark.n);
    return mark.begin + selection_.place(k - mark.taken);
  }

 private:
  struct Mark {
    Size taken, begin, n;  // before element `begin` of the walk; n from there on
  };

  bool long_at(const Walk& walk, Size n) const {
    return loops_.folded.empty() || (is_dense(loops_.folded.back(), loops_.bytes) &&
                                     walk.run_left() >= std::min(n, long_run));
  }

  // Reads the mask of the next elements; how many they are.
  Size select(Walk walk, Size n) {
    selection_ = {};
    const int64_t stride = loops_.folded.empty() ? 0 : loops_.folded.back().stride[2];
    if (long_at(walk, n)) n = std::min(n, walk.run_left());
    for (Size i = 0; i < n;) {
      const Size m = std::min(n - i, walk.run_left());
      append(selection_, ways_, plan_.where, in_.mask + walk.offset_mask(), stride, m);
      walk.skip(m);
      i += m;
    }
    return n;
  }

  void take(const Walk& walk, Size n) {
    Inputs from = in_.at(walk.offset(), walk.offset_y());
    if (long_at(walk, n)) {
      if (selection_.taken == n && plan_.aligned) {
        take_run(from, n);
        return;
      }
    } else {
      Walk packs = walk;
      packs.pack(in_.x, in_.y, n, loops_.bytes, memory_->packed_x, memory_->packed_y);
      from = {memory_->packed_x, in_.y == nullptr ? nullptr : memory_->packed_y};
    }
    flush_run();
    if (fill_ + selection_.taken > tile_elements) flush_tile();
    const auto compress = ways_.compress(loops_.bytes);
    compress(from.x, selection_.word, n, memory_->x + fill_ * loops_.bytes);
    if (in_.y != nullptr) {
      compress(from.y, selection_.word, n, memory_->y + fill_ * loops_.bytes);
    }
    fill_ += selection_.taken;
    taken_ += selection_.taken;
  }

  // Neighbours of a run that is waiting lengthen it.
  void take_run(Inputs from, Size n) {
    flush_tile();
    const Size bytes = run_ * loops_.bytes;
    const bool goes_on = run_ != 0 && run_from_.x + bytes == from.x &&
                         (from.y == nullptr || run_from_.y + bytes == from.y);
    if (!goes_on) {
      flush_run();
      run_from_ = from;
    }
    run_ += n;
    taken_ += n;
  }

  void flush_run() {
    if (run_ != 0) gatherer_.run(run_from_, run_, taken_ - run_);
    run_ = 0;
  }
  void flush_tile() {
    if (fill_ != 0) {
      gatherer_.run({memory_->x, in_.y == nullptr ? nullptr : memory_->y}, fill_, taken_ - fill_);
    }
    fill_ = 0;
  }
  void flush() {
    flush_run();
    flush_tile();
  }

  const Plan& plan_;
  const Loops& loops_;
  Gatherer& gatherer_;
  const SelectWays& ways_ = select_ways(find_target(plan_.target));
  std::unique_ptr<Memory> memory_;
  Selection selection_;
  std::vector<Mark> marks_;
  Inputs in_, run_from_;
  Size taken_ = 0;  // of this answer
  Size fill_ = 0;   // of the tile; or
  Size run_ = 0;    // of a run where it stands
};

}  // namespace

Size count_taken(const Plan& plan) {
  const Loops loops(plan.nest, true);
  const SelectWays& ways = select_ways(find_target(plan.target));
  Size count = 0;
  for (Size a = 0; a < loops.answers; ++a) {
    Walk kept(loops.kept, a);
    Walk walk(loops.folded, 0);
    const int64_t stride = loops.folded.empty() ? 0 : loops.folded.back().stride[2];
    for (Size i = 0; i < loops.elements;) {
      const Size n = std::min({loops.elements - i, walk.run_left(), Selection::most});
      Selection selection;
      append(selection, ways, plan.where, loops.origin[2] + kept.offset_mask() + walk.offset_mask(),
             stride, n);
      count += selection.taken;
      walk.skip(n);
      i += n;
    }
  }
  return count * loops.repeats;
}

void gather_taken(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds,
                  Inputs in, Size first, Size last, Size begin, Size end, int64_t* states) {
  const auto words = static_cast<Size>(plan.layout.words);
  Gatherer gatherer(plan, feeds);
  Taken taken(plan, loops, gatherer);
  std::vector<int64_t> own(plan.indexed ? words : 0);
  Walk kept(loops.kept, first);
  for (Size a = first; a < last; ++a) {
    int64_t* const state = states + (a - first) * words;
    if (plan.indexed) clear(own.data(), plan.layout, plan.dtype);
    gatherer.open(plan.indexed ? own.data() : state);
    taken.feed(in.at(kept.offset(), kept.offset_y(), kept.offset_mask()), begin, end);
    gatherer.close();
    if (plan.indexed) {
      change_indices(own.data(), plan.layout, plan.dtype,
                     [&](Size k) { return loops.index + taken.place(k); });
      merge(state, own.data(), plan.layout, plan.dtype);
    }
    kept.skip(1);
  }
}

}  // namespace onefold::cpu_backend
