// Counts and indices have 64 bits: sizes at 2^31, 2^32 and past them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "check.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

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

// Memory that was never written reads as zeros and takes no space.
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

// Such memory, which begins and ends with it.
class Zeros {
 public:
  explicit Zeros(std::size_t bytes)
      : bytes_(bytes),
        p_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0)) {
    if (p_ == MAP_FAILED) throw std::runtime_error("no address space");
  }
  ~Zeros() { munmap(p_, bytes_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  int8_t& operator[](int64_t i) const { return static_cast<int8_t*>(p_)[i]; }
  int8_t* data() const { return static_cast<int8_t*>(p_); }

 private:
  std::size_t bytes_;
  void* p_;
};

// Rows that are as long, each beginning where the one before ends.
TEST_P(LongSizes, OfRows) {
  const int64_t n = GetParam();
  const Zeros x(static_cast<std::size_t>(2 * n));
  x[n - 1] = 5;
  x[n] = -3;
  x[n + n / 2] = 4;
  x[2 * n - 1] = 4;
  x[2 * n - 2] = -3;
  const Answers a =
      fold("sum,argmax,argmin,count_nonzero,count", {x.data(), i8, {2, n}}, {.axes = {1}});
  const auto is = [&](std::string_view op, int64_t first, int64_t second) {
    const auto v = a[op].values<int64_t>();
    EXPECT_EQ(v[0], first) << op;
    EXPECT_EQ(v[1], second) << op;
  };
  is("sum", 5, 2);
  is("argmax", n - 1, n / 2);
  is("argmin", 0, 0);
  is("count_nonzero", 1, 4);
  is("count", n, n);
  const Answers means = fold("mean", {x.data(), i8, {2, n}}, {.axes = {1}});
  EXPECT_EQ(means["mean"].values<double>()[1], 2.0 / static_cast<double>(n));
}

TEST_P(LongSizes, OfColumns) {
  const int64_t n = GetParam();
  const Zeros x(static_cast<std::size_t>(3 * n));
  x[3 * (n - 1)] = 5;
  x[3 * (n - 2) + 1] = 6;
  x[3 * (n / 2) + 1] = 6;
  x[3 * n - 1] = -1;
  const ArrayRef columns(x.data(), i8, {n, 3});
  const auto values = [](const Answers& a) {
    const auto v = a.list[0].values<int64_t>();
    return std::vector<int64_t>(v.begin(), v.end());
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(values(fold("sum", columns, {.axes = {0}})), (List{5, 12, -1}));
  EXPECT_EQ(values(fold("argmax", columns, {.axes = {0}})), (List{n - 1, n / 2, 0}));
  EXPECT_EQ(values(fold("argmin", columns, {.axes = {0}})), (List{0, 0, n - 1}));
  EXPECT_EQ(values(fold("count", columns, {.axes = {0}})), (List{n, n, n}));
}

// Elements that are as far apart, along axes of either role, upwards and downwards.
TEST(Sizes, StridesPast31And32Bits) {
  for (const int64_t apart : {two31 - 1, two31, two31 + 1, two32 - 1, two32, two32 + 1}) {
    const Zeros x(static_cast<std::size_t>(2 * apart + 8));
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 4; ++j) x[i * apart + j] = static_cast<int8_t>(10 * i + j);
    }
    const auto values = [](const Answers& a) {
      const auto v = a.list[0].values<int64_t>();
      return std::vector<int64_t>(v.begin(), v.end());
    };
    using List = std::vector<int64_t>;
    const ArrayRef up(x.data(), i8, {3, 4}, {apart, 1});
    const ArrayRef down(x.data() + 2 * apart, i8, {3, 4}, {-apart, 1});
    const ArrayRef turned(x.data(), i8, {4, 3}, {1, apart});
    EXPECT_EQ(values(fold("sum", up, {.axes = {0}})), (List{30, 33, 36, 39}));
    EXPECT_EQ(values(fold("sum", up, {.axes = {1}})), (List{6, 46, 86}));
    EXPECT_EQ(values(fold("sum", down, {.axes = {1}})), (List{86, 46, 6}));
    EXPECT_EQ(values(fold("argmax", down, {.axes = {0}})), (List{0, 0, 0, 0}));
    EXPECT_EQ(values(fold("sum", turned, {.axes = {1}})), (List{30, 33, 36, 39}));
    EXPECT_EQ(fold("argmax", up).get<int64_t>("argmax"), 11);
    EXPECT_EQ(fold("argmax", down).get<int64_t>("argmax"), 3);
    EXPECT_EQ(fold("sum", turned).get<int64_t>("sum"), 138);
  }
}

