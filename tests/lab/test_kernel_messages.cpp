// What messages about flaws name: the array as it is declared, the index, the threads and their
// accesses, and the lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/kernel_flaws.hpp"
#include "lab/kernel_types.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Returns the sentences about a kernel `k`, whose lines are numbered from 1.
std::vector<std::string> told(const std::string& text, const std::string& launch,
                              const std::string& args) {
  const Scratch file(text, ".cu");
  std::vector<std::string> all = run_kernel(options(file.path, launch, args)).flaws;
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  for (std::string& s : all) {
    for (auto at = s.find(name); at != s.npos; at = s.find(name))
      s.replace(at, name.size(), "k.cu");
  }
  return all;
}
using Told = std::vector<std::string>;

TEST(KernelMessages, NameTheArrayAndIndexOfTheDeclaration) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(
      told("__global__ void k(int* a, int* b) {\n  int i = threadIdx.x;\n"
           "  a[i] = b[i - 1];\n}\n",
           "k<<<1, 4>>>(a, b)", "a:i32[4], b:i32[4]=iota"),
      Told{"out_of_bounds: k.cu:3: b[-1] is out of bounds, and is read by thread 0 of block 0"});
  EXPECT_EQ(
      told("__global__ void k(double* a) {\n  a[threadIdx.x + 3] = 1;\n}\n", "k<<<1, 2>>>(a)",
           "a:f64[4]"),
      Told{"out_of_bounds: k.cu:2: a[4] is out of bounds, and is written by thread 1 of block 0"});
  // Another statement reads one byte of s; messages must still call s an array of words.
  EXPECT_EQ(
      told("__global__ void k(unsigned* y, const char* c) {\n"
           "  __shared__ unsigned s[256];\n  s[threadIdx.x] = c[threadIdx.x];\n"
           "  __syncthreads();\n  y[threadIdx.x] = s[threadIdx.x + 226];\n}\n",
           "k<<<1, 4>>>(y, c)", "y:u32[4], c:i8[4]=ones"),
      Told{"uninitialised: k.cu:5: s[226] is read before any thread has written it: thread 0 of "
           "block 0"});
  EXPECT_EQ(
      told("namespace app { __device__ int table[4]; }\n__global__ void k(int* y) {\n"
           "  y[0] = app::table[threadIdx.x + 4];\n}\n",
           "k<<<1, 1>>>(y)", "y:i32[1]"),
      Told{"out_of_bounds: k.cu:3: table[4] is out of bounds, and is read by thread 0 of block 0"});
}

TEST(KernelMessages, NameIndicesBelowSharedArrays) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(
      told("__global__ void k(int* y) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
           "  s[t] = t;\n  __syncthreads();\n  y[t] = s[t - 1];\n}\n",
           "k<<<1, 64>>>(y)", "y:i32[64]"),
      Told{"out_of_bounds: k.cu:6: s[-1] is out of bounds, and is read by thread 0 of block 0"});
}

TEST(KernelMessages, NamePlacesOfBlocksAndThreadsAsTheSourceHasThem) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(
      told("__global__ void k(int* a, int n) {\n"
           "  int i = (blockIdx.y * 4 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x;\n"
           "  a[i] = 1;\n}\n",
           "k<<<(2, 2), (8, 4)>>>(a, 16)", "a:i32[127]"),
      Told{"out_of_bounds: k.cu:3: a[127] is out of bounds, and is written by thread (7, 3) of "
           "block (1, 1)"});
}

