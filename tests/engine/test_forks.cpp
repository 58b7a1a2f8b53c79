// Children of fork can fold, even if threads of their parents fold at the same time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "onefold/logsumexp.hpp"
#include "onefold/onefold.hpp"
#include "onefold/quantile.hpp"
#include "onefold/system/forks.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

constexpr unsigned seconds_of_a_child = 30;

// Forks; the child runs `body`, and is killed if that takes too long.
pid_t start_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds_of_a_child);
    ::_exit(body());
  }
  return child;
}

// Returns a child's exit status; 128 plus the signal that ended it: 142 if it hung.
int ended(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Two chunks of the whole array, and two groups of rows, so that several threads have work.
const std::vector<float> floats(1 << 19, 0.1f);
const std::vector<double> doubles(1 << 12, 0.1);
const std::vector<int64_t> integers(1 << 12, 3);

// Folds whole arrays and axes of several types. Returns 0, or the number of a wrong answer.
int fold_some(int threads) {
  const Options o{.threads = threads};
  const ArrayRef table(floats.data(), f32, {256, 512}), halves(floats.data(), bf16, {1 << 12});
  if (sum(floats, o) != std::ldexp(0.1f, 19)) return 1;
  if (mean(doubles, o) != 0.1) return 2;
  if (sum(integers, o) != 3 << 12) return 3;
  const Options rows{.axes = 1, .threads = threads}, columns{.axes = 0, .threads = threads};
  if (fold("var", table, columns)["var"][1].as<float>() != 0) return 4;
  if (fold("max", table, rows)["max"][1].as<float>() != 0.1f) return 5;
  if (fold("count,count_zero,norm2,argmin", halves, o).get<int64_t>("count") != 1 << 12) return 6;
  const State state = gather("mean,var", doubles, o);
  if (State::load(state.save()).answer("mean").as<double>() != 0.1) return 7;
  if (median(doubles, o)[0].as<double>() != 0.1) return 8;
  if (logmeanexp(ArrayRef(doubles.data(), f64, {16}), o)[0].as<double>() != 0.1) return 9;
  return 0;
}

class ForkedChild : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ONEFOLD_STD_THREADS
    GTEST_SKIP() << "ThreadSanitizer ends children of fork that start threads";
#endif
  }
};

// Threads that fold until this object is destroyed.
class FoldingThreads {
 public:
  explicit FoldingThreads(int count) {
    for (int k = 0; k < count; ++k) {
      threads_.emplace_back([this, k] {
        while (!stop_) wrong_ += fold_some(k % 2 == 0 ? 0 : 2) != 0;
      });
    }
  }
  ~FoldingThreads() { stop_ = true; }
  int wrong() const { return wrong_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> wrong_{0};
  std::vector<std::jthread> threads_;
};

TEST_F(ForkedChild, FoldsWhateverItsParentsThreadsWereDoing) {
  // The parent is a new process, so its tables are being made while it forks.
  constexpr int parents = 20, children = 10;
  for (int k = 0; k < parents; ++k) {
    const int status = ended(start_child([] {
      const FoldingThreads threads(8);
      std::vector<pid_t> started;
      for (int c = 0; c < children; ++c) {
        started.push_back(start_child([] { return fold_some(0); }));
      }
      int bad = 0;
      for (const pid_t child : started) bad = std::max(bad, ended(child));
      return threads.wrong() != 0 ? 100 : bad;
    }));
    ASSERT_EQ(status, 0) << "parent " << k;
  }
}

TEST_F(ForkedChild, OfAThreadFoldsToo) {
  std::atomic<int> bad{0};
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&bad] {
        for (int c = 0; c < 5; ++c) {
          if (fold_some(0) != 0) ++bad;
          if (ended(start_child([] { return fold_some(0); })) != 0) ++bad;
        }
      });
    }
  }
  EXPECT_EQ(bad, 0);
}

TEST_F(ForkedChild, FoldsOnThreadsOfItsOwnIfItsParentUsedThePool) {
  ASSERT_EQ(std::string_view(thread_library()), "oneTBB");
  EXPECT_EQ(ended(start_child([] {
              return std::string_view(thread_library()) == "std::thread" ? fold_some(0) : 100;
            })),
            0);
}

TEST_F(ForkedChild, HasTheFirstUseOfWhatItsParentNeverUsed) {
  FirstUse used, unused;
  ASSERT_TRUE(used.is_here());
  EXPECT_EQ(ended(start_child([&] {
              const bool own = unused.is_here() && unused.is_here();
              return own && !used.is_here() && forks() == 1 ? 0 : 1;
            })),
            0);
  EXPECT_TRUE(used.is_here());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
