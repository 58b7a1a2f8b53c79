// Even rows and columns on the simulated device: enough of them to use their kernels, a last tile
// that is not full, and answers that are left undecided.
#include "driver/requests.hpp"
#include "gpu/masks.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

struct Even {
  const char* ops;
  DType dtype;
  Dims shape;
  int64_t axis;
};

// Rows of 1, 2, 4, 8, 16 loads (8 lanes), 17 (16 lanes), 64; then columns, some with outer axes.
const std::vector<Even> cases = {{"sum,mean,max", f32, {8300, 4}, 1},
                                 {"sum,mean,max", f32, {4100, 8}, 1},
                                 {"sum,mean,max", f32, {2050, 16}, 1},
                                 {"sum,mean,max", f32, {1030, 64}, 1},
                                 {"sum,mean,max", f32, {515, 68}, 1},
                                 {"sum,mean,max", f32, {257, 256}, 1},
                                 {"var", f32, {8300, 4}, 1},
                                 {"var", f32, {2050, 16}, 1},
                                 {"var", f32, {259, 260}, 1},
                                 {"sum", f64, {8300, 2}, 1},
                                 {"sum", f64, {2050, 8}, 1},
                                 {"sum", f64, {257, 130}, 1},
                                 {"argmin", i32, {8300, 4}, 1},
                                 {"argmin", i32, {1030, 32}, 1},
                                 {"sum", bf16, {8300, 8}, 1},
                                 {"sum", bf16, {4100, 16}, 1},
                                 {"sum", bf16, {530, 136}, 1},
                                 {"any", DType::boolean, {8300, 16}, 1},
                                 {"any", DType::boolean, {1030, 128}, 1},
                                 {"dot", f32, {8300, 4}, 1},
                                 {"dot", f32, {2050, 16}, 1},
                                 {"dot", f64, {4100, 4}, 1},
                                 {"mse", f32, {8300, 4}, 1},
                                 {"mse", f32, {2050, 16}, 1},
                                 {"mse", f32, {257, 256}, 1},
                                 {"corr,cov,slope,intercept", f32, {131, 256}, 1},
                                 {"distance,mae", f64, {257, 130}, 1},
                                 {"mse", f32, {3, 8200}, 0},
                                 {"sum,mean,max", f32, {5, 8200}, 0},
                                 {"sum,mean,max", f32, {4, 3, 2052}, 1},
                                 {"var", f32, {9, 8200}, 0},
                                 {"sum", f64, {3, 4100}, 0},
                                 {"argmin", i32, {5, 8200}, 0},
                                 {"sum", bf16, {5, 16400}, 0},
                                 {"any", DType::boolean, {3, 16400}, 0},
                                 {"dot", f32, {3, 8200}, 0},
                                 // Warps whose lanes have different rows of the same columns.
                                 {"sum,mean,max", f32, {200, 20, 32}, 1},
                                 {"var", f32, {100, 30, 20}, 1},
                                 {"sum", f64, {90, 40, 8}, 1},
                                 {"sum", bf16, {130, 23, 64}, 1},
                                 {"dot", f32, {100, 20, 12}, 1},
                                 {"argmin", i32, {100, 40, 32}, 1},
                                 // Blocks.
                                 {"sum,mean,max", f32, {70, 1024}, 0},
                                 {"sum", f64, {131, 512}, 0},
                                 {"sum", bf16, {66, 2048}, 0},
                                 {"var", f32, {67, 1024}, 0},
                                 {"mse", f32, {64, 1024}, 0},
                                 // Each lane has one column: few columns of any length.
                                 {"sum,mean,max", f32, {600, 40, 3}, 1},
                                 {"sum,mean,max", f32, {5, 2211}, 0},
                                 {"var", f32, {70, 100, 7}, 1},
                                 {"sum", f64, {70, 37, 5}, 1},
                                 {"sum", bf16, {70, 70, 3}, 1},
                                 {"argmin", i32, {70, 50, 3}, 1},
                                 {"any", DType::boolean, {70, 90, 3}, 1},
                                 {"dot", f32, {70, 50, 3}, 1},
                                 {"mse", f32, {3, 2111}, 0}};

