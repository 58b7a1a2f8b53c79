// A state of the C library: a State, elements that are not yet added to it, and running sums.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "onefold/capi/convert.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/onefold.hpp"
#include "onefold/running.hpp"

namespace onefold::capi {

// The ops, type and policy that elements are gathered for.
struct Purpose {
  //   decimals  elements are the nearest f64 of decimals, and sums are those of the decimals
  Purpose(std::string names, DType type, NanPolicy policy, bool spelt)
      : ops(std::move(names)),
        dtype(type),
        nan(policy),
        decimals(spelt),
        running(ops, type, policy) {}

  // Returns for example "var of f64", for messages.
  std::string about() const {
    const char* const policy = nan == NanPolicy::omit    ? ", nan: omit"
                               : nan == NanPolicy::raise ? ", nan: raise"
                                                         : "";
    return ops + " of " + (decimals ? "decimals" : name_of(dtype)) + policy;
  }

  std::string ops;
  DType dtype;
  NanPolicy nan;
  bool decimals;
  RunningKind running;
  State empty = {};  // an empty state of this kind
  // For a single op: its name, which stays valid, and the type of its answer.
  const char* op = nullptr;
  DType result = DType::f64;
  friend bool operator==(const Purpose& a, const Purpose& b) {
    return a.ops == b.ops && a.dtype == b.dtype && a.nan == b.nan && a.decimals == b.decimals;
  }
  // Whether running sums hold the elements.
  bool sums() const { return !decimals && running.sums(); }
};

// The most elements that wait to be gathered: 8 elements take as long to gather as 100.
inline constexpr std::size_t most_waiting = 1024;
// So many neighbouring elements are added to a run one by one; more are gathered instead.
inline constexpr std::size_t most_one_by_one = 32;

//   terms  decimal digits that their nearest f64 do not represent
inline State gather_of(const Purpose& purpose, const void* x, const void* y, std::size_t n,
                       std::span<const DecimalTerm> terms = {}) {
  Options options;
  options.nan = purpose.nan;
  options.threads = 1;  // engines have threads of their own
  const ArrayRef first(x, purpose.dtype, {n});
  if (purpose.decimals) {
    Query query(purpose.ops, options);
    query.decimals = true;
    return gather(query, first, {}, terms);
  }
  return y == nullptr ? gather(purpose.ops, first, options)
                      : gather(purpose.ops, first, ArrayRef(y, purpose.dtype, {n}), options);
}

}  // namespace onefold::capi

using namespace onefold;  // the structure is part of the C API, so it is in no namespace
using namespace onefold::capi;

// If the purpose needs only sums, a run (onefold/running.hpp) follows it in memory.
struct alignas(8) onefold_state {
  onefold_state() = default;
  explicit onefold_state(State&& state) : exact(std::move(state)) {}
  static std::unique_ptr<onefold_state> make(std::shared_ptr<const Purpose> purpose, bool pairs) {
    const std::size_t run = purpose->sums() ? purpose->running.bytes() : 0;
    std::unique_ptr<onefold_state> s(new (run) onefold_state);
    s->purpose = std::move(purpose);
    s->pairs = pairs;
    s->clear_run();
    return s;
  }
  std::unique_ptr<onefold_state> copy() const {
    std::unique_ptr<onefold_state> s =
        purpose ? make(purpose, pairs) : std::make_unique<onefold_state>();
    s->exact = exact;
    if (sums()) purpose->running.merge(s->run(), run());
    if (waiting > 0) {
      s->reserve(waiting);
      s->append(first(), second(), waiting);
    }
    return s;
  }
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void* operator new(std::size_t bytes, std::size_t run) {
    return ::operator new(bytes + run);
  }
  static void operator delete(void* p) { ::operator delete(p); }
  static void operator delete(void* p, std::size_t) { ::operator delete(p); }
  onefold_state(const onefold_state&) = delete;
  onefold_state& operator=(const onefold_state&) = delete;

  State exact;
  std::shared_ptr<const Purpose> purpose;  // null: made by gather or load, so nothing can be added
  bool pairs = false;
  uint32_t waiting = 0, room = 0;         // numbers of elements
  std::unique_ptr<std::byte[]> elements;  // x's elements; from number `room` on, y's

  std::size_t bytes_each() const { return bytes_of(purpose->dtype); }
  const std::byte* first() const { return elements.get(); }
  const std::byte* second() const { return pairs ? elements.get() + room * bytes_each() : nullptr; }

  bool sums() const { return purpose && purpose->sums(); }
  void* run() { return this + 1; }
  const void* run() const { return this + 1; }
  void clear_run() {
    if (sums()) purpose->running.clear(run());
  }
  Size count() const {
    return exact.count() + waiting + (sums() ? purpose->running.count(run()) : 0);
  }

