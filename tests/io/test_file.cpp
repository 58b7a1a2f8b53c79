// Errors of a file itself, before and while it is read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "io/files.hpp"
#include "onefold/io/file.hpp"
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

TEST(File, ThatIsWrittenToWhileItIsReadIsAnError) {
  const Scratch folder;
  const std::string data = zeros(1 << 18);
  const auto path = folder.write("x.npy", data);
  const auto long_ago = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, long_ago);
  EXPECT_EQ(error_meanwhile(path, [&] { folder.write("x.npy", data); }),
            "read_failed: read " + path +
                ": the file was written to while it was read; let its writer finish first");
}

// Passes of one call share its options.
TEST(File, OfALaterPassIsThatOfTheFirst) {
  const Scratch folder;
  for (const bool text : {false, true}) {
    const std::string data = text ? "a,b\n1,2\n3,4\n" : zeros(100);
    const auto path = folder.write(text ? "x.csv" : "x.npy", data);
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
    io::InputOptions call, next;
    call.guess = next.guess = true;
    EXPECT_EQ(error_for(path, call), "");
    EXPECT_EQ(error_for(path, call), "");
    std::filesystem::rename(folder.write("new", data), path);
    EXPECT_EQ(error_for(path, call),
              "read_failed: read " + path +
                  ": another file replaced it while it was read; let its writer finish first");
    EXPECT_EQ(error_for(path, next), "");
  }
}

// Libraries of containers open a file by its name, once more.
TEST(File, ThatALibraryOpensIsTheSame) {
  const Scratch folder;
  const auto path = folder.write("x.parquet", "any");
  const io::File file(path);
  file.check_name();
  std::filesystem::rename(folder.write("new", "any"), path);
  EXPECT_EQ(test::error_of([&] { file.check_name(); }),
            "read_failed: read " + path +
                ": another file replaced it while it was read; let its writer finish first");
}

TEST(File, OfAChunkInALaterPassIsThatOfTheFirst) {
  const Scratch folder;
  const std::string path = folder.path("a.zarr"), chunk = path + "/0";
  std::filesystem::create_directory(path);
  folder.write("a.zarr/.zarray",
               R"({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "|u1", "order": "C",
                   "compressor": null, "fill_value": 0, "filters": null})");
  folder.write("a.zarr/0", "\1\2");
  const io::InputOptions call, next;
  EXPECT_EQ(error_for(path, call), "");
  folder.write("a.zarr/new", "\3\4");
  std::filesystem::rename(path + "/new", chunk);
  EXPECT_EQ(error_for(path, call),
            "read_failed: read " + path + ": " + chunk +
                ": it was written to while it was read; let its writer finish first");
  EXPECT_EQ(error_for(path, next), "");
  folder.write("a.zarr/1", "\5\6");  // there was no such chunk
  EXPECT_TRUE(error_for(path, next).starts_with("read_failed: "));
}

TEST(Slices, WithoutElementsNameTheFirstAndTheLastDate) {
  const Scratch folder;
  const auto array = [&](const std::string& name, const std::string& attributes) {
    std::filesystem::create_directories(folder.path("a.zarr/" + name));
    folder.write("a.zarr/" + name + "/.zarray",
                 R"({"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "order": "C",
                     "compressor": null, "fill_value": 0, "filters": null})");
    folder.write("a.zarr/" + name + "/.zattrs", attributes);
    folder.write("a.zarr/" + name + "/0", "\1\2\4");
  };
  array("x", R"({"_ARRAY_DIMENSIONS": ["time"]})");
  array("time", R"({"_ARRAY_DIMENSIONS": ["time"], "units": "days since 2000-02-26 12:00:00.5"})");
  folder.write("a.zarr/.zgroup", R"({"zarr_format": 2})");
  EXPECT_NE(error_for(folder.path("a.zarr:/x[time=2001]"), {})
                .find("no coordinate of axis time is 2001; the coordinates go from 2000-02-27 to "
                      "2000-03-01"),
            std::string::npos)
      << error_for(folder.path("a.zarr:/x[time=2001]"), {});
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
