// Compiling, launching and calling users' kernels.
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// f doubles, g adds one; a table has pointers to both.
const std::string by_pointer =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
    "add.u32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n"
    ".func (.param .b32 r) g(.param .b32 a) {\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
    "add.u32 %r2, %r1, 1;\nst.param.b32 [r], %r2;\nret;\n}\n"
    ".global .align 8 .u64 table[2] = {f, g};\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
    "add.s64 %rd1, %rd1, %rd2;\nand.b32 %r2, %r1, 1;\nmul.wide.u32 %rd3, %r2, 8;\n"
    "mov.u64 %rd4, table;\nadd.s64 %rd4, %rd4, %rd3;\nld.global.u64 %rd5, [%rd4];\n"
    "WHERE\n"
    "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 back;\n"
    "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (back), %rd5, (a), proto;\nld.param.b32 %r3, [back];\n}\n"
    "st.global.u32 [%rd1], %r3;\nret;\n}\n";

KernelResult called(const std::string& where) {
  std::string text = by_pointer;
  text.replace(text.find("WHERE"), 5, where);
  const Scratch file(text, ".ptx");
  return run_kernel(options(file.path, "k<<<1, 32>>>(y)", "y:u32[32]"));
}

TEST(KernelRun, CallsFunctionsThroughPointers) {
  const KernelResult r = called("");
  EXPECT_TRUE(r.clean());
  EXPECT_EQ(element(r, "y", 6), 12);
  EXPECT_EQ(element(r, "y", 7), 8);
}

TEST(KernelRun, SaysWhenAPointerIsNoFunction) {
  for (const char* where : {"mov.u64 %rd5, 0;", "add.s64 %rd5, %rd5, 4;", "mov.u64 %rd5, %rd1;",
                            "add.s64 %rd5, %rd5, 4096;"}) {
    const KernelResult r = called(where);
    EXPECT_NE(r.failure.find("which is not a function"), std::string::npos) << where << r.failure;
  }
}

TEST(KernelRun, KnowsRegistersOfInlineAssembly) {
  const KernelResult r = run_body(
      "{ .reg .u32 start; mov.u32 start, 7; add.u32 %r1, start, 1; "
      "st.global.u32 [%rd1], %r1; }");
  EXPECT_EQ(element(r, "y", 0), 8);
}

