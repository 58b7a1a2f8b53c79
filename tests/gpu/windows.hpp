// Compares windows of a rule on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/segments.hpp"

namespace onefold::test {

// A rule for windows of a line of n elements.
//   all   so many elements have all windows together, about
inline Windows random_windows(std::mt19937_64& r, Size n, Size all) {
  const auto below = [&](Size most) { return r() % std::max<Size>(most, 1); };
  const Size most = r() % 3 == 0 ? n + 20 : r() % 2 == 0 ? 10 : 90;
  Windows w{.width = 1 + below(std::min(most, all / n))};
  if (r() % 3 == 0) w.ahead = static_cast<int64_t>(below(w.width + 3)) - (r() % 4 == 0 ? 2 : 0);
  if (r() % 3 == 0) w.step = 1 + below(r() % 2 == 0 ? 3 : n / 4);
  if (r() % 2 == 0) w.least = 1 + below(w.width);
  return w;
}

// Says what is wrong with the answers of random windows of a random array; empty: nothing.
//   n     about so many elements
//   work  so many elements have all windows together, about: few for a simulated device
//   two   of two arrays
//   width  of the windows; 0: any
inline std::string window_flaws(const std::string& ops, DType t, uint64_t seed, Size n, Size work,
                                bool two = false, Size width = 0) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  Dims shape;
  const int rank = 1 + static_cast<int>(r() % 3),
            axis = static_cast<int>(r() % static_cast<unsigned>(rank));
  for (int d = 0; d < rank; ++d) {
    shape.push_back(d == axis ? static_cast<int64_t>(rank == 1 ? n : 1 + n / 6)
                              : 1 + static_cast<int64_t>(r() % 4));
  }
  Size size = 1;
  for (const int64_t extent : shape) size *= static_cast<Size>(extent);
  const Data data = generate(generator, t, size, seed),
             second = generate(generator, t, size, ~seed);
  const Dims strides = some_strides(r, shape, t);
  const TwoArrays x(gpu, data, 0, r() % 3, shape, strides),
      y(gpu, second, 0, r() % 3, shape, r() % 2 == 0 ? strides : some_strides(r, shape, t));
  const Data bools = generate("random_bits", DType::boolean, size, seed + 1);
  const TwoArrays mask(gpu, bools, 0, 0, shape, row_major(shape, DType::boolean));
  const bool masked = r() % 4 == 0;
  Windows windows = random_windows(r, static_cast<Size>(shape[axis]), work);
  if (width != 0) windows.width = width, windows.step = 1;
  Options options{.axes = Axes(Dims(axis)), .nan = static_cast<NanPolicy>(r() % 3)};
  options.empty_nan = r() % 2 == 0;
  const auto run = [&](auto at, Device device) {
    Request request{.ops = ops, .x = x.*at, .options = options, .windows = windows};
    request.options.device = device;
    if (masked) request.options.where = Mask(mask.*at);
    if (two) request.y = y.*at;
    return fold(request);
  };
  const Answers expected = run(&TwoArrays::on_host, cpu);
  const std::string flaws = text_of(run(&TwoArrays::on_device, cuda()), expected) +
                            text_of(run(&TwoArrays::on_host, cuda()), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " + to_string(shape) +
         ", axis " + std::to_string(axis) + (masked ? " under a mask" : "") + ", width " +
         std::to_string(windows.width) + ", ahead " + std::to_string(windows.ahead) + ", step " +
         std::to_string(windows.step) + ", least " + std::to_string(windows.least) + ", seed " +
         std::to_string(seed) + ":\n" + flaws.substr(0, 2000);
}

}  // namespace onefold::test
