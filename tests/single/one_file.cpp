#include "one_file.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#if defined(ONEFOLD_AS_MSVC)  // the branches that compilers without GNU's builtins take
#include <cstdint>
#include <cstdlib>
#include <exception>
#undef __GNUC__
#undef __clang__
#endif
#include "onefold_exact.hpp"

namespace one_file {
namespace {

using onefold::Size;

template <class S>
Bytes saved(const S& s) {
  Bytes bytes(S::saved_bytes());
  s.save(reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes;
}
template <class S>
bool load(S& s, const Bytes& bytes) {
  return s.load(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// Calls f with a state of that kind and type.
template <class F, class T>
auto with_kind(Kind kind, T, const F& f) {
  switch (kind) {
    case Kind::sum:
      return f(onefold::ExactSum<T>());
    case Kind::var:
      return f(onefold::ExactVar<T>());
    case Kind::moments:
      return f(onefold::ExactMoments<T>());
    default:
      return f(onefold::ExactDot<T>());
  }
}
template <class F>
auto with_state(Kind kind, std::string_view type, const F& f) {
  if (type == "bool") return with_kind(kind, onefold::Bool8(), f);
  if (type == "i8") return with_kind(kind, int8_t(), f);
  if (type == "i16") return with_kind(kind, int16_t(), f);
  if (type == "i32") return with_kind(kind, int32_t(), f);
  if (type == "i64") return with_kind(kind, int64_t(), f);
  if (type == "u8") return with_kind(kind, uint8_t(), f);
  if (type == "u16") return with_kind(kind, uint16_t(), f);
  if (type == "u32") return with_kind(kind, uint32_t(), f);
  if (type == "u64") return with_kind(kind, uint64_t(), f);
  if (type == "f16") return with_kind(kind, onefold::float16(), f);
  if (type == "bf16") return with_kind(kind, onefold::bfloat16(), f);
  if (type == "f32") return with_kind(kind, float(), f);
  return with_kind(kind, double(), f);
}

template <class S, class T = typename S::Element>
void add(S& s, const T* x, const T* y, std::size_t n, bool one_by_one) {
  if constexpr (std::is_same_v<S, onefold::ExactDot<T>>) {
    if (!one_by_one) return s.add(x, y, n);
    for (std::size_t i = 0; i < n; ++i) s.add(x[i], y[i]);
  } else {
    if (!one_by_one) return s.add(x, n);
    for (std::size_t i = 0; i < n; ++i) s.add(x[i]);
  }
}

// Adds parts of random lengths, and merges them two by two in random order.
template <class S, class T = typename S::Element>
S of_parts(const T* x, const T* y, std::size_t n, uint64_t seed) {
  std::mt19937_64 r(seed);
  std::vector<S> parts(1);
  for (std::size_t i = 0; i < n;) {
    const std::size_t some = std::min<std::size_t>(n - i, 1 + r() % (r() % 2 == 0 ? 5 : 700));
    parts.emplace_back();
    add(parts.back(), x + i, y + i, some, r() % 2 == 0);
    i += some;
  }
  while (parts.size() > 1) {
    std::swap(parts[r() % parts.size()], parts.back());
    parts[r() % (parts.size() - 1)].merge(parts.back());
    parts.pop_back();
  }
  return parts[0];
}

template <class U>
Answer as_bits(U v) {
  Answer a;
  std::memcpy(&a.bits, &v, sizeof v);
  return a;
}

template <class U, class S, class T = typename S::Element>
Answer answer_as(const S& s, std::string_view op, int64_t ddof) {
  constexpr bool is_float = onefold::Floating<U>;
  if constexpr (is_float || !onefold::Floating<T>) {
    if constexpr (std::is_same_v<S, onefold::ExactDot<T>>) {
      if (op == "dot") return as_bits(s.template value<U>());
    } else {
      if (op == "sum") return as_bits(s.template sum<U>());
    }
  }
  if constexpr (is_float && std::is_same_v<S, onefold::ExactDot<T>>) {
    if (op == "norm") return as_bits(s.template norm<U>());
  } else if constexpr (is_float) {
    if (op == "mean") return as_bits(s.template mean<U>());
    if constexpr (!std::is_same_v<S, onefold::ExactSum<T>>) {
      if (op == "var") return as_bits(s.template var<U>(ddof));
      if (op == "std") return as_bits(s.template std<U>(ddof));
    }
    if constexpr (std::is_same_v<S, onefold::ExactMoments<T>>) {
      if (op == "skewness") return as_bits(s.template skewness<U>());
      if (op == "kurtosis") return as_bits(s.template kurtosis<U>());
    }
  }
  throw std::invalid_argument("no such answer");
}

}  // namespace

Bytes gather(Kind kind, std::string_view type, const void* x, const void* y, std::size_t n, Way way,
             uint64_t seed) {
  return with_state(kind, type, [&](auto s) {
    using S = decltype(s);
    const auto* const a = static_cast<const typename S::Element*>(x);
    const auto* const b = static_cast<const typename S::Element*>(y);
    if (way == Way::parts) return saved(of_parts<S>(a, b == nullptr ? a : b, n, seed));
    add(s, a, b, n, way == Way::one_by_one);
    return saved(s);
  });
}

Answer answer(Kind kind, std::string_view type, const Bytes& state, std::string_view op,
              std::string_view result, int64_t ddof) {
  return with_state(kind, type, [&](auto s) {
    using T = typename decltype(s)::Element;
    if (!load(s, state)) throw std::invalid_argument("the state does not load");
    try {
      if (result == "f16") return answer_as<onefold::float16>(s, op, ddof);
      if (result == "bf16") return answer_as<onefold::bfloat16>(s, op, ddof);
      if (result == "f32") return answer_as<float>(s, op, ddof);
      if (result == "f64") return answer_as<double>(s, op, ddof);
      if (result == "i8") return answer_as<int8_t>(s, op, ddof);
      if (result == "u64") return answer_as<uint64_t>(s, op, ddof);
      if (op == "sum" || op == "dot") {
        return answer_as<onefold::detail::SumOf<T>>(s, op, ddof);
      }
      return answer_as<onefold::detail::FractionOf<T>>(s, op, ddof);
    } catch (const onefold::Overflow&) {
      return Answer{true, 0};
    }
  });
}

std::optional<Bytes> merged(Kind kind, std::string_view type, const Bytes& a, const Bytes& b) {
  return with_state(kind, type, [&](auto s) -> std::optional<Bytes> {
    auto other = s;
    if (!load(s, a) || !load(other, b)) return {};
    s.merge(other);
    return saved(s);
  });
}

std::optional<Bytes> removed(Kind kind, std::string_view type, const Bytes& a, const Bytes& b) {
  return with_state(kind, type, [&](auto s) -> std::optional<Bytes> {
    auto other = s;
    if (!load(s, a) || !load(other, b) || !s.remove(other)) return {};
    return saved(s);
  });
}

}  // namespace one_file
