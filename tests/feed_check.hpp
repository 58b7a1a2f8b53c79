// Runs a feed or the accumulators' definition (lift), and compares their words.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/cpu/feed.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold::test {

using cpu_backend::Feed;
using cpu_backend::Target;

// The states of several accumulators, one after another.
struct States {
  Layout layout;
  DType dtype;
  std::vector<int64_t> words;

  States(Accumulators set, DType t) : layout(layout_of(set, t)), dtype(t) {
    words.resize(static_cast<std::size_t>(layout.words));
    clear(words.data(), layout, dtype);
  }
  void canonicalise() { onefold::canonicalise(words.data(), layout, dtype); }
  int64_t* at(int a) { return layout.offset[a] < 0 ? nullptr : words.data() + layout.offset[a]; }
};

// A feed and its working memory, which is dirty at the start.
class Session {
 public:
  Session(const Feed& feed, States& states) : feed_(feed) {
    work_.reset(static_cast<std::byte*>(::operator new (feed.work_bytes, std::align_val_t{64})));
    std::memset(work_.get(), 0xa5, feed.work_bytes);
    int64_t* words[accumulator_count] = {};
    for (int a = 0; a < accumulator_count; ++a) {
      if (feed.provides.has(static_cast<Accumulator>(a))) words[a] = states.at(a);
    }
    feed_.open(work_.get(), words);
  }
  void run(const std::byte* x, const std::byte* y, std::size_t n, Size first) {
    feed_.run(work_.get(), x, y, n, first);
  }
  void close() { feed_.close(work_.get()); }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  const Feed& feed_;
  std::unique_ptr<std::byte, Free> work_;
};

// Gathers the data by lift.
inline void reference(States& states, const std::byte* x, const std::byte* y, std::size_t n,
                      Size first) {
  for (int a = 0; a < accumulator_count; ++a) {
    if (states.at(a) == nullptr) continue;
    const auto accumulator = static_cast<Accumulator>(a);
    for (const Feed& f : cpu_backend::feeds(Target::portable)) {
      if (f.dtype != states.dtype || f.provides != Accumulators(accumulator)) continue;
      Session s(f, states);
      s.run(x, y, n, first);
      s.close();
      break;
    }
  }
  states.canonicalise();
}

// Returns the words that differ, by accumulator.
inline std::string difference(States& got, States& expected) {
  std::string s;
  for (int a = 0; a < accumulator_count; ++a) {
    if (got.at(a) == nullptr) continue;
    const auto accumulator = static_cast<Accumulator>(a);
    for (int k = 0; k < row_of(accumulator, got.dtype).words; ++k) {
      if (got.at(a)[k] == expected.at(a)[k]) continue;
      s += std::string("\n  ") + name_of(accumulator) + " word " + std::to_string(k) + ": " +
           std::to_string(got.at(a)[k]) + ", should be " + std::to_string(expected.at(a)[k]);
    }
  }
  return s;
}

// Feeds of all instruction sets for elements `t` that gather at least one accumulator of `any` and
// none of `none_of`.
struct Found {
  Target target;
  const Feed* feed;
};
inline std::vector<Found> feeds_of(DType t, Accumulators any, Accumulators none_of = {}) {
  std::vector<Found> found;
  for (const Target target : usable_targets()) {
    if (target == Target::portable) continue;
    for (const Feed& f : cpu_backend::feeds(target)) {
      const bool hot = f.cost < 10000;  // portable feeds are in every table
      if (f.dtype == t && hot && !(f.provides & any).empty() && (f.provides & none_of).empty()) {
        found.push_back({target, &f});
      }
    }
  }
  return found;
}

// Consecutive elements at x (and y); the first one has the index `first`.
struct Run {
  const void* x;
  const void* y;
  Size n;
  Size first;
};

// Cuts n elements into runs of `step` elements.
inline std::vector<Run> runs_of(const void* x, const void* y, Size n, Size step, DType t) {
  std::vector<Run> runs;
  for (Size i = 0; i < n; i += step) {
    const Size at = i * bytes_of(t);
    runs.push_back({static_cast<const std::byte*>(x) + at,
                    y == nullptr ? nullptr : static_cast<const std::byte*>(y) + at,
                    std::min(step, n - i), i});
  }
  return runs;
}

// Returns canonical words of all that the feed gathers; `apart`: it is opened for each run.
inline States gather(const Feed& feed, const std::vector<Run>& runs, bool apart = false) {
  States states(feed.provides, feed.dtype);
  std::optional<Session> session;
  for (const Run& r : runs) {
    if (!session) session.emplace(feed, states);
    session->run(static_cast<const std::byte*>(r.x), static_cast<const std::byte*>(r.y), r.n,
                 r.first);
    if (!apart) continue;
    session->close();
    session.reset();
    states.canonicalise();
  }
  if (session) session->close();
  states.canonicalise();
  return states;
}

// Returns the words of the portable feeds.
inline States lift(Accumulators set, DType t, const std::vector<Run>& runs) {
  States states(set, t);
  for (const Run& r : runs) {
    reference(states, static_cast<const std::byte*>(r.x), static_cast<const std::byte*>(r.y), r.n,
              r.first);
  }
  return states;
}

// Checks each of `found`, with each way to cut the data into runs.
inline void expect_words_of_lift(const std::vector<Found>& found,
                                 const std::vector<std::vector<Run>>& cuts, const std::string& what,
                                 bool apart = false) {
  if (found.empty()) return;  // this machine has no vector instructions
  Accumulators all;
  for (const Found& f : found) all = all | f.feed->provides;
  States expected = lift(all, found[0].feed->dtype, cuts[0]);
  for (const auto& [target, feed] : found) {
    for (const std::vector<Run>& runs : cuts) {
      States got = gather(*feed, runs, apart);
      ASSERT_EQ(difference(got, expected), "")
          << name_of(target) << " " << feed->name << " of " << name_of(feed->dtype) << ", "
          << runs.size() << " runs: " << what;
    }
  }
}

// Tests one run, then the same elements as runs of 1,000.
template <class T>
void expect_words_of_lift(Accumulators any, const std::vector<T>& x, const std::string& what) {
  constexpr DType t = dtype_of<T>;
  const auto cut = [&](Size step) { return runs_of(x.data(), nullptr, x.size(), step, t); };
  expect_words_of_lift(feeds_of(t, any), {cut(std::max<Size>(x.size(), 1)), cut(1000)}, what);
}

}  // namespace onefold::test
