// Rungs as NVRTC compiles them, and how `lab run` launches them.
#pragma once

#include "lab/kernel_run.hpp"
#include "lab/plan.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {

// The arrays of a rung's steps, by Buffer.
inline constexpr const char* rung_buffers[] = {"input", "first", "second"};

// A kernel `rung` for blocks of `block` threads at most, with the lines of its source.
//   throws  unsupported, with NVRTC's words
std::string rung_ptx(const Entry& e, bool twin, unsigned block);
// All launches of a plan, as `onefold lab run` is told of them.
WrittenOptions rung_options(const Plan& p, const Setting& s);

}  // namespace onefold::lab
