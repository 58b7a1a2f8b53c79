// Every feed of every instruction set gives exactly the words that `lift` gives.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "feed_check.hpp"
#include "generate.hpp"
#include "guarded.hpp"
#include "onefold/cpu/feed.hpp"
#include "scaled.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::Data;
using test::difference;
using test::Random;
using test::reference;
using test::Session;
using test::States;

struct Case {
  Target target;
  const Feed* feed;
};

std::string name_of_case(const Case& c) {
  std::string s =
      std::string(name_of(c.target)) + "_" + c.feed->name + "_" + name_of(c.feed->dtype);
  for (char& ch : s) {
    if (std::isalnum(static_cast<unsigned char>(ch)) == 0) ch = '_';
  }
  return s;
}
void PrintTo(const Case& c, std::ostream* out) { *out << name_of_case(c); }

// Portable feeds are in the table of every target but are tested only once.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Target t : usable_targets()) {
    for (const Feed& f : feeds(t)) {
      bool portable = false;
      for (const Feed& p : feeds(Target::portable)) portable |= p.open == f.open;
      if (!portable || t == Target::portable) list.push_back({t, &f});
    }
  }
  return list;
}

class EveryFeed : public testing::TestWithParam<Case> {
 protected:
  const Feed& feed() const { return *GetParam().feed; }
  std::size_t bytes() const { return bytes_of(feed().dtype); }
  bool two() const { return feed().provides.has(Accumulator::dot); }
  // Two sessions of several runs from any start. In the second session the words are not empty.
  void check_runs(Random& r, std::string_view generator, std::size_t most) const {
    const uint64_t seed = r() % 1000000;
    const Accumulators set = some(r);
    States got(set, feed().dtype), expected(set, feed().dtype);
    std::string what;
    Size first = r() % 100;
    for (const uint64_t session : {0u, 1u}) {
      const std::size_t n = test::pick_log(r, 200, session == 0 ? most : 3000);
      const std::size_t skip_x = r() % 64, skip_y = r() % 64;
      const Data x = test::generate(generator, feed().dtype, n + 64, seed + 2 * session);
      const Data y = test::generate(generator, feed().dtype, n + 64, seed + 2 * session + 1);
      what += test::describe(generator, feed().dtype, n + 64, seed + 2 * session) + " from " +
              std::to_string(skip_x) + " and " + std::to_string(skip_y) + " runs";
      reference(expected, x.at(skip_x), y.at(skip_y), n, first);
      Session s(feed(), got);
      for (std::size_t i = 0; i < n;) {
        const std::size_t m =
            r() % 8 == 0 ? n - i : std::min<std::size_t>(n - i, test::pick_log(r, 1, 9000));
        what += " " + std::to_string(m);
        s.run(x.at(skip_x + i), two() ? y.at(skip_y + i) : nullptr, m, first + i);
        i += m;
      }
      s.close();
      got.canonicalise();
      first += n;
      what += "; ";
    }
    ASSERT_EQ(difference(got, expected), "") << what;
  }
  // A non-empty subset of the accumulators that the feed provides; in half of the cases, all of
  // them.
  Accumulators some(Random& r) const {
    const uint32_t all = feed().provides.bits;
    const auto wanted = static_cast<uint32_t>(r()) & all;
    return Accumulators(r() % 2 == 0 || wanted == 0 ? all : wanted);
  }
};

// The array ends at the end of readable memory. Its start follows from its size, or is the start of
// a page.
TEST_P(EveryFeed, GivesTheWordsOfLiftForAllSmallSizesAndReadsNothingElse) {
  Random r(1);
  const std::size_t most = 200;
  test::Guarded x_memory(most * bytes()), y_memory(most * bytes());
  for (const std::string_view g : test::generators(feed().dtype)) {
    for (std::size_t n = 0; n <= most; ++n) {
      if (n > 70 && n % 7 != 0 && r() % 4 != 0) continue;  // other runs take the other sizes
      const uint64_t seed = r() % 1000;
      const Data x = test::generate(g, feed().dtype, n, seed),
                 y = test::generate(g, feed().dtype, n, seed + 1);
      const bool at_end = r() % 3 != 0;
      std::byte* px = at_end ? x_memory.end() - n * bytes() : x_memory.begin();
      std::byte* py = at_end ? y_memory.end() - n * bytes() : y_memory.begin();
      std::memcpy(px, x.data(), x.bytes());
      std::memcpy(py, y.data(), y.bytes());
      const Accumulators set = some(r);
      States got(set, feed().dtype), expected(set, feed().dtype);
      const Size first = r() % 2 == 0 ? 0 : r() % (Size{1} << 40);
      reference(expected, px, py, n, first);
      Session s(feed(), got);
      s.run(px, two() ? py : nullptr, n, first);
      s.close();
      got.canonicalise();
      ASSERT_EQ(difference(got, expected), "")
          << test::describe(g, feed().dtype, n, seed) << (at_end ? " at the end" : " at the begin");
    }
  }
}

