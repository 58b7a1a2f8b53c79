// Barriers of part of a block, fences with a scope, and asynchronous copies, in PTX.
#include <gtest/gtest.h>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

KernelResult run_scheduled(const std::string& body, const std::string& launch,
                           unsigned schedules = 6) {
  const Scratch file(kernel(body), ".ptx");
  KernelOptions o = options(file.path, launch, "y:u32[64]=iota");
  o.schedules = schedules;
  return run_kernel(o);
}

// The lane's own element: of s in %r5, of y in %rd2.
const std::string own_element =
    ".shared .align 4 .b32 s[32];\n"
    "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; shl.b32 %r4, %r3, 2;\n"
    "mov.u32 %r5, s; add.u32 %r5, %r5, %r4; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2;\n"
    "setp.ne.u32 %p1, %r2, 0;\n";
// Warp 0 writes and only arrives at the barrier; warp 1 waits there.
const std::string hands_over = own_element +
                               "@%p1 bra USE;\n"
                               "mul.lo.u32 %r6, %r3, 3; st.shared.u32 [%r5], %r6;\n"
                               "bar.arrive 1, 64; bra END;\n"
                               "USE: bar.sync 1, 64; ld.shared.u32 %r7, [%r5];\n"
                               "st.global.u32 [%rd2], %r7;\n"
                               "END:";

TEST(KernelBarriers, LetWarpsWaitForThoseThatOnlyComeBy) {
  const KernelResult r = run_scheduled(hands_over, "k<<<3, 64>>>(y)", 1);
  // Two blocks write the same elements.
  EXPECT_EQ(kinds(r), Kinds{"race"});
  const KernelResult one = run_scheduled(hands_over, "k<<<1, 64>>>(y)");
  EXPECT_EQ(kinds(one), Kinds{});
  EXPECT_TRUE(one.unsteady.empty());
  EXPECT_EQ(element(one, "y", 5), 15);
  EXPECT_EQ(one.report.counters.barriers, 2u);  // two warps, one instruction each
  EXPECT_EQ(one.report.counters.barrier_rounds, 1u);
}

// A collective of onefold_block.cuh. Its loop ends when each lane has been named, and so never.
TEST(KernelBarriers, NameTheLineOfTheUserWhereThreadsHaveLeftBeforeACollective) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string before =
      "#include \"" ONEFOLD_SOURCE_DIR
      "/single/onefold_block.cuh\"\n"
      "__global__ void k(const float* x, int n, onefold::Cell<float>* cell) {\n"
      "  using Block = onefold::BlockSum<float, 256>;\n"
      "  __shared__ Block::TempStorage temp;\n"
      "  onefold::ThreadSum<float>::Limbs limbs;\n"
      "  onefold::ThreadSum<float> thread(limbs);\n"
      "  const int i = threadIdx.x;\n";
  const std::string after = "  Block(temp).add_to(cell, thread);\n}\n";
  for (const std::string& compiler : compilers()) {
    const auto run = [&](const std::string& body) {
      const Scratch file(before + body + after, ".cu");
      KernelOptions o = options(file.path, "k<<<1, 256>>>(x, n, cell)",
                                "x:f32[200]=ones, n=200, cell:u64[64]=zeros");
      o.compiler = compiler;
      o.budget = KernelOptions().budget;  // the usual one: minutes
      return run_kernel(o);
    };
    EXPECT_EQ(kinds(run("  if (i < n) thread.add(x[i]);\n")), Kinds{}) << compiler;
    const KernelResult r = run("  if (i >= n) return;\n  thread.add(x[i]);\n");
    ASSERT_FALSE(r.flaws.empty()) << compiler;
    // clang does not say into which line the header's code is inlined.
    const std::string line = compiler == "nvrtc" ? ".cu:10" : "";
    EXPECT_NE(r.flaws[0].find(line + ": threads 200, 201, 202, 203 and 52 more of block 0 never "
                                     "reach this barrier; thread 200 has ended, last at "),
              std::string::npos)
        << compiler << ": " << r.flaws[0];
    EXPECT_NE(r.flaws[0].find(".cu:8, without reaching it"), std::string::npos)
        << compiler << ": " << r.flaws[0];
    EXPECT_NE(r.flaws.back().find(" did not end after a barrier"), std::string::npos)
        << compiler << ": " << r.flaws.back();
  }
}

