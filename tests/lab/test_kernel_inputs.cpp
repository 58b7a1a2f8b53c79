// Which inputs a wrong sum lacks or counts twice.
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/kernel_verdict.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Returns what the report says of an expectation's inputs.
std::string inputs(const std::string& text, const std::string& launch, const std::string& args,
                   const std::string& expect) {
  const Scratch file(text, ".cu");
  KernelOptions o = options(file.path, launch, args);
  o.expect = {expect};
  const KernelResult r = run_kernel(o);
  const std::string& said = r.expectations[0].inputs;
  EXPECT_EQ(r.flaws, std::vector<std::string>());
  EXPECT_NE(why(r).find(said), std::string::npos) << why(r);
  return said;
}

// A sum by one thread, whose loop is given.
std::string loop(const std::string& type, const std::string& body) {
  return "__global__ void k(const " + type + "* x, " + (type == "unsigned char" ? "int" : type) +
         "* y, int n) {\n  " + (type == "unsigned char" ? "int" : type) + " s = 0;\n  " + body +
         "\n  *y = s;\n}\n";
}

TEST(KernelInputs, AreNamedIfATreeDropsThem) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string tree =
      "__global__ void k(const int* x, int* y) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
      "  s[t] = x[t];\n  __syncthreads();\n  for (int h = blockDim.x / 2; h; h /= 2) {\n"
      "    if (t < h) s[t] += s[t + h];\n    __syncthreads();\n  }\n  if (t == 0) *y = s[0];\n}\n";
  EXPECT_EQ(inputs(tree, "k<<<1, 9>>>(x, y)", "x:i32[9]=ones, y:i32[1]", "y[0]==9"),
            "y[0] lacks x[8]");
  EXPECT_EQ(inputs(tree, "k<<<1, 11>>>(x, y)", "x:i32[11]=iota, y:i32[1]", "sum(y)==55"),
            "sum(y) lacks x[4], x[9] to x[10]");
  EXPECT_EQ(inputs(tree, "k<<<1, 16>>>(x, y)", "x:i32[16]=ones, y:i32[1]", "y[0]==17"), "")
      << "the expectation is wrong";
}

TEST(KernelInputs, AreNamedOfEachType) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::pair<const char*, const char*> types[] = {{"int", "i32"},
                                                       {"unsigned char", "u8"},
                                                       {"long long", "i64"},
                                                       {"float", "f32"},
                                                       {"double", "f64"}};
  for (const auto& [type, name] : types) {
    const std::string args = std::string("x:") + name +
                             "[1000]=ones, y:" + (std::string(name) == "u8" ? "i32" : name) +
                             "[1], n=1000";
    const auto said = [&](const std::string& body) {
      return inputs(loop(type, body), "k<<<1, 1>>>(x, y, n)", args, "y[0]==1");
    };
    EXPECT_EQ(said("for (int i = 0; i < n; ++i) if (i != 700) s += x[i];"), "y[0] lacks x[700]");
    EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[i];\n  s += x[3] + x[3];"),
              "y[0] counts x[3] 3 times");
    EXPECT_EQ(said("for (int i = 7; i < 256; ++i) s += x[i];\n  s += x[40];"),
              "y[0] has only x[7] to x[255], and counts x[40] 2 times");
    EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[i];"), "");
  }
}

TEST(KernelInputs, AreNamedOfAMeanAndOfMany) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(inputs(loop("double", "for (int i = 0; i < n - 1; ++i) s += x[i];\n  s /= n;"),
                   "k<<<1, 1>>>(x, y, n)", "x:f64[11]=iota, y:f64[1], n=11", "y[0]==5"),
            "y[0] lacks x[10]");
  const std::string many =
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n - 1) atomicAdd(y, x[i]);\n}\n";
  EXPECT_EQ(inputs(many, "k<<<64, 256>>>(x, y, n)", "x:f32[2^14]=ones, y:f32[1]=zeros, n=16384",
                   "y[0]==16384"),
            "y[0] lacks x[16383]");
}

