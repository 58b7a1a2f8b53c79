// Users' kernels, as PTX on the simulated machine.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernel.hpp"
#include "lab/kernel_run.hpp"
#include "lab/ladder.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/program.hpp"
#include "lab/simulate.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(KernelRun, RunsAReductionAndCountsItByLine) {
  KernelOptions o = options(texts + "reduce0.ptx", "reduce0<<<64, 256, 1024>>>(in, out, n)",
                            "in:i32[16384]=iota, out:i32[64], n=16384");
  o.expect = {"sum(out)==134209536", "out[0]==32640", "out[1]<5"};
  const KernelResult r = run_kernel(o);
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_TRUE(r.expectations[0].holds);
  EXPECT_TRUE(r.expectations[1].holds);
  EXPECT_FALSE(r.expectations[2].holds);
  EXPECT_EQ(r.expectations[2].found, "98176");
  EXPECT_FALSE(r.clean());
  EXPECT_EQ(r.printed, "block 1 of 64: 98176\n");
  // A load a warp, in four sectors; the tree of 256 by hand: 95 warp-level steps a block.
  EXPECT_EQ(r.report.counters.global_load, (sim::Traffic{512, 2048, 2048, 65536, 65536}));
  EXPECT_EQ(r.report.counters.shared_load.requests, 64u * (2 * 47 + 1));
  EXPECT_EQ(r.report.counters.barriers, 64u * 8 * 9);
  const auto at = std::find_if(r.report.lines.begin(), r.report.lines.end(),
                               [](const auto& l) { return l.first.line == 10; });
  ASSERT_NE(at, r.report.lines.end());
  EXPECT_EQ(at->second.global.count, 2048u);
  const auto j = nlohmann::json::parse(to_json(r));
  EXPECT_EQ(j["arguments"][1]["sum"], 134209536);
  EXPECT_EQ(j["counters"]["global_load"]["sectors"], 2048);
  EXPECT_NE(to_table(r).find("reduce0.cu:13"), std::string::npos);
}

TEST(KernelRun, RunsSeveralLaunchesOverTheSameArrays) {
  const KernelResult r = run_kernel(
      options(texts + "reduce0.ptx",
              "reduce0<<<64, 256, 1024>>>(in, part, n); reduce0<<<1, 64, 256>>>(part, out, 64)",
              "in:i32[16384]=iota, part:i32[64], out:i32[1], n=16384"));
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_EQ(element(r, "out", 0), 134209536);
}

struct Case {
  const char* code;  // an instruction that computes %r3 from %r1 and %r2
  uint32_t a, b, want;
};