TEST(KernelMessages, BringTheCompilersWarnings) {
  if (compilers().empty() || compilers().front() != "nvrtc") GTEST_SKIP() << "NVRTC is not here";
  const Scratch file(
      "__global__ void k(int* y) {\n  __shared__ int s[64];\n"
      "  s[threadIdx.x] = 1;\n  __syncthreads;\n"
      "  y[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
      ".cu");
  for (int time = 0; time < 2; ++time) {  // compiled, and kept
    const KernelResult r = run_kernel(options(file.path, "k<<<1, 64>>>(y)", "y:i32[64]"));
    EXPECT_NE(r.warnings.find(".cu(4): warning #174-D: expression has no effect\n"),
              r.warnings.npos)
        << r.warnings;
    EXPECT_NE(to_table(r).find("warning #174-D"), std::string::npos);
    EXPECT_NE(to_json(r).find("warning #174-D"), std::string::npos);
  }
}

TEST(KernelMessages, ShowFiveOfTheCompilersWarnings) {
  KernelResult r;
  r.chip = "sm_90";
  for (int k = 1; k < 8; ++k) r.warnings += fmt::format("k.cu({}): warning\n", k);
  EXPECT_EQ(to_table(r).find("k.cu(1)"), std::string::npos) << "nothing is wrong";
  r.expectations.push_back({.text = "y[0]==1", .holds = false, .found = "0"});
  EXPECT_NE(to_table(r).find("compiler    k.cu(5): warning\n            2 more\n"),
            std::string::npos)
      << to_table(r);
}

TEST(KernelMessages, NameParametersAsTheTextDoes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parameter_names("// __global__ void k(float* old, int b) is the old one\n"
                            "__global__ void k(int n,\n  int* y  // the answer, of n\n) {}",
                            "k"),
            (Names{"n", "y"}));
  EXPECT_EQ(parameter_names("__global__ void k(const void* v, short* /*hi, there*/ u) {}", "k"),
            (Names{"v", "u"}));
  // std::regex would need a stack of that length.
  const std::string kernel = "__global__ void k(int* y, int n) {}";
  const std::string text(300000, 'x');
  EXPECT_EQ(parameter_names("// __global__ " + text + "\n" + kernel, "k"), (Names{"y", "n"}));
  EXPECT_EQ(parameter_names("__global__ " + text + ";" + kernel, "k"), (Names{"y", "n"}));
  EXPECT_EQ(parameter_names("__global__ void " + text + kernel, "l"), Names{});
}

// An optimised kernel may divide before it knows whether it needs the result.
TEST(KernelMessages, TellDivisionsByZeroAsWritten) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file(
      "__global__ void k(const int* x, int* y) {\n  int i = threadIdx.x;\n"
      "  y[i] = x[i] / (i - 3) + x[i] % 2;\n}\n",
      ".cu");
  KernelOptions o = options(file.path, "k<<<1, 8>>>(x, y)", "x:i32[8]=iota, y:i32[8]");
  EXPECT_EQ(run_kernel(o).failure, "");
  o.as_written = true;
  const KernelResult r = run_kernel(o);
  EXPECT_NE(r.failure.find(".cu:3: divides by zero (block 0, thread 3)"), std::string::npos);
  EXPECT_NE(to_table(r).find("fix         guard the division"), std::string::npos);
  EXPECT_NE(to_json(r).find("guard the division"), std::string::npos);
  KernelOptions flat = options(file.path, "k<<<1, (4, 2)>>>(x, y)", "x:i32[8]=iota, y:i32[8]");
  flat.as_written = true;
  EXPECT_NE(run_kernel(flat).failure.find("(block 0, thread (3, 0))"), std::string::npos);
}

// Whoever writes __syncwarp() for the first of them would be told of the second next.
TEST(KernelMessages, NameThreadsOfTwoWarpsIfSuchRaceAtTheSameLines) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(
      told("__global__ void k(int* y) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
           "  s[t] = t;\n  y[t] = s[(t + 1) % 64];\n}\n",
           "k<<<1, 64>>>(y)", "y:i32[64]")
          .back(),
      "race: s[32] is read at k.cu:5 by thread 31 of block 0, and written at k.cu:4 by thread "
      "32 of block 0, with nothing between them");
}

