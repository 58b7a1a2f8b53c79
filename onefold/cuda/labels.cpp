// Groups by labels on a device. Sums and counts are added without moving elements (label_sums.hpp).
// For other ops a counting sort makes the elements of each group contiguous, and groups are folded
// as segments.
#include <algorithm>
#include <bit>
#include <vector>

#include "onefold/cuda/answered.hpp"
#include "onefold/cuda/kernel/labels/sort.hpp"
#include "onefold/cuda/label_sums.hpp"
#include "onefold/cuda/quantile.hpp"
#include "onefold/cuda/run.hpp"
#include "onefold/cuda/segments.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::LabelStep;
using LabelInput = kernel::Labels<HostArguments, std::byte>;

Nest line_of(Size n, int64_t stride, Size bytes) {
  Nest line{.bytes = bytes};
  line.axes = {{n, {stride, stride}, 1, true}};
  return line;
}

// The sorted elements, group by group, and the begin and end of each group.
class SortedGroups {
 public:
  static Size table_bytes(const backend::Labels& labels) {
    return 8 * LabelInput::table_words(labels.groups);
  }
  static Size element_bytes(const Plan& plan) {
    return std::max<Size>(plan.elements * bytes_of(plan.dtype), 1);
  }
  //   x, label       device addresses of the first element and label
  //   table, sorted  memory, with its number of bytes
  SortedGroups(Engine& engine, const Plan& plan, const backend::Labels& labels, const Addresses& at,
               uint64_t table, uint64_t sorted)
      : engine_(engine) {
    const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
    input_ = {.x = at.x,
              .labels = label_array(labels, at.y),
              .sorted = sorted,
              .table = table,
              .n = plan.elements,
              .groups = labels.groups,
              .apart = labels.x_stride / bytes,
              .verdict = 0,
              .value = 0,
              .status = 0,
              .folded = 0,
              .folded_status = 0};
    constexpr DType unit[] = {DType::u8, DType::u16, DType::u32, DType::u64};
    const KernelKey key{.dtype = unit[bytes == 1   ? 0
                                      : bytes == 2 ? 1
                                      : bytes == 4 ? 2
                                                   : 3],
                        .set = {},
                        .walk = kernel::Walk::labels};
    kernel_ = engine.kernels().get(key);
  }
  // Makes the later launches do nothing unless the SumsOutcome is `refused`.
  void stand_behind(uint64_t verdict) {
    input_.behind_sums = true;
    input_.verdict = verdict;
  }
  // Returns whether all labels are numbers of groups; waits for the answer.
  bool are_good(void* stream) const {
    count(stream);
    engine_.gpu().synchronize(stream);
    int64_t bad = 0;
    engine_.gpu().copy_out(&bad, input_.table + 8 * (2 * input_.groups + LabelInput::bad), 8);
    return bad == 0;
  }
  void count(void* stream) const {
    launch(LabelStep::clear, 2 * input_.groups, stream);
    launch(LabelStep::count, input_.n, stream);
  }
  void sort(void* stream) const {
    launch(LabelStep::place, input_.groups, stream);
    launch(LabelStep::sort, input_.n, stream);
  }
  // Sets an op's statuses if some label is bad, and copies the segments' answers if the sums were
  // refused.
  void tell(const Destination& to, const Destination& folded, DType type, void* stream) {
    input_.value = to.value;
    input_.status = to.status;
    input_.folded = folded.value;
    input_.folded_status = folded.status;
    input_.value_bytes = static_cast<uint32_t>(bytes_of(type));
    launch(LabelStep::tell, input_.groups, stream);
  }

 private:
  void launch(LabelStep step, Size items, void* stream) const {
    constexpr unsigned threads = 32 * kernel::label_warps;
    constexpr Size tile = threads * Size{8};
    LabelInput input = input_;
    input.step = step;
    void* args[] = {&input, &input, &input, &input};
    const auto most = 4 * static_cast<Size>(engine_.gpu().facts().multiprocessors);
    const Size blocks = std::clamp<Size>((items + tile - 1) / tile, 1, most);
    engine_.gpu().launch(
        kernel_, {.grid = static_cast<unsigned>(blocks), .block = threads, .stream = stream}, args);
  }
  Engine& engine_;
  LabelInput input_;
  void* kernel_ = nullptr;
};

