#include "onefold/cuda/run.hpp"

#include <cstring>

#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/exponential.hpp"
#include "onefold/cuda/lanes.hpp"
#include "onefold/cuda/matrix.hpp"
#include "onefold/cuda/quantile.hpp"
#include "onefold/cuda/ranks.hpp"
#include "onefold/cuda/weighted.hpp"
#include "onefold/cuda/windows.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {

namespace {

// Returns the addresses of the answers, if all of them are on the device.
std::optional<std::vector<Destination>> destinations(const Plan& plan,
                                                     std::span<const Output> outputs) {
  std::vector<Destination> to;
  for (const Output& o : outputs) {
    const bool here = is_here(plan, o.data, "an output");
    if (o.status != nullptr && is_here(plan, o.status, "a status") != here) {
      throw Error(ErrorCode::bad_option, names_of(plan.ops) +
                                             ": an output and its status must both be on the " +
                                             "device or both on the host");
    }
    if (!here) return {};
    to.push_back({address(o.data), address(o.status)});
  }
  return to;
}

[[noreturn]] void refuse(const Plan& plan, const std::string& why) {
  throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": " + why);
}

// Queues folds of plans that name the same communicator, device and stream.
bool queue_ranks(std::span<const backend::Job> folds) {
  const Plan& first = folds[0].plan;
  if (first.device.several != 0) return false;
  Engine& engine = Engine::of(first.device.index);
  std::vector<RanksLaunch> launched;
  for (const backend::Job& fold : folds) {
    const Plan& plan = fold.plan;
    const bool here = checked(plan, [&] {
      const jit::Gpu::Current current(engine.gpu());
      const Arrays a(plan, plan.nest, fold.x, fold.y);
      if (plan.elements != 0 && !arrays_are_here(plan, a)) return false;
      const std::optional<std::vector<Destination>> to = destinations(plan, fold.outputs);
      if (!to) return false;
      if (!plan.needs.of_pairs().empty() || plan.needs.of_high_powers()) {
        refuse(plan,
               ".nccl is not supported for this op, because the host rounds its answer; gather "
               "states, and merge them with onefold/nccl.hpp");
      }
      if (plan.answers != 0) launched.emplace_back(engine, plan, Addresses(a), *to);
      return true;
    });
    if (!here) return false;
  }
  if (launched.empty()) return true;
  checked(first, [&] {
    const jit::Gpu::Current current(engine.gpu());
    void* const stream = stream_of(first);
    engine.with_workspace(
        stream, [&](Workspace& workspace) { RanksLaunch::queue(launched, stream, workspace); });
    return true;
  });
  return true;
}

}  // namespace

bool queue(std::span<const backend::Job> jobs) {
  const backend::Job& job = jobs[0];
  const Plan& plan = job.plan;
  if (plan.device.several != 0) return false;  // several devices: the host waits for them
  if (plan.nccl != nullptr) return queue_ranks(jobs);
  Engine& engine = Engine::of(plan.device.index);
  const Arrays a(plan, plan.nest, job.x, job.y);
  return checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    if (plan.elements != 0 && !arrays_are_here(plan, a)) return false;
    const std::optional<std::vector<Destination>> to = destinations(plan, job.outputs);
    if (!to) return false;
    void* const stream = stream_of(plan);
    if (plan.weighted != nullptr) return queue_weighted(engine, job, *to);
    const auto captured = [&] { return engine.gpu().graph_of(stream) != nullptr; };
    if (plan.answers == 0) return true;
    const auto launch = [&](const auto& fold) {
      engine.with_workspace(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
      return true;
    };
    if (!job.quantiles.empty()) {
      return launch(QuantileLaunch(engine, plan, input_of(plan, plan.nest, Addresses(a)), *to,
                                   job.quantiles));
    }
    const Route route = route_of(engine, plan, Addresses(a));
    if (route == Route::row) return launch(RowLaunch(engine, plan, Addresses(a), *to));
    if (route == Route::exponential) {
      return launch(ExponentialLaunch(engine, plan, Addresses(a), *to));
    }
    const bool aligned = to->front().value % bytes_of(plan.results[0]) == 0;
    if (route == Route::matrix && aligned) {
      return launch(MatrixLaunch(engine, plan, Addresses(a), *to));
    }
    if (route == Route::nest || route == Route::matrix) {
      return launch(AxesLaunch(engine, plan, plan.nest, Addresses(a), *to));
    }
    if (const Size most = most_at_once(engine, plan); plan.elements > most) {
      if (!captured()) return false;
      refuse(plan, "a fold in a graph can have at most " + std::to_string(most) + " elements of " +
                       name_of(plan.dtype) + ", but this array has " +
                       std::to_string(plan.elements) + "; fold it in parts");
    }
    return launch(
        WholeLaunch(engine, plan, address(a.x), address(a.y), plan.elements, plan.nest.index, *to));
  });
}

