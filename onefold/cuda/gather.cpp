// Gathers the states of a nest: contiguous runs by the kernels for whole arrays, other nests by
// their own kernels.
#include <algorithm>

#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/lanes.hpp"
#include "onefold/cuda/run.hpp"

namespace onefold::cuda_backend {
namespace {

void gather_line(Engine& engine, const Plan& plan, const Nest& nest, const void* x, const void* y,
                 int64_t* state) {
  const Size elements = nest.size();
  void* const stream = stream_of(plan);
  refuse_capture(engine, plan, stream);
  Engine::WorkspaceLease workspace = engine.borrow(stream);
  const Size bytes = bytes_of(plan.dtype), piece = most_at_once(engine, plan);
  // The words arrive before the driver reports the kernel's end. A kernel of another stream must
  // wait for that end, and whether it is another stream can be told only if streams have ids.
  const bool watched = workspace->stream.has_value();
  for (Size i = 0; i < elements; i += piece) {
    const uint64_t here = address(x) + i * bytes;
    const uint64_t other = y == nullptr ? 0 : address(y) + i * bytes;
    const WholeLaunch fold(engine, plan, here, other, std::min(piece, elements - i),
                           nest.index + i);
    if (watched) workspace->expect_words(plan.layout.words);
    fold.queue(stream, *workspace);
    workspace->unfinished = watched && workspace->words_have_come(plan.layout.words);
    if (!workspace->unfinished) engine.gpu().synchronize(stream);
    workspace->spoilt = false;
    canonicalise(workspace->state, plan.layout, plan.dtype);
    merge(state, workspace->state, plan.layout, plan.dtype);
  }
}

// Gathers the states of a nest's answers, in groups of bounded size; the arrays are on the device.
void gather_nest(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
                 void* stream, int64_t* states) {
  const auto words = static_cast<Size>(plan.layout.words);
  const Size answers = nest.answers();
  const Size group = std::clamp<Size>(piece_bytes / (8 * words), 1, answers);
  Engine::WorkspaceLease workspace = engine.borrow(stream);
  const Piece memory(engine.gpu(), group * words * 8);
  std::vector<int64_t> found(group * words);
  std::vector<Axis> kept;
  for (const Axis& a : nest.axes) {
    if (!a.folded) kept.push_back(a);
  }
  for (Size i = 0; i < answers; i += group) {
    const Size n = std::min(group, answers - i);
    const AxesLaunch fold(engine, plan, nest, at, memory.address(), i, n);
    fold.queue(stream, *workspace);
    engine.gpu().synchronize(stream);
    workspace->unfinished = workspace->spoilt = false;
    engine.gpu().copy_out(found.data(), memory.address(), n * words * 8);
    for (Size k = 0; k < n; ++k) {
      int64_t* const state = &found[k * words];
      canonicalise(state, plan.layout, plan.dtype);
      merge(states + (nest.answer + place_of(kept, i + k)) * words, state, plan.layout, plan.dtype);
    }
  }
}

// Does the same for host arrays. The bytes from their lowest to their highest element are copied to
// the device; if these are many, step by step along the slowest axis.
void gather_host_nest(Engine& engine, const Plan& plan, const Nest& nest, const void* x,
                      const void* y, int64_t* states) {
  const Span of_x(nest, 0), of_y(nest, 1), of_mask(nest, 2);
  const Size bytes =
      of_x.bytes + (y == nullptr ? 0 : of_y.bytes) + (plan.where.selects() ? of_mask.bytes : 0);
  if (bytes > piece_bytes && !nest.axes.empty()) {
    // An axis of one step is no loop.
    const Size inner = nest.size() / nest.axes[0].extent, extent = nest.axes[0].extent;
    const Size some = std::clamp<Size>(extent * (piece_bytes / 2) / bytes, 1, extent - 1);
    for (Size i = 0; i < extent; i += some) {
      Nest box = box_of(nest, 0, i * inner, std::min(some, extent - i));
      drop_ones(box.axes);
      gather_host_nest(engine, plan, box, x, y, states);
    }
    return;
  }
  const OnDevice here(engine, plan, nest, x, y);
  gather_nest(engine, plan, nest, here.at, nullptr, states);
}

}  // namespace

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  if (nest.size() == 0) return;
  const Arrays a(plan, nest, x, y);
  if (plan.device.several != 0) return gather_on_several(plan, nest, x, y, states);
  Engine& engine = Engine::of(plan.device.index);
  int64_t* const first = states + nest.answer * static_cast<Size>(plan.layout.words);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::RelaxedCapture relaxed;  // another thread may be capturing a stream
    const bool here = arrays_are_here(plan, a);
    if (!here) refuse_stream(plan);
    if (is_whole(plan, nest)) {
      if (here) return gather_line(engine, plan, nest, a.x, a.y, first);
      return gather_by_lanes(plan, nest, a.x, a.y, first);
    }
    if (!here) {
      return gather_host_nest(engine, plan, nest, x, plan.inputs == 2 ? y : nullptr, states);
    }
    void* const stream = stream_of(plan);
    refuse_capture(engine, plan, stream);
    gather_nest(engine, plan, nest, Addresses(a), stream, states);
  });
}

}  // namespace onefold::cuda_backend
