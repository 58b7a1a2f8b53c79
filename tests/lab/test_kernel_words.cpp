// Every kind of instruction as compilers make it: the kernels of tests/lab/kernel, compiled by each
// compiler of this machine.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const std::string folder = ONEFOLD_SOURCE_DIR "/tests/lab/kernel/";

// Returns the compilers of this machine, each with and without optimisation.
std::vector<std::pair<std::string, bool>> ways() {
  std::vector<std::pair<std::string, bool>> all;
  for (const std::string& compiler : compilers()) {
    all.emplace_back(compiler, false);
    all.emplace_back(compiler, true);
  }
  return all;
}

struct Words {
  const char* file;
  const char* launch;
  const char* args;
  std::vector<std::string> expect;
  bool needs_toolkit = false;  // it includes CUDA's headers; NVRTC compiles it if these need more
                               // than clang has
  const char* only = "";
  std::vector<std::string> flaws{};
  const char* failure = "";
  bool cooperative = false;
  const char* arch = "80";
};

void PrintTo(const Words& w, std::ostream* out) { *out << w.file << ' ' << w.launch; }

class KernelWords : public testing::TestWithParam<Words> {};

TEST_P(KernelWords, GiveWhatTheyShould) {
  const Words& w = GetParam();
  unsigned ran = 0;
  for (const auto& [compiler, as_written] : ways()) {
    if (*w.only != '\0' && compiler != w.only) continue;
    SCOPED_TRACE(compiler + (as_written ? ", as written" : ""));
    KernelOptions o = options(folder + w.file, w.launch, w.args);
    o.compiler = compiler;
    o.as_written = as_written;
    o.arch = w.arch;
    o.cooperative = w.cooperative;
    o.expect = w.expect;
    try {
      const KernelResult r = run_kernel(o);
      ++ran;
      EXPECT_EQ(kinds(r), w.flaws);
      for (const KernelExpectation& e : r.expectations) {
        EXPECT_TRUE(e.holds) << e.text << " is " << e.found;
      }
      EXPECT_NE(r.failure.find(w.failure), std::string::npos) << r.failure;
      if (*w.failure == '\0') {
        EXPECT_EQ(r.failure, "");
      }
    } catch (const Error& e) {
      const bool no_header = std::string(e.what()).find("file not found") != std::string::npos ||
                             std::string(e.what()).find("cannot open source") != std::string::npos;
      if (!w.needs_toolkit || !no_header) ADD_FAILURE() << e.what();
    }
  }
  if (ran == 0) GTEST_SKIP() << "no compiler, or no header of a toolkit, is here";
}