TEST(KernelRun, TakesTheOnlyKernelWithoutAName) {
  const Scratch file(kernel("st.global.u32 [%rd1], 3;"), ".ptx");
  const KernelResult r = run_kernel(options(file.path, "<<<1, 1>>>(y)", "y:u32[1]"));
  EXPECT_EQ(element(r, "y", 0), 3);
  EXPECT_EQ(r.launches[0].kernel, "k");
  std::string other = kernel("");
  other = other.substr(other.find(".visible"));
  other.replace(other.find(" k("), 3, " j(");
  const Scratch two(kernel("") + other, ".ptx");
  try {
    run_kernel(options(two.path, "<<<1, 1>>>(y)", "y:u32[1]"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("name one of k, "), std::string::npos) << e.what();
  }
}

// Lanes of a warp that take different branches run together again from the branch's immediate
// post-dominator on. The expected counts were derived by hand.
TEST(KernelRun, LetsLanesMeetAgainWhereTheirWaysJoin) {
  const std::string lane =
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n";
  const std::string store = "st.global.u32 [%rd2], %r1;";
  struct Case {
    const char* what;
    const char* code;
    uint64_t loads, lanes;  // requests, and lanes of all of them
  };
  const Case cases[] = {
      {"a loop of 0 to 3 turns",
       "and.b32 %r2, %r1, 3; mov.u32 %r3, 0;\n"
       "L: setp.ge.u32 %p1, %r3, %r2; @%p1 bra D; ld.global.u32 %r4, [%rd1+128];\n"
       "add.u32 %r3, %r3, 1; bra L; D: ",
       3, 24 + 16 + 8},
      {"a branch within a branch",
       "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; setp.lt.u32 %p2, %r1, 24; @%p2 bra B;\n"
       "ld.global.u32 %r4, [%rd1+128]; bra J;\n"
       "B: ld.global.u32 %r4, [%rd1+132];\n"
       "J: ld.global.u32 %r4, [%rd1+136]; bra K;\n"
       "A: ld.global.u32 %r4, [%rd1+140];\n"
       "K: ld.global.u32 %r4, [%rd1+144];\n",
       5, 8 + 8 + 16 + 16 + 32},
      {"a loop that eight lanes leave after its first turn",
       "mov.u32 %r3, 0; L: ld.global.u32 %r4, [%rd1+128]; setp.lt.u32 %p1, %r1, 8; @%p1 bra D;\n"
       "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra L;\n"
       "D: ld.global.u32 %r4, [%rd1+132];\n",
       5, 32 + 3 * 24 + 32},
      {"a loop half of whose lanes skip every second load",
       "mov.u32 %r3, 0; L: and.b32 %r5, %r3, 1; shr.u32 %r6, %r1, 4; and.b32 %r5, %r5, %r6;\n"
       "setp.ne.u32 %p1, %r5, 0; @%p1 bra C; ld.global.u32 %r4, [%rd1+128];\n"
       "C: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra L;\n",
       4, 2 * 32 + 2 * 16},
  };
  for (const Case& c : cases) {
    const KernelResult r = run_body(lane + c.code + store);
    EXPECT_EQ(kinds(r), Kinds{}) << c.what;
    EXPECT_EQ(r.report.counters.global_load.requests, c.loads) << c.what;
    EXPECT_EQ(r.report.counters.global_load.bytes, 4 * c.lanes) << c.what;
    EXPECT_EQ(r.report.counters.global_store.requests, 1u) << c.what;
  }
}

// The name `s` alone is also the mangled name of `short`, `f` of float and `i` of int.
TEST(KernelRun, KeepsNamesThatReadAsMangledTypes) {
  std::string text = kernel("st.shared.u32 [s+4], 1; ld.shared.u32 %r1, [s];");
  text.replace(text.find(" k("), 3, " f(");
  text.insert(text.find(".visible"), ".extern .shared .align 4 .b8 s[];\n");
  const Scratch file(text, ".ptx");
  const KernelResult r = run_kernel(options(file.path, "<<<1, 1, 8>>>(y)", "y:u32[1]"));
  EXPECT_EQ(r.launches[0].kernel, "f");
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_NE(r.flaws[0].find("s[0] is read before any thread has written it"), std::string::npos)
      << r.flaws[0];
}

TEST(KernelRun, SaysThatALaunchHasNoSharedMemory) {
  std::string text = kernel("st.shared.u32 [s+4], 1;");
  text.insert(text.find(".visible"), ".extern .shared .align 4 .b8 s[];\n");
  const Scratch file(text, ".ptx");
  const KernelResult r = run_kernel(options(file.path, "<<<1, 1>>>(y)", "y:u32[1]"));
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_NE(r.flaws[0].find(
                "shared memory, which the launch did not request (--shared), is out of bounds"),
            std::string::npos)
      << r.flaws[0];
}

TEST(KernelRun, ReadsNoMoreOfAFileThanItTakes) {
  const auto refused = [](const std::string& file, const std::string& args) {
    try {
      run_kernel(options(file, "<<<1, 1>>>(y)", args));
    } catch (const Error& e) {
      EXPECT_NE(e.code(), ErrorCode::out_of_memory);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const Scratch file(kernel(""), ".ptx");
  EXPECT_NE(refused(file.path, "y:i32[4]=@/dev/zero").find("/dev/zero holds more than 20 bytes"),
            std::string::npos);
  EXPECT_NE(refused("/dev/zero", "y:i32[4]").find("holds more than 67108864 bytes"),
            std::string::npos);
  EXPECT_NE(refused("/dev/null", "y:i32[4]").find("the file has no kernel"), std::string::npos);
}

// Accesses that the compiler removes are not checked, unless it is told to keep all.
TEST(KernelRun, MakesEveryAccessThatIsWrittenIfAsked) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file("__global__ void k(int* y) { __shared__ int s[1]; s[0] = threadIdx.x; }\n",
                     ".cu");
  KernelOptions o = options(file.path, "k<<<1, 64>>>(y)", "y:i32[1]");
  EXPECT_EQ(kinds(run_kernel(o)), Kinds{});
  o.as_written = true;
  EXPECT_EQ(kinds(run_kernel(o)), Kinds{"race"});
}

TEST(KernelRun, TakesHeadersWithFunctionsOfTheHost) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "NVRTC is not here";
  const Scratch header("extern \"C\" void on_the_host(int* x);\n#define FIVE 5\n", ".h");
  const Scratch file("#include \"" + header.path + "\"\n__global__ void k(int* y) { *y = FIVE; }\n",
                     ".cu");
  EXPECT_EQ(element(run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:i32[1]")), "y", 0), 5);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
