// The CUDA driver, loaded when first needed: the few functions that folds and the lab call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "onefold/system/jit/loaded.hpp"

namespace onefold::jit {

// The properties that a device reports.
struct DeviceFacts {
  std::string name;
  std::string chip;  // "sm_90"
  int multiprocessors = 0;
  int warp_size = 32;
  int threads_per_block = 1024;
  std::size_t shared_bytes = 0;  // the most that a block may use
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
};

// A failed driver call: what was called and what the driver said.
class CudaError : public std::runtime_error {
 public:
  CudaError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }
  bool is_out_of_memory() const { return code_ == 2; }  // cuda.h: CUresult

 private:
  int code_;
};

// The driver as found.
class Driver {
 public:
  static const Driver& get();
  bool usable() const { return devices_ > 0; }
  const LibraryHandle& library() const { return library_; }
  int devices() const { return devices_; }
  int version() const { return version_; }         // 13000 for 13.0
  const std::string& why() const { return why_; }  // in one sentence; empty: usable

 private:
  Driver();
  explicit Driver(std::string why);
  LibraryHandle library_;
  int devices_ = 0;
  int version_ = 0;
  std::string why_;
};

// The kind of memory that a pointer points to.
enum class MemoryKind : uint8_t { host, registered_host, device };
struct Whereabouts {
  MemoryKind place = MemoryKind::host;
  int device = 0;  // the device of device or registered memory
};
Whereabouts whereabouts(const void* pointer);  // needs a usable driver

// "sm_90"; the device is not opened. Needs a usable driver.
std::string chip_of(int device);

// One device with its primary context, which is current on the thread that made it. Other threads
// hold a Current while they call. Work goes to the device's own stream if no other is named.
class Gpu {
 public:
  explicit Gpu(int index = 0);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const DeviceFacts& facts() const { return facts_; }
  uint64_t allocate(std::size_t bytes);  // a device address, 256-byte aligned
  void free(uint64_t address);
  void copy_in(uint64_t to, const void* from, std::size_t bytes);
  // Copies from pinned memory to the device, or back, in a stream's order. The memory must not
  // change until the copy is done.
  void copy_in(uint64_t to, const void* from, std::size_t bytes, void* stream);
  void copy_out(void* to, uint64_t from, std::size_t bytes);
  void copy(uint64_t to, uint64_t from, std::size_t bytes);  // in stream order
  void copy(uint64_t to, uint64_t from, std::size_t bytes, void* stream);
  void fill(uint64_t to, unsigned char byte, std::size_t bytes);
  void synchronize(void* stream = nullptr);  // null: the device's own stream, as for a launch
  bool is_done(void* stream);                // whether all queued work is done

  // Makes the device's context current on this thread; its end restores the context from before.
  class Current {
   public:
    explicit Current(const Gpu& gpu);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
  };

  // Its end restores the context that was current on this thread, or none.
  class ContextGuard {
   public:
    ContextGuard();
    ~ContextGuard();
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;

   private:
    void* was_ = nullptr;
  };

  // While it exists, the thread may allocate and load even if a stream is being captured.
  class RelaxedCapture {
   public:
    RelaxedCapture();
    ~RelaxedCapture();
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

   private:
    int mode_ = 2;  // cuda.h: CU_STREAM_CAPTURE_MODE_RELAXED
  };

  // Streams are CUstream or cudaStream_t. What CUDA calls the legacy default stream:
  static void* default_stream();
  void* stream() const;  // the device's own
  void* new_stream();    // lives as long as the process
  // Never returned for another stream, even if that has the same handle. Before CUDA 12 it is the
  // handle, and streams_have_ids is false.
  uint64_t id_of(void* stream) const;
  static bool streams_have_ids();
  // Records marks. Work that is queued on a stream after `wait_for` begins when all work that was
  // queued before `record` is done.
  void* new_mark();
  void record(void* mark, void* stream);
  void wait_for(void* mark, void* stream);
  // Returns the graph that captures the stream, or null.
  void* graph_of(void* stream) const;
  // Calls `call(object)` when the graph and all its instances are destroyed, and if this function
  // throws. `call` must not call the driver.
  void when_destroyed(void* graph, void* object, void (*call)(void*));
  void synchronize_all();

  // Allocates host memory that kernels can write to, at the same address.
  void* allocate_pinned(std::size_t bytes);

  // Functions of a cubin; the module lives as long as the device.
  void* load(std::span<const char> image);
  void* function(void* module, const char* name);
  // Called once, before launches that give the function more shared memory than 32 KiB.
  void allow_shared(void* function, unsigned bytes);

  struct Launch {
    unsigned grid = 1, block = 1;
    unsigned shared_bytes = 0;
    bool cooperative = false;
    void* stream = nullptr;  // null: the device's own
  };
  // args: addresses of the arguments, in order.
  void launch(void* function, const Launch& how, void** args);

  // Returns the median milliseconds of one replay of the work that `queue` queues, captured as a
  // graph. `replays` graphs are timed one by one.
  template <class F>
  double median_ms(F&& queue, int replays) {
    begin_capture();
    queue();
    return replay(end_capture(), replays);
  }

 private:
  void begin_capture();
  void* end_capture();
  double replay(void* graph, int replays);
  struct State;
  std::unique_ptr<State> state_;
  DeviceFacts facts_;
};

}  // namespace onefold::jit