TEST(KernelBarriers, OrderOnlyWhatStandsBeforeThem) {
  const auto flaws = [](const std::string& body) {
    return kinds(run_scheduled(body, "k<<<1, 64>>>(y)"));
  };
  EXPECT_EQ(flaws(replaced(hands_over, "USE: bar.sync 1, 64;", "USE:")),
            (Kinds{"race", "uninitialised"}));
  EXPECT_EQ(flaws(replaced(hands_over, "st.shared.u32 [%r5], %r6;\nbar.arrive 1, 64;",
                           "bar.arrive 1, 64; st.shared.u32 [%r5], %r6;")),
            Kinds{"race"});
  EXPECT_EQ(flaws(replaced(hands_over, "bar.arrive 1, 64;", "")), Kinds{"barrier_not_reached"});
  EXPECT_EQ(flaws(replaced(hands_over, "bar.arrive 1, 64;", "bar.arrive 2, 64;")),
            Kinds{"barrier_not_reached"});
  EXPECT_EQ(flaws(replaced(hands_over, "bar.sync 1, 64;", "bar.sync 1, 96;")),
            Kinds{"barrier_not_reached"});
}

TEST(KernelBarriers, MayBeUsedAgainAndAgain) {
  // Two buffers are passed in the same way: barrier 1 means full, 2 empty.
  const std::string turns = own_element +
                            "mov.u32 %r8, 0; mov.u32 %r9, 0;\n"
                            "@%p1 bra USE;\n"
                            "FILL: add.u32 %r6, %r3, %r8; st.shared.u32 [%r5], %r6;\n"
                            "bar.arrive 1, 64; bar.sync 2, 64;\n"
                            "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 8; @%p2 bra FILL;\n"
                            "bra END;\n"
                            "USE: bar.sync 1, 64; ld.shared.u32 %r7, [%r5];\n"
                            "bar.arrive 2, 64; add.u32 %r9, %r9, %r7;\n"
                            "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 8; @%p2 bra USE;\n"
                            "st.global.u32 [%rd2], %r9;\n"
                            "END:";
  const KernelResult r = run_scheduled(turns, "k<<<1, 64>>>(y)");
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_TRUE(r.unsteady.empty());
  EXPECT_EQ(element(r, "y", 5), 8 * 5 + 28);
  EXPECT_EQ(kinds(run_scheduled(replaced(turns, "bar.arrive 1, 64; bar.sync 2, 64;",
                                         "bar.arrive 1, 64; bar.arrive 2, 64;"),
                                "k<<<1, 64>>>(y)")),
            (Kinds{"barrier_not_reached", "mixed_barrier", "race"}));
}

// Two pairs of warps use one barrier: which of them meet depends on chance, in any order.
TEST(KernelBarriers, AreOneGroupsOrAreMixed) {
  const auto pairs = [](const std::string& second) {
    return run_scheduled(
        "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 64; @%p1 bra U;\n"
        "bar.sync 1, 64; bra E;\nU: bar.sync " +
            second + ";\nE:",
        "k<<<1, 128>>>(y)", 2);
  };
  EXPECT_EQ(kinds(pairs("1, 64")), Kinds{"mixed_barrier"});
  EXPECT_EQ(kinds(pairs("2, 64")), Kinds{});
  EXPECT_EQ(kinds(pairs("2, 32")), Kinds{});  // a warp meets only itself
  // The second pair comes after a barrier of the block.
  EXPECT_EQ(kinds(run_scheduled("mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 64; @%p1 bra U;\n"
                                "bar.sync 1, 64; bar.sync 0; bra E;\n"
                                "U: bar.sync 0; bar.sync 1, 64;\nE:",
                                "k<<<1, 128>>>(y)", 2)),
            (Kinds{"barrier_not_reached"}));
}

TEST(KernelBarriers, LeaveTheLanesOfAWarpTogether) {
  const KernelResult r = run_scheduled(
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
      "bar.sync 1, 64; ld.global.u32 %r2, [%rd2];",
      "k<<<1, 64>>>(y)", 2);
  EXPECT_EQ(r.report.counters.global_load.requests, 2u);
}

TEST(KernelBarriers, CountWholeWarpsAndAreSixteen) {
  const auto failure = [](const char* barrier) {
    return run_body(barrier, "k<<<1, 64>>>(y)").failure;
  };
  EXPECT_NE(failure("bar.sync 1, 48;")
                .find("a barrier for 48 threads; the number must be a multiple of 32"),
            std::string::npos);
  EXPECT_NE(
      failure("bar.sync 16;").find("barrier 16 does not exist; barriers are numbered 0 to 15"),
      std::string::npos);
  // 40 threads are two warps; a number may be in a register; other barriers than 0 hold the block.
  EXPECT_TRUE(run_body("bar.sync 1, 64;", "k<<<1, 40>>>(y)").clean());
  EXPECT_TRUE(run_body("mov.u32 %r1, 3; barrier.sync.aligned %r1;", "k<<<1, 40>>>(y)").clean());
}