TEST(KernelMessages, SayWhatToWriteInstead) {
  using sim::FlawKind;
  const auto fix = [](FlawKind k, std::vector<unsigned> threads = {0}, unsigned other_block = 0) {
    return fix_of({.kind = k, .threads = std::move(threads), .other_block = other_block});
  };
  EXPECT_NE(
      fix(FlawKind::race, {40, 33}).find("if no other warp uses these elements, __syncwarp()"),
      std::string::npos);
  EXPECT_TRUE(fix(FlawKind::race, {40, 3}).starts_with("write __syncthreads() between the two"));
  const sim::Site line{"k.cu", 3};
  const std::string one_line =
      fix_of({.kind = FlawKind::race, .at = line, .other = line, .threads = {40, 3}});
  EXPECT_TRUE(one_line.starts_with("both are in one statement: in a loop, write")) << one_line;
  EXPECT_EQ(one_line.find("between the two"), one_line.npos);
  const auto of_line = [&](sim::Kind did, sim::Kind other) {
    return fix_of({.kind = FlawKind::race,
                   .at = line,
                   .other = line,
                   .did = did,
                   .other_did = other,
                   .threads = {1, 0}});
  };
  const std::string writes = of_line(sim::Kind::store, sim::Kind::store);
  EXPECT_TRUE(writes.starts_with("several threads write one element: let one")) << writes;
  EXPECT_EQ(writes.find("__syncwarp"), writes.npos);
  const std::string test = of_line(sim::Kind::load, sim::Kind::atomic);
  EXPECT_TRUE(test.starts_with("this is a plain read next to an atomic")) << test;
  // Of a maximum and of a copy, each of two lines.
  const auto of_lines = [](unsigned load, unsigned store) {
    return fix_of({.kind = FlawKind::race,
                   .at = {"k.cu", store},
                   .other = {"k.cu", load},
                   .did = sim::Kind::store,
                   .other_did = sim::Kind::load,
                   .threads = {1, 40}});
  };
  EXPECT_NE(of_lines(3, 4).find("use one atomic (atomicAdd, atomicMax)"), std::string::npos);
  EXPECT_EQ(of_lines(4, 3).find("atomic"), std::string::npos);
  const std::string of_blocks = fix(FlawKind::race, {40, 40}, 1);
  EXPECT_NE(of_blocks.find("read in a second launch, or write to another"), std::string::npos);
  EXPECT_NE(of_blocks.find("if all change one element, use one atomic"), std::string::npos);
  EXPECT_NE(fix(FlawKind::barrier_not_reached).find("instead of returning"), std::string::npos);
  for (const FlawKind k : {FlawKind::absent_lane, FlawKind::bad_mask, FlawKind::split_warp}) {
    EXPECT_NE(fix(k).find("before the branch"), std::string::npos) << name_of(k);
  }
  EXPECT_NE(fix(FlawKind::uninitialised).find("where it is declared"), std::string::npos);
  EXPECT_NE(fix(FlawKind::uninitialised).find("a division by the constant 0"), std::string::npos);
  EXPECT_EQ(fix_of({.kind = FlawKind::out_of_bounds, .space = "freed allocation 1"}), "");
  // Two flaws with one remedy.
  const KernelResult r = run_body("st.u32 [%rd0+256], 1;\nst.u32 [%rd0+260], 1;", "k<<<1, 1>>>(y)");
  ASSERT_EQ(r.flaws.size(), 2u);
  const std::string table = to_table(r);
  const auto at = table.find("fix         guard the access (if (i < n) ...)");
  EXPECT_NE(at, table.npos) << table;
  EXPECT_EQ(table.find("fix ", at + 1), table.npos) << table;
  EXPECT_NE(table.find("docs/course/README.md#kernels-of-your-own"), table.npos) << table;
  const std::string course = text_of_file(ONEFOLD_SOURCE_DIR "/docs/course/README.md");
  EXPECT_NE(course.find("\n## Kernels of your own\n"), course.npos);
}

