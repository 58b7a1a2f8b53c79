// Groups and segments beyond 2^30, 2^31 and 2^32 elements, and beyond 2^31 answers, on a device:
// they need up to 70 GiB. Label gpu.
#include <algorithm>
#include <cmath>

#include "gpu/device.hpp"
#include "onefold/fold.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr Size two31 = Size{1} << 31;

// Returns whether the device has so much free memory.
bool has_memory(Size gib) {
  std::size_t free = 0, all = 0;
  const int code = driver<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2")(&free, &all);
  return code == 0 && free >= gib << 30;
}

// Labels of one byte are all 1, elements of one byte all 2, except some at borders of indices.
class GpuFarLabels : public testing::TestWithParam<Size> {};

TEST_P(GpuFarLabels, AreFoldedToTheLastElement) {
  SKIP_WITHOUT_DEVICE();
  const Size n = GetParam();
  jit::Gpu gpu;
  if (!has_memory(3 * (n >> 30) + 2)) GTEST_SKIP() << "the device has too little free memory";
  const DeviceBytes x(gpu, n), labels(gpu, n);
  gpu.fill(x.address(), 2, n);
  gpu.fill(labels.address(), 1, n);
  gpu.synchronize();
  int64_t sum[] = {0, static_cast<int64_t>(2 * n), 0}, count[] = {0, static_cast<int64_t>(n), 0};
  int8_t most[] = {0, 2, 0}, value = 3;
  Size last = n;
  for (const Size i : {Size{0}, (Size{1} << 30) - 1, Size{1} << 30, two31 - 1, two31, 2 * two31 - 1,
                       2 * two31, n - 2, n - 1}) {
    if (i >= n || i == last) continue;
    last = i;
    const int group = value % 2 == 0 ? 2 : 0;
    x.write(std::vector<int8_t>{value}, i);
    labels.write(std::vector<uint8_t>{static_cast<uint8_t>(group)}, i);
    sum[1] -= 2;
    --count[1];
    sum[group] += value;
    ++count[group];
    most[group] = std::max(most[group], value);
    ++value;
  }
  const ArrayRef array(x.data(), i8, Dims(n)), numbers(labels.data(), DType::u8, Dims(n));
  const Labels how{.groups = 3, .options = {.device = cuda()}};
  const Answers added = fold_by("sum,count", numbers, array, how);  // adds without sorting
  const Answers sorted = fold_by("max", numbers, array, how);
  for (Size g = 0; g < 3; ++g) {
    EXPECT_EQ(static_cast<int64_t>(added["sum"][g].bits), sum[g]) << g;
    EXPECT_EQ(static_cast<int64_t>(added["count"][g].bits), count[g]) << g;
    EXPECT_EQ(static_cast<int8_t>(sorted["max"][g].bits), most[g]) << g;
  }
  labels.write(std::vector<uint8_t>{3}, n - 1);
  EXPECT_THROW(fold_by("sum", numbers, array, how), Error);
  EXPECT_THROW(fold_by("max", numbers, array, how), Error);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuFarLabels,
                         testing::Values((Size{1} << 30) + 3, two31 + 4099, 2 * two31 + 4101));

// 10^9 elements are added to sums in global memory.
TEST(GpuFarLabels, OfManyGroupsAreAddedInMemory) {
  SKIP_WITHOUT_DEVICE();
  const Size n = 1'000'000'000, groups = 1'000'000;
  jit::Gpu gpu;
  if (!has_memory(10)) GTEST_SKIP() << "the device has too little free memory";
  const DeviceBytes x(gpu, 4 * n), labels(gpu, 4 * n);
  gpu.fill(x.address(), 0x3c, 4 * n);  // each element is 0x3c3c3c3c
  gpu.fill(labels.address(), 0, 4 * n);
  gpu.synchronize();
  constexpr Size marks = 1000;
  for (Size k = 0; k < marks; ++k) {  // the last elements belong to other groups
    labels.write(std::vector<int32_t>{static_cast<int32_t>(groups - 1 - k)}, 4 * (n - 1 - k));
  }
  const ArrayRef array(x.data(), f32, Dims(n)), numbers(labels.data(), i32, Dims(n));
  const Labels how{.groups = groups, .options = {.device = cuda()}};
  const Answers a = fold_by("sum", numbers, array, how);
  const float one = bit_cast<float>(0x3c3c3c3cu);
  const long double whole = static_cast<long double>(one) * (n - marks);  // of 54 bits: exact
  EXPECT_EQ(bit_cast<float>(static_cast<uint32_t>(a["sum"][0].bits)), static_cast<float>(whole));
  for (Size g = 1; g < groups; ++g) {
    const float expected = g >= groups - marks ? one : 0.f;
    ASSERT_EQ(bit_cast<float>(static_cast<uint32_t>(a["sum"][g].bits)), expected) << g;
  }
}

// For answers of one byte: returns which are not 0, ascending, at most 100.
std::vector<Size> places_of_others(const std::vector<uint8_t>& all) {
  std::vector<Size> places;
  for (auto at = all.begin(); places.size() < 100; ++at) {
    at = std::find_if(at, all.end(), [](uint8_t b) { return b != 0; });
    if (at == all.end()) break;
    places.push_back(static_cast<Size>(at - all.begin()));
  }
  return places;
}

