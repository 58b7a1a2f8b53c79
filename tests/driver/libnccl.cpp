// An NCCL whose ranks are threads of one process, each with a simulated device. It has the
// functions that onefold/system/jit/nccl.cpp asks for. The simulated driver does work at once, so a
// stream's earlier work is already done.
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

namespace {

struct World {
  std::mutex mutex;
  std::condition_variable changed;
  int ranks = 0, here = 0;
  long round = 0;
  std::vector<std::vector<int64_t>> given;
  std::vector<int> messages;  // number of collectives of each rank
  bool grouped = false;       // as before ncclGroupEnd: calls do nothing yet
  int failure = 0;            // the error that collectives report after their calls
};
struct Comm {
  World* world;
  int rank;
};

// Waits for all ranks, and returns the data of each.
std::vector<std::vector<int64_t>> meet(Comm& comm, const void* from, std::size_t n) {
  World& w = *comm.world;
  std::unique_lock lock(w.mutex);
  const auto* const words = static_cast<const int64_t*>(from);
  w.given.resize(static_cast<std::size_t>(w.ranks));
  ++w.messages[static_cast<std::size_t>(comm.rank)];
  w.given[static_cast<std::size_t>(comm.rank)].assign(words, words + n);
  const long round = w.round;
  if (++w.here == w.ranks) {
    w.here = 0;
    ++w.round;
    w.changed.notify_all();
  } else {
    w.changed.wait(lock, [&] { return w.round != round; });
  }
  auto all = w.given;
  // A rank may send again only after all have read.
  if (++w.here == w.ranks) {
    w.here = 0;
    ++w.round;
    w.changed.notify_all();
  } else {
    w.changed.wait(lock, [&] { return w.round == round + 2; });
  }
  return all;
}

}  // namespace

extern "C" {

// For tests: makes a communicator of so many ranks.
void* onefold_new_world(int ranks) {
  auto* const world = new World;
  world->ranks = ranks;
  world->messages.resize(static_cast<std::size_t>(ranks));
  return world;
}
void* onefold_new_comm(void* world, int rank) { return new Comm{static_cast<World*>(world), rank}; }
int onefold_messages(void* world, int rank) {
  return static_cast<World*>(world)->messages[static_cast<std::size_t>(rank)];
}
void onefold_group(void* world, bool grouped) { static_cast<World*>(world)->grouped = grouped; }
void onefold_fail(void* world, int code) { static_cast<World*>(world)->failure = code; }

int ncclCommCount(void* comm, int* n) {
  *n = static_cast<Comm*>(comm)->world->ranks;
  return 0;
}
int ncclCommUserRank(void* comm, int* rank) {
  *rank = static_cast<Comm*>(comm)->rank;
  return 0;
}
int ncclCommCuDevice(void* comm, int* device) {
  *device = static_cast<Comm*>(comm)->rank;
  return 0;
}
int ncclCommGetAsyncError(void* comm, int* code) {
  *code = static_cast<Comm*>(comm)->world->failure;
  return 0;
}
int ncclGroupStart() { return 0; }
int ncclGroupEnd() { return 0; }
const char* ncclGetErrorString(int) { return "as the test wants it"; }
int ncclAllReduce(const void* from, void* to, std::size_t n, int type, int op, void* c, void*) {
  auto& comm = *static_cast<Comm*>(c);
  if (type != 4 || op != 0) return 4;
  if (comm.world->grouped) return 0;
  const auto all = meet(comm, from, n);
  std::vector<uint64_t> sum(n);
  for (const auto& one : all) {
    if (one.size() != n) return 5;  // a real NCCL would wait forever
    for (std::size_t k = 0; k < n; ++k) sum[k] += static_cast<uint64_t>(one[k]);
  }
  std::memcpy(to, sum.data(), 8 * n);
  return 0;
}
int ncclAllGather(const void* from, void* to, std::size_t n, int type, void* c, void*) {
  auto& comm = *static_cast<Comm*>(c);
  if (type != 4) return 4;
  if (comm.world->grouped) return 0;
  const auto all = meet(comm, from, n);
  auto* out = static_cast<int64_t*>(to);
  for (const auto& one : all) {
    if (one.size() != n) return 5;
    std::memcpy(out, one.data(), 8 * n);
    out += n;
  }
  return 0;
}
}