TEST(KernelInputs, AreNamedIfManyAreCountedTwice) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  // The stride leaves out the grid.
  const std::string strides =
      "__global__ void k(const float* x, float* y, int n) {\n  float s = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) s += x[i];\n"
      "  atomicAdd(y, s);\n}\n";
  EXPECT_EQ(inputs(strides, "k<<<2, 64>>>(x, y, n)", "x:f32[200]=iota, y:f32[1]=zeros, n=200",
                   "y[0]==19900"),
            "y[0] counts x[64] to x[199] 2 times");
  EXPECT_EQ(
      inputs(strides, "k<<<2, 64>>>(x, y, n)", "x:f32[64]=ones, y:f32[1]=zeros, n=64", "y[0]==65"),
      "");
  const std::string all = "for (int i = 0; i < 2 * n; ++i) s += x[i % n];";
  EXPECT_EQ(
      inputs(loop("int", all), "k<<<1, 1>>>(x, y, n)", "x:i32[9]=ones, y:i32[1], n=9", "y[0]==9"),
      "every input is counted 2 times");
}

TEST(KernelInputs, AreAllCountedOftenIfEachThreadAddsThem) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto adds = [](const std::string& also) {
    return "__global__ void k(const int* x, int* y) {\n  int i = threadIdx.x;\n"
           "  atomicAdd(y, x[i]);\n  " +
           also + "\n}\n";
  };
  const std::string args = "x:i32[16]=ones, y:i32[1]=zeros", all = "every input is counted ";
  EXPECT_EQ(inputs(adds("if (i == 3) atomicAdd(y, x[i]);"), "k<<<2, 16>>>(x, y)", args, "y[0]==16"),
            all + "2 times, but x[3] 4 times");
  EXPECT_EQ(inputs(adds("if (i == 3) atomicSub(y, x[i]);"), "k<<<2, 16>>>(x, y)", args, "y[0]==16"),
            "y[0] lacks x[3], and counts every other input 2 times");
  // The factor is right here.
  EXPECT_EQ(inputs(adds("if (i == 3) atomicAdd(y, x[i]);"), "k<<<2, 16>>>(x, y)", args, "y[0]==32"),
            "y[0] counts x[3] 2 times");
  for (const char* type : {"int", "float", "double"}) {
    const std::string t = type, name = t == "int" ? "i32" : t == "float" ? "f32" : "f64";
    const std::string whole =
        "__global__ void k(const " + t + "* x, " + t + "* y, int from, int to) {\n  " + t +
        " s = 0;\n"
        "  for (int i = from; i < to; ++i) s += x[i];\n  atomicAdd(y, s);\n}\n";
    const auto said = [&](int threads, int from, int to) {
      return inputs(whole, "k<<<1, " + std::to_string(threads) + ">>>(x, y, from, to)",
                    "x:" + name + "[100]=iota, y:" + name +
                        "[1]=zeros, from=" + std::to_string(from) + ", to=" + std::to_string(to),
                    "y[0]==4950");
    };
    EXPECT_EQ(said(32, 0, 100), all + "32 times") << t;
    EXPECT_EQ(said(64, 0, 100), all + "64 times") << t;
    EXPECT_EQ(said(32, 0, 99), "y[0] lacks x[99], and counts every other input 32 times") << t;
    EXPECT_EQ(said(32, 7, 20), "y[0] has only x[7] to x[19], and counts them 32 times") << t;
  }
}

