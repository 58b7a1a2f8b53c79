// Shared by tests of users' kernels.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
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

// Returns the compilers of this machine.
inline const std::vector<std::string>& compilers() {
  static const std::vector<std::string> there = [] {
    std::vector<std::string> all;
    for (const char* compiler : {"nvrtc", "clang"}) {
      try {
        const std::string k = "__global__ void k(int* y) { y[0] = 1; }\n";
        ptx::compile({.file = "k.cu", .text = k, .compiler = compiler, .kernel = "k"});
        all.emplace_back(compiler);
      } catch (const Error& e) {
        const std::string what = e.what();
        if (what.find("not found") == what.npos && what.find("cannot be used") == what.npos) throw;
      }
    }
    return all;
  }();
  return there;
}
inline bool has_compiler() { return !compilers().empty(); }

inline std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}

// A file of this test, which is removed at the end.
struct Scratch {
  std::string path;
  Scratch(const std::string& text, const std::string& end) {
    path = testing::TempDir() + "onefold_" + std::to_string(getpid()) + "_" +
           std::to_string(std::rand()) + end;
    std::ofstream(path) << text;
  }
  ~Scratch() { std::remove(path.c_str()); }
};

inline KernelOptions options(const std::string& file, const std::string& launch,
                             const std::string& args) {
  KernelOptions o;
  o.file = file;
  o.launches = kernel_launches(launch);
  o.arguments = kernel_arguments(args, 1);
  o.budget = 50'000'000;
  return o;
}

inline int64_t element(const KernelResult& r, const std::string& name, Size i) {
  for (const KernelArgument& a : r.arguments) {
    if (a.name == name) return std::stoll(element_text(a, i));
  }
  return -1;
}

using Kinds = std::vector<std::string>;

// Returns a kernel `k` with one array and a body in PTX.
inline std::string kernel(const std::string& body) {
  return ".version 7.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n"
         ".reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .f64 %fd<9>;\n"
         "ld.param.u64 %rd0, [p];\ncvta.to.global.u64 %rd1, %rd0;\n" +
         body + "\nret;\n}\n";
}
inline KernelResult run_body(const std::string& body, const std::string& launch = "k<<<1, 32>>>(y)",
                             const std::string& args = "y:u32[64]=iota") {
  const Scratch file(kernel(body), ".ptx");
  return run_kernel(options(file.path, launch, args));
}

}  // namespace onefold::lab