bool reads_two(const char* ops) { return parse_ops(ops)[0]->about->inputs == 2; }

class SimulatedEvenNests : public testing::TestWithParam<Even> {
 protected:
  void SetUp() override { control().flaws = ""; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

TEST_P(SimulatedEvenNests, GiveTheBitsOfTheProcessor) {
  const Even& c = GetParam();
  Size n = 1;
  for (const int64_t extent : c.shape) n *= static_cast<Size>(extent);
  jit::Gpu gpu;
  const bool two = reads_two(c.ops);
  const Options options{.axes = Axes(Dims(c.axis))};
  std::string launched;
  control().launched = &launched;
  for (const char* how : {"normal", "random_bits", "constant", "max_alternating"}) {
    const Data data = generate(how, c.dtype, n, 3), other = generate("normal", c.dtype, n, 4);
    const TwoArrays x(gpu, data, 0, 0, c.shape, row_major(c.shape, c.dtype)),
        y(gpu, other, 0, 0, c.shape, row_major(c.shape, c.dtype));
    EXPECT_EQ(flaws_of(c.ops, x, two ? &y : nullptr, options), "") << how;
  }
  control().launched = nullptr;
  const bool columns = c.axis == 0 || c.shape.rank() == 3,
             even = launched.find(columns ? "_even_columns" : "_rows_by_") != std::string::npos,
             single = columns && launched.find("_single_columns") != std::string::npos;
  EXPECT_TRUE(even || single) << launched;
}

INSTANTIATE_TEST_SUITE_P(Shapes, SimulatedEvenNests, testing::ValuesIn(cases), in_words<Even>);

// With masks, with omitted NaN, and with an initial element.
TEST(SimulatedEvenMasks, GiveTheBitsOfTheProcessor) {
  control().flaws = "";
  const std::vector<Even> masked = {{"sum,mean,max", f32, {8300, 4}, 1},
                                    {"sum,mean,max", f32, {2050, 16}, 1},
                                    {"sum,mean,max", f32, {257, 256}, 1},
                                    {"sum", f64, {8300, 2}, 1},
                                    {"sum", f64, {1030, 32}, 1},
                                    {"dot", f32, {8300, 4}, 1},
                                    {"mse", f32, {8300, 4}, 1},
                                    {"mse", f32, {257, 256}, 1},
                                    {"mse", f32, {3, 8200}, 0},
                                    {"sum,mean,max", f32, {5, 8200}, 0},
                                    {"sum", f64, {3, 4100}, 0},
                                    {"dot", f32, {3, 8200}, 0},
                                    {"sum,mean,max", f32, {3, 2111}, 0},
                                    {"sum,mean,max", f32, {70, 1024}, 0},
                                    {"sum,mean,max", f32, {70, 40, 3}, 1},
                                    {"sum,mean,max", f32, {100, 30, 20}, 1},
                                    {"mse", f32, {70, 50, 3}, 1}};
  std::mt19937_64 r(5);
  for (const Even& c : masked) {
    jit::Gpu gpu;
    Size n = 1;
    for (const int64_t extent : c.shape) n *= static_cast<Size>(extent);
    const Data data = generate("normal", c.dtype, n, 3);
    const TwoArrays x(gpu, data, 0, 0, c.shape, row_major(c.shape, c.dtype));
    const bool two = reads_two(c.ops);
    // Several masks, since each may have another alignment, or be broadcast.
    for (int k = 0; k < 4; ++k) {
      const TwoMasks mask(gpu, r, c.shape);
      Options options{.axes = Axes(Dims(c.axis)),
                      .nan = k == 0 ? NanPolicy::propagate : NanPolicy::omit};
      EXPECT_EQ(masked_flaws(c.ops, x, two ? &x : nullptr, mask, options), "");
    }
  }
  EXPECT_EQ(control().flaws, "");
}

}  // namespace ONEFOLD_FILE
