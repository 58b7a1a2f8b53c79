#include "onefold/cuda/ranks.hpp"

#include <algorithm>

#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

// The most words of a call's states; the device holds them twice.
constexpr Size most_rank_words = Size{1} << 27;
constexpr unsigned threads = 32 * 8;

// A hash of 31 bits of what the states hold, so that 2^31 ranks' hashes can be added.
uint32_t kind_of(const Plan& plan) {
  return static_cast<uint32_t>(
             merge_kind(plan.dtype, plan.needs, plan.nan, plan.indexed, plan.output) >> 33) |
         1;
}

// Returns how many words of a state ranks must gather, since they cannot be added.
Size carried_words(const Plan& plan) {
  Size n = 0;
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.layout.offset[a] < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), plan.dtype);
    if (!row.additive) n += static_cast<Size>(row.words);
  }
  return n;
}

jit::Communicator open_ranks(const Plan& plan) {
  const jit::Communicator comm(plan.nccl);
  if (comm.device() == plan.device.index) return comm;
  throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": the communicator's device is cuda:" +
                                         std::to_string(comm.device()) + ", but the array is on " +
                                         "cuda:" + std::to_string(plan.device.index) +
                                         "; use a communicator of the array's device");
}

}  // namespace

RanksLaunch::RanksLaunch(Engine& engine, const Plan& plan, const Addresses& from,
                         std::span<const Destination> answers)
    : engine_(engine),
      comm_(open_ranks(plan)),
      words_(plan.answers * static_cast<Size>(plan.layout.words)),
      carried_(plan.answers * carried_words(plan)),
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
      grid_(static_cast<unsigned>(std::min<Size>(plan.answers, 1 << 16))) {
  place(results_, plan, answers);
  ranks_.answers = plan.answers;
  ranks_.ranks = static_cast<uint32_t>(comm_.ranks());
  ranks_.kind = kind_of(plan);
  ranks_.empty = plan.elements == 0;
  place_of_answers(plan);
  KernelKey key{.dtype = plan.dtype, .set = plan.needs, .walk = kernel::Walk::ranks};
  leave_ = engine.kernels().get(key);
  key.ops = bits_of(plan.ops);
  meet_ = engine.kernels().get(key);
  if (ranks_.empty) return;
  if (!is_whole(plan, plan.nest)) {
    axes_.emplace(engine, plan, plan.nest, from, 0, 0, plan.answers);
  } else if (plan.elements <= most_at_once(engine, plan)) {
    whole_.emplace(engine, plan, from.x, from.y, plan.elements, plan.nest.index);
  } else {
    throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": a rank's part may have at most " +
                                           std::to_string(most_at_once(engine, plan)) +
                                           " elements, but the part of this rank has " +
                                           std::to_string(plan.elements) + "; use more ranks");
  }
}

// Converts the nest's order of answers to C order, which all ranks have in common.
void RanksLaunch::place_of_answers(const Plan& plan) {
  if (ranks_.empty) {
    ranks_.kept = 1;
    ranks_.axis[0] = {.extent = plan.answers, .step = 1};
    return;
  }
  ranks_.answer = plan.nest.answer;
  for (auto a = plan.nest.axes.rbegin(); a != plan.nest.axes.rend(); ++a) {
    if (!a->folded) ranks_.axis[ranks_.kept++] = {.extent = a->extent, .step = a->step};
  }
}

kernel::Ranks<HostArguments> RanksLaunch::ranks_at(const MessageOffsets& words) const {
  kernel::Ranks<HostArguments> ranks = ranks_;
  ranks.sum = words.sum;
  ranks.mine = words.mine;
  ranks.all = words.all;
  return ranks;
}

void RanksLaunch::leave(const MessageOffsets& words, uint64_t state, void* stream,
                        Workspace& workspace) const {
  if (whole_) whole_->queue(stream, workspace, state);
  if (axes_) axes_->queue(stream, workspace, state);
  kernel::Ranks<HostArguments> ranks = ranks_at(words);
  ranks.state = state;
  Results results = results_;
  void* args[4] = {&ranks, &results};
  engine_.gpu().launch(leave_, {.grid = grid_, .block = threads, .stream = stream}, args);
  workspace.spoilt = true;
}

void RanksLaunch::meet(const MessageOffsets& words, Size apart, void* stream) const {
  kernel::Ranks<HostArguments> ranks = ranks_at(words);
  ranks.apart = apart;
  Results results = results_;
  void* args[4] = {&ranks, &results};
  engine_.gpu().launch(meet_, {.grid = grid_, .block = threads, .stream = stream}, args);
}

// The words of all folds are contiguous, so that one message sends them all.
void RanksLaunch::queue(std::span<const RanksLaunch> folds, void* stream, Workspace& workspace) {
  const RanksLaunch& any = folds[0];
  const auto ranks = static_cast<Size>(any.comm_.ranks());
  Size left = 0, sum = 0, carried = 0;
  for (const RanksLaunch& fold : folds) {
    // Scratch for the longest fold, since they run one after another.
    left = std::max(left, fold.words_);
    sum += kernel::check_words + fold.words_;
    carried += fold.carried_;
  }
  const Size all = left + sum + carried * (1 + ranks);
  if (all > most_rank_words) {
    throw Error(ErrorCode::bad_option, "the states of all answers take " + std::to_string(8 * all) +
                                           " bytes on the device, but the limit is " +
                                           std::to_string(8 * most_rank_words) +
                                           "; fold fewer answers at once");
  }
  const uint64_t state = any.engine_.memory_of(workspace, 8 * all);
  const MessageOffsets begin{.sum = state + 8 * left,
                             .mine = state + 8 * (left + sum),
                             .all = state + 8 * (left + sum + carried)};
  const auto for_each = [&](auto&& f) {
    MessageOffsets at = begin;
    for (const RanksLaunch& fold : folds) {
      f(fold, at);
      at.sum += 8 * (kernel::check_words + fold.words_);
      at.mine += 8 * fold.carried_;
      at.all += 8 * fold.carried_;
    }
  };
  for_each([&](const RanksLaunch& fold, const MessageOffsets& at) {
    fold.leave(at, state, stream, workspace);
  });
  any.comm_.exchange({begin.sum, sum}, {begin.mine, begin.all, carried}, stream);
  for_each(
      [&](const RanksLaunch& fold, const MessageOffsets& at) { fold.meet(at, carried, stream); });
}

}  // namespace onefold::cuda_backend