TEST(KernelBarriers, SumWhatTheirThreadsSay) {
  // Each warp has its own sum: so many lanes are below 9 + warp.
  const std::string sums = own_element +
                           "add.u32 %r6, %r2, 9; setp.lt.u32 %p2, %r3, %r6; add.u32 %r7, %r2, 1;\n"
                           "bar.red.popc.u32 %r8, %r7, 32, %p2;\n"
                           "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3;\n"
                           "setp.eq.u32 %p3, %r3, 0; @%p3 st.global.u32 [%rd3], %r8;";
  const KernelResult r = run_scheduled(sums, "k<<<1, 64>>>(y)");
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_EQ(element(r, "y", 0), 9);
  EXPECT_EQ(element(r, "y", 1), 10);
  // Each launch begins to count again.
  const KernelResult two = run_scheduled(sums, "k<<<1, 64>>>(y); k<<<1, 64>>>(y)");
  EXPECT_EQ(element(two, "y", 1), 10);
}

// Thread 0 of one block or warp signals thread 0 of another by the last word of y.
std::string tells(const std::string& fence, const std::string& second) {
  return "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
         "mov.u32 %r3, " +
         second +
         "; setp.ne.u32 %p1, %r3, 0; @%p1 bra TAKE;\n"
         "setp.ne.u32 %p2, %r1, 0; @%p2 bra END;\n"
         "st.global.u32 [%rd1], 5; " +
         fence +
         "; atom.global.exch.b32 %r4, [%rd1+252], 1;\n"
         "bra END;\n"
         "TAKE: and.b32 %r5, %r1, 31; setp.ne.u32 %p3, %r5, 0; @%p3 bra MEET;\n"
         "SPIN: atom.global.or.b32 %r4, [%rd1+252], 0; setp.ne.u32 %p4, %r4, 1; @%p4 bra SPIN;\n" +
         fence +
         ";\n"
         "MEET: bar.warp.sync -1;\n"
         "ld.global.u32 %r6, [%rd1]; shl.b32 %r5, %r5, 2; cvt.u64.u32 %rd2, %r5;\n"
         "add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2+64], %r6;\n"
         "END:";
}

TEST(KernelBarriers, AWarpKnowsWhatOneOfItsLanesWasTold) {
  const KernelResult r = run_scheduled(tells("membar.gl", "%r2"), "k<<<2, 32>>>(y)", 2);
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_EQ(element(r, "y", 47), 5);
  EXPECT_EQ(kinds(run_scheduled(replaced(tells("membar.gl", "%r2"), "bar.warp.sync -1;", ""),
                                "k<<<2, 32>>>(y)", 2)),
            Kinds{"race"});
}

TEST(KernelBarriers, AFenceOfABlockTellsOtherBlocksNothing) {
  EXPECT_EQ(kinds(run_scheduled(tells("membar.cta", "%r2"), "k<<<2, 32>>>(y)", 2)), Kinds{"race"});
  EXPECT_EQ(kinds(run_scheduled(tells("fence.acq_rel.cta", "%r2"), "k<<<2, 32>>>(y)", 2)),
            Kinds{"race"});
  // Within the block this fence is enough.
  const std::string warp = "%tid.x; shr.u32 %r3, %r3, 5";
  EXPECT_EQ(kinds(run_scheduled(tells("membar.cta", warp), "k<<<1, 64>>>(y)", 2)), Kinds{});
  EXPECT_EQ(kinds(run_scheduled(tells("membar.gl", warp), "k<<<1, 64>>>(y)", 2)), Kinds{});
  EXPECT_EQ(kinds(run_scheduled(tells("prefetch.global.L2 [%rd1]", warp), "k<<<1, 64>>>(y)", 2)),
            Kinds{"race"});
}

// NVRTC merges loads of neighbours into a wide one, and says which of its bytes count.
TEST(KernelBarriers, AWideLoadReadsOnlyTheBytesThatAreUsed) {
  const std::string loads =
      ".shared .align 16 .b32 s[4];\n"
      "mov.u32 %r1, s; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra SET;\n"
      "st.shared.v2.u32 [%r1], {7, 8}; st.shared.u32 [%r1+8], 9;\n"
      "SET: bar.sync 0; .pragma \"used_bytes_mask MASK\";\n"
      "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1]; @%p1 bra DONE; st.shared.u32 [%r1+12], 1;\n"
      "DONE: @!%p1 st.global.u32 [%rd1], %r5;";
  const auto found = [&](const char* mask) {
    return kinds(run_body(replaced(loads, "MASK", mask), "k<<<1, 64>>>(y)"));
  };
  EXPECT_EQ(found("4095"), Kinds{});
  EXPECT_EQ(found("0x0fff"), Kinds{});
  EXPECT_EQ(found("8191"), Kinds{"race"});
}

