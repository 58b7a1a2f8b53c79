// Kernels that the program has compiled beforehand, for a machine without a compiler.
#include <sys/stat.h>

#include <filesystem>

#include "cli/program.hpp"
#include "driver/device.hpp"
#include "gpu/axes.hpp"
#include "onefold/cuda/shipped.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;
namespace fs = std::filesystem;

class Shipped : public testing::Test {
 protected:
  Shipped() {
    ::setenv("ONEFOLD_KERNELS", kernels.c_str(), 1);
    ::setenv("ONEFOLD_NVRTC", "/nowhere/libnvrtc.so", 1);
  }
  ~Shipped() override {
    ::setenv("ONEFOLD_KERNELS", "", 1);
    ::setenv("ONEFOLD_CACHE", "", 1);
    ::unsetenv("ONEFOLD_NVRTC");
  }

  // Runs the program, which compiles kernels.
  Ran ship(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"kernels", "--into", kernels};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, {.environment = {"LD_LIBRARY_PATH=" ONEFOLD_SIMULATED_DRIVER,
                                               "ONEFOLD_NVRTC=libnvrtc.so.13"}});
  }
  Ran ship_sum(const std::string& chip) const {
    return ship({"sum", "--dtype", "f64", "--chip", chip});
  }
  // Calls f(path).
  template <class F>
  void for_each_file(F&& f) const {
    for (const auto& entry : fs::directory_iterator(kernels)) f(entry.path().string());
  }

  const Folder folder;
  const std::string kernels = folder.path("kernels");
};

enum { used = 40, refused };

// Folds n elements in a new process, with an answer on the host and one on the device.
int fold_fresh(std::size_t n = 1000, int chip = 90, int shared_bytes = 227 << 10) {
  return in_a_child([=]() -> int {
    control().chip = chip;
    control().shared_bytes = shared_bytes;
    try {
      jit::Gpu gpu;
      const DeviceBytes x(gpu, 8 * n), out(gpu, 8);
      x.write(std::vector<double>(n, 0.25));
      const ArrayRef ref(x.data(), f64, Dims(n));
      const double expected = 0.25 * static_cast<double>(n);
      const double sum = fold("sum", ref, {.device = cuda()}).get<double>("sum");
      fold_into({out.data(), f64, Dims(1)}, "sum", ref, {.device = cuda()});
      gpu.synchronize_all();
      return sum == expected && out.read<double>(1)[0] == expected ? used : 1;
    } catch (const Error& e) {
      const bool says_why = std::string(e.what()).find("NVRTC") != std::string::npos;
      return e.code() == ErrorCode::no_backend && says_why ? refused : 2;
    }
  });
}

// Folds arrays of all sizes: every kernel that these ops may launch was compiled beforehand.
TEST_F(Shipped, KernelsNeedNoCompiler) {
  EXPECT_EQ(fold_fresh(), refused);
  const Ran ran = ship({"sum", "argmin", "--dtype", "f64", "--chip", "sm_90", "--json"});
  EXPECT_EQ(ran.error, "");
  EXPECT_NE(ran.out.find("\"made\": 10, \"there\": 0"), std::string::npos) << ran.out;
  for (const std::size_t n : {1000, 50'000, 140'000}) EXPECT_EQ(fold_fresh(n), used) << n;
  EXPECT_NE(ship_sum("sm_90").out.find("6 already existed"), std::string::npos);
}

