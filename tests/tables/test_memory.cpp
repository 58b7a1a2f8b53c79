// Besides its answers, the program uses less than 100 MiB, however large its input is.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "io/files.hpp"

#ifdef ONEFOLD_PROGRAM
namespace onefold {
namespace ONEFOLD_FILE {

// Runs a shell command that calls `onefold`; returns the largest memory of any of its
// processes.
long most_memory(const std::string& command) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string all =
        std::string("onefold() { '") + ONEFOLD_PROGRAM + "' \"$@\"; }; " + command + " > /dev/null";
    ::execl("/bin/sh", "sh", "-c", all.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  EXPECT_EQ(status, 0) << command;
  return used.ru_maxrss / 1024;
}

// A file of 400 MB that is a hole, so it takes no space on the disk.
std::string large_file(const test::Scratch& folder) {
  const std::string path = folder.write("x.raw", "");
  std::filesystem::resize_file(path, 400000000);
  return path;
}

class Memory : public testing::TestWithParam<const char*> {};

TEST_P(Memory, StaysBelow100MiB) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more";
#endif
  const test::Scratch folder;
  std::string command = GetParam();
  if (const auto at = command.find("FILE"); at != std::string::npos) {
    command.replace(at, 4, large_file(folder) + " --dtype f64");
  }
  EXPECT_LT(most_memory(command), 100) << command;
}

INSTANTIATE_TEST_SUITE_P(
    Whole, Memory,
    testing::Values("onefold sum FILE", "onefold sum FILE --threads 1", "onefold describe FILE",
                    "head -c 300000000 /dev/zero | onefold sum - --format raw --dtype f64",
                    "yes 1.25 | head -n 30000000 | onefold sum -",
                    "yes 1.25 | head -n 5000000 | onefold mean --rolling 100000 -",
                    "yes 1.25 | head -n 20000000 | tr '\\n' ' ' | onefold sum -"));
// Groups are in memory more than once where states are gathered, and where they are texts.
TEST(MemoryOfGroups, StaysBelowWhatIsAllowed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more";
#endif
  const std::string table = "(echo k,v; seq 1000000000 1000900000 | sed 's/$/,1/') | onefold ";
  const test::Scratch folder;
  const std::string gather = "gather sum --by k --columns v --state " + folder.path("sums.of");
  for (const std::string& verb :
       {std::string("text nunique --columns k"), std::string("sum --by k --columns v"), gather}) {
    const std::string command = table + verb + " --memory 300MiB -";
    EXPECT_LT(most_memory(command), 300) << command;
    EXPECT_LT(most_memory(table + verb + " --memory 100MiB - || test $? = 50"), 100) << command;
  }
}

// Files that unpack to thousands of times their size, or whose headers promise more than they hold.
INSTANTIATE_TEST_SUITE_P(
    Hostile, Memory,
    testing::Values(
        "yes 1 | head -c 300000000 | gzip -1 | onefold sum -",
        "yes 1 | head -c 300000000 | zstd -q -1 | onefold sum -",
        "yes 1 | head -c 150000000 | xz -0 | onefold sum -",
        "yes 1.$(printf '0%.0s' $(seq 250)) | head -c 150000000 | bzip2 -1 | onefold sum -",
        "tr '\\0' 7 < /dev/zero | head -c 200000000 | gzip -1 | onefold sum - || test $? = 35",
        "(printf 'a,b\\n1,2\\n\"'; tr '\\0' x < /dev/zero | head -c 200000000) | gzip -1 | "
        "onefold sum - || test $? = 35",
        "(printf 'a,b\\n1,2\\n'; yes 1, | tr -d '\\n' | head -c 200000000) | gzip -1 | "
        "onefold sum - || test $? = 35",
        // An .npz of 320 MB of zeros in 300 KB.
        "file=$(mktemp --suffix .npz); python3 -c 'import sys, zipfile\n"
        "head = b\"{\\47descr\\47: \\47<f8\\47, \\47fortran_order\\47: False, "
        "\\47shape\\47: (40000000,)}\".ljust(117) + b\"\\n\"\n"
        "with zipfile.ZipFile(sys.argv[1], \"w\", zipfile.ZIP_DEFLATED) as z:\n"
        " with z.open(\"x.npy\", \"w\") as f:\n"
        "  f.write(b\"\\x93NUMPY\\x01\\x00\\x76\\x00\" + head)\n"
        "  for _ in range(320): f.write(bytes(1000000))\n"
        "' $file && onefold sum $file && rm $file",
        "head -c 16 /dev/zero | onefold sum --axis 1 --format raw --dtype f64 "
        "--shape 3000000000x1 - || test $? = 32",
        "head -c 16 /dev/zero | onefold sum,mean --axis 0 --memory 100MB --format raw --dtype f64 "
        "--shape 1x3000000000 - || test $? -gt 30"));
INSTANTIATE_TEST_SUITE_P(
    Axes, Memory,
    testing::Values("onefold sum FILE --shape 1000x50000 --axis 0",
                    "onefold mean,var,min FILE --shape 1000x50000 --axis 0",
                    "onefold sum FILE --shape 100x500000 --axis 0",
                    "onefold sum FILE --shape 500000x100 --axis 1",
                    "out=$(mktemp --suffix .npy); onefold sum FILE --shape 25000000x2 "
                    "--axis 1 --output $out && rm $out",
                    "out=$(mktemp --suffix .npy); yes 1,2 | head -n 10000000 | "
                    "onefold sum - --axis 1 --output $out && rm $out",
                    "onefold sum FILE --shape 50x500000x2 --axis 1",
                    "yes 1,2,3 | head -n 8000000 | onefold sum - --axis 0",
                    "yes 1 | head -n 20000000 | tr '\\n' ' ' | "
                    "onefold sum,argmax --axis 0 --threads 16 --memory 50MB "
                    "- || test $? = 37",
                    "file=$(mktemp); yes 1 | head -n 20000000 > $file; "
                    "onefold dot --threads 16 $file $file; rm $file"));

}  // namespace ONEFOLD_FILE
}  // namespace onefold
#endif
