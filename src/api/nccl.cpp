#include "onefold/nccl.hpp"

#include "api/into.hpp"
#include "api/merge_ranks.hpp"
#include "backend/cuda/exchange.hpp"
#include "backend/run.hpp"

namespace onefold::nccl {

void fold_into(std::span<const Fold> folds) {
  if (folds.empty()) return;
  std::vector<Into> into;
  for (const Fold& fold : folds) {
    if (fold.options.weights || fold.options.fweights) {
      throw Error(
          ErrorCode::bad_option,
          std::string(fold.ops) + ": weights have no meaning in a message of several folds");
    }
    into.push_back(check_into(fold.outs, fold.ops, fold.x, nullptr, fold.options));
  }
  check_apart(into);
  std::vector<backend::Queued> queued;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    queued.push_back({into[k].plan, folds[k].x.data, nullptr, into[k].outputs});
  }
  backend::queue_ranks(queued);
}

namespace {

template <class S>
S allreduced(const S& mine, void* comm, void* stream, const Error* error, double seconds) {
  return cuda_backend::exchanging(comm, stream, seconds, [&](const cuda_backend::Exchange& ranks) {
    return merge_ranks(mine, error, ranks.ranks(),
                       [&](const std::vector<uint64_t>& words) { return ranks.gather(words); });
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