// Throws `labels.refuse` with the bad labels, which are read from the device or the host.
void refuse_labels(Engine& engine, const Plan& plan, const backend::Labels& labels, bool here) {
  if (!here) return labels.refuse(labels.data);
  const Span span(line_of(plan.elements, labels.stride, bytes_of(labels.type)), 0);
  std::vector<std::byte> copy(span.bytes);
  engine.gpu().copy_out(copy.data(), address(labels.data) + static_cast<Size>(span.low),
                        span.bytes);
  labels.refuse(copy.data() - span.low);
}

// Sorted elements as segments.
NestInput input_of_groups(const Plan& plan, Size groups, uint64_t table, uint64_t sorted) {
  const Size bytes = bytes_of(plan.dtype);
  const backend::Segments segments{
      .count = groups, .nest = line_of(plan.elements, static_cast<int64_t>(bytes), bytes)};
  Addresses at;
  at.x = sorted;
  return input_of(plan, segments, at, table, groups);
}

void fold_sorted(Engine& engine, const Plan& plan, const backend::Labels& labels,
                 const Addresses& at, bool here, std::span<const Destination> to,
                 std::span<const QuantileLevel> quantiles, void* stream) {
  const Piece table(engine.gpu(), SortedGroups::table_bytes(labels)),
      elements(engine.gpu(), SortedGroups::element_bytes(plan));
  const SortedGroups sorted(engine, plan, labels, at, table.address(), elements.address());
  if (!sorted.are_good(stream)) refuse_labels(engine, plan, labels, here);
  const NestInput input = input_of_groups(plan, labels.groups, table.address(), elements.address());
  const auto launch = [&](const auto& fold) {
    engine.wait_for(stream, [&](Workspace& workspace) {
      sorted.sort(stream);
      fold.queue(stream, workspace);
    });
  };
  if (quantiles.empty()) return launch(SegmentsLaunch(engine, plan, input, to));
  launch(QuantileLaunch(engine, plan, input, to, quantiles, labels.groups));
}

// Divides memory whose address is not known yet into parts.
class MemoryLayout {
 public:
  Size take(Size bytes) {
    const Size at = bytes_;
    bytes_ += (bytes + 255) / 256 * 256;
    return at;
  }
  Size bytes() const { return bytes_; }

 private:
  Size bytes_ = 0;
};

// Queues sums and then a sort, which does nothing if the sums have answered.
void queue(Engine& engine, const Plan& plan, const backend::Labels& labels, const Addresses& at,
           std::span<const Destination> to, void* stream, Workspace& workspace) {
  const bool sums = has_label_sums(plan, labels);
  MemoryLayout parts;
  const Size table = parts.take(SortedGroups::table_bytes(labels)),
             elements = parts.take(SortedGroups::element_bytes(plan)),
             words = parts.take(sums ? label_sum_bytes(engine, plan, labels, at, to) : 0);
  std::vector<Destination> folded(to.begin(), to.end());
  for (std::size_t k = 0; sums && k < to.size(); ++k) {
    folded[k].value = parts.take(labels.groups * bytes_of(plan.results[k]));
    folded[k].status = parts.take(labels.groups);
  }
  const uint64_t memory = engine.memory_of(workspace, std::bit_ceil(parts.bytes()));
  for (std::size_t k = 0; sums && k < to.size(); ++k) {
    folded[k].value += memory;
    folded[k].status += memory;
  }
  SortedGroups sorted(engine, plan, labels, at, memory + table, memory + elements);
  const SegmentsLaunch fold(engine, plan,
                            input_of_groups(plan, labels.groups, memory + table, memory + elements),
                            folded);
  workspace.spoilt = true;
  if (sums) {
    sorted.stand_behind(queue_label_sums(engine, plan, labels, at, to, stream, memory + words));
  }
  sorted.count(stream);
  sorted.sort(stream);
  fold.queue(stream, workspace);
  for (std::size_t k = 0; k < to.size(); ++k) {
    sorted.tell(to[k], folded[k], plan.results[k], stream);
  }
}

