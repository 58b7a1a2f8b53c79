// Bins of elements: each edge becomes the least key of an element that is not below it.
#include "onefold/histogram.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "onefold/core/exact/long_integer.hpp"
#include "onefold/cuda/bins.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/engine/quantile/select.hpp"
#include "onefold/error.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

constexpr Size most_bins = Size{1} << 31;

[[noreturn]] void refuse(const std::string& why, ErrorCode code = ErrorCode::bad_option) {
  throw Error(code, "histogram: " + why);
}

// An element as one or two f64, whose sum it is.
template <class T>
Bins::Edge parts_of(T x) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    const T rest = x % (T{1} << 32);
    return {static_cast<double>(x - rest), static_cast<double>(rest)};
  } else {
    return {as_double(x)};
  }
}

// The sign of sum_i a[i] b[i].
//   b  integers below 2^31 in magnitude
template <std::size_t n>
int sign_of(const double (&a)[n], const double (&b)[n]) {
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += a[i] * b[i];
    most += std::abs(a[i] * b[i]);
  }
  if (std::abs(sum) > most * 0x1p-48 + 0x1p-1000) return sum > 0 ? 1 : -1;
  // Rounding may have turned the sign: adds multiples of 2^-1074 as integers.
  LongInteger<72> exact;
  for (std::size_t i = 0; i < n; ++i) {
    const Decoded x = decode(a[i]);
    const auto factor = static_cast<uint64_t>(std::abs(b[i]));
    const LongInteger<72> part =
        LongInteger<72>(Uint128{x.mantissa} * factor << (x.shift % 32)).shifted(x.shift / 32);
    exact = exact + (x.negative != (b[i] < 0) ? -part : part);
  }
  return exact.zero() ? 0 : exact.negative ? -1 : 1;
}

// The sign of a - b.
int order_of(Bins::Edge a, Bins::Edge b) {
  if (std::isinf(a.value) || std::isinf(b.value)) return (a.value > b.value) - (a.value < b.value);
  return sign_of({a.value, a.rest, b.value, b.rest}, {1, 1, -1, -1});
}

// An edge: (low (n - k) + high k) / n.
struct Place {
  Bins::Edge low, high;
  Size k = 0, n = 1;

  double guess() const {
    const double part = static_cast<double>(k) / static_cast<double>(n);
    return low.value * (1 - part) + high.value * part;
  }
  // The sign of x - the edge.
  template <class T>
  int beside(T element) const {
    const Bins::Edge x = parts_of(element);
    if (std::isinf(x.value) || std::isinf(low.value) || (x.rest == 0 && k == 0 && low.rest == 0)) {
      return (x.value > low.value) - (x.value < low.value);
    }
    const auto parts = static_cast<double>(n), up = static_cast<double>(k), down = parts - up;
    return sign_of({x.value, x.rest, -low.value, -low.rest, -high.value, -high.rest},
                   {parts, parts, down, down, up, up});
  }
};

template <class T>
constexpr uint64_t number_key(T x) {
  return OrderedBits<T>::of(x);
}
template <class T>
T number_of(uint64_t key) {
  return element_of<T>(key << spare_bits<T>);
}

// Keys of the least and of the greatest number of a type; infinities are numbers.
template <class T>
std::pair<uint64_t, uint64_t> ends_of() {
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    const auto at = [](uint64_t bits) {
      return number_key(bit_cast<T>(static_cast<bits_of<T>>(bits)));
    };
    return {at(f.infinity() | f.sign()), at(f.infinity())};
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return {0, 1};
  } else {
    return {0, OrderedBits<T>::nan};
  }
}

// The least key of a number that is not below an edge, or, if `above`, above it: there may be none.
// Searches away from a guess, by steps that double.
template <class T>
std::optional<uint64_t> least_key(const Place& edge, bool above) {
  const auto [first, last] = ends_of<T>();
  const auto reached = [&, past = above ? 1 : 0](uint64_t key) {
    return edge.beside(number_of<T>(key)) >= past;
  };
  // The last number that is not above the guess: a search of f64 alone.
  const double guess = edge.guess();
  uint64_t to = first;
  for (uint64_t bit = std::bit_floor(last - first); bit > 0; bit /= 2) {
    if (bit <= last - to && as_double(number_of<T>(to + bit)) <= guess) to += bit;
  }
  uint64_t from = to;
  if (reached(to)) {
    for (uint64_t step = 1; from > first && reached(from); step *= 2) {
      to = from;
      from -= std::min(step, from - first);
    }
    if (reached(from)) return from;
  } else {
    for (uint64_t step = 1; !reached(to); step *= 2) {
      if (to == last) return {};
      from = to;
      to += std::min(step, last - to);
    }
  }
  while (to - from > 1) {
    const uint64_t middle = from + (to - from) / 2;
    (reached(middle) ? to : from) = middle;
  }
  return to;
}

//   edge  returns the Place of edge k of count + 1
template <class T>
KeyBins bins_of(Size count, const auto& edge) {
  KeyBins bins;
  for (Size k = 0; k < count; ++k) {
    const std::optional<uint64_t> key = least_key<T>(edge(k), false);
    if (!key) break;  // no element reaches this bin
    bins.begin.push_back(*key);
  }
  const std::optional<uint64_t> beyond = least_key<T>(edge(count), true);
  if (beyond && *beyond == ends_of<T>().first) bins.begin.clear();
  bins.last = beyond ? *beyond - 1 : ends_of<T>().second;
  return bins;
}