TEST_P(EveryFeed, GivesTheWordsOfLiftForAnySizesOfRunsFromAnyStart) {
  Random r(2);
  for (const std::string_view g : test::generators(feed().dtype)) {
    for (int round = 0; round < 3 && !HasFatalFailure(); ++round) check_runs(r, g, 20000);
  }
}

// Sizes at and next to the powers of two from which blocks are made, in one run.
TEST_P(EveryFeed, GivesTheWordsOfLiftAtTheBordersOfBlocks) {
  Random r(3);
  const auto names = test::generators(feed().dtype);
  for (std::size_t power = 256; power <= 16384; power *= 2) {
    for (const std::size_t n : {power - 1, power, power + 1}) {
      for (int k = 0; k < 3; ++k) {
        const std::string_view g = names[r() % names.size()];
        const uint64_t seed = r() % 1000;
        const Data x = test::generate(g, feed().dtype, n, seed),
                   y = test::generate(g, feed().dtype, n, seed + 1);
        States got(feed().provides, feed().dtype), expected(feed().provides, feed().dtype);
        reference(expected, x.data(), y.data(), n, 5);
        Session s(feed(), got);
        s.run(x.data(), two() ? y.data() : nullptr, n, 5);
        s.close();
        got.canonicalise();
        ASSERT_EQ(difference(got, expected), "") << test::describe(g, feed().dtype, n, seed);
      }
    }
  }
}

// Without a run, or with empty runs only, the words stay as they were.
TEST_P(EveryFeed, LeavesTheWordsAloneWhereThereIsNothing) {
  const Data x = test::generate(test::generators(feed().dtype)[0], feed().dtype, 100, 1);
  States got(feed().provides, feed().dtype);
  reference(got, x.data(), x.data(), 100, 7);
  States expected = got;
  for (const int runs : {0, 1, 3}) {
    Session s(feed(), got);
    for (int k = 0; k < runs; ++k) s.run(x.data(), two() ? x.data() : nullptr, 0, 50);
    s.close();
    got.canonicalise();
    EXPECT_EQ(difference(got, expected), "") << runs << " empty runs";
  }
}

class LongEveryFeed : public EveryFeed {};

TEST_P(LongEveryFeed, GivesTheWordsOfLiftForManyMoreRuns) {
  Random r(4);
  for (const std::string_view g : test::generators(feed().dtype)) {
    for (int round = 0; round < test::scaled(100) && !HasFatalFailure(); ++round)
      check_runs(r, g, 50000);
  }
}

// The array is long enough to fill every window and bin up to the last addition before a flush.
TEST_P(LongEveryFeed, GivesTheWordsOfLiftForMillions) {
  Random r(5);
  for (const std::string_view g : test::generators(feed().dtype)) {
    if (!HasFatalFailure()) check_runs(r, g, 3000000);
  }
  const bool floating = is_floating(feed().dtype);
  for (int round = 0; round < 8 && !HasFatalFailure(); ++round) {
    check_runs(r, floating ? "all_ones" : "all_max", 3000000);
    check_runs(r, floating ? "one_bin" : "all_min", 3000000);
  }
}

INSTANTIATE_TEST_SUITE_P(Feeds, LongEveryFeed, testing::ValuesIn(cases()), [](const auto& info) {
  return std::to_string(info.index) + "_" + name_of_case(info.param);
});

INSTANTIATE_TEST_SUITE_P(Feeds, EveryFeed, testing::ValuesIn(cases()), [](const auto& info) {
  return std::to_string(info.index) + "_" + name_of_case(info.param);
});

TEST(ChooseFeeds, CoversEverySetForEveryTargetAndType) {
  for (const Target t : usable_targets()) {
    for (int d = 0; d < dtype_count; ++d) {
      for (uint32_t set = 1; set < uint32_t{1} << accumulator_count; ++set) {
        const Accumulators needs(set);
        if (needs.has(Accumulator::dot) && needs != Accumulators(Accumulator::dot)) continue;
        Accumulators covered;
        for (const Feed* f : choose_feeds(t, static_cast<DType>(d), needs)) {
          EXPECT_EQ(f->dtype, static_cast<DType>(d));
          EXPECT_FALSE((f->provides & needs).within(covered)) << f->name << " is of no use";
          covered = covered | f->provides;
        }
        EXPECT_TRUE(needs.within(covered)) << name_of(t) << " " << set;
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
