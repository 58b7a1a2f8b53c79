// The kernels of tutorials 000 to 004 as they were printed, compiled and run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernel.hpp"
#include "lab/ladder.hpp"
#include "lab/rung/transpose.hpp"
#include "lab/simulate.hpp"
#include "lab/workbench.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// The kernels that a tutorial prints have the same flaws as the published versions of the rungs.
struct Text {
  const char* rung;
  const char* file;
  const char* kernel;
  const char* order;  // the order of the parameters x, y, n
  unsigned shared = 0;
  bool compiled_otherwise = false;  // without volatile the compiler keeps sums in registers
};
class PublishedTexts : public testing::TestWithParam<Text> {};

TEST_P(PublishedTexts, HaveTheFlawsOfTheirTwins) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Text& t = GetParam();
  const Entry* e = find_rung(reduce_ladder(), t.rung);
  ASSERT_NE(e, nullptr);
  const unsigned block = 256;
  // A length that is a multiple of the block, and one that is not.
  for (const Size n : {Size{8192}, Size{5000}}) {
    const Setting s{.n = n, .block = block, .grid = 4};
    const auto twin = simulate(*e, true, s, elements(n, 1));
    ASSERT_TRUE(twin);
    const Plan p = plan(*e, true, n, block, 4);
    // Runs the first launch of each kernel; its flaws are the flaws of all launches.
    const std::string order(t.order);
    KernelOptions o;
    o.file = texts + t.file;
    o.arguments = kernel_arguments("x:i32[" + std::to_string(n) + "]=rand, y:i32[" +
                                       std::to_string(std::max<Size>(p.first_size, 1)) +
                                       "], n=" + std::to_string(n),
                                   1);
    KernelLaunch l{.kernel = t.kernel,
                   .grid = {static_cast<unsigned>(p.steps[0].grid), 1, 1},
                   .block = {block, 1, 1},
                   .shared = t.shared * block,
                   .arguments = {}};
    for (const char c : order) l.arguments.emplace_back(1, c);
    o.launches = {l};
    const KernelResult r = run_kernel(o);
    std::vector<std::string> want;
    for (const sim::Flaw& f : twin->report.flaws) {
      if (f.kind != sim::FlawKind::wrong_result) want.emplace_back(name_of(f.kind));
    }
    std::sort(want.begin(), want.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    EXPECT_EQ(kinds(r), want) << t.kernel << " n " << n;
    if (p.steps.size() > 1 || t.compiled_otherwise) continue;
    const sim::Counters &a = r.report.counters, &b = twin->report.counters;
    EXPECT_EQ(a.global_load.count, b.global_load.count) << t.kernel << " n " << n;
    EXPECT_EQ(a.global_store, b.global_store) << t.kernel << " n " << n;
    EXPECT_EQ(a.shared_load.count, b.shared_load.count) << t.kernel << " n " << n;
    EXPECT_EQ(a.shared_store.count, b.shared_store.count) << t.kernel << " n " << n;
    EXPECT_EQ(a.barriers, b.barriers) << t.kernel << " n " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
    KernelRun, PublishedTexts,
    testing::Values(Text{"unroll_last_six", "000.cu", "reduction5", "xyn", 4, true},
                    Text{"completely_unrolled", "000.cu", "reduction6<256>", "xyn", 4, true},
                    Text{"reduce_neighbored", "001.cu", "reduceNeighbored", "xyn"},
                    Text{"reduce_neighbored_less", "001.cu", "reduceNeighboredLess", "xyn"},
                    Text{"reduce_interleaved", "001.cu", "reduceInterleaved", "xyn"},
                    Text{"reduce_unrolling2", "001.cu", "reduceUnrolling2", "xyn"},
                    Text{"reduce_unroll_warps8", "001.cu", "reduceUnrollWarps8", "xyn"},
                    Text{"modulo", "002.cu", "reduce1", "x", 4},
                    Text{"strided_index", "002.cu", "reduce2", "x", 4},
                    Text{"sequential", "002.cu", "reduce3", "x", 4},
                    Text{"first_add_on_load", "002.cu", "reduce4", "x", 4},
                    Text{"last_warp_unrolled", "002.cu", "reduce5", "x", 4, true},
                    Text{"templated", "002.cu", "reduce6<256>", "x", 4, true},
                    Text{"many_elements_a_thread", "002.cu", "reduce7<256>", "xn", 4, true},
                    Text{"interleaved_global", "003.cu", "interleaved_global", "xyn"},
                    Text{"shuffle_two_level", "003.cu", "shuffle_two_level<256>", "xyn", 0, true},
                    Text{"reduction2_kernel", "004.cu", "Reduction2_kernel", "yxn", 4},
                    Text{"reduction3_kernel", "004.cu", "Reduction3_kernel<256>", "yxn", 4}),
    [](const auto& info) { return std::string(info.param.rung); });

// The transpositions of tutorial 002 have the counters of the experiment's rungs. In a column of
// global memory each lane takes a sector; in a column of the tile all wavefronts have one bank; a
// column of the padded tile takes one wavefront.
TEST(PublishedTexts, TransposeAsTheirTwins) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  struct Pair {
    const char* launch;
    ExperimentKernel twin;
    bool turns = true;
  };
  const Pair pairs[] = {
      {"mtran<<<2x8, 32x8>>>", kernel_of<transpose::naive<float, 32, 8>>()},
      {"mtran_copy<<<2x8, 32x8>>>", kernel_of<transpose::copy<float, 32, 8>>(), false},
      {"mtran_both_strided<<<2x8, 32x8>>>", kernel_of<transpose::both_strided<float, 32, 8>>(),
       false},
      {"mtran_coalesced<<<2x2, 32x8>>>", kernel_of<transpose::tiled<float, 32, 8>>()},
      {"mtran_block_copy<<<2x2, 32x8>>>", kernel_of<transpose::tiled_copy<float, 32, 8>>(), false},
      {"mtran_padded<<<2x2, 32x8>>>", kernel_of<transpose::padded<float, 32, 8>>()}};
  for (const Pair& p : pairs) {
    const KernelResult r =
        run_kernel(options(texts + "002.cu", std::string(p.launch) + "(out, in, 64)",
                           "in:f32[4096]=iota, out:f32[4096]"));
    EXPECT_EQ(kinds(r), Kinds{}) << p.launch;
    EXPECT_EQ(element(r, "out", 64 * 5 + 7), p.turns ? 64 * 7 + 5 : 64 * 5 + 7) << p.launch;
    const auto bench = simulated_workbench(sim::sm_90, 1);
    const auto twin = bench->measure({{.job = {.kernel = p.twin,
                                               .grid = 4,
                                               .block = 256,
                                               .sizes = {{64, 64}},
                                               .x = random_bytes(4096 * 4, 1),
                                               .y_bytes = 4096 * 4}}});
    ASSERT_TRUE(twin.at(0).report) << p.launch;
    const sim::Counters &a = r.report.counters, &b = twin[0].report->counters;
    EXPECT_EQ(a.global_load, b.global_load) << p.launch;
    EXPECT_EQ(a.global_store, b.global_store) << p.launch;
    EXPECT_EQ(a.shared_load, b.shared_load) << p.launch;
    EXPECT_EQ(a.shared_store, b.shared_store) << p.launch;
    EXPECT_EQ(a.barriers, b.barriers) << p.launch;
  }
}