// Queues a fold of an array whose outputs are on the device, too, and does not wait. While a stream
// is captured, the driver does not tell where pointers lie, so this does not check them.
void fold_deferred(Engine& engine, const Plan& plan, const backend::Labels& labels, const void* x,
                   std::span<const Output> outputs) {
  void* const stream = stream_of(plan);
  std::vector<Destination> to;
  for (const Output& o : outputs) to.push_back({address(o.data), address(o.status)});
  if (engine.gpu().graph_of(stream) == nullptr) {
    bool here = plan.elements == 0 ||
                (is_here(plan, x, "the array") && is_here(plan, labels.data, "the labels"));
    for (const Output& o : outputs) here = here && is_here(plan, o.data, "an output");
    if (!here) {
      throw Error(ErrorCode::bad_option, names_of(plan.ops) +
                                             ": .deferred needs the array, the labels and " +
                                             "the outputs on the device");
    }
  }
  Addresses at;
  at.x = address(x);
  at.y = address(labels.data);
  engine.with_workspace(stream, [&](Workspace& workspace) {
    queue(engine, plan, labels, at, to, stream, workspace);
  });
}

//   here, labels_here  whether the caller's array and labels are on the device
void fold_by_labels(Engine& engine, const Plan& plan, const backend::Labels& labels,
                    const Addresses& at, bool here, bool labels_here,
                    std::span<const Output> outputs, std::span<const QuantileLevel> quantiles) {
  void* const stream = here ? stream_of(plan) : nullptr;
  std::optional<DeviceAnswers> answered;
  std::vector<Destination> to;
  if (is_here(plan, outputs[0].data, "an output")) {
    for (const Output& o : outputs) to.push_back({address(o.data), address(o.status)});
  } else {
    to = answered.emplace(engine, plan).places;
  }
  const LabelSums sums = quantiles.empty() && has_label_sums(plan, labels)
                             ? fold_label_sums(engine, plan, labels, at, to, stream)
                             : LabelSums::refused;
  if (sums == LabelSums::bad_label) refuse_labels(engine, plan, labels, labels_here);
  if (sums == LabelSums::refused) {
    fold_sorted(engine, plan, labels, at, labels_here, to, quantiles, stream);
  }
  if (answered) answered->copy_out(outputs);
}

}  // namespace

void labels(const Plan& plan, const backend::Labels& labels, const void* x,
            std::span<const Output> outputs, std::span<const QuantileLevel> quantiles) {
  if (labels.groups == 0 && plan.elements == 0) return;
  if (plan.device.several != 0) {
    throw Error(
        ErrorCode::no_backend,
        names_of(plan.ops) + ": groups are computed on one device; choose one, such as cuda:0");
  }
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    if (labels.deferred) return fold_deferred(engine, plan, labels, x, outputs);
    const jit::Gpu::RelaxedCapture relaxed;
    const bool some = plan.elements != 0, here = some && is_here(plan, x, "the array"),
               labels_here = some && is_here(plan, labels.data, "the labels");
    if (here && !labels_here) {
      throw Error(ErrorCode::bad_option,
                  names_of(plan.ops) +
                      ": the array is on the device, but the labels are on the host; " +
                      "copy one of them");
    }
    if (here || plan.stream != nullptr) refuse_capture(engine, plan, stream_of(plan));
    if (some && !here) refuse_stream(plan);
    Addresses at;
    at.x = address(x);
    at.y = address(labels.data);
    std::optional<OnDevice> values, numbers;
    if (some && !here) {
      values.emplace(engine, plan, line_of(plan.elements, labels.x_stride, bytes_of(plan.dtype)), x,
                     nullptr);
      at.x = values->at.x;
    }
    if (some && !here && labels_here) {
      // Kernels of another stream may still write labels
      engine.gpu().synchronize(jit::Gpu::default_stream());
    } else if (some && !labels_here) {
      numbers.emplace(engine, plan, line_of(plan.elements, labels.stride, bytes_of(labels.type)),
                      labels.data, nullptr);
      at.y = numbers->at.x;
    }
    fold_by_labels(engine, plan, labels, at, here, labels_here, outputs, quantiles);
  });
}

}  // namespace onefold::cuda_backend
