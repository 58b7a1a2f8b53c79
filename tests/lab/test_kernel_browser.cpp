// The page of a user's kernel in a browser.
#include <gtest/gtest.h>

#include "browser.hpp"
#include "kernel.hpp"
#include "lab/kernel_page.hpp"
#include "lab/page/page.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using test::Browser;

TEST(KernelPageInBrowser, PlaysAKernelOfTheUsers) {
  if (Browser::path().empty()) GTEST_SKIP() << "no Chromium; apt-get install chromium";
  KernelOptions o = options(texts + "reduce0.ptx", "reduce0<<<64, 256, 1024>>>(in, out, n)",
                            "in:i32[16384]=iota, out:i32[64], n=16384");
  o.film = true;
  const KernelResult r = run_kernel(o);
  Browser b;
  b.open(page_html(kernel_page_data(r, *r.film)), 1280, 900);
  EXPECT_EQ(b.evaluate("document.getElementById('top').textContent"), "reduce0");
  EXPECT_EQ(b.evaluate("document.getElementById('ladder').hidden"), true);
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#code tr').length > 20"), true);
  // Steps to the end and back to a load: the page shows what the machine did.
  b.evaluate("for (let k = 0; k < player.replay.steps.length; k += 197) player.go(k)");
  b.evaluate("player.go(0); player.find(k => player.replay.of(k).some(m => m.act === 'load'))");
  // Shared memory has the name that the source gives it.
  EXPECT_NE(b.evaluate("document.getElementById('says').textContent")
                .get<std::string>()
                .find("load in[0..31] in 4 sectors, store sdata[0..31] in 1 wavefront"),
            std::string::npos);
  EXPECT_EQ(b.evaluate("player.replay.array(player.replay.recording.spaces.findIndex("
                       "s => s[0] === 'in'), 0)[300]"),
            300);
  b.press("ArrowRight");
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
  EXPECT_EQ(b.requests, std::vector<std::string>{});
}

TEST(KernelPageInBrowser, HasARowForEachLaunchOfAProgram) {
  NEEDS_CLANG();
  if (Browser::path().empty()) GTEST_SKIP() << "no Chromium; apt-get install chromium";
  const RanMain r = run_text(
      "__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }\n"
      "__global__ void add(int* x, const float* y) { x[threadIdx.x] += y[0]; x[0] = 3; }\n"
      "int main() {\n  int* x;\n  float* y;\n  cudaMalloc(&x, 256);\n  cudaMallocManaged(&y, 4);\n"
      "  y[0] = 1.5;\n  fill<<<1, 64>>>(x);\n  fill<<<1, 64>>>(x);\n  add<<<1, 32>>>(x, y);\n}\n",
      {}, true);
  const auto data = nlohmann::json::parse(r.result.page);
  ASSERT_EQ(data["rungs"].size(), 2u);  // equal launches have one row
  EXPECT_EQ(data["rungs"][0]["flaws"].size(), 0u);
  EXPECT_EQ(data["rungs"][1]["flaws"].size(), 1u);
  EXPECT_EQ(data["rungs"][1]["arguments"], "allocation 1: i32[64], allocation 2: f32[1]");
  EXPECT_EQ(data["rungs"][1]["recordings"][0]["contents"]["allocation 1"][63], 63);
  EXPECT_EQ(data["launches"][1][3], "2");
  EXPECT_EQ(data["texts"].size(), 1u);
  Browser b;
  b.open(page_html(r.result.page), 1280, 900);
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#path-rows tbody tr').length"), 2);
  EXPECT_EQ(b.evaluate("document.getElementById('rung-title').textContent"), "fill");
  b.evaluate("document.querySelectorAll('#path-rows a')[1].click()");
  b.await("document.getElementById('rung-title').textContent", "add");
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#flaw-list li').length"), 1);
  b.press("ArrowRight");
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
  EXPECT_EQ(b.requests, std::vector<std::string>{});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
