#include "onefold/cuda/scans.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/cuda/kernel/scan/totals.hpp"
#include "onefold/cuda/segments.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::ScanStep;
constexpr Size most_blocks = (Size{1} << 31) - 1;  // of a launch

bool are_whole_loads(const ScanInput& in, const Destination& to, Size bytes, Size answer_bytes) {
  if (in.stride() != 1 || in.apart != 1 || in.nest.x % 16 != 0 || to.value % 16 != 0) return false;
  if (in.nest.answers == 1) return true;
  for (unsigned k = 0; k < in.nest.kept; ++k) {
    const kernel::NestAxis& a = in.nest.axis[k];
    if (a.stride[0] * static_cast<int64_t>(bytes) % 16 != 0 ||
        a.step * static_cast<int64_t>(answer_bytes) % 16 != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

ScanLaunch::ScanLaunch(Engine& engine, const Plan& plan, const backend::Windows& windows,
                       const Addresses& at, std::span<const Destination> answers)
    : engine_(engine),
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
      words_(static_cast<Size>(plan.layout.words)) {
  input_.nest = input_of(plan, {.count = 1, .nest = windows.nest}, at, 0);
  input_.nest.elements = windows.n;
  input_.nest.answers = plan.answers / windows.n;
  input_.apart = static_cast<int64_t>(windows.apart);
  input_.exclusive = windows.ahead < 0;
  place(results_, plan, answers);
  const auto [tile, short_tile, answer_bytes] =
      visit(plan.dtype, []<class T>() -> std::array<Size, 3> {
        return {kernel::scan_tile<T>, kernel::scan_tile<T, kernel::short_scan_warps>,
                sizeof(typename kernel::ScanOf<T>::Answer)};
      });
  const Size lines = input_.nest.answers;
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  if (!windows.anew.empty()) {
    input_.segments = windows.anew.size() - 1;
    // So few are longer that they may have launches of their own.
    input_.longest = std::max<Size>(64 * tile, windows.n / 256);
  }
  // One small block a line takes as long as two tiles of a large one.
  const Size length = windows.n / std::max<Size>(input_.segments, 1);
  const bool small = length <= 2 * short_tile && std::max(lines, input_.segments) >= all;
  input_.wide = input_.segments == 0 &&
                are_whole_loads(input_, answers[0], bytes_of(plan.dtype), answer_bytes);
  const KernelKey key{.dtype = plan.dtype,
                      .set = plan.needs,
                      .ops = bits_of(plan.ops),
                      .walk = small ? kernel::Walk::short_scan : kernel::Walk::scan};
  kernel_ = engine.kernels().get(key);
  const KernelShape shape = engine.kernels().shape_of(key);
  threads_ = 32 * static_cast<unsigned>(shape.warps);
  choose_parts(shape, tile, small, all);
  if (std::max(lines, input_.segments) > most_blocks / std::max(input_.parts, words_)) {
    throw Error(ErrorCode::unsupported, names_of(plan.ops) + ": a device scans at most " +
                                            std::to_string(most_blocks / words_) +
                                            " lines at once, but " +
                                            std::to_string(std::max(lines, input_.segments)) +
                                            " were given; scan some of them at a time");
  }
}

void ScanLaunch::choose_parts(const KernelShape& shape, Size tile, bool small, Size all) {
  const Size n = input_.n();
  input_.part = n;
  if (small || input_.segments != 0 || n == 0) return;
  // Two parts for each block that runs at once: fewer leave multiprocessors idle at the end, and
  // more begin anew more often.
  const Size blocks = static_cast<Size>(shape.blocks) * all, tiles = (n + tile - 1) / tile;
  const Size of_line = std::clamp<Size>(2 * blocks / input_.nest.answers, 1, tiles);
  input_.part = (tiles + of_line - 1) / of_line * tile;
  input_.parts = (n + input_.part - 1) / input_.part;
}

Size ScanLaunch::bytes() const {
  return is_cut() ? std::bit_ceil(8 * words_ * input_.nest.answers * input_.parts) : 0;
}

void ScanLaunch::launch(ScanStep step, Size blocks, uint64_t states, uint64_t offsets,
                        void* stream) const {
  ScanInput in = input_;
  in.step = step;
  in.states = states;
  in.offsets = offsets;
  Results to = results_;
  void* args[] = {&in, &to, &to, &to};
  engine_.gpu().launch(
      kernel_, {.grid = static_cast<unsigned>(blocks), .block = threads_, .stream = stream}, args);
}

void ScanLaunch::queue(void* stream, Workspace& workspace, uint64_t offsets) const {
  const Size lines = input_.nest.answers, parts = lines * input_.parts;
  const uint64_t states = is_cut() ? engine_.memory_of(workspace, bytes()) : 0;
  workspace.spoilt = true;
  if (is_cut()) {
    launch(ScanStep::sum, parts, states, 0, stream);
    launch(ScanStep::carry, lines * words_, states, 0, stream);
  }
  launch(ScanStep::answer, input_.segments != 0 ? input_.segments : parts, states, offsets, stream);
}

}  // namespace onefold::cuda_backend
