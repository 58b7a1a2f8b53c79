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
  int kind = -1;     // of the data of all slices; -1: each slice has another one
  int mask = -1;     // which elements count; -1: all, without a mask
  int weights = -1;  // the kind of Weights; -1: none
};

inline Quantile named_quantile(const char* word, int method) {
  Quantile q = read_quantile(word);
  q.method = static_cast<QuantileMethod>(method);
  q.name += " by " + std::to_string(method);
  return q;
}
inline std::vector<Quantile> random_quantiles(std::mt19937_64& random, bool several) {
  if (!several) {
    return {named_quantile(random() % 2 == 0 ? "0.5" : "0.25", static_cast<int>(random() % 13))};
  }
  std::vector<Quantile> all;
  for (const char* word : {"0", "1", "0.5", "0.1", "0.99", "0.3333333333333333333333333333"}) {
    all.push_back(named_quantile(word, static_cast<int>(random() % 13)));
  }
  all.resize(2 + random() % 5);
  return all;
}

// Element k of a slice of one of 8 kinds.
inline double quantile_number_of(std::mt19937_64& random, int kind, Size k) {
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const double inf = std::numeric_limits<double>::infinity();
  switch (kind) {
    case 0:
      return 6 * unit() - 3;
    case 1:  // few numbers, zeros of both signs
      return std::array{-1.0, -0.0, 0.0, 2.0}[random() % 4];
    case 2:  // ascending
      return static_cast<double>(k) / 16;
    case 3:
      return random() % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : unit();
    case 4:
      return random() % 3 == 0 ? (random() % 2 == 0 ? inf : -inf) : unit();
    case 5:
      return 7;
    case 6:
      return std::numeric_limits<double>::quiet_NaN();
    default:  // any exponent, also of subnormal numbers
      return std::ldexp(unit() - 0.5, static_cast<int>(random() % 2100) - 1050);
  }
}
// Stores a number, rounded to a floating type.
inline void put_number(DType t, std::byte* to, double v) {
  visit(t, [&]<class T>() {
    if constexpr (Floating<T>) {
      const bits_of<T> bits =
          static_cast<bits_of<T>>(round_float(Real::of(v), float_format(dtype_of<T>)));
      std::memcpy(to, &bits, sizeof bits);
    }
  });
}