TEST(KernelInputs, HaveARangeOfCountsIfTheseDiffer) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  // Only lane 0 has the warp's sum, and all lanes add.
  const std::string lanes =
      "__global__ void k(const int* x, int* y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, s = x[i];\n"
      "  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);\n  atomicAdd(y, s);\n}\n";
  EXPECT_EQ(inputs(lanes, "k<<<1, 32>>>(x, y)", "x:i32[32]=iota, y:i32[1]=zeros", "y[0]==496"),
            "y[0] counts inputs between 1 and 112 times, and only x[0] once");
  EXPECT_EQ(inputs(lanes, "k<<<4, 128>>>(x, y)", "x:i32[512]=ones, y:i32[1]=zeros", "y[0]==512"),
            "y[0] counts inputs between 1 and 112 times");
  EXPECT_EQ(inputs(lanes, "k<<<1, 32>>>(x, y)", "x:i32[32]=iota, y:i32[32]=zeros", "y[0]==496"),
            "y[0] counts inputs between 1 and 112 times, and only x[0] once")
      << "y has as many elements, but is not a factor";
  const std::string weights = "for (int i = 0; i < n; ++i) s += i * x[i];";
  const auto weighted = [&](const std::string& n, const std::string& want) {
    return inputs(loop("int", weights), "k<<<1, 1>>>(x, y, n)",
                  "x:i32[" + n + "]=iota, y:i32[1], n=" + n, "y[0]==" + want);
  };
  EXPECT_EQ(weighted("100", "4950"),
            "y[0] counts inputs between 0 and 99 times, and only x[1] once");
  EXPECT_EQ(weighted("5", "10"),
            "y[0] lacks x[0], and counts x[2] 2 times, x[3] 3 times, x[4] 4 times");
  EXPECT_EQ(weighted("5", "11"), "") << "the plain sum is not wanted";
}

TEST(KernelInputs, AreCountedByTheirCoefficientsInAMean) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto said = [&](const std::string& body, const std::string& n) {
    return inputs(loop("double", body), "k<<<1, 1>>>(x, y, n)",
                  "x:f64[" + n + "]=iota, y:f64[1], n=" + n, "y[0]==1000");
  };
  const std::string running = "s = x[0];\n  for (int i = 1; i < n; ++i) s = (s + x[i]) / 2;";
  EXPECT_EQ(said(running, "3"), "every input is counted 0.25 times, but x[2] 0.5 times");
  EXPECT_EQ(said(running, "100"), "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[i] / n;\n  s += x[3] / n;", "10"),
            "every input is counted 0.1 times, but x[3] 0.2 times");
}

TEST(KernelInputs, MayBeSubtracted) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto said = [&](const std::string& term, int n) {
    const std::string body = "for (int i = 0; i + 1 < n; ++i) s += " + term + ";",
                      size = std::to_string(n);
    return inputs(loop("int", body), "k<<<1, 1>>>(x, y, n)",
                  "x:i32[" + size + "]=iota, y:i32[1], n=" + size, "y[0]==1");
  };
  EXPECT_EQ(said("x[i + 1] - x[i]", 8), "y[0] has only x[0], x[7], and counts x[0] -1 times");
  EXPECT_EQ(said("x[i + 1] - x[i]", 100),
            "y[0] has only x[0], x[99], and counts them -1 times, but x[99] once");
  EXPECT_EQ(said("x[i] - x[i + 1]", 100), "y[0] has only x[0], x[99], and counts x[99] -1 times");
  EXPECT_EQ(said("-(i < 60 ? 2 : 1) * x[i]", 81),
            "y[0] lacks x[80], and counts every other input -2 times, but x[60] to x[79] -1 times");
  EXPECT_EQ(said("-x[i]", 100), "y[0] lacks x[99], and counts every other input -1 times");
}

TEST(KernelInputs, AreLostIfACompareAndSwapIsNotRetried) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto said = [](const std::string& body, const std::string& want) {
    return inputs("__global__ void k(const int* x, volatile int* y) {\n  int old = *y, seen;\n  " +
                      body + "\n}\n",
                  "k<<<1, 64>>>(x, y)", "x:i32[64]=ones, y:i32[1]=zeros", "y[0]==" + want);
  };
  const std::string once = "atomicCAS((int*)y, old, old + x[threadIdx.x]);";
  EXPECT_NE(
      said(once, "64").find(":3 fails in 62 threads and is not retried until it succeeds: their"),
      std::string::npos);
  EXPECT_EQ(said(once, "7"), "") << "the sum is not wanted";
  EXPECT_EQ(said("if (threadIdx.x != 5)\n    do {\n      seen = old;\n      old = "
                 "atomicCAS((int*)y, seen, seen + x[threadIdx.x]);\n    } while (seen != old);",
                 "64"),
            "y[0] lacks x[5]");
}