// The code of a header, ours or the compiler's, that is inlined at two lines.
TEST(KernelMessages, NameEachLineIntoWhichTheCodeOfAHeaderIsInlined) {
  for (const char* header : {"/a/include/cub/reduce.cuh", "/a/onefold_block.cuh"}) {
    std::string body = "cvta.to.global.u64 %rd1, %rd0;\n";
    for (const char* line : {"10", "12"}) {
      body += std::string(".loc 1 ") + line + " 3\n.loc 2 70 5, function_name $i, inlined_at 1 " +
              line + " 3\n.loc 2 75 5, function_name $i, inlined_at 2 70 5\n" +
              "st.global.u32 [%rd1+256], 1;\n";
    }
    const Scratch file(kernel(body) + ".file 1 \"/a/k.cu\"\n.file 2 \"" + header + "\"\n", ".ptx");
    std::vector<uint32_t> lines;
    for (const auto& f :
         run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[64]=zeros")).report.flaws) {
      EXPECT_TRUE(std::string_view(f.at.file).ends_with("k.cu"));
      lines.push_back(f.at.line);
    }
    EXPECT_EQ(lines, (std::vector<uint32_t>{10, 12})) << header;
  }
}

// Without optimisation atomicAdd and the like are functions of a header, which are called.
TEST(KernelMessages, NameTheLineThatCallsAFunctionOfAHeader) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file(
      "__global__ void k(int* y) {\n  if (threadIdx.x < 10) atomicAdd(y, 1);\n"
      "  atomicAdd(y + 40, 1);\n}\n",
      ".cu");
  KernelOptions o = options(file.path, "k<<<1, 32>>>(y)", "y:i32[32]=zeros");
  o.as_written = true;
  const KernelResult r = run_kernel(o);
  ASSERT_EQ(kinds(r), std::vector<std::string>{"out_of_bounds"});
  EXPECT_EQ(r.report.flaws[0].at.line, 3u);
  EXPECT_TRUE(std::string(r.report.flaws[0].at.file).ends_with(".cu"));
}

TEST(KernelMessages, SayWhoReadAndWhoWroteAndWhere) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string text =
      "__global__ void k(int* x, int* y) {\n"
      "  if (blockIdx.x == 0 && threadIdx.x == 1) y[0] = x[2];\n"
      "  if (blockIdx.x == 0 && threadIdx.x == 3) y[1] = x[2];\n"
      "  if (blockIdx.x == 1 && threadIdx.x == 5) x[2] = 7;\n}\n";
  Told all = told(text, "k<<<2, 32>>>(x, y)", "x:i32[4]=ones, y:i32[2]");
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Told{"race: x[2] is read at k.cu:2 by thread 1 of block 0, and written at k.cu:4 "
                       "by thread 5 of block 1, with nothing between them",
                       "race: x[2] is read at k.cu:3 by thread 3 of block 0, and written at k.cu:4 "
                       "by thread 5 of block 1, with nothing between them"}));
}

TEST(KernelMessages, TellAccessesBetweenSharedArrays) {
  std::string text = kernel("st.shared.u32 [s+12], 1; st.shared.u64 [t], 1;");
  text.insert(text.find(".visible"), ".shared .align 4 .b8 s[12];\n.shared .align 8 .b8 t[16];\n");
  const Scratch file(text, ".ptx");
  const Told all = run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[4]")).flaws;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find("s[3] is out of bounds, and is written by thread 0 of block 0"),
            std::string::npos)
      << all[0];
}

TEST(KernelMessages, TellMisalignedFromOutside) {
  const KernelResult r = run_body("ld.global.u32 %r1, [%rd1+6];", "k<<<1, 1>>>(y)");
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_NE(r.flaws[0].find("4 bytes at byte 6 of y are read by thread 0 of block 0; an access "
                            "must be aligned to its size"),
            std::string::npos)
      << r.flaws[0];
}

