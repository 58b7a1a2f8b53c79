// Arguments of users' kernels: structs by their members, elements from files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernel.hpp"
#include "lab/kernel_page.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// For struct { const int* x; int n; short last; int* y; }: y[0] = s.n + s.x[1], y[1] = s.last
const std::string of_struct =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .align 8 .b8 s[24])\n{\n.reg .b16 %h<2>;\n.reg .b32 %r<9>;\n"
    ".reg .b64 %rd<9>;\nld.param.u64 %rd1, [s];\nld.param.u32 %r1, [s+8];\n"
    "ld.param.s16 %r2, [s+12];\nld.param.u64 %rd2, [s+16];\nld.global.u32 %r3, [%rd1+4];\n"
    "add.u32 %r4, %r1, %r3;\nst.global.u32 [%rd2], %r4;\nst.global.u32 [%rd2+4], %r2;\nret;\n}\n";

std::string refused(const std::string& args) {
  const Scratch file(of_struct, ".ptx");
  try {
    run_kernel(options(file.path, "k<<<1, 1>>>(s)", "x:i32[4]=iota, y:i32[2], " + args));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    return e.what();
  }
  return "no error";
}

TEST(KernelArguments, OfAStructAreItsMembers) {
  const Scratch file(of_struct, ".ptx");
  const KernelResult r = run_kernel(
      options(file.path, "k<<<1, 1>>>(s)", "x:i32[4]=iota, y:i32[2], s={x, i32:40, i16:-3, y}"));
  EXPECT_TRUE(r.clean());
  EXPECT_EQ(element(r, "y", 0), 41);
  EXPECT_EQ(element(r, "y", 1), -3);
  // Spelt out in a launch, with an array as a member.
  const KernelResult again = run_kernel(
      options(file.path, "k<<<1, 1>>>({x, i32:7, i16[2]:[5, 6], y})", "x:i32[4]=iota, y:i32[2]"));
  EXPECT_EQ(element(again, "y", 0), 8);
  EXPECT_EQ(element(again, "y", 1), 5);
}

// A struct of 4 bytes must not be filled from a number.
TEST(KernelArguments, OfASmallStructAreItsMembersToo) {
  std::string text = kernel("ld.param.f32 %f1, [s]; st.global.f32 [%rd1], %f1;");
  text.insert(text.find("p)") + 1, ", .param .align 4 .b8 s[8]");
  const Scratch file(text, ".ptx");
  const auto run = [&](const std::string& s) {
    return run_kernel(
        options(file.path, "k<<<1, 1>>>(y, " + s + ")", "y:f32[1], s={f32:2, i32:5}"));
  };
  EXPECT_EQ(element_text(run("s").arguments[0], 0), "2");
  try {
    run("3");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "lab run: parameter 2 of k is a struct of 8 bytes; pass its members, as in {in, "
                 "i32:5}");
  }
}

TEST(KernelArguments, OfAStructThatDoNotFitAreNamed) {
  EXPECT_NE(refused("s={x, i32:40}").find("has 16 bytes, but parameter 1 of k has 24"),
            std::string::npos);
  EXPECT_NE(refused("s={x, 40, y}").find("\"40\" is not an array; write a number with its type"),
            std::string::npos);
  EXPECT_NE(refused("s={x, i32:40").find("lacks its closing }"), std::string::npos);
  EXPECT_NE(refused("s=5").find("is a struct of 24 bytes; pass its members"), std::string::npos);
  EXPECT_NE(refused("s={x, i32:five, y}").find("five"), std::string::npos);
}

TEST(KernelArguments, ComeFromAFileAsTheyAre) {
  const int64_t values[] = {(int64_t{1} << 60) + 1, -5};
  const Scratch file(std::string(reinterpret_cast<const char*>(values), sizeof values), ".raw");
  const auto a = kernel_arguments("x:i64[2]=@" + file.path, 1);
  EXPECT_EQ(element_text(a[0], 0), "1152921504606846977");
  EXPECT_EQ(element_text(a[0], 1), "-5");
  EXPECT_EQ(kernel_arguments("x:i64[2]=[1152921504606846977, -5]", 1)[0].data, a[0].data);
  EXPECT_THROW(kernel_arguments("x:i64[3]=@" + file.path, 1), Error);
  EXPECT_THROW(kernel_arguments("x:i64[1]=@/nothing/here", 1), Error);
}

