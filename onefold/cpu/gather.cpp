#include "onefold/cpu/gather.hpp"

#include <algorithm>
#include <mutex>

#include "onefold/cpu/columns.hpp"
#include "onefold/cpu/feeder.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// Adds the elements [begin, end) of the answers [first, last) to their states; `states` points to
// the state of answer `first`.
void gather_part(const Plan& plan, const Loops& loops, std::span<const Feed* const> feeds,
                 Inputs in, Size first, Size last, Size begin, Size end, int64_t* states) {
  const FloatingPointMode mode;
  if (loops.columns && !(plan.where.selects() && plan.indexed)) {
    Columns(plan, loops, feeds, end - begin).gather(in, first, last, begin, end, states);
    return;
  }
  Feeder feeder(plan, loops, feeds);
  Walk kept(loops.kept, first);
  for (Size a = first; a < last; ++a) {
    feeder.feed(in.at(kept.offset(), kept.offset_y(), kept.offset_mask()), begin, end,
                states + (a - first) * static_cast<Size>(plan.layout.words));
    kept.skip(1);
  }
}

// Opening and closing feeds for one answer takes as long as reading this many bytes.
constexpr Size answer_bytes = 1 << 10;

Size bytes_per_answer(const Plan& plan, const Loops& loops) {
  return loops.elements * loops.bytes * static_cast<Size>(plan.inputs) + answer_bytes;
}

// The size of a task: a number of answers, and a number of elements of each.
struct TaskSize {
  Size answers, elements;
};

TaskSize divide(const Plan& plan, const Loops& loops, Size answers, int threads) {
  const Size per_answer = bytes_per_answer(plan, loops), bytes = per_answer * answers;
  if (threads == 1 && bytes <= long_bytes) return {answers, loops.elements};
  const auto t = static_cast<Size>(threads);
  // 8 tasks for each thread: some begin late. Each merges a state.
  const Size chunk_bytes = std::clamp<Size>(bytes / (8 * t), 1 << 16, 1 << 20);
  // If there are many answers, a task takes whole answers; if there are few, chunks of their
  // elements.
  const Size band = loops.columns ? std::min(Columns::band(plan), answers) : 1;
  if (answers / band >= 4 * t) {
    const Size group = std::clamp<Size>(chunk_bytes / per_answer, band, answers / t);
    return {group / band * band, loops.elements};
  }
  const Size least = band == 1 ? 1 : std::min<Size>(loops.elements, 4096);
  return {band, std::max({least, chunk_bytes / loops.bytes / band, loops.elements / (64 * t)})};
}

// Adds each element once. Indices in these states are the elements' numbers in loop order.
void gather_walk(const Plan& plan, const Loops& loops, Inputs in, Size begin, Size end,
                 int64_t* states, int threads) {
  const std::span<const Feed* const> feeds =
      choose_feeds(find_target(plan.target), plan.dtype, plan.needs.basic());
  const auto words = static_cast<Size>(plan.layout.words);
  const Size answers = end - begin;
  threads = threads_for(bytes_per_answer(plan, loops) * answers, threads);
  const TaskSize part = divide(plan, loops, answers, threads);
  const Size groups = (answers + part.answers - 1) / part.answers;
  const Size chunks = (loops.elements + part.elements - 1) / part.elements;
  const auto first_of = [&](Size group) { return group * part.answers; };
  const auto answers_of = [&](Size group) {
    return std::min(answers - first_of(group), part.answers);
  };
  if (chunks == 1) {
    return parallel(groups, threads, [&](std::size_t g) {
      gather_part(plan, loops, feeds, in, begin + first_of(g), begin + first_of(g) + answers_of(g),
                  0, loops.elements, states + first_of(g) * words);
    });
  }
  const auto add = [&](int64_t* to, const std::vector<int64_t>& from, Size n) {
    for (Size a = 0; a < n; ++a) merge(to + a * words, &from[a * words], plan.layout, plan.dtype);
  };
  std::vector<std::mutex> locks(groups);
  // What a worker has gathered of a group, until it goes on to another group.
  struct alignas(64) Worker {
    Size group = 0;
    std::vector<int64_t> sum;
  };
  std::vector<Worker> all(workers(groups * chunks, threads));
  const auto deliver = [&](Worker& w) {
    if (w.sum.empty()) return;
    const std::lock_guard lock(locks[w.group]);
    add(states + first_of(w.group) * words, w.sum, answers_of(w.group));
    w.sum.clear();
  };
  parallel_workers(groups * chunks, threads, [&](std::size_t task, std::size_t worker) {
    const Size g = task / chunks, from = task % chunks * part.elements, n = answers_of(g);
    std::vector<int64_t> own(n * words);
    for (Size a = 0; a < n; ++a) clear(&own[a * words], plan.layout, plan.dtype);
    gather_part(plan, loops, feeds, in, begin + first_of(g), begin + first_of(g) + n, from,
                std::min(loops.elements, from + part.elements), own.data());
    Worker& w = all[worker];
    if (w.group != g) deliver(w);
    w.group = g;
    if (w.sum.empty()) {
      w.sum = std::move(own);
    } else {
      add(w.sum.data(), own, n);
    }
  });
  for (Worker& w : all) deliver(w);
}

// Adds a state `times` times, by doubling it; no intermediate state has more elements than the
// result.
void merge_times(int64_t* into, int64_t* from, Size times, const Plan& plan) {
  for (;; times /= 2) {
    if (times % 2 == 1) merge(into, from, plan.layout, plan.dtype);
    if (times <= 1) return;
    merge(from, from, plan.layout, plan.dtype);
  }
}

}  // namespace

Size count_taken(const Plan& plan) {
  const Loops loops(plan.nest, true);
  const SelectWays& ways = select_ways(find_target(plan.target));
  Size count = 0;
  Selection selection;
  for (Size a = 0; a < loops.answers; ++a) {
    const int64_t mask = loops.origin[2] + Walk(loops.kept, a).offset_mask();
    for (Size i = 0, n; i < loops.elements; i += n) {
      n = std::min(loops.elements - i, Selection::most);
      read_mask(selection, ways, plan, loops, mask, Walk(loops.folded, i), n);
      count += selection.taken;
    }
  }
  return count * loops.repeats;
}

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
      // The loops visit elements by rising index, so the first match in loop order has the least
      // index.
      change_indices(state, plan.layout, plan.dtype,
                     [&](Size i) { return loops.index + place_of(loops.folded, i); });
    }
    merge_times(states + a * words, state, loops.repeats, plan);
  }
}

}  // namespace onefold::cpu_backend
