// An unsigned number that depends on the thread's index. Its comparisons count as branches: each
// reports its source location and its result to the machine.
#pragma once

#include <type_traits>

#include "onefold/machine/sim/host.hpp"

namespace onefold::sim {

template <class T>
struct Index;

template <class I>
concept Plain = std::is_integral_v<I> || std::is_enum_v<I>;

// The other operand of a comparison, with the comparison's source location.
struct Side {
  uint64_t value;
  Caller at;
  template <Plain I>
  Side(I i, Caller s = Caller::here()) : value(static_cast<uint64_t>(i)), at(s) {}
  template <class T>
  Side(Index<T> i, Caller s = Caller::here()) : value(i.value), at(s) {}
};

template <class T>
struct Index {
  T value;

  explicit operator T() const { return value; }
  template <Plain I>
  requires(!std::is_same_v<I, T> && !std::is_same_v<I, bool>) explicit operator I() const {
    return static_cast<I>(value);
  }
  Index& operator+=(T d) {
    value += d;
    return *this;
  }

  friend bool operator<(Index a, Side b) { return host->branch(a.value < b.value, b.at); }
  friend bool operator>(Index a, Side b) { return host->branch(a.value > b.value, b.at); }
  friend bool operator<=(Index a, Side b) { return host->branch(a.value <= b.value, b.at); }
  friend bool operator>=(Index a, Side b) { return host->branch(a.value >= b.value, b.at); }
  friend bool operator==(Index a, Side b) { return host->branch(a.value == b.value, b.at); }
  friend bool operator!=(Index a, Side b) { return host->branch(a.value != b.value, b.at); }
};

// The type of `a op b` for an Index<T> and a plain I: the one that C++ gives for T and I.
template <class T, class I>
using Wider = decltype(T{} + std::conditional_t<std::is_enum_v<I>, int, I>{});

#define ONEFOLD_INDEX_OPERATOR(op)                                                       \
  template <class T, Plain I>                                                            \
  auto operator op(Index<T> a, I b) {                                                    \
    using W = Wider<T, I>;                                                               \
    return Index<W>{static_cast<W>(static_cast<W>(a.value) op static_cast<W>(b))};       \
  }                                                                                      \
  template <class T, Plain I>                                                            \
  auto operator op(I a, Index<T> b) {                                                    \
    using W = Wider<T, I>;                                                               \
    return Index<W>{static_cast<W>(static_cast<W>(a) op static_cast<W>(b.value))};       \
  }                                                                                      \
  template <class T, class I>                                                            \
  auto operator op(Index<T> a, Index<I> b) {                                             \
    using W = Wider<T, I>;                                                               \
    return Index<W>{static_cast<W>(static_cast<W>(a.value) op static_cast<W>(b.value))}; \
  }
ONEFOLD_INDEX_OPERATOR(+)
ONEFOLD_INDEX_OPERATOR(-)
ONEFOLD_INDEX_OPERATOR(*)
ONEFOLD_INDEX_OPERATOR(/)
ONEFOLD_INDEX_OPERATOR(%)
ONEFOLD_INDEX_OPERATOR(&)
ONEFOLD_INDEX_OPERATOR(^)
ONEFOLD_INDEX_OPERATOR(>>)
#undef ONEFOLD_INDEX_OPERATOR

}  // namespace onefold::sim
