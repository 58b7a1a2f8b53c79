// Folds along axes into outputs of any strides, on a device, real or simulated.
#pragma once

#include "gpu/queued.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// Says what is wrong with answers in Fortran order with holes of `hole` elements, written by
// kernels, and copied by the host; empty: nothing.
template <class T>
std::string strided_flaws(jit::Gpu& gpu, const std::string& ops, const Dims& shape,
                          const Dims& axes, int64_t hole) {
  const Size n = static_cast<Size>(shape[0] * shape[1] * shape[2]);
  const Data data = generate("normal", dtype_of<T>, n, 5);
  const DeviceBytes x(gpu, n * sizeof(T));
  gpu.copy_in(x.address(), data.data(), n * sizeof(T));
  const Options options{.axes = Axes(axes)};
  const Answers expected = fold(ops, ArrayRef(data.data(), dtype_of<T>, shape), options);
  const Dims& output = expected.list[0].shape;
  Dims strides = output, bytes = output;
  int64_t elements = 1;
  for (int d = 0; d < output.rank(); ++d) {
    strides[d] = elements;
    bytes[d] = elements * static_cast<int64_t>(sizeof(T));
    elements *= output[d] + hole;
  }
  const auto all = static_cast<Size>(elements), count = expected.list.size();
  const DeviceBytes values(gpu, count * all * sizeof(T)), statuses(gpu, count * all);
  const Stream stream;
  Options queued = options;
  queued.device = cuda();
  queued.stream = stream.get();
  std::vector<OutputRef> outs;
  for (Size k = 0; k < count; ++k) {
    outs.emplace_back(values.data() + k * all * sizeof(T), dtype_of<T>, output, bytes,
                      reinterpret_cast<Status*>(statuses.data() + k * all));
  }
  const auto queue = [&] { fold_into(outs, ops, ArrayRef(x.data(), dtype_of<T>, shape), queued); };
  std::string flaws;
  const auto check = [&](const char* how, auto&& run) {
    gpu.fill(values.address(), 0xa5, count * all * sizeof(T));
    gpu.fill(statuses.address(), 0xa5, count * all);
    gpu.synchronize();  // the copy used another stream
    run();
    stream.synchronize();
    for (Size k = 0; k < count; ++k) {
      std::vector<bits_of<T>> want(all);
      std::vector<uint8_t> status(all, 0xa5);
      std::memset(want.data(), 0xa5, all * sizeof(T));
      for (Size i = 0; i < expected.list[k].size(); ++i) {
        Size left = i, at = 0;
        for (int d = output.rank(); d-- > 0;) {
          at += left % static_cast<Size>(output[d]) * static_cast<Size>(strides[d]);
          left /= static_cast<Size>(output[d]);
        }
        want[at] = static_cast<bits_of<T>>(expected.list[k][i].bits);
        status[at] = static_cast<uint8_t>(expected.list[k][i].status);
      }
      if (values.read<bits_of<T>>(all, k * all * sizeof(T)) == want &&
          statuses.read<uint8_t>(all, k * all) == status)
        continue;
      flaws += expected.list[k].op + " of " + to_string(shape) + " along " + to_string(axes) + " " +
               how + "\n";
    }
  };
  check("on a stream", queue);
  const Graph graph(stream, queue);
  check("in a graph", [&] { graph.replay(stream); });
  check("from the host", [&] {
    Options waits = options;
    waits.device = cuda();
    fold_into(outs, ops, ArrayRef(data.data(), dtype_of<T>, shape), waits);
  });
  return flaws;
}

}  // namespace onefold::test
