// Folds by labels that are queued, and captured into a graph that is replayed with other labels and
// elements: on a device, real or simulated.
#pragma once

#include <cmath>

#include "gpu/labels.hpp"

namespace onefold::test {

// What is wrong with deferred answers and statuses, or nothing. Elements are of like sizes; of any
// sizes, so that sums are refused and elements sorted; and some label is bad.
template <class T>
std::string queued_label_flaws(jit::Gpu& gpu, const std::string& ops, DType result, Size n,
                               Size groups) {
  const auto count = static_cast<Size>(std::count(ops.begin(), ops.end(), ',')) + 1;
  const Stream stream;
  const DeviceBytes x(gpu, n * sizeof(T)), labels(gpu, n * 4), out(gpu, count * groups * 8),
      status(gpu, count * groups);
  const ArrayRef array(x.data(), dtype_of<T>, Dims(n)), numbers(labels.data(), i32, Dims(n));
  std::vector<OutputRef> to;
  for (Size k = 0; k < count; ++k) {
    to.emplace_back(out.data() + 8 * k * groups, result, Dims(groups),
                    reinterpret_cast<Status*>(status.data() + k * groups));
  }
  const Request request{.ops = ops,
                        .x = array,
                        .options = {.device = cuda(), .stream = stream.get()},
                        .labels = numbers,
                        .groups = groups,
                        .deferred = true};
  const auto queue = [&] { fold(request, to); };
  std::string flaws;
  enum { like, any, bad };
  const auto check = [&](int kind, uint64_t seed, const char* when, auto&& run) {
    std::mt19937_64 r(seed);
    std::vector<T> elements;
    std::vector<int32_t> of;
    for (Size i = 0; i < n; ++i) {
      const int exponent = kind == any ? static_cast<int>(r() % 240) - 120 : 0;
      const double one = 0.5 + static_cast<double>(r() % 1000) / 1000;
      elements.push_back(static_cast<T>(std::ldexp(r() % 2 == 0 ? one : -one, exponent)));
      of.push_back(static_cast<int32_t>(r() % groups));
    }
    const Answers expected = fold_by(ops, of, elements, {.groups = groups});
    if (kind == bad) of[n / 2] = r() % 2 == 0 ? -1 : static_cast<int32_t>(groups);
    x.write(elements);
    labels.write(of);
    gpu.fill(out.address(), 0xa5, count * groups * 8);
    gpu.fill(status.address(), 0xa5, count * groups);
    gpu.synchronize();  // the copy used another stream
    run();
    stream.synchronize();
    const Size bytes = bytes_of(result);
    for (Size k = 0; k < count; ++k) {
      const auto values = out.read<uint8_t>(groups * bytes, 8 * k * groups);
      const auto statuses = status.read<Status>(groups, k * groups);
      for (Size g = 0; g < groups; ++g) {
        Value v = expected.list[k][g];
        if (kind == bad) v.bits = 0, v.status = Status::bad_offsets;
        uint64_t bits = 0;
        std::memcpy(&bits, &values[g * bytes], bytes);
        if (statuses[g] == v.status && bits == v.bits) continue;
        flaws += std::string(when) + ", " + expected.list[k].op + ", group " + std::to_string(g) +
                 ": " + std::to_string(bits) + " " + name_of(statuses[g]) + ", not " +
                 std::to_string(v.bits) + "\n";
        if (flaws.size() > 1000) return;
      }
    }
  };
  check(like, 1, "on a stream", queue);
  check(any, 2, "of any sizes", queue);
  check(bad, 3, "a bad label", queue);
  const Graph graph(stream, queue);
  const auto replay = [&] { graph.replay(stream); };
  check(like, 4, "in a graph", replay);
  check(bad, 5, "a bad label in a graph", replay);
  check(any, 6, "of any sizes in a graph", replay);
  check(like, 7, "in a graph again", replay);
  return flaws.empty() ? "" : ops + ", " + std::to_string(groups) + " groups: " + flaws;
}

}  // namespace onefold::test
