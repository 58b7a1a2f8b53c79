// Drivers that were updated, and drivers without a device.
#include <filesystem>

#include "cli/program.hpp"
#include "driver/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

int fold_some() {
  const std::vector<double> x(1000, 0.25);
  return fold("sum", x, {.device = cuda()}).get<double>("sum") == 250 ? 0 : 1;
}
// Compares an error's message; returns its code as a child's exit status.
int refusal(const std::string& expected) {
  try {
    fold_some();
  } catch (const Error& e) {
    if (std::string(e.what()).find(expected) == std::string::npos) {
      std::fprintf(stderr, "%s\n", e.what());
      return 1;
    }
    return static_cast<int>(e.code());
  }
  return 0;
}

TEST(SimulatedDriver, ThatDoesNotStartIsNamed) {
  EXPECT_EQ(in_a_child([] {
              control().init = 803;
              return refusal("cuInit: as the test wants it (CUDA error 803)");
            }),
            static_cast<int>(ErrorCode::no_backend));
  EXPECT_EQ(in_a_child([] {
              control().devices = 0;
              return refusal(
                  "the driver found no device; check the output of nvidia-smi, and "
                  "$CUDA_VISIBLE_DEVICES");
            }),
            static_cast<int>(ErrorCode::no_backend));
}

TEST(SimulatedDriver, IsRefusedInAChildOfAProcessThatUsedIt) {
  ASSERT_EQ(fold_some(), 0);
  EXPECT_EQ(in_a_child([] { return refusal("was forked from one that already used CUDA"); }),
            static_cast<int>(ErrorCode::no_backend));
  EXPECT_EQ(in_a_child([] {
              return fold("sum", std::vector<double>(1000, 0.25)).get<double>("sum") == 250 ? 0 : 1;
            }),
            0);
}

TEST(SimulatedDriver, OfAnotherVersionGetsKernelsOfItsOwn) {
  const Folder folder;
  const std::string cache = folder.path("cache");
  ::setenv("ONEFOLD_CACHE", cache.c_str(), 1);
  const auto with_version = [](int version, bool refuse) {
    return in_a_child([&] {
      control().version = version;
      control().refuse_images = refuse;
      return fold_some();
    });
  };
  const auto kept = [&] {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(cache)) ++n;
    return n;
  };
  EXPECT_EQ(with_version(13000, false), 0);
  EXPECT_EQ(kept(), 1);
  EXPECT_EQ(with_version(13000, false), 0);
  EXPECT_EQ(kept(), 1);
  EXPECT_EQ(with_version(12080, false), 0);
  EXPECT_EQ(kept(), 2);
  // An image that this driver refuses is compiled again.
  EXPECT_EQ(with_version(12080, true), 0);
  EXPECT_EQ(kept(), 2);
  ::setenv("ONEFOLD_CACHE", "", 1);
}

TEST(SimulatedDriver, FoldsWhateverTheCacheHolds) {
  const Folder folder;
  const std::string cache = folder.path("cache");
  ::setenv("ONEFOLD_CACHE", "/proc/onefold", 1);  // it cannot be made
  EXPECT_EQ(in_a_child(fold_some), 0);
  ::setenv("ONEFOLD_CACHE", cache.c_str(), 1);
  // Several processes start at once, and none finds a compiled kernel.
  std::vector<pid_t> children;
  for (int k = 0; k < 4; ++k) {
    children.push_back(::fork());
    if (children.back() == 0) std::_Exit(fold_some());
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::string kept;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    EXPECT_EQ(kept, "");
    kept = entry.path().string();
  }
  const auto bytes = std::filesystem::file_size(kept);
  for (const std::uintmax_t size : {std::uintmax_t{0}, bytes / 2, bytes + 1}) {
    std::filesystem::resize_file(kept, size);
    EXPECT_EQ(in_a_child(fold_some), 0);
    EXPECT_EQ(std::filesystem::file_size(kept), bytes) << "it was replaced";
  }
  ::setenv("ONEFOLD_CACHE", "", 1);
}

// Loading NVRTC takes longer than a kernel's image.
TEST(SimulatedDriver, LoadsNoCompilerForKernelsOnDisk) {
  const Folder folder;
  const std::string cache = folder.path("cache"), compiler = folder.path("libnvrtc.so.13");
  std::filesystem::copy_file(ONEFOLD_SIMULATED_DRIVER "/libnvrtc.so.13", compiler);
  ::setenv("ONEFOLD_CACHE", cache.c_str(), 1);
  ::setenv("ONEFOLD_NVRTC", compiler.c_str(), 1);
  enum { folded_without = 40, folded_with };
  const auto fold_in_a_child = [&] {
    return in_a_child([&] {
      if (fold_some() != 0) return 1;
      const bool loaded = dlopen(compiler.c_str(), RTLD_NOLOAD | RTLD_NOW) != nullptr;
      return static_cast<int>(loaded ? folded_with : folded_without);
    });
  };
  EXPECT_EQ(fold_in_a_child(), folded_with);
  EXPECT_EQ(fold_in_a_child(), folded_without);
  // Another compiler with the same file name gets its own cache entries.
  std::filesystem::last_write_time(compiler, std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(fold_in_a_child(), folded_with);
  EXPECT_EQ(fold_in_a_child(), folded_without);
  ::setenv("ONEFOLD_CACHE", "", 1);
  ::unsetenv("ONEFOLD_NVRTC");
}

}  // namespace ONEFOLD_FILE
