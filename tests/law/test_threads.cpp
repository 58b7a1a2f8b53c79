// Folds from many threads, inside the caller's own pool, and under any floating-point mode of the
// caller give the same bits.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "check.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/parallel.hpp"
#include "scaled.hpp"

#ifndef ONEFOLD_STD_THREADS
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;

ArrayRef all_of(const Data& x) { return {x.data(), x.dtype(), {static_cast<int64_t>(x.size())}}; }

bool same(const Answers& a, const Answers& b) {
  if (a.list.size() != b.list.size()) return false;
  for (std::size_t k = 0; k < a.list.size(); ++k) {
    if (a.list[k].data != b.list[k].data || a.list[k].status != b.list[k].status) return false;
  }
  return true;
}

// Large enough for several threads: 1.5 MB and an odd rest.
Data large(DType t, std::string_view generator) {
  return test::generate(generator, t, (3u << 19) / bytes_of(t) + 37, 1);
}

TEST(Threads, AnyNumberOfThemGivesTheSameBits) {
  for (const DType t : {f32, f64, bf16, i64, u8}) {
    const Data x = large(t, is_floating(t) ? "blocks" : "random");
    const std::string ops = test::ops_of_one_array(t);
    const Answers one = fold(ops, all_of(x), {.threads = 1});
    for (const int threads : {0, 2, 3, 7, 64}) {
      EXPECT_TRUE(same(fold(ops, all_of(x), {.threads = threads}), one))
          << name_of(t) << " " << threads;
    }
  }
}

// Groups of answers and parts of their elements are dealt to threads. Sums, spreads, extremes,
// their indices and counts of the parts are joined.
TEST(Threads, GiveTheSameBitsAlongAxes) {
  struct Fold {
    Dims shape;  // 0: the remaining elements
    int64_t axis;
  };
  const Fold folds[] = {{{0, 3}, 0}, {{0, 40}, 0},   {{0, 200}, 0},    {{0, 3000}, 0},
                        {{5, 0}, 0}, {{13, 0}, 0},   {{20, 0}, 1},     {{0, 5000}, 1},
                        {{0, 7}, 1}, {{9, 3, 0}, 1}, {{2, 0, 300}, 1}, {{0, 40, 16}, 1}};
  for (const DType t : {f32, f64, i32, u8}) {
    const Data x = large(t, is_floating(t) ? "blocks" : "random");
    Data mask(boolean, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) mask.set(i, i % 3 != 0);
    for (const Fold& f : folds) {
      Dims shape = f.shape;
      int64_t known = 1;
      for (const int64_t n : shape) known *= n == 0 ? 1 : n;
      for (int k = 0; k < shape.rank(); ++k) {
        if (shape[k] == 0) shape[k] = static_cast<int64_t>(x.size()) / known;
      }
      const ArrayRef of(x.data(), t, shape), where(mask.data(), boolean, shape);
      for (const char* op :
           {"sum", "mean", "var", "min", "ptp", "argmin", "argmax", "count_zero"}) {
        for (const bool masked : {false, true}) {
          Options o{.axes = {f.axis}, .threads = 1};
          if (masked) o.where = where;
          const Answers one = fold(op, of, o);
          for (const int threads : {2, 7}) {
            o.threads = threads;
            EXPECT_TRUE(same(fold(op, of, o), one))
                << op << " " << name_of(t) << " " << to_string(shape) << " " << threads;
          }
        }
      }
    }
  }
}

// With and without NaN to omit: then a second fold leaves them out.
TEST(Threads, OmitTheSameNan) {
  Data x = large(f64, "normal");
  for (std::size_t i = 0; i < x.size(); i += 911) x.set(i, 0x7ff8000000000000);
  for (const int64_t columns : {3, 200, 3000}) {
    const ArrayRef of(x.data(), f64, {static_cast<int64_t>(x.size()) / columns, columns});
    for (const char* op : {"mean", "var", "max", "argmax"}) {
      const Answers one = fold(op, of, {.axes = {0}, .nan = NanPolicy::omit, .threads = 1});
      for (const int threads : {2, 7, 16}) {
        EXPECT_TRUE(
            same(fold(op, of, {.axes = {0}, .nan = NanPolicy::omit, .threads = threads}), one))
            << op << " " << columns << " " << threads;
      }
    }
  }
}

