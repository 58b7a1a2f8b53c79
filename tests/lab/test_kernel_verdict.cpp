// The result of a run: verdict, suppressions, files for CI, and types of arguments.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "kernel.hpp"
#include "lab/kernel_types.hpp"
#include "lab/kernel_verdict.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;

// The example of the CUDA programming guide, which also keeps its first, plain read; line 3 may
// have a comment.
std::string guide(const std::string& comment) {
  return "__device__ long long first[64]; __device__ double add(double* address, double val) {\n"
         "  unsigned long long int* as_ull = (unsigned long long int*)address;\n"
         "  unsigned long long int old = first[threadIdx.x] = *as_ull, assumed;" +
         comment +
         "\n  do {\n    assumed = old;\n"
         "    old = atomicCAS(as_ull, assumed,\n"
         "                    __double_as_longlong(val + __longlong_as_double(assumed)));\n"
         "  } while (assumed != old);\n  return __longlong_as_double(old);\n}\n"
         "__global__ void k(const float* x, double* y) { add(y, x[threadIdx.x]); }\n";
}

KernelResult run_text(const std::string& text, const std::string& args,
                      const std::vector<std::string>& expect = {}, uint64_t budget = 50'000'000,
                      const std::string& allowed = "") {
  const Scratch file(text, ".cu");
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  KernelOptions o = options(file.path, "k<<<1, 64>>>()", args);
  o.launches[0].arguments.clear();
  o.expect = expect;
  o.budget = budget;
  if (!allowed.empty()) {
    const Scratch list("# kinds, places, reasons\n\nrace " + name + ":" + allowed + "\n", ".txt");
    o.allowed = suppressions_of_file(list.path);
  }
  return run_kernel(o);
}

const std::string guide_args = "x:f32[64]=ones, y:f64[1]=zeros";

TEST(KernelVerdict, SetsFlawsExpectationsAndTheBudgetApart) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string right = "__global__ void k(int* y) { y[threadIdx.x] = 1; }\n";
  EXPECT_EQ(verdict_of(run_text(right, "y:i32[64]", {"y[0]==1"})), Verdict::clean);
  const KernelResult unmet = run_text(right, "y:i32[64]", {"y[0]==1", "sum(y)==65"});
  EXPECT_EQ(verdict_of(unmet), Verdict::expectation);
  EXPECT_EQ(why(unmet), "sum(y)==65 does not hold: it is 64");
  EXPECT_EQ(verdict_of(run_text(right, "y:i32[32]", {"y[0]==2"})), Verdict::flaw);
  const std::string endless =
      "__global__ void k(int* y) {\n  for (int i = 0; y[0] != -1; ++i) y[threadIdx.x] = 1;\n}\n";
  const KernelResult spent =
      run_text("__global__ void k(volatile int* y) { while (true) y[threadIdx.x] = 1; }\n",
               "y:i32[64]", {"y[0]==2"}, 10000);
  EXPECT_EQ(verdict_of(spent), Verdict::budget);
  EXPECT_NE(why(spent).find("the budget of 10000 steps (--budget) is used up"), std::string::npos);
  EXPECT_EQ(verdict_of(run_text(endless, "y:i32[32]=zeros", {}, 10000)), Verdict::flaw);
  const std::string trap = "__global__ void k(int* y) { y[threadIdx.x] = 1; __trap(); }\n";
  EXPECT_EQ(verdict_of(run_text(trap, "y:i32[64]")), Verdict::flaw);
  EXPECT_THROW(run_text("__global__ void k(int* y) { y[0] = z; }\n", "y:i32[1]"),
               ptx::DoesNotCompile);
}