// Returns expressions about the values of consecutive elements.
std::vector<std::string> holds(const char* array, const std::vector<const char*>& values,
                               const char* relation = "==") {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (*values[k] == '\0') continue;
    all.push_back(std::string(array) + "[" + std::to_string(k) + "]" + relation + values[k]);
  }
  return all;
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Integers were computed by Python, floats by the host's library.
INSTANTIATE_TEST_SUITE_P(
    , KernelWords,
    testing::Values(
        Words{"integer.cu", "k<<<1, 32>>>(y, u, l, v, -123456789, 4321)",
              "y:i32[24], u:u32[4], l:i64[8], v:u64[3]",
              holds("y", {"-28571",     "-1498",      "-15432099",  "-987654312", "17",
                          "0",          "1",          "-682875617", "-125",       "283194091",
                          "-123456789", "4321",       "123456789",  "123461115",  "-123461105",
                          "553212",     "-226529141", "-61726234",  "-61726234",  "1454",
                          "-404085",    "13270",      "-26792",     "-52"}) +
                  holds("u", {"4196", "965403", "3", "1895584281"}) +
                  holds("l", {"-533456785269", "-245425999178047", "-662088", "-1663765306688", "0",
                              "46", "1", "-3382486084662329345"}) +
                  holds("v", {"2975873114816", "4238413181185722", "683751006"})},
        Words{"float.cu", "k<<<1, 32>>>(y, d, q, 2.6, 0.5, 1.7)",
              "y:f32[52], d:f64[16], q:i32[12]=0",
              holds("y", {"5.2",       "1.6124516",  "0.6201737",
                          "5.2",       "2.3",        "3.1",
                          "1.3",       "1.6124514",  "2",
                          "0.5155014", "-0.8568888", "-0.6015966",
                          "1.6487213", "0.9555114",  "1.6124516",
                          "0.4794255", "1.6487213",  "0.9555114",
                          "1.6124516", "0.4621172",  "0.5204999",
                          "2",         "3",          "3",
                          "2",         "3",          "0.1",
                          "0.5",       "2.6",        "2.6",
                          "-2.6",      "1",          "1.3750688",
                          "1.4142135", "1.3785116",  "0.4149733",
                          "2.6476405", "1.3808088",  "20.8",
                          "0.3574118", "",           "2.8301943",
                          "0.4795001", "0.5463025",  "0.5235988",
                          "1.0471976", "1.2036224",  "0.5210953",
                          "3",         "1.7",        "1152921504606846976",
                          "4294967040"},
                    "~=") +
                  holds("d",
                        {"0.5666666666666667", "1.3038404810405297", "0.9916648104524686",
                         "5.473947391727199", "0.5306282510621704", "3.7680989902071307", "3.89",
                         "1.7", "0.7669649888473704", "1", "0.3", "0.9086387328532903",
                         "0.9837904585907746", "1.193483191927337", "0.935409070603099",
                         "0.7044940642422177"},
                        "~=") +
                  holds("q", {"", "3", "2", "1", "1076258406", "1", "1", "1", "2", "1073427251",
                              "1", "2"})},
        Words{"half.cu", "k<<<1, 32>>>(y, x)", "y:f32[40], x:f32[3]=[1.5, 2.25, 1.0001]",
              holds("y",
                    {"3.75",
                     "3.375",
                     "0.66650390625",
                     "4.875",
                     "1",
                     "1.224609375",
                     "9.484375",
                     "-1.5",
                     "2.25",
                     "2.25",
                     "3",
                     "10.125",
                     "9",
                     "1",
                     "2",
                     "0",
                     "1",
                     "2",
                     "0.99755859375",
                     "0.81103515625",
                     "3.75",
                     "3.375",
                     "4.875",
                     "0.66796875",
                     "1",
                     "9.5",
                     "2.25",
                     "12",
                     "24.75",
                     "1",
                     "1.0009765625",
                     "1",
                     "7",
                     "",
                     "0.66650390625",
                     "0.4443359375",
                     "0",
                     "0.07073974609375",
                     "4.7578125",
                     "0.97802734375"},
                    "~="),
              true},
        Words{"half.cu",
              "at<<<1, 32>>>(h, p, b)",
              "h:f16[2]=0, p:f16[2]=0, b:bf16[2]=0",
              {"h[0]==32", "p[0]==32", "p[1]==64", "b[0]==32"},
              true,
              "nvrtc",
              {},
              "",
              false,
              "90"},
        Words{"warp.cu",
              "k<<<1, 32>>>(y, u)",
              "y:i32[160]=0, u:u32[96]=0",
              {"y[0]==26", "y[31]==175", "y[32]==116", "y[63]==116", "y[95]==31", "y[96]==2",
               "y[128]==0", "y[129]==1", "u[0]==2863311501", "u[64]==1023", "u[74]==0"}},
        Words{"memory.cu",
              "k<<<1, 32, 128>>>(y, x, f, v, s, bytes, sh, d2)",
              "y:i32[224]=0, x:i32[32]=iota, f:f32[128]=iota, v:i32[32]=iota, "
              "s={i32:5, f64:2.5, i8:1}, bytes:i8[32]=iota, sh:i16[32]=iota, d2:f64[64]=iota",
              {"sum(f)==8096", "sum(v)==560", "sum(bytes)==528", "sum(sh)==992", "sum(d2)==3040",
               "y[0]==32", "y[1]==169", "y[31]==147", "y[32]==8", "y[65]==5", "y[96]==3",
               "y[128]==4", "y[160]==5", "y[192]==7"}},
        Words{
            "atomic.cu", "k<<<1, 32>>>(i, u, l, f, d, h)",
            "i:i32[12]=0, u:u32[5]=0, l:u64[5]=0, f:f32[2]=0, d:f64[1]=0, h:u16[2]=0",
            holds("i", {"496", "-496", "-31", "31", "0", "-1", "0", "9", "32", "32", "32", "496"}) +
                holds("u", {"10", "1", "32", "0", "31"}) +
                holds("l", {"274877906944", "34084860461056", "5", "8", "0"}) +
                std::vector<std::string>{"f[0]==16", "f[1]==2", "d[0]==8", "h[0]==7"}},
        Words{"control.cu",
              "k<<<1, 32>>>(y, 5)",
              "y:i32[128]=0",
              {"y[0]==21", "y[1]==24", "y[31]==114", "y[32]==0", "y[33]==8", "y[64]==5",
               "y[70]==-1"}},
        Words{"control.cu", "bad<<<1, 32>>>(y)", "y:i32[32]=0", {}, false, "", {}, "assertion `"},
        Words{"control.cu",
              "tr<<<1, 32>>>(y)",
              "y:i32[32]=0",
              {},
              false,
              "",
              {},
              "the kernel executed trap"},
        Words{"control.cu", "tk<7><<<1, 1>>>(y)", "y:i32[1]=0", {"y[0]==7"}},
        Words{"copy.cu",
              "k<<<1, 32>>>(x, y)",
              "x:i32[256]=iota, y:i32[256]=0",
              {"y[0]==124", "y[1]==125", "y[127]==3", "y[128]==252", "y[129]==253", "y[130]==0",
               "y[131]==0", "y[255]==0"},
              true},
        Words{"grid.cu",
              "tiles<<<1, 64>>>(x, y)",
              "x:i32[64]=iota, y:i32[64]=0",
              {"y[0]==6", "y[3]==6", "y[63]==246"},
              true,
              "nvrtc"},
        Words{"grid.cu",
              "whole<<<4, 32>>>(y)",
              "y:i32[128]=0",
              {"y[0]==1", "y[31]==63", "y[126]==253", "y[127]==127"},
              true,
              "nvrtc",
              {},
              "",
              true},
        Words{"acquire.cu",
              "released<<<2, 32>>>(d, f, o)",
              "d:i32[1]=0, f:i32[1]=0, o:i32[1]=0",
              {"o[0]==42"}},
        Words{"acquire.cu",
              "relaxed<<<2, 32>>>(d, f, o)",
              "d:i32[1]=0, f:i32[1]=0, o:i32[1]=0",
              {},
              false,
              "",
              {"race"}},
        Words{"acquire.cu",
              "of_a_block<<<2, 32>>>(d, f, o)",
              "d:i32[1]=0, f:i32[1]=0, o:i32[1]=0",
              {},
              false,
              "",
              {"race"}}));

