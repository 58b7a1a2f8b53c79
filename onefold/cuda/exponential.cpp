#include "onefold/cuda/exponential.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/core/layer_norm/row.hpp"
#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/kernel/exponential/state_rows.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::ExponentialStep;
using kernel::Walk;

constexpr Size most_blocks = (Size{1} << 31) - 1;  // of a launch
// Elements of the shortest parts, and the most parts of a slice: each block of the second launch
// adds up all of them.
constexpr Size least_part = Size{1} << 12, most_parts = 512;
// Elements of the longest slices of f32 whose softmax is computed by one f64 each. Of as many, one
// in 21 slices has an undecided element, for which one block computes all of it again.
constexpr Size most_by_one = Size{1} << 17;

// Whether all slices are whole loads of 16 bytes.
bool are_wide(const ExponentialInput& in, bool elementwise, Size bytes) {
  const Size size = 16 / bytes;
  const auto apart = [&](int k) {
    for (unsigned d = 0; d < in.nest.kept; ++d) {
      if (in.nest.axis[d].stride[k] % static_cast<int64_t>(size) != 0) return true;
    }
    return false;
  };
  if (in.nest.elements % size != 0 || in.stride() != 1 || in.nest.x % 16 != 0 || apart(0)) {
    return false;
  }
  return !elementwise || (in.out_stride() == 1 && in.out % 16 == 0 && !apart(1));
}

}  // namespace

void ExponentialLaunch::set_scale(const PlannedScale& scale) {
  const auto kind = [&](const void* p, DType t) {
    if (p == nullptr) return kernel::FactorKind::none;
    if (t == DType::f32 && bytes_ != 4) return kernel::FactorKind::f32;
    return address(p) % 16 == 0 ? kernel::FactorKind::wide : kernel::FactorKind::narrow;
  };
  input_.weights = kind(scale.weight, scale.weight_type);
  input_.biases = kind(scale.bias, scale.bias_type);
  input_.weight = input_.weight_f32 = address(scale.weight);
  input_.bias = input_.bias_f32 = address(scale.bias);
  input_.eps = scale.eps;
  const DoublePair inverse = inverse_pair(input_.nest.elements);
  input_.inverse_n = inverse.high;
  input_.inverse_n_low = inverse.low;
}

// Returns how many loads of 16 bytes a thread may hold.
Size ExponentialLaunch::most_held() const {
  if (is_norm(input_.function)) {
    return bytes_ == 2 ? kernel::held_of_norms<uint16_t> : kernel::held_of_norms<float>;
  }
  const bool held =
      bytes_ == 8 ? input_.function == RowFunction::softmax : is_elementwise(input_.function);
  return held ? kernel::held_exponentials : 0;
}

void ExponentialLaunch::choose(bool wide, Size all) {
  ExponentialInput& in = input_;
  const unsigned most = is_norm(in.function) ? kernel::held_threads : kernel::exponential_threads;
  threads_ = most;
  const Size slices = in.nest.answers, length = in.nest.elements;
  in.wide = wide;
  in.across = !wide && in.nest.kept != 0 && in.nest.axis[0].stride[0] == 1 && in.stride() != 1;
  // Loads of a slice. A thread has 32 of them, since the end of a slice takes as long as some; of
  // functions that read a slice twice 16, so that the slices of all blocks fit the L2 cache.
  const Size loads = wide ? length * bytes_ / 16 : length, of_thread = in.across ? 64
                                                                       : is_elementwise(in.function)
                                                                           ? 16
                                                                           : 32;
  in.team = static_cast<unsigned>(std::clamp<Size>(
      std::bit_ceil((loads + of_thread - 1) / of_thread), 1, in.across ? 32 : most));
  // Neighbouring threads read whole cache lines.
  while (!in.across && in.team < 8 && 2 * in.team <= loads) in.team *= 2;
  // More threads for few slices.
  const Size wanted = 1024 * all;
  while (in.team < (in.across ? 32 : most) && slices * in.team < wanted && 2 * in.team <= loads) {
    in.team *= 2;
  }
  in.parts = 1;
  in.part = length;
  if (slices * in.team < wanted && length > least_part) {
    const Size part = std::max(length / std::min(most_parts, 2 * wanted / (slices * in.team)),
                               std::max<Size>(least_part, 8 * in.team));
    in.part = (part + least_part - 1) / least_part * least_part;
    in.parts = (length + in.part - 1) / in.part;
  }
  const Size held = most_held();
  held_ = wide && in.parts == 1 && loads <= held * kernel::held_threads;
  if (held_) {
    threads_ = kernel::held_threads;
    const auto least = static_cast<unsigned>(std::bit_ceil((loads + held - 1) / held));
    in.team = std::clamp(in.team, least, kernel::held_threads);
  }
}

void ExponentialLaunch::choose_states(KernelKey key, Size all) {
  ExponentialInput& in = input_;
  threads_ = kernel::state_threads;
  const auto team_of = [](Size n) {
    return static_cast<unsigned>(std::clamp<Size>(std::bit_ceil(n), 1, 32));
  };
  KernelKey merge = key;
  merge.walk = Walk::logsumexp_merge;
  if (in.function != RowFunction::logsumexp_state) {
    in.parts = in.nest.elements;
    in.words = in.nest.x;
    merge_team_ = team_of(in.parts);
    again_ = engine_.kernels().get(std::array{merge})[0];
    return;
  }
  const Size slices = in.nest.answers, length = in.nest.elements;
  in.limbs = in.out;
  in.wide = are_wide(in, false, bytes_);
  in.across = !in.wide && in.nest.kept != 0 && in.nest.axis[0].stride[0] == 1 && in.stride() != 1;
  in.team = in.across ? 1 : team_of(in.wide ? length * bytes_ / 16 : length);
  // Parts of some 4,096 elements, so that their second read finds them in a cache; longer ones, of
  // slices with more than 2,048 of those.
  const Size least = in.across ? 256 : 4096;
  const Size most = in.across ? std::max<Size>(1024 * all / slices, 1) : 2048;
  const Size least_parts = (length + kernel::most_of_states - 1) / kernel::most_of_states;
  in.parts = std::max(std::clamp<Size>(length / least, 1, most), least_parts);
  in.part = ((length + in.parts - 1) / in.parts + 63) / 64 * 64;
  in.parts = (length + in.part - 1) / in.part;
  merge_team_ = team_of(in.parts);
  key.walk = Walk::logsumexp_state;
  first_ = engine_.kernels().get(std::array{key})[0];
  if (in.parts > 1) again_ = engine_.kernels().get(std::array{merge})[0];
}

