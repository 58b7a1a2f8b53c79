// The simulated device under the engine.
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

// Of the library that the product will find; it calls nothing.
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

// Tests neither find nor leave kernels on disk, but where they say so.
inline const bool nothing_is_kept =
    ::setenv("ONEFOLD_CACHE", "", 1) == 0 && ::setenv("ONEFOLD_KERNELS", "", 1) == 0;

// While this lives, work waits on its stream until something waits for it, as on a device.
struct Deferred {
  Deferred() { control().deferred = true; }
  ~Deferred() { control().deferred = false; }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
};

// The exit status of a child of this process that runs `body`: a device is opened once a process.
inline int in_a_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) std::exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace onefold::test