TEST(KernelVerdict, AllowsTheRaceOfTheGuidesAtomicAddWithAReason) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(verdict_of(run_text(guide(""), guide_args)), Verdict::flaw);
  for (const bool in_source : {true, false}) {
    const KernelResult r =
        run_text(guide(in_source ? "  // onefold allow race: the compare rejects it" : ""),
                 guide_args, {"y[0]==64"}, 50'000'000, in_source ? "" : "3 the compare rejects it");
    EXPECT_EQ(verdict_of(r), Verdict::clean);
    ASSERT_FALSE(r.suppressed.empty());
    EXPECT_EQ(r.suppressed[0].reason, "the compare rejects it");
    EXPECT_NE(to_table(r).find("allowed     race: y[0] is "), std::string::npos) << to_table(r);
    const json j = json::parse(to_json(r));
    EXPECT_EQ(j["verdict"], "clean");
    EXPECT_EQ(j["flaws"], json::array());
    EXPECT_EQ(j["suppressed"][0]["reason"], "the compare rejects it");
    const json sarif = json::parse(to_sarif(r))["runs"][0]["results"][0];
    EXPECT_EQ(sarif["suppressions"][0]["kind"], in_source ? "inSource" : "external");
  }
}

TEST(KernelVerdict, ASuppressionCoversItsKindAndLineAlone) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const KernelResult other =
      run_text(guide("  // onefold allow misaligned: not this kind"), guide_args);
  EXPECT_EQ(verdict_of(other), Verdict::flaw);
  ASSERT_EQ(other.unused.size(), 1u);
  EXPECT_NE(to_table(other).find("the suppression of misaligned at "), std::string::npos);
  EXPECT_EQ(verdict_of(run_text(guide(""), guide_args, {}, 50'000'000, "2 another line")),
            Verdict::flaw);
  const auto next = suppressions_of_source("a/k.cu", "\n  // onefold allow race: why\n  x = 1;\n");
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].line, 3u);
  EXPECT_EQ(next[0].file, "k.cu");
}

TEST(KernelVerdict, RefusesASuppressionWithoutAReasonOrOfNoKind) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      suppressions_of_source("k.cu", text);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(
      said("// onefold allow race\n"),
      "lab run: k.cu:1: the reason is missing; write it as in: // onefold allow race: REASON");
  EXPECT_TRUE(
      said("// onefold allow races: why\n")
          .starts_with("lab run: k.cu:1: \"races\" is not a kind of flaw; choose one of race, "
                       "barrier_not_reached, "));
  const Scratch list("race k.cu why\n", ".txt");
  EXPECT_THROW(suppressions_of_file(list.path), Error);
}

TEST(KernelVerdict, SaysOfATrapThatItIsTheFlawThatEndedTheRun) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (const auto& [statement, what] : std::vector<std::pair<std::string, std::string>>{
           {"if (threadIdx.x == 3) __trap();", "the kernel executed trap (block 0, thread 3)"},
           {"assert(threadIdx.x != 3);",
            "assertion `threadIdx.x != 3' fails (block 0, thread 3)"}}) {
    const KernelResult r = run_text(
        "#include <cassert>\n__global__ void k(int* y) {\n  " + statement + "\n}\n", "y:i32[64]");
    EXPECT_EQ(verdict_of(r), Verdict::flaw);
    const std::string file = r.file.substr(r.file.rfind('/') + 1);
    const std::string text = "given_up: " + file + ":3: " + what;
    std::string table = to_table(r);
    table.erase(std::remove(table.begin(), table.end(), '\n'), table.end());
    table = std::regex_replace(table, std::regex(" +"), " ");
    EXPECT_NE(table.find("flaw " + text), std::string::npos) << table;
    EXPECT_EQ(table.find("flaws none"), std::string::npos) << table;
    const json j = json::parse(to_json(r));
    ASSERT_EQ(j["flaws"].size(), 1u);
    EXPECT_EQ(j["flaws"][0]["kind"], "given_up");
    EXPECT_EQ(j["flaws"][0]["text"], text);
    EXPECT_EQ(j["flaws"][0]["line"], 3);
    const json place = json::parse(to_sarif(r))["runs"][0]["results"][0]["locations"][0];
    EXPECT_EQ(place["physicalLocation"]["region"]["startLine"], 3);
  }
}

