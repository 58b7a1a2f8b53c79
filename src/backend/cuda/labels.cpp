// Groups by labels on a device: sums and counts are added without moving elements (label_sums.hpp);
// for other ops a counting sort makes the elements of each group contiguous, and groups are folded
// as segments.
#include <algorithm>
#include <vector>

#include "backend/cuda/answered.hpp"
#include "backend/cuda/label_sums.hpp"
#include "backend/cuda/run.hpp"
#include "backend/cuda/segments.hpp"
#include "onefold/error.hpp"
#include "onefold/kernel/labels/sort.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::LabelStep;
using Passing = kernel::Labels<Passed, std::byte>;

Nest line_of(Size n, int64_t stride, Size bytes) {
  Nest line{.bytes = bytes};
  line.axes = {{n, {stride, stride}, 1, true}};
  return line;
}

// The sorted elements, group by group, and the begin and end of each group.
class Sorted {
 public:
  Sorted(Engine& engine, const Plan& plan, const backend::Labels& labels, uint64_t x,
         uint64_t label)
      : engine_(engine),
        table_(engine.gpu(), 8 * Passing::table_words(labels.groups)),
        sorted_(engine.gpu(), std::max<Size>(plan.elements * bytes_of(plan.dtype), 1)) {
    const auto bytes = static_cast<int64_t>(bytes_of(plan.dtype));
    input_ = {.x = x,
              .labels = label_array(labels, label),
              .sorted = sorted_.address(),
              .table = table_.address(),
              .n = plan.elements,
              .groups = labels.groups,
              .apart = labels.x_stride / bytes};
    constexpr DType unit[] = {DType::u8, DType::u16, DType::u32, DType::u64};
    const KernelKey key{.dtype = unit[bytes == 1   ? 0
                                      : bytes == 2 ? 1
                                      : bytes == 4 ? 2
                                                   : 3],
                        .set = {},
                        .walk = kernel::Walk::labels};
    kernel_ = engine.kernels().get(key);
  }
  // Whether all labels are numbers of groups; waits for that.
  bool count(void* stream) const {
    launch(LabelStep::clear, input_.groups, stream);
    launch(LabelStep::count, input_.n, stream);
    engine_.gpu().synchronize(stream);
    int64_t bad = 0;
    engine_.gpu().copy_out(&bad, table_.address() + 8 * (2 * input_.groups + Passing::bad), 8);
    return bad == 0;
  }
  void sort(void* stream) const {
    launch(LabelStep::place, input_.groups, stream);
    launch(LabelStep::sort, input_.n, stream);
  }
  uint64_t x() const { return sorted_.address(); }
  uint64_t begins() const { return table_.address(); }

 private:
  void launch(LabelStep step, Size items, void* stream) const {
    constexpr unsigned threads = 32 * kernel::label_warps;
    constexpr Size tile = threads * Size{8};
    Passing input = input_;
    input.step = step;
    void* args[] = {&input, &input, &input, &input};
    const auto most = 4 * static_cast<Size>(engine_.gpu().facts().multiprocessors);
    const Size blocks = std::clamp<Size>((items + tile - 1) / tile, 1, most);
    engine_.gpu().launch(
        kernel_, {.grid = static_cast<unsigned>(blocks), .block = threads, .stream = stream}, args);
  }
  Engine& engine_;
  Piece table_, sorted_;
  Passing input_;
  void* kernel_ = nullptr;
};

// The labels that cannot be groups, said by who has the arrays: `labels.refuse` throws.
[[noreturn]] void refuse(Engine& engine, const Plan& plan, const backend::Labels& labels,
                         bool here) {
  if (!here) {
    labels.refuse(labels.data);
  } else {
    const Span span(line_of(plan.elements, labels.stride, bytes_of(labels.type)), 0);
    std::vector<std::byte> copy(span.bytes);
    engine.gpu().copy_out(copy.data(), address(labels.data) + static_cast<Size>(span.low),
                          span.bytes);
    labels.refuse(copy.data() - span.low);
  }
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) + ": the labels were written to while they were counted");
}

void fold_sorted(Engine& engine, const Plan& plan, const backend::Labels& labels,
                 const Addresses& at, bool here, std::span<const Destination> to, void* stream) {
  const Sorted sorted(engine, plan, labels, at.x, at.y);
  if (!sorted.count(stream)) refuse(engine, plan, labels, here);
  const Size bytes = bytes_of(plan.dtype);
  const backend::Segments groups{
      .count = labels.groups, .nest = line_of(plan.elements, static_cast<int64_t>(bytes), bytes)};
  Addresses at_sorted;
  at_sorted.x = sorted.x();
  const LaunchedSegments fold(engine, plan, groups, at_sorted, sorted.begins(), to, labels.groups);
  Engine::Borrowed workspace = engine.borrow(stream);
  sorted.sort(stream);
  fold.queue(stream, *workspace);
  engine.gpu().synchronize(stream);
  workspace->unfinished = workspace->spoilt = false;
}

void fold(Engine& engine, const Plan& plan, const backend::Labels& labels, const Addresses& at,
          bool here, std::span<const Output> outputs) {
  void* const stream = here ? stream_of(plan) : nullptr;
  std::optional<Answered> answered;
  std::vector<Destination> to;
  if (is_here(plan, outputs[0].data, "an output")) {
    for (const Output& o : outputs) to.push_back({address(o.data), address(o.status)});
  } else {
    to = answered.emplace(engine, plan).places;
  }
  const LabelSums sums = has_label_sums(plan, labels)
                             ? fold_label_sums(engine, plan, labels, at, to, stream)
                             : LabelSums::refused;
  if (sums == LabelSums::bad_label) refuse(engine, plan, labels, here);
  if (sums == LabelSums::refused) fold_sorted(engine, plan, labels, at, here, to, stream);
  if (answered) answered->copy_out(outputs);
}

}  // namespace

void labels(const Plan& plan, const backend::Labels& labels, const void* x,
            std::span<const Output> outputs) {
  if (labels.groups == 0 && plan.elements == 0) return;
  if (plan.device.several != 0) {
    throw Error(ErrorCode::no_backend,
                names_of(plan.ops) + ": several devices cannot fold groups; name one");
  }
  Engine& engine = Engine::of(plan.device.index);
  checked(plan, [&] {
    const jit::Gpu::Current current(engine.gpu());
    const jit::Gpu::Relaxed relaxed;
    const bool some = plan.elements != 0, here = some && is_here(plan, x, "the array");
    if (some && is_here(plan, labels.data, "the labels") != here) {
      throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": the array is " +
                                             (here ? "on the device and the labels on the host"
                                                   : "on the host and the labels on the device") +
                                             "; both must be in one place");
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
      numbers.emplace(engine, plan, line_of(plan.elements, labels.stride, bytes_of(labels.type)),
                      labels.data, nullptr);
      at.x = values->at.x;
      at.y = numbers->at.x;
    }
    fold(engine, plan, labels, at, here, outputs);
  });
}

}  // namespace onefold::cuda_backend
