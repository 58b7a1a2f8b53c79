// Kernels that the lab's page brings along: how each is launched, for any number of elements.
#pragma once

#include <string>

#include "lab/kernel_run.hpp"
#include "lab/plan.hpp"

namespace onefold::lab {

// The arrays of a rung's steps, by Buffer.
inline constexpr const char* rung_buffers[] = {"input", "first", "second"};

// All launches of a plan, as `onefold lab run` is told of them; the elements are drawn, i32.
WrittenOptions rung_options(const Plan& p);

// What the page knows of a kernel's launches, as JSON: the facts that a rung's plan follows from,
std::string launch_facts(const Rung& r);
// or options with {n}, {block}, {blocks} and {threads} in them, where a block takes
// `a_thread` elements for each of its threads.
std::string launch_facts(const WrittenOptions& options, unsigned a_thread);

// The options over n elements with blocks of `block` threads.
//   facts   of launch_facts
//   throws  bad_option, where nothing would be launched
WrittenOptions example_options(const std::string& facts, Size n, unsigned block);

}  // namespace onefold::lab
