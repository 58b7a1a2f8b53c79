// The verb kernels. What it makes is used in driver/test_shipped.cpp.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "jit/cuda.hpp"
#include "jit/nvrtc.hpp"

namespace onefold::test {
namespace {

using nlohmann::json;

TEST(KernelsVerb, CompilesWhatIsNotThereYet) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  const Folder folder;
  const std::vector<std::string> words = {
      "kernels",          "max",    "min",       "--dtype", "u8", "--chip", "sm_90", "--into",
      folder.path("k/k"), "--json", "--threads", "2"};
  const Ran first = run_program(words);
  EXPECT_EQ(first.error, "");
  const json made = json::parse(first.out);
  EXPECT_EQ(made["made"], 4);
  EXPECT_EQ(made["there"], 0);
  EXPECT_GT(made["bytes"], 4000);
  const json again = json::parse(run_program(words).out);
  EXPECT_EQ(again["made"], 0);
  EXPECT_EQ(again["there"], 4);
  const auto info = json::parse(
      run_program({"info", "--json"},
                  {.environment = {"ONEFOLD_KERNELS=" + folder.path("k/k"), "ONEFOLD_CACHE="}})
          .out);
  EXPECT_EQ(info["shipped_kernels"]["files"], 4);
  EXPECT_EQ(info["shipped_kernels"]["folder"], folder.path("k/k"));
  EXPECT_EQ(info["shipped_kernels"]["used"], true);
  EXPECT_TRUE(info["kernel_cache"].is_null());
}

TEST(KernelsVerb, SaysWhatIsWrong) {
  const Folder folder;
  const std::string into = folder.path("k"), nothing = "ONEFOLD_NVRTC=/nowhere";
  const auto error = [&](std::vector<std::string> words, int status) {
    words.insert(words.begin(), "kernels");
    const Ran ran = run_program(words, {.environment = {nothing}});
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.status, status) << ran.error;
    return ran.error;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error({"sum"}, 2), "onefold kernels --into DIR");
  if (!jit::Driver::get().usable()) {
    has(error({"sum", "--into", into}, 7), "say which: --chip sm_90");
  }
  has(error({"sum", "--into", into, "--chip", "sm_70"}, 2), "choose some of sm_80, ");
  has(error({"sum", "--into", into, "--chip", "sm_90", "--dtype", "f32,f99"}, 2), "\"f99\"");
  has(error({"meen", "--into", into, "--chip", "sm_90"}, 3), "did you mean mean?");
  has(error({"sum", "--into", into, "--chip", "sm_90"}, 7), "/nowhere: cannot open");
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

}  // namespace
}  // namespace onefold::test
