// Compares products of matrices on a device, real or simulated, with the processor's.
#pragma once

#include "gpu/axes.hpp"
#include "onefold/cuda/matrix.hpp"
#include "onefold/matmul.hpp"

namespace onefold::test {

// Returns the strides of a matrix that lies by rows or by columns, perhaps with gaps between them.
inline Dims matrix_strides(std::mt19937_64& r, Size rows, Size columns, DType t) {
  const auto bytes = static_cast<int64_t>(bytes_of(t)), gap = static_cast<int64_t>(r() % 2 * 8);
  const auto along = (static_cast<int64_t>(columns) + gap) * bytes,
             down = (static_cast<int64_t>(rows) + gap) * bytes;
  return r() % 2 == 0 ? Dims{along, bytes} : Dims{bytes, down};
}

struct ProductShape {
  Size rows, columns, inner, batch = 1;
  Size most_terms = residues::most_terms;  // Engine::most_terms
  Size lent = 0;                           // bytes of a MatmulWorkspace
  Size outer = 1;                          // another axis of the batch, which y has in other order
  Size most_doubles = 0;                   // Engine::most_doubles
};

// Says what is wrong with the product of two random matrices; empty: nothing.
inline std::string product_flaws(DType t, uint64_t seed, const ProductShape& shape) {
  jit::Gpu gpu;
  std::mt19937_64 r(seed);
  const auto all = generators(t);
  const std::string_view generator = all[r() % all.size()], other = all[r() % all.size()];
  const auto extent = [](Size n) { return static_cast<int64_t>(n); };
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  const auto room_of = [&](Size vectors) { return (vectors + 8) * (shape.inner + 8); };
  const Size products = shape.outer * shape.batch;
  const Data a = generate(generator, t, room_of(shape.rows) * products, seed),
             b = generate(other, t, room_of(shape.columns) * products, seed + 1);
  const auto array = [&](const Data& data, Size vectors, bool first) {
    const Dims strides = matrix_strides(r, vectors, shape.inner, t);
    const auto apart = extent(room_of(vectors)) * bytes;
    const Dims extents{extent(shape.outer), extent(shape.batch), extent(shape.rows),
                       extent(shape.columns), extent(shape.inner)};
    const Dims steps{first ? apart * extent(shape.batch) : apart,
                     first ? apart : apart * extent(shape.outer), first ? strides[0] : 0,
                     first ? 0 : strides[0], strides[1]};
    return std::make_unique<TwoArrays>(gpu, data, 0, r() % 2 * 3, extents, steps);
  };
  const auto x = array(a, shape.rows, true), y = array(b, shape.columns, false);
  Options options{.axes = {-1}, .nan = static_cast<NanPolicy>(r() % 3)};
  const Plan plan = make_plan("dot", x->on_host, &y->on_host, options);
  cuda_backend::Engine& engine = cuda_backend::Engine::of(0);
  engine.least_products = 1;
  engine.most_terms = shape.most_terms;
  engine.most_doubles = shape.most_doubles;
  if (!cuda_backend::MatrixLaunch::product_of(engine, plan)) return "it is not a product";
  const Answers expected = fold("dot", x->on_host, y->on_host, options);
  options.device = cuda();
  std::string flaws;
  {
    void* const memory = reinterpret_cast<void*>(shape.lent == 0 ? 0 : gpu.allocate(shape.lent));
    std::optional<MatmulWorkspace> workspace;
    if (shape.lent != 0) workspace.emplace(0, memory, shape.lent);
    flaws = text_of(fold("dot", x->on_device, y->on_device, options), expected);
    if (shape.lent != 0) {
      gpu.synchronize(nullptr);
      gpu.free(reinterpret_cast<uint64_t>(memory));
    }
  }
  return flaws.empty() ? ""
                       : std::string(generator) + " by " + std::string(other) + ", seed " +
                             std::to_string(seed) + ": " + flaws;
}

}  // namespace onefold::test
