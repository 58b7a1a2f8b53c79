// Each puzzle is wrong as given, and its solution is right.
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel.hpp"
#include "lab/puzzle.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const std::string solved = ONEFOLD_SOURCE_DIR "/tests/lab/solved/";

class Puzzles : public testing::TestWithParam<const Puzzle*> {};

TEST_P(Puzzles, AreWrongAsGivenAndRightAsSolved) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Puzzle& p = *GetParam();
  ASSERT_FALSE(p.text.empty());
  const Scratch given(p.text, ".cu");
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    unsigned wrong = 0;
    for (const PuzzleTry& t : check_puzzle(p, given.path, seed).tries) wrong += !t.wrong.empty();
    EXPECT_GT(wrong, 0u);
    for (const PuzzleTry& t : check_puzzle(p, solved + p.name + ".cu", seed).tries) {
      EXPECT_EQ(t.wrong, "") << "n " << t.n << " seed " << seed;
    }
  }
  EXPECT_EQ(p.hints.size(), 3u);
}

std::vector<const Puzzle*> each() {
  std::vector<const Puzzle*> list;
  for (const Puzzle& p : puzzles()) list.push_back(&p);
  return list;
}
INSTANTIATE_TEST_SUITE_P(, Puzzles, testing::ValuesIn(each()),
                         [](const auto& i) { return i.param->name; });

// Judges the kernel `text` as a solution of a puzzle: the error at the first wrong length.
std::string judged(const char* puzzle, const std::string& text, uint64_t seed = 3) {
  const Scratch file(text, ".cu");
  for (const PuzzleTry& t : check_puzzle(find_puzzle(puzzle), file.path, seed).tries) {
    if (!t.wrong.empty()) return t.wrong;
  }
  return "";
}

TEST(Puzzle, IsNotSolvedByALaneThatAddsItsWarpsElementsAlone) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string head =
      "__global__ void solve(const int* x, int* y, int n) {\n  __shared__ __align__(16) int "
      "s[256];\n"
      "  int t = threadIdx.x, i = blockIdx.x * 256 + t, v = 0;\n  s[t] = i < n ? x[i] : 0;\n"
      "  __syncwarp();\n  if (t % 32) return;\n";
  for (const char* loop : {"  for (int k = 0; k < 32; ++k) v += s[t + k];\n",
                           "  for (int k = 0; k < 8; ++k) {\n    int4 q = ((int4*)(s + t))[k];\n"
                           "    v += q.x + q.y + q.z + q.w;\n  }\n"}) {
    EXPECT_NE(
        judged("lockstep", head + loop + "  y[i / 32] = v;\n}\n").find("at most twice the average"),
        std::string::npos);
  }
}

TEST(Puzzle, LengthsAndElementsFollowFromTheSeed) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string file = solved + "guard.cu";
  const auto lengths = [&](uint64_t seed) {
    std::vector<Size> n;
    for (const PuzzleTry& t : check_puzzle(find_puzzle("guard"), file, seed).tries) {
      n.push_back(t.n);
    }
    return n;
  };
  EXPECT_EQ(lengths(1), lengths(1));
  EXPECT_NE(lengths(1), lengths(2));
}

TEST(Puzzle, IsNotSolvedByOneThread) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string serial =
      "__global__ void solve(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x != 0) return;\n  int v = 0;\n"
      "  for (int i = blockIdx.x * SIZE; i < n && i < (int)(blockIdx.x + 1) * SIZE; ++i) v += "
      "x[i];\n"
      "  ANSWER;\n}\n";
  const std::string by_block = "#define ANSWER y[blockIdx.x] = v\n" + serial;
  for (const char* puzzle : {"sum", "banks", "divergence", "shuffle"}) {
    EXPECT_NE(judged(puzzle, "#define SIZE 256\n" + by_block), "") << puzzle;
  }
  EXPECT_NE(judged("coalesce", "#define SIZE 2048\n" + by_block), "");
  EXPECT_NE(judged("atomic", "#define SIZE 256\n#define ANSWER atomicAdd(y, v)\n" + serial), "");
}

TEST(Puzzle, TakesALoopOverTheGridHoweverItIsCompiled) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  for (const char* unroll : {"1", "4", "8"}) {
    const std::string text =
        std::string("#define ROUNDS _Pragma(\"unroll ") + unroll +
        "\")\n__global__ void solve(const int* x, int* y, int n) {\n"
        "  __shared__ int s[256];\n  int t = threadIdx.x, v = 0;\n"
        "  int end = min(n, (int)(blockIdx.x + 1) * 2048);\n  ROUNDS\n"
        "  for (int i = blockIdx.x * 2048 + t; i < end; i += 256) v += x[i];\n"
        "  s[t] = v;\n  __syncthreads();\n  for (int h = 128; h > 0; h /= 2) {\n"
        "    if (t < h) s[t] += s[t + h];\n    __syncthreads();\n  }\n"
        "  if (t == 0) y[blockIdx.x] = s[0];\n}\n";
    for (uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_EQ(judged("coalesce", text, seed), "") << unroll;
  }
}

