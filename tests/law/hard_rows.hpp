// Rows made to be rounded wrongly: ties, cut in pieces and with dust beside them, means, roots and
// variances that are ties, what cancels, drifts, is constant but for an ulp, or overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "generate.hpp"

namespace onefold::test {

inline double sign(Random& r) { return r() % 2 == 0 ? 1 : -1; }
inline double bits_of_length(Random& r, int bits) {
  return bits <= 0 ? 0 : static_cast<double>(r() >> (64 - std::min(bits, 53)));
}

// How a kind of row is made: its elements are below 2^e, its answer is rounded to `p` bits.
struct Maker {
  Random& r;
  FloatFormat element, answer;

  int precision() const { return answer.mantissa_bits + 1; }
  int lowest() const { return element.unit; }
  int highest() const { return element.top - 1; }
  // The exponents of a batch's rows: anywhere, or near a limit of the type.
  int scale() {
    const int at[] = {0,
                      0,
                      0,
                      0,
                      1,
                      -24,
                      -53,
                      -149,
                      highest(),
                      highest() - 1,
                      500,
                      511,
                      512,
                      highest() / 2,
                      lowest(),
                      lowest() + 30,
                      lowest() / 2,
                      -350,
                      -450,
                      -484,
                      -485,
                      -537,
                      -700,
                      -900,
                      -1000,
                      answer.unit + precision(),
                      answer.unit + 2,
                      answer.top};
    const int e =
        r() % 3 == 0
            ? static_cast<int>(test::pick(r, 0, static_cast<uint64_t>(highest() - lowest()))) +
                  lowest()
            : at[r() % std::size(at)];
    return std::clamp(e, lowest(), highest());
  }
  double dust(int e) {
    const int at[] = {-24, -54, -60, -107, -110, -160, -400};
    switch (r() % 4) {
      case 0:
        return 0;
      case 1:
        return sign(r) * std::ldexp(1.0, lowest());
      case 2:
        return sign(r) * std::ldexp(1.0, std::max(lowest(), e + at[r() % std::size(at)]));
      default:
        return sign(r) *
               std::ldexp(1.0, static_cast<int>(test::pick(
                                   r, 0, static_cast<uint64_t>(std::max(1, e - lowest())))) +
                                   lowest());
    }
  }
  // Elements whose sum is v 2^e: v is cut at random places.
  void cut(std::vector<double>& row, Int128 v, int e) {
    const bool negative = v < 0;
    auto left = static_cast<Uint128>(negative ? -v : v);
    for (int at = 0; left != 0;) {
      const int width = static_cast<int>(
          test::pick(r, 1, static_cast<uint64_t>(std::min(element.mantissa_bits + 1, 60))));
      const double part = static_cast<double>(
          static_cast<uint64_t>(left & ((static_cast<Uint128>(1) << width) - 1)));
      if (part != 0) row.push_back((negative ? -1 : 1) * std::ldexp(part, e + at));
      left >>= width;
      at += width;
    }
  }
  // The middle between two answers, as a whole number.
  int64_t middle() {
    const int bits = precision() + 1;
    const int64_t top = int64_t{1} << (bits - 1);
    const int64_t low =
        r() % 3 == 0 ? static_cast<int64_t>(r() % 8) : static_cast<int64_t>(r()) & (top - 1);
    return (r() % 4 == 0 ? 2 * top - 1 - low : top + low) | 1;
  }
  void fill(std::vector<double>& row, Size n, int e) {
    while (row.size() < n) {
      const double z = sign(r) * std::ldexp(bits_of_length(r, element.mantissa_bits + 1),
                                            e - element.mantissa_bits - static_cast<int>(r() % 40));
      switch (row.size() + 2 > n ? 0 : r() % 4) {
        case 0:
          row.push_back(r() % 2 == 0 ? 0.0 : dust(e));
          break;
        case 1:
          row.push_back(z);
          row.push_back(-z);
          break;
        default:
          row.push_back(r() % 2 == 0 ? -0.0 : 0.0);
      }
    }
  }

  enum Kind {
    wild,
    specials,
    integers,
    tied,
    tied_mean,
    tied_root,
    tied_spread,
    cancelling,
    constant,
    drifting,
    largest,
    count
  };

