// A CUDA driver with simulated devices. It has the functions that onefold/system/jit/cuda.cpp asks
// for, and no others. Work is done when it is queued, or recorded while its stream is captured. If
// ONEFOLD_OLD_DRIVER is defined, it is too old; if ONEFOLD_DRIVER_WITHOUT_IDS is, it is one before
// CUDA 12.
#include "driver/simulated_device.hpp"

std::pair<uint64_t, std::size_t> onefold::test::memory_at(uint64_t address) {
  const auto& memory = device().memory;
  auto next = memory.upper_bound(address);
  if (next == memory.begin()) return {};
  --next;
  if (address >= next->first + next->second.bytes) return {};
  return {next->first, next->second.bytes};
}

extern "C" {

Control* onefold_control() { return &device().control; }

Code cuInit(unsigned) {
  BEGIN("cuInit");
  return control.init;
}
// The real NVRTC asks for tables that this driver lacks.
Code cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return not_found;
}
Code cuDriverGetVersion(int* v) {
  BEGIN("cuDriverGetVersion");
  *v = control.version;
  return success;
}
Code cuGetErrorString(Code, const char** text) {
  *text = "as the test wants it";
  return success;
}
Code cuDeviceGetCount(int* n) {
  BEGIN("cuDeviceGetCount");
  *n = control.devices;
  return success;
}
Code cuDeviceGet(int* d, int index) {
  BEGIN("cuDeviceGet");
  *d = index;
  return index < control.devices ? success : no_device;
}
Code cuDeviceGetName(char* name, int bytes, int) {
  BEGIN("cuDeviceGetName");
  std::strncpy(name, "simulated", static_cast<std::size_t>(bytes));
  return success;
}
Code cuDeviceGetAttribute(int* value, int which, int) {
  BEGIN("cuDeviceGetAttribute");
  // cuda.h: CUdevice_attribute.
  const std::map<int, int> known = {{1, 1024},
                                    {10, 32},
                                    {16, control.multiprocessors},
                                    {38, 1 << 20},
                                    {75, control.chip / 10},
                                    {76, control.chip % 10},
                                    {97, control.shared_bytes}};
  const auto found = known.find(which);
  if (found == known.end()) return invalid_value;
  *value = found->second;
  return success;
}
Code cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  BEGIN("cuDeviceTotalMem");
  *bytes = std::size_t{1} << 30;
  return success;
}
Code cuDevicePrimaryCtxRetain(void** context, int index) {
  BEGIN("cuDevicePrimaryCtxRetain");
  *context = &device().contexts[index];
  return success;
}
Code cuDevicePrimaryCtxRelease_v2(int) {
  BEGIN("cuDevicePrimaryCtxRelease");
  return success;
}
Code cuCtxSetCurrent(void* context) {
  BEGIN("cuCtxSetCurrent");
  auto& stack = Device::current;
  if (stack.empty()) stack.push_back(nullptr);
  stack.back() = static_cast<Context*>(context);
  return success;
}
Code cuCtxGetCurrent(void** context) {
  BEGIN("cuCtxGetCurrent");
  *context = current();
  return success;
}
Code cuCtxPushCurrent_v2(void* context) {
  BEGIN("cuCtxPushCurrent");
  Device::current.push_back(static_cast<Context*>(context));
  return success;
}
Code cuCtxPopCurrent_v2(void** context) {
  BEGIN("cuCtxPopCurrent");
  if (Device::current.empty()) return invalid_value;
  *context = Device::current.back();
  Device::current.pop_back();
  return success;
}
Code cuPointerGetAttributes(unsigned n, const int* which, void** to, Address a) {
  BEGIN("cuPointerGetAttributes");
  const Allocation* const found = find(a);
  for (unsigned k = 0; k < n; ++k) {
    const bool type = which[k] == 2;  // otherwise the device's ordinal
    const int memory = found == nullptr ? 0 : found->pinned ? 1 : 2;
    const auto ordinal = found == nullptr ? 0 : found->context - device().contexts;
    *static_cast<int*>(to[k]) = type ? memory : static_cast<int>(ordinal);
  }
  return success;
}
Code cuMemHostAlloc(void** p, std::size_t bytes, unsigned) {
  BEGIN("cuMemHostAlloc");
  return allocate(reinterpret_cast<Address*>(p), bytes, true);
}
Code cuMemAlloc_v2(Address* a, std::size_t bytes) {
  BEGIN("cuMemAlloc");
  return allocate(a, bytes, false);
}
Code cuMemFree_v2(Address a) {
  BEGIN("cuMemFree");
  const auto found = device().memory.find(a);
  if (found == device().memory.end()) return invalid_value;
  control.bytes -= found->second.bytes;
  device().memory.erase(found);
  std::free(reinterpret_cast<void*>(a));
  return success;
}