template <class T>
int64_t bin_of(const KeyBins& bins, T x) {
  const auto& begin = bins.begin;
  const uint64_t key = number_key(x);
  if (begin.empty() || key < begin[0] || key > bins.last) return -1;
  if (bins.per_unit == 0) {
    return std::upper_bound(begin.begin(), begin.end(), key) - begin.begin() - 1;
  }
  const Size n = begin.size();
  const double guess = (as_double(x) - bins.low) * bins.per_unit;
  Size k = guess > 0 ? std::min(n - 1, static_cast<Size>(std::min(guess, 4e9))) : 0;
  while (key < begin[k]) --k;
  while (k + 1 < n && key >= begin[k + 1]) ++k;
  return static_cast<int64_t>(k);
}

constexpr Size piece = Size{1} << 16;

void check_dense(const ArrayRef& x) {
  check_array(x, "histogram");
  const ArrayRef dense(x.data, x.dtype, x.shape);
  for (int d = 0; d < x.shape.rank(); ++d) {
    if (x.shape[d] > 1 && x.strides[d] != dense.strides[d]) {
      refuse("the elements are not contiguous; copy the array", ErrorCode::unsupported);
    }
  }
}

// Calls f(first, last, bin_of) for pieces of the array, in parallel.
void each_piece(const ArrayRef& x, int threads, const KeyBins& bins, const auto& f) {
  const Size n = elements_of(x.shape);
  const FloatingPointMode mode;
  visit(x.dtype, [&]<class T>() {
    const auto* const data = static_cast<const std::byte*>(x.data);
    parallel((n + piece - 1) / piece, threads, [&](std::size_t p) {
      f(p * piece, std::min(n, (p + 1) * piece), [&](Size i) {
        T e;
        std::memcpy(static_cast<void*>(&e), data + i * sizeof e, sizeof e);
        return bin_of(bins, e);
      });
    });
  });
}

Plan plan_there(const ArrayRef& x, void* stream) {
  Plan plan = make_plan("max", x, nullptr, {.device = x.device, .stream = stream});
  plan.ops = {&row_of("histogram")};
  return backend::checked(plan);
}

}  // namespace

KeyBins Bins::for_type(DType t) const {
  const FloatingPointMode mode;
  KeyBins bins = visit(t, [&]<class T>() {
    return bins_of<T>(count_, [&](Size k) {
      return edges_.empty() ? Place{low_, high_, k, count_} : Place{edges_[k], edges_[k]};
    });
  });
  if (!edges_.empty()) return bins;
  bins.low = low_.value;
  bins.per_unit = static_cast<double>(count_) / (high_.value - low_.value);
  if (!std::isfinite(bins.per_unit) || high_.rest != 0 || low_.rest != 0) bins.per_unit = 0;
  return bins;
}

Bins Bins::between(std::span<const Edge> edges) {
  const FloatingPointMode mode;
  if (edges.size() < 2) {
    refuse(std::to_string(edges.size()) + " edges make no bin; pass two or more");
  }
  if (edges.size() > most_bins)
    refuse(std::to_string(edges.size()) + " edges were given; at most 2^31 are possible");
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (std::isnan(edges[k].value) || !std::isfinite(edges[k].rest)) {
      refuse("edge " + std::to_string(k) + " is not a number");
    }
    if (k > 0 && order_of(edges[k], edges[k - 1]) < 0) {
      refuse("edge " + std::to_string(k) + " is below the one before it; edges must not decrease");
    }
  }
  Bins bins;
  bins.edges_.assign(edges.begin(), edges.end());
  bins.count_ = edges.size() - 1;
  return bins;
}

Bins Bins::equal(Edge low, Edge high, Size count) {
  const FloatingPointMode mode;
  if (count == 0 || count >= most_bins) {
    refuse(std::to_string(count) + " bins were requested; the number must be 1 to 2^31 - 1");
  }
  if (!std::isfinite(low.value) || !std::isfinite(high.value)) {
    refuse("one end of the range is infinite or NaN; pass two finite numbers");
  }
  if (order_of(high, low) <= 0) {
    refuse("the range is empty; its end must be greater than its start");
  }
  Bins bins;
  bins.low_ = low;
  bins.high_ = high;
  bins.count_ = count;
  return bins;
}

std::vector<int64_t> Bins::count_of(const ArrayRef& x, int threads, void* stream) const {
  check_dense(x);
  const KeyBins bins = for_type(x.dtype);
  std::vector<int64_t> all(count_);
  if (is_on_device(x, {})) {
    if (elements_of(x.shape) != 0 && !bins.begin.empty()) {
      cuda_backend::count_bins(plan_there(x, stream), x, bins, all.data());
    }
    return all;
  }
  each_piece(x, threads, bins, [&](Size first, Size last, const auto& bin_of) {
    if (count_ > piece) {  // more bins than elements
      for (Size i = first; i < last; ++i) {
        const int64_t k = bin_of(i);
        if (k >= 0) std::atomic_ref(all[static_cast<Size>(k)]).fetch_add(1);
      }
      return;
    }
    std::vector<int64_t> own(count_ + 1);
    for (Size i = first; i < last; ++i) ++own[static_cast<Size>(bin_of(i) + 1)];
    for (Size k = 0; k < count_; ++k) {
      if (own[k + 1] != 0) std::atomic_ref(all[k]).fetch_add(own[k + 1]);
    }
  });
  return all;
}

void Bins::bins_into(int64_t* places, const ArrayRef& x, int threads, void* stream) const {
  check_dense(x);
  KeyBins bins = for_type(x.dtype);
  if (is_on_device(x, {})) {
    if (bins.begin.empty()) bins = {.begin = {~uint64_t{0}}};  // no key is between these
    if (elements_of(x.shape) != 0) {
      cuda_backend::write_bins(plan_there(x, stream), x, bins, places);
    }
    return;
  }
  each_piece(x, threads, bins, [&](Size first, Size last, const auto& bin_of) {
    for (Size i = first; i < last; ++i) places[i] = bin_of(i);
  });
}

}  // namespace onefold