// Other elements than the given ones tell nothing of such kernels.
TEST(KernelInputs, AreNotNamedIfTheyAreIndicesOrBounds) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto said = [&](const std::string& body, const std::string& x) {
    return inputs(loop("int", body), "k<<<1, 1>>>(x, y, n)", "x:i32[8]=" + x + ", y:i32[1], n=8",
                  "y[0]==-1");
  };
  // Of eight, of which the first is also a bound.
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) if (x[0] < 20 || i < 4) s += x[i];",
                 "[50, 1, 2, 3, 4, 5, 6, 7]"),
            "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[x[i] & 7];", "iota"), "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[0] > 9 ? 2 * x[i] : i == 3 ? 0 : x[i];",
                 "[10, 1, 1, 1, 1, 1, 1, 1]"),
            "");
}

// Nor is an answer's own old value an input.
TEST(KernelInputs, AreNotTheAnswerItself) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string greatest =
      "__global__ void k(const int* x, int* y) { atomicAdd(y, max(x[0], x[1])); }\n";
  EXPECT_EQ(inputs(greatest, "k<<<1, 1>>>(x, y)", "x:i32[2]=iota, y:i32[2]=zeros", "y[0]==7"), "");
}

// Squares, counts and products with another array are sums, too, though not of the elements.
TEST(KernelInputs, AreNamedOfSumsOfFunctions) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (const char* term : {"x[i] * x[i]", "abs(x[i])", "(x[i] > 0)", "(x[i] == 0)"}) {
    const std::string body =
        std::string("for (int i = 0; i < n; ++i) if (i % 50 != 7) s += ") + term + ";";
    EXPECT_EQ(inputs(loop("int", body), "k<<<1, 1>>>(x, y, n)", "x:i32[100]=iota, y:i32[1], n=100",
                     "y[0]==-1"),
              "y[0] lacks x[7], x[57]")
        << term;
  }
  const std::string dot =
      "__global__ void k(const float* a, const float* x, float* y, int n) {\n  float s = 0;\n"
      "  for (int i = 1; i < n; ++i) s += a[i] * x[i];\n  *y = s;\n}\n";
  const Scratch file(dot, ".cu");
  KernelOptions o = options(file.path, "k<<<1, 1>>>(a, x, y, n)",
                            "a:f32[100]=iota, x:f32[100]=iota, y:f32[1], n=100");
  o.expect = {"y[0]==328300"};
  EXPECT_EQ(run_kernel(o).expectations[0].inputs, "y[0] lacks a[0]");
}

TEST(KernelInputs, AreCountedByTheirCoefficientsInADotProduct) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string dot =
      "__global__ void k(const float* a, const float* x, float* y, int n) {\n  float s = 0;\n"
      "  for (int i = 0; i < n; ++i) s += a[i] * x[i] * (i < 20 ? 2 : 3);\n  *y = s;\n}\n";
  EXPECT_EQ(inputs(dot, "k<<<1, 1>>>(a, x, y, n)", "a:f32[32]=iota, x:f32[32]=ones, y:f32[1], n=32",
                   "y[0]==496"),
            "every input is counted 2 times, but a[20] to a[31] 3 times");
}

TEST(KernelInputs, AreNotNamedOfOtherAnswers) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const auto said = [&](const std::string& body) {
    return inputs(loop("int", body), "k<<<1, 1>>>(x, y, n)", "x:i32[100]=iota, y:i32[1], n=100",
                  "y[0]==1");
  };
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s = max(s, x[i]);"), "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += i * x[i];"), "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[i] * x[i];"), "");
  EXPECT_EQ(said("for (int i = 0; i < n; ++i) s += x[i] > 3;"), "");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
