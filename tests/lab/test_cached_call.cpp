// What compilers have made is taken from the cache only if making it again would give the same.
#include "lab/ptx/cached_call.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "lab/kernel_verdict.hpp"
#include "onefold/system/temporary.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

namespace fs = std::filesystem;

// A folder as the cache, and one with the user's files, which are older than any call.
class CachedCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* own = std::getenv("ONEFOLD_CACHE")) before_ = own;
    ::setenv("ONEFOLD_CACHE", cache().c_str(), 1);
    write("k.cu", "");
  }
  void TearDown() override {
    before_ ? ::setenv("ONEFOLD_CACHE", before_->c_str(), 1) : ::unsetenv("ONEFOLD_CACHE");
  }
  std::string cache() const { return folder_.path() + "/cache"; }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) {
    folder_.put(name.c_str(), text);
    fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::hours(++age_));
  }
  // Returns the kept files with the times when they were written.
  std::map<std::string, fs::file_time_type> kept() const {
    std::map<std::string, fs::file_time_type> all;
    std::error_code none;
    for (const auto& f : fs::directory_iterator(cache(), none)) all[f.path()] = f.last_write_time();
    return all;
  }
  // Returns the PTX of a text, and whether a compiler has made it now.
  std::pair<std::string, bool> compile(const std::string& text) const {
    const auto old = kept();
    const std::string ptx = ptx::compile({.file = path("k.cu"), .text = text}).ptx;
    return {ptx, kept() != old};
  }
  // Returns what a program prints, and how many results were made now.
  std::pair<std::string, std::size_t> run() const {
    const auto old = kept();
    KernelOptions o;
    o.file = path("main.cu");
    testing::internal::CaptureStdout();
    const KernelResult r = run_main(o, {});
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(verdict_of(r), Verdict::clean) << why(r);
    std::size_t made = 0;
    for (const auto& [file, time] : kept()) made += !old.contains(file) || old.at(file) != time;
    return {printed, made};
  }

 private:
  system::TemporaryFolder folder_;
  std::optional<std::string> before_;
  int age_ = 0;
};

const std::string with_header = "#include \"value.h\"\n__global__ void k(int* x) { *x = VALUE; }\n";

TEST_F(CachedCalls, CompileNothingAgainThatIsUnchanged) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  write("value.h", "#define VALUE 12345\n");
  const auto first = compile(with_header);
  EXPECT_TRUE(first.second);
  EXPECT_NE(first.first.find("12345"), std::string::npos);
  const auto again = compile(with_header);
  EXPECT_FALSE(again.second);
  EXPECT_EQ(again.first, first.first);
}

TEST_F(CachedCalls, CompileAChangedTextOrOptionOrHeader) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  write("value.h", "#include \"deep/value.h\"\n");
  write("deep/value.h", "#define VALUE 11111\n");
  EXPECT_NE(compile(with_header).first.find("11111"), std::string::npos);
  write("deep/value.h", "#define VALUE 22222\n");
  EXPECT_NE(compile(with_header).first.find("22222"), std::string::npos);
  EXPECT_FALSE(compile(with_header).second);
  EXPECT_TRUE(compile(with_header + "// edited\n").second);
  EXPECT_TRUE(compile(with_header).second);  // one result a slot
  const auto old = kept();
  ptx::compile({.file = path("k.cu"), .text = with_header, .arch = "90"});
  EXPECT_NE(kept(), old);
}

// Texts from stdin have one name.
TEST_F(CachedCalls, KeepEachTextThatIsInNoFile) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  fs::remove(path("k.cu"));
  const std::string one = "__global__ void k(int* x) { *x = 1; }\n",
                    two = "__global__ void k(int* x) { *x = 2; }\n";
  EXPECT_TRUE(compile(one).second);
  EXPECT_TRUE(compile(two).second);
  EXPECT_FALSE(compile(one).second);
}

TEST_F(CachedCalls, SeeAHeaderThatWasMissing) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  const std::string text =
      "#if __has_include(\"value.h\")\n#include \"value.h\"\n#else\n#define VALUE 33333\n#endif\n"
      "__global__ void k(int* x) { *x = VALUE; }\n";
  EXPECT_NE(compile(text).first.find("33333"), std::string::npos);
  EXPECT_FALSE(compile(text).second);
  write("value.h", "#define VALUE 44444\n");
  EXPECT_NE(compile(text).first.find("44444"), std::string::npos);
}

TEST_F(CachedCalls, KeepNothingThatTheyAreNotSureOf) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  write("value.h", "#define VALUE 1\n");
  EXPECT_FALSE(
      compile("#define H \"value.h\"\n#include H\n__global__ void k(int* x) { *x = VALUE; }\n")
          .second);
  // A file of the same moment may have been written after it was read.
  fs::last_write_time(path("value.h"), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(compile(with_header).second);
}

TEST_F(CachedCalls, BelieveNoDamagedFile) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  write("value.h", "#define VALUE 12345\n");
  const std::string ptx = compile(with_header).first;
  // Beside it there may be headers that this process has compiled.
  const auto all = kept();
  const auto found = std::ranges::find_if(
      all, [](const auto& f) { return content_of(f.first).find("12345") != std::string::npos; });
  ASSERT_NE(found, all.end());
  const std::string file = found->first;
  const std::string whole = content_of(file);
  for (const std::size_t size : {whole.size() / 2, whole.size() - 1}) {
    fs::resize_file(file, size);
    EXPECT_EQ(compile(with_header), std::pair(ptx, true));
  }
  std::string damaged = whole;
  damaged.replace(damaged.rfind("12345"), 5, "54321");
  std::ofstream(file, std::ios::binary) << damaged;
  EXPECT_EQ(compile(with_header), std::pair(ptx, true));
  EXPECT_FALSE(compile(with_header).second);
}

