// Compares logsumexp, rms_norm and their kin on a device, real or simulated, with the processor's.
#pragma once

#include <bit>
#include <cstring>
#include <optional>

#include "gpu/axes.hpp"
#include "onefold/cpu/exponential/kernels.hpp"
#include "onefold/layer_norm.hpp"
#include "onefold/logsumexp.hpp"

namespace onefold::test {

// Three axes, of which `axis` is folded, in any order in memory, with or without gaps.
struct ExponentialShape {
  int64_t extent[3];
  int axis;
  int kinds = 8;  // of the data of slices: so many
  int kind = 0;   // from this one on
};

class ExponentialCase {
 public:
  ExponentialCase(DType t, uint64_t seed, const ExponentialShape& given)
      : t_(t), given_(given), random_(seed) {
    std::vector<int> order = {2, 1, 0};
    if (random_() % 3 == 0) std::shuffle(order.begin(), order.end(), random_);
    const auto bytes = static_cast<int64_t>(bytes_of(t));
    Dims strides{0, 0, 0};
    for (const int d : order) {
      strides[d] = static_cast<int64_t>(elements_) * bytes;
      elements_ = elements_ * static_cast<Size>(given.extent[d]) + random_() % 2;
    }
    shape_ = Dims{given.extent[0], given.extent[1], given.extent[2]};
    data_.resize(elements_ * bytes_of(t));
    x_ = ArrayRef(data_.data(), t, shape_, strides);
    fill();
  }

  // Says what is wrong; empty: nothing.
  std::string flaws() {
    Here here(*this);
    std::string all;
    for (const auto nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      Options host{.axes = {given_.axis}, .nan = nan}, device = host;
      device.device = cuda();
      all += compared("logsumexp", logsumexp(here.x, device), logsumexp(x_, host));
      all += compared("logmeanexp", logmeanexp(here.x, device), logmeanexp(x_, host));
    }
    const Options host{.axes = {given_.axis}}, device{.axes = {given_.axis}, .device = cuda()};
    all += here.states(device, gather_logsumexp(x_, host));
    all += here.elements(
        "softmax", [&](const OutputRef& out) { softmax_into(out, here.x, device); },
        softmax(x_, host));
    all += here.elements(
        "log_softmax", [&](const OutputRef& out) { log_softmax_into(out, here.x, device); },
        log_softmax(x_, host));
    return all;
  }

  // Does the same for rms_norm and layer_norm, with weights or without.
  std::string norm_flaws() {
    Here here(*this);
    const auto n = static_cast<Size>(given_.extent[given_.axis]);
    const bool f32 = bytes_of(t_) == 2 && random_() % 2 == 0;
    const DType type = f32 ? DType::f32 : t_;
    std::vector<std::byte> of[2];
    std::optional<DeviceBytes> there[2];
    ArrayRef host[2], device[2];
    for (int k = 0; k < 2; ++k) {
      of[k].resize(n * bytes_of(type));
      for (Size i = 0; i < n; ++i) {
        put(type, of[k].data() + i * bytes_of(type),
            random_() % 3 == 0 ? static_cast<double>(random_() % 5) / 2 - 1 : unit());
      }
      there[k].emplace(here.gpu, of[k].size() + 16);
      const Size at = random_() % 2 * bytes_of(type);
      here.gpu.copy_in(there[k]->address() + at, of[k].data(), of[k].size());
      host[k] = ArrayRef(of[k].data(), type, {static_cast<int64_t>(n)});
      device[k] = ArrayRef(there[k]->data() + at, type, {static_cast<int64_t>(n)});
      device[k].device = cuda();
    }
    const Options on_host{.axes = {given_.axis}};
    Options on_device{.axes = {given_.axis}, .device = cuda()};
    ArrayRef x = here.x;
    x.device = cuda();
    std::string all;
    for (const bool factors : {false, true}) {
      const double eps = factors ? 1e-5 : random_() % 2 == 0 ? 0 : 0.25;
      const auto scale = [&](const ArrayRef* a, bool has_bias) {
        return NormScale{factors ? a : nullptr, factors && has_bias ? a + 1 : nullptr, eps};
      };
      all += here.elements(
          "rms_norm",
          [&](const OutputRef& out) { rms_norm_into(out, x, scale(device, false), on_device); },
          rms_norm(x_, scale(host, false), on_host));
      all += here.elements(
          "layer_norm",
          [&](const OutputRef& out) { layer_norm_into(out, x, scale(device, true), on_device); },
          layer_norm(x_, scale(host, true), on_host));
    }
    return all;
  }

