// The feeds of integer sums and products in the longest possible run, in which every lane holds the
// largest sums. tests/law/test_feeds.cpp tests everything else.
#include <sys/mman.h>
#include <unistd.h>

#include <limits>
#include <stdexcept>

#include "feed_check.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::gather;
using test::lift;

// Maps the same 2 MB repeatedly, at neighbouring addresses: a long array in little memory.
class Repeated {
 public:
  static constexpr std::size_t piece = 2 << 20;

  explicit Repeated(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("onefold", 0);
    if (file < 0 || ftruncate(file, piece) != 0) throw std::runtime_error("no memory file");
    void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("no address space");
    data_ = static_cast<std::byte*>(p);
    for (std::size_t i = 0; i < bytes; i += piece) {
      if (mmap(data_ + i, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED) {
        throw std::runtime_error("no mapping");
      }
    }
    close(file);
  }
  ~Repeated() { munmap(data_, bytes_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  template <class T>
  void fill(T even, T odd) {
    T* x = reinterpret_cast<T*>(data_);
    for (std::size_t i = 0; i < piece / sizeof(T); i += 2) {
      x[i] = even;
      x[i + 1] = odd;
    }
  }
  const std::byte* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

constexpr Size longest = Size{1} << 30;

// The words of 2^30 alternating elements are 2^29 times those of two elements by lift: digits below
// 2^33, times 2^29, fit a word.
template <class T>
void expect_exact_sums(Repeated& memory, T even, T odd) {
  memory.fill(even, odd);
  for (const auto [target, feed] :
       test::feeds_of(dtype_of<T>, Accumulator::sum | Accumulator::sumabs | Accumulator::dot)) {
    test::States got = gather(*feed, {{memory.data(), memory.data(), longest, 0}});
    const T two[] = {even, odd};
    test::States expected = lift(feed->provides, dtype_of<T>, {{two, two, 2, 0}});
    for (int64_t& word : expected.words) word *= static_cast<int64_t>(longest / 2);
    expected.canonicalise();
    EXPECT_EQ(test::difference(got, expected), "")
        << name_of(target) << " " << feed->name << " of " << +even << ", " << +odd;
  }
}

template <class T>
class LongIntegerRuns : public testing::Test {};
using Integers =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(LongIntegerRuns, Integers);

TYPED_TEST(LongIntegerRuns, AreSummedExactly) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  Repeated memory(longest * sizeof(T));
  expect_exact_sums<T>(memory, L::min(), L::min());
  expect_exact_sums<T>(memory, L::max(), static_cast<T>(-1));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
