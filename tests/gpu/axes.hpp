// Compares folds along axes on a device, real or simulated, with the processor's.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "generate.hpp"
#include "gpu/device.hpp"
#include "onefold/cuda/axes.hpp"
#include "onefold/engine/plan/copies.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// An array with strides, within a larger number of elements.
struct Cut {
  Dims shape, strides;
  Size first = 0, elements = 1;  // first element, and number of elements, of its memory

  Cut(std::mt19937_64& r, int64_t most, unsigned bytes) {
    const auto pick = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(r() % static_cast<uint64_t>(high - low + 1));
    };
    const auto rank = static_cast<int>(pick(1, 4));
    int64_t left = most, step = pick(1, 2);
    std::vector<int64_t> extents, steps;
    int64_t low = 0, high = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t extent = pick(0, 20) == 0 ? 1 : pick(1, std::max<int64_t>(left / 2, 1));
      left = std::max<int64_t>(left / extent, 1);
      const bool still = pick(0, 7) == 0;
      const int64_t stride = (still ? 0 : step) * (pick(0, 3) == 0 ? -1 : 1);
      extents.push_back(extent);
      steps.push_back(stride);
      (stride < 0 ? low : high) += stride * (extent - 1);
      if (!still) step *= extent + (pick(0, 3) == 0 ? 1 : 0);
    }
    // Axes have any order in memory.
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = order.size() - 1 - k;
    if (pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), r);
    for (const std::size_t k : order) {
      shape.push_back(extents[k]);
      strides.push_back(steps[k] * static_cast<int64_t>(bytes));
    }
    first = static_cast<Size>(-low);
    elements = static_cast<Size>(high - low) + 1;
  }

  // Makes another array of the same shape. Half of the time it has other strides: any order in
  // memory, some negative, some 0.
  Cut beside(std::mt19937_64& r, unsigned bytes) const {
    Cut other = *this;
    if (r() % 2 == 0) return other;
    std::vector<int> order;
    for (int d = shape.rank(); d-- > 0;) order.push_back(d);
    if (r() % 3 == 0) std::shuffle(order.begin(), order.end(), r);
    int64_t step = 1, low = 0, high = 0;
    for (const int d : order) {
      const int64_t stride = r() % 4 == 0 ? 0 : r() % 4 == 0 ? -step : step;
      other.strides[d] = stride * static_cast<int64_t>(bytes);
      (stride < 0 ? low : high) += stride * (shape[d] - 1);
      if (stride != 0) step *= shape[d] + (r() % 4 == 0 ? 1 : 0);
    }
    other.first = static_cast<Size>(-low);
    other.elements = static_cast<Size>(high - low) + 1;
    return other;
  }
};

inline std::string text_of(const Answers& got, const Answers& expected) {
  std::string s;
  for (std::size_t k = 0; k < got.list.size(); ++k) {
    if (got.list[k].shape != expected.list[k].shape) return "another shape";
    for (Size i = 0; i < got.list[k].size(); ++i) {
      const Value a = got.list[k][i], b = expected.list[k][i];
      if (a != b && s.size() < 500) {
        s += got.list[k].op + "[" + std::to_string(i) + "]: " + std::to_string(a.bits) + " " +
             name_of(a.status) + ", not " + std::to_string(b.bits) + " " + name_of(b.status) + "\n";
      }
    }
  }
  return s;
}

// Returns some axes, each with probability one half.
inline Dims some_axes(std::mt19937_64& r, int rank) {
  Dims axes;
  for (int d = 0; d < rank; ++d) {
    if (r() % 2 == 0) axes.push_back(r() % 2 == 0 ? d : d - rank);
  }
  return axes;
}

// The same array on a device and the host; it begins `skip` elements after a multiple of 256 bytes.
class TwoArrays {
 public:
  TwoArrays(jit::Gpu& gpu, const Data& data, Size first, Size skip, const Dims& shape,
            const Dims& strides)
      : here_(gpu, data.bytes() + 64 * bytes_of(data.dtype())),
        on_host(static_cast<const std::byte*>(data.data()) + first * bytes_of(data.dtype()),
                data.dtype(), shape, strides),
        on_device(here_.data() + (first + skip) * bytes_of(data.dtype()), data.dtype(), shape,
                  strides) {
    gpu.copy_in(here_.address() + skip * bytes_of(data.dtype()), data.data(), data.bytes());
  }

 private:
  DeviceBytes here_;

 public:
  ArrayRef on_host, on_device;
};