bool answer(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs,
            std::span<const QuantileLevel> quantiles = {}) {
  if (plan.device.several != 0) return false;
  if (plan.answers == 0) return true;
  Engine& engine = Engine::of(plan.device.index);
  const Arrays a(plan, plan.nest, x, y);
  const Route route = quantiles.empty() ? route_of(engine, plan, Addresses(a)) : Route::nest;
  if (route == Route::whole) return false;
  return checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::RelaxedCapture relaxed;
    const bool some = plan.elements != 0, here = some && arrays_are_here(plan, a);
    if (route == Route::row && !here) return false;  // copy lanes fold host data
    if (some && !here) refuse_stream(plan);
    void* const stream = here ? stream_of(plan) : nullptr;
    if (here) refuse_capture(engine, plan, stream);
    const std::optional<OnDevice> copied =
        some && !here ? std::optional<OnDevice>(std::in_place, engine, plan, plan.nest, x, y)
                      : std::nullopt;
    const DeviceAnswers answered(engine, plan);
    const auto wait_for = [&](const auto& fold) {
      engine.wait_for(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
    };
    const Addresses at = copied ? copied->at : Addresses(a);
    if (!quantiles.empty()) {
      wait_for(
          QuantileLaunch(engine, plan, input_of(plan, plan.nest, at), answered.places, quantiles));
    } else if (route == Route::row) {
      wait_for(RowLaunch(engine, plan, at, answered.places));
    } else if (route == Route::exponential) {
      wait_for(ExponentialLaunch(engine, plan, at, answered.places));
    } else if (route == Route::matrix) {
      wait_for(MatrixLaunch(engine, plan, at, answered.places));
    } else {
      wait_for(AxesLaunch(engine, plan, plan.nest, at, answered.places));
    }
    answered.copy_out(outputs);
    return true;
  });
}

void write(const Plan& plan, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::RelaxedCapture relaxed;
    if (is_here(plan, to, "an output")) {
      engine.gpu().copy_in(address(to), from, bytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

namespace {

std::optional<Error> why_not(const Plan& plan) {
  if (plan.where.by == Selector::By::bits) {
    return Error(ErrorCode::no_backend, names_of(plan.ops) +
                                            ": a device does not support masks of packed bits; "
                                            "pass a mask of bools, or choose the device cpu");
  }
  if (!plan.aligned) {
    return Error(ErrorCode::misaligned,
                 names_of(plan.ops) + ": the device needs elements aligned to " +
                     std::to_string(bytes_of(plan.dtype)) + " bytes" +
                     (plan.inputs == 1 ? "; copy the array" : ", in both arrays; copy them"));
  }
  if (plan.weighted != nullptr && !plan.weighted->aligned) {
    return Error(ErrorCode::misaligned,
                 names_of(plan.ops) + ": the device needs weights aligned to " +
                     std::to_string(bytes_of(plan.weighted->type)) + " bytes; copy the weights");
  }
  if (const int n = kernel::count_ops(bits_of(plan.ops)); n > kernel::op_count) {
    return Error(ErrorCode::no_backend,
                 "a device computes up to " + std::to_string(kernel::op_count) +
                     " ops at once, not " + std::to_string(n) + "; split them over several calls");
  }
  for (const int index : devices_of(plan.device)) {
    if (std::optional<Error> why = why_no_device(index)) return why;
  }
  return why_no_device(plan.device.index);
}

// Folds into states; the host rounds them.
void run(const Plan& plan, const void* x, const void* y, const backend::Done& done, StateTable*) {
  const auto words = static_cast<Size>(plan.layout.words);
  std::vector<int64_t> states(plan.answers * words);
  for (Size i = 0; i < plan.answers; ++i) clear(&states[i * words], plan.layout, plan.dtype);
  gather(plan, plan.nest, x, y, states.data());
  done(0, plan.answers, states.data());
}

void fold(const backend::Job& job) {
  const Plan& plan = job.plan;
  if (job.labels != nullptr) return labels(plan, *job.labels, job.x, job.outputs, job.quantiles);
  if (job.windows != nullptr) return windows(job);
  if (plan.weighted != nullptr) return fold_weighted(job);
  if (job.segments != nullptr) return segments(job);
  if (answer(plan, job.x, job.y, job.outputs, job.quantiles)) return;
  run(
      plan, job.x, job.y,
      [&](Size first, Size n, const int64_t* states) { job.put(first, n, states); }, nullptr);
}

}  // namespace

constinit const backend::Backend backend{.name = "cuda",
                                         .device = Device::Type::cuda,
                                         .why_not = why_not,
                                         .fold = fold,
                                         .run = run,
                                         .queue = queue,
                                         .write = write,
                                         .gather = gather,
                                         .gather_read = gather_read};

}  // namespace onefold::cuda_backend
