// Orders in which blocks and warps interleave at atomics.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/kernel_verdict.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

#define NEEDS_COMPILER() \
  if (!has_compiler()) GTEST_SKIP() << "no compiler of CUDA is here"

const std::string file = ONEFOLD_SOURCE_DIR "/tests/lab/kernel/interleave.cu";

struct Shared {
  const char* launch;
  const char* args;
  const char* expect;
  Verdict verdict = Verdict::clean;
  const char* flaw = "";  // the kind of its first flaw
  bool cooperative = false;
};
void PrintTo(const Shared& s, std::ostream* out) { *out << s.launch; }

KernelOptions options_of(const Shared& s) {
  KernelOptions o = options(file, s.launch, s.args);
  if (*s.expect != '\0') o.expect = {s.expect};
  o.cooperative = s.cooperative;
  return o;
}
// Returns NAME of "--order NAME runs it again" in the worst finding.
std::string order_in(const KernelResult& r) {
  const std::string text = why(r);
  const auto at = text.find("--order ");
  return at == text.npos ? "" : text.substr(at + 8, text.find(' ', at + 8) - at - 8);
}

class Interleaved : public testing::TestWithParam<Shared> {};

// By drawn orders, by small ones alone, and once more by the name of the order that failed.
TEST_P(Interleaved, IsJudgedRightlyAndTheSameAgain) {
  NEEDS_COMPILER();
  const Shared& s = GetParam();
  for (const bool small : {false, true}) {
    KernelOptions o = options_of(s);
    o.draws = !small;
    if (small) o.preemptions = 2;
    const KernelResult r = run_kernel(o);
    EXPECT_EQ(verdict_of(r), s.verdict) << why(r);
    if (*s.flaw != '\0') {
      ASSERT_FALSE(r.flaws.empty());
      EXPECT_STREQ(name_of(r.report.flaws[0].kind), s.flaw) << why(r);
    }
    EXPECT_EQ(r.unfinished, 0u);
    EXPECT_NE(r.drawn + r.small_orders, 0u);
    if (s.verdict == Verdict::clean) continue;
    o.order = order_in(r);
    ASSERT_NE(o.order, "") << why(r);
    const KernelResult again = run_kernel(o);
    EXPECT_NE(verdict_of(again), Verdict::clean);
    if (*s.flaw != '\0') {
      EXPECT_EQ(again.flaws[0], r.flaws[0]);
    }
  }
}

constexpr const char *total_args = "c:i32[1]=zeros", *list_args = "b:i32[6]=zeros",
                     *done_args = "d:i32[64]=zeros", *table_args = "t:i32[8], o:i32[4]",
                     *keys_args = "k:i32[16]=zeros", *twice_args = "w:i32[1]=zeros",
                     *parts_args = "p:i32[4], s:i32[1]=zeros", *rounds_args = "r:i32[1]=zeros";
constexpr auto flaw = Verdict::flaw, order = Verdict::order;

INSTANTIATE_TEST_SUITE_P(
    Right, Interleaved,
    testing::Values(
        Shared{"spin_lock<<<4,32>>>(c)", total_args, "c[0]==4"},
        Shared{"spin_lock<<<1,128>>>(c)", total_args, "c[0]==4"},
        Shared{"ticket_lock<<<4,32>>>(c)", total_args, "c[0]==4"},
        Shared{"bounded_list<<<8,32>>>(b)", list_args, ""},
        Shared{"bounded_list<<<1,256>>>(b)", list_args, ""},
        Shared{"work_queue<<<4,32>>>(d)", done_args, "sum(d)==32"},
        Shared{"fill_once<<<4,32>>>(t,o)", table_args, "o[3]==49"},
        Shared{"insert<<<6,32>>>(k)", keys_args, "sum(k)==21"},
        Shared{"stack<<<3,32>>>(w)", twice_args, "w[0]==0"},
        Shared{"last_block<<<4,32>>>(p,s)", parts_args, "s[0]==10"},
        Shared{"barrier<<<3,32>>>(r)", rounds_args, "r[0]==3", Verdict::clean, "", true},
        Shared{"seqlock<<<3,32>>>(c)", total_args, "c[0]==0"},
        Shared{"compact<<<4,32>>>(x,o,n)", "x:i32[128]=iota,o:i32[43],n=128", "sum(o)==2709"},
        Shared{"add_floats<<<4,32>>>(x,s,n)", "x:f32[128]=rand,s:f32[1]=zeros,n=128",
               "steady(s)"}));
