// Folds along axes on the simulated device: they give the bits of the processor, without a flaw
// that the machine would find.
#include "driver/requests.hpp"
#include "gpu/queued.hpp"
#include "onefold/strided.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

constexpr Request requests[] = {{"sum", f64},           {"sum,mean,max", f32},  {"var", f32},
                                {"argmin", i32},        {"sum,min,count", i64}, {"sum", bf16},
                                {"any", DType::boolean}};

class SimulatedAxes : public Requests {};

TEST_P(SimulatedAxes, GiveTheBitsOfTheProcessorForRandomNests) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 600), "");
  }
}

TEST_P(SimulatedAxes, GiveTheBitsOfTheProcessorForShapesThatPeopleFold) {
  ASSERT_EQ(shape_flaws(GetParam().ops, GetParam().dtype, 1200), "");
}

TEST(SimulatedAxesOfPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 40; ++seed) ASSERT_EQ(random_flaws("dot", f32, seed, 600), "");
}

TEST(SimulatedAxesOfAStream, AreCapturedAndReplayedAfterNewData) {
  jit::Gpu gpu;
  for (const int64_t axis : {0, 1}) {
    for (const Dims& shape : {Dims(40, 30), Dims(30, 5), Dims(4, 300)}) {
      EXPECT_EQ(queued_flaws(gpu, shape, axis, nullptr), "") << to_string(shape);
    }
  }
  EXPECT_EQ(control().flaws, "");
}

// Answers in Fortran order, `hole` elements wider than they need be: by kernels, which know where
// each belongs, and by way of the host.
template <class T>
std::string strided_flaws(const std::string& ops, const Dims& shape, const Dims& axes,
                          int64_t hole) {
  jit::Gpu gpu;
  const Size n = static_cast<Size>(shape[0] * shape[1] * shape[2]);
  const Data data = generate("normal", dtype_of<T>, n, 5);
  const DeviceBytes x(gpu, n * sizeof(T));
  gpu.copy_in(x.address(), data.data(), n * sizeof(T));
  const Options options{.axes = Axes(axes)};
  const Answers expected = fold(ops, ArrayRef(data.data(), dtype_of<T>, shape), options);
  const Dims& output = expected.list[0].shape;
  Dims strides = output, bytes = output;
  int64_t elements = 1;
  for (int d = 0; d < output.rank(); ++d) {
    strides[d] = elements;
    bytes[d] = elements * static_cast<int64_t>(sizeof(T));
    elements *= output[d] + hole;
  }
  const auto all = static_cast<Size>(elements), count = expected.list.size();
  const DeviceBytes values(gpu, count * all * sizeof(T)), statuses(gpu, count * all);
  const Stream stream;
  Options queued = options;
  queued.device = cuda();
  queued.stream = stream.get();
  std::vector<StridedOutput> outs;
  for (Size k = 0; k < count; ++k) {
    outs.emplace_back(values.data() + k * all * sizeof(T), dtype_of<T>, output, bytes,
                      reinterpret_cast<Status*>(statuses.data() + k * all));
  }
  const auto queue = [&] { fold_into(outs, ops, ArrayRef(x.data(), dtype_of<T>, shape), queued); };
  std::string flaws;
  const auto check = [&](const char* how, auto&& run) {
    gpu.fill(values.address(), 0xa5, count * all * sizeof(T));
    gpu.fill(statuses.address(), 0xa5, count * all);
    run();
    stream.synchronize();
    for (Size k = 0; k < count; ++k) {
      std::vector<bits_of<T>> want(all);
      std::vector<uint8_t> status(all, 0xa5);
      std::memset(want.data(), 0xa5, all * sizeof(T));
      for (Size i = 0; i < expected.list[k].size(); ++i) {
        Size left = i, at = 0;
        for (int d = output.rank(); d-- > 0;) {
          at += left % static_cast<Size>(output[d]) * static_cast<Size>(strides[d]);
          left /= static_cast<Size>(output[d]);
        }
        want[at] = static_cast<bits_of<T>>(expected.list[k][i].bits);
        status[at] = static_cast<uint8_t>(expected.list[k][i].status);
      }
      if (values.read<bits_of<T>>(all, k * all * sizeof(T)) == want &&
          statuses.read<uint8_t>(all, k * all) == status)
        continue;
      flaws += expected.list[k].op + " of " + to_string(shape) + " along " + to_string(axes) + " " +
               how + "\n";
    }
  };
  check("on a stream", queue);
  const Graph graph(stream, queue);
  check("in a graph", [&] { graph.replay(stream); });
  check("from the host", [&] {
    Options waits = options;
    waits.device = cuda();
    fold_into(outs, ops, ArrayRef(data.data(), dtype_of<T>, shape), waits);
  });
  return flaws;
}

TEST(SimulatedStridedOutputs, HaveTheirAnswersWhereTheyBelong) {
  for (const Dims& shape : {Dims(6, 30, 4), Dims(3, 5, 70), Dims(40, 2, 3)}) {
    for (const Dims& axes : {Dims(int64_t{0}), Dims(int64_t{1}), Dims(int64_t{2}),
                             Dims(int64_t{0}, int64_t{2}), Dims(int64_t{1}, int64_t{2})}) {
      for (const int64_t hole : {0, 2}) {
        EXPECT_EQ(strided_flaws<double>("sum", shape, axes, hole), "");
        EXPECT_EQ(strided_flaws<float>("sum,mean,max", shape, axes, hole), "");
      }
    }
  }
  EXPECT_EQ(control().flaws, "");
}

// Of a large device: rows in parts, and columns in so many that they meet in groups of 32.
TEST(SimulatedAxesInParts, GiveTheBitsOfTheProcessor) {
  const auto body = [] {
    control().multiprocessors = 20;
    jit::Gpu gpu;
    struct Case {
      Dims shape;
      int64_t axis;
    };
    for (const Case& c : {Case{{3, 20000}, 1}, Case{{2304, 128}, 0}, Case{{30000, 3}, 0}}) {
      const Size n = static_cast<Size>(c.shape[0] * c.shape[1]);
      const Data data = generate("random_bits", f64, n, 7);
      const TwoArrays x(gpu, data, 0, 0, c.shape, row_major(c.shape, f64));
      const std::string flaws =
          flaws_of("sum", x, nullptr, {.axes = Axes(Dims(c.axis))}) + control().flaws;
      if (!flaws.empty()) std::fprintf(stderr, "%s\n", flaws.c_str());
      if (!flaws.empty()) return 1;
    }
    return 0;
  };
  EXPECT_EQ(in_a_child(body), 0);
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedAxes, testing::ValuesIn(requests), in_words);

}  // namespace
