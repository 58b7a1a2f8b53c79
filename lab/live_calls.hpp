// What the page on which kernels are run asks for: its module in a browser, or `onefold lab serve`.
// Texts are JSON or HTML.
#pragma once

#include <functional>
#include <string>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// Returns f(); if that throws, {"error": "..."} with the message that `onefold` would print.
std::string live_answer(const std::function<std::string()>& f);

// Reads {"file": "sum.ptx", "text": "...", "options": {"launch": "sum<<<1, 32>>>()", ...},
// "sources": texts of the files that the PTX names}; the options are those of `onefold lab run`.
KernelOptions live_request(const std::string& request);

// Returns the page of `onefold lab run --page`: the run step by step.
std::string live_film(KernelOptions o);

// Returns the options of a kernel of the page over n elements.
std::string live_launches(const std::string& facts, Size n, unsigned block);

// Returns the output of `onefold lab puzzle NAME FILE --json`.
//   ending  of the file's name: ".ptx" or ".cu"
std::string live_puzzle(const std::string& name, const std::string& ending, const std::string& text,
                        unsigned seed);

}  // namespace onefold::lab