INSTANTIATE_TEST_SUITE_P(
    Wrong, Interleaved,
    testing::Values(
        Shared{"spin_lock_apart<<<4,32>>>(c)", total_args, "", flaw, "race"},
        Shared{"spin_lock_apart<<<1,128>>>(c)", total_args, "", flaw, "race"},
        Shared{"bounded_list_apart<<<8,32>>>(b)", list_args, "", flaw, "out_of_bounds"},
        Shared{"bounded_list_apart<<<1,256>>>(b)", list_args, "", flaw, "out_of_bounds"},
        Shared{"work_queue_apart<<<4,32>>>(d)", done_args, "", flaw, "race"},
        Shared{"fill_once_apart<<<4,32>>>(t,o)", table_args, "", flaw, "race"},
        Shared{"insert_apart<<<6,32>>>(k)", keys_args, "sum(k)==21", order},
        Shared{"stack_without_count<<<2,32>>>(w)", twice_args, "w[0]==0", order},
        Shared{"stack_apart<<<3,32>>>(w)", twice_args, "w[0]==0", order},
        Shared{"last_block_apart<<<4,32>>>(p,s)", parts_args, "", flaw, "race"},
        Shared{"barrier_late<<<3,32>>>(r)", rounds_args, "", flaw, "no_progress", true},
        Shared{"seqlock_once<<<3,32>>>(c)", total_args, "c[0]==0", order},
        Shared{"compact<<<4,32>>>(x,o,n)", "x:i32[128]=iota,o:i32[43],n=128", "steady(o)", order}));

// The other threads of a draw come to no harm: two with the same number race or wait forever.
TEST(Interleave, FindsALockThatGivesANumberTwice) {
  NEEDS_COMPILER();
  const KernelResult found =
      run_kernel(options_of({"ticket_lock_apart<<<4,32>>>(c)", total_args, ""}));
  EXPECT_EQ(verdict_of(found), Verdict::flaw) << why(found);
}

// volatile orders nothing: without fences neither the data nor the flag is passed on.
TEST(Interleave, FindsAVolatileLockWithoutAFence) {
  NEEDS_COMPILER();
  for (const bool fenced : {false, true}) {
    const std::string fence = fenced ? "  __threadfence();\n" : "";
    const Scratch text(
        "__device__ int held;\n__global__ void add(int* c) {\n"
        "  while (atomicCAS(&held, 0, 1) != 0) {}\n" +
            fence + "  c[0] += 1;\n" + fence + "  *(volatile int*)&held = 0;\n}\n",
        ".cu");
    const KernelResult r = run_kernel(options(text.path, "add<<<4, 1>>>(c)", "c:i32[1]=zeros"));
    EXPECT_EQ(verdict_of(r), fenced ? Verdict::clean : Verdict::flaw) << why(r);
    EXPECT_EQ(kinds(r).empty(), fenced);
  }
}

TEST(Interleave, NeedsTwoPreemptionsForALockThatIsTestedThenSet) {
  NEEDS_COMPILER();
  KernelOptions o = options_of({"spin_lock_apart<<<2,32>>>(c)", total_args, ""});
  o.draws = false;
  o.preemptions = 1;
  const KernelResult one = run_kernel(o);
  EXPECT_TRUE(one.clean()) << why(one);
  EXPECT_TRUE(one.all_small);
  EXPECT_NE(to_table(one).find(fmt::format("all {} small orders", one.small_orders)),
            std::string::npos);
  o.preemptions = 2;
  EXPECT_FALSE(run_kernel(o).clean());
}