// One instruction adds a warp's values, so the busiest thread does less than in our solutions.
TEST(Puzzle, TakesBetterSolutionsThanOurs) {
  if (compilers().empty() || compilers().front() != "nvrtc") GTEST_SKIP() << "NVRTC is not here";
  const std::string sum =
      "__global__ void solve(const int* x, int* y, int n) {\n"
      "  __shared__ int s[8];\n  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n"
      "  int v = __reduce_add_sync(~0u, i < n ? x[i] : 0);\n  if (t % 32 == 0) s[t / 32] = v;\n"
      "  __syncthreads();\n  if (t >= 32) return;\n"
      "  v = __reduce_add_sync(~0u, t < 8 ? s[t] : 0);\n";
  EXPECT_EQ(judged("atomic", sum + "  if (t == 0) atomicAdd(y, v);\n}\n"), "");
  EXPECT_EQ(judged("shuffle", sum + "  if (t == 0) y[blockIdx.x] = v;\n}\n"), "");
  std::string dot = sum + "  if (t == 0) y[blockIdx.x] = v;\n}\n";
  dot.replace(dot.find("const int* x"), 12, "const int* a, const int* b");
  dot.replace(dot.find("x[i]"), 4, "a[i] * b[i]");
  EXPECT_EQ(judged("dot", dot), "");
  EXPECT_EQ(judged("scan",
                   "__global__ void solve(const int* x, int* y, int n) {\n"
                   "  __shared__ int s[8];\n  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n"
                   "  int v = i < n ? x[i] : 0;\n  for (int h = 1; h < 32; h *= 2) {\n"
                   "    int w = __shfl_up_sync(~0u, v, h);\n    if (t % 32 >= h) v += w;\n  }\n"
                   "  if (t % 32 == 31) s[t / 32] = v;\n  __syncthreads();\n"
                   "  for (int w = 0; w < t / 32; ++w) v += s[w];\n  if (i < n) y[i] = v;\n}\n"),
            "");
  // One pass that keeps the maximum and the sum to it, by one warp a row.
  EXPECT_EQ(
      judged("softmax",
             "__global__ void solve(const float* x, float* y, int n) {\n"
             "  x += blockIdx.x * n, y += blockIdx.x * n;\n  int t = threadIdx.x;\n"
             "  if (t >= 32) return;\n  float m = 0, v = 0;\n"
             "  for (int i = t; i < n; i += 32) {\n    float l = fmaxf(m, x[i]);\n"
             "    v = v * expf(m - l) + expf(x[i] - l), m = l;\n  }\n"
             "  for (int h = 16; h > 0; h /= 2) {\n"
             "    float n2 = __shfl_xor_sync(~0u, m, h), w = __shfl_xor_sync(~0u, v, h);\n"
             "    float l = fmaxf(m, n2);\n    v = v * expf(m - l) + w * expf(n2 - l), m = l;\n"
             "  }\n  for (int i = t; i < n; i += 32) y[i] = expf(x[i] - m) / v;\n}\n"),
      "");
}

TEST(Puzzle, RefusesWhatAnOptimiserHides) {
  if (compilers().empty() || compilers().front() != "nvrtc") GTEST_SKIP() << "NVRTC is not here";
  const std::string head =
      "__global__ void solve(const int* x, int* y, int n) {\n  int i = threadIdx.x;\n";
  EXPECT_NE(judged("guard", head + "  int v = x[i] + 10;\n  if (i < n) y[i] = v;\n}\n")
                .find("is out of bounds, and is read by thread"),
            std::string::npos);
  EXPECT_NE(judged("guard", head + "  int p[8] = {}, v = 10;\n"
                                   "  for (int k = 0; k <= 8; ++k) v += p[k];\n"
                                   "  if (i < n) y[i] = x[i] + v;\n}\n"),
            "");
}

TEST(Puzzle, RefusesOneBlockForAllAndAConstantForTheMaximum) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  EXPECT_NE(judged("blocks",
                   "__global__ void solve(const int* x, int* y, int n) {\n"
                   "  if (blockIdx.x > 0) return;\n"
                   "  for (int i = threadIdx.x; i < n; i += 256) y[i] = x[i] + 10;\n}\n")
                .find("one thread executes"),
            std::string::npos);
  std::string softmax = find_puzzle("softmax").text;
  for (auto at = softmax.find("expf(x[i])"); at != softmax.npos; at = softmax.find("expf(x[i])")) {
    softmax.replace(at, 10, "expf(x[i] - 255)");
  }
  for (uint64_t seed = 1; seed < 6; ++seed) {
    EXPECT_NE(judged("softmax", softmax, seed).find("nan"), std::string::npos) << seed;
  }
}

