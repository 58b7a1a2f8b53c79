// Masks of warp-wide steps: the mask must name each lane that runs the step, and all lanes must
// pass the same mask.
#include <gtest/gtest.h>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// %r1 is the thread; %p1 says whether it is in the warp's lower half.
const std::string begin =
    "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; mov.u32 %r4, 0; mul.wide.u32 %rd2, %r1, 4; "
    "add.s64 %rd2, %rd1, %rd2;\n";

Kinds flaws(const std::string& body) { return kinds(run_body(begin + body)); }

TEST(KernelMasks, NameEveryLaneThatRunsTheStep) {
  for (const char* step :
       {"bar.warp.sync 0xffff;", "vote.sync.ballot.b32 %r2, %p1, 0x0f;",
        "vote.sync.any.pred %p2, %p1, 0x0f;", "shfl.sync.down.b32 %r2, %r1, 4, 31, 0xffff;",
        "shfl.sync.idx.b32 %r2, %r1, 3, 31, 0xfffffffe;", "match.any.sync.b32 %r2, %r1, 0xffff;",
        "redux.sync.add.s32 %r2, %r1, 0x7fffffff;"}) {
    EXPECT_EQ(flaws(step), Kinds{"bad_mask"}) << step;
  }
  const KernelResult r = run_body(begin + "bar.warp.sync 0xffff7fff;");
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_NE(
      r.flaws[0].find(
          "thread 15 of block 0 runs this step with mask 0xffff7fff, which does not include it"),
      std::string::npos)
      << r.flaws[0];
}

TEST(KernelMasks, OfPartsOfAWarpAreTheirs) {
  EXPECT_EQ(flaws("selp.b32 %r2, 0xffff, 0xffff0000, %p1; bar.warp.sync %r2; "
                  "shfl.sync.bfly.b32 %r3, %r1, 8, 31, %r2; vote.sync.ballot.b32 %r3, %p1, %r2;"),
            Kinds{});
  EXPECT_EQ(flaws("@!%p1 bra E; shfl.sync.down.b32 %r2, %r1, 8, 0x101f, 0xffff; "
                  "bar.warp.sync 0xffff; E: bar.warp.sync -1;"),
            Kinds{});
  // Lanes leave a loop one after another; the remaining lanes name each other.
  EXPECT_EQ(flaws("L: setp.gt.u32 %p2, %r1, %r4; vote.sync.ballot.b32 %r2, %p2, -1; @!%p2 bra D;\n"
                  "shfl.sync.idx.b32 %r3, %r1, 31, 31, %r2; "
                  "D: bar.warp.sync -1; add.u32 %r4, %r4, 4; setp.lt.u32 %p3, %r4, 32; "
                  "@%p3 bra L;"),
            Kinds{});
  // Each turn of a loop has fewer lanes, at the same instruction.
  EXPECT_EQ(flaws("mov.u32 %r2, -1; L: bar.warp.sync %r2; shl.b32 %r2, %r2, 4; "
                  "add.u32 %r4, %r4, 4; setp.ge.u32 %p2, %r1, %r4; @%p2 bra L;"),
            Kinds{});
}

TEST(KernelMasks, AreTheSameForAllThatTheyName) {
  const KernelResult r =
      run_body(begin + "selp.b32 %r2, 0xffffffff, 0xfffffffe, %p1; bar.warp.sync %r2;");
  ASSERT_EQ(kinds(r), Kinds{"bad_mask"});
  EXPECT_NE(
      r.flaws[0].find(
          "thread 0 of block 0 runs this step with mask 0xffffffff, and thread "
          "16, which is in this mask, with mask 0xfffffffe; all lanes must pass the same mask"),
      std::string::npos)
      << r.flaws[0];
  // The upper half continues without the lower half, which names it in its mask.
  EXPECT_EQ(flaws("selp.b32 %r2, 0xffffffff, 0xffff0000, %p1; bar.warp.sync %r2;"),
            Kinds{"bad_mask"});
  EXPECT_EQ(flaws("selp.b32 %r2, 0xffffffff, 0xffff0000, %p1; "
                  "shfl.sync.bfly.b32 %r3, %r1, 8, 31, %r2;"),
            Kinds{"bad_mask"});
}

