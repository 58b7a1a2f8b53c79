// Kernels that the lab's page contains, and how each is launched for any number of elements.
#pragma once

#include <string>

#include "lab/kernel_run.hpp"
#include "lab/plan.hpp"

namespace onefold::lab {

// Names of the arrays of a rung's steps, by Buffer.
inline constexpr const char* rung_buffers[] = {"input", "first", "second"};

// Returns all launches of a plan as options of `onefold lab run`; elements are random i32.
WrittenOptions rung_options(const Plan& p);

// Returns, as JSON, the facts that a rung's launches follow from,
std::string launch_facts(const Rung& r);
// or options that contain {n}, {block}, {blocks} and {threads}; each thread of a block takes
// `a_thread` elements.
std::string launch_facts(const WrittenOptions& options, unsigned a_thread);

// Returns the options for n elements and blocks of `block` threads; a rung expects the exact sum.
//   facts   what launch_facts returned
//   throws  bad_option: nothing would be launched
WrittenOptions example_options(const std::string& facts, Size n, unsigned block);

}  // namespace onefold::lab
