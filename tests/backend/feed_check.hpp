// Every feed that gathers something beside what lift makes of the same data.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "backend/cpu/feed.hpp"
#include "plan/table.hpp"

namespace onefold::cpu_backend::test {

// A run of elements, at x (and y), the first of which has the index `first`.
struct Run {
  const void* x;
  const void* y;
  Size n;
  Size first;
};

// The canonical words that a feed adds to the empty state of all it provides; `apart`: it is opened
// and closed for each run.
inline std::vector<int64_t> gather(const Feed& feed, const std::vector<Run>& runs,
                                   bool apart = false) {
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  const Layout layout = layout_of(feed.provides, feed.dtype);
  std::vector<int64_t> state(static_cast<std::size_t>(layout.words));
  clear(state.data(), layout, feed.dtype);
  const std::unique_ptr<std::byte, Free> work(
      static_cast<std::byte*>(::operator new (feed.work_bytes, std::align_val_t{64})));
  int64_t* words[accumulator_count] = {};
  for (int a = 0; a < accumulator_count; ++a) {
    if (layout.offset[a] >= 0) words[a] = state.data() + layout.offset[a];
  }
  feed.open(work.get(), words);
  for (const Run& r : runs) {
    feed.run(work.get(), r.x, r.y, r.n, r.first);
    if (!apart) continue;
    feed.close(work.get());
    canonicalise(state.data(), layout, feed.dtype);
    feed.open(work.get(), words);
  }
  feed.close(work.get());
  canonicalise(state.data(), layout, feed.dtype);
  return state;
}

// The words of the portable feeds for the same set.
inline std::vector<int64_t> lift(Accumulators set, DType t, const std::vector<Run>& runs) {
  std::vector<int64_t> state;
  for (int a = 0; a < accumulator_count; ++a) {
    if (!set.has(static_cast<Accumulator>(a))) continue;
    for (const Feed& f : feeds(Target::portable)) {
      if (f.dtype != t || f.provides != Accumulators(static_cast<Accumulator>(a))) continue;
      const std::vector<int64_t> words = gather(f, runs);
      state.insert(state.end(), words.begin(), words.end());
      break;
    }
  }
  return state;
}

// The feeds, of all instruction sets, of elements `t` that gather something of `any`.
struct Found {
  Target target;
  const Feed* feed;
};
inline std::vector<Found> feeds_of(DType t, Accumulators any) {
  std::vector<Found> found;
  for (const Target target : usable_targets()) {
    if (target == Target::portable) continue;
    for (const Feed& f : feeds(target)) {
      if (f.dtype == t && !(f.provides & any).empty() && f.cost < 10000) {
        found.push_back({target, &f});
      }
    }
  }
  return found;
}

inline void expect_words_of_lift(DType t, Accumulators any, const std::vector<Run>& runs,
                                 const std::string& what, bool apart = false) {
  for (const auto [target, feed] : feeds_of(t, any)) {
    EXPECT_EQ(gather(*feed, runs, apart), lift(feed->provides, t, runs))
        << name_of(target) << " " << feed->name << ": " << what;
  }
}

// One run, and the same as runs of 1,000 elements.
template <class T>
void expect_words_of_lift(Accumulators any, const std::vector<T>& x, const std::string& what) {
  std::vector<Run> parts;
  for (Size i = 0; i < x.size(); i += 1000) {
    parts.push_back({x.data() + i, nullptr, std::min<Size>(1000, x.size() - i), i});
  }
  expect_words_of_lift(dtype_of<T>, any, {{x.data(), nullptr, x.size(), 0}}, what);
  expect_words_of_lift(dtype_of<T>, any, parts, what + ", in parts");
}

}  // namespace onefold::cpu_backend::test
