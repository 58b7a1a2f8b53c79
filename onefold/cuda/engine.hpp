// The backend's state for one device: its compiled kernels, and workspaces that calls use in turn.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/core/exact/residues.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/workspace.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/cublas.hpp"

namespace onefold::cuda_backend {

// Device memory that one call uses alone while it runs. Between calls it is zero where
// kernel::Workspace says so. It is never freed, since kernels may use it even after an error.
struct Workspace {
  static constexpr unsigned most_blocks = 1 << 15;  // the most blocks of a launch
  static constexpr unsigned most_warps = 8;         // the most warps of a block
  kernel::Workspace<HostArguments> device = {};
  // Memory for the totals of parts of answers (kernel/end/parts.hpp); null until the first fold
  // along axes.
  static constexpr Size scratch_tickets = 1 << 14, scratch_words = 1 << 21;
  // For each: a counter of arrivals; and two more counters
  static constexpr Size segment_parts = 1 << 16;
  kernel::Scratch<HostArguments> scratch = {};
  Size undecided = 0;  // number of answers for which `scratch` has bits; it grows
  // Memory for merging the states of ranks, and for sums of groups; it grows when needed.
  uint64_t grown = 0;
  Size bytes_grown = 0;
  // Pinned; the kernel writes the state here; null: the kernel writes answers.
  int64_t* state = nullptr;
  // Locked while a call queues its launches: launches of two calls must not mix on a stream.
  std::mutex queueing;
  // The memory is dirty: set by a call's first launch, and cleared when all launches are queued or
  // have ended. If it stays set, the call failed half-way, and the contents are unknown.
  bool spoilt = false;
  // An event, recorded after each call if the next call may be on a stream that does not wait for
  // this one: a destroyed stream's handle may be used again, or streams are many. `used` counts
  // those calls.
  void* mark = nullptr;
  uint64_t used = 0;
  // stream: the id of the last call's stream, if its kernels may still run after the call.
  // unfinished: a kernel of a call that borrowed the workspace may still run, although its results
  // have reached the host.
  std::optional<uint64_t> stream = {};
  bool unfinished = false;

  // Fills `state` with a value that words hardly ever have, and waits until `words` words differ
  // from it. Returns false if that takes more than 100 us.
  void expect_words(int words) const;
  bool words_have_come(int words) const;
};

// Returns why there is no device `index`, or nothing, without opening it.
std::optional<Error> why_no_device(int index);
// Returns those of a request's devices that exist.
std::vector<int> devices_of(const Device& device);

// A copy lane for host data: pinned memory and device memory for one piece, and a stream. It lives
// as long as the process.
struct Lane {
  static constexpr std::size_t bytes = std::size_t{16} << 20;
  std::byte* pinned = nullptr;
  uint64_t memory = 0;
  void* stream = nullptr;
};

class Engine {
 public:
  // Returns the engine of device `index`, which is made once and never destroyed.
  //   throws  no_backend
  static Engine& of(int index);

  int index() const { return index_; }  // of the device
  jit::Gpu& gpu() { return *gpu_; }
  Kernels& kernels() { return kernels_; }
  // The largest number of elements for a launch that may have to lift all of them; smaller in
  // tests.
  Size most_lifted = most_uncarried;
  // The fewest products of elements for which matrices are multiplied by residues (matrix.hpp);
  // fewer in tests.
  Size least_products = Size{1} << 26;
  // The most elements of a row whose residues are multiplied at once, a multiple of matrix_tile;
  // fewer in tests.
  Size most_terms = residues::most_terms;
  // The most elements of vectors whose products are of f64 (kernel/matrix/doubles.hpp); 0 on chips
  // that multiply these slowly, and in tests.
  Size most_doubles;
  // Whether sums avoid f64: true for chips with few FP64 lanes (has_few_f64). Benchmarks set it.
  bool few_f64;

  // The fewest elements of a segment that may have launches for itself (quantile.cpp); fewer in
  // tests.
  Size least_listed = Size{1} << 20;

  // cuBLASLt on this device; null: it is not found. Its first call opens it.
  jit::CublasLt* byte_products();

  // Has `queue(workspace)` queue work on a stream, whose kernels run one after another and share a
  // workspace. A call that is captured into a graph gets one for itself, until the graph is gone.
  //   most    128 streams have a workspace each. Another one takes over the workspace that was used
  //           least recently, and its work waits on the device for the work before
  //   throws  as `queue`. If something was launched, the workspace is then neither used again nor
  //           freed, since kernels may still run
  void with_workspace(void* stream, const std::function<void(Workspace&)>& queue);

  // A workspace for a call that waits for its kernels. The destructor gives it back unless it is
  // dirty.
  class WorkspaceLease {
   public:
    WorkspaceLease(Engine& engine, std::unique_ptr<Workspace> w)
        : engine_(engine), workspace_(std::move(w)) {}
    ~WorkspaceLease() { engine_.give_back(std::move(workspace_)); }
    WorkspaceLease(const WorkspaceLease&) = delete;
    WorkspaceLease& operator=(const WorkspaceLease&) = delete;
    Workspace* operator->() const { return workspace_.get(); }
    Workspace& operator*() const { return *workspace_; }

   private:
    Engine& engine_;
    std::unique_ptr<Workspace> workspace_;
  };
  //   stream  the stream of its kernels; null: the device's own. Kernels may still run after the
  //           call if streams have ids and fewer than 16 other workspaces have such kernels
  WorkspaceLease borrow(void* stream);
  // Has `queue(workspace)` queue work on a stream, and waits for it.
  template <class Queue>
  void wait_for(void* stream, const Queue& queue) {
    WorkspaceLease workspace = borrow(stream);
    queue(*workspace);
    gpu().synchronize(stream);
    workspace->unfinished = workspace->spoilt = false;
  }

  // Gives a workspace memory for merging parts of answers, with bits for `answers` undecided
  // answers. It is zero where kernel::Scratch says so. Earlier memory stays, since kernels may use
  // it.
  void give_scratch(Workspace& workspace, Size answers);
  // Returns memory of at least so many bytes. Earlier memory stays, since kernels may use it.
  uint64_t memory_of(Workspace& workspace, Size bytes);

  // Takes a copy lane for one thread. After an error it is not given back, since copies may run.
  Lane take_lane();
  void give_back(const Lane& lane);

 private:
  explicit Engine(int index);
  // Returns a free workspace for a call on the stream with this id; without id, for any stream.
  std::unique_ptr<Workspace> take(std::optional<uint64_t> id = {});
  void give_back(std::unique_ptr<Workspace> w);
  void with_workspace_of_graph(void* graph, const std::function<void(Workspace&)>& queue);
  void give_to_stream(uint64_t id);
  std::unique_ptr<Workspace> take_over();

  int index_;
  std::unique_ptr<jit::Gpu> gpu_;
  Kernels kernels_;
  std::once_flag opened_;
  std::unique_ptr<jit::CublasLt> byte_products_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_, spoilt_;  // dirty ones are never used again
  std::vector<Lane> lanes_;
  std::shared_mutex streams_mutex_;  // locked shared while work is queued with one of these
  // Workspaces by their stream's id.
  std::map<uint64_t, std::unique_ptr<Workspace>> of_streams_;
  std::atomic<uint64_t> uses_ = 0;
};

}  // namespace onefold::cuda_backend
