// Errors of a file itself, before and while it is read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "io/files.hpp"
#include "onefold/io/format.hpp"
#include "onefold/system/file_window.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Scratch;

std::string zeros(Size doubles) {
  return test::npy_header(test::npy_dict("<f8", Dims(doubles))) + std::string(doubles * 8, '\0');
}

std::string error_for(const std::string& path, const io::InputOptions& input = {}) {
  return test::error_of([&] { io::fold_files("sum", {path}, input); });
}

TEST(File, ThatCannotBeOpenedIsNamed) {
  const Scratch folder;
  EXPECT_EQ(error_for(folder.path("no.npy")),
            "cannot_open: open " + folder.path("no.npy") + ": No such file or directory");
  EXPECT_EQ(error_for(folder.path(".")),
            "cannot_open: open " + folder.path(".") + ": it is a directory; name a file in it");
  if (::geteuid() != 0) {
    const auto path = folder.write("secret.npy", zeros(1));
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_EQ(error_for(path), "cannot_open: open " + path + ": Permission denied");
  }
}

// Files of /proc and /sys have sizes 0 and 4096, but contain a number.
TEST(File, OfTheKernelIsReadToItsEnd) {
  int read = 0;
  for (const std::string path :
       {"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "/sys/kernel/warn_count",
        "/sys/kernel/profiling", "/proc/sys/kernel/pid_max"}) {
    if (!std::filesystem::exists(path)) continue;
    ++read;
    EXPECT_EQ(error_for(path), "");
  }
  if (read == 0) GTEST_SKIP() << "there is neither /sys nor /proc";
}

TEST(File, FormatIsTheOptionsThenTheExtensionsThenTheMagics) {
  const Scratch folder;
  const auto sum = [](const std::string& path, const io::InputOptions& input = {}) {
    return io::fold_files("count", {path}, input).get<int64_t>("count");
  };
  EXPECT_EQ(sum(folder.write("a.npy", zeros(5))), 5);
  EXPECT_EQ(sum(folder.write("b", zeros(5))), 5);
  EXPECT_EQ(sum(folder.write("c", "1 2")), 2);
  EXPECT_EQ(sum(folder.write("d.CSV", "1,2")), 2);
  EXPECT_EQ(sum(folder.write("e.npy", "1 2 3"), {.format = "text"}), 3);
  EXPECT_EQ(sum(folder.write("f.txt", zeros(5)), {.format = "npy"}), 5);
  EXPECT_EQ(sum(folder.write("g.bin", "12345"), {.dtype = u8}), 5);
  EXPECT_TRUE(error_for(folder.write("h.txt", zeros(5))).starts_with("bad_token"));
  std::string names;
  for (const io::Format* f : io::formats())
    names += std::string(names.empty() ? "" : ", ") + f->name;
  EXPECT_EQ(error_for(folder.path("c"), {.format = "csv"}),
            "bad_option: no format is called \"csv\"; the formats are " + names);
  EXPECT_TRUE(error_for(folder.path("c"), {.shape = Dims(2)}).starts_with("bad_option"));
}

// Folds a file of many windows, and calls `meanwhile` after the first window.
template <class F>
std::string error_meanwhile(const std::string& path, F meanwhile) {
  const io::Limits limits{.window_bytes = 1 << 16, .least_window_bytes = 1 << 12};
  bool first = true;
  return test::error_of([&] {
    io::fold_files(
        {"sum", {.threads = 1}}, {path}, {},
        [&](Size, Size) {
          if (first) meanwhile();
          first = false;
        },
        limits);
  });
}

void check_changes() {
  const Scratch folder;
  const std::string data = zeros(1 << 18);
  const auto path = folder.write("x.npy", data);
  EXPECT_EQ(error_meanwhile(path, [] {}), "");
  EXPECT_TRUE(error_meanwhile(path, [&] {
                std::filesystem::resize_file(path, data.size() + 1);
              }).starts_with("read_failed: read " + path + ": the file went from "));
  folder.write("x.npy", data);
  EXPECT_TRUE(error_meanwhile(path, [&] {
                std::filesystem::resize_file(path, 1 << 19);
              }).starts_with("read_failed: read " + path + ": the file became shorter than its "));
}

TEST(File, ThatChangesItsSizeWhileItIsReadIsAnError) { check_changes(); }

TEST(File, ThatChangesItsSizeWhileItIsMappedIsAnError) {
  system::install_sigbus_guard();
  check_changes();
}

TEST(SigbusGuardDeathTest, LeavesOtherFaultsAlone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer has a handler of its own, which reports and exits";
#endif
  EXPECT_EXIT(
      {
        system::install_sigbus_guard();
        std::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  const Scratch folder;
  const auto path = folder.write("x", std::string(10000, 'x'));
  EXPECT_EXIT(
      {
        system::install_sigbus_guard();
        const int fd = ::open(path.c_str(), O_RDONLY);
        const auto* p =
            static_cast<volatile char*>(::mmap(nullptr, 10000, PROT_READ, MAP_SHARED, fd, 0));
        std::filesystem::resize_file(path, 0);
        std::exit(p[5000]);
      },
      testing::KilledBySignal(SIGBUS), "");
}

TEST(File, ManyMoreThanAProgramMayOpenFoldAsOne) {
  const Scratch folder;
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 250;
  ::setrlimit(RLIMIT_NOFILE, &few);
  std::vector<std::string> npy, text;
  for (int k = 0; k < 300; ++k) {
    npy.push_back(folder.write(std::to_string(k) + ".npy", zeros(3)));
    text.push_back(folder.write(std::to_string(k) + ".txt", "1 2\n3 4\n"));
  }
  EXPECT_EQ(io::fold_files("count", npy, {}).get<int64_t>("count"), 900);
  EXPECT_EQ(io::fold_files("sum", text, {}).get<double>("sum"), 3000);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(File, ThatIsMissingFromARequestIsAnError) {
  EXPECT_TRUE(test::error_of([] { io::fold_files("sum", {}, {}); }).starts_with("bad_option"));
  EXPECT_TRUE(test::error_of([] {
                io::fold_files("sum", {"-", "-"}, {});
              }).starts_with("bad_option"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