Code cuStreamCreate(void** s, unsigned) {
  BEGIN("cuStreamCreate");
  if (current() == nullptr) return invalid_context;
  Stream* mine = nullptr;
  if (!device().destroyed.empty()) {
    mine = device().destroyed.back();
    device().destroyed.pop_back();
  } else {
    mine = new Stream;
  }
  *mine = {.id = device().streams++, .context = current()};
  *s = mine;
  return success;
}
Code cuStreamDestroy_v2(void* s) {
  const std::lock_guard lock(device().mutex);
  auto* const stream = static_cast<Stream*>(s);
  delete std::exchange(stream->captured, nullptr);
  device().destroyed.push_back(stream);
  return step("cuStreamDestroy");
}
#ifndef ONEFOLD_DRIVER_WITHOUT_IDS
Code cuStreamGetId(void* s, unsigned long long* id) {
  BEGIN("cuStreamGetId");
  *id = stream_of(s)->id;
  return success;
}
#endif
Code cuStreamSynchronize(void* s) {
  BEGIN("cuStreamSynchronize");
  if (is_foreign(s)) return invalid_handle;
  if (captured(s)) return capture_unsupported;
  Work& work = *stream_of(s)->work;
  return work.run(work.queued);
}
Code cuStreamQuery(void* s) {
  BEGIN("cuStreamQuery");
  if (is_foreign(s)) return invalid_handle;
  constexpr Code not_ready = 600;
  return stream_of(s)->work->nodes.empty() ? stream_of(s)->work->failure : not_ready;
}
Code cuCtxSynchronize() {
  BEGIN("cuCtxSynchronize");
  return run_all();
}
Code cuThreadExchangeStreamCaptureMode(int*) {
  BEGIN("cuThreadExchangeStreamCaptureMode");
  return success;
}

Code cuStreamBeginCapture_v2(void* s, int) {
  BEGIN("cuStreamBeginCapture");
  stream_of(s)->captured = new Graph;
  return success;
}
Code cuStreamEndCapture(void* s, void** graph) {
  const std::lock_guard lock(device().mutex);
  std::unique_ptr<Graph> ended(std::exchange(stream_of(s)->captured, nullptr));
  if (const Code code = step("cuStreamEndCapture"); code != success) return code;
  *graph = ended.release();
  return success;
}
Code cuStreamGetCaptureInfo_v2(void* s, int* status, unsigned long long*, void** graph,
                               void* const**, std::size_t*) {
  BEGIN("cuStreamGetCaptureInfo");
  *status = captured(s) ? 1 : 0;
  if (graph != nullptr) *graph = stream_of(s)->captured;
  return success;
}
Code cuUserObjectCreate(void** user, void* object, void (*call)(void*), unsigned, unsigned) {
  BEGIN("cuUserObjectCreate");
  *user = new UserObject{call, object};
  return success;
}
Code cuUserObjectRelease(void* user, unsigned) {
  const std::lock_guard lock(device().mutex);
  const std::unique_ptr<UserObject> gone(static_cast<UserObject*>(user));
  gone->call(gone->object);
  return step("cuUserObjectRelease");
}
#ifndef ONEFOLD_OLD_DRIVER
Code cuGraphRetainUserObject(void* graph, void* user, unsigned, unsigned) {
  BEGIN("cuGraphRetainUserObject");
  const std::unique_ptr<UserObject> moved(static_cast<UserObject*>(user));
  static_cast<Graph*>(graph)->resources->ends.emplace_back(moved->call, moved->object);
  return success;
}
#endif
Code cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long) {
  BEGIN("cuGraphInstantiate");
  *instance = new Graph(*static_cast<Graph*>(graph));
  return success;
}
Code cuGraphLaunch(void* instance, void*) {
  BEGIN("cuGraphLaunch");
  for (const Node& node : static_cast<Graph*>(instance)->nodes) {
    if (const Code code = node(); code != success) return code;
  }
  return success;
}
Code cuGraphExecDestroy(void* instance) {
  const std::lock_guard lock(device().mutex);
  delete static_cast<Graph*>(instance);
  return step("cuGraphExecDestroy");
}
Code cuGraphDestroy(void* graph) {
  const std::lock_guard lock(device().mutex);
  delete static_cast<Graph*>(graph);
  return step("cuGraphDestroy");
}