// The order of additions without a result shows nowhere but in how floats are rounded.
TEST(Interleave, TriesNoOtherOrdersWhereNoneShows) {
  NEEDS_COMPILER();
  const Scratch counts(
      "__global__ void k(int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) atomicAdd(&y[i % 4], 1);\n}\n",
      ".cu");
  for (const std::string& compiler : compilers()) {
    KernelOptions o = options(counts.path, "k<<<4,64>>>(y,n)", "y:i32[4]=zeros, n=200");
    o.compiler = compiler;
    const KernelResult found = run_kernel(o);
    EXPECT_TRUE(found.clean());
    EXPECT_EQ(found.drawn + found.small_orders, 0u) << compiler;
  }
}

TEST(Interleave, NamesTheOrderUnderWhichAnArrayDiffers) {
  NEEDS_COMPILER();
  const KernelResult found =
      run_kernel(options_of({"compact<<<4,32>>>(x,o,n)", "x:i32[128]=iota,o:i32[43],n=128", ""}));
  EXPECT_EQ(verdict_of(found), Verdict::clean);
  ASSERT_EQ(found.unsteady.size(), 1u);
  EXPECT_EQ(found.unsteady[0].name, "o");
  EXPECT_NE(to_table(found).find("steady(o)"), std::string::npos);
  EXPECT_NE(to_table(found).find("after the first order of threads\nx "), std::string::npos);
}

// Only where another block is inside, so only in a drawn order.
TEST(Interleave, TellsTheFlawsOfAnOrderThatIsGivenUp) {
  NEEDS_COMPILER();
  const Scratch busy(
      "__device__ int inside;\n__global__ void k(volatile int* x) {\n"
      "  if (atomicAdd(&inside, 1) != 0) {\n    x[8] = 1;\n    while (true) x[blockIdx.x] = 1;\n  "
      "}\n"
      "  atomicSub(&inside, 1);\n}\n",
      ".cu");
  const KernelResult found = run_kernel(options(busy.path, "k<<<4,1>>>(x)", "x:i32[8]=zeros"));
  EXPECT_GE(found.unfinished, 1u);
  EXPECT_EQ(kinds(found), Kinds{"out_of_bounds"});
  EXPECT_NE(order_in(found), "") << why(found);
}

TEST(Interleave, RefusesAnOrderThatIsNone) {
  NEEDS_COMPILER();
  for (const char* name : {"x", "2/", "2/1", "2/1:", "2/1:1/"}) {
    KernelOptions o = options_of({"spin_lock<<<2,32>>>(c)", total_args, ""});
    o.order = name;
    if (std::string(name) == "2/") {
      EXPECT_TRUE(run_kernel(o).clean());
      continue;
    }
    EXPECT_THROW(run_kernel(o), Error) << name;
  }
}

// main() compares its results itself; its status under another order is a verdict too.
TEST(Interleave, RunsMainUnderOtherOrders) {
  if (std::system("clang++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs clang++";
  const auto run = [](const char* take) {
    const Scratch program(
        std::string("#include <cstdio>\n__device__ int length;\n"
                    "__global__ void fill(int* x) {\n  if (threadIdx.x != 0) return;\n") +
            take +
            "  x[at] = 1;\n}\nint main() {\n  int *d, h[8];\n  cudaMalloc(&d, sizeof h);\n"
            "  fill<<<8, 32>>>(d);\n  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
            "  int sum = 0;\n  for (int v : h) sum += v == 1;\n  std::puts(\"ran\");\n"
            "  return sum == 8 ? 0 : 1;\n}\n",
        ".cu");
    KernelOptions o;
    o.file = program.path;
    testing::internal::CaptureStdout();
    KernelResult found = run_main(o, {});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "ran\n");
    return found;
  };
  EXPECT_TRUE(run("  int at = atomicAdd(&length, 1);\n").clean());
  const KernelResult found =
      run("  int at = atomicAdd(&length, 0);\n  atomicExch(&length, at + 1);\n");
  EXPECT_FALSE(found.clean());
  EXPECT_NE(why(found).find("--order "), std::string::npos) << why(found);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
