#include "onefold/engine/quantile/weighted_rank.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/engine/quantile/radix_sort.hpp"

namespace onefold {
namespace {

// An unsigned integer that holds a sum of 2^64 f64 in units of 2^-1074.
struct Wide {
  std::array<uint64_t, 36> word{};  // the lowest first

  Wide() = default;
  explicit Wide(uint64_t v) : word{v} {}
  Wide& operator+=(const Wide& other) {
    uint64_t carry = 0;
    for (std::size_t k = 0; k < word.size(); ++k) {
      const Uint128 sum = Uint128{word[k]} + other.word[k] + carry;
      word[k] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    return *this;
  }
  friend Wide operator<<(const Wide& v, unsigned bits) {
    Wide r;
    const unsigned words = bits / 64, rest = bits % 64;
    for (std::size_t k = words; k < r.word.size(); ++k) {
      r.word[k] = v.word[k - words] << rest;
      if (rest > 0 && k > words) r.word[k] |= v.word[k - words - 1] >> (64 - rest);
    }
    return r;
  }
  friend bool operator==(const Wide&, const Wide&) = default;
  friend bool operator<(const Wide& a, const Wide& b) {
    return std::lexicographical_compare(a.word.rbegin(), a.word.rend(), b.word.rbegin(),
                                        b.word.rend());
  }
};
using Put = std::function<void(std::size_t k, uint64_t bits)>;

// Weights as integers: times 2^-unit.
struct Units {
  int unit = 0;
  int bits = 0;  // that the sum of all weights has at most
};
Units units_of(const std::vector<WeightedKey<double>>& keys) {
  int low = 1 << 20, high = -low;
  for (const auto& one : keys) {
    const Decoded w = decode(one.weight);
    low = std::min(low, w.shift + std::countr_zero(w.mantissa));
    high = std::max(high, w.shift + bit_length(w.mantissa));
  }
  return {low, high - low + bit_length(uint64_t{keys.size()})};
}
template <class Sum>
Sum in_units(double weight, int unit) {
  const Decoded w = decode(weight);
  const int shift = w.shift - unit;
  if (shift < 0) return Sum(w.mantissa >> -shift);
  return Sum(w.mantissa) << static_cast<unsigned>(shift);
}

// The least sums of weights that the number at a quantile and the next one have, with all below.
template <class Sum>
struct Wanted {
  Sum low, high;
  QuantilePlace place;
  std::size_t quantile;
};

template <class Sum>
Sum one_more(Sum v) {
  v += Sum(uint64_t{1});
  return v;
}
bool has_bit(const Uint128& v, unsigned bit) { return (v >> bit & 1) != 0; }
bool has_bit(const Wide& v, unsigned bit) { return (v.word[bit / 64] >> bit % 64 & 1) != 0; }

// The least sum that is q of all, and whether it is exactly that.
template <class Sum>
std::pair<Sum, bool> share_of(const Sum& all, const QuantileLevel& q) {
  if constexpr (std::is_same_v<Sum, Uint128>) {
    if (all >> 64 == 0) {
      const auto share = detail::part_of_rank(static_cast<uint64_t>(all), q.part, q.of);
      return {share.whole + (share.rest > 0 ? 1u : 0u), share.rest == 0};
    }
  }
  Sum whole{};
  Uint128 rest = 0;  // of the leading bits so far; 3 * of < 2^128
  for (unsigned bit = 8 * sizeof(Sum); bit-- > 0;) {
    whole += Sum(whole);
    rest += rest;
    if (has_bit(all, bit)) rest += q.part;
    for (; rest >= q.of; rest -= q.of) whole = one_more(whole);
  }
  return {rest > 0 ? one_more(whole) : whole, rest == 0};
}

template <class Sum>
Wanted<Sum> wanted_of(const Quantile& q, std::size_t k, const Sum& all, bool repeats) {
  if constexpr (std::is_same_v<Sum, Uint128>) {
    if (repeats) {
      const QuantilePlace place = place_of(q, static_cast<Size>(all));
      const Sum low = Sum{place.rank} + 1u;
      return {low, place.rest > 0 ? Sum(low + 1u) : low, place, k};
    }
  }
  auto [low, whole] = share_of(all, q);
  if (low == Sum{}) return {one_more(low), one_more(low), {}, k};
  const bool next = whole && q.method == QuantileMethod::averaged_inverted_cdf && low < all;
  return {low, next ? one_more(low) : low, {0, next ? 1u : 0u, 2}, k};
}

// Keys in their order, and units(weight) as a Sum.
template <class Sum, class W>
void select(const std::vector<Quantile>& quantiles, const std::vector<WeightedKey<W>>& keys,
            const auto& units, const Sum& all, bool repeats, DType dtype, DType type,
            const Put& put) {
  std::vector<Wanted<Sum>> wanted;
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    wanted.push_back(wanted_of(quantiles[k], k, all, repeats));
  }
  std::ranges::sort(wanted, [](const auto& a, const auto& b) { return a.low < b.low; });
  auto one = keys.begin();
  Sum below = units(one->weight);
  for (const Wanted<Sum>& w : wanted) {
    while (below < w.low) below += units((++one)->weight);
    auto next = one;
    for (Sum s = below; s < w.high;) s += units((++next)->weight);
    put(w.quantile, quantile_bits(dtype, one->key, next->key, w.place, type));
  }
}

template <class W>
bool sorted(const std::vector<Quantile>& quantiles, std::vector<WeightedKey<W>>& keys, DType type,
            const Put& put) {
  for (std::size_t k = 0; k < quantiles.size() && keys.empty(); ++k) {
    put(k, quantile_of_nothing(type));
  }
  radix_sort(keys, [](const WeightedKey<W>& one) { return one.key; });
  return !keys.empty();
}

}  // namespace

void select_weighted(const std::vector<Quantile>& quantiles, std::vector<WeightedKey<double>>& keys,
                     DType dtype, DType type, const Put& put) {
  if (!sorted(quantiles, keys, type, put)) return;
  const Units u = units_of(keys);
  const auto run = [&]<class Sum>(Sum all) {
    const auto units = [&](double w) { return in_units<Sum>(w, u.unit); };
    for (const auto& one : keys) all += units(one.weight);
    select<Sum>(quantiles, keys, units, all, false, dtype, type, put);
  };
  u.bits <= 127 ? run(Uint128{}) : run(Wide());
}

void select_weighted(const std::vector<Quantile>& quantiles,
                     std::vector<WeightedKey<uint64_t>>& keys, bool repeats, DType dtype,
                     DType type, const Put& put) {
  if (!sorted(quantiles, keys, type, put)) return;
  Uint128 all = 0;
  for (const auto& one : keys) all += one.weight;
  if (repeats && all >> 59 != 0) {
    throw Error(ErrorCode::bad_option,
                "quantile: the sum of fweights is 2^59 or more; pass smaller ones");
  }
  const auto units = [](uint64_t w) { return Uint128{w}; };
  select<Uint128>(quantiles, keys, units, all, repeats, dtype, type, put);
}

void check_weighted(const std::string& name, const std::vector<Quantile>& quantiles) {
  for (const Quantile& q : quantiles) {
    if (q.method == QuantileMethod::inverted_cdf ||
        q.method == QuantileMethod::averaged_inverted_cdf) {
      continue;
    }
    throw Error(ErrorCode::bad_option,
                name +
                    ": weighted quantiles cannot interpolate between two numbers; use the method "
                    "\"inverted_cdf\" or \"averaged_inverted_cdf\", or fweights");
  }
}

}  // namespace onefold
