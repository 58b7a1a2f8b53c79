#include "onefold/cuda/weighted.hpp"

#include <algorithm>
#include <bit>

#include "onefold/core/named.hpp"
#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/weighted_quantile.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

Size reach(int64_t stride) { return static_cast<Size>(stride < 0 ? -stride : stride); }

// Returns whether loads of 16 bytes read all elements.
//   bytes   of an element
bool are_whole_loads(const WeightedInput& in, int64_t bytes) {
  const kernel::WeightedAxis& inner = in.axis[in.kept];
  if (in.folded != 1 || in.masked || in.cut || in.counts != 0) return false;
  const int64_t size = 16 / bytes;
  const bool two = in.y != 0;
  bool whole = inner.stride[0] == 1 && inner.stride[2] == 1 && (!two || inner.stride[1] == 1) &&
               (in.x | in.y | in.w) % 16 == 0;
  for (unsigned k = 0; k < in.kept; ++k) {
    for (int a = 0; a < 3; ++a) whole = whole && in.axis[k].stride[a] % size == 0;
  }
  return whole;
}

// Decides which lanes add the elements of an answer, and into how many parts it is cut.
//   all       multiprocessors of the device
//   repeated  the weights are counts
void divide(WeightedInput& in, Size all, bool repeated) {
  const bool both = in.kept != 0 && in.folded != 0;
  in.beside = both && reach(in.axis[0].stride[0]) < reach(in.axis[in.kept].stride[0]);
  // A lane has 16 elements or more, since merging lanes takes as long as some. A row has a warp, or
  // a block if rows are few; neighbouring columns share lines of memory, so 8 lanes are enough.
  const bool few = in.answers < 16 * all;
  const Size most = in.beside ? 8 : few ? kernel::weighted_threads : 32;
  const Size elements = in.cut ? in.elements * in.slices / in.answers : in.elements;  // on average
  const Size lanes = std::min(std::bit_floor(std::max<Size>(elements / (few ? 4 : 16), 1)), most);
  const Size at_once = std::min<Size>(kernel::weighted_threads / lanes,
                                      std::bit_ceil(std::max<Size>(in.answers, 1)));
  in.answer_bits = static_cast<uint32_t>(std::countr_zero(at_once));
  const Size groups = (in.answers + at_once - 1) / at_once;
  const Size of_lanes = kernel::weighted_threads / at_once * 16;
  const Size most_groups = Workspace::scratch_words / (at_once * kernel::most_weighted_words);
  in.parts = static_cast<uint32_t>(
      groups >= 2 * all || at_once > 32
          ? 1
          : std::clamp<Size>(elements / of_lanes, 1,
                             std::max<Size>(std::min(4 * all, most_groups) / groups, 1)));
  in.batch = in.parts != 1 ? 1
                           : static_cast<uint32_t>(std::clamp<Size>(
                                 groups / (8 * all), 1, kernel::weighted_threads / at_once));
  // Answers with more elements are left to the second kernel: 8,192 for each lane take about 0.1
  // ms. But bad counts are found only by the first kernel, so with counts it takes all answers.
  in.longest = repeated ? ~Size{0} : lanes * in.parts * 8192;
}

}  // namespace

WeightedInput input_of(const Plan& plan, const backend::Segments* segments,
                       const WeightedLaunch::InputAddresses& at, Size all) {
  const Weighted& w = *plan.weighted;
  const bool by_bytes = w.repeated || w.any_type;
  WeightedInput in{.x = at.x,
                   .y = at.y,
                   .w = by_bytes ? 0 : at.w,
                   .counts = by_bytes ? at.w : 0,
                   .mask = at.mask,
                   .count_type = w.type,
                   .masked = plan.where.selects(),
                   .omit = plan.nan == NanPolicy::omit && is_floating(plan.dtype),
                   .answers = plan.answers,
                   .elements = plan.elements,
                   .cut = segments != nullptr,
                   .axis = {}};
  if (segments != nullptr) {
    in.narrow = segments->narrow;
    in.offsets = at.offsets;
    in.slices = std::max<Size>(plan.answers / std::max<Size>(segments->count, 1), 1);
  }
  const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
  unsigned n = 0;
  for (const bool folded : {false, true}) {
    for (auto a = w.axes.rbegin(); a != w.axes.rend(); ++a) {
      if (a->folded != folded) continue;
      in.axis[n++] = {.extent = a->extent,
                      .stride = {a->stride[0] / bytes, a->stride[1] / bytes,
                                 by_bytes ? a->stride[2] : a->stride[2] / bytes, a->stride[3]},
                      .step = a->step};
      ++(folded ? in.folded : in.kept);
    }
  }
  in.wide = are_whole_loads(in, bytes);
  divide(in, all, w.repeated);
  return in;
}

