// A rung in the lab's list: its facts, and its kernels for the simulated machine.
#pragma once

#include <string_view>

#include "lab/rung.hpp"
#include "onefold/machine/sim/host.hpp"

namespace onefold::lab {

enum class Type { i32, i64, f32, f64 };
enum class Op { sum, min, max };

// What a launch passes to a kernel.
struct Arguments {
  sim::Space* x = nullptr;
  sim::Space* y = nullptr;
  sim::Space* ticket = nullptr;
  Size n = 0;
  Size step = 0;
};

using Kernel = void (*)(const Arguments&);
// Queues a library's call and returns. x and answer are addresses on the device.
using Queue = void (*)(const void* x, Size n, void* answer, const OnStream& where);
using HostKernel = void (*)(const void* x, void* scratch, Size n, void* answer);

struct Entry {
  std::string_view name;
  std::string_view file;  // under lab/rung
  Rung about;
  Twin twin;
  bool has_twin = false;
  // Returns null if the rung lacks the type, op or block size.
  Kernel (*kernel)(Type, Op, unsigned block, bool twin) = nullptr;
  HostKernel (*host_kernel)(Type, Op, bool twin) = nullptr;
  Queue (*queue)(Type, Op) = nullptr;

  // If false, the rung is a loop on the host, or a library's call.
  bool has_kernel() const { return kernel != nullptr; }
};

}  // namespace onefold::lab
