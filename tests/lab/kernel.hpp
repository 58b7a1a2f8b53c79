// What tests of the user's kernels share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/ptx/compile.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

inline const std::string texts = ONEFOLD_SOURCE_DIR "/tests/lab/text/";

inline std::vector<std::string> kinds(const KernelResult& r) {
  std::vector<std::string> k;
  for (const auto& f : r.report.flaws) k.emplace_back(name_of(f.kind));
  std::sort(k.begin(), k.end());
  k.erase(std::unique(k.begin(), k.end()), k.end());
  return k;
}

inline bool has_compiler() {
  static const bool there = [] {
    try {
      const std::string k = "__global__ void k(int* y) { y[0] = 1; }\n";
      return !ptx::compile("k.cu", k, "", "80", "k").ptx.empty();
    } catch (const Error&) {
      return false;
    }
  }();
  return there;
}

}  // namespace onefold::lab