TEST(KernelRun, ComputesWhatEachInstructionSays) {
  const Case cases[] = {
      {"add.s32 %r3, %r1, %r2;", 0x7fffffff, 1, 0x80000000},
      {"add.sat.s32 %r3, %r1, %r2;", 0x7fffffff, 1, 0x7fffffff},
      {"sub.s32 %r3, %r1, %r2;", 3, 5, 0xfffffffe},
      {"mul.lo.s32 %r3, %r1, %r2;", 0x10001, 0x10001, 0x20001},
      {"mul.hi.u32 %r3, %r1, %r2;", 0x80000000, 6, 3},
      {"mul.hi.s32 %r3, %r1, %r2;", 0x80000000, 6, 0xfffffffd},
      {"mad.lo.s32 %r3, %r1, %r2, 7;", 5, 6, 37},
      {"div.s32 %r3, %r1, %r2;", 0xfffffff9, 2, 0xfffffffd},
      {"div.u32 %r3, %r1, %r2;", 7, 0, 0xffffffff},
      {"rem.s32 %r3, %r1, %r2;", 0xfffffff9, 2, 0xffffffff},
      {"min.s32 %r3, %r1, %r2;", 0xffffffff, 1, 0xffffffff},
      {"max.u32 %r3, %r1, %r2;", 0xffffffff, 1, 0xffffffff},
      {"shr.s32 %r3, %r1, %r2;", 0x80000000, 40, 0xffffffff},
      {"shr.u32 %r3, %r1, %r2;", 0x80000000, 40, 0},
      {"shl.b32 %r3, %r1, %r2;", 3, 31, 0x80000000},
      {"shf.l.wrap.b32 %r3, %r1, %r2, 8;", 0x11223344, 0xaabbccdd, 0xbbccdd11},
      {"shf.r.clamp.b32 %r3, %r1, %r2, 32;", 0x11223344, 0xaabbccdd, 0xaabbccdd},
      {"popc.b32 %r3, %r1;", 0xf0f0, 0, 8},
      {"clz.b32 %r3, %r1;", 0x8000, 0, 16},
      {"bfind.s32 %r3, %r1;", 0xffffff00, 0, 7},
      {"brev.b32 %r3, %r1;", 1, 0, 0x80000000},
      {"bfe.s32 %r3, %r1, 4, 4;", 0xf0, 0, 0xffffffff},
      {"bfe.u32 %r3, %r1, 28, 8;", 0xf0000000, 0, 15},
      {"bfi.b32 %r3, %r1, %r2, 8, 8;", 0xff, 0x11111111, 0x1111ff11},
      {"prmt.b32 %r3, %r1, %r2, 0x3715;", 0x33221100, 0x77665544, 0x33771155},
      // Operations on both halves of a word, by which nvcc 13 adds and compares 16-bit elements.
      {"add.u16x2 %r3, %r1, %r2;", 0x0001ffff, 0x00020001, 0x00030000},
      {"add.s16x2 %r3, %r1, %r2;", 0x7fff8000, 0x0001ffff, 0x80007fff},
      {"min.u16x2 %r3, %r1, %r2;", 0xffff0001, 0x00018000, 0x00010001},
      {"min.s16x2 %r3, %r1, %r2;", 0xffff0001, 0x00018000, 0xffff8000},
      {"max.u16x2 %r3, %r1, %r2;", 0xffff0001, 0x00018000, 0xffff8000},
      {"max.s16x2 %r3, %r1, %r2;", 0xffff0001, 0x00018000, 0x00010001},
      {"max.relu.s16x2 %r3, %r1, %r2;", 0xffff0005, 0xfffe0003, 0x00000005},
      {"min.relu.s32 %r3, %r1, %r2;", 0xffffffff, 5, 0},
      {"lop3.b32 %r3, %r1, %r2, 0xff00ff00, 0x96;", 0xf0f0f0f0, 0xcccccccc, 0xc33cc33c},
      {"setp.lt.s32 %p1, %r1, %r2; selp.b32 %r3, 1, 2, %p1;", 0xffffffff, 0, 1},
      {"setp.lo.u32 %p1, %r1, %r2; selp.b32 %r3, 1, 2, %p1;", 0xffffffff, 0, 2},
      {"setp.eq.s32 %p1|%p2, %r1, %r2; selp.b32 %r3, 1, 2, %p2;", 5, 5, 2},
      {"cvt.s32.s8 %r3, %r1;", 0x180, 0, 0xffffff80},
      {"cvt.sat.u8.s32 %r3, %r1;", 0xfffffff0, 0, 0},
      {"cvt.rn.f32.s32 %f1, %r1; mov.b32 %r3, %f1;", 0x1000001, 0, 0x4b800000},
      {"cvt.rp.f32.s32 %f1, %r1; mov.b32 %r3, %f1;", 0x1000001, 0, 0x4b800001},
      {"mov.b32 %f1, %r1; cvt.rzi.s32.f32 %r3, %f1;", 0xc0200000, 0, 0xfffffffe},
      {"mov.b32 %f1, %r1; cvt.rni.s32.f32 %r3, %f1;", 0x40200000, 0, 2},
      {"mov.b32 %f1, %r1; cvt.rzi.u32.f32 %r3, %f1;", 0xc0200000, 0, 0},
      {"mov.b32 %f1, %r1; cvt.rzi.s32.f32 %r3, %f1;", 0x7fc00000, 0, 0},
      {"mov.b32 %f1, %r1; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r3, %h1;", 0x3fc00000, 0, 0x3e00},
      {"mov.b32 %f1, %r1; cvt.rn.bf16.f32 %h1, %f1; cvt.u32.u16 %r3, %h1;", 0x3fc08000, 0, 0x3fc0},
      {"add.rn.f16x2 %r3, %r1, %r2;", 0x3c003c00, 0x40003c00, 0x42004000},
      {"mov.b32 %f1, %r1; mov.b32 %f2, %r2; add.f32 %f3, %f1, %f2; mov.b32 %r3, %f3;", 0x3f800000,
       0x33800000, 0x3f800000},
      {"mov.b32 %f1, %r1; mov.b32 %f2, %r2; add.rp.f32 %f3, %f1, %f2; mov.b32 %r3, %f3;",
       0x3f800000, 0x33800000, 0x3f800001},
      {"mov.b32 %f1, %r1; mov.b32 %f2, %r2; fma.rn.f32 %f3, %f1, %f2, 0fBF800000; mov.b32 %r3, "
       "%f3;",
       0x3f800001, 0x3f7fffff, 0x337ffffe},
      {"mov.b32 %f1, %r1; mov.b32 %f2, %r2; min.f32 %f3, %f1, %f2; mov.b32 %r3, %f3;", 0x7fc00000,
       0x3f800000, 0x3f800000},
      {"mov.b32 %f1, %r1; sqrt.rn.f32 %f2, %f1; mov.b32 %r3, %f2;", 0x40000000, 0, 0x3fb504f3},
      {"mov.b32 %f1, %r1; rcp.approx.ftz.f32 %f2, %f1; mov.b32 %r3, %f2;", 0x40000000, 0,
       0x3f000000},
      {"mov.b32 %f1, %r1; mul.sat.f32 %f2, %f1, 0f40000000; mov.b32 %r3, %f2;", 0x3f800000, 0,
       0x3f800000},
      {"mov.b64 %rd3, {%r1, %r2}; mov.b64 {%r4, %r3}, %rd3;", 1, 9, 9},
      {"mul.wide.u32 %rd3, %r1, %r2; cvt.u32.u64 %r3, %rd3;", 70000, 70000, 605032704},
      {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r3, 0, 0;", 0xffffffff, 1, 1},
      {"bfe.s32 %r3, %r1, 0, 255;", 0xffffffef, 0, 0xffffffef},
      {"bfe.s32 %r3, %r1, 4, 255;", 0xffffffef, 0, 0xfffffffe},
      // A subtraction carries where it does not borrow.
      {"sub.cc.u32 %r4, %r1, %r2; addc.u32 %r3, 0, 0;", 5, 3, 1},
      {"sub.cc.u32 %r4, %r1, %r2; addc.u32 %r3, 0, 0;", 3, 5, 0},
      {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r3, 0, 0;", 5, 3, 0},
      {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r3, 7, 1;", 3, 5, 5},
      {"add.cc.u32 %r4, %r1, %r2; subc.u32 %r3, 7, 1;", 0xffffffff, 1, 6},
      {"dp4a.u32.u32 %r3, %r1, %r2, 5;", 0x01020304, 0x01010101, 15},
      {"mov.pred %p2, -1; mov.u32 %r3, 3; @%p2 bra E; mov.u32 %r3, 4; E:", 0, 0, 3},
      {"mov.pred %p2, -1; xor.pred %p2, %p2, -1; selp.u32 %r3, 3, 4, %p2;", 0, 0, 4},
      {"@!%p1 mov.u32 %r3, 4; setp.eq.u32 %p3, 1, 1; @%p3 mov.u32 %r3, 5;", 0, 0, 5},
  };
  for (const Case& c : cases) {
    std::ostringstream body;
    body << "setp.ne.u32 %p1, 0, 0;\nmov.u32 %r1, " << c.a << ";\nmov.u32 %r2, " << c.b << ";\n"
         << c.code << "\nst.global.u32 [%rd1], %r3;";
    const KernelResult r = run_body(body.str(), "k<<<1, 1>>>(y)");
    EXPECT_EQ(static_cast<uint32_t>(element(r, "y", 0)), c.want) << c.code;
    EXPECT_EQ(kinds(r), Kinds{}) << c.code;
  }
}

TEST(KernelRun, LetsLanesTalk) {
  const std::string store =
      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r3;";
  const auto lane_5 = [&](const std::string& code) {
    return element(run_body("mov.u32 %r1, %tid.x;\n" + code + store), "y", 5);
  };
  EXPECT_EQ(lane_5("shfl.sync.down.b32 %r3|%p1, %r1, 3, 31, -1;"), 8);
  EXPECT_EQ(lane_5("shfl.sync.up.b32 %r3, %r1, 6, 0, -1;"), 5);
  EXPECT_EQ(lane_5("shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;"), 21);
  EXPECT_EQ(lane_5("shfl.sync.idx.b32 %r3, %r1, 7, 31, -1;"), 7);
  EXPECT_EQ(lane_5("shfl.sync.idx.b32 %r3, %r1, 1, 0x1c1f, -1;"), 5);  // segments of four
  EXPECT_EQ(lane_5("setp.lt.u32 %p1, %r1, 4; vote.sync.ballot.b32 %r3, %p1, -1;"), 15);
  EXPECT_EQ(lane_5("setp.lt.u32 %p1, %r1, 99; vote.sync.all.pred %p2, %p1, -1;"
                   "selp.u32 %r3, 1, 0, %p2;"),
            1);
  EXPECT_EQ(lane_5("and.b32 %r2, %r1, 1; match.any.sync.b32 %r3, %r2, -1;"), 0xaaaaaaaa);
  EXPECT_EQ(lane_5("redux.sync.add.u32 %r3, %r1, -1;"), 496);
  EXPECT_EQ(lane_5("redux.sync.max.s32 %r3, %r1, -1;"), 31);
  EXPECT_EQ(lane_5("activemask.b32 %r3;"), 0xffffffff);
  EXPECT_EQ(lane_5("setp.lt.u32 %p1, %r1, 9; bar.red.popc.u32 %r3, 0, %p1;"), 9);
  EXPECT_EQ(lane_5("atom.global.add.u32 %r2, [%rd1+128], 1; bar.sync 0; ld.global.u32 %r3, "
                   "[%rd1+128];"),
            32 + 32);
}

TEST(KernelRun, NamesTheInstructionThatItDoesNotKnow) {
  const auto message = [](const std::string& body) -> std::string {
    try {
      run_body(body);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::unsupported);
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(message("fly.to.moon %r1, %r2;").find(": instruction fly.to.moon is not supported"),
            std::string::npos);
  EXPECT_NE(
      message("add.lazily.s32 %r1, %r2, %r3;").find("add.lazily.s32 is not supported with .lazily"),
      std::string::npos);
  EXPECT_NE(message("add.s32 %r1, %r2;").find("has 2 operands, not 3"), std::string::npos);
  EXPECT_NE(message("add.s32 %x1, %r2, %r3;").find("uses register %x1, which is not declared"),
            std::string::npos);
  EXPECT_NE(message("bra nowhere;").find("jumps to nowhere, which is not defined"),
            std::string::npos);
  EXPECT_NE(message("mov.u32 %r1, %r2").find("instruction mov.u32 has 3 operands, not 2"),
            std::string::npos);
}

TEST(KernelRun, EndsBadKernelsWithAMessage) {
  const auto flaws = [](const std::string& body) {
    const Scratch file(kernel(body), ".ptx");
    KernelOptions o = options(file.path, "k<<<1, 32>>>(y)", "y:u32[64]=iota");
    o.budget = 300'000;
    const KernelResult r = run_kernel(o);
    EXPECT_FALSE(r.clean());
    return kinds(r);
  };
  EXPECT_EQ(flaws("L: bra L;"), Kinds{"no_progress"});
  EXPECT_EQ(flaws("L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"),
            Kinds{"no_progress"});
  EXPECT_EQ(flaws("mov.u64 %rd2, 0x123456789000; ld.global.u32 %r1, [%rd2];"),
            Kinds{"out_of_bounds"});
  EXPECT_EQ(flaws("mov.u64 %rd2, 0; st.u32 [%rd2], 1;"), Kinds{"out_of_bounds"});
  EXPECT_EQ(flaws("ld.global.u32 %r1, [%rd1+2];"), Kinds{"misaligned"});
  EXPECT_EQ(flaws("ld.global.u32 %r1, [%rd1+256];"), Kinds{"out_of_bounds"});
  EXPECT_EQ(flaws("ld.shared.u32 %r1, [0];"), Kinds{"out_of_bounds"});
  const KernelResult trapped = run_body("trap;");
  EXPECT_NE(trapped.failure.find("the kernel executed trap"), std::string::npos);
  EXPECT_EQ(kinds(trapped), Kinds{});
  const std::string recursion =
      ".version 7.0\n.target sm_80\n.address_size 64\n.func f() {\ncall.uni f, ();\nret;\n}\n"
      ".visible .entry k(.param .u64 p)\n{\ncall.uni f, ();\nret;\n}\n";
  const Scratch file(recursion, ".ptx");
  const KernelResult r = run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:u32[1]"));
  EXPECT_NE(r.failure.find("calls nest deeper than"), std::string::npos);
}

TEST(KernelRun, RefusesArgumentsThatDoNotFit) {
  const auto refused = [](const std::string& launch, const std::string& args) {
    try {
      run_kernel(options(texts + "reduce0.ptx", launch, args));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string launch = "reduce0<<<1, 32, 128>>>(x, y, n)";
  EXPECT_NE(
      refused(launch, "x:i32[32], y:i32[1]").find("n= is not a whole number") == std::string::npos,
      false);
  EXPECT_NE(refused("reduce0<<<1, 32>>>(x, y)", "x:i32[32], y:i32[1]")
                .find("has 3 parameters, but 2 arguments were given"),
            std::string::npos);
  EXPECT_NE(refused("reduce0<<<1, 32>>>()", "")
                .find("as in --args 'a:i32[1000]=iota, b:i32[1000]=iota, c=1000'"),
            std::string::npos);
  const Scratch own("__global__ void k(const float* x, int* out, int n) { out[0] = x[n]; }\n",
                    ".cu");
  try {
    run_kernel(kernel_options(own.path, {}));
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "; as in --grid 4 --args 'x:f32[1000]=iota, out:i32[1000]=iota, n=1000'"),
              std::string::npos)
        << e.what();
  }
  EXPECT_NE(refused(launch, "x:i32[32], y:i32[1], n:i32[4]").find("is not a pointer"),
            std::string::npos);
  EXPECT_NE(refused("nothing<<<1, 32>>>(x)", "x:i32[32]").find("the file has reduce0"),
            std::string::npos);
  EXPECT_EQ(refused("reduce0<<<1, 2000>>>(x, y, 3)", "x:i32[32], y:i32[1]"),
            "lab run: a block of 2000 threads is too large; at most 1024 are possible");
  EXPECT_NE(refused("reduce0<<<1, (1, 1, 65)>>>(x, y, 3)", "x:i32[32], y:i32[1]")
                .find("65 threads deep; at most 64"),
            std::string::npos);
  EXPECT_NE(
      refused("reduce0<<<(1, 65536), 1>>>(x, y, 3)", "x:i32[32], y:i32[1]")
          .find("a grid of 1x65536 blocks is too large; at most 65535 are possible in y and z"),
      std::string::npos);
  EXPECT_NE(refused(launch, "x:i32[32], y:i32[1], n=4294967296")
                .find("n=4294967296 does not fit the 4 bytes of the parameter"),
            std::string::npos);
  EXPECT_NE(refused(launch, "x:i99[32]").find("an unknown type"), std::string::npos);
  EXPECT_NE(refused(launch, "x:i32[32]=sideways").find("choose one of iota"), std::string::npos);
}

TEST(KernelRun, SaysWhichElementsNobodyHasWritten) {
  const std::string body = "st.global.u32 [%rd1+4], 3; atom.global.exch.b32 %r2, [%rd1+8], 4;";
  const Scratch file(kernel(body), ".ptx");
  KernelOptions o = options(file.path, "k<<<1, 1>>>(y)", "y:u32[8]");
  o.expect = {"unwritten(y)==0", "unwritten(y)==6"};
  const KernelResult r = run_kernel(o);
  EXPECT_EQ(r.arguments[0].unwritten, 6u);
  EXPECT_FALSE(r.expectations[0].holds);
  EXPECT_EQ(r.expectations[0].found, "6");
  EXPECT_TRUE(r.expectations[1].holds);
  EXPECT_NE(to_table(r).find("6 of 8 never written\n"), std::string::npos) << to_table(r);
}

TEST(KernelRun, CountsThreadsThatDoNothingToo) {
  const Scratch file(kernel("ret;"), ".ptx");
  KernelOptions o = options(file.path, "k<<<2^20, 1024>>>(y)", "y:u32[8]=zeros");
  o.budget = 1'000'000;
  EXPECT_EQ(kinds(run_kernel(o)), Kinds{"no_progress"});
}

TEST(KernelRun, TakesACudaFileAsItIs) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const KernelResult r =
      run_kernel(options(texts + "reduce0.cu", "reduce0<<<64, 256, 1024>>>(in, out, n)",
                         "in:i32[16384]=iota, out:i32[64], n=16384"));
  EXPECT_TRUE(r.clean());
  EXPECT_EQ(element(r, "out", 1), 98176);
  EXPECT_EQ(r.printed, "block 1 of 64: 98176\n");
  try {
    const Scratch file("__global__ void k(int* y) { y[0] = oops; }\n", ".cu");
    run_kernel(options(file.path, "k<<<1, 1>>>(y)", "y:i32[1]"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(e.what()).find("oops"), std::string::npos) << e.what();
  }
}

// C++ lets a compiler remove such a loop, which nvcc does not.
TEST(KernelRun, KeepsALoopThatNeverEnds) {
  const Scratch file(
      "__global__ void k(int* x) {\n"
      "  for (unsigned i = 31; i >= 0; --i) x[threadIdx.x] += 1 + (i & 1);\n}\n",
      ".cu");
  for (const std::string& compiler : compilers()) {
    KernelOptions o = options(file.path, "k<<<1, 4>>>(x)", "x:i32[4]=iota");
    o.compiler = compiler;
    o.budget = 10000;
    EXPECT_EQ(kinds(run_kernel(o)), Kinds{"no_progress"}) << compiler;
  }
}

// 300 additions in a row, a multiply-add by half of the threads, and integers, which do not count.
TEST(KernelRun, CountsFlopsAndEstimatesRegistersAndOccupancy) {
  std::string adds;
  for (int k = 0; k < 300; ++k) adds += "add.f32 %f2, %f2, %f1;\n";
  const Scratch file(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 y) {\n.reg .pred %p<2>;\n.reg .f32 %f<3>;\n"
      ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.shared .align 4 .b8 s[60000];\n"
      "ld.param.u64 %rd1, [y];\nmov.u32 %r2, s;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
      "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, %f1;\n" +
          adds +
          "@%p1 fma.rn.f32 %f2, %f2, %f1, %f1;\nmul.wide.u32 %rd2, %r1, 4;\n"
          "add.s64 %rd1, %rd1, %rd2;\nst.global.f32 [%rd1], %f2;\nret;\n}\n",
      ".ptx");
  const KernelResult r = run_kernel(options(file.path, "k<<<1, 32>>>(y)", "y:f32[32]"));
  ASSERT_EQ(r.counted.size(), 1u);
  EXPECT_EQ(r.counted[0].flops, 32 * 300 + 16 * 2u);
  EXPECT_EQ(r.counted[0].registers, 5u);  // %rd1, %r1, %f1, %f2
  EXPECT_EQ(r.counted[0].shared, 60000u);
  const std::string row = to_csv(r);
  EXPECT_TRUE(row.ends_with(",5,5,shared,128,9632,75.2,flops,0.000144\n")) << row;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
