#include "backend/cpu/run.hpp"

#include <algorithm>
#include <mutex>

#include "backend/cpu/columns.hpp"
#include "backend/cpu/few_rows.hpp"
#include "backend/cpu/gatherer.hpp"
#include "backend/cpu/pack.hpp"
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
void feed_range(const Plan& plan, Gatherer& gatherer, Inputs in, Size begin, Size end, Tile& tile) {
  const std::size_t bytes = bytes_of(plan.dtype);
  const bool dense = plan.aligned && (plan.folded.empty() || is_dense(plan, plan.folded.back()));
  if (dense && plan.folded.size() <= 1) {
    const auto offset = static_cast<int64_t>(begin * bytes);
    gatherer.run(in.at(offset, offset), end - begin, plan.first + begin);
    return;
  }
  // Short runs cost less to copy than to feed one by one.
  const bool by_run = dense && plan.folded.back().extent >= 256;
  Walk walk(plan.folded, begin);
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
    gatherer.run(from, n, plan.first + i);
    i += n;
  }
}

// Adds the elements [begin, end) of the answers [first, last) to states, the first of which is that
// of `first`.
void gather_part(const Plan& plan, std::span<const Feed* const> feeds, Inputs in, Size first,
                 Size last, Size begin, Size end, int64_t* states) {
  const FloatingPointMode mode;
  if (plan.family == Family::columns) {
    Columns(plan, feeds, end - begin).gather(in, first, last, begin, end, states);
    return;
  }
  const auto words = static_cast<Size>(plan.layout.words);
  Gatherer gatherer(plan, feeds);
  Tile tile;
  Walk kept(plan.kept, first);
  for (Size a = first; a < last; ++a) {
    gatherer.open(states + (a - first) * words);
    feed_range(plan, gatherer, in.at(kept.offset(), kept.offset_y()), begin, end, tile);
    gatherer.close();
    kept.skip(1);
  }
}

// Below this much data a second thread costs more than it brings.
constexpr Size parallel_bytes = 1 << 20;
constexpr Size chunk_bytes = 1 << 20;
// What opening and closing feeds for an answer costs, in bytes that could be read instead.
constexpr Size answer_bytes = 1 << 10;

Size bytes_per_answer(const Plan& plan) { return plan.bytes_read() / plan.answers + answer_bytes; }

// What a task takes: so many answers, so many elements of each.
struct Part {
  Size answers, elements;
};

Part divide(const Plan& plan, Size answers, int threads) {
  if (threads == 1) return {answers, plan.elements};
  const auto t = static_cast<Size>(threads);
  const Size per_answer = bytes_per_answer(plan);
  // Groups of answers where there are many, chunks of their elements where there are few.
  const Size band = plan.family == Family::columns ? std::min(Columns::band(plan), answers) : 1;
  if (answers / band >= 4 * t) {
    const Size group = std::clamp<Size>(chunk_bytes / per_answer, band, answers / t);
    return {group / band * band, plan.elements};
  }
  return {band,
          std::max({Size{1}, chunk_bytes / bytes_of(plan.dtype) / band, plan.elements / (64 * t)})};
}

}  // namespace

void gather(const Plan& plan, const void* x, const void* y, Size begin, Size end, int64_t* states) {
  const Target target = find_target(plan.target);
  if (plan.elements == 0 || begin == end) return;
  const Inputs in = Inputs{static_cast<const std::byte*>(x),
                           plan.inputs == 2 ? static_cast<const std::byte*>(y) : nullptr}
                        .at(plan.origin, plan.origin_y);
  const std::span<const Feed* const> feeds = choose_feeds(target, plan.dtype, plan.needs);
  const auto words = static_cast<Size>(plan.layout.words);
  const Size answers = end - begin;
  const int threads = bytes_per_answer(plan) * answers < parallel_bytes ? 1
                      : plan.threads > 0                                ? plan.threads
                                                                        : default_threads();
  const Part part = divide(plan, answers, threads);
  const Size groups = (answers + part.answers - 1) / part.answers;
  const Size chunks = (plan.elements + part.elements - 1) / part.elements;
  std::mutex mutex;
  parallel(groups * chunks, threads, [&](std::size_t task) {
    const Size first = task / chunks * part.answers, from = task % chunks * part.elements;
    const Size last = std::min(answers, first + part.answers);
    const Size to = std::min(plan.elements, from + part.elements);
    if (chunks == 1) {
      gather_part(plan, feeds, in, begin + first, begin + last, from, to, states + first * words);
      return;
    }
    std::vector<int64_t> own((last - first) * words);
    for (Size a = 0; a < last - first; ++a) clear(&own[a * words], plan.layout, plan.dtype);
    gather_part(plan, feeds, in, begin + first, begin + last, from, to, own.data());
    const std::lock_guard lock(mutex);
    for (Size a = 0; a < last - first; ++a) {
      merge(states + (first + a) * words, &own[a * words], plan.layout, plan.dtype);
    }
  });
}

void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done, std::byte* straight) {
  find_target(plan.target);  // it must be one, even where there is nothing to fold
  if (straight != nullptr && run_few_rows(plan, x, straight, done)) return;
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
