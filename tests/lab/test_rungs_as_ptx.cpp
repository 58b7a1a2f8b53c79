// Our rungs as NVRTC compiles them, and their C++ source, on the simulated machine. Both have the
// same answers, no flaw, and the same counters, or the compiler's code shows a known reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "rung_ptx.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Differences between the compiler's code and the source.
enum class What {
  nothing,
  vector,       // the last step loads the two words of a lane by one load of 8 bytes
  less_global,  // code without loads and stores that only add zero or read again
  spins,        // sync_grid is one step in the text, but a loop over a word on a GPU
};
const std::map<std::string_view, What>& compiled_otherwise() {
  static const std::map<std::string_view, What> all{{"unroll_last_six", What::vector},
                                                    {"completely_unrolled", What::vector},
                                                    {"reduction_1", What::vector},
                                                    {"reduction_2", What::vector},
                                                    {"last_warp_unrolled", What::vector},
                                                    {"templated", What::vector},
                                                    {"many_elements_a_thread", What::vector},
                                                    {"reduction2_kernel", What::vector},
                                                    {"reduction3_kernel", What::vector},
                                                    {"reduce_unrolling2", What::less_global},
                                                    {"exact_sum", What::less_global},
                                                    {"grid_barrier", What::spins}};
  return all;
}
std::string text_of(const sim::Traffic& t) {
  return fmt::format("{} requests, {} of {}, {} bytes", t.requests, t.count, t.ideal, t.bytes);
}

class RungsAsPtx : public testing::TestWithParam<const Entry*> {};

TEST_P(RungsAsPtx, CountAsTheTextDoes) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "NVRTC is not here";
  const Entry& e = *GetParam();
  const unsigned block = 256;
  const Setting s{.n = 5000, .block = block, .grid = 4};
  const auto x = elements(s.n, 1);
  const auto text = simulate(e, false, s, x);
  ASSERT_TRUE(text);
  const Scratch file(rung_ptx(e, false, block), ".ptx");
  const Plan p = plan(e, false, s.n, block, s.grid);
  KernelOptions o = launches_of(e, s);
  o.file = file.path;
  Size blocks = 0;
  for (const Step& step : p.steps) blocks += step.grid;
  const KernelResult r = run_kernel(o);
  EXPECT_EQ(kinds(r), std::vector<std::string>{}) << (r.flaws.empty() ? "" : r.flaws[0]);
  EXPECT_EQ(r.failure, "");
  EXPECT_EQ(std::get<int64_t>(text->result), sum_of(r, p));
  const sim::Counters &a = r.report.counters, &b = text->report.counters;
  const auto known = compiled_otherwise().find(e.name);
  const What how = known == compiled_otherwise().end() ? What::nothing : known->second;
  if (how == What::spins) return;
  if (how != What::less_global) {
    EXPECT_EQ(text_of(a.global_load), text_of(b.global_load));
    EXPECT_EQ(text_of(a.global_store), text_of(b.global_store));
  } else {
    EXPECT_LT(a.global_load.bytes + a.global_store.bytes,
              b.global_load.bytes + b.global_store.bytes);
    EXPECT_LE(a.global_load.count, b.global_load.count);
    EXPECT_LE(a.global_store.count, b.global_store.count);
  }
  if (how != What::vector) {
    EXPECT_EQ(text_of(a.shared_load), text_of(b.shared_load));
  } else {  // one request for each block
    EXPECT_EQ(a.shared_load.bytes, b.shared_load.bytes);
    EXPECT_EQ(a.shared_load.requests + blocks, b.shared_load.requests);
  }
  EXPECT_EQ(text_of(a.shared_store), text_of(b.shared_store));
  EXPECT_EQ(a.atomics, b.atomics);
  EXPECT_EQ(a.barriers, b.barriers);
}

INSTANTIATE_TEST_SUITE_P(, RungsAsPtx, testing::ValuesIn(rungs_with_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