// Says what is wrong with the answers; empty: nothing. Whole arrays have other kernels and tests.
inline std::string flaws_of(const std::string& ops, const TwoArrays& x, const TwoArrays* y,
                            Options options) {
  const Plan plan = make_plan(ops, x.on_host, y == nullptr ? nullptr : &y->on_host, options);
  const std::optional<Copies> copies = Copies::of(plan);
  const Plan& folded = copies ? copies->plan : plan;
  if (cuda_backend::is_whole(folded, folded.nest)) return "";
  const Answers expected =
      y == nullptr ? fold(ops, x.on_host, options) : fold(ops, x.on_host, y->on_host, options);
  options.device = cuda();
  const auto run = [&](auto array) {
    return text_of(
        y == nullptr ? fold(ops, x.*array, options) : fold(ops, x.*array, y->*array, options),
        expected);
  };
  const std::string here = run(&TwoArrays::on_device), copied = run(&TwoArrays::on_host);
  return here + (copied.empty() ? "" : "of the host: " + copied);
}

// Two arrays of random elements with at most about `most` elements, folded by one nest.
struct RandomArrays {
  Cut cut, other;
  std::string_view generator, other_generator;
  Data a, b;
  Size skip, other_skip;
  TwoArrays x, y;

  RandomArrays(jit::Gpu& gpu, std::mt19937_64& r, DType t, uint64_t seed, int64_t most)
      : cut(r, most, bytes_of(t)),
        other(cut.beside(r, bytes_of(t))),
        generator(generators(t)[r() % generators(t).size()]),
        other_generator(r() % 2 == 0 ? generator : generators(t)[r() % generators(t).size()]),
        a(generate(generator, t, cut.elements, seed)),
        b(generate(other_generator, t, other.elements, seed + 9)),
        skip(r() % 2 == 0 ? 0 : r() % 4),
        other_skip(r() % 4 != 0 ? skip : r() % 4),
        x(gpu, a, cut.first, skip, cut.shape, cut.strides),
        y(gpu, b, other.first, other_skip, other.shape, other.strides) {}
  // Describes flaws and the request that showed them.
  std::string say(const std::string& ops, uint64_t seed, const std::string& flaws) const {
    if (flaws.empty()) return flaws;
    return ops + " of " + name_of(a.dtype()) + ", " + std::string(generator) + " and " +
           std::string(other_generator) + ", shape " + to_string(cut.shape) + ", strides " +
           to_string(cut.strides) + " and " + to_string(other.strides) + ", seed " +
           std::to_string(seed) + ":\n" + flaws;
  }
};

// Returns a ddof that the ops take.
inline Correction some_ddof(std::mt19937_64& r, const std::string& ops) {
  const auto has = [&](const char* name) { return ops.find(name) != std::string::npos; };
  return static_cast<int64_t>(r() % (has("skewness") || has("kurtosis") ? 2 : 3));
}

// Tests random nests of at most about `most` elements.
inline std::string random_flaws(const std::string& ops, DType t, uint64_t seed, int64_t most,
                                bool two = false) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const RandomArrays arrays(gpu, r, t, seed, most);
  const Options options{.axes = Axes(some_axes(r, arrays.cut.shape.rank())),
                        .keepdims = r() % 2 == 0,
                        .nan = static_cast<NanPolicy>(r() % 3)};
  return arrays.say(ops, seed,
                    flaws_of(ops, arrays.x, two || ops == "dot" ? &arrays.y : nullptr, options));
}

