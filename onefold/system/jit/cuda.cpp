#include "onefold/system/jit/cuda.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "onefold/system/forks.hpp"

namespace onefold::jit {
namespace {

// The driver's functions as cuda.h declares them; with _v2 if its macros add that.
using Code = int;  // 0: success
using Handle = void*;
using Address = unsigned long long;

#define ONEFOLD_DRIVER(X)                                                                          \
  X(cuInit, "cuInit", unsigned)                                                                    \
  X(cuDriverGetVersion, "cuDriverGetVersion", int*)                                                \
  X(cuGetErrorString, "cuGetErrorString", Code, const char**)                                      \
  X(cuDeviceGetCount, "cuDeviceGetCount", int*)                                                    \
  X(cuDeviceGet, "cuDeviceGet", int*, int)                                                         \
  X(cuDeviceGetName, "cuDeviceGetName", char*, int, int)                                           \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", int*, int, int)                                  \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", std::size_t*, int)                                    \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", Handle*, int)                            \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", int)                                \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", Handle)                                                    \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", Handle*)                                                   \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", Handle)                                               \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", Handle*)                                                \
  X(cuPointerGetAttributes, "cuPointerGetAttributes", unsigned, const int*, void**, Address)       \
  X(cuMemHostAlloc, "cuMemHostAlloc", void**, std::size_t, unsigned)                               \
  X(cuStreamCreate, "cuStreamCreate", Handle*, unsigned)                                           \
  X(cuStreamDestroy, "cuStreamDestroy_v2", Handle)                                                 \
  X(cuStreamSynchronize, "cuStreamSynchronize", Handle)                                            \
  X(cuStreamQuery, "cuStreamQuery", Handle)                                                        \
  X(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", Handle, int*, unsigned long long*,        \
    Handle*, const Handle**, std::size_t*)                                                         \
  X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", int*)                  \
  X(cuUserObjectCreate, "cuUserObjectCreate", Handle*, void*, void (*)(void*), unsigned, unsigned) \
  X(cuUserObjectRelease, "cuUserObjectRelease", Handle, unsigned)                                  \
  X(cuGraphRetainUserObject, "cuGraphRetainUserObject", Handle, Handle, unsigned, unsigned)        \
  X(cuCtxSynchronize, "cuCtxSynchronize")                                                          \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", Handle, int)                                  \
  X(cuStreamEndCapture, "cuStreamEndCapture", Handle, Handle*)                                     \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", Handle*, Handle, unsigned long long)        \
  X(cuGraphLaunch, "cuGraphLaunch", Handle, Handle)                                                \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", Handle)                                              \
  X(cuGraphDestroy, "cuGraphDestroy", Handle)                                                      \
  X(cuEventCreate, "cuEventCreate", Handle*, unsigned)                                             \
  X(cuEventRecord, "cuEventRecord", Handle, Handle)                                                \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", Handle, Handle, unsigned)                              \
  X(cuEventElapsedTime, "cuEventElapsedTime", float*, Handle, Handle)                              \
  X(cuEventDestroy, "cuEventDestroy_v2", Handle)                                                   \
  X(cuMemAlloc, "cuMemAlloc_v2", Address*, std::size_t)                                            \
  X(cuMemFree, "cuMemFree_v2", Address)                                                            \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", Address, const void*, std::size_t, Handle)          \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void*, Address, std::size_t, Handle)                \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", Address, Address, std::size_t, Handle)              \
  X(cuMemsetD8Async, "cuMemsetD8Async", Address, unsigned char, std::size_t, Handle)               \
  X(cuModuleLoadData, "cuModuleLoadData", Handle*, const void*)                                    \
  X(cuModuleUnload, "cuModuleUnload", Handle)                                                      \
  X(cuModuleGetFunction, "cuModuleGetFunction", Handle*, Handle, const char*)                      \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", Handle, int, int)                                    \
  X(cuLaunchKernel, "cuLaunchKernel", Handle, unsigned, unsigned, unsigned, unsigned, unsigned,    \
    unsigned, unsigned, Handle, void**, void**)                                                    \
  X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", Handle, unsigned, unsigned, unsigned,  \
    unsigned, unsigned, unsigned, unsigned, Handle, void**)

