// Feeds made from `lift`, which defines each accumulator: plain loops, slow but correct.
#include "onefold/cpu/portable.hpp"

#include "onefold/core/accumulator.hpp"

namespace onefold::cpu_backend {
namespace {

template <class A>
struct Portable {
  using T = typename A::Element;
  int64_t* words;

  static void open(void* work, int64_t* const* words) {
    int64_t* mine = nullptr;
    for (int a = 0; a < accumulator_count; ++a) mine = words[a] != nullptr ? words[a] : mine;
    static_cast<Portable*>(work)->words = mine;
  }
  static void run(void* work, const void* px, [[maybe_unused]] const void* py, Size n, Size first) {
    int64_t* words = static_cast<Portable*>(work)->words;
    const T* x = static_cast<const T*>(px);
    const auto add = [words](int k, int64_t v) { words[k] += v; };
    if constexpr (Small<A>) {
      typename A::State s = load_state<A>(words);
      for (Size i = 0; i < n; ++i) A::lift(s, x[i], first + i);
      store_state<A>(words, s);
    } else if constexpr (TwoInputs<A>) {
      const T* y = static_cast<const T*>(py);
      for (Size i = 0; i < n; ++i) A::lift(add, x[i], y[i], first + i);
    } else if constexpr (OneInput<A>) {
      for (Size i = 0; i < n; ++i) A::lift(add, x[i], first + i);
    }
  }
  static void close(void*) {}
};

}  // namespace

void add_portable_feeds(std::vector<Feed>& table) {
  for (int a = 0; a < accumulator_count; ++a) {
    for (int t = 0; t < dtype_count; ++t) {
      const auto accumulator = static_cast<Accumulator>(a);
      const auto dtype = static_cast<DType>(t);
      visit(accumulator, dtype, [&]<class A>() {
        table.push_back({.name = name_of(accumulator),
                         .provides = accumulator,
                         .dtype = dtype,
                         .cost = 10000,
                         .work_bytes = sizeof(Portable<A>),
                         .open = Portable<A>::open,
                         .run = Portable<A>::run,
                         .close = Portable<A>::close});
      });
    }
  }
}

}  // namespace onefold::cpu_backend
