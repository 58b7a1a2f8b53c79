#include "onefold/nccl.hpp"

#include "api/merge_ranks.hpp"
#include "backend/cuda/exchange.hpp"

namespace onefold::nccl {

State allreduce(const State& mine, void* comm, void* stream, const Error* error, double seconds) {
  return cuda_backend::exchanging(comm, stream, seconds, [&](const cuda_backend::Exchange& ranks) {
    return merge_ranks(mine, error, ranks.ranks(),
                       [&](const std::vector<uint64_t>& words) { return ranks.gather(words); });
  });
}

}  // namespace onefold::nccl
