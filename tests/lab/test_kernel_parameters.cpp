// Calls of device functions: parameters and results of every kind of type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Each type is made from a small integer, with another value in each member, and read back.
const std::string types = R"cuda(
struct Pair { double a; int b; };
struct Bytes { char c[5]; };
struct Wide { float f[3]; long long l; double d; };
struct alignas(32) Aligned { float x; double y; short z; };
struct Three { float x, y, z; };
#define NUMBER(T) static __device__ __forceinline__ long long take(T x) { return (long long)x; } \
  static __device__ __forceinline__ void make(T& x, long long s) { x = (T)(s % 100); }
NUMBER(double) NUMBER(float) NUMBER(char) NUMBER(unsigned char) NUMBER(short) NUMBER(int)
NUMBER(unsigned) NUMBER(long long)
#define MEMBERS(T, TAKE, ...) \
  static __device__ __forceinline__ long long take(T x) { return TAKE; } \
  static __device__ __forceinline__ void make(T& x, long long s) { s %= 100; __VA_ARGS__; }
MEMBERS(double2, take(x.x) + 3 * take(x.y), x.x = s, x.y = s + 1)
MEMBERS(float4, take(x.x) + 3 * take(x.y) + 5 * take(x.z) + 7 * take(x.w),
        x.x = s, x.y = s + 1, x.z = s + 2, x.w = s + 3)
MEMBERS(Pair, take(x.a) + 3 * take(x.b), x.a = s, x.b = s + 1)
MEMBERS(Bytes, x.c[0] + 3 * x.c[1] + 5 * x.c[2] + 7 * x.c[3] + 11 * x.c[4],
        x.c[0] = s, x.c[1] = s + 1, x.c[2] = s + 2, x.c[3] = s + 3, x.c[4] = s + 4)
MEMBERS(Wide, take(x.f[0]) + 3 * take(x.f[1]) + 5 * take(x.f[2]) + 7 * x.l + 11 * take(x.d),
        x.f[0] = s, x.f[1] = s + 1, x.f[2] = s + 2, x.l = s + 3, x.d = s + 4)
MEMBERS(Aligned, take(x.x) + 3 * take(x.y) + 5 * x.z, x.x = s, x.y = s + 1, x.z = s + 2)
MEMBERS(Three, take(x.x) + 3 * take(x.y) + 5 * take(x.z), x.x = s, x.y = s + 1, x.z = s + 2)
)cuda";

constexpr const char* kinds_of_types[] = {
    "double",  "float",  "char", "unsigned char", "short", "int",     "unsigned", "long long",
    "double2", "float4", "Pair", "Bytes",         "Wide",  "Aligned", "Three"};

// Functions f0, f1, ..; each calls later ones twice. HOW says whether they are inlined.
std::string random_chain(uint64_t seed) {
  constexpr unsigned functions = 6;
  std::mt19937_64 random(seed);
  const auto any_type = [&] { return kinds_of_types[random() % std::size(kinds_of_types)]; };
  std::vector<std::string> results(functions);
  std::vector<std::vector<std::string>> parameters(functions);
  for (unsigned k = 0; k < functions; ++k) {
    results[k] = any_type();
    for (unsigned p = 1 + random() % 4; p != 0; --p) parameters[k].emplace_back(any_type());
  }
  const auto call = [&](unsigned k, unsigned number) {
    std::string before, list;
    for (std::size_t p = 0; p < parameters[k].size(); ++p) {
      const std::string name = fmt::format("v{}_{}", number, p);
      before += fmt::format("{} {}; make({}, s + {}); ", parameters[k][p], name, name, p);
      list += (p == 0 ? "" : ", ") + name;
    }
    return fmt::format("  {{ {}s = (s * 7 + take(f{}({}))) % 1000003; }}\n", before, k, list);
  };
  std::string text = types;
  for (unsigned k = functions; k-- > 0;) {
    std::string list, body = "  long long s = 1;\n";
    for (std::size_t p = 0; p < parameters[k].size(); ++p) {
      list += fmt::format("{}{} p{}", p == 0 ? "" : ", ", parameters[k][p], p);
      body += fmt::format("  s = (s * 31 + take(p{})) % 1000003;\n", p);
    }
    for (unsigned number = 0; number < 2 && k + 1 < functions; ++number) {
      body += call(k + 1 + static_cast<unsigned>(random() % (functions - k - 1)), number);
    }
    text += fmt::format("{}__device__ HOW {} f{}({}) {{\n{}  {} r; make(r, s); return r;\n}}\n",
                        random() % 2 != 0 ? "static " : "", results[k], k, list, body, results[k]);
  }
  return text + "extern \"C\" __global__ void k(long long* y) {\n  long long s = threadIdx.x;\n" +
         call(0, 0) + call(1, 1) + "  y[threadIdx.x] = s;\n}\n";
}

std::vector<int64_t> answers(const std::string& text, bool as_written,
                             const std::string& compiler = "") {
  const Scratch file(text, ".cu");
  KernelOptions o = options(file.path, "k<<<1, 8>>>(y)", "y:i64[8]");
  o.as_written = as_written;
  if (!compiler.empty()) o.compiler = compiler;
  const KernelResult r = run_kernel(o);
  EXPECT_EQ(r.flaws, std::vector<std::string>()) << text;
  std::vector<int64_t> y;
  for (Size i = 0; i < 8; ++i) y.push_back(element(r, "y", i));
  return y;
}

