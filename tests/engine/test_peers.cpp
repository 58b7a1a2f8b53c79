#include "onefold/engine/request/peers.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>

namespace ONEFOLD_FILE {

using namespace onefold;

// Threads that act as ranks.
class Ranks {
 public:
  explicit Ranks(std::size_t n) : n_(n), all_meet_(static_cast<std::ptrdiff_t>(n)), brought_(n) {}

  // Returns the message that f(peers) throws on each rank; "" if it throws nothing.
  template <class F>
  std::vector<std::string> run(F f) {
    std::vector<std::string> said(n_);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < n_; ++r) {
      threads.emplace_back([&, r] {
        Peers peers(r, n_, [&](std::span<const uint64_t> mine, std::span<uint64_t> all, bool) {
          brought_[r].assign(mine.begin(), mine.end());
          all_meet_.arrive_and_wait();
          for (std::size_t k = 0; !all.empty() && k < n_; ++k) {
            std::copy(brought_[k].begin(), brought_[k].end(),
                      all.begin() + static_cast<std::ptrdiff_t>(k * mine.size()));
          }
          all_meet_.arrive_and_wait();
          return true;
        });
        try {
          f(peers);
        } catch (const Error& e) {
          said[r] = std::to_string(static_cast<int>(e.code())) + " " + e.what();
          EXPECT_TRUE(peers.told());
        }
      });
    }
    for (std::thread& t : threads) t.join();
    return said;
  }

 private:
  std::size_t n_;
  std::barrier<> all_meet_;
  std::vector<std::vector<uint64_t>> brought_;
};

std::string code(ErrorCode c) { return std::to_string(static_cast<int>(c)) + " "; }

TEST(Peers, GetTheBytesOfEachRank) {
  const auto said = Ranks(3).run([](Peers& peers) {
    const std::vector<std::byte> mine(5 * peers.rank(), std::byte(7 + peers.rank()));
    const Peers::Bytes all = peers.gather(mine);
    for (std::size_t r = 0; r < 3; ++r) {
      ASSERT_EQ(all[r].size(), 5 * r);
      for (const std::byte b : all[r]) EXPECT_EQ(b, std::byte(7 + r));
    }
    EXPECT_EQ(peers.gather(peers.rank() * 10), (std::vector<uint64_t>{0, 10, 20}));
    peers.end();
  });
  EXPECT_EQ(said, std::vector<std::string>(3));
}
// Whichever rank fails, and before whichever call: all ranks throw the same error.
TEST(Peers, AllThrowWhatOneHasMetBeforeAnyCall) {
  constexpr std::size_t calls = 3;
  for (std::size_t bad = 0; bad < 3; ++bad) {
    for (std::size_t step = 0; step <= calls; ++step) {
      const auto said = Ranks(3).run([&](Peers& peers) {
        for (std::size_t k = 0; k <= calls; ++k) {
          if (peers.rank() == bad && k == step) {
            peers.fail(Error(ErrorCode::bad_token, "it holds five"));
          }
          if (k < calls) (void)peers.gather(std::vector<std::byte>(100 * peers.rank()), k != 1);
        }
        peers.end();
      });
      // If the other ranks have finished their work, the error names no rank.
      const std::string rank = step == calls ? "" : "rank " + std::to_string(bad) + ": ";
      EXPECT_EQ(said,
                std::vector<std::string>(3, code(ErrorCode::bad_token) + rank + "it holds five"))
          << bad << " " << step;
    }
  }
}
TEST(Peers, NameTheFirstOfSeveralThatFail) {
  const auto said = Ranks(4).run([&](Peers& peers) {
    if (peers.rank() >= 2) {
      peers.fail(Error(ErrorCode::truncated, std::string(peers.rank() * 100, 'x')));
    }
    (void)peers.gather(std::vector<std::byte>(10));
  });
  EXPECT_EQ(said, std::vector<std::string>(
                      4, code(ErrorCode::truncated) + "rank 2: " + std::string(200, 'x')));
}
// More bytes than any rank can allocate.
TEST(Peers, AllThrowWhereMemoryEndsWhileTheyMeet) {
  const std::byte some{};
  const auto said = Ranks(3).run([&](Peers& peers) {
    (void)peers.gather({&some, peers.rank() == 1 ? std::size_t{1} << 63 : 1});
  });
  for (const std::string& s : said) {
    EXPECT_TRUE(s.starts_with(code(ErrorCode::out_of_memory))) << s;
  }
}
TEST(Peers, AllThrowWhereOneHasEndedAndOthersWork) {
  const auto said = Ranks(3).run([&](Peers& peers) {
    if (peers.rank() != 1) (void)peers.gather(uint64_t{1});
    peers.end();
  });
  for (const std::string& s : said) EXPECT_TRUE(s.starts_with(code(ErrorCode::bad_state))) << s;
}

}  // namespace ONEFOLD_FILE
