// The simulated driver's devices, memory, streams and graphs.
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/control.hpp"
#include "driver/kernels.hpp"

namespace {

using onefold::test::Control;
using onefold::test::DeviceKernel;
using onefold::test::find_kernel;
using Code = int;
using Address = unsigned long long;

// cuda.h: CUresult.
enum {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  no_device = 101,
  invalid_context = 201,
  invalid_image = 200,
  invalid_handle = 400,
  not_found = 500,
  illegal_address = 700,
  capture_unsupported = 900
};

// Work on a stream, which is recorded or done at once.
using Node = std::function<Code()>;

// Resources that live as long as a graph and all its instances.
struct Resources {
  std::vector<std::pair<void (*)(void*), void*>> ends;
  ~Resources() {
    for (const auto& [call, object] : ends) call(object);
  }
};
struct Graph {
  std::vector<Node> nodes;
  std::shared_ptr<Resources> resources = std::make_shared<Resources>();
};
struct UserObject {
  void (*call)(void*);
  void* object;
};
struct Context {};
// Work that was queued on a stream and is not yet done; it outlives the stream.
struct Work {
  std::deque<Node> nodes;
  std::size_t queued = 0, done = 0;
  Code failure = success;

  void step() {
    const Node node = std::move(nodes.front());
    nodes.pop_front();
    ++done;
    if (const Code code = node(); code != success) failure = code;
  }
  // Does all work that was there when `upto` had been queued.
  Code run(std::size_t upto) {
    while (done < upto && !nodes.empty()) step();
    return failure;
  }
};
struct Stream {
  unsigned long long id;
  Context* context;  // null: for every device
  Graph* captured = nullptr;
  std::shared_ptr<Work> work = std::make_shared<Work>();
};
struct Event {
  std::shared_ptr<Work> work;
  std::size_t queued = 0;
};
struct Allocation {
  std::size_t bytes;
  Context* context;
  bool pinned;
};
struct Function {
  std::string name;
  const DeviceKernel* kernel;
  Context* context;
};
struct Module {
  std::string source;
  Context* context;
  std::map<std::string, Function> functions = {};
};

struct Device {
  std::recursive_mutex mutex;
  Control control;
  std::map<Address, Allocation> memory;
  unsigned long long streams = 2;
  std::vector<Stream*> destroyed;  // handles to be used again
  std::vector<std::shared_ptr<Work>> deferred;
  Stream legacy{1, nullptr};
  Context contexts[5];  // at most so many devices
  thread_local static inline std::vector<Context*> current;
};
Device& device() {
  static auto& d = *new Device;  // never destroyed, since the engine frees some things late
  return d;
}

// Each function begins with this: it fails if the test says so.
#define BEGIN(name)                                     \
  const std::lock_guard lock(device().mutex);           \
  [[maybe_unused]] Control& control = device().control; \
  if (const Code code_ = step(name); code_ != success) return code_
Code step(const char* name) {
  Control& c = device().control;
  const long k = c.calls++;
  if (c.heard != nullptr) *c.heard += std::string(name) + " ";
  if (c.fail_name == name) {
    c.failed = std::exchange(c.fail_name, "");
    return c.code;
  }
  if (c.fail_at < 0 || k < c.fail_at || (k > c.fail_at && !c.for_ever)) return success;
  if (k == c.fail_at) c.failed = name;
  return c.code;
}

// Returns the context that is current on this thread, or null.
Context* current() { return Device::current.empty() ? nullptr : Device::current.back(); }

Stream* stream_of(void* s) {
  return s == nullptr || s == reinterpret_cast<void*>(uintptr_t{1}) ? &device().legacy
                                                                    : static_cast<Stream*>(s);
}
Code queue(void* s, Node node) {
  Graph* const graph = stream_of(s)->captured;
  if (graph != nullptr) {
    graph->nodes.push_back(std::move(node));
    return success;
  }
  if (!device().control.deferred) return node();
  const auto& work = stream_of(s)->work;
  if (work->nodes.empty()) device().deferred.push_back(work);
  work->nodes.push_back(std::move(node));
  ++work->queued;
  return success;
}
// Lets all streams take turns.
Code run_all() {
  Code code = success;
  for (bool some = true; some;) {
    some = false;
    for (std::size_t k = 0; k < device().deferred.size(); ++k) {
      Work& work = *device().deferred[k];
      if (work.nodes.empty()) continue;
      some = true;
      work.step();
      if (work.failure != success) code = work.failure;
    }
  }
  device().deferred.clear();
  return code;
}
bool is_foreign(void* s) {
  return current() == nullptr ||
         (stream_of(s)->context != nullptr && stream_of(s)->context != current());
}
bool captured(void* s) { return stream_of(s)->captured != nullptr; }

Code allocate(Address* address, std::size_t bytes, bool pinned) {
  Device& d = device();
  if (current() == nullptr) return invalid_context;
  void* const p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (p == nullptr) return out_of_memory;
  std::memset(p, 0x5a, bytes);
  *address = reinterpret_cast<Address>(p);
  d.memory[*address] = {bytes, current(), pinned};
  d.control.bytes += bytes;
  return success;
}
// Returns the allocation that contains an address, or null.
const Allocation* find(Address a) {
  const auto& memory = device().memory;
  auto next = memory.upper_bound(a);
  if (next == memory.begin()) return nullptr;
  --next;
  return a < next->first + next->second.bytes ? &next->second : nullptr;
}

}  // namespace
