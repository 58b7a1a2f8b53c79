// Short contiguous folds use a fast path once a thread remembers the request: the same answers, and
// no allocation.
#include <gtest/gtest.h>

#include <xmmintrin.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "check.hpp"
#include "generate.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/onefold.hpp"

static thread_local std::size_t allocations = 0;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ONEFOLD_COUNTS_ALLOCATIONS
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  ++allocations;
  const auto align = static_cast<std::size_t>(a);
  if (void* p = std::aligned_alloc(align, (n + align - 1) / align * align)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
#endif

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// Calls the typed function of an op that is known by name only.
Value typed(const OpRow& op, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  const detail::TypedOp request{op.name, op.about->result.of(x.dtype)};
  Value value;
  detail::fold_whole({&request, 1}, x, y, options, &value);
  return value;
}

// The call by name never uses the fast path.
Value by_name(const OpRow& op, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  return (y == nullptr ? fold(op.name, x, options) : fold(op.name, x, *y, options)).list[0][0];
}

TEST(ShortFold, GivesTheAnswersOfTheLongWay) {
  Random r(1);
  const Size sizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 300, 1000, 4096, 5000, 70000};
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<DType>(d);
    for (const std::string_view g : test::generators(t)) {
      const Size n = sizes[r() % std::size(sizes)];
      const uint64_t seed = r() % 1000;
      const Data x = test::generate(g, t, n + 8, seed), y = test::generate(g, t, n + 8, seed + 1);
      const ArrayRef a(x.at(seed % 8), t, {n}), b(y.at(seed % 5), t, {n});
      for (const OpRow& op : op_rows()) {
        const ArrayRef* other = op.about->inputs == 2 ? &b : nullptr;
        for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
          const Options options{
              .nan = nan,
              .ddof = Correction(static_cast<int>(seed % (op.about->estimates ? 2 : 3)))};
          typed(op, a, other, options);
          ASSERT_EQ(typed(op, a, other, options), by_name(op, a, other, options))
              << op.name << " of " << test::describe(g, t, n + 8, seed);
        }
      }
    }
  }
}

// Sizes below and above the fast path's limit, for one feed and for several.
TEST(ShortFold, EndsWhereThreadsBegin) {
  for (const Size n : {Size{32768}, Size{32769}, Size{131071}, Size{131072}, Size{131073}}) {
    const Data x = test::generate("normal", f64, n, n);
    const ArrayRef a(x.data(), f64, {n});
    for (const char* op : {"sum", "argmax", "norm1", "count_nonzero"}) {
      const OpRow& row = find_op(op);
      typed(row, a, nullptr, {});
      EXPECT_EQ(typed(row, a, nullptr, {}), by_name(row, a, nullptr, {})) << op << " of " << n;
    }
    const std::span<const double> s(reinterpret_cast<const double*>(x.data()), n);
    for (int k = 0; k < 2; ++k) {
      const auto [total, least, low] = fold<sum, norm1, argmin>(s);
      EXPECT_EQ(total, sum(s));
      EXPECT_EQ(least, norm1(s));
      EXPECT_EQ(low, argmin(s));
    }
  }
}

TEST(ShortFold, AllocatesNothingInAWarmedUpCall) {
#ifndef ONEFOLD_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer has its own allocator";
#endif
  const std::vector<double> x{3, 1, 4, 1, 5}, y{2, 7, 1, 8, 2};
  const std::vector<float> f(1000, 1.5f);
  const std::vector<int8_t> i(300, 3);
  const auto calls = [&] {
    return sum(f) + mean(x) + var(x, {.ddof = 1}) + norm2(f) + static_cast<double>(argmax(x)) +
           min(f) + static_cast<double>(sum(i)) + dot(x, y) + std::get<1>(fold<min, max>(x));
  };
  calls();  // may replace the request that it has just used
  const double expected = calls();
  const std::size_t before = allocations;
  EXPECT_EQ(calls(), expected);
  EXPECT_EQ(allocations, before);
}

TEST(ShortFold, KeepsItsErrors) {
  const std::vector<double> x{1, NAN, 3};
  const std::vector<int64_t> large(3, int64_max);
  for (int k = 0; k < 2; ++k) {
    EXPECT_THROW(sum(x, {.nan = NanPolicy::raise}), Error);
    EXPECT_THROW(sum(large), Error);
    EXPECT_THROW(min(std::vector<float>()), Error);
    EXPECT_THROW(sum(large, {.threads = -1}), Error);
    EXPECT_THROW(sum(large, {.target = "none"}), Error);
    EXPECT_THROW(dot(x, std::vector<double>(2)), Error);
    EXPECT_TRUE(std::isnan(sum(x)));
    EXPECT_EQ(sum(x, {.nan = NanPolicy::omit}), 4);
  }
}

TEST(ShortFold, MayRunInMoreThreadsThanItRemembersRequests) {
  const Data x = test::generate("normal", f64, 1000, 5);
  const ArrayRef a(x.data(), f64, {1000});
  std::vector<Value> expected;
  for (const OpRow& op : op_rows()) {
    if (op.about->inputs == 1) expected.push_back(by_name(op, a, nullptr, {}));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        std::size_t i = 0;
        for (const OpRow& op : op_rows()) {
          if (op.about->inputs == 2) continue;
          EXPECT_EQ(typed(op, a, nullptr, {}), expected[i++]);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

// The caller rounds towards zero and flushes subnormals: neither may change the answer, and both
// settings must be restored.
TEST(ShortFold, MindsNotTheModeOfTheCaller) {
  const std::vector<float> x{1e-40f, 0x1p24f, 1, 0.3f};
  const float expected = sum(x);
  const double mean_of_x = mean(std::vector<double>(x.begin(), x.end()));
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040 | 0x6000);
  const unsigned theirs = _mm_getcsr();
  const float got = sum(x);
  const double mean_got = mean(std::vector<double>(x.begin(), x.end()));
  const unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(mean_got, mean_of_x);
  EXPECT_EQ(after & ~0x3fu, theirs & ~0x3fu);
}

// Its destructor runs after the thread's remembered requests are destroyed.
struct FoldsLast {
  double* out;
  std::vector<double> x{1, 2, 4};
  ~FoldsLast() { *out = var(x); }
};

TEST(ShortFold, StillAnswersWhenTheThreadEnds) {
  double last = 0;
  std::thread([&last] {
    thread_local FoldsLast folds{&last};
    EXPECT_EQ(var(folds.x), 14.0 / 9);
  }).join();
  EXPECT_EQ(last, 14.0 / 9);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
