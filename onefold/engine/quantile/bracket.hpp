// The two keys between which a quantile of many keys lies, by about one pass over them.
//
//   sample   about n^(2/3) keys give a bracket: four standard deviations of ranks to both sides of
//            the level
//   pass     counts the keys below the bracket and at its borders, and copies those inside, without
//            a branch that the data decide, which std::nth_element has for each key
//   fails    in one of 16,000 calls, and where more than an eighth lies inside. Then the
//            caller selects otherwise; the answers are the same
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "onefold/core/quantile/margin.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {

// The keys at a quantile's place, among the keys that are numbers.
template <class K>
struct KeysAtPlace {
  QuantilePlace place = {};
  K low = 0, high = 0;
  Size nans = 0;
  bool found = false;  // if not, only `nans` is right, where `counted`
  bool counted = false;
};

// Keys of the shortest slice for which it is quicker, and the most levels: each takes a pass.
inline constexpr Size least_bracketed = 512, most_bracketed = 3;

//   nan   the greatest key; that of NaN if has_nan
//   n     least_bracketed or more
//   at    at(i) returns the key of element i
template <bool has_nan, class K, class At>
class Bracket {
 public:
  Bracket(Size n, const At& at, K nan) : n_(n), at_(at), nan_(nan) {}

  KeysAtPlace<K> find(const QuantileLevel& level, int threads) {
    KeysAtPlace<K> found;
    if (!take_sample(level)) return found;
    constexpr Size piece = Size{1} << 18;
    const Size pieces = (n_ + piece - 1) / piece;
    std::vector<Part> parts(pieces);
    const auto count = [&](std::size_t p) {
      parts[p] = count_keys(p * piece, std::min(n_, (p + 1) * piece));
    };
    if (pieces == 1) {
      count(0);
    } else {
      parallel(pieces, threads, count);
    }
    Part all;
    Size inside = 0;
    for (const Part& p : parts) {
      all.below += p.below;
      all.at_low += p.at_low;
      all.at_high += p.at_high;
      all.nans += p.nans;
      all.full = all.full || p.full;
      inside += p.inside.size();
    }
    found.nans = all.nans;
    found.counted = true;
    if (all.full || all.nans == n_) return found;
    found.place = place_of(level, n_ - all.nans);
    if (pieces == 1) {
      all.inside = std::move(parts[0].inside);
    } else {
      all.inside.reserve(inside);
      for (const Part& p : parts) {
        all.inside.insert(all.inside.end(), p.inside.begin(), p.inside.end());
      }
    }
    const Size rank = found.place.rank, next = rank + (found.place.rest > 0 ? 1 : 0);
    found.found = rank >= all.below && next < all.below + all.at_low + inside + all.at_high;
    if (!found.found) return found;
    const auto key = [&](Size k) -> K {
      const Size left = k - all.below;
      if (left < all.at_low) return low_;
      if (left - all.at_low >= inside) return high_;
      const auto it = all.inside.begin() + static_cast<std::ptrdiff_t>(left - all.at_low);
      std::nth_element(all.inside.begin() + from_, it, all.inside.end());
      from_ = static_cast<std::ptrdiff_t>(left - all.at_low) + 1;
      return *it;
    };
    found.low = key(rank);
    found.high = next == rank ? found.low : key(next);
    return found;
  }

 private:
  struct Part {
    Size below = 0, at_low = 0, at_high = 0, nans = 0;
    std::vector<K> inside = {};
    bool full = false;  // there was no room for keys inside
  };

  bool take_sample(const QuantileLevel& level) {
    const auto some = static_cast<Size>(std::cbrt(static_cast<double>(n_)));
    const Size s = std::min<Size>(some * some, Size{1} << 14), apart = n_ / s;
    std::vector<K> sample;
    sample.reserve(s);
    uint64_t random = 1;
    for (Size i = 0; i < s; ++i) {
      random = random * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
      const K k = at_(i * apart + i * (n_ % s) / s + (random >> 33) % apart);
      if (!has_nan || k != nan_) sample.push_back(k);
    }
    if (sample.empty()) return false;
    const Size d = bracket_margin(level, s);
    const Size middle = place_of(level, sample.size()).rank;
    const auto key = [&](Size rank) {
      const auto it = sample.begin() + static_cast<std::ptrdiff_t>(rank);
      std::nth_element(sample.begin(), it, sample.end());
      return *it;
    };
    low_ = middle > d ? key(middle - d) : K{0};
    high_ = middle + 1 + d < sample.size() ? key(middle + 1 + d) : nan_;
    return true;
  }

  // Counts keys at the borders instead of holding them. Returns how many others there are.
  Size leave_borders_out(Part& p, Size m) const {
    Size kept = 0;
    for (Size k = 0; k < m; ++k) {
      const K key = p.inside[k];
      p.at_low += key == low_ ? 1 : 0;
      p.at_high += key == high_ && key != low_ ? 1 : 0;
      p.inside[kept] = key;
      kept += key != low_ && key != high_ ? 1 : 0;
    }
    return kept;
  }

  Part count_keys(Size begin, Size end) {
    Part p;
    p.inside.resize((end - begin) / 4 + 1024);
    const K low = low_, width = static_cast<K>(high_ - low), nan = nan_;
    Size m = 0;
    constexpr Size step = 256;
    for (Size i = begin; i < end; i += step) {
      if (m + step > p.inside.size()) {
        m = leave_borders_out(p, m);
        if (m + step > p.inside.size() / 2) {
          if (kept_.fetch_add(m) + m > n_ / 8 + (Size{1} << 16)) {
            p.full = true;
            m = 0;
          } else {
            p.inside.resize(2 * p.inside.size());
          }
        }
      }
      const Size stop = std::min(end, i + step);
      uint32_t below = 0, nans = 0;
      K* to = p.inside.data() + m;
      for (Size k = i; k < stop; ++k) {
        const K key = at_(k);
        *to = key;
        const bool number = !has_nan || key != nan;
        to += static_cast<unsigned>(static_cast<K>(key - low) <= width) &
              static_cast<unsigned>(number);
        below += key < low ? 1 : 0;
        nans += number ? 0 : 1;
      }
      m = static_cast<Size>(to - p.inside.data());
      p.below += below;
      p.nans += nans;
    }
    p.inside.resize(leave_borders_out(p, m));
    return p;
  }

  Size n_;
  const At& at_;
  K nan_, low_ = 0, high_ = 0;
  std::ptrdiff_t from_ = 0;
  std::atomic<Size> kept_ = 0;  // keys inside for which more room was asked for
};

template <bool has_nan, class K, class At>
KeysAtPlace<K> find_by_bracket(Size n, const At& at, K nan, const QuantileLevel& level,
                               int threads) {
  return Bracket<has_nan, K, At>(n, at, nan).find(level, threads);
}

}  // namespace onefold
