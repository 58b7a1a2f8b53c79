// Compares scans on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/axes.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// Says what is wrong with the answers of a scan along an axis of a random array; empty: nothing.
//   n  about so many elements
inline std::string scan_flaws(const std::string& ops, DType t, uint64_t seed, Size n,
                              std::optional<DType> result = {}) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  Dims shape;
  const int rank = 1 + static_cast<int>(r() % 3),
            axis = static_cast<int>(r() % static_cast<unsigned>(rank));
  for (int d = 0; d < rank; ++d) {
    shape.push_back(d == axis ? static_cast<int64_t>(r() % 2 == 0 ? n / 9 : n / 9 / 16 * 16)
                              : 1 + static_cast<int64_t>(r() % 5));
  }
  if (rank == 1) shape[0] = static_cast<int64_t>(n);
  if (rank == 2 && r() % 2 == 0) {  // many short lines
    shape[axis] = 1 + static_cast<int64_t>(r() % 50);
    shape[1 - axis] = static_cast<int64_t>(n / 25);
  }
  Size size = 1;
  for (const int64_t extent : shape) size *= static_cast<Size>(extent);
  const Data data = generate(generator, t, size, seed);
  const TwoArrays x(gpu, data, 0, r() % 3 == 0 ? 1 : 0, shape, row_major(shape, t));
  Options options{.axes = Axes(Dims(axis)), .nan = static_cast<NanPolicy>(r() % 3)};
  options.result = result;
  const int64_t ahead = -static_cast<int64_t>(r() % 2);  // with an element itself, or without
  const Request request{
      .ops = ops, .x = x.on_host, .options = options, .windows = Windows{.ahead = ahead}};
  Request there = request;
  there.options.device = cuda();
  const Answers expected = fold(request);
  std::string flaws = text_of(fold(there), expected);
  there.x = x.on_device;
  flaws += text_of(fold(there), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", shape " + to_string(shape) +
         ", axis " + std::to_string(axis) + ", ahead " + std::to_string(ahead) + ", seed " +
         std::to_string(seed) + ":\n" + flaws.substr(0, 2000);
}

// Does the same for a scan that begins anew at offsets.
//   most  elements of most segments; some have more, and one may have nearly all
inline std::string segmented_scan_flaws(const std::string& ops, DType t, uint64_t seed, Size n,
                                        Size most) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()];
  std::vector<int64_t> offsets{0};
  while (offsets.back() != static_cast<int64_t>(n)) {
    const Size length = r() % 40 == 0 ? n / 2 : r() % (most + 1);
    offsets.push_back(
        std::min(offsets.back() + static_cast<int64_t>(length), static_cast<int64_t>(n)));
  }
  const Data data = generate(generator, t, n, seed);
  const Dims shape(n);
  const TwoArrays x(gpu, data, 0, r() % 3 == 0 ? 1 : 0, shape, row_major(shape, t));
  Request request{.ops = ops,
                  .x = x.on_host,
                  .options = {.nan = static_cast<NanPolicy>(r() % 3)},
                  .segments = offsets,
                  .windows = Windows{.ahead = -static_cast<int64_t>(r() % 2)}};
  Request there = request;
  there.options.device = cuda();
  const Answers expected = fold(request);
  std::string flaws = text_of(fold(there), expected);
  there.x = x.on_device;
  flaws += text_of(fold(there), expected);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", " + std::string(generator) + ", " +
         std::to_string(offsets.size() - 1) + " segments, seed " + std::to_string(seed) + ":\n" +
         flaws.substr(0, 2000);
}

// Scans f32 that are queued on a stream, and in a graph that is replayed: first data that windows
// hold, then data that they do not, then the first again. Says what is wrong; empty: nothing.
inline std::string queued_scan_flaws(jit::Gpu& gpu, Size n) {
  const Stream stream;
  const DeviceBytes x(gpu, n * 4), out(gpu, n * 4);
  Request request{.ops = "sum", .x = ArrayRef(x.data(), f32, Dims(n)), .windows = Windows{}};
  request.options.device = cuda();
  request.options.stream = stream.get();
  const auto queue = [&] {
    const OutputRef place(out.data(), f32, Dims(n), nullptr);
    fold(request, std::span(&place, 1));
  };
  std::string flaws;
  const auto check = [&](const char* generator, const char* how, auto&& run) {
    const Data data = generate(generator, f32, n, 7);
    gpu.copy_in(x.address(), data.data(), n * 4);
    gpu.fill(out.address(), 0xa5, n * 4);
    gpu.synchronize();
    run();
    stream.synchronize();
    Request here{.ops = "sum", .x = ArrayRef(data.data(), f32, Dims(n)), .windows = Windows{}};
    const Answer expected = fold(here).list[0];
    const auto values = out.read<uint32_t>(n);
    for (Size i = 0; i < n; ++i) {
      if (values[i] == expected[i].bits) continue;
      flaws += std::string(generator) + ", " + how + ", answer " + std::to_string(i) + "\n";
      return;
    }
  };
  check("normal", "on a stream", queue);
  check("random_bits", "on a stream", queue);
  check("normal", "on a stream again", queue);
  const Graph graph(stream, queue);
  const auto replay = [&] { graph.replay(stream); };
  check("random_bits", "in a graph", replay);
  check("normal", "in a graph", replay);
  return flaws;
}

}  // namespace onefold::test