// Pointers to the functions, bound by Driver.
struct Functions {
#define X(name, symbol, ...) Code (*name)(__VA_ARGS__) = nullptr;
  ONEFOLD_DRIVER(X)
#undef X
};
Functions driver;
// Since CUDA 12; null if the driver is older.
Code (*stream_id)(Handle, unsigned long long*) = nullptr;

void check(Code code, const char* call) {
  if (code == 0) return;
  const char* text = nullptr;
  driver.cuGetErrorString(code, &text);
  throw CudaError(code, std::string(call) + ": " + (text == nullptr ? "unknown error" : text) +
                            " (CUDA error " + std::to_string(code) + ")");
}

// cuda.h: CUdevice_attribute, CUfunction_attribute.
enum Attribute {
  threads_per_block = 1,
  warp_size = 10,
  multiprocessors = 16,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  shared_bytes_opt_in = 97
};
constexpr int dynamic_shared_bytes = 8;

}  // namespace

#define CHECKED(name, ...) check(driver.name(__VA_ARGS__), #name)

Driver::Driver() {
  const std::string names[] = {"libcuda.so.1"};
  library_ = load(names);
  if (!library_) {
    why_ = "libcuda.so.1 was not found (" + library_.why + "); install the NVIDIA driver";
    return;
  }
#define X(name, symbol, ...)                                                        \
  driver.name = reinterpret_cast<decltype(driver.name)>(library_.find(symbol));     \
  if (driver.name == nullptr) {                                                     \
    why_ = std::string("libcuda.so.1 lacks ") + symbol + "; the driver is too old"; \
    return;                                                                         \
  }
  ONEFOLD_DRIVER(X)
#undef X
  stream_id = reinterpret_cast<decltype(stream_id)>(library_.find("cuStreamGetId"));
  try {
    CHECKED(cuInit, 0);
    CHECKED(cuDriverGetVersion, &version_);
    CHECKED(cuDeviceGetCount, &devices_);
    if (devices_ == 0)
      why_ =
          "the driver found no device; check the output of nvidia-smi, and $CUDA_VISIBLE_DEVICES";
  } catch (const CudaError& e) {
    why_ = e.what();
  }
}

Driver::Driver(std::string why) : why_(std::move(why)) {}

const Driver& Driver::get() {
  // CUDA does not work in a child of fork if the parent has called cuInit. Another thread of the
  // parent may have been in the first call, so a child must not wait for `instance`.
  static constinit FirstUse use;
  if (!use.is_here()) {
    static const Driver used_before(
        "this process was forked from one that already used CUDA, so CUDA does not work in this "
        "process; "
        "start processes with spawn or forkserver");
    return used_before;
  }
  static const Driver instance;
  return instance;
}

// Releases whatever exists, also for a device that could not be opened completely.
struct Gpu::State {
  ~State() {
    if (context == nullptr) return;
    driver.cuCtxSetCurrent(context);
    for (Handle module : modules) driver.cuModuleUnload(module);
    if (stream != nullptr) driver.cuStreamDestroy(stream);
    driver.cuDevicePrimaryCtxRelease(device);
  }
  int device = 0;
  Handle context = nullptr;
  Handle stream = nullptr;
  std::mutex mutex;  // of modules: several threads may load at once
  std::vector<Handle> modules;
};

