// A simulated device, on which the engine runs.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "driver/control.hpp"
#include "gpu/device.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// The Control of the library that the engine will find; makes no call of the driver.
inline Control& control() {
  static Control& c = [&]() -> Control& {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = library == nullptr ? nullptr : dlsym(library, "onefold_control");
    if (found == nullptr) {
      std::fputs("the simulated driver is not on LD_LIBRARY_PATH\n", stderr);
      std::abort();
    }
    return *reinterpret_cast<Control* (*)()>(found)();
  }();
  return c;
}

// Tests neither find nor keep kernels on disk, unless they say so.
inline const bool nothing_is_kept =
    ::setenv("ONEFOLD_CACHE", "", 1) == 0 && ::setenv("ONEFOLD_KERNELS", "", 1) == 0;

// While it exists, work stays on its stream until something waits for it, as on a device.
struct Deferred {
  Deferred() { control().deferred = true; }
  ~Deferred() { control().deferred = false; }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
};

// Runs `body` in a child process and returns its exit status, since a process opens a device once.
inline int in_a_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) std::exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace onefold::test
