#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "onefold/system/jit/nvrtc.hpp"

namespace ONEFOLD_FILE {

using onefold::jit::Nvrtc;

#define SKIP_WITHOUT_NVRTC()                                               \
  if (!Nvrtc::get().usable()) {                                            \
    GTEST_SKIP() << "NVRTC was not found: " << Nvrtc::get().library().why; \
  }

TEST(Nvrtc, CompilesEveryAccumulatorWithoutSystemHeaders) {
  SKIP_WITHOUT_NVRTC();
  const std::string source = R"(
    #include "onefold/generated/op.inl"
    using namespace onefold;
    template <class A> __device__ void lift(long* w, const typename A::Element* x) {
      const auto add = [w](int k, long v) { w[k] += v; };
      if constexpr (Small<A>) {
        typename A::State s;
        A::lift(s, *x, 0);
        w[0] = s.key;
      } else if constexpr (TwoInputs<A>) {
        A::lift(add, x[0], x[1], 0);
      } else {
        A::lift(add, x[0], 0);
      }
    }
    extern "C" __global__ void all(long* w, const double* x, const unsigned char* y) {
    #define ONEFOLD_ENTRY(name)                               \
      lift<accumulator::name<double>>(w, x);                  \
      lift<accumulator::name<unsigned char>>(w, y);
    #include "onefold/generated/accumulator.list"
    #undef ONEFOLD_ENTRY
    })";
  const auto result = Nvrtc::get().compile(source, "sm_90");
  EXPECT_FALSE(result.image.empty()) << result.log;
}

TEST(Nvrtc, SaysWhatIsWrongWithASource) {
  SKIP_WITHOUT_NVRTC();
  const auto result = Nvrtc::get().compile("int f( {", "sm_90");
  EXPECT_TRUE(result.image.empty());
  EXPECT_NE(result.log.find("error"), std::string::npos) << result.log;
}

TEST(Loaded, NamesWhatItTriedAndWhyItFailed) {
  const std::string names[] = {"libonefold_is_not_there.so.1", "libonefold_neither.so"};
  const auto loaded = onefold::jit::load(names);
  EXPECT_FALSE(loaded);
  EXPECT_EQ(loaded.tried, std::vector<std::string>(std::begin(names), std::end(names)));
  EXPECT_NE(loaded.why.find("libonefold_neither.so"), std::string::npos) << loaded.why;
}

TEST(Nvrtc, IsLookedForInTheVirtualEnvironmentThatIsActive) {
  namespace fs = std::filesystem;
  const fs::path home = fs::temp_directory_path() / "onefold_test_nvrtc";
  const fs::path folder = home / "lib/python3.12/site-packages/nvidia/cu13/lib";
  fs::create_directories(folder);
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("VIRTUAL_ENV", home.c_str(), 1);
  const std::string without = Nvrtc::asked_for();
  std::ofstream(folder / "libnvrtc.so.13");
  const std::string with = Nvrtc::asked_for();
  if (before != nullptr) {
    ::setenv("VIRTUAL_ENV", kept.c_str(), 1);
  } else {
    ::unsetenv("VIRTUAL_ENV");
  }
  fs::remove_all(home);
  if (std::getenv("ONEFOLD_NVRTC") != nullptr) GTEST_SKIP() << "ONEFOLD_NVRTC names another";
  EXPECT_EQ(with, without + (folder / "libnvrtc.so.13").string() + "\n");
}

}  // namespace ONEFOLD_FILE
