// The page of a user's kernel in a browser.
#include <gtest/gtest.h>

#include "browser.hpp"
#include "kernel.hpp"
#include "lab/kernel_page.hpp"
#include "lab/page/page.hpp"

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

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
