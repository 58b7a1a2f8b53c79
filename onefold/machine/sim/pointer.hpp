// The simulated machine's pointers and elements. `s[t] += s[t + h]` is two loads and a store; each
// has the line and column of its own subscript.
#pragma once

#include <cstring>
#include <type_traits>

#include "onefold/machine/sim/index.hpp"

namespace onefold::sim {

// An index with its source location.
struct Subscript {
  std::ptrdiff_t value;
  Caller at;
  template <Plain I>
  Subscript(I i, Caller s = Caller::here()) : value(static_cast<std::ptrdiff_t>(i)), at(s) {}
  template <class T>
  Subscript(Index<T> i, Caller s = Caller::here())
      : value(static_cast<std::ptrdiff_t>(i.value)), at(s) {}
};

// Integers wrap around, as on a GPU.
template <class T>
constexpr T wrapping_sum(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return static_cast<T>(a + b);
  }
}

// An element. It converts to T, but only as a temporary: `int x = s[t]` compiles, and `auto x =
// s[t]; x + 1` does not, since it would load at the wrong place. It converts to no other type: for
// floats `c ? s[t] : 0` would be an int here, but a float on a GPU.
template <class T>
class Ref {
 public:
  using Value = std::remove_const_t<T>;

  Ref(Space* space, std::size_t offset, Caller at) : space_(space), offset_(offset), at_(at) {}
  Ref(const Ref&) = delete;

  template <std::same_as<Value> U>
  operator U() && {
    return get();
  }
  void operator=(Value v) && { set(v); }
  void operator=(Ref&& o) && { set(o.get()); }  // NOLINT: assigns the element, as T& does
  template <class U>
  void operator=(Ref<U>&& o) && {
    set(o.get());
  }
  void operator+=(Value v) && { set(wrapping_sum<Value>(get(), v)); }
  template <class U>
  void operator+=(Ref<U>&& o) && {
    const Value v = o.get();  // the right side is read first, as g++ and nvcc do
    set(wrapping_sum<Value>(get(), v));
  }

  friend Value operator+(Ref&& a, Value b) { return wrapping_sum<Value>(a.get(), b); }
  friend Value operator+(Value a, Ref&& b) { return wrapping_sum<Value>(a, b.get()); }
  friend Value operator+(Ref&& a, Ref&& b) {
    const Value x = a.get();
    return wrapping_sum<Value>(x, b.get());
  }

  friend Value& operator+=(Value& a, Ref&& b) { return a = wrapping_sum<Value>(a, b.get()); }

  Value get() const {
    Value v{};
    if (host->access(*space_, offset_, sizeof(T), Kind::load, at_)) {
      std::memcpy(&v, space_->base + offset_, sizeof v);
    } else {
      std::memset(static_cast<void*>(&v), 0x5a, sizeof v);  // memory outside has any value
    }
    return v;
  }
  void set(Value v) const {
    static_assert(!std::is_const_v<T>, "this memory is read only");
    if (host->access(*space_, offset_, sizeof(T), Kind::store, at_)) {
      std::memcpy(space_->base + offset_, &v, sizeof v);
    }
  }

 private:
  Space* space_;
  std::size_t offset_;
  Caller at_;
};

template <class T>
struct Pointer {
  Space* space = nullptr;
  std::size_t offset = 0;  // distance in bytes

  Ref<T> operator[](Subscript s) const {
    return {space, offset + static_cast<std::size_t>(s.value) * sizeof(T), s.at};
  }
  template <Plain I>
  Pointer operator+(I d) const {
    return {space, offset + static_cast<std::size_t>(d) * sizeof(T)};
  }
  template <class U>
  Pointer operator+(Index<U> d) const {
    return {space, offset + static_cast<std::size_t>(d.value) * sizeof(T)};
  }
  operator Pointer<const T>() const requires(!std::is_const_v<T>) { return {space, offset}; }
};

}  // namespace onefold::sim
