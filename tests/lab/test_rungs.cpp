// Every rung on the simulated machine. The corrected version is right and has no flaw; the
// published version has exactly its known flaws.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "lab/answer.hpp"
#include "lab/ladder.hpp"
#include "lab/simulate.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

constexpr Size lengths[] = {0, 1, 31, 33, 1000, (1 << 14) + 3};

std::vector<unsigned> blocks_of(const Entry& e) {
  std::vector<unsigned> blocks;
  for (unsigned b = e.about.min_block; b <= 1024; b *= 2) blocks.push_back(b);
  return blocks;
}

std::string describe(const sim::Flaw& f) {
  std::ostringstream out;
  out << name_of(f.kind) << ' ' << f.at.file << ':' << f.at.line << ':' << f.at.column << " with "
      << f.other.line << ':' << f.other.column << " in " << f.space << '[' << f.element
      << "], block " << f.block << ", threads";
  for (const unsigned t : f.threads) out << ' ' << t;
  return out.str();
}

class Rungs : public testing::TestWithParam<const Entry*> {};

TEST_P(Rungs, AreRightAndWithoutFlawAtAnyLengthBlockAndSchedule) {
  const Entry& e = *GetParam();
  for (const Size n : lengths) {
    const auto x = elements(n, 1);
    for (const unsigned block : blocks_of(e)) {
      Setting s{.n = n, .block = block, .schedules = 8};
      const auto r = simulate(e, false, s, x);
      ASSERT_TRUE(r);
      EXPECT_TRUE(r->correct) << "n " << n << " block " << block;
      for (const auto& f : r->report.flaws) {
        ADD_FAILURE() << "n " << n << " block " << block << ": " << describe(f);
      }
      if (HasFailure()) return;
    }
  }
}

// Each sync, sync_warp and bounds test of a rung is needed: without it the machine reports a flaw
// at one of these settings.
TEST_P(Rungs, NeedEachOfTheirSyncsAndBoundsTests) {
  const Entry& e = *GetParam();
  if (!e.has_kernel()) GTEST_SKIP() << "no kernel text";
  struct Case {
    Size n;
    unsigned block;
    Size grid = 4;
  };
  const Case cases[] = {{1000, 64}, {33, 128},     {5000, 256},
                        {1, 32},    {3000, 32, 3}, {9000, 1024, 2}};
  std::vector<sim::Site> left;
  for (const Case& c : cases) {
    const auto r = simulate(e, false, {.n = c.n, .block = c.block, .grid = c.grid, .schedules = 1},
                            elements(c.n, 1));
    ASSERT_TRUE(r);
    for (const auto* sites : {&r->report.sync_sites, &r->report.inside_sites}) {
      for (const sim::Site& s : *sites) {
        if (std::find(left.begin(), left.end(), s) == left.end()) left.push_back(s);
      }
    }
  }
  ASSERT_FALSE(left.empty());
  for (const sim::Site& site : left) {
    bool objected = false;
    for (const Case& c : cases) {
      const auto r = simulate(
          e, false, {.n = c.n, .block = c.block, .grid = c.grid, .schedules = 2, .without = site},
          elements(c.n, 1));
      objected = !r->report.flaws.empty();
      if (objected) break;
    }
    EXPECT_TRUE(objected) << site.file << ':' << site.line << ':' << site.column;
  }
}

TEST(OnefoldItself, RoundsOnceAndHasAllOpsAndTypes) {
  const Entry& e = *find_rung(reduce_ladder(), "onefold_itself");
  // 2^24 and a one: float cannot hold 2^24 + 1, so adding the ones one by one stops at 2^24.
  std::vector<int32_t> x(1 << 12, 1);
  x[0] = 1 << 24;
  const auto r = simulate(e, false, {.type = Type::f32, .n = x.size()}, x);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->correct);
  EXPECT_EQ(std::get<double>(r->result), double((1 << 24) + (1 << 12)));  // 4095 to even
  const Entry& loop = *find_rung(reduce_ladder(), "cpu_loop");
  const auto plain = simulate(loop, false, {.type = Type::f32, .n = x.size()}, x);
  EXPECT_EQ(std::get<double>(plain->result), double(1 << 24));
  for (const Type type : {Type::i32, Type::i64, Type::f32, Type::f64}) {
    for (const Op op : {Op::sum, Op::min, Op::max}) {
      for (const Size n : {Size{0}, Size{1}, Size{5003}}) {
        const auto o = simulate(e, false, {.type = type, .op = op, .n = n}, elements(n, 1));
        ASSERT_TRUE(o);
        EXPECT_TRUE(o->correct) << n;
      }
    }
  }
}

