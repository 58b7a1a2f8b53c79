// Runs the text of a program with its own main() on the simulated machine.
#pragma once

#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/kernel_run.hpp"

namespace onefold::lab {
inline bool has_clang() { return std::system("clang++ --version > /dev/null 2>&1") == 0; }
#define NEEDS_CLANG() \
  if (!has_clang()) GTEST_SKIP() << "main() needs clang++"

struct RanMain {
  KernelResult result;
  std::string printed;
};

inline RanMain run_text(const std::string& text, const std::vector<std::string>& words = {},
                        bool film = false) {
  const Scratch file(text, ".cu");
  KernelOptions o;
  o.file = file.path;
  o.film = film;
  o.budget = 5'000'000;
  testing::internal::CaptureStdout();
  RanMain r;
  try {
    r.result = run_main(o, words);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  r.printed = testing::internal::GetCapturedStdout();
  return r;
}

}  // namespace onefold::lab
