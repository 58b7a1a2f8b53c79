// The program on a simulated device, and with a driver that is too old.
#include "cli/program.hpp"
#include "driver/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold::test;

const Surroundings simulated{
    .environment = {"LD_LIBRARY_PATH=" ONEFOLD_SIMULATED_DRIVER, "ONEFOLD_CACHE="}};

TEST(SimulatedProgram, FoldsOnTheDevice) {
  const Folder folder;
  const std::vector<double> x(1000, 0.25);
  const std::string file = folder.write("x.npy", npy("<f8", "(1000,)", bytes_of_list(x)));
  const Ran ran = run_program({"sum", file, "--device", "cuda"}, simulated);
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.out, "250\n");
  EXPECT_EQ(ran.status, 0);
  const Ran info = run_program({"info"}, simulated);
  EXPECT_NE(info.out.find("driver 13.0, 1 device; NVRTC 13.0"), std::string::npos) << info.out;
}

// Files with any byte order and order of axes, for ops of one array and of two.
TEST(SimulatedProgram, ReadsFilesIntoItsLanes) {
  const Folder folder;
  std::vector<double> x, swapped;
  std::vector<float> y;
  std::vector<int32_t> z;
  for (int i = 0; i < 600; ++i) {
    x.push_back(i * 7919 % 601 - 250.25);
    uint64_t bits = 0;
    std::memcpy(&bits, &x.back(), 8);
    bits = __builtin_bswap64(bits);
    std::memcpy(&swapped.emplace_back(), &bits, 8);
    y.push_back(static_cast<float>(x.back()));
    z.push_back(i * 31 % 500);
  }
  std::string fortran = npy("<f8", "(20, 30)", bytes_of_list(x));
  fortran.replace(fortran.find("False"), 5, "True ");
  folder.write("x.npy", npy("<f8", "(20, 30)", bytes_of_list(x)));
  folder.write("big.npy", npy(">f8", "(20, 30)", bytes_of_list(swapped)));
  folder.write("fortran.npy", fortran);
  folder.write("y.npy", npy("<f4", "(600,)", bytes_of_list(y)));
  folder.write("z.npy", npy("<i4", "(600,)", bytes_of_list(z)));
  folder.write("grid.npy", npy("<i4", "(20, 30)", bytes_of_list(z)));
  for (const std::vector<std::string>& request :
       std::vector<std::vector<std::string>>{{"sum", "x.npy"},
                                             {"var", "big.npy"},
                                             {"sum", "fortran.npy"},
                                             {"sum", "x.npy", "big.npy"},
                                             {"dot", "y.npy", "y.npy"},
                                             {"argmin", "z.npy"},
                                             {"argmin", "grid.npy"},
                                             {"argmin", "z.npy", "z.npy"}}) {
    std::vector<std::string> words = {request[0]};
    for (std::size_t k = 1; k < request.size(); ++k) words.push_back(folder.path(request[k]));
    const Ran here = run_program(words);
    words.insert(words.end(), {"--device", "cuda"});
    const Ran there = run_program(words, simulated);
    EXPECT_EQ(there.error, "");
    EXPECT_EQ(there.out, here.out) << request[0] << " " << request[1];
    EXPECT_EQ(here.status, 0) << here.error;
  }
}

TEST(SimulatedProgram, FoldsFilesOnTheProcessorUnlessAsked) {
  const Folder folder;
  const std::vector<double> x(1000, 0.25);
  const std::string file = folder.write("x.npy", npy("<f8", "(1000,)", bytes_of_list(x)));
  const Ran explained = run_program({"explain", "sum", file}, simulated);
  EXPECT_NE(explained.out.find("cpu"), std::string::npos) << explained.out;
  EXPECT_EQ(run_program({"sum", file}, simulated).out, "250\n");
  const Ran ran = run_program({"sum", file, "--device", "cuda:7"}, simulated);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.error.find("device \"cuda:7\" was requested, but there"), std::string::npos)
      << ran.error;
  EXPECT_EQ(ran.status, 7);
}

TEST(SimulatedProgram, FoldsWhatAMaskTakesOnTheDevice) {
  const Folder folder;
  std::vector<double> x(600);
  std::vector<uint8_t> mask(600);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1 / static_cast<double>(i + 1);
    mask[i] = i % 7 < 3 ? 1 : 0;
  }
  const std::string file = folder.write("x.npy", npy("<f8", "(30, 20)", bytes_of_list(x))),
                    where = folder.write("m.npy", npy("|b1", "(30, 20)", bytes_of_list(mask)));
  for (const char* axis : {"", "0", "1"}) {
    std::vector<std::string> words = {"sum", file, "--where", where};
    if (*axis != 0) words.insert(words.end(), {"--axis", axis});
    const Ran here = run_program(words, simulated);
    words.insert(words.end(), {"--device", "cuda"});
    const Ran ran = run_program(words, simulated);
    EXPECT_EQ(ran.out, here.out) << ran.error;
    EXPECT_EQ(ran.status, 0);
  }
}

TEST(SimulatedProgram, FoldsATableOnTheDevice) {
  const Folder folder;
  const std::string file = folder.write("x.txt", "1 2\n3 4\n5 1e-30\n");
  for (const char* axis : {"0", "1"}) {
    const Ran here = run_program({"sum", "--axis", axis, file}, simulated);
    const Ran ran = run_program({"sum", "--axis", axis, "--device", "cuda", file}, simulated);
    EXPECT_EQ(ran.out, here.out) << ran.error;
    EXPECT_EQ(ran.status, 0);
  }
}

// Pieces of files are merged as states; only arrays in a device's memory are folded by totals.
TEST(SimulatedProgram, ExplainsTheTierOfAFileOnTheDevice) {
  const Folder folder;
  const std::vector<float> x(6000, 0.25F);
  const std::string file = folder.write("x.npy", npy("<f4", "(200, 30)", bytes_of_list(x)));
  std::vector<std::string> words = {"explain", "sum", "--axis", "1", file};
  const std::string here = run_program(words, simulated).out;
  EXPECT_NE(here.find("certificate: a few f64 totals"), std::string::npos) << here;
  words.insert(words.end(), {"--device", "cuda"});
  const std::string there = run_program(words, simulated).out;
  EXPECT_NE(there.find("exact words: an exact state for each answer, accumulated on the device and "
                       "rounded on the host"),
            std::string::npos)
      << there;
}

TEST(SimulatedProgram, NamesWhatAnOldDriverLacks) {
  const Folder folder;
  const std::string file =
      folder.write("x.npy", npy("<f8", "(2,)", bytes_of_list(std::vector<double>(2))));
  const Ran ran =
      run_program({"sum", file, "--device", "cuda"},
                  {.environment = {"LD_LIBRARY_PATH=" ONEFOLD_OLD_DRIVER, "ONEFOLD_CACHE="}});
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.error,
            "onefold: device \"cuda:0\" was requested, but libcuda.so.1 lacks "
            "cuGraphRetainUserObject; the driver is too old; or choose the device cpu\n");
  EXPECT_EQ(ran.status, 7);
}

}  // namespace ONEFOLD_FILE