// Helpers are asked for more loops than they know, and for loops inside loops.
TEST(Threads, DoEachTaskOfNestedLoopsOnce) {
  for (int round = 0; round < test::scaled(200); ++round) {
    std::vector<std::atomic<int>> done(40 * 25);
    parallel(40, 0,
             [&](std::size_t k) { parallel(25, 0, [&](std::size_t i) { ++done[k * 25 + i]; }); });
    for (const auto& d : done) ASSERT_EQ(d, 1);
  }
  std::atomic<int> done{0};
  EXPECT_THROW(parallel(40, 0,
                        [&](std::size_t k) {
                          parallel(25, 0, [&](std::size_t i) {
                            if (k == 7 && i == 20) throw std::runtime_error("7, 20");
                            ++done;
                          });
                        }),
               std::runtime_error);
  EXPECT_GE(done, 20);
}

TEST(Threads, OfTheirOwnDoEachTaskOnce) {
  for (const int threads : {0, 1, 3, 1 << 20}) {
    for (const std::size_t tasks : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> done(tasks);
      in_threads(tasks, threads, [&](std::size_t t) { ++done[t]; });
      for (const auto& d : done) EXPECT_EQ(d, 1) << threads << " threads, " << tasks << " tasks";
    }
    std::atomic<int> done{0};
    EXPECT_THROW(in_threads(1000, threads,
                            [&](std::size_t t) {
                              if (t == 10) throw std::runtime_error("10");
                              ++done;
                            }),
                 std::runtime_error);
    EXPECT_GE(done, 10);
  }
}