TEST_F(CachedCalls, NeedNoFolder) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler of kernels";
  write("value.h", "#define VALUE 12345\n");
  const std::string ptx = compile(with_header).first;
  for (const char* folder : {"", "/proc/onefold", "/dev/null/onefold"}) {
    ::setenv("ONEFOLD_CACHE", folder, 1);
    EXPECT_EQ(compile(with_header).first, ptx) << folder;
  }
}

std::string program(const std::string& body, const std::string& more) {
  return "#include <cstdio>\n#include \"value.h\"\n__global__ void k(int* x) {\n" + body +
         "}\nint main() {\n  int h, *d;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n"
         "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  printf(\"%d %d\\n\", h, VALUE);\n" +
         more + "}\n";
}

// The first run makes the host's headers in compiled form, the library of main() and the PTX.
TEST_F(CachedCalls, CompileTheHostsPartOnlyIfItChanges) {
  NEEDS_CLANG();
  using Run = std::pair<std::string, std::size_t>;
  write("value.h", "#define VALUE 7\n");
  write("main.cu", program("  *x = 1;\n", ""));
  EXPECT_EQ(run().first, "1 7\n");
  EXPECT_EQ(run(), Run("1 7\n", 0));
  const auto old = kept();
  write("main.cu", program("  *x = 1 + 1;  // edited\n", ""));
  EXPECT_EQ(run().first, "2 7\n");
  const auto host = std::max_element(old.begin(), old.end(), [](const auto& a, const auto& b) {
    return fs::file_size(a.first) < fs::file_size(b.first);
  });
  std::size_t same = 0;
  for (const auto& [file, time] : old) same += kept().at(file) == time;
  EXPECT_GE(same, 2u);  // the headers and the library
  write("main.cu", program("  *x = 2;\n", "  printf(\"more\\n\");\n"));
  EXPECT_EQ(run().first, "2 7\nmore\n");
  write("value.h", "#define VALUE 8\n");
  EXPECT_EQ(run().first, "2 8\nmore\n");
  EXPECT_EQ(run().second, 0u);
  // A damaged file of headers, the largest one, is made again.
  fs::resize_file(host->first, fs::file_size(host->first) / 2);
  write("main.cu", program("  *x = 3;\n", "  printf(\"less\\n\");\n"));
  EXPECT_EQ(run().first, "3 8\nless\n");
  EXPECT_NE(kept().at(host->first), old.at(host->first));
}

TEST(CachedCallsOfTexts, LeaveTheHostsPartOfAnEditedKernelAlone) {
  const auto left = [](const std::string& text) { return ptx::without_device_code(text); };
  EXPECT_EQ(
      left("template <class T>\n__global__ void k(T* x) {\n  *x = 1;\n}\nint f() { return 1; }\n"),
      "template <class T>\n__global__ void k(T* x) {\n\n}\nint f() { return 1; }\n");
  EXPECT_EQ(left("__device__ int f(int a = (1)) { return \"}\"[0]; }"),
            "__device__ int f(int a = (1)) {}");
  EXPECT_EQ(left("__global__ void k() {\n#pragma unroll\n  for (;;) {}\n}\n"),
            "__global__ void k() {\n\n\n}\n");
  EXPECT_EQ(left("struct S {\n  int a;\n  __device__ S() : a(1) { a = 2; }\n  int f() { return a; "
                 "}\n};\n"),
            "struct S {\n  int a;\n  __device__ S() : a(1) {}\n  int f() { return a; }\n};\n");
  EXPECT_EQ(left("__global__ void k() {\n#if A\n  if (1) {}\n#else\n#endif\n}\n"),
            "__global__ void k() {\n\n\n\n\n}\n");
  // What the host uses too, or may be something else, stays.
  for (const char* text :
       {"__host__ __device__ int f() { return 1; }", "__device__ constexpr int f() { return 1; }",
        "__device__ auto f() { return 1; }", "__device__ int t[sizeof(int)] = {1, 2};",
        "struct S { int a[2] = {1, 2}; };", "int main() { return 1; }",
        "__global__ void k(int a) {\n#if 0\n}\n#endif\n}\n",
        "#if A\n__global__ void k(int a) {\n#else\n__global__ void k() {\n#endif\n  f();\n}\n",
        "__global__ void k() {\n#define N 3\n}\n",
        "const char* s = R\"(__global__ void k() { 1; })\";"}) {
    EXPECT_EQ(left(text), text);
  }
}

// An error of main() is that of the user's line, also with headers in compiled form.
TEST(CachedCallsOfTexts, NameTheLineOfAnError) {
  NEEDS_CLANG();
  try {
    run_text("__global__ void k() {\n}\nint main() {\n  return x;\n}\n");
    ADD_FAILURE();
  } catch (const ptx::DoesNotCompile& e) {
    EXPECT_NE(std::string(e.what()).find(".cu:4:10: error: use of undeclared identifier 'x'"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