// The page draws it: for few elements those of x from which each of y follows.
TEST(Puzzle, NamesALoopThatDoesNotEnd) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string wrong = judged("map",
                                   "__global__ void solve(const int* x, int* y) {\n"
                                   "  int i = threadIdx.x;\n"
                                   "  while (i >= 0) y[i] = x[i] + 10;\n}\n");
  EXPECT_NE(wrong.find("100000000 steps is used up: thread "), std::string::npos) << wrong;
  EXPECT_NE(wrong.find(".cu:3, which does not end or takes too many steps"), std::string::npos);
  EXPECT_EQ(wrong.find("--budget"), std::string::npos) << wrong;
}

TEST(Puzzle, TellsADivisionByZero) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const Scratch file(
      "__global__ void solve(const int* x, int* y) {\n  int i = threadIdx.x;\n"
      "  y[i] = x[i] + 10 + (x[i] % (i - 40)) * 0;\n}\n",
      ".cu");
  const PuzzleVerdict v = check_puzzle(find_puzzle("map"), file.path, 3);
  EXPECT_EQ(v.tries.back().wrong, "") << "fewer than 32 elements";
  EXPECT_NE(v.tries[0].wrong.find(":3: divides by zero"), std::string::npos) << v.tries[0].wrong;
  EXPECT_TRUE(v.tries[0].fix.starts_with("guard the division (if (d != 0) ...)"));
}

TEST(Puzzle, HasAPictureOfTheWantedResult) {
  const auto json = [](const char* name) {
    std::string text = to_json(find_puzzle(name));
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  EXPECT_NE(json("guard").find(R"("picture":{"inputs":["x"],"x":6,"y":6,"block":8,"threads":8,)"
                               R"("reads":[[0],[1],[2],[3],[4],[5]]})"),
            std::string::npos);
  EXPECT_NE(json("transpose").find(R"("reads":[[0],[3],[6],[1],[4],[7],[2],[5],[8]])"),
            std::string::npos);
  EXPECT_NE(json("sum").find(R"("reads":[[0,1,2,3],[4,5,6,7],[8,9]])"), std::string::npos);
  for (const Puzzle& p : puzzles()) {
    EXPECT_NE(json(p.name.c_str()).find("\"reads\":[["), std::string::npos) << p.name;
  }
}

TEST(Puzzle, SaysWhichElementIsNotWrittenAndWhatIsWanted) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  const std::string head =
      "#include <cstdio>\n__global__ void solve(const int* x, int* y, int n) {\n"
      "  int i = threadIdx.x;\n";
  EXPECT_TRUE(judged("guard", head + "  if (i < n - 1) y[i] = x[i] + 10;\n}\n")
                  .starts_with("y[895] is never written and should be "));
  EXPECT_EQ(judged("softmax", find_puzzle("softmax").text).find("e-7"), std::string::npos);
  const Scratch file(head + "  printf(\"%d\\n\", i);\n  y[i] = x[i] + 10;\n}\n", ".cu");
  const PuzzleTry t = check_puzzle(find_puzzle("guard"), file.path, 3).tries[1];
  EXPECT_TRUE(t.fix.starts_with("guard the access")) << t.wrong;
  EXPECT_TRUE(t.printed.starts_with("0\n1\n")) << t.printed;
  const Scratch endless(head + "  while (i >= 0) y[i] = x[i] + 10;\n}\n", ".cu");
  EXPECT_EQ(check_puzzle(find_puzzle("guard"), endless.path, 3).tries.size(), 1u);
  EXPECT_TRUE(find_puzzle("blocks").text.ends_with(
      "// Launched as solve<<<(n+255)/256, 256>>>(x, y, n).\n"));
}

// Each file of tricks/ evades the task of a puzzle. Its first line: the puzzle and the message.
TEST(Puzzle, IsNotSolvedByATrick) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  unsigned tricks = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(ONEFOLD_SOURCE_DIR "/tests/lab/tricks")) {
    const std::string text = content_of(file.path());
    const auto colon = text.find(": "), end = text.find('\n');
    const std::string said = judged(text.substr(3, colon - 3).c_str(), text);
    EXPECT_NE(said.find(text.substr(colon + 2, end - colon - 2)), std::string::npos)
        << file.path() << ": " << said;
    ++tricks;
  }
  EXPECT_EQ(tricks, 17u);
}

TEST(Puzzle, IsNotSolvedWithAWrongMask) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  std::string text = content_of(solved + "shuffle.cu");
  const auto at = text.find("~0u");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_EQ(judged("shuffle", text), "");
  text.replace(at, 3, "0xffffu");
  EXPECT_NE(judged("shuffle", text).find("bad_mask"), std::string::npos);
}

TEST(Puzzle, BeginWithATenOfAPathAndNameOneAnother) {
  ASSERT_EQ(puzzles().size(), 18u);
  for (std::size_t k = 0; k < 18; ++k) EXPECT_EQ(puzzles()[k].fact("number"), k + 1);
  try {
    find_puzzle("chess");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("choose one of map, zip, guard, blocks, shared"),
              std::string::npos);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
