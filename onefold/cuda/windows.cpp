#include "onefold/cuda/windows.hpp"

#include <algorithm>
#include <functional>

#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/run.hpp"
#include "onefold/cuda/scans.hpp"
#include "onefold/cuda/segments.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

[[noreturn]] void refuse(const Plan& plan, const std::string& why) {
  throw Error(ErrorCode::unsupported, names_of(plan.ops) + ": " + why);
}

void check(const Plan& plan, const backend::Windows& windows) {
  if (plan.device.several != 0) refuse(plan, "several devices cannot fold windows; name one");
  if (plan.initial || plan.weighted != nullptr) {
    refuse(plan, "a device folds windows without an initial element and weights");
  }
  if (!windows.ends.empty()) {
    refuse(plan, "windows of two lists are folded on the host; copy the array there");
  }
  if (windows.width != 0) return;
  if (windows.ahead != 0 || windows.step != 1 || windows.least != 0) {
    refuse(plan, "a device scans to every element; copy the array to the host for other scans");
  }
  if (!plan.needs.within(Accumulator::sum | Accumulator::tally) || plan.inputs != 1) {
    refuse(plan, "a device scans sums and means; copy the array to the host for other ops");
  }
  if (plan.where.selects()) {
    refuse(plan, "a device scans without a mask; copy the array to the host");
  }
}

// The argument of windows of a rule, as segments.
NestInput input_of(const Plan& plan, const backend::Windows& windows, const Addresses& at) {
  NestInput input = input_of(plan, backend::Segments{.count = 1, .nest = windows.nest}, at, 0);
  input.elements = windows.n;
  // A wider window has no more elements.
  const Size widest = windows.n + static_cast<Size>(std::max<int64_t>(windows.ahead, 0));
  input.windows = {.width = std::min(windows.width, widest),
                   .count = windows.count,
                   .inner = windows.apart,
                   .step = windows.step,
                   .ahead = windows.ahead,
                   .least = windows.least};
  return input;
}

using Launch = std::function<void(void* stream, Workspace& workspace)>;
template <class Made>
Launch queued(Made made) {
  return [made](void* stream, Workspace& workspace) { made.queue(stream, workspace); };
}
Launch launch_of(Engine& engine, const Plan& plan, const backend::Windows& windows,
                 const Addresses& at, std::span<const Destination> to) {
  if (windows.is_scan()) return queued(ScanLaunch(engine, plan, windows, at, to));
  return queued(SegmentsLaunch(engine, plan, input_of(plan, windows, at), to));
}

}  // namespace

void windows(const backend::Job& job) {
  const Plan& plan = job.plan;
  const backend::Windows& windows = *job.windows;
  check(plan, windows);
  if (plan.answers == 0) return;
  Engine& engine = Engine::of(plan.device.index);
  const Arrays arrays(plan, windows.nest, job.x, job.y);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    if (is_here(plan, job.outputs[0].data, "an output")) {
      std::vector<Destination> to;
      for (const Output& o : job.outputs) to.push_back({address(o.data), address(o.status)});
      void* const stream = stream_of(plan);
      if (engine.gpu().graph_of(stream) == nullptr && !arrays_are_here(plan, arrays)) {
        throw Error(ErrorCode::bad_option,
                    names_of(plan.ops) + ": the outputs are on the device, and the array on the " +
                        "host; both must be in one place");
      }
      const Launch launch = launch_of(engine, plan, windows, Addresses(arrays), to);
      engine.with_workspace(stream, [&](Workspace& workspace) { launch(stream, workspace); });
      return;
    }
    const jit::Gpu::RelaxedCapture relaxed;
    const bool here = arrays_are_here(plan, arrays);
    if (!here) refuse_stream(plan);
    void* const stream = here ? stream_of(plan) : nullptr;
    if (here) refuse_capture(engine, plan, stream);
    std::optional<OnDevice> copied;
    if (!here) copied.emplace(engine, plan, windows.nest, job.x, job.y);
    const DeviceAnswers answered(engine, plan);
    const Launch launch =
        launch_of(engine, plan, windows, here ? Addresses(arrays) : copied->at, answered.places);
    engine.wait_for(stream, [&](Workspace& workspace) { launch(stream, workspace); });
    answered.copy_out(job.outputs);
  });
}

}  // namespace onefold::cuda_backend