namespace {

// The bytes from an array's lowest element to its highest.
struct Extent {
  int64_t low = 0;
  Size bytes;
  Extent(const Plan& plan, int array, Size element) : bytes(element) {
    for (const Weighted::Axis& a : plan.weighted->axes) {
      const auto along = static_cast<int64_t>(reach(a.stride[array]) * (a.extent - 1));
      if (a.stride[array] < 0) low -= along;
      bytes += static_cast<Size>(along);
    }
  }
};

// Copies of arrays of the host.
struct DeviceCopies {
  std::vector<std::unique_ptr<Piece>> memory;
  WeightedLaunch::InputAddresses at;
  DeviceCopies(Engine& engine, const backend::Job& job) {
    const Plan& plan = job.plan;
    const Weighted& w = *plan.weighted;
    const auto copy = [&](const void* p, int array, Size element) -> uint64_t {
      const Extent e(plan, array, element);
      memory.push_back(std::make_unique<Piece>(engine.gpu(), e.bytes));
      engine.gpu().copy_in(memory.back()->address(), static_cast<const std::byte*>(p) + e.low,
                           e.bytes);
      return memory.back()->address() - static_cast<Size>(e.low);
    };
    at.x = copy(job.x, 0, bytes_of(plan.dtype));
    if (plan.inputs == 2) at.y = copy(job.y, 1, bytes_of(plan.dtype));
    at.w = copy(w.data, 2, bytes_of(w.type));
    if (plan.where.selects()) at.mask = copy(plan.where.data + w.mask, 3, 1);
    if (job.segments != nullptr) at.offsets = address(job.segments->offsets);
  }
};

WeightedLaunch::InputAddresses places_of(const backend::Job& job) {
  const Plan& plan = job.plan;
  return {.x = address(job.x),
          .y = plan.inputs == 2 ? address(job.y) : 0,
          .w = address(plan.weighted->data),
          .mask = plan.where.selects() ? address(plan.where.data + plan.weighted->mask) : 0,
          .offsets = job.segments == nullptr ? 0 : address(job.segments->offsets)};
}

// Returns whether sums need two f64: for answers of another type than the op has, for the sum or
// mean of the elements, which may be small compared with them, and for relations of many pairs and
// moments of many elements.
bool needs_wide_sums(const Plan& plan) {
  Named many;
  many.n = 1000;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const OpRow& op = *plan.ops[k];
    if (plan.results[k] != op.about->result.of(plan.dtype)) return true;
    if (!is_floating(plan.dtype) || op.recipe == nullptr) continue;
    const Statistic of = op.recipe(many).numerator.of;
    if (of == total_of(Term::x)) return true;
    const bool cancels = is_relation(of) || is_moment(of);
    if (cancels && plan.elements >= Size{1} << 18) return true;
  }
  return false;
}

}  // namespace

WeightedLaunch::WeightedLaunch(Engine& engine, const Plan& plan, const backend::Segments* segments,
                               const InputAddresses& at, std::span<const Destination> answers)
    : engine_(engine),
      input_(input_of(plan, segments, at, static_cast<Size>(engine.gpu().facts().multiprocessors))),
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  place(results_, plan, answers);
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  const Size at_once = Size{1} << input_.answer_bits,
             groups = (input_.answers + at_once - 1) / at_once,
             items = (groups * input_.parts + input_.batch - 1) / input_.batch;
  const KernelKey key{.dtype = plan.dtype,
                      .set = plan.weighted->repeated ? plan.needs : Accumulators(),
                      .ops = bits_of(plan.ops),
                      .walk = kernel::Walk::weighted,
                      .selects = plan.weighted->repeated,
                      .wide = needs_wide_sums(plan)};
  std::vector<KernelKey> keys{key, key};
  keys[1].walk = kernel::Walk::undecided_weighted;
  const std::vector<void*> found = engine.kernels().get(keys);
  // Then all blocks share an undecided answer.
  const bool is_long = input_.elements > 4096;
  steps_[0] = {found[0], static_cast<unsigned>(std::min(items, 8 * all))};
  steps_[1] = {found[1],
               static_cast<unsigned>(is_long ? 2 * all : std::min(input_.answers, 2 * all)),
               shared_bytes_of(keys[1], engine.kernels().shape_of(keys[1]))};
}

