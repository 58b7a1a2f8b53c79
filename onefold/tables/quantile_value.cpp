#include "onefold/tables/quantile_value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "onefold/core/exact/real.hpp"

namespace onefold::io {

QuantileMethod quantile_method(const std::string& name) {
  using enum QuantileMethod;
  constexpr std::pair<std::string_view, QuantileMethod> names[] = {
      {"linear", linear},
      {"lower", lower},
      {"higher", higher},
      {"nearest", nearest},
      {"midpoint", midpoint},
      {"inverted_cdf", inverted_cdf},
      {"averaged_inverted_cdf", averaged_inverted_cdf},
      {"closest_observation", closest_observation},
      {"interpolated_inverted_cdf", interpolated_inverted_cdf},
      {"hazen", hazen},
      {"weibull", weibull},
      {"median_unbiased", median_unbiased},
      {"normal_unbiased", normal_unbiased}};
  std::string all;
  for (const auto& [word, method] : names) {
    if (name == word) return method;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw Error(ErrorCode::bad_option,
              "--method \"" + name + "\" has no meaning; choose one of " + all);
}

Quantile read_quantile(const std::string& word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  Quantile quantile{.name = "q" + word, .part = 0, .of = 1};
  bool good =
      word.size() > (point < word.size() ? 1 : 0) && word.size() - point <= 38 && point <= 2;
  for (std::size_t k = 0; k < word.size() && good; ++k) {
    if (k == point) continue;
    good = word[k] >= '0' && word[k] <= '9' && (k > point || quantile.part == 0) &&
           quantile.part <= quantile.of;
    quantile.part = 10 * quantile.part + static_cast<unsigned>(word[k] - '0');
    if (k > point) quantile.of *= 10;
  }
  if (good && quantile.part <= quantile.of) return quantile;
  throw Error(ErrorCode::bad_option, "--q \"" + word +
                                         "\" has no meaning; write decimals from 0 to 1 of at most "
                                         "37 digits, such as 0.25,0.5");
}

namespace {

// Computes n * part / of: the quotient and the remainder.
struct PartOfRank {
  uint64_t whole;
  Uint128 rest;
};
PartOfRank part_of_rank(uint64_t n, Uint128 part, Uint128 of) {
  if (part >> 64 == 0) {
    const Uint128 product = part * n;
    return {static_cast<uint64_t>(product / of), product % of};
  }
  PartOfRank share{0, 0};  // so far, for the leading bits of n; 3 * of < 2^128
  for (int bit = 63 - std::countl_zero(n | 1); bit >= 0; --bit) {
    share = {2 * share.whole, 2 * share.rest + ((n >> bit & 1) != 0 ? part : 0)};
    for (; share.rest >= of; share.rest -= of) ++share.whole;
  }
  return share;
}

// The place h = (m q - c) / d, from 0 to n - 1.
QuantilePlace place_between(const Quantile& q, Size n, uint64_t m, unsigned c, unsigned d) {
  const PartOfRank h = part_of_rank(m, q.part, q.of);
  if (h.whole < c) return {};
  const uint64_t above = h.whole - c;
  if (above / d >= n - 1) return {n - 1, 0, 1};
  if (h.rest == 0) return {above / d, above % d, d};
  return {above / d, above % d * q.of + h.rest, d * q.of};
}

// The place of a type of Hyndman and Fan.
QuantilePlace place_by_type(const Quantile& q, Size n) {
  const PartOfRank h = part_of_rank(n, q.part, q.of);  // q n
  switch (q.method) {
    case QuantileMethod::inverted_cdf:
      return {h.rest > 0 || h.whole == 0 ? h.whole : h.whole - 1, 0, 1};
    case QuantileMethod::averaged_inverted_cdf:
      if (h.rest > 0 || h.whole == 0) return {h.whole, 0, 1};
      return h.whole == n ? QuantilePlace{n - 1, 0, 1} : QuantilePlace{h.whole - 1, 1, 2};
    case QuantileMethod::closest_observation: {
      // The rank nearest to q n - 1, from 0; of two equally near ones the odd one.
      const PartOfRank twice = part_of_rank(2 * n, q.part, q.of);
      if (twice.whole < 3) return {};
      const uint64_t down = (twice.whole - 3) / 2;
      const bool tie = twice.rest == 0 && twice.whole % 2 == 1;
      return {std::min<Size>(tie && down % 2 == 1 ? down : down + 1, n - 1), 0, 1};
    }
    case QuantileMethod::interpolated_inverted_cdf:
      return place_between(q, n, n, 1, 1);
    case QuantileMethod::hazen:
      return place_between(q, n, 2 * n, 1, 2);
    case QuantileMethod::weibull:
      return place_between(q, n, n + 1, 1, 1);
    case QuantileMethod::median_unbiased:
      return place_between(q, n, 3 * n + 1, 2, 3);
    default:
      return place_between(q, n, 8 * n + 2, 5, 8);
  }
}

}  // namespace

QuantilePlace place_of(const Quantile& q, Size n) {
  if (q.method > QuantileMethod::midpoint) return place_by_type(q, n);
  const PartOfRank h = part_of_rank(n - 1, q.part, q.of);
  QuantilePlace place{h.whole, h.rest, q.of};
  if (place.rest == 0 || q.method == QuantileMethod::linear) return place;
  if (q.method == QuantileMethod::midpoint) return {place.rank, 1, 2};
  const Uint128 other = place.of - place.rest;
  const bool up = q.method == QuantileMethod::nearest
                      ? place.rest > other || (place.rest == other && place.rank % 2 == 1)
                      : q.method == QuantileMethod::higher;
  return {place.rank + (up ? 1 : 0), 0, 1};
}

namespace {

// Numbers and weights of f64 whose weighted mean is asked for.
struct WeightedNumbers {
  std::vector<double> x, weights;

  // Adds the weight in parts of 32 bits, since an f64 holds only 53.
  void add(double value, Uint128 weight) {
    for (double unit = 1; weight != 0; weight >>= 32, unit *= 0x1p32) {
      x.push_back(value);
      weights.push_back(unit * static_cast<uint32_t>(weight));
    }
  }
};

template <class T>
void add_number(T x, Uint128 weight, WeightedNumbers& parts) {
  if constexpr (Floating<T>) {
    parts.add(fold("sum", ArrayRef(&x, dtype_of<T>, Dims(1)), {.result = DType::f64})
                  .list[0]
                  .only()
                  .template as<double>(),
              weight);
  } else if constexpr (dtype_of<T> == DType::boolean) {
    parts.add(x.byte, weight);
  } else {
    parts.add(static_cast<double>(x), weight);
  }
}

// sum w x / sum w, rounded once: exact weights make exact quantiles.
uint64_t mean_of(const WeightedNumbers& parts, DType type) {
  return fold("average", ArrayRef(parts.x), ArrayRef(parts.weights), {.result = type})
      .list[0]
      .only()
      .bits;
}

// The mean of two floats by one addition, if the addition and the halving round at most once
// together.
template <class T>
std::optional<uint64_t> quick_middle(T low, T high, const QuantilePlace& place) {
  if constexpr (std::is_floating_point_v<T>) {
    if (place.rest != place.of - place.rest) return {};
    const T sum = low + high;
    const bool normal = std::isfinite(sum) && std::fabs(sum) > 4 * std::numeric_limits<T>::min();
    if (normal) return bit_cast<bits_of<T>>(sum / 2);
  }
  return {};
}

// A number as (-1)^negative * mantissa * 2^exponent, times a weight.
struct Weighted {
  Uint128 mantissa;
  int exponent;
  bool negative;
};
template <class T>
std::optional<Weighted> weighted(T x, Uint128 weight) {
  Weighted w{0, 0, false};
  if constexpr (Floating<T>) {
    const Decoded d = decode(x);
    if (!d.finite()) return {};
    w = {d.mantissa, float_format(dtype_of<T>).unit + d.shift, d.negative};
  } else if constexpr (dtype_of<T> == DType::boolean) {
    w.mantissa = x.byte;
  } else {
    const auto bits = static_cast<uint64_t>(x);
    if constexpr (std::is_signed_v<T>) w.negative = x < 0;
    w.mantissa = w.negative ? 0 - bits : bits;
  }
  if (bit_length(w.mantissa) + bit_length(weight) > 126) return {};
  w.mantissa *= weight;
  return w;
}

// The value between two numbers, if their weighted sum fits 128 bits.
template <class T>
std::optional<uint64_t> short_mean(T low, T high, const QuantilePlace& place, DType type) {
  if (place.of >> 96 != 0) return {};
  const auto a = weighted(low, place.of - place.rest), b = weighted(high, place.rest);
  if (!a || !b) return {};
  const int exponent = std::min(a->exponent, b->exponent);
  const auto aligned = [&](const Weighted& w) -> std::optional<Uint128> {
    const int shift = w.exponent - exponent;
    if (w.mantissa != 0 && bit_length(w.mantissa) + shift > 126) return {};
    const Uint128 m = w.mantissa == 0 ? 0 : w.mantissa << shift;
    return w.negative ? 0 - m : m;
  };
  const auto x = aligned(*a), y = aligned(*b);
  if (!x || !y) return {};
  const Uint128 sum = *x + *y;  // two's complement
  const bool negative = sum >> 127 != 0;
  Real mean = Real::integer(negative ? 0 - sum : sum, negative);
  mean.numerator.exponent += exponent;
  mean.n = place.of;
  return round_float(mean, float_format(type));
}

// Rounds to the nearest integer, ties to the even one.
uint64_t between_integers(auto low, auto high, const QuantilePlace& place) {
  const auto from = static_cast<uint64_t>(low);
  const PartOfRank way = part_of_rank(static_cast<uint64_t>(high) - from, place.rest, place.of);
  const Uint128 other = place.of - way.rest;
  const uint64_t whole = from + way.whole;
  return whole + (way.rest > other || (way.rest == other && whole % 2 == 1) ? 1 : 0);
}

}  // namespace

uint64_t quantile_bits(DType dtype, uint64_t low_key, uint64_t high_key, const QuantilePlace& place,
                       DType type) {
  return visit(dtype, [&]<class T>() -> uint64_t {
    const T low = element_of<T>(low_key);
    const bool between = place.rest > 0 && low_key != high_key;
    if constexpr (Floating<T>) {
      if (!between) return bit_cast<bits_of<T>>(low);
    }
    const T high = between ? element_of<T>(high_key) : low;
    if constexpr (std::is_integral_v<T>) {
      if (type == dtype) return between_integers(low, high, place);
    }
    if (const auto bits = quick_middle(low, high, place)) return *bits;
    const QuantilePlace from_low = between ? place : QuantilePlace{};
    if (const auto bits = short_mean(low, high, from_low, type)) return *bits;
    WeightedNumbers parts;
    const auto add = [&](T x, Uint128 weight) {
      if constexpr (sizeof(T) == 8 && !Floating<T>) {
        // Each half of a number has the same weight, so the mean of both is half the number.
        const T bits = x & T{0xffffffff};
        parts.add(2 * static_cast<double>(x - bits), weight);
        parts.add(2 * static_cast<double>(bits), weight);
      } else {
        add_number(x, weight, parts);
      }
    };
    add(low, between ? place.of - place.rest : 1);
    if (between) add(high, place.rest);
    return mean_of(parts, type);
  });
}

uint64_t quantile_of_nothing(DType type) {
  return is_floating(type) ? mean_of({}, type) : uint64_t{1} << (8 * bytes_of(type) - 1);
}

void select_quantiles(const std::vector<Quantile>& quantiles, std::vector<uint64_t>& keys,
                      DType dtype, DType type,
                      const std::function<void(std::size_t k, uint64_t bits)>& put) {
  // The ranks ascend, so each search needs only the keys after the previous one.
  std::vector<std::pair<QuantilePlace, std::size_t>> places;
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    if (!keys.empty()) places.emplace_back(place_of(quantiles[k], keys.size()), k);
  }
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.first.rank < b.first.rank; });
  auto from = keys.begin();
  for (const auto& [place, k] : places) {
    const auto at = keys.begin() + static_cast<std::ptrdiff_t>(place.rank);
    if (at >= from) std::nth_element(from, at, keys.end());
    from = at + 1;
    const uint64_t high = place.rest > 0 ? *std::min_element(from, keys.end()) : *at;
    put(k, quantile_bits(dtype, *at, high, place, type));
  }
  for (std::size_t k = 0; k < quantiles.size() && keys.empty(); ++k) {
    put(k, quantile_of_nothing(type));
  }
}

void put_quantile(Answer& answer, Size place, uint64_t bits, Size nans, NanPolicy policy) {
  if (nans > 0 && policy != NanPolicy::omit) bits = quantile_of_nothing(answer.dtype);
  const unsigned bytes = bytes_of(answer.dtype);
  std::memcpy(answer.data.data() + place * bytes, &bits, bytes);
  const bool raises = nans > 0 && policy == NanPolicy::raise;
  answer.status[place] = raises ? Status::nan_found : Status::ok;
}

}  // namespace onefold::io
