// Counts and indices have 64 bits: sizes at 2^31, 2^32 and past them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "check.hpp"

namespace onefold {
namespace {

constexpr int64_t two31 = int64_t{1} << 31, two32 = int64_t{1} << 32;

// One element, many times: stride 0.
void check_repeated(int64_t n, int8_t value) {
  const ArrayRef x(&value, i8, {n}, {0});
  const Answers a = fold("sum,count,mean,argmax,min,var", x);
  EXPECT_EQ(a.get<int64_t>("sum"), n * value) << n;
  EXPECT_EQ(a.get<int64_t>("count"), n);
  EXPECT_EQ(a.get<double>("mean"), value);
  EXPECT_EQ(a.get<double>("var"), 0);
  EXPECT_EQ(a.get<int64_t>("argmax"), 0);
  EXPECT_EQ(a.get<int8_t>("min"), value);
}

TEST(Sizes, SumsOfOneByteTypesPast31And32Bits) {
  const int8_t x = -3;
  for (const int64_t n : {two31 - 1, two31, two31 + 1, two32, two32 + 1}) {
    const Answers a = fold("sum,count", {&x, i8, {n}, {0}});
    EXPECT_EQ(a.get<int64_t>("sum"), -3 * n);
    EXPECT_EQ(a.get<int64_t>("count"), n);
  }
}

TEST(Sizes, IndicesPast31Bits) {
  const int8_t x[2] = {5, 7};
  // Element (i, j) is x[i]: the first 7 stands at index 2^31.
  EXPECT_EQ(fold("argmax", {x, i8, {2, two31}, {1, 0}}).get<int64_t>("argmax"), two31);
}

TEST(Sizes, IndicesCountFromAnyFirst) {
  const std::vector<uint8_t> x{3, 1, 2};
  const Size first = (Size{1} << 62) + 5;
  const State s = gather("argmin,argmax", x, {.first = first});
  EXPECT_EQ(s.answer("argmin").as<int64_t>(), static_cast<int64_t>(first) + 1);
  EXPECT_EQ(State::load(s.save()).answer("argmax").as<int64_t>(), static_cast<int64_t>(first));
}

class LongSizes : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, LongSizes,
                         testing::Values(two31 - 1, two31, two31 + 1, two32 - 1, two32, two32 + 1,
                                         two32 + two31 + 12345));

TEST_P(LongSizes, OfZeroStridesInOneDimension) {
  check_repeated(GetParam(), 127);
  check_repeated(GetParam(), -128);
  const uint8_t one = 1;
  EXPECT_EQ(fold("count_nonzero", {&one, boolean, {GetParam()}, {0}}).get<int64_t>("count_nonzero"),
            GetParam());
}

TEST_P(LongSizes, OfZeroStridesInTwoDimensions) {
  const int64_t n = GetParam();
  const int8_t x[3] = {5, 7, 6};
  const ArrayRef rows(x, i8, {n / 3, 3}, {0, 1});
  const Answers a = fold("sum,argmax,argmin,count", rows);
  EXPECT_EQ(a.get<int64_t>("sum"), n / 3 * 18);
  EXPECT_EQ(a.get<int64_t>("argmax"), 1);
  EXPECT_EQ(a.get<int64_t>("count"), n / 3 * 3);
  const Answers b = fold("sum,count", rows, {.axes = {0}});
  EXPECT_EQ(b["sum"].values<int64_t>()[1], n / 3 * 7);
  const ArrayRef columns(x, i8, {2, n}, {1, 0});
  EXPECT_EQ(fold("argmax", columns).get<int64_t>("argmax"), n);
}

// Memory that nobody has written reads as zeros and takes no room.
TEST_P(LongSizes, OfRealMemory) {
  const auto n = static_cast<std::size_t>(GetParam());
  void* p =
      mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) GTEST_SKIP() << "no address space for " << n << " bytes";
  auto* x = static_cast<int8_t*>(p);
  x[n - 1] = 9;
  x[n - 2] = -9;
  x[n / 2] = 1;
  for (const std::string_view target : cpu_targets()) {
    if (target == "portable") continue;
    const Answers a =
        fold("sum,argmax,argmin,count_nonzero,sumsq", {x, i8, {GetParam()}}, {.target = target});
    EXPECT_EQ(a.get<int64_t>("sum"), 1) << target;
    EXPECT_EQ(a.get<int64_t>("argmax"), GetParam() - 1);
    EXPECT_EQ(a.get<int64_t>("argmin"), GetParam() - 2);
    EXPECT_EQ(a.get<int64_t>("count_nonzero"), 3);
    EXPECT_EQ(a.get<uint64_t>("sumsq"), 163u);
  }
  munmap(p, n);
}

