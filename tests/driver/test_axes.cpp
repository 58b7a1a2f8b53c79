// Folds along axes on the simulated device: random nests give the bits of the processor.
#include <bit>
#include <optional>
#include <random>

#include "backend/cuda/axes.hpp"
#include "check.hpp"
#include "driver/device.hpp"
#include "generate.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

class SimulatedAxes : public testing::Test {
 protected:
  void SetUp() override { control().flaws = ""; }
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

// An array with strides, cut out of more elements than it has.
struct Cut {
  Dims shape, strides;
  Size first = 0, elements = 1;  // elements of the memory that it is cut out of

  Cut(std::mt19937_64& r, int64_t most, unsigned bytes) {
    const auto pick = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(r() % static_cast<uint64_t>(high - low + 1));
    };
    const auto rank = static_cast<int>(pick(1, 4));
    int64_t left = most, step = pick(1, 2);
    std::vector<int64_t> extents, steps;
    int64_t low = 0, high = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t extent = pick(0, 20) == 0 ? 1 : pick(1, std::max<int64_t>(left / 2, 1));
      left = std::max<int64_t>(left / extent, 1);
      const bool still = pick(0, 7) == 0;
      const int64_t stride = (still ? 0 : step) * (pick(0, 3) == 0 ? -1 : 1);
      extents.push_back(extent);
      steps.push_back(stride);
      (stride < 0 ? low : high) += stride * (extent - 1);
      if (!still) step *= extent + (pick(0, 3) == 0 ? 1 : 0);
    }
    // In any order of memory.
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = order.size() - 1 - k;
    if (pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), r);
    for (const std::size_t k : order) {
      shape.push_back(extents[k]);
      strides.push_back(steps[k] * static_cast<int64_t>(bytes));
    }
    first = static_cast<Size>(-low);
    elements = static_cast<Size>(high - low) + 1;
  }
};

std::string text_of(const Answers& got, const Answers& expected) {
  std::string s;
  for (std::size_t k = 0; k < got.list.size(); ++k) {
    if (got.list[k].shape != expected.list[k].shape) return "another shape";
    for (Size i = 0; i < got.list[k].size(); ++i) {
      const Value a = got.list[k][i], b = expected.list[k][i];
      if (a != b && s.size() < 500) {
        s += got.list[k].op + "[" + std::to_string(i) + "]: " + std::to_string(a.bits) + " " +
             name_of(a.status) + ", not " + std::to_string(b.bits) + " " + name_of(b.status) + "\n";
      }
    }
  }
  return s;
}

// Some axes, each as likely as not.
Dims some_axes(std::mt19937_64& r, int rank) {
  Dims axes;
  for (int d = 0; d < rank; ++d) {
    if (r() % 2 == 0) axes.push_back(r() % 2 == 0 ? d : d - rank);
  }
  return axes;
}

void check_random(const char* ops, DType t, bool two, uint64_t seed, int rounds, int64_t most) {
  jit::Gpu gpu;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937_64 r(seed + static_cast<uint64_t>(round));
    Cut cut(r, most, bytes_of(t));
    const auto all = generators(t);
    const std::string_view generator = all[r() % all.size()];
    const Data x = generate(generator, t, cut.elements, seed),
               y = generate(generator, t, cut.elements, seed + 9);
    const DeviceBytes here(gpu, x.bytes() + 64), other(gpu, y.bytes() + 64);
    const Size skip = (cut.first + r() % 4) * bytes_of(t);
    gpu.copy_in(here.address() + skip - cut.first * bytes_of(t), x.data(), x.bytes());
    gpu.copy_in(other.address() + skip - cut.first * bytes_of(t), y.data(), y.bytes());
    const auto on_host = [&](const Data& d) {
      return ArrayRef(static_cast<const std::byte*>(d.data()) + cut.first * bytes_of(t), t,
                      cut.shape, cut.strides);
    };
    const ArrayRef a(here.data() + skip, t, cut.shape, cut.strides),
        b(other.data() + skip, t, cut.shape, cut.strides);
    Options options{.axes = Axes(some_axes(r, cut.shape.rank())),
                    .keepdims = r() % 2 == 0,
                    .nan = static_cast<NanPolicy>(r() % 3)};
    // Whole arrays have kernels of their own.
    const ArrayRef host = on_host(x);
    if (const Plan plan = make_plan(ops, host, two ? &host : nullptr, options);
        cuda_backend::is_whole(plan, plan.nest)) {
      continue;
    }
    const auto run = [&](const ArrayRef& p, const ArrayRef& q) {
      return two ? fold(ops, p, q, options) : fold(ops, p, options);
    };
    const Answers expected = run(on_host(x), on_host(y));
    options.device = cuda();
    ASSERT_EQ(text_of(run(a, b), expected), "")
        << ops << " " << generator << " of seed " << seed + static_cast<uint64_t>(round);
    ASSERT_EQ(text_of(run(on_host(x), on_host(y)), expected), "")
        << "of the host: " << ops << " " << generator << " of seed "
        << seed + static_cast<uint64_t>(round);
    ASSERT_EQ(control().flaws, "") << "seed " << seed + static_cast<uint64_t>(round);
  }
}

TEST_F(SimulatedAxes, GiveTheBitsOfTheProcessorForRandomNests) {
  check_random("sum", f64, false, 1, 60, 600);
  check_random("sum,mean,max", f32, false, 100, 60, 600);
  check_random("var", f32, false, 200, 40, 600);
  check_random("argmin", i32, false, 300, 60, 600);
  check_random("dot", f32, true, 400, 40, 600);
  check_random("sum,min,count", i64, false, 500, 60, 600);
  check_random("sum", bf16, false, 600, 40, 600);
  check_random("any", DType::boolean, false, 700, 40, 600);
}

}  // namespace