ExponentialLaunch::ExponentialLaunch(Engine& engine, const Plan& plan, const Addresses& at,
                                     std::span<const Destination> answers)
    : engine_(engine), bytes_(bytes_of(plan.dtype)) {
  const bool elementwise = is_elementwise(plan.function);
  input_.nest = input_of(plan, plan.nest, at);
  input_.nest.answers = plan.answers;
  input_.nest.elements = plan.elements;
  input_.out = elementwise ? at.y : answers[0].value;
  input_.status = elementwise ? 0 : answers[0].status;
  input_.has_status = input_.status != 0;
  input_.function = plan.function;
  input_.nan = plan.nan;
  if (is_norm(plan.function)) set_scale(plan.scale);
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  KernelKey key;
  key.dtype = plan.dtype;
  if (is_state(plan.function)) {
    choose_states(key, all);
  } else {
    choose(are_wide(input_, elementwise, bytes_), all);
  }
  if (plan.answers > most_blocks / input_.parts) {
    throw Error(ErrorCode::unsupported, names_of(plan.ops) + ": a device supports at most " +
                                            std::to_string(most_blocks) + " slices at once, but " +
                                            std::to_string(plan.answers) +
                                            " were given; pass some of them at a time");
  }
  if (is_state(plan.function)) return;
  const bool norm = is_norm(plan.function);
  key.walk = norm ? Walk::norm : elementwise ? Walk::softmax : Walk::logsumexp;
  KernelKey again = key;
  if (held_) key.walk = norm ? Walk::norm_held : Walk::softmax_held;
  // Long slices have so many elements that one f64 each would leave some of them undecided.
  key.wide = elementwise && !norm && plan.dtype == DType::f32 && plan.elements > most_by_one;
  again.walk = norm ? Walk::norm_again : elementwise ? Walk::softmax_again : Walk::logsumexp_again;
  again_shared_ = shared_bytes_of(again, engine.kernels().shape_of(again));
  const std::array keys{key, again};
  const std::vector<void*> found = engine.kernels().get(keys);
  first_ = found[0];
  again_ = found[1];
}

void ExponentialLaunch::queue(void* stream, Workspace& workspace) const {
  is_state(input_.function) ? queue_states(stream, workspace) : queue_answers(stream, workspace);
}

void ExponentialLaunch::launch(void* kernel, const Launched& l, ExponentialInput in,
                               kernel::Scratch<HostArguments> scratch) const {
  void* args[] = {&in, &scratch};
  engine_.gpu().launch(kernel,
                       {.grid = static_cast<unsigned>(l.blocks),
                        .block = l.threads,
                        .shared_bytes = l.shared_bytes,
                        .stream = l.stream},
                       args);
}

void ExponentialLaunch::queue_states(void* stream, Workspace& workspace) const {
  ExponentialInput in = input_;
  const Size slices = in.nest.answers, parts = slices * in.parts;
  const auto blocks = [&](Size items, unsigned team) {
    const Size of_block = threads_ / team;
    return (items + of_block - 1) / of_block;
  };
  if (first_ != nullptr) {
    if (again_ != nullptr) {
      in.words = in.limbs = engine_.memory_of(
          workspace, std::bit_ceil(parts * sizeof(uint64_t) * kernel::state_words));
    }
    launch(first_, {blocks(parts, in.team), threads_, 0, stream}, in, {});
  }
  if (again_ == nullptr) return;
  in.limbs = in.out;
  in.team = merge_team_;
  launch(again_, {blocks(slices, merge_team_), threads_, 0, stream}, in, {});
}

void ExponentialLaunch::queue_answers(void* stream, Workspace& workspace) const {
  const Size slices = input_.nest.answers, parts = slices * input_.parts;
  const bool cut = input_.parts > 1;
  const bool norm = is_norm(input_.function);
  const Size sums = cut ? std::bit_ceil((norm ? 32 : 16) * parts) : 0;
  constexpr Size limbs = Size{kernel::again_blocks} * kernel::block_limbs * 8;
  engine_.give_scratch(workspace, 32 * slices);  // a word for each
  ExponentialInput in = input_;
  in.sums = engine_.memory_of(workspace, sums + limbs);
  in.limbs = in.sums + sums;
  kernel::Scratch<HostArguments> scratch = workspace.scratch;
  workspace.spoilt = true;
  const Size teams = threads_ / in.team, blocks = (parts + teams - 1) / teams;
  if (cut) {
    in.step = ExponentialStep::sums;
    launch(first_, {blocks, threads_, 0, stream}, in, scratch);
  }
  in.step = cut ? ExponentialStep::answers : ExponentialStep::whole;
  launch(first_, {blocks, threads_, 0, stream}, in, scratch);
  const Size most = kernel::again_blocks;
  launch(again_, {std::min(slices, most), kernel::again_threads, again_shared_, stream}, in,
         scratch);
}

}  // namespace onefold::cuda_backend