// CUDA promises no progress for a block that has not begun.
TEST(KernelMessages, SayThatABlockFurtherOnMayNeverBegin) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string text =
      "__global__ void k(volatile int* f) {\n  if (threadIdx.x != 0) return;\n"
      "  if (blockIdx.x == 0) { while (f[0] == 0) { } } else atomicExch((int*)f, 1);\n}\n";
  const Told all = told(text, "k<<<2, 32>>>(f)", "f:i32[1]=zeros");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0],
            "no_progress: k.cu:3: thread 0 of block 0 waits for f[0]; later blocks have not "
            "started, and CUDA does not promise that they start while this one waits: launch all "
            "together (--cooperative)");
  const Scratch file(text, ".cu");
  KernelOptions o = options(file.path, "k<<<2, 32>>>(f)", "f:i32[1]=zeros");
  o.cooperative = true;
  EXPECT_EQ(run_kernel(o).flaws, Told());
}

TEST(KernelMessages, TellAtomicsOfABlocksScopeBetweenBlocks) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (const std::string& compiler : compilers()) {
    for (const char* step : {"Add_block(y, 1)", "Sub_block(y, 1)", "Max_block(y, 1)",
                             "Or_block(y, 1)", "Exch_block(y, 1)", "CAS_block(y, 0, 1)"}) {
      const Scratch file("__global__ void k(int* y) { atomic" + std::string(step) + "; }\n", ".cu");
      for (const auto& [launch, flaws] :
           {std::pair{"k<<<1, 64>>>(y)", Kinds{}}, std::pair{"k<<<2, 64>>>(y)", Kinds{"race"}}}) {
        KernelOptions o = options(file.path, launch, "y:i32[1]=zeros");
        o.compiler = compiler;
        EXPECT_EQ(kinds(run_kernel(o)), flaws) << compiler << ' ' << step;
      }
    }
  }
}

TEST(KernelMessages, RefuseABlockAboveItsLaunchBounds) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file("__global__ void __launch_bounds__(128) k(int* y) { y[threadIdx.x] = 1; }\n",
                     ".cu");
  EXPECT_TRUE(run_kernel(options(file.path, "k<<<1, 128>>>(y)", "y:i32[128]")).clean());
  try {
    run_kernel(options(file.path, "k<<<1, 256>>>(y)", "y:i32[256]"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "a block of 256 threads is too large; __launch_bounds__ of k allows at "
                  "most 128"),
              std::string::npos)
        << e.what();
  }
}

TEST(KernelMessages, KnowTheConstantsThatNvccIncludes) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file(
      "__global__ void k(float* y) { y[0] = INFINITY; y[1] = NAN; y[2] = M_PI; y[3] = UINT_MAX; "
      "y[4] = FLT_EPSILON; y[5] = -HUGE_VAL; y[6] = CHAR_BIT; }\n",
      ".cu");
  const KernelResult r = run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:f32[7]"));
  EXPECT_EQ(element_text(r.arguments[0], 0), "inf");
  EXPECT_EQ(element_text(r.arguments[0], 1), "nan");
  EXPECT_EQ(element_text(r.arguments[0], 5), "-inf");
  EXPECT_EQ(element_text(r.arguments[0], 6), "8");
}

// Tiles larger than a warp use shared memory that the compiler reserves.
TEST(KernelMessages, HaveTheSharedMemoryOfCooperativeGroups) {
  const KernelResult r = run_body(
      "{ .reg .u32 start; mov.u32 start, %reserved_smem_offset_1; "
      "st.shared.u32 [start], 5; ld.shared.u32 %r1, [start]; st.global.u32 [%rd1], %r1; }",
      "k<<<1, 1>>>(y)");
  EXPECT_EQ(r.flaws, Told());
  EXPECT_EQ(element(r, "y", 0), 5);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
