// Compares folds by labels on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/axes.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// Labels of n elements, and the number of groups.
struct RandomLabels {
  Size groups = 1;
  std::vector<uint64_t> of;

  RandomLabels(std::mt19937_64& r, Size n) {
    const auto kind = r() % 6;
    const bool few = r() % 2 == 0;  // counted in shared memory (kernel/labels/sort.hpp)
    groups = kind == 0 ? 1 : few ? 1 + r() % 100 : 2049 + r() % 16000;
    if (kind == 1) groups = std::max<Size>(n, 1);  // each element has its own group
    for (Size i = 0; i < n; ++i) {
      uint64_t label = r() % groups;
      if (kind == 1) label = (i * 7919) % n;
      if (kind == 2) label = i * groups / n;               // they ascend
      if (kind == 3 && r() % 10 != 0) label = groups / 2;  // one group is frequent
      if (kind == 4) label = label / 16 * 16;              // most groups are empty
      if (kind == 5) label = std::min(label, std::min(r() % groups, r() % groups));
      of.push_back(label);
    }
  }
  // Returns labels of the drawn type, at stride `step`; reversed if it is negative.
  std::vector<std::byte> as(DType t, int64_t step) const {
    const Size bytes = bytes_of(t), apart = static_cast<Size>(step < 0 ? -step : step);
    std::vector<std::byte> all(std::max<Size>(of.size(), 1) * apart * bytes, std::byte{0x77});
    for (Size i = 0; i < of.size(); ++i) {
      const Size at = step < 0 ? of.size() - 1 - i : i;
      std::memcpy(&all[at * apart * bytes], &of[i], bytes);
    }
    return all;
  }
  DType type(std::mt19937_64& r) const {
    std::vector<DType> fit{DType::i64, DType::u64, DType::i32, DType::u32};
    if (groups <= 1 << 15) fit.insert(fit.end(), {DType::i16, DType::u16});
    if (groups <= 1 << 7) fit.insert(fit.end(), {DType::i8, DType::u8});
    if (groups <= 2) fit.push_back(DType::boolean);
    return fit[r() % fit.size()];
  }
};

// Checks that some groups equal the folds of their elements alone.
inline std::string slice_flaws(const std::string& ops, const ArrayRef& x,
                               const RandomLabels& labels, const Answers& all,
                               const Options& options) {
  const Size bytes = bytes_of(x.dtype);
  for (Size g = 0; g < labels.groups; g += 1 + labels.groups / 5) {
    std::vector<std::byte> slice;
    for (Size i = 0; i < labels.of.size(); ++i) {
      if (labels.of[i] != g) continue;
      const auto* const from =
          static_cast<const std::byte*>(x.data) + static_cast<int64_t>(i) * x.strides[0];
      slice.insert(slice.end(), from, from + bytes);
    }
    Options alone = options;
    alone.device = cpu;
    const Answers right =
        fold(ops, ArrayRef(slice.data(), x.dtype, Dims(slice.size() / bytes)), alone);
    for (std::size_t k = 0; k < all.list.size(); ++k) {
      if (all.list[k][g] != right.list[k].only()) return "group " + std::to_string(g) + "\n";
    }
  }
  return "";
}

// Says what is wrong with the answers; empty: nothing.
inline std::string label_flaws(const std::string& ops, DType t, uint64_t seed, Size n,
                               std::optional<DType> result = {}) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  const Data data = generate(generator, t, n + 1, seed);
  Dims shape(static_cast<int64_t>(n)), strides = row_major(shape, t);
  const int64_t turned = r() % 4 == 0 ? -1 : 1;
  strides[0] *= turned;
  const TwoArrays x(gpu, data, turned < 0 && n > 0 ? n - 1 : 0, r() % 2, shape, strides);
  const RandomLabels labels(r, n);
  const DType type = labels.type(r);
  const int64_t step = r() % 3 == 0 ? (r() % 2 == 0 ? -1 : 2) : 1;
  const std::vector<std::byte> numbers = labels.as(type, step);
  const DeviceBytes there(gpu, numbers.size());
  there.write(numbers);
  const auto bytes = static_cast<int64_t>(bytes_of(type));
  const Size first = step < 0 && n > 0 ? n - 1 : 0;
  const Dims apart(step * bytes);
  const ArrayRef on_host(numbers.data() + first * bytes_of(type), type, shape, apart),
      on_device(there.data() + first * bytes_of(type), type, shape, apart);
  Options options{.result = result, .nan = static_cast<NanPolicy>(r() % 3)};
  const Answers expected =
      fold_by(ops, on_host, x.on_host, {.groups = labels.groups, .options = options});
  std::string flaws = slice_flaws(ops, x.on_host, labels, expected, options);
  options.device = cuda();
  const Labels how{.groups = labels.groups, .options = options};
  flaws += text_of(fold_by(ops, on_device, x.on_device, how), expected);
  flaws += text_of(fold_by(ops, on_host, x.on_host, how), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", " + std::to_string(n) +
         " elements in " + std::to_string(labels.groups) + " groups by " + name_of(type) +
         ", seed " + std::to_string(seed) + ":\n" + flaws;
}

}  // namespace onefold::test