// One page of equal elements that is mapped many times: it is read, unlike a stride of 0.
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

// Sums of many equal numbers: limbs propagate carries before they overflow.
TEST(LongSums, OfTwoToThe31EqualNumbersAreExact) {
  const Again<double> x(0x1.fffffffffffffp1023, two31 + 3);
  EXPECT_EQ(fold("mean", {x.data(), f64, {two31 + 3}}).get<double>("mean"), *x.data());
  const Again<float> y(0x1.fffffep-130f, two31);
  EXPECT_EQ(fold("sum", {y.data(), f32, {two31}}).get<float>("sum"), *y.data() * 0x1p31f);
  const Again<uint64_t> z(~uint64_t{0}, two31 + 1);
  EXPECT_EQ(fold("mean", {z.data(), u64, {two31 + 1}}).get<double>("mean"), 0x1p64);
}

// As many answers: those around 2^31 and 2^32 and the last ones have pages of their own, all others
// share one.
class Answers8 {
 public:
  explicit Answers8(int64_t n) : bytes_((static_cast<std::size_t>(n) + page) / page * page) {
    const int file = memfd_create("page", 0);
    if (file < 0 || ftruncate(file, page) != 0) throw std::runtime_error("no page");
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("no address space");
    p_ = static_cast<std::byte*>(p);
    for (std::size_t at = 0; at + page < bytes_; at += page) {
      const auto first = static_cast<int64_t>(at), last = first + static_cast<int64_t>(page);
      const auto holds = [&](int64_t i) { return first <= i && i < last; };
      if (holds(two31 - 1) || holds(two31) || holds(two32 - 1) || holds(two32)) continue;
      if (mmap(p_ + at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED) {
        throw std::runtime_error("no more maps");
      }
    }
    close(file);
  }
  ~Answers8() { munmap(p_, bytes_); }
  Answers8(const Answers8&) = delete;
  Answers8& operator=(const Answers8&) = delete;
  std::byte* data() const { return p_; }

 private:
  static constexpr std::size_t page = std::size_t{8} << 20;
  std::size_t bytes_;
  std::byte* p_ = nullptr;
};

TEST_P(LongSizes, OfAnswers) {
  const int64_t bytes = GetParam(), n = (bytes + 1) / 2;  // f16, whose answers lie at such bytes
  const Zeros x(static_cast<std::size_t>(4 * n));
  const Answers8 out(2 * n);
  const auto set = [&](int64_t row, int64_t i, uint16_t v) {
    std::memcpy(x.data() + 2 * (row * n + i), &v, 2);
  };
  const auto got = [&](int64_t i) {
    uint16_t v;
    std::memcpy(&v, out.data() + 2 * i, 2);
    return v;
  };
  constexpr uint16_t one = 0x3c00, two = 0x4000, three = 0x4200;
  std::vector<int64_t> marked{n - 1, n - 2};
  for (const int64_t at : {two31 / 2 - 1, two31 / 2, two32 / 2 - 1, two32 / 2}) {
    if (at < n - 2) marked.push_back(at);
  }
  for (const int64_t i : marked) {
    set(0, i, i % 2 == 0 ? one : two);
    set(1, i, one);
  }
  fold_into({out.data(), f16, {n}}, "sum", {x.data(), f16, {2, n}}, {.axes = {0}});
  for (const int64_t i : marked) EXPECT_EQ(got(i), i % 2 == 0 ? two : three) << i;
  EXPECT_EQ(got(n - 3), 0);
  EXPECT_EQ(got(n), 0) << "behind the last";
}

// Repetitions by stride 0 are added by doubling, so there may be any number of them.
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

}  // namespace ONEFOLD_FILE
}  // namespace onefold