// One page of equal elements that stands again and again: read, unlike a stride of 0.
template <class T>
class Again {
 public:
  Again(T value, int64_t n)
      : bytes_((static_cast<std::size_t>(n) * sizeof(T) + page - 1) / page * page) {
    const int file = memfd_create("page", 0);
    if (file < 0 || ftruncate(file, page) != 0) throw std::runtime_error("no page");
    void* p = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("no address space");
    x_ = static_cast<T*>(p);
    auto* const begin = static_cast<std::byte*>(p);
    for (std::size_t at = 0; at < bytes_; at += page) {
      p = mmap(begin + at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
      if (p == MAP_FAILED) throw std::runtime_error("no more maps");
    }
    close(file);
    std::fill_n(x_, page / sizeof(T), value);
  }
  ~Again() { munmap(x_, bytes_); }
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;
  const T* data() const { return x_; }

 private:
  static constexpr std::size_t page = std::size_t{8} << 20;
  std::size_t bytes_;
  T* x_ = nullptr;
};

// Sums of many equal numbers: the limbs carry in time.
TEST(LongSums, OfTwoToThe31EqualNumbersAreExact) {
  const Again<double> x(0x1.fffffffffffffp1023, two31 + 3);
  EXPECT_EQ(fold("mean", {x.data(), f64, {two31 + 3}}).get<double>("mean"), *x.data());
  const Again<float> y(0x1.fffffep-130f, two31);
  EXPECT_EQ(fold("sum", {y.data(), f32, {two31}}).get<float>("sum"), *y.data() * 0x1p31f);
  const Again<uint64_t> z(~uint64_t{0}, two31 + 1);
  EXPECT_EQ(fold("mean", {z.data(), u64, {two31 + 1}}).get<double>("mean"), 0x1p64);
}

// What stride 0 repeats is counted by doubling, and so may be as many as there can be.
TEST(Sizes, RepeatedElementsAreCountedNotRead) {
  const double x[2] = {-0x1.fffffffffffffp1023, 3};
  const int64_t n = int64_t{1} << 61;
  const ArrayRef rows(x, f64, {2, n}, {8, 0});
  const Answers means = fold("mean", rows, {.axes = {1}});
  EXPECT_EQ(means["mean"].values<double>()[0], x[0]);
  EXPECT_EQ(means["mean"].values<double>()[1], 3);
  EXPECT_EQ(fold("argmax", rows).get<int64_t>("argmax"), n);
  EXPECT_EQ(fold("count_nonzero", rows).get<int64_t>("count_nonzero"), 2 * n);
  for (const int64_t m : {2, 3, 1000}) {
    const std::vector<double> copies(static_cast<std::size_t>(m), 3);
    const Answers a = fold("sum,var,min,argmin,norm2", {x + 1, f64, {m}, {0}});
    const Answers b = fold("sum,var,min,argmin,norm2", copies);
    for (const Answer& k : a.list) EXPECT_EQ(k.data, b[k.op].data) << k.op << " of " << m;
  }
}

}  // namespace
}  // namespace onefold