// The simulated device measures no time.
Code cuEventCreate(void** event, unsigned) {
  BEGIN("cuEventCreate");
  *event = new Event;
  return success;
}
Code cuEventRecord(void* event, void* s) {
  BEGIN("cuEventRecord");
  *static_cast<Event*>(event) = {stream_of(s)->work, stream_of(s)->work->queued};
  return success;
}
Code cuStreamWaitEvent(void* s, void* event, unsigned) {
  BEGIN("cuStreamWaitEvent");
  return queue(s, [e = *static_cast<Event*>(event)] { return e.work->run(e.queued); });
}
Code cuEventElapsedTime(float*, void*, void*) { return not_found; }
Code cuEventDestroy_v2(void*) { return not_found; }

Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* s) {
  BEGIN("cuMemcpyHtoDAsync");
  if (is_foreign(s)) return invalid_handle;
  return queue(s, [=] {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return success;
  });
}
Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* s) {
  BEGIN("cuMemcpyDtoHAsync");
  if (is_foreign(s)) return invalid_handle;
  return queue(s, [=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return success;
  });
}
Code cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void* s) {
  BEGIN("cuMemcpyDtoDAsync");
  if (is_foreign(s)) return invalid_handle;
  return queue(s, [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return success;
  });
}
Code cuMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, void* s) {
  BEGIN("cuMemsetD8Async");
  if (is_foreign(s)) return invalid_handle;
  return queue(s, [=] {
    std::memset(reinterpret_cast<void*>(to), byte, bytes);
    return success;
  });
}

Code cuModuleLoadData(void** module, const void* image) {
  BEGIN("cuModuleLoadData");
  if (std::exchange(control.refuse_images, false)) return invalid_image;
  *module = new Module{static_cast<const char*>(image), current()};
  return success;
}
Code cuModuleUnload(void* module) {
  const std::lock_guard lock(device().mutex);
  delete static_cast<Module*>(module);
  return step("cuModuleUnload");
}
Code cuModuleGetFunction(void** f, void* module, const char* name) {
  BEGIN("cuModuleGetFunction");
  auto& m = *static_cast<Module*>(module);
  const DeviceKernel* const kernel = find_kernel(m.source, name);
  if (kernel == nullptr) {
    control.flaws += "no kernel is called " + std::string(name);
    return not_found;
  }
  m.functions[name] = {name, kernel, m.context};
  *f = &m.functions[name];
  return success;
}
Code cuFuncSetAttribute(void*, int, int) {
  BEGIN("cuFuncSetAttribute");
  return success;
}
Code cuLaunchKernel(void* f, unsigned grid, unsigned, unsigned, unsigned threads, unsigned,
                    unsigned, unsigned shared_bytes, void* s, void** arguments, void**) {
  if (device().control.before_launch) device().control.before_launch();
  BEGIN("cuLaunchKernel");
  const auto& function = *static_cast<const Function*>(f);
  if (shared_bytes > static_cast<unsigned>(control.shared_bytes)) return invalid_value;
  if (is_foreign(s) || function.context != current()) return invalid_handle;
  const DeviceKernel& kernel = *function.kernel;
  if (control.launched != nullptr) *control.launched += function.name + " ";
  // Arguments are read now, and the kernel may run later.
  std::vector<std::vector<std::byte>> copies;
  for (std::size_t k = 0; k < kernel.argument_bytes.size(); ++k) {
    const auto* const bytes = static_cast<const std::byte*>(arguments[k]);
    copies.emplace_back(bytes, bytes + kernel.argument_bytes[k]);
    // The last argument says how to answer, and is no pointer. Its padding may have any bytes, even
    // those of an address.
    if (k == 3) break;
    for (std::size_t i = 0; i + 8 <= kernel.argument_bytes[k]; i += 8) {
      Address a = 0;
      std::memcpy(&a, bytes + i, sizeof a);
      const Allocation* const memory = find(a);
      if (memory != nullptr && !memory->pinned && memory->context != current()) {
        return illegal_address;
      }
    }
  }
  return queue(s, [=, &kernel, &control] {
    std::vector<const void*> pointers;
    for (const auto& c : copies) pointers.push_back(c.data());
    control.flaws += kernel.run(grid, threads, shared_bytes, pointers.data());
    return success;
  });
}
Code cuLaunchCooperativeKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, void*, void**) {
  return not_found;
}
}
