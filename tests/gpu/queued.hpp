// Folds along axes that are queued on a stream, and captured into a graph that is replayed with
// other data: on a device, real or simulated.
#pragma once

#include "gpu/masks.hpp"

namespace onefold::test {

// Sums f64 along one axis; some rows have a NaN, for which the policy raises. Says what is wrong
// with answers and statuses; empty: nothing.
//   mask  has the array's shape; null: none
inline std::string queued_flaws(jit::Gpu& gpu, const Dims& shape, int64_t axis,
                                const TwoMasks* mask) {
  const auto n = static_cast<Size>(shape[0] * shape[1]),
             answers = n / static_cast<Size>(shape[static_cast<int>(axis)]);
  const Stream stream;
  const DeviceBytes x(gpu, n * 8), out(gpu, answers * 9);
  Options options{.axes = Axes(Dims(axis)), .nan = NanPolicy::raise};
  Options queued = options;
  queued.device = cuda();
  queued.stream = stream.get();
  if (mask != nullptr) {
    options.where = mask->on_host;
    queued.where = mask->on_device;
  }
  const auto queue = [&] {
    fold_into({out.data(), f64, Dims(answers), reinterpret_cast<Status*>(out.data() + answers * 8)},
              "sum", ArrayRef(x.data(), f64, shape), queued);
  };
  std::string flaws;
  const auto check = [&](uint64_t seed, const char* how, auto&& run) {
    Data data = generate("normal", f64, n, seed);
    for (Size i = seed; i < n; i += n / 3) data.set(i, uint64_t{0x7ff8} << 48);
    gpu.copy_in(x.address(), data.data(), n * 8);
    gpu.fill(out.address(), 0xa5, answers * 9);
    gpu.synchronize();  // the copy used another stream
    run();
    stream.synchronize();
    const Answer expected = fold("sum", ArrayRef(data.data(), f64, shape), options).list[0];
    const auto values = out.read<uint64_t>(answers);
    const auto statuses = out.read<Status>(answers, answers * 8);
    bool some = false;
    for (Size i = 0; i < answers; ++i) {
      const Value v = expected[i];
      some |= v.status != Status::ok;
      if (statuses[i] == v.status && (v.status != Status::ok || values[i] == v.bits)) continue;
      flaws += std::string(how) + ", axis " + std::to_string(axis) + ", answer " +
               std::to_string(i) + ": " + std::to_string(values[i]) + " " + name_of(statuses[i]) +
               "\n";
    }
    if (!some && mask == nullptr) flaws += "no row has a NaN\n";
  };
  check(1, "on a stream", queue);
  const Graph graph(stream, queue);
  const auto replay = [&] { graph.replay(stream); };
  check(2, "in a graph", replay);
  check(3, "in a graph again", replay);
  return flaws;
}

}  // namespace onefold::test
