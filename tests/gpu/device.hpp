// Functions of the driver that only tests on a device need: streams, graphs, memory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

#define SKIP_WITHOUT_DEVICE()                                                                   \
  if (!onefold::jit::Driver::get().usable()) GTEST_SKIP() << onefold::jit::Driver::get().why(); \
  if (!onefold::jit::Nvrtc::get().usable()) GTEST_SKIP() << onefold::jit::Nvrtc::get().library().why

namespace onefold::test {

// Returns a driver function by name: driver<int(void*)>("cuStreamSynchronize")(s).
template <class F>
F* driver(const char* name) {
  return reinterpret_cast<F*>(jit::Driver::get().library().find(name));
}
// Throws the driver's message.
inline void check_driver(int code, const char* what) {
  if (code != 0) throw jit::CudaError(code, what);
}

// Device memory, filled with a pattern.
class DeviceBytes {
 public:
  DeviceBytes(jit::Gpu& gpu, std::size_t bytes) : gpu_(gpu), address_(gpu.allocate(bytes)) {
    gpu.fill(address_, 0xa5, bytes);
    gpu.synchronize();
  }
  ~DeviceBytes() {
    try {
      gpu_.free(address_);
    } catch (const jit::CudaError&) {  // if the device is lost, the test has failed elsewhere
    }
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  std::byte* data() const { return reinterpret_cast<std::byte*>(address_); }
  uint64_t address() const { return address_; }
  template <class T>
  std::vector<T> read(std::size_t n, std::size_t at = 0) const {
    std::vector<T> v(n);
    gpu_.copy_out(v.data(), address_ + at, n * sizeof(T));
    return v;
  }
  template <class T>
  void write(const std::vector<T>& v, std::size_t at = 0) const {
    gpu_.copy_in(address_ + at, v.data(), v.size() * sizeof(T));
  }

 private:
  jit::Gpu& gpu_;
  uint64_t address_;
};

class Stream {
 public:
  Stream() { check_driver(driver<int(void**, unsigned)>("cuStreamCreate")(&s_, 1), "stream"); }
  ~Stream() { driver<int(void*)>("cuStreamDestroy_v2")(s_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void* get() const { return s_; }
  void synchronize() const {
    check_driver(driver<int(void*)>("cuStreamSynchronize")(s_), "synchronize");
  }
  // Later work on the stream waits until `call` returns.
  void queue(void (*call)(void*), void* argument) const {
    check_driver(driver<int(void*, void (*)(void*), void*)>("cuLaunchHostFunc")(s_, call, argument),
                 "host function");
  }

 private:
  void* s_ = nullptr;
};

// Captures the work that `queue` queues on a stream, to be replayed.
class Graph {
 public:
  template <class F>
  Graph(const Stream& s, F&& queue, int mode = 0 /* global */) {
    check_driver(driver<int(void*, int)>("cuStreamBeginCapture_v2")(s.get(), mode), "capture");
    queue();
    void* graph = nullptr;
    check_driver(driver<int(void*, void**)>("cuStreamEndCapture")(s.get(), &graph), "end capture");
    const int made = driver<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags")(
        &instance_, graph, 0);
    driver<int(void*)>("cuGraphDestroy")(graph);
    check_driver(made, "instantiate");
  }
  ~Graph() { driver<int(void*)>("cuGraphExecDestroy")(instance_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void replay(const Stream& s) const {
    check_driver(driver<int(void*, void*)>("cuGraphLaunch")(instance_, s.get()), "replay");
  }

 private:
  void* instance_ = nullptr;
};

}  // namespace onefold::test
