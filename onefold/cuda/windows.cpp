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
  if (plan.device.several != 0)
    refuse(plan, "windows are computed on one device; choose one, such as cuda:0");
  if (plan.initial || plan.weighted != nullptr) {
    refuse(plan,
           "windows on a device support neither .initial nor weights; copy the array to the host");
  }
  if (!windows.is_scan()) return;
  if (windows.ahead > 0 || windows.ahead < -1 || windows.step != 1 || windows.least != 0) {
    refuse(plan,
           "a device supports only scans with one answer per element; copy the array to the host "
           "for other scans");
  }
  if (!plan.needs.within(Accumulator::sum | Accumulator::tally) || plan.inputs != 1) {
    refuse(
        plan,
        "a device supports only scans of sum and mean; copy the array to the host for other ops");
  }
  if (plan.where.selects()) {
    refuse(plan, "a device does not support scans with a mask; copy the array to the host");
  }
  if (!windows.anew.empty() && windows.nest.axes.size() > 1) {
    refuse(plan,
           "a device supports scans of segments only for arrays with one dimension; copy the array "
           "to the host");
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

// Queues a scan that begins anew: one launch for all segments but long ones, then those as lines.
Launch scan_of_segments(Engine& engine, const Plan& plan, const backend::Windows& windows,
                        const Addresses& at, std::span<const Destination> to) {
  const ScanLaunch all(engine, plan, windows, at, to);
  std::vector<ScanLaunch> lines;
  Size bytes = std::bit_ceil(8 * windows.anew.size());
  for (Size s = 0; s + 1 < windows.anew.size(); ++s) {
    const auto first = static_cast<Size>(windows.anew[s]);
    const Size n = static_cast<Size>(windows.anew[s + 1]) - first;
    if (n <= all.longest()) continue;
    backend::Windows line{.count = n, .n = n, .ahead = windows.ahead, .nest = windows.nest};
    Plan one = plan;
    one.answers = n;
    Addresses from = at;
    from.x += first * static_cast<Size>(windows.nest.axes[0].stride[0]);
    std::vector<Destination> places(to.begin(), to.end());
    for (std::size_t k = 0; k < places.size(); ++k) {
      places[k].value += first * bytes_of(plan.results[k]);
      if (places[k].status != 0) places[k].status += first;
    }
    lines.emplace_back(engine, one, line, from, places);
    bytes = std::max(bytes, lines.back().bytes());
  }
  return [&engine, &windows, all, lines, bytes](void* stream, Workspace& workspace) {
    // The lines' states take the place of the offsets, behind their last use.
    const uint64_t offsets = engine.memory_of(workspace, bytes);
    workspace.spoilt = true;
    void* const order = stream == nullptr ? engine.gpu().stream() : stream;
    engine.gpu().copy_in(offsets, windows.anew.data(), 8 * windows.anew.size(), order);
    engine.gpu().synchronize(order);
    all.queue(stream, workspace, offsets);
    for (const ScanLaunch& line : lines) line.queue(stream, workspace);
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
  if (!windows.anew.empty()) return scan_of_segments(engine, plan, windows, at, to);
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
      if (captured && (windows.are_there() || !windows.ends.empty() || !windows.anew.empty())) {
        refuse(plan,
               "the numbers that give windows, and offsets of scans, are copied at each call, "
               "which a graph cannot "
               "repeat; use .width, .ahead and .step");
      }
      if (!captured && !arrays_are_here(plan, arrays)) {
        throw Error(ErrorCode::bad_option,
                    names_of(plan.ops) +
                        ": the outputs are on the device, but the array is on the " +
                        "host; copy it to the device");
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
