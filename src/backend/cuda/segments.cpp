// Segments on a device: a launch for what warps fold, and one for the parts of the longest.
#include "backend/cuda/segments.hpp"

#include "backend/cuda/answered.hpp"
#include "backend/cuda/run.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {

LaunchedSegments::LaunchedSegments(Engine& engine, const Plan& plan,
                                   const backend::Segments& segments, uint64_t x, uint64_t offsets,
                                   std::span<const Destination> answers, Size ends)
    : engine_(engine),
      input_{.x = x,
             .y = 0,
             .mask = 0,
             .answers = segments.count,
             .elements = plan.elements,
             .folded = 1,
             .chosen = {.omit = plan.nan == NanPolicy::omit && is_floating(plan.dtype)},
             .offsets = offsets,
             .narrow_offsets = segments.narrow,
             .ends = ends,
             .axis = {}},
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  input_.axis[0] = {.extent = plan.elements,
                    .stride = {segments.stride / static_cast<int64_t>(bytes_of(plan.dtype))},
                    .step = 1};
  if (plan.initial) {
    input_.chosen.initial = true;
    input_.chosen.bits = plan.initial->bits;
  }
  place(results_, plan, answers);
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  const Dealt dealt = deal_of_segments(plan, input_, results_, all);
  deal_ = dealt.deal;
  KernelKey key{.dtype = plan.dtype,
                .set = plan.needs,
                .ops = bits_of(plan.ops),
                .walk = dealt.walk,
                .selects = true};
  kernel_ = engine.kernels().get(key);
  if (dealt.walk == kernel::Walk::segments) {
    key.walk = kernel::Walk::long_segments;
    long_ = engine.kernels().get(key);
  }
  how_ = {.grid = dealt.blocks, .block = 32 * dealt.warps};
}

void LaunchedSegments::queue(void* stream, Workspace& workspace) const {
  if (how_.grid == 0) return;
  engine_.give_scratch(workspace);
  NestInput input = input_;
  kernel::Scratch<Passed> scratch = workspace.scratch;
  Results results = results_;
  kernel::Deal deal = deal_;
  void* args[] = {&input, &scratch, &results, &deal};
  jit::Gpu::Launch how = how_;
  how.stream = stream;
  engine_.gpu().launch(kernel_, how, args);
  workspace.spoilt = true;
  if (long_ == nullptr) return;
  how.grid = 4 * static_cast<unsigned>(engine_.gpu().facts().multiprocessors);
  engine_.gpu().launch(long_, how, args);
}

namespace {

// The array and the offsets on the device: where they are, or copies.
struct Here {
  Here(Engine& engine, const Plan& plan, const backend::Segments& segments, const void* array)
      : x(address(array)), offsets(address(segments.offsets)) {
    if (plan.elements != 0 && !is_here(plan, array, "the array")) {
      const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
      Nest line{.bytes = static_cast<Size>(bytes)};
      line.axes = {{plan.elements, {segments.stride, segments.stride}, 1, true}};
      copy.emplace(engine, plan, line, array, nullptr);
      x = copy->at.x;
    }
    if (!is_here(plan, segments.offsets, "the offsets")) {
      const Size bytes = (segments.count + 1) * (segments.narrow ? 4 : 8);
      numbers.emplace(engine.gpu(), bytes);
      engine.gpu().copy_in(numbers->address(), segments.offsets, bytes);
      offsets = numbers->address();
    }
  }
  bool copied() const { return copy || numbers; }
  uint64_t x, offsets;
  std::optional<OnDevice> copy;
  std::optional<Piece> numbers;
};

}  // namespace

void segments(const Plan& plan, const backend::Segments& segments, const void* x,
              std::span<const Output> outputs) {
  if (segments.count == 0) return;
  if (plan.device.several != 0) {
    throw Error(ErrorCode::no_backend,
                names_of(plan.ops) + ": several devices cannot fold segments; name one");
  }
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const bool queued = is_here(plan, outputs[0].data, "an output");
    if (queued) {
      std::vector<Destination> to;
      for (const Output& o : outputs) to.push_back({address(o.data), address(o.status)});
      void* const stream = stream_of(plan);
      if (engine.gpu().graph_of(stream) == nullptr) {
        const Here here(engine, plan, segments, x);
        if (here.copied()) {
          throw Error(ErrorCode::bad_option,
                      names_of(plan.ops) +
                          ": the outputs are on the device, and the array or the " +
                          "offsets on the host; all must be in one place");
        }
      }
      const LaunchedSegments fold(engine, plan, segments, address(x), address(segments.offsets),
                                  to);
      engine.with_workspace(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
      return;
    }
    const jit::Gpu::Relaxed relaxed;
    const Here here(engine, plan, segments, x);
    void* const stream = stream_of(plan);
    refuse_capture(engine, plan, stream);
    const Answered answered(engine, plan);
    const LaunchedSegments fold(engine, plan, segments, here.x, here.offsets, answered.places);
    {
      Engine::Borrowed workspace = engine.borrow(stream);
      fold.queue(stream, *workspace);
      engine.gpu().synchronize(stream);
      workspace->unfinished = workspace->spoilt = false;
    }
    answered.copy_out(outputs);
  });
}

}  // namespace onefold::cuda_backend