TEST(KernelParameters, AreWhatTheyAreWithoutCalls) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string text = random_chain(seed);
    const auto inlined = answers("#define HOW __forceinline__\n" + text, false);
    EXPECT_EQ(answers("#define HOW __noinline__\n" + text, false), inlined) << seed << text;
    EXPECT_EQ(answers("#define HOW __noinline__\n" + text, true), inlined) << seed << text;
  }
}

TEST(KernelParameters, OfOneNameHaveTheTypeOfTheirBraces) {
  const std::string functions =
      ".func (.param .b64 r) wide(.param .b64 a) {\n.reg .f64 %fd<3>;\nld.param.f64 %fd1, [a];\n"
      "add.f64 %fd2, %fd1, %fd1;\nst.param.f64 [r], %fd2;\nret;\n}\n"
      ".func (.param .b32 r) narrow(.param .b32 a) {\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
      "add.u32 %r2, %r1, 1;\nst.param.b32 [r], %r2;\nret;\n}\n";
  std::string text = kernel(
      "mov.f64 %fd1, 0d403A000000000000;\n"
      "{ .param .b64 p; st.param.f64 [p], %fd1; .param .b64 q; call (q), wide, (p); "
      "ld.param.f64 %fd2, [q]; }\n"
      "{ .param .b32 p; st.param.b32 [p], 6; .param .b32 q; call (q), narrow, (p); "
      "ld.param.b32 %r2, [q]; }\n"
      "cvt.rzi.u32.f64 %r1, %fd2; st.global.v2.u32 [%rd1], {%r1, %r2};");
  text.insert(text.find(".visible"), functions);
  const Scratch file(text, ".ptx");
  const KernelResult r = run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[2]"));
  EXPECT_EQ(element(r, "y", 0), 52);
  EXPECT_EQ(element(r, "y", 1), 7);
}

TEST(KernelParameters, OfAnotherSizeThanTheFunctionsAreRefused) {
  std::string text = kernel(
      "{ .param .b32 p; st.param.b32 [p], 6; .param .b32 q; call (q), wide, (p); "
      "ld.param.b32 %r2, [q]; }\n");
  text.insert(text.find(".visible"),
              ".func (.param .b64 r) wide(.param .b64 a) {\n.reg .b64 %rd<3>;\n"
              "ld.param.u64 %rd1, [a];\nst.param.b64 [r], %rd1;\nret;\n}\n");
  const Scratch file(text, ".ptx");
  try {
    run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[2]"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("calls wide with the wrong parameters"), std::string::npos)
        << e.what();
  }
}

// NVRTC passes a large structure by value, and then reads and writes it as local memory.
TEST(KernelParameters, LieOnTheStackOnceTheirAddressIsTaken) {
  for (const char* back : {"ld.local.u32 %r1, [%rd2+4];", "ld.u32 %r1, [%rd1+4];"}) {
    std::string text = kernel(
        "{ .param .align 4 .b8 p[8]; st.param.b32 [p], 6; st.param.b32 [p+4], 7; .param .b32 q;\n"
        "call (q), sum, (p); ld.param.b32 %r2, [q]; st.global.u32 [%rd1], %r2;\n"
        "ld.param.b32 %r3, [p+4]; st.global.u32 [%rd1+4], %r3; }\n");
    text.insert(text.find(".visible"),
                std::string(".func (.param .b32 r) sum(.param .align 4 .b8 a[8]) {\n"
                            ".reg .b32 %r<5>;\n.reg .b64 %rd<5>;\nmov.b64 %rd0, a;\n"
                            "cvta.local.u64 %rd1, %rd0;\ncvta.to.local.u64 %rd2, %rd1;\n"
                            "ld.param.u32 %r0, [a];\nst.local.u32 [%rd2+4], 9;\n") +
                    back + "\nadd.u32 %r2, %r0, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n");
    const Scratch file(text, ".ptx");
    const KernelResult r = run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[2]"));
    EXPECT_TRUE(r.clean()) << back;
    EXPECT_EQ(element(r, "y", 0), 15) << back;
    EXPECT_EQ(element(r, "y", 1), 7) << back;  // the caller's copy is another one
  }
}

// Inline assembly in an unrolled loop has its registers and labels once for each copy.
TEST(KernelParameters, RegistersAndLabelsBelongToTheirBraces) {
  const KernelResult r = run_body(
      "mov.u32 %r1, 5;\n"
      "{ .reg .u32 %r1; .reg .u32 n; mov.u32 %r1, 0; mov.u32 n, 0;\n"
      "AGAIN: add.u32 n, n, 1; setp.lt.u32 %p1, n, 3; @%p1 bra AGAIN; st.global.u32 [%rd1], n; }\n"
      "{ .reg .u32 n<2>; mov.u32 n1, 0;\n"
      "AGAIN: add.u32 n1, n1, 2; setp.lt.u32 %p1, n1, 9; @%p1 bra AGAIN;\n"
      "st.global.u32 [%rd1+4], n1; }\n"
      "st.global.u32 [%rd1+8], %r1;",
      "k<<<1, 1>>>(y)", "y:u32[3]");
  EXPECT_EQ(element(r, "y", 0), 3);
  EXPECT_EQ(element(r, "y", 1), 10);
  EXPECT_EQ(element(r, "y", 2), 5);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