TEST(KernelVerdict, WritesSarifAndJunit) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const KernelResult r = run_text("__global__ void k(int* y) {\n  y[threadIdx.x + 1] = 1;\n}\n",
                                  "y:i32[64]=zeros", {"y[0]==0", "y[1]<1"});
  const json j = json::parse(to_sarif(r));
  EXPECT_EQ(j["version"], "2.1.0");
  const json& results = j["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["ruleId"], "out_of_bounds");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_EQ(results[1]["message"]["text"], "y[1]<1 does not hold: it is 1");
  EXPECT_EQ(j["runs"][0]["tool"]["driver"]["rules"],
            json::parse(R"([{"id": "expectation"}, {"id": "out_of_bounds"}])"));
  const std::string junit = to_junit(r);
  EXPECT_NE(junit.find("tests=\"4\" failures=\"2\""), std::string::npos) << junit;
  EXPECT_NE(junit.find("name=\"has no flaw\"><failure message=\"out_of_bounds: "),
            std::string::npos);
  EXPECT_NE(junit.find("name=\"y[1]&lt;1\"><failure message=\"it is 1\"/>"), std::string::npos);
  KernelResult refused;
  refused.file = "a/k.cu";
  refused.does_not_compile = "k.cu(7): error: identifier \"z\" is undefined";
  const json one = json::parse(to_sarif(refused))["runs"][0]["results"][0];
  EXPECT_EQ(one["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_NE(to_junit(refused).find("&quot;z&quot; is undefined"), std::string::npos);
}

TEST(KernelVerdict, StatusesAreThoseOfTheDocument) {
  const std::string page = content_of(ONEFOLD_SOURCE_DIR "/docs/lab-ci.md");
  for (const Verdict v :
       {Verdict::flaw, Verdict::expectation, Verdict::does_not_compile, Verdict::budget}) {
    const std::string row =
        "| " + std::to_string(static_cast<int>(v)) + " | `" + name_of(v) + "` | ";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

std::string type_error(const std::string& parameters, const std::string& args) {
  const Scratch file("struct S { int a; };\n__global__ void k(" + parameters + ") {}\n", ".cu");
  KernelOptions o = options(file.path, "k<<<1, 1>>>()", args);
  o.launches[0].arguments.clear();
  try {
    run_kernel(o);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::type_mismatch);
    return e.what();
  }
  return "";
}

TEST(KernelTypes, AnArgumentHasTheTypeOfItsParameter) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_EQ(type_error("const float* x", "x:f64[8]=ones"),
            "lab run: x is f64[8], and parameter 1 of k is const float*; give f32");
  EXPECT_EQ(type_error("int* y, int n", "y:i32[8], n:f32=5"),
            "lab run: n is f32, and parameter 2 of k is int; give i32");
  EXPECT_NE(type_error("float4* x", "x:i32[8]=ones"), "");
  EXPECT_NE(type_error("int* x", "x:i64[8]=ones"), "");
  EXPECT_NE(type_error("long long n", "n:i32=1"), "");
  for (const auto& [parameters, args] : std::vector<std::pair<std::string, std::string>>{
           {"unsigned* x", "x:i32[8]"},
           {"const float4* x", "x:f32[8]=ones"},
           {"void* x, char* y, S* z", "x:f64[8], y:i32[8], z:f32[8]"},
           {"long n, unsigned long long m, bool b", "n:i64=1, m:u64=2, b=1"},
           {"double* const __restrict__ x, volatile int* y", "x:f64[8], y:i32[8]"}}) {
    EXPECT_EQ(type_error(parameters, args), "");
  }
}

TEST(KernelTypes, ComeFromTheMangledName) {
  using Types = std::vector<std::string>;
  EXPECT_EQ(parameter_types("_Z7reduce6IiLj512EEvPT_S1_j"),
            (Types{"int*", "int*", "unsigned int"}));
  EXPECT_EQ(parameter_types("_Z1kv"), Types{});
  EXPECT_EQ(parameter_types("_Z1k1AIifE"), Types{"A<int, float>"});
  EXPECT_EQ(parameter_types("k"), Types{});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