TEST(KernelMasks, SayWhereTheLanesAreThatDoNotCome) {
  const KernelResult r =
      run_body(begin + "@%p1 bra L; bar.warp.sync -1; bra E;\nL: bar.sync 0;\nE: bar.sync 0;");
  ASSERT_FALSE(r.flaws.empty());
  EXPECT_NE(r.flaws[0].find("threads 0, 1, 2, 3 and 12 more of block 0 never reach this barrier; "
                            "thread 0 is at "),
            std::string::npos)
      << r.flaws[0];
}

// Which lanes are active after a branch is undefined, so values passed by a sync_warp of the active
// lanes are undefined, too. To count active lanes is safe.
TEST(KernelMasks, OfActiveLanesSyncNoWarpThatWentDifferentWays) {
  const std::string sync = "activemask.b32 %r2; bar.warp.sync %r2;";
  EXPECT_EQ(flaws(sync), Kinds{});
  // The same holds within a branch: its lanes need not run together.
  EXPECT_EQ(flaws("@!%p1 bra E;" + sync + " E: bar.warp.sync -1;"), Kinds{"split_warp"});
  EXPECT_EQ(flaws("@%p1 bra N;\nst.global.u32 [%rd2], %r1;\nret;\nN:" + sync), Kinds{"split_warp"});
  EXPECT_EQ(flaws("@!%p1 bra E;" + sync + " E:"), Kinds{});  // the others have returned
  EXPECT_EQ(flaws("@!%p1 bra E; st.global.u32 [%rd2], %r1;\nE:" + sync), Kinds{"split_warp"});
  EXPECT_EQ(flaws("@!%p1 bra E; st.global.u32 [%rd2], %r1;\nE: bar.warp.sync -1;" + sync), Kinds{});
  EXPECT_EQ(flaws("@!%p1 bra E; st.global.u32 [%rd2], %r1;\nE: activemask.b32 %r2; "
                  "popc.b32 %r3, %r2;"),
            Kinds{});
}

// Lanes that a mask names may have returned. But they may not have passed the step, or taken
// another branch, and accessed memory there.
TEST(KernelMasks, NameNoLaneThatGoesPastTheStep) {
  const std::string store = "\nst.global.u32 [%rd2], %r1;\n";
  for (const char* step : {"shfl.sync.bfly.b32 %r2, %r1, 0, 31, -1;", "bar.warp.sync -1;",
                           "vote.sync.ballot.b32 %r2, %p1, -1;"}) {
    const std::string kind =
        std::string(step).starts_with("bar") ? "barrier_not_reached" : "absent_lane";
    EXPECT_EQ(flaws(std::string("@!%p1 bra E;") + step + "\nE:" + store), Kinds{kind}) << step;
    EXPECT_EQ(flaws(std::string("@%p1 bra L;") + store + "bra E;\nL:" + step + "\nE:"), Kinds{kind})
        << step;
    EXPECT_EQ(flaws(std::string("@!%p1 bra E;") + step + store + "E:"), Kinds{}) << step;
    // Each turn of the loop has one lane less.
    EXPECT_EQ(flaws(std::string("L: setp.lt.u32 %p2, %r1, %r4; @%p2 bra E;") + store + step +
                    "add.u32 %r4, %r4, 1; bra L; E:"),
              Kinds{})
        << step;
  }
  // The lower half has made a step of its own.
  EXPECT_EQ(flaws("@!%p1 bra U; shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff; bra E;\n"
                  "U: shfl.sync.idx.b32 %r2, %r1, 31, 31, -1;\nE:" +
                  store),
            Kinds{"absent_lane"});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
