// PTX that no compiler would make.
#include <gtest/gtest.h>

#include <random>

#include "kernel.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// A damaged text gives a message or a run, and never a crash.
TEST(KernelRun, SurvivesDamagedTexts) {
  const std::string whole = content_of(texts + "reduce0.ptx");
  ASSERT_FALSE(whole.empty());
  std::mt19937 random(7);
  unsigned ran = 0, refused = 0;
  for (unsigned k = 0; k < 300; ++k) {
    std::string text = whole;
    for (unsigned j = 0; j < 1 + k % 4; ++j) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(32 + random() % 95);
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        default:
          if (k % 8 == 0) text.resize(at);
      }
      if (text.empty()) text = " ";
    }
    const Scratch file(text, ".ptx");
    KernelOptions o = options(file.path, "reduce0<<<2, 64, 256>>>(in, out, n)",
                              "in:i32[128]=iota, out:i32[2], n=128");
    o.budget = 200'000;
    o.schedules = 1;
    try {
      run_kernel(o);
      ++ran;
    } catch (const Error& e) {
      ++refused;
    }
  }
  EXPECT_GT(ran, 20u);
  EXPECT_GT(refused, 20u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
