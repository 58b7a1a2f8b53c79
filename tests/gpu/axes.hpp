// Folds along axes against the processor, on a device or a simulated one.
#pragma once

#include <random>
#include <string>

#include "backend/cuda/axes.hpp"
#include "generate.hpp"
#include "gpu/device.hpp"
#include "onefold/fold.hpp"
#include "plan/copies.hpp"

namespace onefold::test {

// An array with strides, cut out of more elements than it has.
struct Cut {
  Dims shape, strides;
  Size first = 0, elements = 1;  // elements of the memory that it is cut out of

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
    // In any order of memory.
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

// Some axes, each as likely as not.
inline Dims some_axes(std::mt19937_64& r, int rank) {
  Dims axes;
  for (int d = 0; d < rank; ++d) {
    if (r() % 2 == 0) axes.push_back(r() % 2 == 0 ? d : d - rank);
  }
  return axes;
}

// An array of a device and the same of the host, `skip` elements behind a multiple of 256 bytes.
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

// What is wrong with the answers, or nothing. Whole arrays have kernels and tests of their own.
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

// Two arrays of random elements, one nest of at most about so many for both.
struct RandomArrays {
  Cut cut;
  std::string_view generator;
  Data a, b;
  Size skip;
  TwoArrays x, y;

  RandomArrays(jit::Gpu& gpu, std::mt19937_64& r, DType t, uint64_t seed, int64_t most)
      : cut(r, most, bytes_of(t)),
        generator(generators(t)[r() % generators(t).size()]),
        a(generate(generator, t, cut.elements, seed)),
        b(generate(generator, t, cut.elements, seed + 9)),
        skip(r() % 2 == 0 ? 0 : r() % 4),
        x(gpu, a, cut.first, skip, cut.shape, cut.strides),
        y(gpu, b, cut.first, skip, cut.shape, cut.strides) {}
  // The flaws of ops with what they were found in.
  std::string say(const std::string& ops, uint64_t seed, const std::string& flaws) const {
    if (flaws.empty()) return flaws;
    return ops + " of " + name_of(a.dtype()) + ", " + std::string(generator) + ", shape " +
           to_string(cut.shape) + ", strides " + to_string(cut.strides) + ", seed " +
           std::to_string(seed) + ":\n" + flaws;
  }
};

// Random nests of at most about so many elements.
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

// Shapes that people fold, of about so many elements: rows of any length, few and many columns,
// middle axes, two axes apart, every second column.
inline std::string shape_flaws(const std::string& ops, DType t, int64_t most) {
  struct Case {
    Dims shape, axes;
    int64_t step = 1;  // of the last axis
  };
  std::vector<Case> cases;
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 15, 16, 30, 32, 64, 100, 128, 256, 1000, 4097}) {
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(1)});
    cases.push_back({Dims(int64_t{3}, n), Dims(1)});
    cases.push_back({Dims(std::max<int64_t>(most / n, 1), n), Dims(int64_t{0})});
    cases.push_back({Dims(int64_t{4}, std::max<int64_t>(most / 20 / n, 1), n), Dims(1)});
    cases.push_back({Dims(int64_t{5}, n, int64_t{12}), Dims(int64_t{0}, int64_t{2})});
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
    const std::string flaws = flaws_of(ops, x, nullptr, {.axes = Axes(c.axes)});
    if (!flaws.empty()) {
      return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " +
             to_string(c.shape) + ", axes " + to_string(c.axes) + ", step " +
             std::to_string(c.step) + ":\n" + flaws;
    }
  }
  return "";
}

}  // namespace onefold::test
