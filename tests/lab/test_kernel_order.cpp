// Accesses that look like races or reads of unwritten memory and are neither: flags, exchanges, and
// loops around atomicCAS.
#include <gtest/gtest.h>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Returns the first message about a kernel, for each compiler; empty: none.
std::vector<std::string> said(const std::string& text, const std::string& launch,
                              const std::string& args, bool as_written = false) {
  std::vector<std::string> all;
  for (const std::string& compiler : compilers()) {
    const Scratch file(text, ".cu");
    KernelOptions o = options(file.path, launch, args);
    o.compiler = compiler;
    o.as_written = as_written;
    const KernelResult r = run_kernel(o);
    all.push_back(r.flaws.empty() ? r.failure : r.flaws[0]);
  }
  return all;
}
void expect_each(const std::vector<std::string>& all, const std::string& part) {
  for (const std::string& s : all) {
    if (part.empty()) {
      EXPECT_EQ(s, "");
    }
    EXPECT_NE(s.find(part), std::string::npos) << s;
  }
}

// A volatile flag between warps of a block, in shared memory or with a fence of the block.
TEST(KernelOrder, LetAVolatileFlagHandOverDataWithinABlock) {
  const auto kernel = [](const std::string& flag, const std::string& fence) {
    return "__global__ void k(int* x, volatile int* f) {\n  __shared__ volatile int shared_flag;\n"
           "  __shared__ int v;\n  if (threadIdx.x == 0) shared_flag = 0;\n  __syncthreads();\n"
           "  if (threadIdx.x == 0) { v = 5; " +
           fence + " " + flag + " = 1; }\n  if (threadIdx.x == 32) { while (" + flag +
           " == 0) {} " + fence + " x[0] = v; }\n}\n";
  };
  const std::string launch = "k<<<1, 64>>>(x, f)", args = "x:i32[1], f:i32[1]=zeros";
  for (const char* fence : {"__threadfence();", "__threadfence_block();"}) {
    expect_each(said(kernel("shared_flag", fence), launch, args), "");
    expect_each(said(kernel("*f", fence), launch, args), "");
  }
  expect_each(said(kernel("shared_flag", ""), launch, args), "race: ");
  expect_each(said(kernel("*f", ""), launch, args), "race: f[0]");
}

// CUDA's memory model wants an order on both sides: of the reader by a fence or a barrier.
TEST(KernelOrder, WantsAFenceOfTheReaderOfAFlag) {
  const auto kernel = [](const std::string& value, const std::string& wrote,
                         const std::string& seen) {
    return "__global__ void k(int* x) {\n  __shared__ volatile int flag;\n  __shared__ int v;\n"
           "  if (threadIdx.x == 0) flag = 0;\n  __syncthreads();\n  if (threadIdx.x == 0) { v = " +
           value + "; " + wrote + " flag = 1; }\n  while (flag == 0) {}\n  " + seen +
           "\n  if (threadIdx.x == 32) x[0] = v;\n}\n";
  };
  const std::string launch = "k<<<1, 64>>>(x)", args = "x:i32[2]=ones", race = "race: v[0]";
  for (const std::string fence : {"__threadfence();", "__threadfence_block();"}) {
    expect_each(said(kernel("x[1]", fence, fence), launch, args), "");
    expect_each(said(kernel("x[1]", fence, "__syncthreads();"), launch, args), "");
    expect_each(said(kernel("x[1]", fence, ""), launch, args), race);
    expect_each(said(kernel("x[1]", "", fence), launch, args), "race: flag[0]");
  }
  // An optimiser that knows the value reads no memory.
  expect_each(said(kernel("5", "__threadfence();", ""), launch, args, true), race);
}