// Tensor cores, clusters, memory barriers at which several threads arrive, and copies out of shared
// memory are not supported: the message names each with its line, and nothing runs.
TEST(KernelRun, RefusesWhatIsNotKnownByNameAndLine) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "NVRTC is not here";
  const std::string text = content_of(folder + "refused.cu");
  const std::pair<const char*, const char*> all[] = {
      {"MBARRIER", ":6, line "}, {"BULK", ":8, line "},      {"MMA", ":12, line "},
      {"CLUSTER", ":15, line "}, {"LDMATRIX", ":18, line "}, {"PROXY", ":21, line "}};
  const std::string names[] = {"mbarrier.init",   "cp.async.bulk", "mma.sync",
                               "barrier.cluster", "ldmatrix.sync", "fence.proxy"};
  for (std::size_t k = 0; k < std::size(all); ++k) {
    const Scratch file("#define " + std::string(all[k].first) + "\n#line 1\n" + text, ".cu");
    KernelOptions o = options(file.path, "k<<<1, 32>>>(y)", "y:i32[1]");
    o.compiler = "nvrtc";
    o.arch = "90";
    try {
      run_kernel(o);
      ADD_FAILURE() << all[k].first;
    } catch (const Error& e) {
      const std::string said = e.what();
      EXPECT_EQ(e.code(), ErrorCode::unsupported);
      EXPECT_NE(said.find(all[k].second), said.npos) << said;
      EXPECT_NE(said.find("instruction " + names[k]), said.npos) << said;
      EXPECT_NE(said.find("is not supported"), said.npos) << said;
      EXPECT_EQ(said.find('\n'), said.npos) << said;
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
