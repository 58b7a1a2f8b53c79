// Compares quantiles on a device, real or simulated, with the processor's.
#pragma once

#include <cstring>

#include "gpu/axes.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/quantile.hpp"

namespace onefold::test {

// Three axes, of which `axis` is folded, in any order in memory, with or without gaps.
struct QuantileShape {
  int64_t extent[3];
  int axis;
  int kind = -1;  // of the data of all slices; -1: each slice has another one
};

class QuantileCase {
 public:
  QuantileCase(DType t, uint64_t seed, const QuantileShape& given)
      : t_(t), given_(given), random_(seed) {
    std::vector<int> order = {2, 1, 0};
    if (random_() % 3 == 0) std::shuffle(order.begin(), order.end(), random_);
    Dims strides{0, 0, 0};
    for (const int d : order) {
      strides[d] = static_cast<int64_t>(elements_ * bytes_of(t));
      elements_ = elements_ * static_cast<Size>(given.extent[d]) + random_() % 2;
    }
    data_.resize(elements_ * bytes_of(t));
    x_ =
        ArrayRef(data_.data(), t, Dims{given.extent[0], given.extent[1], given.extent[2]}, strides);
    fill();
  }

  // Says what is wrong; empty: nothing.
  std::string flaws() {
    jit::Gpu gpu;
    const Size skip = random_() % 2 * bytes_of(t_);
    DeviceBytes bytes(gpu, data_.size() + 64);
    gpu.copy_in(bytes.address() + skip, data_.data(), data_.size());
    const ArrayRef there(bytes.data() + skip, t_, x_.shape, x_.strides);
    std::string all;
    for (const auto& quantiles : {one(), several()}) {
      for (const auto nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
        const Options host{.axes = {given_.axis}, .nan = nan};
        Options device = host;
        device.device = cuda();
        const std::string text =
            text_of(quantile(there, quantiles, device), quantile(x_, quantiles, host));
        if (!text.empty()) all += quantiles[0].name + ": " + text;
      }
    }
    return all;
  }

 private:
  std::vector<Quantile> one() {
    return {named(random_() % 2 == 0 ? "0.5" : "0.25", static_cast<int>(random_() % 13))};
  }
  std::vector<Quantile> several() {
    std::vector<Quantile> all;
    for (const char* word : {"0", "1", "0.5", "0.1", "0.99", "0.3333333333333333333333333333"}) {
      all.push_back(named(word, static_cast<int>(random_() % 13)));
    }
    all.resize(2 + random_() % 5);
    return all;
  }
  static Quantile named(const char* word, int method) {
    Quantile q = read_quantile(word);
    q.method = static_cast<QuantileMethod>(method);
    q.name += " by " + std::to_string(method);
    return q;
  }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double number(int kind, Size k) {
    const double inf = std::numeric_limits<double>::infinity();
    switch (kind) {
      case 0:
        return 6 * unit() - 3;
      case 1:  // few numbers, zeros of both signs
        return std::array{-1.0, -0.0, 0.0, 2.0}[random_() % 4];
      case 2:  // ascending
        return static_cast<double>(k) / 16;
      case 3:
        return random_() % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : unit();
      case 4:
        return random_() % 3 == 0 ? (random_() % 2 == 0 ? inf : -inf) : unit();
      case 5:
        return 7;
      case 6:
        return std::numeric_limits<double>::quiet_NaN();
      default:  // any exponent, also of subnormal numbers
        return std::ldexp(unit() - 0.5, static_cast<int>(random_() % 2100) - 1050);
    }
  }
  void fill() {
    const auto& n = x_.shape;
    std::vector<int> kinds(static_cast<Size>(n[0] * n[1] * n[2]));
    for (int& k : kinds) k = given_.kind >= 0 ? given_.kind : static_cast<int>(random_() % 8);
    for (int64_t a = 0; a < n[0]; ++a) {
      for (int64_t b = 0; b < n[1]; ++b) {
        for (int64_t c = 0; c < n[2]; ++c) {
          const int64_t place[] = {a, b, c};
          int64_t slice = 0;
          for (int d = 0; d < 3; ++d) {
            if (d != given_.axis) slice = slice * n[d] + place[d];
          }
          const double v =
              number(kinds[static_cast<Size>(slice)], static_cast<Size>(place[given_.axis]));
          std::byte* const to =
              data_.data() + a * x_.strides[0] + b * x_.strides[1] + c * x_.strides[2];
          visit(t_, [&]<class T>() {
            if constexpr (Floating<T>) {
              const bits_of<T> bits =
                  static_cast<bits_of<T>>(round_float(Real::of(v), float_format(dtype_of<T>)));
              std::memcpy(to, &bits, sizeof bits);
            }
          });
        }
      }
    }
  }

  DType t_;
  QuantileShape given_;
  std::mt19937_64 random_;
  Size elements_ = 1;
  std::vector<std::byte> data_;
  ArrayRef x_;
};

inline std::string quantile_flaws(DType t, uint64_t seed, const QuantileShape& shape) {
  const std::string flaws = QuantileCase(t, seed, shape).flaws();
  return flaws.empty() ? "" : "seed " + std::to_string(seed) + ": " + flaws;
}

}  // namespace onefold::test
