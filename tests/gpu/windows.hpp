// Compares windows on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/quantiles.hpp"
#include "gpu/segments.hpp"

namespace onefold::test {

// The begins and ends of some windows of n elements, which rise or not.
struct WindowLists {
  std::vector<int64_t> begins, ends;

  //   all  as random_windows has it
  WindowLists(std::mt19937_64& r, Size n, Size all) {
    const bool rises = r() % 2 == 0;
    const Size count = r() % 4 == 0 ? 1 + r() % 3 : 1 + r() % (n + 1),
               most = std::min(n, all / count);
    for (Size i = 0; i < count; ++i) {
      const Size at = rises ? i * (n + 1) / count : r() % (n + 1),
                 width = r() % 3 == 0 ? r() % (most + 1) : r() % (std::min<Size>(most, 30) + 1);
      begins.push_back(static_cast<int64_t>(at));
      ends.push_back(static_cast<int64_t>(std::min(n, at + width)));
    }
  }
  Windows windows() const {
    const Dims count{static_cast<int64_t>(begins.size())};
    return {.begin = ArrayRef(begins.data(), DType::i64, count),
            .end = ArrayRef(ends.data(), DType::i64, count)};
  }
};

// The same lists in a device's memory.
class ListsThere {
 public:
  ListsThere(jit::Gpu& gpu, const WindowLists& lists, bool narrow)
      : begins_(gpu, 8 * lists.begins.size()), ends_(gpu, 8 * lists.ends.size()), narrow_(narrow) {
    write(begins_, lists.begins);
    write(ends_, lists.ends);
    count_ = Dims(static_cast<int64_t>(lists.begins.size()));
  }
  Windows windows(Size least = 0) const {
    return {.begin = list(begins_), .end = list(ends_), .least = least};
  }

 private:
  void write(const DeviceBytes& to, const std::vector<int64_t>& from) const {
    narrow_ ? to.write(std::vector<int32_t>(from.begin(), from.end())) : to.write(from);
  }
  ArrayRef list(const DeviceBytes& at) const {
    ArrayRef a(at.data(), narrow_ ? DType::i32 : DType::i64, count_);
    a.device = cuda();
    return a;
  }

  DeviceBytes begins_, ends_;
  bool narrow_;
  Dims count_;
};

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
//   ops    or "quantile": some quantiles
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
  const Size length = static_cast<Size>(shape[axis]);
  Windows windows = random_windows(r, length, work);
  if (width != 0) windows.width = width, windows.step = 1;
  const WindowLists lists(r, length, work);
  if (width == 0 && r() % 3 == 0) {
    const Size least = r() % 2 == 0 ? 0 : 1 + r() % 8;
    windows = lists.windows();
    windows.least = least;
  }
  const ListsThere there(gpu, lists, r() % 2 == 0);
  const bool lists_there = r() % 2 == 0;
  const std::vector<Quantile> quantiles = random_quantiles(r, r() % 2 == 0);
  Options options{.axes = Axes(Dims(axis)), .nan = static_cast<NanPolicy>(r() % 3)};
  options.empty_nan = ops != "quantile" && r() % 2 == 0;
  const auto run = [&](auto at, Device device) {
    Request request{.ops = ops, .x = x.*at, .options = options, .windows = windows};
    request.options.device = device;
    if (masked) request.options.where = Mask(mask.*at);
    if (two) request.y = y.*at;
    if (windows.begin && device != cpu && lists_there) {
      request.windows = there.windows(windows.least);
    }
    if (ops == "quantile") {
      return quantile_windows(x.*at, *request.windows, quantiles, request.options);
    }
    return fold(request);
  };
  const Answers expected = run(&TwoArrays::on_host, cpu);
  const std::string flaws = text_of(run(&TwoArrays::on_device, cuda()), expected) +
                            text_of(run(&TwoArrays::on_host, cuda()), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " + to_string(shape) +
         ", axis " + std::to_string(axis) + (masked ? " under a mask" : "") +
         (windows.begin ? ", of " + std::to_string(lists.begins.size()) + " pairs" : "") +
         ", width " + std::to_string(windows.width) + ", ahead " + std::to_string(windows.ahead) +
         ", step " + std::to_string(windows.step) + ", least " + std::to_string(windows.least) +
         ", seed " + std::to_string(seed) + ":\n" + flaws.substr(0, 2000);
}

}  // namespace onefold::test