// The page shows the run's data: its requests, step by step, add up to the counters.
TEST(KernelPage, ShowsARunStepByStep) {
  KernelOptions o = options(texts + "reduce0.ptx", "reduce0<<<4, 64, 256>>>(in, out, n)",
                            "in:i32[256]=iota, out:i32[4], n=256");
  o.film = true;
  const KernelResult r = run_kernel(o);
  ASSERT_NE(r.film, nullptr);
  ASSERT_EQ(r.film->recordings.size(), 1u);
  const auto j = nlohmann::json::parse(kernel_page_data(r, *r.film));
  EXPECT_EQ(j["experiment"], "run");
  const auto& rung = j["rungs"][0];
  EXPECT_EQ(rung["title"], "reduce0");
  EXPECT_EQ(rung["idea"], "reduce0 in 4 blocks of 64 threads");
  EXPECT_EQ(rung["recordings"][0]["contents"]["in"][255], 255);
  EXPECT_TRUE(rung["recordings"][0]["correct"]);
  EXPECT_EQ(rung["counters"]["sm_90"]["global_load"][0], r.report.counters.global_load.requests);
  EXPECT_EQ(rung["counters"].size(), 4u);
  uint64_t loads = 0, wavefronts = 0;
  for (const Moment& m : r.film->recordings[0].moments) {
    if (m.act != Act::load) continue;
    (r.film->recordings[0].spaces[m.space].shared ? wavefronts : loads) += m.cost[3];
  }
  EXPECT_EQ(loads, r.report.counters.global_load.count);
  EXPECT_EQ(wavefronts, r.report.counters.shared_load.count);
}

TEST(KernelPage, ShowsFlawsAndFloats) {
  const Scratch file(kernel("mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                            "add.s64 %rd2, %rd1, %rd2;\nld.global.f32 %f1, [%rd2];\n"
                            "add.f32 %f1, %f1, 0f3F000000;\nst.global.f32 [%rd1], %f1;"),
                     ".ptx");
  KernelOptions o = options(file.path, "k<<<1, 32>>>(y)", "y:f32[32]=iota");
  o.film = true;
  const KernelResult r = run_kernel(o);
  EXPECT_EQ(kinds(r), Kinds{"race"});
  ASSERT_EQ(r.film->recordings.size(), 2u);
  const auto j = nlohmann::json::parse(kernel_page_data(r, *r.film));
  const auto& first = j["rungs"][0]["recordings"][0];
  EXPECT_FALSE(first["correct"]);
  EXPECT_EQ(first["flaws"][0]["kind"], "race");
  bool half = false;
  for (const Moment& m : r.film->recordings[0].moments) {
    if (m.act == Act::store) half = half || (!m.reals.empty() && m.reals.back() == 31.5);
  }
  EXPECT_TRUE(half);
}

TEST(KernelArguments, HoldWhatIsWrittenOrAreRefused) {
  const auto element = [](const std::string& text) {
    return element_text(kernel_arguments("v:" + text, 1)[0], 1);
  };
  EXPECT_EQ(element("i64[2]=9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(element("u64[2]=18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(element("i8[2]=-128"), "-128");
  EXPECT_EQ(element("i32[2]=1e3"), "1000");
  EXPECT_EQ(element("u8[2]=[1, 255]"), "255");
  EXPECT_EQ(element("f32[2]=0.5"), "0.5");
  EXPECT_EQ(element("u8[300]=iota"), "1");
  // C's names.
  EXPECT_EQ(element("unsigned char[2]=255"), "255");
  EXPECT_EQ(element("float[2]=0.5"), "0.5");
  EXPECT_EQ(element("long long[2]=-4294967297"), "-4294967297");
  EXPECT_EQ(refused("v:float4[2]=1"),
            "lab run: v has an unknown type: \"float4\"; choose one of i8, i16, i32, i64, "
            "u8, u16, u32, "
            "u64, f16, bf16, f32, f64, bool, or a C name such as float");
  for (const char* text : {"i8[2]=128", "u8[2]=-1", "i32[2]=nan", "i32[2]=3.7", "i32[2]=3000000000",
                           "i16[2]=[1, 1e10]"}) {
    const std::string said = refused(std::string("v:") + text);
    EXPECT_NE(said.find("does not fit"), std::string::npos) << text << ": " << said;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