TEST(GpuFarGroups, Past2To31HaveTheirAnswers) {
  SKIP_WITHOUT_DEVICE();
  const Size groups = two31 + 7, n = 6;
  jit::Gpu gpu;
  if (!has_memory(75)) GTEST_SKIP() << "the device has too little free memory";
  const DeviceBytes x(gpu, n), labels(gpu, 8 * n), out(gpu, groups), status(gpu, groups);
  x.write(std::vector<int8_t>{1, 0, 1, 1, 1, 0});
  labels.write(std::vector<int64_t>{0, 5, static_cast<int64_t>(two31) - 1,
                                    static_cast<int64_t>(two31), static_cast<int64_t>(groups) - 1,
                                    static_cast<int64_t>(groups) - 2});
  const OutputRef to(out.data(), DType::boolean, Dims(groups),
                     reinterpret_cast<Status*>(status.data()));
  fold({.ops = "any",
        .x = ArrayRef(x.data(), i8, Dims(n)),
        .options = {.device = cuda()},
        .labels = ArrayRef(labels.data(), i64, Dims(n)),
        .groups = groups},
       {&to, 1});
  gpu.synchronize_all();
  EXPECT_EQ(places_of_others(out.read<uint8_t>(groups)),
            (std::vector<Size>{0, two31 - 1, two31, groups - 1}));
  EXPECT_EQ(places_of_others(status.read<uint8_t>(groups)), std::vector<Size>{});
}

// Offsets of 32 bits: 0 at first, then 0x01010101, which is the number of elements.
TEST(GpuFarSegments, Past2To31HaveTheirAnswers) {
  SKIP_WITHOUT_DEVICE();
  constexpr Size n = 0x01010101, segments = two31 + 9;
  jit::Gpu gpu;
  if (!has_memory(20)) GTEST_SKIP() << "the device has too little free memory";
  const DeviceBytes x(gpu, n), offsets(gpu, 4 * (segments + 1)), out(gpu, segments),
      status(gpu, segments);
  gpu.fill(x.address(), 1, n);
  gpu.fill(offsets.address(), 0, 4 * two31);
  gpu.fill(offsets.address() + 4 * two31, 1, 4 * (segments + 1 - two31));
  gpu.synchronize();
  x.write(std::vector<int8_t>{7}, 4);
  x.write(std::vector<int8_t>{9}, n - 1);
  // Segment 2^31 - 2 has 5 elements, the next all others but one, and segment 2^31 + 3 that one.
  offsets.write(std::vector<int32_t>{5, n - 1, n - 1, n - 1, n - 1, n}, 4 * (two31 - 1));
  const ArrayRef array(x.data(), i8, Dims(n)), ends(offsets.data(), i32, Dims(segments + 1));
  const OutputRef to(out.data(), i8, Dims(segments), reinterpret_cast<Status*>(status.data()));
  fold({.ops = "max", .x = array, .options = {.device = cuda()}, .segments = ends}, {&to, 1});
  gpu.synchronize_all();
  const auto most = out.read<uint8_t>(segments);
  EXPECT_EQ(places_of_others(most), (std::vector<Size>{two31 - 2, two31 - 1, two31 + 3}));
  EXPECT_EQ(most[two31 - 2], 7);
  EXPECT_EQ(most[two31 - 1], 1);
  EXPECT_EQ(most[two31 + 3], 9);
  const auto found = status.read<uint8_t>(segments);
  EXPECT_EQ(std::count(found.begin(), found.end(), static_cast<uint8_t>(Status::empty_input)),
            static_cast<int64_t>(segments - 3));
  EXPECT_EQ(found[two31 - 2] | found[two31 - 1] | found[two31 + 3], 0);
}

TEST(GpuFarSegments, OfMoreThan2To32ElementsAreFoldedToTheLast) {
  SKIP_WITHOUT_DEVICE();
  const Size n = 2 * two31 + 77;
  jit::Gpu gpu;
  if (!has_memory(6)) GTEST_SKIP() << "the device has too little free memory";
  // Exact words take one block for each segment, so there are many blocks.
  constexpr Size each = Size{1} << 20;
  std::vector<int64_t> ends{3};
  for (Size at = each; at < n; at += each) ends.push_back(static_cast<int64_t>(at));
  ends.push_back(static_cast<int64_t>(n));
  const DeviceBytes x(gpu, n), offsets(gpu, 8 * ends.size());
  gpu.fill(x.address(), 1, n);
  gpu.synchronize();
  x.write(std::vector<int8_t>{5}, two31);
  x.write(std::vector<int8_t>{6}, n - 1);
  offsets.write(ends);
  const Answers a =
      fold_segments("sum,max", ArrayRef(x.data(), i8, Dims(n)),
                    ArrayRef(offsets.data(), i64, Dims(ends.size())), {.device = cuda()});
  const Size segments = ends.size() - 1, with_5 = two31 / each;
  for (Size k = 0; k < segments; ++k) {
    const int64_t most = k == with_5 ? 5 : k == segments - 1 ? 6 : 1;
    ASSERT_EQ(static_cast<int64_t>(a["sum"][k].bits), ends[k + 1] - ends[k] + most - 1) << k;
    ASSERT_EQ(static_cast<int8_t>(a["max"][k].bits), most) << k;
  }
}

}  // namespace ONEFOLD_FILE
