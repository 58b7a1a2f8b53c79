#include "onefold/nccl.hpp"

#include "onefold/cuda/exchange.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/state/merge_ranks.hpp"

namespace onefold::nccl {

void fold_into(std::span<const Fold> folds) {
  if (folds.empty()) return;
  std::vector<OutputFold> into;
  for (const Fold& fold : folds) {
    if (fold.options.weights || fold.options.fweights) {
      throw Error(ErrorCode::bad_option, std::string(fold.ops) +
                                             ": several folds in one NCCL message do not support "
                                             "weights; call fold_into once for each");
    }
    into.push_back(check_into(fold.outs, fold.ops, fold.x, nullptr, fold.options));
  }
  check_apart(into);
  const Plan& first = into[0].plan;
  std::vector<backend::Job> jobs;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Plan& plan = into[k].plan;
    if (plan.nccl == nullptr || plan.nccl != first.nccl || plan.stream != first.stream ||
        plan.device != first.device) {
      throw Error(
          ErrorCode::bad_option,
          names_of(plan.ops) +
              ": folds in one NCCL message must have the same .device, .stream and .nccl, " +
              "but these differ from those of " + names_of(first.ops));
    }
    jobs.push_back({.plan = plan, .x = folds[k].x.data, .outputs = into[k].outputs});
  }
  backend::queue(jobs);
}

namespace {

template <class S>
S allreduced(const S& mine, void* comm, void* stream, const Error* error, double seconds) {
  return cuda_backend::exchanging(comm, stream, seconds, [&](const cuda_backend::Exchange& ranks) {
    Peers peers(ranks.rank(), ranks.ranks(),
                [&](std::span<const uint64_t> words, std::span<uint64_t> all, bool) {
                  const std::vector<uint64_t> got = ranks.gather({words.begin(), words.end()});
                  if (got.size() != all.size()) return false;
                  std::copy(got.begin(), got.end(), all.begin());
                  return true;
                });
    if (error != nullptr) peers.fail(*error);
    return merge_ranks(mine, peers);
  });
}

}  // namespace

State allreduce(const State& mine, void* comm, void* stream, const Error* error, double seconds) {
  return allreduced(mine, comm, stream, error, seconds);
}
States allreduce(const States& mine, void* comm, void* stream, const Error* error, double seconds) {
  return allreduced(mine, comm, stream, error, seconds);
}

}  // namespace onefold::nccl