TEST(KernelRun, CopiesWhatIsThereAndFillsWithZeros) {
  const std::string copies =
      ".shared .align 16 .b32 s[4];\n"
      "mov.u32 %r1, s; mov.u32 %r2, SIZE;\n"
      "cp.async.ca.shared.global [%r1], [%rd1+16], 16, %r2; cp.async.commit_group;\n"
      "cp.async.wait_group 0;\n"
      "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1]; st.global.v4.u32 [%rd1], {%r3, %r4, %r5, "
      "%r6};";
  for (const int size : {0, 4, 8, 12, 16}) {
    const KernelResult r =
        run_body(replaced(copies, "SIZE", std::to_string(size)), "k<<<1, 1>>>(y)");
    EXPECT_EQ(kinds(r), Kinds{}) << size;
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(element(r, "y", k), 4 * k < size ? 4 + k : 0) << size << ' ' << k;
    }
  }
  EXPECT_EQ(kinds(run_body(replaced(replaced(copies, "SIZE", "16"), "cp.async.wait_group 0;", ""),
                           "k<<<1, 1>>>(y)")),
            Kinds{"race"});
}

// One thread starts a copy of 16 bytes to s, and all threads wait for it.
const std::string bulk =
    ".shared .align 16 .b32 s[4]; .shared .align 8 .b64 bar;\n"
    "mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, %tid.x;\n"
    "setp.ne.u32 %p1, %r3, 0; @%p1 bra MADE;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1+16], 16, "
    "[%r2];\n"
    "MADE: bar.sync 0;\n"
    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra WAIT;\n"
    "shl.b32 %r4, %r3, 2; and.b32 %r5, %r4, 12; add.u32 %r5, %r1, %r5; ld.shared.u32 %r6, [%r5];\n"
    "cvt.u64.u32 %rd2, %r4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2+64], %r6;";

TEST(KernelBulk, CopiesAreThereForThoseWhoWaited) {
  const KernelResult r = run_body(bulk);
  EXPECT_EQ(kinds(r), Kinds{});
  EXPECT_EQ(r.failure, "");
  for (Size k = 0; k < 32; ++k) EXPECT_EQ(element(r, "y", 16 + k), int64_t(4 + k % 4)) << k;
  const std::string wait =
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra WAIT;";
  EXPECT_EQ(kinds(run_body(replaced(bulk, wait, ""))), Kinds{"race"});
}

TEST(KernelBulk, ACopyThatNobodyStartsLeavesThoseWhoWait) {
  const auto copy = bulk.find("cp.async"), end = bulk.find("MADE: bar");
  const KernelResult r = run_body(bulk.substr(0, copy) + bulk.substr(end));
  EXPECT_EQ(kinds(r), Kinds{"barrier_not_reached"});
}

TEST(KernelBulk, SaysWhatACopyOrABarrierLacks) {
  const auto failure = [](const std::string& from, const std::string& to) {
    return run_body(replaced(bulk, from, to)).failure;
  };
  EXPECT_NE(failure("_, [%r2], 16", "_, [%r2], 32")
                .find("a copy has 16 bytes, but its barrier expects 32"),
            std::string::npos);
  EXPECT_NE(failure("[%rd1+16]", "[%rd1+20]").find("a bulk copy is misaligned"), std::string::npos);
  EXPECT_NE(failure("mbarrier.init.shared::cta.b64 [%r2], 1;", "").find("there is no barrier"),
            std::string::npos);
  EXPECT_NE(failure("[%r2], 1;", "[%r2], 1; mbarrier.init.shared::cta.b64 [%r2], 1;")
                .find("each initialised once"),
            std::string::npos);
  EXPECT_NE(failure("fence.mbarrier_init.release.cluster;", "").find("no fence.mbarrier_init"),
            std::string::npos);
  EXPECT_EQ(kinds(run_body(replaced(bulk, "[%rd1+16]", "[%rd1+256]"))),
            (Kinds{"barrier_not_reached", "out_of_bounds"}));
  EXPECT_THROW(run_body(replaced(bulk, "[%r2], 1;", "[%r2], 32;")), Error);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