 private:
  // The array on a device, and memory for answers of its elements.
  struct Here {
    explicit Here(ExponentialCase& of)
        : of(of),
          skip(of.random_() % 2 * bytes_of(of.t_)),
          bytes(gpu, of.data_.size() + 64),
          to(gpu, of.data_.size() + 64),
          x(bytes.data() + skip, of.t_, of.x_.shape, of.x_.strides) {
      gpu.copy_in(bytes.address() + skip, of.data_.data(), of.data_.size());
    }
    // The answers have the array's strides, and bytes between them stay.
    template <class F>
    std::string elements(const char* name, F into, const Answer& expected) {
      into(OutputRef(to.data() + skip, of.t_, of.x_.shape, of.x_.strides));
      gpu.synchronize_all();
      const auto got = to.read<std::byte>(of.data_.size(), skip);
      Answer answer = expected;
      const Size size = bytes_of(of.t_);
      of.each([&](Size i, Size at) {
        std::memcpy(answer.data.data() + i * size, got.data() + at, size);
      });
      return of.compared(name, answer, expected);
    }
    // Of the slices as two equal parts, which are then merged.
    std::string states(const Options& device, const LogsumexpStates& expected) {
      const Size n = expected.words().size(), slices = expected.size();
      const DeviceBytes words(gpu, 2 * n * sizeof(uint64_t));
      Dims shape = expected.shape(), parts{2};
      shape.push_back(LogsumexpStates::words_each);
      for (const int64_t extent : shape) parts.push_back(extent);
      std::string all;
      for (Size part = 0; part < 2; ++part) {
        std::byte* const to = words.data() + part * n * sizeof(uint64_t);
        gather_logsumexp_into(OutputRef(to, DType::u64, shape), x, device);
      }
      gpu.synchronize_all();
      const auto got = words.read<uint64_t>(2 * n);
      for (const auto part : {std::span(got).first(n), std::span(got).subspan(n)}) {
        const auto states =
            LogsumexpStates::of(part, of.t_, NanPolicy::propagate, expected.shape());
        if (states != expected) all += "states: the words differ; ";
      }
      LogsumexpStates twice = expected;
      twice.merge(expected);
      ArrayRef pair(words.data(), DType::u64, parts, row_major(parts, DType::u64));
      pair.device = device.device;
      for (const bool mean : {false, true}) {
        Answer answer = mean ? twice.logmeanexp() : twice.logsumexp();
        const Answer on_host = answer;
        const DeviceBytes out(gpu, answer.data.size()), status(gpu, slices);
        const OutputRef to(out.data(), of.t_, expected.shape(),
                           reinterpret_cast<Status*>(status.data()));
        const Options options{.device = device.device};
        mean ? logmeanexp_of_states_into(to, pair, options)
             : logsumexp_of_states_into(to, pair, options);
        gpu.synchronize_all();
        answer.data = out.read<std::byte>(answer.data.size());
        answer.status = status.read<Status>(slices);
        all += of.compared(mean ? "mean of states" : "of states", answer, on_host);
      }
      return all;
    }
    ExponentialCase& of;
    jit::Gpu gpu;
    Size skip;
    DeviceBytes bytes, to;
    ArrayRef x;
  };

