// Compares folds with weights on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/masks.hpp"
#include "gpu/segments.hpp"

namespace onefold::test {

// Segments of the first axis, if elements are cut into some.
struct SomeSegments {
  std::vector<int64_t> offsets = {0};
  std::vector<int32_t> narrow;
  DeviceBytes there;
  ArrayRef on_host, on_device;

  SomeSegments(jit::Gpu& gpu, std::mt19937_64& r, const Dims& shape)
      : offsets(shape.rank() == 0 ? offsets : random_offsets(r, shape[0])),
        narrow(offsets.begin(), offsets.end()),
        there(gpu, 8 * offsets.size()) {
    const bool is_narrow = r() % 2 == 0;
    is_narrow ? there.write(narrow) : there.write(offsets);
    const Dims count(static_cast<int64_t>(offsets.size()));
    on_host =
        is_narrow ? ArrayRef(narrow.data(), i32, count) : ArrayRef(offsets.data(), i64, count);
    on_device = ArrayRef(there.data(), on_host.dtype, count);
    on_device.device = cuda();
  }
};

// Tests random nests, weights and masks of at most about `most` elements. A third of the arrays
// are constant, so that totals do not decide, and a third have weights that are not negative.
inline std::string random_weighted_flaws(const std::string& ops, DType t, uint64_t seed,
                                         int64_t most, bool two, bool cut = false,
                                         std::optional<DType> result = {}) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const RandomArrays arrays(gpu, r, t, seed, most);
  const Dims& shape = arrays.cut.shape;
  const TwoMasks mask(gpu, r, shape);
  const Cut beside = arrays.cut.beside(r, bytes_of(t));
  const auto names = generators(t);
  Data w = generate(names[r() % names.size()], t, beside.elements, seed + 1);
  if (seed % 3 == 0) w = generate(names[0], t, beside.elements, seed + 1);
  if (seed % 3 == 1) {
    for (Size i = 1; i < beside.elements; ++i) w.set(i, w.bits(0));
  }
  const TwoArrays weights(gpu, w, beside.first, seed % 2, beside.shape, beside.strides);
  Options options{.axes = r() % 4 == 0 ? Axes() : Axes(some_axes(r, shape.rank())),
                  .keepdims = r() % 2 == 0,
                  .nan = static_cast<NanPolicy>(r() % 3)};
  const bool masked = r() % 2 == 0;
  const SomeSegments segments(gpu, r, shape);
  if (cut && shape.rank() == 0) return "";
  if (cut) options = {.nan = options.nan};
  options.result = result;
  const auto run = [&](auto array, auto where) {
    const ArrayRef& offsets = array == &TwoArrays::on_host ? segments.on_host : segments.on_device;
    options.weights = weights.*array;
    if (masked) options.where = mask.*where;
    if (cut && two)
      return fold({.ops = ops,
                   .x = arrays.x.*array,
                   .y = arrays.y.*array,
                   .options = options,
                   .segments = offsets});
    if (cut) return fold_segments(ops, arrays.x.*array, offsets, options);
    return two ? fold(ops, arrays.x.*array, arrays.y.*array, options)
               : fold(ops, arrays.x.*array, options);
  };
  const Answers expected = run(&TwoArrays::on_host, &TwoMasks::on_host);
  options.device = cuda();
  const std::string here = text_of(run(&TwoArrays::on_device, &TwoMasks::on_device), expected),
                    copied = text_of(run(&TwoArrays::on_host, &TwoMasks::on_host), expected);
  return arrays.say(ops, seed, here + (copied.empty() ? "" : "of the host: " + copied));
}

// The answers of a call, or the error that it throws.
struct Outcome {
  Answers answers;
  ErrorCode error = ErrorCode::ok;
  std::string message;

  template <class F>
  explicit Outcome(F call) {
    try {
      answers = call();
    } catch (const Error& e) {
      error = e.code();
      message = e.what();
    }
  }
  // Says how the outcome differs from the processor's; empty: in nothing.
  std::string flaws(const Outcome& expected) const {
    if (error != expected.error) {
      return std::string(name_of(error)) + " (" + message + "), not " + name_of(expected.error) +
             " (" + expected.message + ")\n";
    }
    return error == ErrorCode::ok ? text_of(answers, expected.answers) : "";
  }
};

// Tests how often elements count: types of the counts, nests and masks at random. Some counts are
// negative, which is refused.
inline std::string random_repeated_flaws(const std::string& ops, DType t, uint64_t seed,
                                         int64_t most, bool cut = false) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const RandomArrays arrays(gpu, r, t, seed, most);
  const Dims& shape = arrays.cut.shape;
  const TwoMasks mask(gpu, r, shape);
  constexpr DType types[] = {i8, u8, i16, u16, i32, u32, i64, u64};
  const DType type = types[r() % std::size(types)];
  const Size bytes = bytes_of(type);
  Cut alike = arrays.cut;
  for (int d = 0; d < shape.rank(); ++d) {
    alike.strides[d] =
        alike.strides[d] / static_cast<int64_t>(bytes_of(t)) * static_cast<int64_t>(bytes);
  }
  const Cut beside = alike.beside(r, static_cast<unsigned>(bytes));
  Data counts(type, beside.elements);
  const uint64_t large =
      type == i64 || type == u64 ? uint64_t{1} << (seed % 2 == 0 ? 44 : 56) : 100;
  for (Size i = 0; i < beside.elements; ++i) {
    const auto kind = r() % 4;
    counts.set(i, kind == 0 ? r() % 2 : kind < 3 ? r() % 5 : r() % large);
  }
  const bool is_signed = kind_of(type) == Kind::signed_integer;
  if (is_signed && r() % 3 == 0) counts.set(r() % beside.elements, ~uint64_t{0} - r() % 3);
  const TwoArrays weights(gpu, counts, beside.first, seed % 2, beside.shape, beside.strides);
  Options options{.axes = r() % 4 == 0 ? Axes() : Axes(some_axes(r, shape.rank())),
                  .nan = static_cast<NanPolicy>(r() % 3)};
  options.ddof = some_ddof(r, ops);
  options.empty_nan = r() % 2 == 0;
  const bool masked = r() % 2 == 0;
  const SomeSegments segments(gpu, r, shape);
  if (cut && shape.rank() == 0) return "";
  if (cut) options.axes = Axes();
  const auto run = [&](auto array, auto where) {
    options.fweights = weights.*array;
    if (masked) options.where = mask.*where;
    if (cut) {
      return fold_segments(ops, arrays.x.*array,
                           array == &TwoArrays::on_host ? segments.on_host : segments.on_device,
                           options);
    }
    return fold(ops, arrays.x.*array, options);
  };
  const Outcome expected([&] { return run(&TwoArrays::on_host, &TwoMasks::on_host); });
  // The processor refuses 2^63 elements in all, a device as many in one answer.
  if (expected.error == ErrorCode::overflow) return "";
  options.device = cuda();
  const Outcome here([&] { return run(&TwoArrays::on_device, &TwoMasks::on_device); });
  return arrays.say(ops, seed, here.flaws(expected));
}

}  // namespace onefold::test