// Weights of elements. Kinds: 0 to 4 floats (of a type each; 4 of any exponents, so that sums are
// long), 5 to 9 integers that are weights or, the odd ones, numbers of elements; every fourth is 0.
class QuantileWeights {
 public:
  QuantileWeights(std::mt19937_64& random, int kind, Size n) : kind_(kind) {
    const DType types[] = {DType::f32, DType::f64, DType::bf16,    DType::f16, DType::f64,
                           DType::i32, DType::u64, DType::boolean, DType::i8,  DType::i64};
    type = types[kind];
    data.resize(n * bytes_of(type));
    for (Size i = 0; i < n; ++i) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const bool none = random() % 4 == 0;
      std::byte* const to = data.data() + i * bytes_of(type);
      if (is_floating(type)) {
        const int e = kind == 4 ? static_cast<int>(random() % 1100) - 900 : 0;
        put_number(type, to, none ? 0 : std::ldexp(unit, e));
      } else {
        const uint64_t whole = none ? 0 : type == DType::boolean ? 1 : random() % 100;
        std::memcpy(to, &whole, bytes_of(type));
      }
    }
  }
  bool repeat() const { return kind_ >= 5 && kind_ % 2 == 1; }
  // Sets the weights of a request, and methods that are meant for them.
  void give(Options& options, const ArrayRef& w) const {
    (repeat() ? options.fweights : options.weights) = w;
  }
  std::vector<Quantile> meant(std::vector<Quantile> all) const {
    for (Quantile& q : all) {
      const bool halfway = static_cast<int>(q.method) % 2 == 0;
      if (repeat()) continue;
      q.method = halfway ? QuantileMethod::averaged_inverted_cdf : QuantileMethod::inverted_cdf;
    }
    return all;
  }
  DType type;
  std::vector<std::byte> data;

 private:
  int kind_;
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
    if (given.mask >= 0) fill_mask();
    if (given.weights >= 0) {
      weights_.emplace(random_, given.weights,
                       static_cast<Size>(given.extent[0] * given.extent[1] * given.extent[2]));
    }
  }

  // Says what is wrong; empty: nothing.
  std::string flaws() {
    jit::Gpu gpu;
    const Size skip = random_() % 2 * bytes_of(t_);
    DeviceBytes bytes(gpu, data_.size() + 64);
    gpu.copy_in(bytes.address() + skip, data_.data(), data_.size());
    DeviceBytes mask(gpu, mask_data_.size() + 1);
    gpu.copy_in(mask.address(), mask_data_.data(), mask_data_.size());
    const ArrayRef there(bytes.data() + skip, t_, x_.shape, x_.strides);
    std::string all;
    DeviceBytes weights(gpu, weights_ ? weights_->data.size() + 8 : 8);
    if (weights_) gpu.copy_in(weights.address(), weights_->data.data(), weights_->data.size());
    for (auto quantiles : {random_quantiles(random_, false), random_quantiles(random_, true)}) {
      if (weights_) quantiles = weights_->meant(quantiles);
      for (const auto nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
        Options host{.axes = {given_.axis}, .nan = nan};
        Options device = host;
        if (given_.mask >= 0) {
          host.where = Mask(masked(mask_data_.data()));
          device.where = Mask(masked(mask.data()));
        }
        if (weights_) {
          weights_->give(host, ArrayRef(weights_->data.data(), weights_->type, x_.shape));
          weights_->give(device, ArrayRef(weights.data(), weights_->type, x_.shape));
        }
        device.device = cuda();
        const std::string text =
            text_of(quantile(there, quantiles, device), quantile(x_, quantiles, host));
        if (!text.empty()) all += quantiles[0].name + ": " + text;
      }
    }
    return all;
  }

 private:
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
          put_number(t_, data_.data() + a * x_.strides[0] + b * x_.strides[1] + c * x_.strides[2],
                     quantile_number_of(random_, kinds[static_cast<Size>(slice)],
                                        static_cast<Size>(place[given_.axis])));
        }
      }
    }
  }

  // The mask: half of the elements; none; one in 40; all; all or none of a slice.
  void fill_mask() {
    const auto& n = x_.shape;
    mask_data_.resize(static_cast<Size>(n[0] * n[1] * n[2]) + 1);
    mask_begin_ = random_() % 2;
    for (std::byte& b : mask_data_) {
      const bool takes[] = {random_() % 2 == 0, false, random_() % 40 == 0, true,
                            random_() % 2 == 0};
      b = static_cast<std::byte>(takes[given_.mask] ? 1 + random_() % 255 : 0);
    }
  }
  ArrayRef masked(const void* data) const {
    const auto& n = x_.shape;
    Dims strides{n[1] * n[2], n[2], 1};
    if (given_.mask == 4) strides[given_.axis] = 0;
    return ArrayRef(static_cast<const std::byte*>(data) + mask_begin_, DType::boolean, n, strides);
  }

  DType t_;
  QuantileShape given_;
  std::mt19937_64 random_;
  Size elements_ = 1;
  std::vector<std::byte> data_, mask_data_ = {};
  Size mask_begin_ = 0;
  std::optional<QuantileWeights> weights_;
  ArrayRef x_;
};

inline std::string quantile_flaws(DType t, uint64_t seed, const QuantileShape& shape) {
  const std::string flaws = QuantileCase(t, seed, shape).flaws();
  return flaws.empty() ? "" : "seed " + std::to_string(seed) + ": " + flaws;
}

}  // namespace onefold::test
