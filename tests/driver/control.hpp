// A libcuda.so.1 whose devices are simulated machines: what tests may ask of it. The library
// and the tests share one Control.
#pragma once

#include <functional>
#include <string>

namespace onefold::test {

struct Control {
  // What the driver says of itself.
  int version = 13000;
  int devices = 1;               // at most 5
  int chip = 90;                 // sm_90
  int init = 0;                  // what cuInit returns
  int shared_bytes = 227 << 10;  // that a block may ask for
  int multiprocessors = 2;

  // The call number `fail_at`, counted from 0 since `calls` was set, returns `code`; with
  // `for_ever` so do all that follow. Nothing of a failed call happens, but that handles given back
  // are gone.
  long calls = 0, fail_at = -1;
  std::string fail_name = {};  // or the next call of this name, once
  int code = 0;
  bool for_ever = false;
  bool refuse_images = false;  // cuModuleLoadData takes nothing, once
  // Work waits on its stream until something waits for it; what waits for all streams has them take
  // turns, a launch or copy each.
  bool deferred = false;
  // Called before each launch, which waits for it; other threads may call the driver meanwhile.
  std::function<void()> before_launch = {};

  // What happened.
  std::string failed;               // the call that did
  std::string* heard = nullptr;     // gets the name of each call, and a space
  std::string* launched = nullptr;  // gets the name of each kernel, and a space
  std::string flaws;                // of the kernels, as the simulated machine words them
  std::size_t bytes = 0;            // allocated and not freed
};

}  // namespace onefold::test