// Does so for all access patterns of loop nests.
TEST_F(Shipped, KernelsOfAxesAndPairsNeedNoCompiler) {
  const auto fresh = [&](bool pairs) {
    return in_a_child([=]() -> int {
      control().chip = 90;
      control().shared_bytes = 227 << 10;
      try {
        for (const auto& [rows, columns] :
             {std::pair<int64_t, int64_t>{3000, 3}, {300, 64}, {70, 101}, {2, 9000}, {40, 256}}) {
          for (const int64_t axis : {0, 1}) {
            const Dims shape(rows, columns);
            const std::vector<float> x(static_cast<std::size_t>(rows * columns), 0.25f);
            const ArrayRef a(x.data(), f32, shape);
            Options options{.axes = Axes(Dims(axis))};
            const auto run = [&] {
              return pairs ? fold("mse", a, a, options) : fold("sum,mean,max", a, options);
            };
            const Answers right = run();
            options.device = cuda();
            if (const std::string flaws = text_of(run(), right); !flaws.empty()) return 1;
          }
        }
      } catch (const Error& e) {
        return e.code() == ErrorCode::no_backend ? refused : 2;
      }
      return used;
    });
  };
  ship({"sum,mean,max", "--dtype", "f32", "--chip", "sm_90"});
  EXPECT_EQ(fresh(false), refused);
  for (const char* op : {"sum,mean,max", "mse"}) {
    const Ran ran = ship({op, "--axes", "--dtype", "f32", "--chip", "sm_90"});
    EXPECT_EQ(ran.error, "");
    EXPECT_EQ(fresh(op[0] == 'm'), used) << op;
  }
}

// Segments, an array whose elements are no neighbours, and a mask, each in a new process.
TEST_F(Shipped, KernelsOfSegmentsAndMasksNeedNoCompiler) {
  const auto fresh = [](bool segments) {
    return in_a_child([=]() -> int {
      control().chip = 90;
      control().shared_bytes = 227 << 10;
      const std::vector<float> x(6000, 0.25f);
      const std::vector<uint8_t> some(6000, 1);
      const std::vector<int64_t> offsets = {0, 10, 10, 900, 1500};
      const ArrayRef a(x.data(), f32, {1500, 4}), cuts(offsets.data(), i64, Dims(5)),
          column(x.data(), f32, Dims(1500), Dims(16));
      Options options{.axes = Axes(1),
                      .where = Mask(ArrayRef(some.data(), DType::boolean, a.shape))};
      const auto run = [&](const ArrayRef& of) {
        return segments ? fold_segments("sum,mean,max", of, cuts, {.device = options.device})
                        : fold("sum,mean,max", a, options);
      };
      try {
        for (const ArrayRef& of : {ArrayRef(x.data(), f32, Dims(1500)), column}) {
          options.device = {};
          const Answers right = run(of);
          options.device = cuda();
          if (!text_of(run(of), right).empty()) return 1;
        }
      } catch (const Error& e) {
        return e.code() == ErrorCode::no_backend ? refused : 2;
      }
      return used;
    });
  };
  for (const bool segments : {true, false}) {
    const std::string option = segments ? "--segments" : "--masks";
    EXPECT_EQ(fresh(segments), refused) << option;
    const Ran ran = ship({"sum,mean,max", option, "--dtype", "f32", "--chip", "sm_90"});
    EXPECT_EQ(ran.error, "");
    EXPECT_EQ(fresh(segments), used) << option;
  }
}

// By default kernels are for this machine's device, and the program prints which it found.
TEST_F(Shipped, KernelsAreForTheDeviceThatIsHere) {
  const Ran ran = ship({"sum", "--dtype", "f64"});
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(fold_fresh(), used);
  const Ran info =
      run_program({"info"}, {.environment = {"LD_LIBRARY_PATH=" ONEFOLD_SIMULATED_DRIVER}});
  EXPECT_NE(info.out.find(kernels + ": 6 files\n"), std::string::npos) << info.out;
}

TEST_F(Shipped, KernelsServeLaterChipsOfTheirGeneration) {
  ship_sum("sm_80");
  ship_sum("sm_100");
  EXPECT_EQ(fold_fresh(), refused);
  EXPECT_EQ(fold_fresh(1000, 80, 163 << 10), used);
  EXPECT_EQ(fold_fresh(1000, 86, 99 << 10), used);
  EXPECT_EQ(fold_fresh(1000, 100), used);
  fs::remove_all(kernels);
  ship_sum("sm_86");
  EXPECT_EQ(fold_fresh(1000, 86, 99 << 10), used);
  EXPECT_EQ(fold_fresh(1000, 80, 163 << 10), refused);
}