// Tests common shapes of about `most` elements: rows of any length, few and many columns, middle
// axes, two separate axes, every second column.
//   two   of two arrays, of which one may begin elsewhere, run downwards or be one for all rows
inline std::string shape_flaws(const std::string& ops, DType t, int64_t most, bool two = false) {
  struct Case {
    Dims shape, axes;
    int64_t step = 1;  // step along the last axis
  };
  std::vector<Case> cases;
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 15, 16, 30, 32, 64, 100, 128, 256, 1000, 4097}) {
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(1)});
    cases.push_back({Dims(int64_t{3}, n), Dims(1)});
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(int64_t{0})});
    cases.push_back({Dims(int64_t{4}, std::max<int64_t>(most / 20 / n, 1), n), Dims(1)});
    if (n < most) {  // 60 n elements
      cases.push_back({Dims(int64_t{5}, n, int64_t{12}), Dims(int64_t{0}, int64_t{2})});
    }
    cases.push_back({Dims(int64_t{9}, n), Dims(1), 2});
    cases.push_back({Dims(int64_t{9}, n), Dims(int64_t{0}), 2});
    cases.push_back({Dims(n, int64_t{4}, int64_t{5}), Dims(int64_t{0}, int64_t{1}, int64_t{2}), 3});
  }
  jit::Gpu gpu;
  uint64_t seed = 0;
  for (const Case& c : cases) {
    const auto all = generators(t);
    const std::string_view generator = all[++seed % all.size()];
    Dims strides = row_major(c.shape, t);
    int64_t elements = c.step;
    for (int d = 0; d < c.shape.rank(); ++d) {
      strides[d] *= c.step;
      elements *= c.shape[d];
    }
    const Data a = generate(generator, t, static_cast<Size>(elements), seed);
    const TwoArrays x(gpu, a, 0, seed % 3 == 0 ? 1 : 0, c.shape, strides);
    Dims other = strides;
    const uint64_t way = seed / 7 % 4;
    Size first = 0;
    if (way == 1) other[0] = 0;
    if (way == 2) {
      const int last = c.shape.rank() - 1;
      first = static_cast<Size>(c.step * (c.shape[last] - 1));
      other[last] = -other[last];
    }
    const Data b = generate(all[seed / 3 % all.size()], t, static_cast<Size>(elements), seed + 9);
    const TwoArrays y(gpu, b, first, way == 3 ? 1 : seed % 3 == 0 ? 1 : 0, c.shape, other);
    const std::string flaws = flaws_of(ops, x, two ? &y : nullptr, {.axes = Axes(c.axes)});
    if (!flaws.empty()) {
      return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " +
             to_string(c.shape) + ", axes " + to_string(c.axes) + ", step " +
             std::to_string(c.step) + ", way " + std::to_string(way) + ":\n" + flaws;
    }
  }
  return "";
}

// Pairs that are hard to sum: ties of the answer's type and what breaks them; products that cancel,
// overflow or underflow; infinities times 0, zeros of both signs, NaN. Each pair of these arrays is
// folded as rows, as columns and along a middle axis, with one of the policies.
inline std::string hard_pair_flaws(const std::string& ops, DType t, int64_t length) {
  const FloatFormat f = float_format(t);
  const double unit = std::ldexp(1.0, f.unit), top = std::ldexp(1.0, f.top - 1),
               ulp = std::ldexp(1.0, -f.mantissa_bits), root = std::ldexp(1.0, f.unit / 2),
               inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  // Elements repeat in turn; they are few, so that all combinations occur.
  const std::vector<std::vector<double>> arrays = {{1, ulp, 0.5},
                                                   {1, -1, ulp, -ulp},
                                                   {1 + ulp, 1 - ulp, -1},
                                                   {top, top, -top, 2},
                                                   {top, -top, 1},
                                                   {unit, -unit, 3 * unit, 1},
                                                   {root, -root, 1, unit},
                                                   {0.0, -0.0},
                                                   {-0.0},
                                                   {1, inf, 0.0},
                                                   {inf, -inf, 1},
                                                   {1, 2, nan, 3},
                                                   {1, 0.5, 0.25, ulp / 2, unit},
                                                   {3, 5, 7, 11, 13}};
  jit::Gpu gpu;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (std::size_t b = 0; b < arrays.size(); ++b) {
      const int64_t n = a % 3 == 0 ? length : static_cast<int64_t>(2 + (a + b) % 6);
      const Dims shape(int64_t{2}, n, int64_t{3});
      const auto all = static_cast<Size>(6 * n);
      const auto filled = [&](const std::vector<double>& from, Size first) {
        Data data(t, all);
        for (Size i = 0; i < all; ++i) {
          const double v = from[(i * i + first * i + i / 7) % from.size()];
          const uint64_t infinite = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits,
                         sign = uint64_t{v < 0} << (8 * bytes_of(t) - 1);
          data.set(i, v != v ? infinite + 1 : std::isinf(v) ? infinite | sign : bits_near(t, v));
        }
        return data;
      };
      const Data of_x = filled(arrays[a], 1), of_y = filled(arrays[b], 2);
      const TwoArrays x(gpu, of_x, 0, 0, shape, row_major(shape, t)),
          y(gpu, of_y, 0, 0, shape, row_major(shape, t));
      const auto axis = static_cast<int64_t>((a + b) % 3);
      const std::string flaws = flaws_of(
          ops, x, &y, {.axes = Axes(Dims(axis)), .nan = static_cast<NanPolicy>((a / 3 + b) % 3)});
      if (!flaws.empty()) {
        return ops + " of " + name_of(t) + ", arrays " + std::to_string(a) + " and " +
               std::to_string(b) + ", axis " + std::to_string(axis) + ":\n" + flaws;
      }
    }
  }
  return "";
}

}  // namespace onefold::test
