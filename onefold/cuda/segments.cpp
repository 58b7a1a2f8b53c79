// Segments on a device: a launch for those that one warp folds, and one for parts of longer ones.
#include "onefold/cuda/segments.hpp"

#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/quantile.hpp"
#include "onefold/cuda/run.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {

NestInput input_of(const Plan& plan, const backend::Segments& segments, const Addresses& at,
                   uint64_t offsets, Size ends) {
  NestInput input{.x = at.x,
                  .y = at.y,
                  .mask = at.mask,
                  .answers = plan.answers,
                  .elements = plan.elements,
                  .folded = 1,
                  .chosen = {.masked = plan.where.selects(),
                             .omit = plan.nan == NanPolicy::omit && is_floating(plan.dtype)},
                  .offsets = offsets,
                  .narrow_offsets = segments.narrow,
                  .ends = ends,
                  .axis = {}};
  const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
  const std::vector<Axis>& axes = segments.nest.axes;
  input.kept = static_cast<uint32_t>(axes.size()) - 1;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Axis& a = axes[axes.size() - 1 - k];  // the kernel's axes have the fastest first
    input.axis[k] = {.extent = a.extent,
                     .stride = {a.stride[0] / bytes, a.stride[1] / bytes, a.stride[2]},
                     .step = a.step};
  }
  if (plan.initial) {
    input.chosen.initial = true;
    input.chosen.bits = plan.initial->bits;
  }
  return input;
}

SegmentsLaunch::SegmentsLaunch(Engine& engine, const Plan& plan, const NestInput& input,
                               std::span<const Destination> answers)
    : launch_{.engine = engine,
              .input = input,
              .results = {.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
              .deal = {},
              .steps = {}} {
  place(launch_.results, plan, answers);
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  std::optional<LaunchDeal> dealt;
  if (input.windows.width != 0) dealt = deal_of_windows(plan, input, launch_.results);
  const bool tiles = dealt.has_value();
  if (!tiles) dealt = deal_of_segments(plan, input, launch_.results, all);
  launch_.add(plan, *dealt, kernel::Walk::undecided_segments);
  launch_.find({.dtype = plan.dtype,
                .set = plan.needs,
                .ops = bits_of(plan.ops),
                .selects = tiles || input.chosen.masked || input.chosen.omit ||
                           !launch_.deal.wide || input.kept != 0});
}

namespace {

// The device addresses of the arrays and offsets: the caller's memory, or copies.
struct DeviceInputs {
  DeviceInputs(Engine& engine, const Plan& plan, const backend::Segments& segments,
               const Arrays& arrays, const void* x, const void* y)
      : at(arrays), offsets(address(segments.offsets)) {
    const Nest& nest = segments.nest;
    if (nest.size() != 0 && !arrays_are_here(plan, arrays)) {
      copy.emplace(engine, plan, nest, x, y);
      at = copy->at;
    }
    if (!is_here(plan, segments.offsets, "the offsets")) {
      const Size bytes = (segments.count + 1) * (segments.narrow ? 4 : 8);
      numbers.emplace(engine.gpu(), bytes);
      engine.gpu().copy_in(numbers->address(), segments.offsets, bytes);
      offsets = numbers->address();
    }
  }
  bool copied() const { return copy || numbers; }
  Addresses at;
  uint64_t offsets;
  std::optional<OnDevice> copy;
  std::optional<Piece> numbers;
};

}  // namespace

void segments(const backend::Job& job) {
  const Plan& plan = job.plan;
  const backend::Segments& segments = *job.segments;
  if (plan.answers == 0) return;
  if (plan.device.several != 0) {
    throw Error(
        ErrorCode::no_backend,
        names_of(plan.ops) + ": segments are computed on one device; choose one, such as cuda:0");
  }
  Engine& engine = Engine::of(plan.device.index);
  const Arrays arrays(plan, segments.nest, job.x, job.y);
  // Calls queue(fold) with what is to be launched.
  const auto launch = [&](const NestInput& input, std::span<const Destination> to,
                          const auto& queue) {
    if (job.quantiles.empty()) return queue(SegmentsLaunch(engine, plan, input, to));
    queue(QuantileLaunch(engine, plan, input, to, job.quantiles, segments.count));
  };
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const bool queued = is_here(plan, job.outputs[0].data, "an output");
    if (queued) {
      std::vector<Destination> to;
      for (const Output& o : job.outputs) to.push_back({address(o.data), address(o.status)});
      void* const stream = stream_of(plan);
      if (engine.gpu().graph_of(stream) == nullptr) {
        const DeviceInputs here(engine, plan, segments, arrays, job.x, job.y);
        if (here.copied()) {
          throw Error(ErrorCode::bad_option,
                      names_of(plan.ops) +
                          ": the outputs are on the device, but the array or the " +
                          "offsets are on the host; copy them to the device");
        }
      }
      launch(input_of(plan, segments, Addresses(arrays), address(segments.offsets)), to,
             [&](const auto& fold) {
               const auto queue = [&](Workspace& workspace) { fold.queue(stream, workspace); };
               if constexpr (requires { fold.waits(stream); }) {
                 if (fold.waits(stream)) {
                   const jit::Gpu::RelaxedCapture relaxed;
                   return engine.wait_for(stream, queue);
                 }
               }
               engine.with_workspace(stream, queue);
             });
      return;
    }
    const jit::Gpu::RelaxedCapture relaxed;
    const DeviceInputs here(engine, plan, segments, arrays, job.x, job.y);
    void* const stream = stream_of(plan);
    refuse_capture(engine, plan, stream);
    const DeviceAnswers answered(engine, plan);
    launch(input_of(plan, segments, here.at, here.offsets), answered.places, [&](const auto& fold) {
      engine.wait_for(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
    });
    answered.copy_out(job.outputs);
  });
}

}  // namespace onefold::cuda_backend