// An exact rung must give the nearest number; other rungs may have rounding errors.
TEST(Answers, OfAnExactRungAreTheNearestOnes) {
  const Value want = double((1 << 25) + 3);
  const float below = (1 << 25), nearest = (1 << 25) + 4;
  Plan p;
  p.roundings = 8;
  EXPECT_TRUE(right(below, want, p, Op::sum));
  p.exact = true;
  EXPECT_FALSE(right(below, want, p, Op::sum));
  EXPECT_TRUE(right(nearest, want, p, Op::sum));
}

class Twins : public testing::TestWithParam<const Entry*> {};

// Each published kernel has its known flaws at some length, block or schedule, and no others.
TEST_P(Twins, HaveTheFlawsThatAreKnownAndNoOthers) {
  const Entry& e = *GetParam();
  unsigned seen = 0;
  std::string first[7];
  for (const Size n : lengths) {
    const auto x = elements(n, 1);
    for (const unsigned block : blocks_of(e)) {
      const auto r = simulate(e, true, {.n = n, .block = block, .schedules = 4}, x);
      ASSERT_TRUE(r);
      for (const auto& f : r->report.flaws) {
        const auto k = static_cast<int>(f.kind);
        if ((seen >> k & 1) == 0) {
          first[k] =
              "n " + std::to_string(n) + " block " + std::to_string(block) + ": " + describe(f);
        }
        seen |= 1u << k;
      }
    }
  }
  for (unsigned k = 0; k < 7; ++k) {
    const bool expected = (e.twin.flaws >> k & 1) != 0, found = (seen >> k & 1) != 0;
    const char* name = name_of(static_cast<sim::FlawKind>(k));
    EXPECT_EQ(found, expected) << name << (found ? " was found, " + first[k] : " was not found");
  }
}

class LongRungs : public testing::TestWithParam<const Entry*> {};

// Lengths above a million, no power of two: corrected without flaw, published with known flaws.
TEST_P(LongRungs, AreAsTheyShouldBeAtAMillionAndThree) {
  const Entry& e = *GetParam();
  const Setting s{.n = (Size{1} << 20) + 3};
  const auto x = elements(s.n, 1);
  const auto r = simulate(e, false, s, x);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->correct);
  for (const auto& f : r->report.flaws) ADD_FAILURE() << describe(f);
  if (!e.has_twin) return;
  const auto twin = simulate(e, true, s, x);
  ASSERT_TRUE(twin);
  EXPECT_FALSE(twin->report.flaws.empty());
  for (const auto& f : twin->report.flaws) {
    EXPECT_NE(e.twin.flaws >> static_cast<int>(f.kind) & 1, 0u) << describe(f);
  }
}

std::vector<const Entry*> with_twins() {
  std::vector<const Entry*> v;
  for (const Entry* e : reduce_ladder()) {
    if (e->has_twin) v.push_back(e);
  }
  return v;
}

constexpr auto name_of_rung = [](const auto& i) { return std::string(i.param->name); };
INSTANTIATE_TEST_SUITE_P(, Rungs, testing::ValuesIn(simulated_rungs()), name_of_rung);
INSTANTIATE_TEST_SUITE_P(, LongRungs, testing::ValuesIn(simulated_rungs()), name_of_rung);
INSTANTIATE_TEST_SUITE_P(, Twins, testing::ValuesIn(with_twins()), name_of_rung);

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