std::string chip_of(int device) {
  int handle = 0, major = 0, minor = 0;
  CHECKED(cuDeviceGet, &handle, device);
  CHECKED(cuDeviceGetAttribute, &major, capability_major, handle);
  CHECKED(cuDeviceGetAttribute, &minor, capability_minor, handle);
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

Gpu::Gpu(int index) : state_(std::make_unique<State>()) {
  if (!Driver::get().usable()) throw CudaError(-1, Driver::get().why());
  CHECKED(cuDeviceGet, &state_->device, index);
  CHECKED(cuDevicePrimaryCtxRetain, &state_->context, state_->device);
  CHECKED(cuCtxSetCurrent, state_->context);
  state_->stream = new_stream();

  const auto attribute = [&](int which) {
    int value = 0;
    CHECKED(cuDeviceGetAttribute, &value, which, state_->device);
    return value;
  };
  char name[256] = "";
  CHECKED(cuDeviceGetName, name, sizeof name, state_->device);
  facts_.name = name;
  facts_.chip = chip_of(index);
  facts_.multiprocessors = attribute(multiprocessors);
  facts_.warp_size = attribute(warp_size);
  facts_.threads_per_block = attribute(threads_per_block);
  facts_.shared_bytes = static_cast<std::size_t>(attribute(shared_bytes_opt_in));
  facts_.l2_bytes = static_cast<std::size_t>(attribute(l2_bytes));
  CHECKED(cuDeviceTotalMem, &facts_.memory_bytes, state_->device);
}

Gpu::~Gpu() = default;

uint64_t Gpu::allocate(std::size_t bytes) {
  Address address = 0;
  CHECKED(cuMemAlloc, &address, std::max<std::size_t>(bytes, 1));
  return address;
}
void Gpu::free(uint64_t address) { CHECKED(cuMemFree, address); }
void Gpu::copy_in(uint64_t to, const void* from, std::size_t bytes) {
  CHECKED(cuMemcpyHtoDAsync, to, from, bytes, state_->stream);
  synchronize();
}
void Gpu::copy_in(uint64_t to, const void* from, std::size_t bytes, void* stream) {
  CHECKED(cuMemcpyHtoDAsync, to, from, bytes, stream);
}
void Gpu::copy_out(void* to, uint64_t from, std::size_t bytes) {
  CHECKED(cuMemcpyDtoHAsync, to, from, bytes, state_->stream);
  synchronize();
}
void Gpu::copy(uint64_t to, uint64_t from, std::size_t bytes) {
  copy(to, from, bytes, state_->stream);
}
void Gpu::copy(uint64_t to, uint64_t from, std::size_t bytes, void* stream) {
  CHECKED(cuMemcpyDtoDAsync, to, from, bytes, stream);
}
void Gpu::fill(uint64_t to, unsigned char byte, std::size_t bytes) {
  CHECKED(cuMemsetD8Async, to, byte, bytes, state_->stream);
}
void Gpu::synchronize(void* stream) {
  CHECKED(cuStreamSynchronize, stream == nullptr ? state_->stream : stream);
}
bool Gpu::is_done(void* stream) {
  constexpr Code not_ready = 600;
  const Code code = driver.cuStreamQuery(stream);
  if (code != not_ready) check(code, "cuStreamQuery");
  return code != not_ready;
}

Gpu::Current::Current(const Gpu& gpu) { CHECKED(cuCtxPushCurrent, gpu.state_->context); }
Gpu::Current::~Current() {
  Handle was = nullptr;
  driver.cuCtxPopCurrent(&was);
}

Gpu::ContextGuard::ContextGuard() { CHECKED(cuCtxGetCurrent, &was_); }
Gpu::ContextGuard::~ContextGuard() { driver.cuCtxSetCurrent(was_); }

Gpu::RelaxedCapture::RelaxedCapture() { CHECKED(cuThreadExchangeStreamCaptureMode, &mode_); }
Gpu::RelaxedCapture::~RelaxedCapture() { driver.cuThreadExchangeStreamCaptureMode(&mode_); }

void* Gpu::stream() const { return state_->stream; }
void* Gpu::new_stream() {
  constexpr unsigned non_blocking = 1;
  Handle stream = nullptr;
  CHECKED(cuStreamCreate, &stream, non_blocking);
  return stream;
}
void* Gpu::default_stream() {
  return reinterpret_cast<void*>(uintptr_t{1});  // cuda.h: CU_STREAM_LEGACY
}

uint64_t Gpu::id_of(void* stream) const {
  unsigned long long id = 0;
  if (stream_id == nullptr) return reinterpret_cast<uint64_t>(stream);
  check(stream_id(stream, &id), "cuStreamGetId");
  return id;
}

bool Gpu::streams_have_ids() { return stream_id != nullptr; }

void* Gpu::new_mark() {
  constexpr unsigned no_timing = 2;
  Handle mark = nullptr;
  CHECKED(cuEventCreate, &mark, no_timing);
  return mark;
}
void Gpu::record(void* mark, void* stream) { CHECKED(cuEventRecord, mark, stream); }
void Gpu::wait_for(void* mark, void* stream) { CHECKED(cuStreamWaitEvent, stream, mark, 0); }

void* Gpu::graph_of(void* stream) const {
  if (stream == default_stream()) return nullptr;  // cannot be captured
  int status = 0;
  Handle graph = nullptr;
  CHECKED(cuStreamGetCaptureInfo, stream, &status, nullptr, &graph, nullptr, nullptr);
  return status == 0 ? nullptr : graph;
}

void Gpu::when_destroyed(void* graph, void* object, void (*call)(void*)) {
  constexpr unsigned no_destructor_sync = 1, move = 1;
  Handle user = nullptr;
  const Code made = driver.cuUserObjectCreate(&user, object, call, 1, no_destructor_sync);
  if (made != 0) call(object);
  check(made, "cuUserObjectCreate");
  const Code kept = driver.cuGraphRetainUserObject(graph, user, 1, move);
  if (kept != 0) driver.cuUserObjectRelease(user, 1);
  check(kept, "cuGraphRetainUserObject");
}

void Gpu::synchronize_all() { CHECKED(cuCtxSynchronize); }

void* Gpu::allocate_pinned(std::size_t bytes) {
  constexpr unsigned portable_and_mapped = 3;
  void* p = nullptr;
  CHECKED(cuMemHostAlloc, &p, bytes, portable_and_mapped);
  return p;
}

Whereabouts whereabouts(const void* pointer) {
  constexpr int attributes[] = {2, 9};  // cuda.h: memory type, device ordinal
  constexpr unsigned unknown = 0, host = 1;
  unsigned type = unknown;
  int device = 0;
  void* answers[] = {&type, &device};
  // Pageable host memory is unknown to the driver, which is no error for this call.
  CHECKED(cuPointerGetAttributes, 2, attributes, answers, reinterpret_cast<Address>(pointer));
  if (type == unknown) return {};
  return {.place = type == host ? MemoryKind::registered_host : MemoryKind::device,
          .device = device};
}

void* Gpu::load(std::span<const char> image) {
  Handle module = nullptr;
  CHECKED(cuModuleLoadData, &module, image.data());
  const std::lock_guard lock(state_->mutex);
  state_->modules.push_back(module);
  return module;
}

void* Gpu::function(void* module, const char* name) {
  Handle f = nullptr;
  CHECKED(cuModuleGetFunction, &f, module, name);
  return f;
}

void Gpu::allow_shared(void* function, unsigned bytes) {
  if (bytes == 0) return;
  CHECKED(cuFuncSetAttribute, function, dynamic_shared_bytes, static_cast<int>(bytes));
}

void Gpu::launch(void* function, const Launch& how, void** args) {
  void* stream = how.stream == nullptr ? state_->stream : how.stream;
  if (how.cooperative) {
    CHECKED(cuLaunchCooperativeKernel, function, how.grid, 1, 1, how.block, 1, 1, how.shared_bytes,
            stream, args);
  } else {
    CHECKED(cuLaunchKernel, function, how.grid, 1, 1, how.block, 1, 1, how.shared_bytes, stream,
            args, nullptr);
  }
}

void Gpu::begin_capture() {
  constexpr int thread_local_mode = 1;
  CHECKED(cuStreamBeginCapture, state_->stream, thread_local_mode);
}

void* Gpu::end_capture() {
  Handle graph = nullptr;
  CHECKED(cuStreamEndCapture, state_->stream, &graph);
  return graph;
}

// All launches are queued at once. So the time from host to device, up to 7 us for a graph,
// overlaps with the previous replay.
double Gpu::replay(void* graph, int replays) {
  constexpr std::size_t warm_up = 2;
  Handle instance = nullptr;
  CHECKED(cuGraphInstantiate, &instance, graph, 0);
  std::vector<Handle> marks(warm_up + static_cast<std::size_t>(replays) + 1);
  for (Handle& mark : marks) CHECKED(cuEventCreate, &mark, 0);
  for (const Handle& mark : marks) {
    if (&mark != marks.data()) CHECKED(cuGraphLaunch, instance, state_->stream);
    CHECKED(cuEventRecord, mark, state_->stream);
  }
  synchronize();
  std::vector<float> times;
  for (std::size_t i = warm_up; i + 1 < marks.size(); ++i) {
    CHECKED(cuEventElapsedTime, &times.emplace_back(), marks[i], marks[i + 1]);
  }
  for (const Handle mark : marks) driver.cuEventDestroy(mark);
  driver.cuGraphExecDestroy(instance);
  driver.cuGraphDestroy(graph);
  std::sort(times.begin(), times.end());
  return static_cast<double>(times[times.size() / 2]);
}

}  // namespace onefold::jit