  State whole() const {
    State state = exact;
    if (waiting > 0) state.merge(gather_of(*purpose, first(), second(), waiting));
    if (sums()) {
      state.merge(purpose->running.state(run()));
    } else if (purpose) {
      state.merge(purpose->empty);
    }
    return state;
  }

  void gather_waiting() {
    if (waiting == 0) return;
    exact.merge(gather_of(*purpose, first(), second(), waiting));
    waiting = 0;
  }

  // Makes room for n more waiting elements, of at most `most_waiting`; then `append` cannot fail.
  void reserve(std::size_t n) {
    if (waiting + n > most_waiting) gather_waiting();
    if (waiting + n <= room) return;
    const std::size_t more = std::min(most_waiting, std::max(waiting + n, std::size_t{2} * room));
    std::unique_ptr<std::byte[]> larger(new std::byte[more * bytes_each() * (pairs ? 2 : 1)]);
    const std::size_t held = waiting * bytes_each();
    if (held > 0) std::memcpy(larger.get(), first(), held);
    if (held > 0 && pairs) std::memcpy(larger.get() + more * bytes_each(), second(), held);
    elements = std::move(larger);
    room = static_cast<uint32_t>(more);
  }
  void append(const void* x, const void* y, std::size_t n) {
    const std::size_t each = bytes_each();
    std::memcpy(elements.get() + waiting * each, x, n * each);
    if (y != nullptr) std::memcpy(elements.get() + (room + waiting) * each, y, n * each);
    waiting += static_cast<uint32_t>(n);
  }

  void add(const void* x, const void* y, std::size_t n) {
    if (n < most_one_by_one && sums()) {
      void* blocks[most_one_by_one];
      std::fill_n(blocks, n, this);
      return add_each(*purpose, blocks, x, n);
    }
    wait(x, y, n);
  }

  // Adds element i to the state at blocks[i]; all states have one purpose, which needs only sums.
  static void add_each(const Purpose& purpose, void* const* blocks, const void* x, std::size_t n) {
    constexpr std::size_t most = 256;
    uint32_t left[most];
    const std::size_t each = bytes_of(purpose.dtype);
    for (std::size_t i = 0; i < n; i += most) {
      const std::size_t some = std::min(most, n - i);
      const auto* const from = static_cast<const std::byte*>(x) + i * each;
      const std::size_t out =
          purpose.running.add(blocks + i, sizeof(onefold_state), from, some, left);
      for (std::size_t k = 0; k < out; ++k) {
        static_cast<onefold_state*>(blocks[i + left[k]])->wait(from + left[k] * each, nullptr, 1);
      }
    }
  }

  void wait(const void* x, const void* y, std::size_t n) {
    if (n >= most_waiting) return exact.merge(gather_of(*purpose, x, y, n));
    if (waiting + n > room) reserve(n);
    append(x, y, n);
  }

  void merge(const onefold_state& other) {
    if (purpose && other.purpose && (purpose == other.purpose || *purpose == *other.purpose)) {
      if (other.waiting > 0) reserve(other.waiting);
      exact.merge(other.exact);
      if (sums() && !purpose->running.merge(run(), other.run())) {
        exact.merge(purpose->running.state(other.run()));
      }
      if (other.waiting > 0) append(other.first(), other.second(), other.waiting);
    } else {
      const State theirs = other.whole();
      gather_waiting();
      if (purpose) exact.merge(purpose->empty);  // so that a state of another kind is refused
      exact.merge(theirs);
    }
  }

  // Folds a few elements directly, which is quicker than to make a state of them.
  bool answer_few(const char* op, const Options& o, Value* value) const {
    const bool plain = o.axes.all() && !o.keepdims && !o.where && !o.weights && !o.fweights &&
                       o.device == Device{} && o.stream == nullptr && o.threads == 0 &&
                       o.first == 0 && !o.initial && !o.wide && o.nan == NanPolicy::propagate;
    if (exact.count() > 0 || !plain || !purpose || purpose->op == nullptr) return false;
    if (purpose->ops != op) return false;
    if (waiting == 0) {
      return sums() &&
             purpose->running.answer(run(), o.result.value_or(purpose->result), o.ddof, value);
    }
    if (sums() && purpose->running.count(run()) > 0) return false;
    Options how = o;
    how.nan = purpose->nan;
    how.threads = 1;
    if (how.result == purpose->result) how.result.reset();  // a call with fewer options is quicker
    const ArrayRef x(first(), purpose->dtype, {waiting});
    const ArrayRef y(second(), purpose->dtype, {waiting});
    const detail::TypedOp request{purpose->op, o.result.value_or(purpose->result)};
    detail::fold_whole({&request, 1}, x, pairs ? &y : nullptr, how, value);
    return true;
  }
};
