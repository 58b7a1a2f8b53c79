// Runs one feed, or the definition beside it, and compares words.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/feed.hpp"
#include "plan/table.hpp"

namespace onefold::test {

using cpu_backend::Feed;
using cpu_backend::Target;

// The states of a set of accumulators, side by side.
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

// A feed with memory to work in, dirty at the start.
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

// What lift makes of the data.
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

// The words that differ, by accumulator.
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

}  // namespace onefold::test