// Warps take turns, by a counter that each of them increases.
TEST(KernelOrder, LetWarpsTakeTurnsByAVolatileCounter) {
  const auto kernel = [](const std::string& fence) {
    return "__global__ void k(int* x) {\n  __shared__ volatile int turn;\n  __shared__ int sum;\n"
           "  int w = threadIdx.x / 32;\n  if (threadIdx.x == 0) { turn = 0; sum = 0; }\n"
           "  __syncthreads();\n  if (threadIdx.x % 32 == 0) {\n    while (turn != w) {}\n    " +
           fence + "\n    sum += w;\n    " + fence +
           "\n    turn++;\n  }\n  __syncthreads();\n  if (threadIdx.x == 0) *x = sum;\n}\n";
  };
  for (const char* fence : {"__threadfence();", "__threadfence_block();"}) {
    expect_each(said(kernel(fence), "k<<<1, 128>>>(x)", "x:i32[1]"), "");
  }
  expect_each(said(kernel(""), "k<<<1, 128>>>(x)", "x:i32[1]"), "race: ");
}

// A fence does not turn the steps of a warp that counts on lock-step into flags.
TEST(KernelOrder, DoNotOrderVolatileSteps) {
  const std::string text =
      "__global__ void k(int* y) {\n  __shared__ volatile int s[64];\n  int t = threadIdx.x;\n"
      "  s[t] = t;\n  __threadfence();\n  __syncthreads();\n"
      "  if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; }\n"
      "  __syncthreads();\n  y[t] = s[t];\n}\n";
  expect_each(said(text, "k<<<1, 64>>>(y)", "y:i32[64]"), "race: s[");
}

TEST(KernelOrder, LetsAnExchangeComeFirstIfItsResultIsUnused) {
  const auto kernel = [](const std::string& first) {
    return "__global__ void k(int* f, int* y) {\n  if (threadIdx.x == 0) " + first +
           ";\n  __syncthreads();\n  y[threadIdx.x] = f[0];\n}\n";
  };
  const std::string launch = "k<<<1, 64>>>(f, y)", args = "f:i32[1], y:i32[64]";
  expect_each(said(kernel("atomicExch(f, 1)"), launch, args), "");
  expect_each(said(kernel("y[0] = atomicExch(f, 1)"), launch, args),
              "f[0] is read before any thread");
  expect_each(said(kernel("atomicAdd(f, 1)"), launch, args), "f[0] is read before any thread");
}

// The loop of CUDA's guide begins with a plain read, which atomicCAS checks.
TEST(KernelOrder, AllowAPlainReadThatAtomicCasCompares) {
  const auto kernel = [](const std::string& type, const std::string& word, const std::string& to,
                         const std::string& back, const std::string& loop,
                         const std::string& after = "") {
    return "__global__ void k(const " + type + "* x, " + type + "* y, " + word +
           "* seen) {\n  const " + type + " v = x[blockIdx.x * blockDim.x + threadIdx.x];\n  " +
           word + "* p = (" + word + "*)y;\n  " + word + " old = *p, assumed;\n  " + after +
           "\n  do {\n    assumed = old;\n    " + loop + "\n    old = atomicCAS(p, assumed, " + to +
           "(v + " + back + "(assumed)));\n  } while (assumed != old);\n}\n";
  };
  const std::string launch = "k<<<2, 64>>>(x, y, s)";
  const auto args = [](const std::string& t, const std::string& w) {
    return "x:" + t + "[128]=ones, y:" + t + "[1]=zeros, s:" + w + "[128]";
  };
  const std::string narrow = args("f32", "i32"), wide = args("f64", "u64");
  const auto floats = [&](const std::string& loop, const std::string& after = "") {
    return kernel("float", "int", "__float_as_int", "__int_as_float", loop, after);
  };
  expect_each(said(kernel("double", "unsigned long long", "__double_as_longlong",
                          "__longlong_as_double", ""),
                   launch, wide),
              "");
  expect_each(said(floats(""), launch, narrow), "");
  // A maximum ends early.
  expect_each(said(floats("if (__int_as_float(assumed) >= 9.f) break;"), launch, narrow), "");
  // But not a value that is kept, or a word that a plain store changes.
  expect_each(said(floats("", "seen[blockIdx.x * 64 + threadIdx.x] = old;"), launch, narrow),
              "race: y[0]");
  expect_each(said(floats("", "p = seen;"), launch,
                   "x:f32[128]=ones, y:f32[1]=zeros, "
                   "s:i32[128]=zeros"),
              "");
  expect_each(said(floats("", "*p = 0;"), launch, narrow), "race: y[0]");
}