  std::vector<double> make(Kind kind, Size n, int e) {
    std::vector<double> row;
    const int p = element.mantissa_bits + 1;
    switch (kind) {
      case wild:
        while (row.size() < n) {
          row.push_back(sign(r) * std::ldexp(bits_of_length(r, p), scale() - p + 1));
        }
        break;
      case specials: {
        while (row.size() < n)
          row.push_back(sign(r) * std::ldexp(1.0 + (r() % 3 == 0) * 0x1p-7, scale()));
        break;
      }
      case integers: {
        const int bits =
            static_cast<int>(1 + r() % static_cast<uint64_t>(std::min(p, precision() + 3)));
        while (row.size() + 1 < n)
          row.push_back(sign(r) * std::ldexp(bits_of_length(r, bits), e - bits));
        row.push_back(dust(e));
        break;
      }
      case tied:
        cut(row, sign(r) < 0 ? -middle() : middle(), e - precision() - 1);
        row.push_back(dust(e));
        break;
      case tied_mean:
        cut(row, static_cast<Int128>(middle()) * static_cast<int64_t>(n), e - precision() - 1);
        row.push_back(dust(e));
        break;
      case tied_root: {
        // Sides of a triangle; the longest lies midway between two answers, k times for the mean.
        const int half = (precision() + 2) / 2;
        const auto a = static_cast<int64_t>(bits_of_length(r, half)) | 1;
        const int64_t b = static_cast<int64_t>(bits_of_length(r, half)) & ~int64_t{1};
        const double sides[] = {static_cast<double>(a * a - b * b), static_cast<double>(2 * a * b)};
        const int shift = e - 2 * half;
        if (r() % 4 == 0) {
          row.push_back(std::ldexp(static_cast<double>(middle()), shift));
        } else if (r() % 4 == 0) {
          row.push_back(std::ldexp(static_cast<double>(a), e - half));
        } else {
          for (const double s : sides) row.push_back(sign(r) * std::ldexp(s, shift));
        }
        if (r() % 2 == 0) {
          const std::vector<double> once = row;
          while (row.size() + once.size() <= n) row.insert(row.end(), once.begin(), once.end());
        }
        row.push_back(dust(e));
        break;
      }
      case tied_spread: {
        const double c = std::ldexp(bits_of_length(r, p - 1), e - p);
        const double d = r() % 2 == 0 ? std::ldexp(static_cast<double>(middle()), e - p - 3)
                                      : std::ldexp(bits_of_length(r, 1 + precision() / 2), e - p);
        row = {c + d, c - d};
        if (r() % 2 == 0) row = {c, c + d};
        if (n > 2 && r() % 2 == 0) row.push_back(c + dust(e));
        while (row.size() < n && r() % 8 != 0) row.push_back(r() % 3 == 0 ? c + d : c);
        break;
      }
      case cancelling:
        while (row.size() + 2 < n) {
          const double z =
              sign(r) * std::ldexp(bits_of_length(r, p), e - p - static_cast<int>(r() % 20));
          row.push_back(z);
          row.push_back(-z);
        }
        row.push_back(dust(e));
        row.push_back(dust(e));
        break;
      case constant: {
        const double z = std::ldexp(bits_of_length(r, p), e - p);
        const double ulp = std::ldexp(1.0, std::max(lowest(), e - p));
        while (row.size() < n) row.push_back(z + (r() % 5 == 0 ? sign(r) * ulp : 0));
        break;
      }
      case drifting: {
        // After the first window of 44 bits, each element has a remainder of nearly half a unit:
        // positive at even positions, negative at odd ones.
        const double unit = std::ldexp(1.0, e - static_cast<int>(40 + r() % 6));
        const double part = unit * (0.5 - std::ldexp(1.0, -static_cast<int>(2 + r() % 40)));
        const uint64_t period = uint64_t{1} << (r() % 4);
        row.push_back(std::ldexp(1.0, e));
        while (row.size() < n) {
          row.push_back((row.size() / period % 2 == 0 ? 1 : -1) * part +
                        (r() % 9 == 0 ? unit * static_cast<double>(r() % 5) : 0));
        }
        break;
      }
      case largest: {
        const double z = std::ldexp(2.0 - std::ldexp(1.0, -element.mantissa_bits), highest());
        while (row.size() < n)
          row.push_back(r() % 3 == 0 ? dust(e) : sign(r) * z * (r() % 5 == 0 ? 0.5 : 1));
        break;
      }
      default:
        break;
    }
    fill(row, n, e);
    row.resize(n);
    return row;
  }
};

}  // namespace onefold::test
