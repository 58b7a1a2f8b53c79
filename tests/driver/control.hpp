// Controls a libcuda.so.1 whose devices are simulated machines. The library and the tests share one
// Control.
#pragma once

#include <functional>
#include <string>

namespace onefold::test {

struct Control {
  // What the driver reports about itself.
  int version = 13000;
  int devices = 1;               // at most 5
  int chip = 90;                 // sm_90
  int init = 0;                  // what cuInit returns
  int shared_bytes = 227 << 10;  // the most that a block may ask for
  int multiprocessors = 2;

  // Call number `fail_at`, counted from 0 since `calls` was set, returns `code`; with `for_ever`
  // all later calls do so, too. A failed call does nothing, except that handles passed for
  // destruction are gone.
  long calls = 0, fail_at = -1;
  std::string fail_name = {};  // or the next call with this name fails, once
  int code = 0;
  bool for_ever = false;
  bool refuse_images = false;  // cuModuleLoadData refuses the next image
  // Work stays queued on its stream until something waits for it. If something waits for all
  // streams, they take turns, a launch or copy each.
  bool deferred = false;
  // Called before each launch, which waits for it; other threads may call the driver then.
  std::function<void()> before_launch = {};

  // What has happened.
  std::string failed;               // the call that failed
  std::string* heard = nullptr;     // if set, collects the name of each call
  std::string* launched = nullptr;  // if set, collects the name of each kernel
  std::string flaws;                // of the kernels, in the simulated machine's words
  std::size_t bytes = 0;            // allocated, and not yet freed
};

}  // namespace onefold::test