  // Calls f with the number of each element in C order, and its distance in bytes.
  template <class F>
  void each(F f) {
    Size i = 0;
    for (int64_t a = 0; a < shape_[0]; ++a) {
      for (int64_t b = 0; b < shape_[1]; ++b) {
        for (int64_t c = 0; c < shape_[2]; ++c) {
          f(i++, static_cast<Size>(a * x_.strides[0] + b * x_.strides[1] + c * x_.strides[2]));
        }
      }
    }
  }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double number(int kind, Size k) {
    const double inf = std::numeric_limits<double>::infinity();
    switch (kind) {
      case 0:
        return 6 * unit() - 3;
      case 1:
        return 60 * unit() - 50;
      case 2:  // masked
        return random_() % 3 != 0 && k != 0 ? -inf : 4 * unit();
      case 3:
        return k == 1 ? inf : unit();
      case 4:
        return k == 2 ? std::numeric_limits<double>::quiet_NaN() : unit();
      case 5:  // equal, or nearly
        return k == 3 ? 1 + 0x1p-23 : 1;
      case 6:  // beyond the range without the greatest one, and answers that are all but ties
        return k == 0 ? 1 : -std::exp2(static_cast<double>(10 + random_() % 45));
      case 8:  // sums beyond the range of f64, or below what counts
        return 1000 - static_cast<double>(random_() % 2);
      case 9:
        return -1000 - 3 * unit();
      case 10:  // of norms: equal elements; elements that are the mean, and ties
        return 2;
      case 11:
        return static_cast<double>(random_() % 5) - 2;
      case 12:
        return k % 2 == 0 ? 3 : -3;
      case 13:  // a mean far from 0, but for the first element
        return k == 0 ? 0 : 1000 + unit();
      default:  // one leads
        return k == 1 ? 900 * unit() : -30 * unit();
    }
  }
  void fill() {
    std::vector<int> kinds;
    std::vector<Size> count;
    const Size slices = elements_;  // more than there are
    for (Size s = 0; s < slices; ++s) {
      kinds.push_back(given_.kind +
                      static_cast<int>(random_() % static_cast<uint64_t>(given_.kinds)));
      count.push_back(0);
    }
    Size number_of = 0;
    each([&](Size, Size at) {
      Size i = number_of++, slice = 0;
      int64_t place[3];
      for (int d = 3; d-- > 0;) {
        place[d] = static_cast<int64_t>(i % static_cast<Size>(shape_[d]));
        i /= static_cast<Size>(shape_[d]);
      }
      for (int d = 0; d < 3; ++d) {
        if (d != given_.axis) {
          slice = slice * static_cast<Size>(shape_[d]) + static_cast<Size>(place[d]);
        }
      }
      const double v = number(kinds[slice], count[slice]++);
      put(t_, data_.data() + at, v);
    });
  }
  static void put(DType t, std::byte* to, double v) {
    visit(t, [&]<class T>() {
      if constexpr (Floating<T>) {
        const T e = from_double<T>(OneLane::narrow<T>(v));
        std::memcpy(to, &e, sizeof e);
      }
    });
  }
  std::string compared(const char* name, const Answer& got, const Answer& expected) const {
    Answers a, b;
    a.list.push_back(got);
    b.list.push_back(expected);
    const std::string text = text_of(a, b);
    return text.empty() ? "" : std::string(name) + ": " + text;
  }

  DType t_;
  ExponentialShape given_;
  std::mt19937_64 random_;
  Size elements_ = 1;
  Dims shape_;
  std::vector<std::byte> data_;
  ArrayRef x_;
};

inline std::string exponential_flaws(DType t, uint64_t seed, const ExponentialShape& shape) {
  const std::string flaws = ExponentialCase(t, seed, shape).flaws();
  return flaws.empty() ? "" : "seed " + std::to_string(seed) + ": " + flaws;
}

inline std::string norm_flaws(DType t, uint64_t seed, const ExponentialShape& shape) {
  const std::string flaws = ExponentialCase(t, seed, shape).norm_flaws();
  return flaws.empty() ? "" : "seed " + std::to_string(seed) + ": " + flaws;
}

}  // namespace onefold::test