TEST_F(Shipped, KernelsThatOthersMayWriteAreNotUsed) {
  ship_sum("sm_90");
  const auto mode = [](const std::string& path, mode_t bits) { ::chmod(path.c_str(), bits); };
  mode(kernels, 0777);
  EXPECT_EQ(fold_fresh(), refused);
  const Ran info = run_program({"info"});
  EXPECT_NE(info.out.find("; not used, because other users may write "), std::string::npos);
  mode(kernels, 0555);
  for_each_file([&](const std::string& file) { mode(file, 0464); });
  EXPECT_EQ(fold_fresh(), refused);
  for_each_file([&](const std::string& file) { mode(file, 0444); });
  EXPECT_EQ(fold_fresh(), used) << "what nobody may write is good";
  mode(kernels, 0755);
  if (::geteuid() != 0) return;
  for_each_file([&](const std::string& file) { ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0); });
  EXPECT_EQ(fold_fresh(), refused);
}

TEST_F(Shipped, KernelsThatAreDamagedAreNotUsed) {
  ship_sum("sm_90");
  for_each_file([](const std::string& file) { fs::resize_file(file, fs::file_size(file) - 1); });
  EXPECT_EQ(fold_fresh(), refused);
  EXPECT_NE(ship_sum("sm_90").out.find("6 files"), std::string::npos) << "and are made anew";
  EXPECT_EQ(fold_fresh(), used);
}

// A compiler, if there is one, makes kernels that were not shipped or that the driver refuses; only
// this user gets them.
TEST_F(Shipped, KernelsThatTheDriverRefusesAreMadeAnew) {
  ship_sum("sm_90");
  const std::string cache = folder.path("cache");
  ::setenv("ONEFOLD_CACHE", cache.c_str(), 1);
  ::setenv("ONEFOLD_NVRTC", ONEFOLD_SIMULATED_DRIVER "/libnvrtc.so.13", 1);
  EXPECT_EQ(in_a_child([] {
              control().refuse_images = true;
              const std::vector<double> x(1000, 0.25);
              return fold("sum", x, {.device = cuda()}).get<double>("sum") == 250 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(jit::Cache(cache).count(), 1u);
  EXPECT_EQ(jit::Cache(kernels).count(), 6u);
}

TEST(ShippedKernels, AreLaunchedByFoldsOfTheseOps) {
  const cuda_backend::Chip chip{"sm_90", 227 << 10}, small{"sm_90", 16 << 10};
  const auto count = [&](const char* ops, DType t, const cuda_backend::Chip& c) {
    return cuda_backend::modules_of(ops, t, c).size();
  };
  EXPECT_EQ(count("sum", f64, chip), 6u);  // first and bins, single, small; and rounding
  EXPECT_EQ(count("max", f32, chip), 4u);  // first, small
  EXPECT_EQ(count("dot", f64, chip), 4u);  // first and bins, single
  EXPECT_EQ(count("sum", i32, chip), 4u);
  EXPECT_EQ(count("sum", f64, small), 2u);                                   // bins do not fit
  EXPECT_EQ(cuda_backend::modules_of("mean,var", f32, chip)[0].size(), 3u);  // first, wide, bins
  EXPECT_EQ(cuda_backend::modules_of("sum", f64, small)[0].size(), 1u);
  // Chips with few FP64 lanes sum rows and columns by digits.
  EXPECT_GT(cuda_backend::modules_of("sum", f32, {"sm_89", 99 << 10}, {.axes = true}).size(),
            cuda_backend::modules_of("sum", f32, chip, {.axes = true}).size());
  EXPECT_THROW(count("meen", f32, chip), Error);
}

}  // namespace ONEFOLD_FILE
