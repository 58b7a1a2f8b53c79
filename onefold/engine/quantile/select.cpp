#include "onefold/engine/quantile/select.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/quantile/bracket.hpp"
#include "onefold/system/floating_point.hpp"

namespace onefold {

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
              "--method \"" + name + "\" is not valid; choose one of " + all);
}

Quantile read_quantile(const std::string& word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  Quantile quantile{{0, 1}, "q" + word};
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
                                         "\" is not valid; write decimals from 0 to 1 of at most "
                                         "37 digits, such as 0.25,0.5");
}

namespace {

// Rounds to the nearest integer, ties to the even one.
uint64_t between_integers(auto low, auto high, const QuantilePlace& place) {
  const auto from = static_cast<uint64_t>(low);
  const detail::PartOfRank way =
      detail::part_of_rank(static_cast<uint64_t>(high) - from, place.rest, place.of);
  const Uint128 other = place.of - way.rest;
  const uint64_t whole = from + way.whole;
  return whole + (way.rest > other || (way.rest == other && whole % 2 == 1) ? 1 : 0);
}

}  // namespace

uint64_t quantile_bits(DType dtype, uint64_t low, uint64_t high, const QuantilePlace& place,
                       DType type) {
  const FloatingPointMode mode;
  return visit(dtype, [&]<class T>() -> uint64_t {
    if constexpr (std::is_integral_v<T>) {
      if (type == dtype) {
        const bool between = place.rest > 0 && low != high;
        const T x = element_of<T>(low);
        return between ? between_integers(x, element_of<T>(high), place) : static_cast<uint64_t>(x);
      }
    }
    return quantile_between<T>(low, high, place, type);
  });
}

uint64_t quantile_of_nothing(DType type) {
  return is_floating(type) ? float_format(type).nan() : uint64_t{1} << (8 * bytes_of(type) - 1);
}

void select_quantiles(const std::vector<Quantile>& quantiles, std::vector<uint64_t>& keys,
                      DType dtype, DType type,
                      const std::function<void(std::size_t k, uint64_t bits)>& put) {
  // The ranks ascend, so each search needs only the keys after the previous one.
  std::vector<std::pair<QuantilePlace, std::size_t>> places;
  const bool brackets = keys.size() >= least_bracketed && quantiles.size() <= most_bracketed;
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    if (brackets) {
      const auto found = find_by_bracket<false>(
          keys.size(), [&](Size i) { return keys[i]; }, ~uint64_t{0}, quantiles[k], 1);
      if (found.found) {
        put(k, quantile_bits(dtype, found.low, found.high, found.place, type));
        continue;
      }
    }
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

}  // namespace onefold