// The system allows no more threads, so the calling thread does all work.
TEST(Threads, ThatCannotBeStartedAreDoneWithout) {
  const Data x = large(f64, "normal");
  const Answers expected = fold("var,argmax", all_of(x), {.threads = 1});
  for (const bool own : {false, true}) {
    const auto in_child = [&] {
      const rlimit one{1, 1};
      if (setrlimit(RLIMIT_NPROC, &one) != 0 || (getuid() == 0 && setuid(65534) != 0)) _exit(2);
      std::vector<std::atomic<int>> done(100);
      (own ? in_threads : parallel)(100, 4, [&](std::size_t t) { ++done[t]; });
      for (const auto& d : done) {
        if (d != 1) _exit(3);
      }
      for (int k = 0; k < 3; ++k) {
        if (!same(fold("var,argmax", all_of(x), {.threads = 4}), expected)) _exit(4);
      }
      _exit(0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
  }
}

TEST(Threads, ManyMayFoldAtOnce) {
  std::vector<Data> data;
  std::vector<Answers> expected;
  for (const DType t : {f64, f32, f16, i32}) {
    data.push_back(large(t, test::generators(t)[0]));
    data.push_back(test::generate(test::generators(t)[0], t, 100, 2));
  }
  for (const Data& x : data) expected.push_back(fold("var,argmax,norm1,any", all_of(x)));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < 8; ++k) {
      threads.emplace_back([&, k] {
        for (std::size_t i = 0; i < 3 * data.size(); ++i) {
          const std::size_t d = (i + k) % data.size();
          wrong += !same(fold("var,argmax,norm1,any", all_of(data[d])), expected[d]);
          const State state = State::load(gather("sum,argmin", all_of(data[d])).save());
          wrong += state.count() != data[d].size();
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

#ifndef ONEFOLD_STD_THREADS
TEST(Threads, FoldsWorkInsideTheTasksOfTheCaller) {
  const Data x = large(f64, "normal");
  const Answers expected = fold("var,argmax", all_of(x));
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 40, [&](int k) {
    wrong += !same(fold("var,argmax", all_of(x), {.threads = k % 4}), expected);
  });
  tbb::task_arena narrow(1);
  narrow.execute([&] { wrong += !same(fold("var,argmax", all_of(x)), expected); });
  EXPECT_EQ(wrong, 0);
}

// A fold that waits for its own tasks must not run one of the caller's, which may need a lock that
// the fold's thread holds.
TEST(Threads, FoldsUnderALockOfTheCallerDoNotTakeItsOtherTasks) {
  const Data x = large(f32, "normal");
  for (const int threads : {0, 2}) {
    std::mutex mutex;
    std::atomic<int> done{0};
    tbb::parallel_for(0, 60, [&](int) {
      const std::lock_guard lock(mutex);
      fold("sum,max", all_of(x), {.threads = threads});
      ++done;
    });
    EXPECT_EQ(done, 60);
  }
}

TEST(Threads, MoreOfThemThanThereAreCoresPrintNothing) {
  const Data x = large(f32, "normal");
  testing::internal::CaptureStderr();
  fold("sum", all_of(x), {.threads = 1000});
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    fold("sum", all_of(x), {.threads = 2});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}
#endif

// Sets a floating-point mode and puts the old one back.
class Mode {
 public:
  explicit Mode(unsigned bits) : saved_(_mm_getcsr()) { _mm_setcsr(bits); }
  ~Mode() { _mm_setcsr(saved_); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  unsigned saved_;
};

constexpr unsigned masked = 0x1f80, flush = 0x8040;
constexpr unsigned modes[] = {masked | flush,          masked | 0x2000,
                              masked | 0x4000,         masked | 0x6000,
                              masked | flush | 0x6000, 0x0000 /* every exception traps */};

class CallersMode : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, CallersMode, testing::Values(f16, bf16, f32, f64, i64, u8),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(CallersMode, ChangesNoAnswerAndIsNotChanged) {
  const DType t = GetParam();
  for (const std::string_view g : test::generators(t)) {
    for (const std::size_t n : {std::size_t{5}, std::size_t{3000}}) {
      const Data x = test::generate(g, t, n, 3), y = test::generate(g, t, n, 4);
      const std::string ops = test::ops_of_one_array(t);
      for (const std::string_view target : cpu_targets()) {
        const Options options{.ddof = 0.5, .target = target};
        const Answers expected = fold(ops, all_of(x), options);
        const Answers sums = fold("sum", all_of(x), options);
        const Answers product = fold("dot", all_of(x), all_of(y), options);
        for (const unsigned bits : modes) {
          bool right = true;
          unsigned after = 0;
          {
            const Mode mode(bits);
            right &= same(fold(ops, all_of(x), {.ddof = 0.5, .target = target}), expected);
            right &= same(fold("sum", all_of(x), options), sums);
            right &= same(fold("dot", all_of(x), all_of(y), options), product);
            after = _mm_getcsr();
          }
          ASSERT_TRUE(right) << test::describe(g, t, n, 3) << " " << target << std::hex << bits;
          ASSERT_EQ(after, bits) << target;
        }
      }
    }
  }
}

TEST_P(CallersMode, ChangesNoAnswerOfSeveralThreads) {
  const DType t = GetParam();
  const Data x = large(t, is_floating(t) ? "blocks" : "random");
  const Answers expected = fold("var,norm1,argmin", all_of(x));
  for (const unsigned bits : modes) {
    bool right = true;
    {
      const Mode mode(bits);
      right = same(fold("var,norm1,argmin", all_of(x)), expected) &&
              same(fold("var,norm1,argmin", all_of(x), {.threads = 2}), expected);
    }
    EXPECT_TRUE(right) << std::hex << bits;
  }
}

TEST(CallersMode, ChangesNoAnswerOfTypedCalls) {
  const std::vector<double> subnormal(9, 0x1p-1074), x{1, 0x1p-53, 0x1p-80};
  for (const unsigned bits : modes) {
    double s = 0, t = 0, v = 0;
    unsigned after = 0;
    {
      const Mode mode(bits);
      s = sum(subnormal);
      t = sum(x);
      v = std::get<0>(fold<var, mean>(x, {.ddof = 1}));
      after = _mm_getcsr();
    }
    EXPECT_EQ(s, 9 * 0x1p-1074) << std::hex << bits;
    EXPECT_EQ(t, 1 + 0x1p-52) << std::hex << bits;
    EXPECT_EQ(v, var(x, {.ddof = 1})) << std::hex << bits;
    EXPECT_EQ(after, bits);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
