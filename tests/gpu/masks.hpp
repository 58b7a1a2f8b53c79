// Compares masked folds on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/axes.hpp"

namespace onefold::test {

// Makes a mask's bytes: none, all, random, runs, or a single one.
inline std::vector<uint8_t> mask_bytes(std::mt19937_64& r, Size n) {
  std::vector<uint8_t> mask(n);
  const auto kind = r() % 6;
  const Size run = 1 + r() % 40;
  bool on = r() % 2 == 0;
  for (Size i = 0; i < n; ++i) {
    if (i % run == 0) on = r() % 2 == 0;
    const bool taken = kind == 1   ? true
                       : kind == 2 ? r() % 2 == 0
                       : kind == 3 ? r() % 16 != 0
                                   : kind == 4 && on;
    mask[i] = taken ? static_cast<uint8_t>(1 + r() % 255) : 0;
  }
  if (kind == 5 && n > 0) mask[r() % n] = 1;
  return mask;
}

// A mask for an array's shape, on the host and on the device: it has another order in memory, and
// repeats along some axes.
class TwoMasks {
 public:
  TwoMasks(jit::Gpu& gpu, std::mt19937_64& r, const Dims& of) {
    Dims shape = of, strides = of;
    std::vector<int> order;
    for (int d = 0; d < of.rank(); ++d) order.push_back(d);
    if (r() % 3 == 0) std::shuffle(order.begin(), order.end(), r);
    Size n = 1;
    const bool holes = r() % 4 == 0, broadcasts = r() % 3 == 0;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
      if (broadcasts && r() % 2 == 0) shape[*d] = 1;
      strides[*d] = shape[*d] == 1 ? 0 : static_cast<int64_t>(n);
      n *= static_cast<Size>(shape[*d]);
      if (holes && r() % 3 == 0) n += r() % 3;
    }
    const Size skip = r() % 2 == 0 ? 0 : r() % 16;
    host_ = mask_bytes(r, n + skip);
    here_ = std::make_unique<DeviceBytes>(gpu, host_.size());
    here_->write(host_);
    on_host = ArrayRef(host_.data() + skip, DType::boolean, shape, strides);
    on_device = ArrayRef(here_->data() + skip, DType::boolean, shape, strides);
  }

 private:
  std::vector<uint8_t> host_;
  std::unique_ptr<DeviceBytes> here_;

 public:
  ArrayRef on_host, on_device;
};

// Says what is wrong with the answers; empty: nothing.
inline std::string masked_flaws(const std::string& ops, const TwoArrays& x, const TwoArrays* y,
                                const TwoMasks& mask, Options options) {
  const auto run = [&](auto array, auto where) {
    options.where = mask.*where;
    return y == nullptr ? fold(ops, x.*array, options) : fold(ops, x.*array, y->*array, options);
  };
  const Answers expected = run(&TwoArrays::on_host, &TwoMasks::on_host);
  options.device = cuda();
  const std::string here = text_of(run(&TwoArrays::on_device, &TwoMasks::on_device), expected),
                    copied = text_of(run(&TwoArrays::on_host, &TwoMasks::on_host), expected);
  return here + (copied.empty() ? "" : "of the host: " + copied);
}

// Tests random nests and masks of at most about `most` elements; `initial` if all ops take one.
inline std::string random_masked_flaws(const std::string& ops, DType t, uint64_t seed, int64_t most,
                                       bool two, bool initial) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const RandomArrays arrays(gpu, r, t, seed, most);
  const Dims& shape = arrays.cut.shape;
  const TwoMasks mask(gpu, r, shape);
  Options options{.axes = r() % 4 == 0 ? Axes() : Axes(some_axes(r, shape.rank())),
                  .keepdims = r() % 2 == 0,
                  .nan = static_cast<NanPolicy>(r() % 3)};
  options.ddof = some_ddof(r, ops);
  options.empty_nan = r() % 2 == 0;
  if (initial && r() % 2 == 0) {
    uint64_t bits = 0;
    std::memcpy(&bits, arrays.a.data(), bytes_of(t));
    options.initial = Scalar(t, bits);
  }
  return arrays.say(ops, seed,
                    masked_flaws(ops, arrays.x, two ? &arrays.y : nullptr, mask, options));
}

// Tests masks of common shapes, of about `most` elements.
inline std::string masked_shape_flaws(const std::string& ops, DType t, int64_t most) {
  struct Case {
    Dims shape, axes;
  };
  std::vector<Case> cases;
  for (const int64_t n : {1, 3, 4, 7, 16, 30, 64, 100, 256, 4097}) {
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(1)});
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(int64_t{0})});
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(int64_t{0}, int64_t{1})});
    cases.push_back({Dims(int64_t{4}, std::max<int64_t>(most / 20 / n, 1), n), Dims(1)});
    if (n < most) {  // 60 n elements
      cases.push_back({Dims(int64_t{5}, n, int64_t{12}), Dims(int64_t{0}, int64_t{2})});
    }
  }
  jit::Gpu gpu;
  uint64_t seed = 0;
  for (const Case& c : cases) {
    const auto all = generators(t);
    const std::string_view generator = all[++seed % all.size()];
    Size elements = 1;
    for (int d = 0; d < c.shape.rank(); ++d) elements *= static_cast<Size>(c.shape[d]);
    const Data a = generate(generator, t, elements, seed);
    const TwoArrays x(gpu, a, 0, seed % 3 == 0 ? 1 : 0, c.shape, row_major(c.shape, t));
    std::mt19937_64 r(seed);
    const TwoMasks mask(gpu, r, c.shape);
    const std::string flaws = masked_flaws(
        ops, x, nullptr, mask, {.axes = Axes(c.axes), .nan = static_cast<NanPolicy>(seed % 3)});
    if (!flaws.empty()) {
      return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " +
             to_string(c.shape) + ", axes " + to_string(c.axes) + ":\n" + flaws;
    }
  }
  return "";
}

}  // namespace onefold::test
