// Compares folds of segments on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/axes.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// Makes offsets of segments of all lengths within n elements; their number is even.
inline std::vector<int64_t> random_offsets(std::mt19937_64& r, int64_t n) {
  std::vector<int64_t> offsets;
  const auto kind = r() % 4;
  const int64_t most = kind == 0 ? 3 : kind == 1 ? 40 : kind == 2 ? 3000 : n;
  for (int64_t at = static_cast<int64_t>(r() % 3); at < n && offsets.size() < 3000;) {
    offsets.push_back(at);
    const bool none = r() % 5 == 0, rare = r() % 9 == 0;
    at += none ? 0 : 1 + static_cast<int64_t>(r() % static_cast<uint64_t>(rare ? n / 2 + 1 : most));
  }
  offsets.push_back(n);
  if (offsets.size() % 2 != 0) offsets.push_back(n);
  return offsets;
}

// Says what is wrong with the answers; empty: nothing.
inline std::string segment_flaws(const std::string& ops, DType t, uint64_t seed, Size n) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  const Data data = generate(generator, t, n + 1, seed);
  const int64_t step = r() % 4 == 0 ? -1 : 1;
  Dims shape(static_cast<int64_t>(n)), strides = row_major(shape, t);
  strides[0] *= step;
  const TwoArrays x(gpu, data, step < 0 ? n - 1 : 0, r() % 2, shape, strides);
  const std::vector<int64_t> offsets = random_offsets(r, static_cast<int64_t>(n));
  const std::vector<int32_t> narrow(offsets.begin(), offsets.end());
  const bool is_narrow = r() % 2 == 0;
  const DeviceBytes there(gpu, offsets.size() * 8);
  is_narrow ? there.write(narrow) : there.write(offsets);
  const Dims count(static_cast<int64_t>(offsets.size()));
  const ArrayRef on_host = is_narrow ? ArrayRef(narrow.data(), i32, count)
                                     : ArrayRef(offsets.data(), i64, count),
                 on_device(there.data(), on_host.dtype, count);
  Options options{.nan = static_cast<NanPolicy>(r() % 3)};
  options.empty_nan = r() % 2 == 0;
  const Answers expected = fold_segments(ops, x.on_host, on_host, options);
  options.device = cuda();
  std::string flaws = text_of(fold_segments(ops, x.on_device, on_device, options), expected) +
                      text_of(fold_segments(ops, x.on_host, on_host, options), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", " + std::to_string(n) +
         " elements in " + std::to_string(offsets.size() - 1) + " segments, seed " +
         std::to_string(seed) + ":\n" + flaws;
}

// The strides of one array, in any order of memory: of some the first axis is the fastest.
inline Dims some_strides(std::mt19937_64& r, const Dims& shape, DType t) {
  Dims strides = row_major(shape, t);
  if (r() % 3 != 0) return strides;
  strides[0] = static_cast<int64_t>(bytes_of(t));
  for (int d = 1; d < shape.rank(); ++d) strides[d] = strides[d - 1] * shape[d - 1];
  return strides;
}

// The same of slices of a first axis with others behind it, in any order of memory, and under masks
// that broadcast.
//   two   of two arrays
inline std::string matrix_flaws(const std::string& ops, DType t, uint64_t seed, int64_t rows,
                                std::optional<DType> result = {}, bool two = false) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  const int64_t most = r() % 2 == 0 ? 3 : 20;
  Dims shape(rows);
  for (auto rank = r() % 3; rank > 0; --rank) {
    shape.push_back(1 + static_cast<int64_t>(r() % static_cast<uint64_t>(most)));
  }
  Size n = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  const std::string_view other = r() % 2 == 0 ? generator : all[r() % all.size()];
  const Data data = generate(generator, t, n, seed), second = generate(other, t, n, seed + 5);
  const TwoArrays x(gpu, data, 0, r() % 2, shape, some_strides(r, shape, t)),
      y(gpu, second, 0, r() % 4, shape, some_strides(r, shape, t));
  const std::vector<int64_t> offsets = random_offsets(r, rows);
  const ArrayRef numbers(offsets.data(), i64, Dims(static_cast<int64_t>(offsets.size())));
  const auto some = generators(DType::boolean);
  const Data bools = generate(some[r() % some.size()], DType::boolean, n, seed + 1);
  Dims mask_shape = shape;
  for (int d = 0; d < mask_shape.rank(); ++d) {
    if (r() % 4 == 0) mask_shape[d] = 1;
  }
  const Dims mask_strides = row_major(mask_shape, DType::boolean);
  const TwoArrays mask(gpu, bools, 0, 0, mask_shape, mask_strides);
  const bool masked = (shape.rank() == 1 && !two) || r() % 2 == 0;
  Options options{.result = result, .nan = static_cast<NanPolicy>(r() % 3)};
  options.empty_nan = r() % 2 == 0;
  const auto run = [&](auto at, Device device) {
    Options own = options;
    own.device = device;
    if (masked) own.where = Mask(mask.*at);
    return two ? fold({.ops = ops, .x = x.*at, .y = y.*at, .options = own, .segments = numbers})
               : fold_segments(ops, x.*at, numbers, own);
  };
  const Answers expected = run(&TwoArrays::on_host, cpu);
  const std::string flaws = text_of(run(&TwoArrays::on_device, cuda()), expected) +
                            text_of(run(&TwoArrays::on_host, cuda()), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " + to_string(shape) +
         (masked ? " under a mask" : "") + ", seed " + std::to_string(seed) + ":\n" + flaws;
}

}  // namespace onefold::test
