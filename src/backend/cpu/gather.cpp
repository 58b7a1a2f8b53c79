#include "backend/cpu/gather.hpp"

#include <algorithm>
#include <mutex>

#include "backend/cpu/columns.hpp"
#include "backend/cpu/pack.hpp"
#include "backend/cpu/taken.hpp"
#include "parallel.hpp"
#include "plan/mode.hpp"

namespace onefold::cpu_backend {
namespace {

// Elements that a packed tile holds.
constexpr Size tile_elements = 4096;

struct Tile {
  alignas(64) std::byte bytes[2 * tile_elements * 8];
};

// Feeds the elements [begin, end) of one answer.
void feed_range(const Plan& plan, const Loops& loops, Gatherer& gatherer, Inputs in, Size begin,
                Size end, Tile& tile) {
  const std::size_t bytes = loops.bytes;
  const std::vector<Axis>& folded = loops.folded;
  const bool dense = plan.aligned && (folded.empty() || is_dense(folded.back(), bytes));
  if (dense && folded.size() <= 1) {
    const auto offset = static_cast<int64_t>(begin * bytes);
    gatherer.run(in.at(offset, offset), end - begin, loops.index + begin);
    return;
  }
  // Short runs cost less to copy than to feed one by one.
  const bool by_run = dense && folded.back().extent >= 256;
  Walk walk(folded, begin);
  for (Size i = begin; i < end;) {
    Size n = end - i;
    Inputs from = in.at(walk.offset(), walk.offset_y());
    if (by_run) {
      n = std::min(n, walk.run_left());
      walk.skip(n);
    } else {
      n = std::min(n, tile_elements);
      std::byte* tile_y = tile.bytes + tile_elements * bytes;
      walk.pack(in.x, in.y, n, bytes, tile.bytes, tile_y);
      from = {tile.bytes, in.y == nullptr ? nullptr : tile_y};
    }
    gatherer.run(from, n, loops.index + i);
    i += n;
  }
}

// The same where indices rise within runs only: each has a state of its own, which merges by true
// indices.
void feed_runs(const Plan& plan, const Loops& loops, Gatherer& gatherer, Inputs in, Size begin,
               Size end, int64_t* state, Tile& tile) {
  const std::size_t bytes = loops.bytes;
  const Axis& inner = loops.folded.back();
  const bool dense = plan.aligned && is_dense(inner, bytes);
  std::vector<int64_t> own(static_cast<Size>(plan.layout.words));
  Walk walk(loops.folded, begin);
  for (Size i = begin; i < end;) {
    const Size n = std::min(end - i, walk.run_left());
    const Size first = loops.index + place_of(loops.folded, i);
    clear(own.data(), plan.layout, plan.dtype);
    gatherer.open(own.data());
    if (dense) {
      gatherer.run(in.at(walk.offset(), walk.offset_y()), n, 0);
      walk.skip(n);
    }
    for (Size k = 0; !dense && k < n;) {
      const Size m = std::min(n - k, tile_elements);
      walk.pack(in.x, nullptr, m, bytes, tile.bytes, nullptr);
      gatherer.run({tile.bytes, nullptr}, m, k);
      k += m;
    }
    gatherer.close();
    change_indices(own.data(), plan.layout, plan.dtype,
                   [&](Size k) { return first + k * static_cast<Size>(inner.step); });
    merge(state, own.data(), plan.layout, plan.dtype);
    i += n;
  }
}

// Adds the elements [begin, end) of the answers [first, last) to states, the first of which is that
// of `first`.
void gather_part(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds,
                 Inputs in, Size first, Size last, Size begin, Size end, int64_t* states) {
  const FloatingPointMode mode;
  if (plan.where.selects() && (plan.indexed || !loops.columns)) {
    gather_taken(plan, loops, feeds, in, first, last, begin, end, states);
    return;
  }
  if (loops.columns) {
    Columns(plan, loops, feeds, end - begin).gather(in, first, last, begin, end, states);
    return;
  }
  const auto words = static_cast<Size>(plan.layout.words);
  Gatherer gatherer(plan, feeds);
  Tile tile;
  Walk kept(loops.kept, first);
  for (Size a = first; a < last; ++a) {
    if (loops.by_runs) {
      feed_runs(plan, loops, gatherer, in.at(kept.offset(), kept.offset_y()), begin, end,
                states + (a - first) * words, tile);
      kept.skip(1);
      continue;
    }
    gatherer.open(states + (a - first) * words);
    feed_range(plan, loops, gatherer, in.at(kept.offset(), kept.offset_y()), begin, end, tile);
    gatherer.close();
    kept.skip(1);
  }
}

// Below this much data a second thread costs more than it brings.
constexpr Size parallel_bytes = 1 << 20;
constexpr Size chunk_bytes = 1 << 20;
// What opening and closing feeds for an answer costs, in bytes that could be read instead.
constexpr Size answer_bytes = 1 << 10;

Size bytes_per_answer(const Plan& plan, const Loops& loops) {
  return loops.elements * loops.bytes * static_cast<Size>(plan.inputs) + answer_bytes;
}

// What a task takes: so many answers, so many elements of each.
struct Part {
  Size answers, elements;
};

Part divide(const Plan& plan, const Loops& loops, Size answers, int threads) {
  if (threads == 1) return {answers, loops.elements};
  const auto t = static_cast<Size>(threads);
  const Size per_answer = bytes_per_answer(plan, loops);
  // Groups of answers where there are many, chunks of their elements where there are few.
  const Size band = loops.columns ? std::min(Columns::band(plan), answers) : 1;
  if (answers / band >= 4 * t) {
    const Size group = std::clamp<Size>(chunk_bytes / per_answer, band, answers / t);
    return {group / band * band, loops.elements};
  }
  return {band, std::max({Size{1}, chunk_bytes / loops.bytes / band, loops.elements / (64 * t)})};
}

// Each element once, and indices as they count in the walk.
void gather_walk(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end,
                 int64_t* states, int threads) {
  const std::span<const Feed* const> feeds =
      choose_feeds(find_target(plan.target), plan.dtype, plan.needs.basic());
  const auto words = static_cast<Size>(plan.layout.words);
  const Size answers = end - begin;
  if (bytes_per_answer(plan, loops) * answers < parallel_bytes) threads = 1;
  if (threads == 0) threads = default_threads();
  const Part part = divide(plan, loops, answers, threads);
  const Size groups = (answers + part.answers - 1) / part.answers;
  const Size chunks = (loops.elements + part.elements - 1) / part.elements;
  std::mutex mutex;
  parallel(groups * chunks, threads, [&](std::size_t task) {
    const Size first = task / chunks * part.answers, from = task % chunks * part.elements;
    const Size last = std::min(answers, first + part.answers);
    const Size to = std::min(loops.elements, from + part.elements);
    if (chunks == 1) {
      gather_part(plan, loops, feeds, in, begin + first, begin + last, from, to,
                  states + first * words);
      return;
    }
    std::vector<int64_t> own((last - first) * words);
    for (Size a = 0; a < last - first; ++a) clear(&own[a * words], plan.layout, plan.dtype);
    gather_part(plan, loops, feeds, in, begin + first, begin + last, from, to, own.data());
    const std::lock_guard lock(mutex);
    for (Size a = 0; a < last - first; ++a) {
      merge(states + (first + a) * words, &own[a * words], plan.layout, plan.dtype);
    }
  });
}

// Adds a state so many times, by doubling it; what it doubles comes to no more than all together.
void merge_times(int64_t* into, int64_t* from, Size times, const Plan& plan) {
  for (;; times /= 2) {
    if (times % 2 == 1) merge(into, from, plan.layout, plan.dtype);
    if (times <= 1) return;
    merge(from, from, plan.layout, plan.dtype);
  }
}

}  // namespace

Inputs inputs_of(const Plan& plan, const Loops& loops, const void* x, const void* y) {
  const Inputs all{static_cast<const std::byte*>(x),
                   plan.inputs == 2 ? static_cast<const std::byte*>(y) : nullptr};
  return all.at(loops.origin[0], loops.origin[1], loops.origin[2]);
}

void gather(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end, int64_t* states,
            int threads) {
  if (loops.elements == 0 || begin == end) return;
  const bool indexed = loops.indices_count_on || loops.by_runs;
  if (loops.repeats == 1 && indexed) {
    return gather_walk(plan, loops, in, begin, end, states, threads);
  }
  const auto words = static_cast<Size>(plan.layout.words);
  std::vector<int64_t> apart((end - begin) * words);
  for (Size a = 0; a < end - begin; ++a) clear(&apart[a * words], plan.layout, plan.dtype);
  Loops walk = loops;
  if (!indexed) walk.index = 0;
  gather_walk(plan, walk, in, begin, end, apart.data(), threads);
  for (Size a = 0; a < end - begin; ++a) {
    int64_t* const state = &apart[a * words];
    if (!indexed) {
      // The walk goes by rising indices, so the first of the walk is the first of all.
      change_indices(state, plan.layout, plan.dtype,
                     [&](Size i) { return loops.index + place_of(loops.folded, i); });
    }
    merge_times(states + a * words, state, loops.repeats, plan);
  }
}

}  // namespace onefold::cpu_backend
