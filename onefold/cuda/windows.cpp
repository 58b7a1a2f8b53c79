#include "onefold/cuda/windows.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/quantile.hpp"
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
  if (!windows.is_scan()) return;
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

// The argument of windows, as segments; the offsets are of the begins, then of the ends.
NestInput input_of(const Plan& plan, const backend::Windows& windows, const Addresses& at) {
  NestInput input =
      input_of(plan, backend::Segments{.count = 1, .nest = windows.nest}, at, 0, windows.count);
  input.elements = windows.n;
  // A wider window has no more elements.
  const Size widest = windows.n + static_cast<Size>(std::max<int64_t>(windows.ahead, 0));
  input.windows = {.count = windows.count,
                   .width = std::min(windows.width, widest),
                   .inner = windows.apart,
                   .step = windows.step,
                   .ahead = windows.ahead,
                   .least = windows.least,
                   .widths = windows.count * std::min(windows.width, windows.n)};
  input.narrow_offsets = windows.narrow;
  if (windows.are_there()) input.windows.widths = windows.widths;
  for (Size i = 0; i < windows.ends.size(); ++i) {
    input.windows.widths += static_cast<Size>(windows.ends[i] - windows.begins[i]);
  }
  return input;
}

using Launch = std::function<void(void* stream, Workspace& workspace)>;

// Queues a launch of segments behind a copy of the borders, for which it waits.
template <class Made>
Launch behind_borders(Engine& engine, const backend::Windows& windows, Made made) {
  return [&engine, &windows, made](void* stream, Workspace& workspace) {
    const bool there = windows.are_there();
    if (windows.ends.empty() && !there) return made.queue(stream, workspace);
    const Size bytes = (windows.narrow ? 4 : 8) * windows.count;
    const uint64_t borders = engine.memory_of(workspace, std::bit_ceil(2 * bytes));
    workspace.spoilt = true;
    // A launch takes the device's own stream if none is named, and copies must precede it there.
    void* const order = stream == nullptr ? engine.gpu().stream() : stream;
    const auto copy = [&](uint64_t to, const void* from) {
      there ? engine.gpu().copy(to, address(from), bytes, order)
            : engine.gpu().copy_in(to, from, bytes, order);
    };
    copy(borders, there ? windows.begins_there : windows.begins.data());
    copy(borders + bytes, there ? windows.ends_there : windows.ends.data());
    if (!there) engine.gpu().synchronize(order);
    made.queue(stream, workspace, borders);
  };
}
Launch launch_of(Engine& engine, const backend::Job& job, const Addresses& at,
                 std::span<const Destination> to) {
  const Plan& plan = job.plan;
  const backend::Windows& windows = *job.windows;
  if (!job.quantiles.empty()) {
    const NestInput input = input_of(plan, windows, at);
    return behind_borders(engine, windows,
                          QuantileLaunch(engine, plan, input, to, job.quantiles, windows.count));
  }
  if (windows.is_scan()) {
    return [scan = ScanLaunch(engine, plan, windows, at, to)](void* stream, Workspace& workspace) {
      scan.queue(stream, workspace);
    };
  }
  return behind_borders(engine, windows,
                        SegmentsLaunch(engine, plan, input_of(plan, windows, at), to));
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
      const bool captured = engine.gpu().graph_of(stream) != nullptr;
      if (captured && (windows.are_there() || !windows.ends.empty())) {
        refuse(plan,
               "begins and ends of windows are copied, which a graph cannot repeat; give a rule");
      }
      if (!captured && !arrays_are_here(plan, arrays)) {
        throw Error(ErrorCode::bad_option,
                    names_of(plan.ops) + ": the outputs are on the device, and the array on the " +
                        "host; both must be in one place");
      }
      const Launch launch = launch_of(engine, job, Addresses(arrays), to);
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
        launch_of(engine, job, here ? Addresses(arrays) : copied->at, answered.places);
    engine.wait_for(stream, [&](Workspace& workspace) { launch(stream, workspace); });
    answered.copy_out(job.outputs);
  });
}

}  // namespace onefold::cuda_backend