// The same in shared memory, whose addresses are constants, and with functions that end early.
TEST(KernelOrder, AllowAPlainReadThatAtomicCasComparesInSharedMemory) {
  const auto kernel = [](const std::string& type, const std::string& function,
                         const std::string& call, const std::string& after = "") {
    return function + "__global__ void k(const " + type + "* x, " + type + "* y) {\n  __shared__ " +
           type +
           " s[4];\n  int t = threadIdx.x;\n"
           "  if (t < 4) s[t] = 0;\n  __syncthreads();\n  " +
           call + "\n  __syncthreads();\n  " + after + "if (t < 4) y[t] = s[t];\n}\n";
  };
  const auto args = [](const std::string& t) { return "x:" + t + "[64]=iota, y:" + t + "[64]"; };
  const std::string launch = "k<<<1, 64>>>(x, y)";
  const std::string sum =
      "__device__ double add(double* to, double v) {\n"
      "  unsigned long long *p = (unsigned long long*)to, old = *p, assumed;\n"
      "  do {\n    assumed = old;\n    old = atomicCAS(p, assumed, __double_as_longlong("
      "v + __longlong_as_double(assumed)));\n  } while (assumed != old);\n"
      "  return __longlong_as_double(old);\n}\n";
  const auto each = [](const std::string& f) {
    return f + "(s, x[t]); " + f + "(&s[3], x[t]); " + f + "(&s[t % 3], x[t]);";
  };
  expect_each(said(kernel("double", sum, each("add")), launch, args("f64")), "");
  // Behind the loop the value is the one that atomicCAS has found.
  expect_each(said(kernel("double", sum, "double old = add(s, x[t]);", "if (t > 3) y[t] = old; "),
                   launch, args("f64")),
              "");
  const std::string fold_max =
      "__device__ void most(float* to, float v) {\n  int *p = (int*)to, old = *p, assumed;\n"
      "  do {\n    assumed = old;\n    old = atomicCAS(p, assumed, "
      "__float_as_int(fmaxf(v, __int_as_float(assumed))));\n  } while (assumed != old);\n}\n";
  const std::string early_min =
      "__device__ void least(float* to, float v) {\n  int *p = (int*)to, old = *p, assumed;\n"
      "  while (v < __int_as_float(old)) {\n    assumed = old;\n"
      "    old = atomicCAS(p, assumed, __float_as_int(v));\n"
      "    if (old == assumed) break;\n  }\n}\n";
  expect_each(said(kernel("float", fold_max, each("most")), launch, args("f32")), "");
  expect_each(said(kernel("float", early_min, each("least")), launch, args("f32")), "");
  // But not of another word, of one that a plain store changes, or where the first value is kept.
  expect_each(
      said(kernel("float", fold_max, "most(s, x[t]); if (t == 9) s[0] = 1;"), launch, args("f32")),
      "race: s[0]");
  const std::string other =
      "int old = *(int*)(s + 1), w = atomicCAS((int*)s, old, 7); most(s + 1, w);";
  expect_each(said(kernel("float", fold_max, other), launch, args("f32")), "race: s[1]");
  const std::string kept =
      "int old = *(int*)s; y[t] = old; atomicCAS((int*)s, old, __float_as_int(x[t]));";
  expect_each(said(kernel("float", "", kept), launch, args("f32")), "race: s[0]");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
