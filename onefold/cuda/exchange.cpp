#include "onefold/cuda/exchange.hpp"

#include <chrono>
#include <thread>

namespace onefold::cuda_backend {

Exchange::Exchange(void* comm, void* stream, double seconds)
    : comm_(comm),
      engine_(Engine::of(comm_.device())),
      current_(engine_.gpu()),
      stream_(stream == nullptr ? jit::Gpu::default_stream() : stream),
      seconds_(seconds) {
  if (engine_.gpu().graph_of(stream_) == nullptr) return;
  throw Error(ErrorCode::bad_option,
              "allreduce: the stream is being captured into a graph, so this call cannot wait; use "
              "fold_into with .nccl");
}

std::vector<uint64_t> Exchange::gather(const std::vector<uint64_t>& mine) const {
  const std::size_t n = mine.size(), all = n * ranks();
  const jit::Gpu::RelaxedCapture relaxed;
  const Piece memory(engine_.gpu(), 8 * (n + all));
  const uint64_t to = memory.address() + 8 * n;
  engine_.gpu().copy_in(memory.address(), mine.data(), 8 * n);
  comm_.exchange({}, {memory.address(), to, n}, stream_);
  wait();
  std::vector<uint64_t> found(all);
  engine_.gpu().copy_out(found.data(), to, 8 * all);
  return found;
}

// Waits with a time limit, since a rank that has ended would be waited for forever.
void Exchange::wait() const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (!engine_.gpu().is_done(stream_)) {
    comm_.check_asynchronous();
    const std::chrono::duration<double> waited = Clock::now() - begin;
    if (waited.count() > seconds_) {
      throw jit::NcclError("the other ranks did not call allreduce within " +
                           std::to_string(static_cast<long>(seconds_)) + " seconds");
    }
    if (waited.count() > 1e-3) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  comm_.check_asynchronous();
}

}  // namespace onefold::cuda_backend