// bench/results/lab_run_h200_counters.json, by suite/ncu.py: counts of 22 kernels on an H200.
TEST(PublishedTexts, CountAsAnH200Counted) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "NVRTC is not here";
  const auto record = nlohmann::json::parse(
      content_of(ONEFOLD_SOURCE_DIR "/bench/results/lab_run_h200_counters.json"));
  const auto n = std::to_string(record["n"].get<Size>());
  const auto extent = [](const nlohmann::json& e) {
    return e.is_array() ? Extent3{e[0], e[1], 1} : Extent3{e.get<unsigned>(), 1, 1};
  };
  ASSERT_EQ(record["kernels"].size(), 22u);
  for (const auto& k : record["kernels"]) {
    const std::string name = k["kernel"];
    const std::string type = name.starts_with("mtran") ? "f32[" : "i32[";
    KernelOptions o;
    o.file = std::string(ONEFOLD_SOURCE_DIR "/tests/lab/") + k["file"].get<std::string>();
    o.compiler = "nvrtc";
    o.arch = "90";
    o.schedules = 1;
    o.arguments = kernel_arguments("x:" + type + n + "]=rand, y:" + type + n + "]=0", 1);
    o.launches = {{.kernel = name,
                   .grid = extent(k["grid"]),
                   .block = extent(k["block"]),
                   .shared = k["shared"],
                   .arguments = {}}};
    std::istringstream words(k["args"].get<std::string>());
    for (std::string w; words >> w;) {
      o.launches[0].arguments.push_back(w == "n" || w == "N" ? n : w);
    }
    const sim::Counters c = run_kernel(o).report.counters;
    const auto counted = [&](const char* what) -> double { return k["counters"][what][1]; };
    EXPECT_EQ(double(c.global_load.requests), counted("global load requests")) << name;
    EXPECT_EQ(double(c.global_load.count), counted("global load sectors")) << name;
    EXPECT_EQ(double(c.global_store.count), counted("global store sectors")) << name;
    EXPECT_EQ(double(c.shared_load.count), counted("shared load wavefronts")) << name;
    // nvcc made the PTX of that run and drops a store that nobody reads; NVRTC keeps it.
    if (name == "shuffle_two_level<256>") continue;
    EXPECT_NEAR(double(c.shared_store.count), counted("shared store wavefronts"),
                0.01 * counted("shared store wavefronts"))
        << name;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
