// Folds by labels on the simulated device, for which no call waits.
#include "driver/device.hpp"
#include "expect_error.hpp"
#include "gpu/queued_labels.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

TEST(SimulatedDeferredLabels, AnswerOnAStreamAndInAGraph) {
  control().flaws = "";
  jit::Gpu gpu;
  const Deferred deferred;
  EXPECT_EQ(queued_label_flaws<float>(gpu, "sum", f32, 6'000, 50), "");
  EXPECT_EQ(queued_label_flaws<float>(gpu, "sum", f32, 6'000, 40'000), "");  // in memory
  EXPECT_EQ(queued_label_flaws<double>(gpu, "sum", f64, 6'000, 50), "");     // by sorting
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedDeferredLabels, OfNoElementsAnswer) {
  control().flaws = "";
  jit::Gpu gpu;
  const DeviceBytes out(gpu, 16), status(gpu, 2);
  const OutputRef to(out.data(), f64, Dims(2), reinterpret_cast<Status*>(status.data()));
  const ArrayRef x(static_cast<const double*>(nullptr), f64, Dims(0)),
      labels(static_cast<const int32_t*>(nullptr), i32, Dims(0));
  fold({.ops = "sum",
        .x = x,
        .options = {.device = cuda()},
        .labels = labels,
        .groups = 2,
        .deferred = true},
       {&to, 1});
  gpu.synchronize_all();
  EXPECT_EQ(out.read<double>(2), std::vector<double>(2, 0.0));
  EXPECT_EQ(status.read<Status>(2), std::vector<Status>(2, Status::ok));
  EXPECT_EQ(control().flaws, "");
}

TEST(SimulatedDeferredLabels, AreRefusedOnTheHost) {
  jit::Gpu gpu;
  const DeviceBytes out(gpu, 32), status(gpu, 4);
  const OutputRef to(out.data(), f64, Dims(4), reinterpret_cast<Status*>(status.data()));
  const std::vector<double> x{1, 2, 3};
  const std::vector<int32_t> labels{0, 1, 3};
  const Request request{.ops = "sum",
                        .x = x,
                        .options = {.device = cuda()},
                        .labels = labels,
                        .groups = 4,
                        .deferred = true};
  expect_error(ErrorCode::bad_option, {".deferred needs the array, the labels and"}, [&] {
    fold(request, {&to, 1});
  });
  expect_error(ErrorCode::bad_option, {".deferred needs labels on a device, and outputs"},
               [&] { fold(request); });
}

}  // namespace ONEFOLD_FILE