void WeightedLaunch::queue(void* stream, Workspace& workspace) const {
  engine_.give_scratch(workspace, input_.answers);
  WeightedInput in = input_;
  kernel::Scratch<HostArguments> scratch = workspace.scratch;
  Results to = results_;
  void* args[] = {&in, &scratch, &to};
  for (const Step& step : steps_) {
    engine_.gpu().launch(step.kernel,
                         {.grid = step.grid,
                          .block = kernel::weighted_threads,
                          .shared_bytes = step.shared_bytes,
                          .stream = stream},
                         args);
    workspace.spoilt = true;
  }
}

namespace {

// Returns whether all arrays of a non-empty fold are on the device; throws if only some are.
bool weighted_is_here(const Plan& plan, const void* x, const void* y) {
  const bool here = arrays_are_here(plan, Arrays(plan, plan.nest, x, y));
  if (is_here(plan, plan.weighted->data, "the weights") == here) return here;
  throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": the array is " +
                                         (here ? "on the device and the weights on the host"
                                               : "on the host and the weights on the device") +
                                         "; copy one of them, so that both are in one place");
}

// Calls f with the launches of a job.
void with_launch(Engine& engine, const backend::Job& job, const WeightedLaunch::InputAddresses& at,
                 std::span<const Destination> answers, const auto& f) {
  if (job.quantiles.empty()) return f(WeightedLaunch(engine, job.plan, job.segments, at, answers));
  f(WeightedQuantileLaunch(
      engine, job.plan,
      input_of(job.plan, job.segments, at, static_cast<Size>(engine.gpu().facts().multiprocessors)),
      answers, job.quantiles));
}

}  // namespace

bool queue_weighted(Engine& engine, const backend::Job& job, std::span<const Destination> answers) {
  const Plan& plan = job.plan;
  if (plan.elements != 0 && !weighted_is_here(plan, job.x, job.y)) return false;
  if (plan.answers == 0) return true;
  void* const stream = stream_of(plan);
  with_launch(engine, job, places_of(job), answers, [&](const auto& fold) {
    engine.with_workspace(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
  });
  return true;
}

namespace {

void queue_segments(Engine& engine, const backend::Job& job) {
  const Plan& plan = job.plan;
  std::vector<Destination> to;
  for (const backend::Output& o : job.outputs) to.push_back({address(o.data), address(o.status)});
  const bool captured = engine.gpu().graph_of(stream_of(plan)) != nullptr;
  if ((captured || is_here(plan, job.segments->offsets, "the offsets")) &&
      queue_weighted(engine, job, to)) {
    return;
  }
  throw Error(ErrorCode::bad_option, names_of(plan.ops) +
                                         ": the outputs are on the device, but the array or the "
                                         "offsets are on the host; copy them to the device");
}

}  // namespace

void fold_weighted(const backend::Job& job) {
  const Plan& plan = job.plan;
  if (plan.device.several != 0) {
    throw Error(ErrorCode::no_backend,
                names_of(plan.ops) +
                    ": folds with weights are computed on one device; choose one, such as cuda:0");
  }
  if (plan.answers == 0) return;
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    if (job.segments != nullptr && is_here(plan, job.outputs[0].data, "an output")) {
      return queue_segments(engine, job);
    }
    const jit::Gpu::RelaxedCapture relaxed;
    const bool some = plan.elements != 0, here = some && weighted_is_here(plan, job.x, job.y);
    if (some && !here) refuse_stream(plan);
    void* const stream = here ? stream_of(plan) : nullptr;
    if (here) refuse_capture(engine, plan, stream);
    const std::optional<DeviceCopies> copied =
        some && !here ? std::optional<DeviceCopies>(std::in_place, engine, job) : std::nullopt;
    const DeviceAnswers answered(engine, plan);
    WeightedLaunch::InputAddresses at = copied ? copied->at : places_of(job);
    std::optional<Piece> offsets;
    if (job.segments != nullptr && !is_here(plan, job.segments->offsets, "the offsets")) {
      const Size bytes = (job.segments->count + 1) * (job.segments->narrow ? 4 : 8);
      offsets.emplace(engine.gpu(), bytes);
      engine.gpu().copy_in(offsets->address(), job.segments->offsets, bytes);
      at.offsets = offsets->address();
    }
    with_launch(engine, job, at, answered.places, [&](const auto& fold) {
      engine.wait_for(stream, [&](Workspace& workspace) { fold.queue(stream, workspace); });
    });
    answered.copy_out(job.outputs);
  });
}

}  // namespace onefold::cuda_backend
