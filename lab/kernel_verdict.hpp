// The verdict on a run of a user's kernels, and reports of it for CI.
#pragma once

#include <string>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// The exit status of `onefold lab run`. docs/lab-ci.md has the table.
enum class Verdict {
  clean = 0,
  flaw = 60,         // a flaw without a suppression, a trap, a failed assertion
  expectation = 61,  // no flaw, but an expectation of --expect does not hold
  does_not_compile = 62,
  budget = 63,  // --budget was used up, and no flaw came before
  order = 64,   // no flaw, but an expectation holds under one order of threads and not another
};

constexpr const char* name_of(Verdict v) {
  return v == Verdict::clean         ? "clean"
         : v == Verdict::flaw        ? "flaw"
         : v == Verdict::expectation ? "expectation"
         : v == Verdict::budget      ? "budget"
         : v == Verdict::order       ? "order"
                                     : "does_not_compile";
}

Verdict verdict_of(const KernelResult& r);
// "it is 4", and under which order.
std::string found_text(const KernelExpectation& e);
// Returns what ended the run, as a flaw: "given_up: k.cu:3: the kernel traps (block 0, thread 0)".
std::string failure_sentence(const KernelResult& r);
// Returns the line in a message: "FILE(3): error" or "FILE:3:5: error"; 0: none.
unsigned line_in(const std::string& message, const std::string& file);
// Returns a sentence about the worst finding; empty: none.
std::string why(const KernelResult& r);

// SARIF 2.1.0, which GitHub's code scanning and others read. JUnit XML: a test case for all flaws
// of one kind, and one for each expectation.
std::string to_sarif(const KernelResult& r);
std::string to_junit(const KernelResult& r);

}  // namespace onefold::lab
