// Local variables that are read before they are set (registers, arrays, fields, through calls and
// shuffles), and code that only copies such bytes.
#include <gtest/gtest.h>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

struct Case {
  const char* text;
  int line;  // the line in which an unset value is first used; 0: none
};

// The first line of `uninitialised`, of a kernel `k(const float* x, float* y, int n)` of one warp.
int line_told(const std::string& text, const std::string& compiler, bool as_written) {
  const Scratch file(text, ".cu");
  KernelOptions o = options(file.path, "k<<<1, 32>>>(x, y, n)", "x:f32[64]=iota, y:f32[64], n=3");
  o.compiler = compiler;
  o.as_written = as_written;
  int line = 0;
  for (const sim::Flaw& f : run_kernel(o).report.flaws) {
    EXPECT_EQ(f.kind, sim::FlawKind::uninitialised) << text;
    const auto at = static_cast<int>(f.at.line);
    if (line == 0 || at < line) line = at;
  }
  return line;
}

constexpr const char* head = "__global__ void k(const float* x, float* y, int n) {\n";

void expect(const std::vector<Case>& cases, bool optimised = true) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (const std::string& compiler : compilers()) {
    for (const bool as_written : {false, true}) {
      if (!as_written && !optimised) continue;
      for (const Case& c : cases) {
        const std::string text = std::string(c.text).find("__global__") == std::string::npos
                                     ? head + std::string(c.text) + "}\n"
                                     : c.text;
        EXPECT_EQ(line_told(text, compiler, as_written), c.line)
            << text << compiler << (as_written ? " as written" : "");
      }
    }
  }
}

TEST(KernelUnset, TellsAccumulatorsThatBeginWithNothing) {
  expect({{"  float s;\n  for (int i = 0; i < n; ++i) s += x[i];\n  y[threadIdx.x] = s;\n", 4},
          {"  float m;\n"
           "  for (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m; y[threadIdx.x] = m;\n",
           3}});
}

TEST(KernelUnset, TellsElementsOfLocalArrays) {
  expect({{"  int a[16];\n  for (int i = 0; i < n; ++i) a[(int)x[i] & 15] = i;\n"
           "  y[threadIdx.x] = a[(threadIdx.x + n) & 15];\n",
           4},
          {"  int h[8];\n  for (int i = 0; i < n; ++i) h[(int)x[i] & 7]++;\n"
           "  y[threadIdx.x] = 0;\n  if (h[threadIdx.x & 7] == 3) y[threadIdx.x] = 1;\n",
           5}});
}

TEST(KernelUnset, TellsWhatCallsAndShufflesBring) {
  expect({{"struct P { float m; int n; };\n"
           "__device__ __noinline__ void push(P& p, float v) { p.n++; p.m += (v - p.m) / p.n; }\n"
           "__global__ void k(const float* x, float* y, int n) {\n  P p;\n  p.n = 0;\n"
           "  for (int i = 0; i < n; ++i) push(p, x[i]);\n  y[threadIdx.x] = p.m;\n}\n",
           7},
          {"  float v;\n  if (threadIdx.x < 20) v = x[threadIdx.x];\n"
           "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
           "  if (threadIdx.x == 0) y[0] = v;\n",
           5}});
}

// Compilers remove a branch on an unset value: only a run with --as-written shows it.
TEST(KernelUnset, TellsBranchesAsWritten) {
  expect({{"  int v;\n  if (x[threadIdx.x] > 3) v = 1;\n"
           "  if (v == 1) y[threadIdx.x] = 7; else y[threadIdx.x] = 9;\n",
           4}},
         false);
}

TEST(KernelUnset, IsSilentWhereNothingUnsetIsUsed) {
  expect({
      {"  float best;\n  bool has = false;\n  for (int i = 0; i < n; ++i) {\n"
       "    if (!has || x[i] > best) best = x[i], has = true;\n  }\n"
       "  y[threadIdx.x] = has ? best : -1;\n",
       0},
      {"  float v;\n  if (threadIdx.x < 8) v = x[threadIdx.x];\n"
       "  for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
       "  if (threadIdx.x == 0) y[0] = v;\n",
       0},
      {"  unsigned char b[16];\n  int m = 0, v = threadIdx.x * 1237 + n;\n"
       "  while (v) b[m++] = v % 10, v /= 10;\n  int s = 0;\n  while (m) s = s * 10 + b[--m];\n"
       "  y[threadIdx.x] = s;\n",
       0},
      {"struct B { unsigned a : 5; unsigned b : 11; unsigned c : 16; };\n"
       "__global__ void k(const float* x, float* y, int n) {\n  B b[2];\n"
       "  for (int i = 0; i < 2; ++i) b[i].a = (int)x[threadIdx.x], b[i].b = 3, b[i].c = n;\n"
       "  y[threadIdx.x] = b[threadIdx.x & 1].a + b[threadIdx.x & 1].c;\n}\n",
       0},
      {"union U { float f; unsigned u; unsigned char b[4]; };\n"
       "__global__ void k(const float* x, float* y, int n) {\n  U u;\n  u.f = x[threadIdx.x];\n"
       "  unsigned s = n;\n  for (int i = 0; i < 4; ++i) s = s * 31 + u.b[(i + threadIdx.x) & 3];\n"
       "  y[threadIdx.x] = s ^ u.u;\n}\n",
       0},
  });
}

// The padding of a struct is copied, in words and in bytes, which is no flaw.
TEST(KernelUnset, IsSilentAboutPadding) {
  expect({
      {"struct S { char c; double d; };\n__global__ void k(const float* x, float* y, int n) {\n"
       "  S a[4];\n  for (int i = 0; i < 4; ++i) a[i].c = i, a[i].d = x[(threadIdx.x + i) & 31];\n"
       "  S b = a[threadIdx.x & 3];\n  if (threadIdx.x < 16) ((S*)y)[threadIdx.x] = b;\n}\n",
       0},
      {"struct S { char c; double d; short e; };\n"
       "__device__ __noinline__ S make(int i, double d) {\n"
       "  S s;\n  s.c = i;\n  s.d = d;\n  s.e = 2 * i;\n  return s;\n}\n"
       "__device__ __noinline__ S same(S s, int n) {\n  S t[3];\n"
       "  for (int i = 0; i < 3; ++i) t[i] = s;\n  return t[n % 3];\n}\n"
       "__global__ void k(const float* x, float* y, int n) {\n"
       "  S s = make(threadIdx.x, x[threadIdx.x]);\n"
       "  if (threadIdx.x < 10) ((S*)y)[threadIdx.x] = same(s, threadIdx.x);\n}\n",
       0},
  });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
