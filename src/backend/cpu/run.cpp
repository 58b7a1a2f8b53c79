#include "backend/cpu/run.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "backend/cpu/feed.hpp"
#include "backend/cpu/pack.hpp"
#include "parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// Sets rounding to nearest and subnormals on, whatever the caller has set, and puts it back.
class FloatingPointMode {
 public:
  FloatingPointMode() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatingPointMode() { _mm_setcsr(saved_); }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
  unsigned saved_;
};

// Several feeds share the data tile by tile: 256 KB stay in L2 while each takes its turn.
constexpr std::size_t union_tile_bytes = 256 << 10;

// Limbs take 2^31 deposits between carries.
constexpr Size carry_interval = Size{1} << 30;

// One thread's open feeds, adding to one state.
class Gatherer {
 public:
  Gatherer(const Plan& plan, std::span<const Feed* const> feeds) : plan_(plan), feeds_(feeds) {
    std::size_t bytes = 0;
    for (const Feed* f : feeds) bytes += round_up(f->work_bytes);
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
  }

  void run(const std::byte* x, const std::byte* y, Size n, Size first) {
    const Size bytes = bytes_of(plan_.dtype);
    Size limit = carry_interval;
    if (feeds_.size() > 1) limit = union_tile_bytes / bytes;
    for (Size i = 0; i < n;) {
      const Size m = std::min({n - i, limit, carry_interval - taken_});
      std::byte* work = work_.get();
      for (const Feed* f : feeds_) {
        f->run(work, x + i * bytes, y == nullptr ? nullptr : y + i * bytes, m, first + i);
        work += round_up(f->work_bytes);
      }
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
    canonicalise(state_, plan_.layout, plan_.dtype);
  }

 private:
  static std::size_t round_up(std::size_t n) { return (n + 63) / 64 * 64; }
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  const Plan& plan_;
  std::span<const Feed* const> feeds_;
  std::unique_ptr<std::byte, Free> work_;
  int64_t* state_ = nullptr;
  Size taken_ = 0;
};

struct Inputs {
  const std::byte* x;
  const std::byte* y;  // null: one input
  Inputs at(int64_t offset_x, int64_t offset_y) const {
    return {x + offset_x, y == nullptr ? nullptr : y + offset_y};
  }
};

// Elements that a packed tile holds.
constexpr Size tile_elements = 4096;

// Feeds the elements [begin, end) of one answer.
void feed_range(const Plan& plan, Gatherer& gatherer, Inputs in, Size begin, Size end,
                std::byte* tile) {
  const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
  const bool dense = plan.aligned && (plan.folded.empty() ||
                                      (plan.folded.back().stride == bytes &&
                                       (plan.inputs == 1 || plan.folded.back().stride_y == bytes)));
  Walk walk(plan.folded, begin);
  const bool by_run =
      dense && (plan.folded.empty() || plan.folded.size() == 1 || plan.folded.back().extent >= 256);
  for (Size i = begin; i < end;) {
    Size n = end - i;
    Inputs from = in.at(walk.offset(), walk.offset_y());
    if (by_run) {
      n = std::min(n, walk.run_left());
      walk.skip(n);
    } else {
      n = std::min(n, tile_elements);
      std::byte* tile_y = tile + tile_elements * static_cast<Size>(bytes);
      walk.pack(in.x, in.y, n, static_cast<std::size_t>(bytes), tile, tile_y);
      from = {tile, in.y == nullptr ? nullptr : tile_y};
    }
    gatherer.run(from.x, from.y, n, plan.first + i);
    i += n;
  }
}

// Where an answer's first element is.
Inputs answer_origin(const Plan& plan, Inputs in, Size answer) {
  Walk walk(plan.kept, answer);
  return in.at(walk.offset(), walk.offset_y());
}

// Below this much data a second thread costs more than it brings.
constexpr Size parallel_bytes = 1 << 20;
constexpr Size chunk_bytes = 1 << 20;

struct Tile {
  alignas(64) std::byte bytes[2 * tile_elements * 8];
};

}  // namespace

void gather(const Plan& plan, const void* x, const void* y, Size begin, Size end, int64_t* states) {
  const Target target = find_target(plan.target);
  if (plan.elements == 0 || begin == end) return;
  const Inputs in{static_cast<const std::byte*>(x),
                  plan.inputs == 2 ? static_cast<const std::byte*>(y) : nullptr};
  const std::span<const Feed* const> feeds = choose_feeds(target, plan.dtype, plan.needs);
  const auto words = static_cast<Size>(plan.layout.words);
  const Size answers = end - begin;
  const Size per_answer = plan.bytes_read() / plan.answers;
  const int threads = answers * per_answer < parallel_bytes ? 1
                      : plan.threads > 0                    ? plan.threads
                                                            : default_threads();

  // Tasks: groups of answers where there are many, chunks of one answer where there are few.
  if (threads == 1 || answers >= 4 * static_cast<Size>(threads)) {
    const Size group = threads == 1 ? answers
                                    : std::clamp<Size>(chunk_bytes / per_answer, 1,
                                                       answers / static_cast<Size>(threads));
    const Size tasks = (answers + group - 1) / group;
    parallel(tasks, threads, [&](std::size_t task) {
      const FloatingPointMode mode;
      Gatherer gatherer(plan, feeds);
      Tile tile;
      for (Size a = task * group; a < std::min(answers, (task + 1) * group); ++a) {
        gatherer.open(states + a * words);
        feed_range(plan, gatherer, answer_origin(plan, in, begin + a), 0, plan.elements,
                   tile.bytes);
        gatherer.close();
      }
    });
    return;
  }
  const Size chunk = std::max<Size>(chunk_bytes / bytes_of(plan.dtype),
                                    plan.elements / (64 * static_cast<Size>(threads)));
  const Size chunks = (plan.elements + chunk - 1) / chunk;
  for (Size a = 0; a < answers; ++a) {
    const Inputs origin = answer_origin(plan, in, begin + a);
    std::mutex mutex;
    parallel(chunks, threads, [&](std::size_t c) {
      const FloatingPointMode mode;
      Gatherer gatherer(plan, feeds);
      Tile tile;
      std::vector<int64_t> state(words);
      clear(state.data(), plan.layout, plan.dtype);
      gatherer.open(state.data());
      feed_range(plan, gatherer, origin, c * chunk, std::min(plan.elements, (c + 1) * chunk),
                 tile.bytes);
      gatherer.close();
      const std::lock_guard lock(mutex);
      merge(states + a * words, state.data(), plan.layout, plan.dtype);
    });
  }
}

void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done) {
  find_target(plan.target);  // it must be one, even where there is nothing to fold
  // States of at most this many answers at a time: 8 MB at most, in L3 or near it.
  const auto words = static_cast<Size>(plan.layout.words);
  const Size group = std::clamp<Size>((Size{1} << 20) / std::max<Size>(words, 1), 1,
                                      std::max<Size>(plan.answers, 1));
  std::vector<int64_t> states(group * words);
  for (Size a = 0; a < plan.answers; a += group) {
    const Size n = std::min(group, plan.answers - a);
    for (Size k = 0; k < n; ++k) clear(&states[k * words], plan.layout, plan.dtype);
    gather(plan, x, y, a, a + n, states.data());
    // Finishing takes about as long as gathering some hundred elements.
    constexpr Size block = 256;
    parallel((n + block - 1) / block, plan.threads, [&](std::size_t b) {
      for (Size k = b * block; k < std::min(n, (b + 1) * block); ++k)
        done(a + k, &states[k * words]);
    });
  }
}

}  // namespace onefold::cpu_backend
