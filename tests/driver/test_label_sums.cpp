// Sums and counts by labels on the simulated device, by each method: tables of one or three
// windows, sums in memory, limbs, and the counting sort for data that none of these can add.
#include <cmath>
#include <limits>
#include <random>

#include "driver/device.hpp"
#include "expect_error.hpp"
#include "gpu/axes.hpp"
#include "onefold/cuda/label_sums.hpp"
#include "onefold/fold.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// Numbers of launches. Sums: begin, gather, number, rest, answer. Sort: clear, count, place, sort,
// two for segments, and one for undecided answers.
constexpr long sums = 5, sort = 7;

template <class T>
struct CaseOf {
  Size groups = 50;
  std::vector<T> x;
  std::vector<int32_t> labels;

  // A function of the index computes the elements; groups are random. If `hot`, half of the
  // elements are in one group.
  template <class F>
  static CaseOf of(Size n, Size groups, F element, bool hot = false) {
    CaseOf c{.groups = groups, .x = {}, .labels = {}};
    std::mt19937_64 r(n + groups);
    for (Size i = 0; i < n; ++i) {
      c.x.push_back(element(i, r));
      c.labels.push_back(static_cast<int32_t>(hot && r() % 2 == 0 ? groups / 3 : r() % groups));
    }
    return c;
  }
  // Returns what is wrong with the device's answers, or nothing; counts launches.
  std::string flaws(const std::string& ops, long& launches,
                    NanPolicy nan = NanPolicy::propagate) const {
    Options options{.nan = nan};
    const Answers expected = fold_by(ops, labels, x, {.groups = groups, .options = options});
    options.device = cuda();
    const Deferred deferred;
    std::string heard;
    control().flaws = "";
    control().heard = &heard;
    const Answers got = fold_by(ops, labels, x, {.groups = groups, .options = options});
    control().heard = nullptr;
    launches = 0;
    for (std::size_t at = 0; (at = heard.find("cuLaunchKernel", at)) != std::string::npos; ++at) {
      ++launches;
    }
    return text_of(got, expected) + control().flaws;
  }
};
using Case = CaseOf<float>;

template <class T>
void expect(const CaseOf<T>& c, long launches, NanPolicy nan = NanPolicy::propagate,
            std::initializer_list<const char*> requests = {"sum", "sum,mean,count"}) {
  for (const char* ops : requests) {
    long launched = 0;
    EXPECT_EQ(c.flaws(ops, launched, nan), "") << ops;
    EXPECT_EQ(launched, launches) << ops;
  }
}
// The same of squares.
void expect_squares(const Case& c, long launches, NanPolicy nan = NanPolicy::propagate) {
  expect(c, launches, nan, {"mean,var", "rms"});
}

float normal(Size, std::mt19937_64& r) {
  return static_cast<float>(std::normal_distribution<double>()(r));
}
float of_sizes(std::mt19937_64& r, int binades) {
  const int exponent = static_cast<int>(r() % static_cast<unsigned>(binades)) - binades / 2;
  return std::ldexp(1.5f + normal(0, r) / 16, exponent) * (r() % 2 == 0 ? -1.f : 1.f);
}

TEST(SimulatedLabelSums, AreMadeInTables) {
  for (const Size groups : {1, 3, 200, 4'000, 12'000, 20'000})
    expect(Case::of(9'000, groups, normal), sums);
  expect(Case::of(9'001, 300, normal, true), sums);
}

TEST(SimulatedLabelSums, OfSquaresAreMadeInTables) {
  for (const Size groups : {1, 3, 200, 4'000}) {
    expect_squares(Case::of(9'000, groups, normal), sums);
  }
  expect_squares(Case::of(9'001, 300, normal, true), sums);
  // The mean is far from 0, or there is no variance.
  const auto far = [](Size i, std::mt19937_64& r) { return 1e4f + normal(i, r); };
  const auto equal = [](Size, std::mt19937_64&) { return 0.1f; };
  expect_squares(Case::of(5'000, 7, far), sums);
  expect_squares(Case::of(5'000, 7, equal), sums);
  // Neither in memory, nor of elements that need more windows than one.
  expect_squares(Case::of(9'000, 20'000, normal), sort);
  const auto spread = [](Size, std::mt19937_64& r) { return of_sizes(r, 50); };
  expect_squares(Case::of(6'000, 40, spread), sums + sort);
}

TEST(SimulatedLabelSums, OfSpreadElementsHaveThreeWindows) {
  const auto spread = [](Size, std::mt19937_64& r) { return of_sizes(r, 50); };
  expect(Case::of(6'000, 40, spread), sums);
  // A table has no room for so many groups; a larger table, or memory, has.
  expect(Case::of(9'000, 7'000, spread), 2 * sums);
  expect(Case::of(9'000, 15'000, spread), 2 * sums);
}

TEST(SimulatedLabelSums, OfManyGroupsAreMadeInMemory) {
  const auto some_far = [](Size i, std::mt19937_64& r) {
    return i % 1500 == 7 ? std::ldexp(1.f, 100) : i % 1500 == 9 ? 1e-40f : normal(i, r);
  };
  expect(Case::of(15'003, 40'000, normal), sums);
  expect(Case::of(15'000, 40'000, some_far, true), sums);
}

// Of 64 bits: tables of three and of four words, and memory.
TEST(SimulatedLabelSums, OfLongFloatsAreIntegersOfSeveralWords) {
  using Long = CaseOf<double>;
  const auto any = [](Size, std::mt19937_64& r) { return std::normal_distribution<double>()(r); };
  for (const Size groups : {1, 3, 200, 4'000, 7'000, 20'000}) {
    expect(Long::of(9'000, groups, any), sums);
  }
  expect(Long::of(9'001, 300, any, true), sums);
  const auto spread = [&](Size i, std::mt19937_64& r) {
    return std::ldexp(any(i, r), static_cast<int>(r() % 30));
  };
  expect(Long::of(6'000, 40, spread), sums);
  // Three words have room for so many groups, four in the larger table.
  expect(Long::of(9'000, 7'000, spread), 2 * sums, NanPolicy::propagate, {"sum"});
  expect(Long::of(9'000, 5'500, spread), 2 * sums, NanPolicy::propagate, {"sum,mean,count"});
  expect(Long::of(15'000, 40'000, any), sums);
  const auto wild = [&](Size i, std::mt19937_64& r) {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN(),
                     most = std::numeric_limits<double>::max();
    constexpr double all[] = {inf, -inf, nan, most, -most, 5e-324, -1e-310, 3e200, -0.0, 1e-200};
    return i % 800 == 1 ? all[i / 800 % 10] : any(i, r);
  };
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    expect(Long::of(8'000, 30, wild), sums, nan);
    expect(Long::of(15'000, 40'000, wild, true), sums, nan);
  }
  const auto zeros = [](Size i, std::mt19937_64&) { return i % 7 == 0 ? 0.0 : -0.0; };
  expect(Long::of(3'000, 500, zeros), sums);
}

// 2^31 elements below 2^96 units fit 128 bits, more need not. A table of two windows has four words
// for each group, of one three.
TEST(SimulatedLabelSums, OfVeryManyLongFloatsHaveOneWindow) {
  const std::vector<double> x(1);
  cuda_backend::Engine& engine = cuda_backend::Engine::of(0);
  const auto bytes = [&](Size n) {
    Plan plan = make_plan("sum", ArrayRef(x), nullptr, {});
    plan.elements = n;
    const backend::Labels labels{
        .type = i32, .groups = 100, .stride = 4, .x_stride = 8, .refuse = {}};
    const cuda_backend::Destination to{};
    return cuda_backend::label_sum_bytes(engine, plan, labels, {}, {&to, 1});
  };
  const Size most = Size{1} << 31;
  EXPECT_EQ(bytes(most), bytes(most - 1));
  EXPECT_EQ(bytes(most + 1) + 8 * 100, bytes(most));
}

TEST(SimulatedLabelSums, OfLongIntegersAreExactOrOverflow) {
  const auto any = [](Size, std::mt19937_64& r) { return static_cast<int64_t>(r()); };
  const auto some = [](Size, std::mt19937_64& r) { return static_cast<int64_t>(r()) >> 20; };
  for (const Size groups : {3, 4'000, 40'000}) {
    expect(CaseOf<int64_t>::of(15'000, groups, any, true), sums);
    expect(CaseOf<int64_t>::of(15'000, groups, some), sums);
  }
  const auto without_sign = [](Size, std::mt19937_64& r) { return r(); };
  for (const Size groups : {3, 40'000}) {
    expect(CaseOf<uint64_t>::of(15'000, groups, without_sign), sums, NanPolicy::propagate, {"sum"});
  }
}

TEST(SimulatedLabelSums, KeepWhatFitsNoWindow) {
  const auto wild = [](Size i, std::mt19937_64& r) {
    constexpr float inf = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN(),
                    most = std::numeric_limits<float>::max();
    constexpr float all[] = {inf, -inf, nan, most, most, -most, 1e-45f, -1e-39f, 3e20f, -3e20f};
    return i % 800 == 1 ? all[i / 800 % 10] : normal(i, r);
  };
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    expect(Case::of(8'000, 30, wild), sums, nan);
    expect_squares(Case::of(8'000, 30, wild), sums, nan);
  }
}

TEST(SimulatedLabelSums, PassOverManyNanThatAreOmitted) {
  const auto missing = [](Size i, std::mt19937_64& r) {
    return r() % 3 == 0  ? std::numeric_limits<float>::quiet_NaN()
           : i % 97 == 0 ? -0.f
                         : normal(i, r);
  };
  for (const Size groups : {30, 40'000}) {
    expect(Case::of(9'000, groups, missing, true), sums, NanPolicy::omit);
  }
  // There are more NaN than the list can hold.
  expect(Case::of(9'000, 30, missing), sums + sort, NanPolicy::propagate);
}

TEST(SimulatedLabelSums, AreNegativeZeroWhereAllElementsAre) {
  // Groups with only -0, both zeros, numbers that cancel, NaN and -0, and no element.
  Case c{.groups = 6, .x = {}, .labels = {}};
  for (int i = 0; i < 1500; ++i) {
    const int group = i % 5;
    const float one = i / 5 % 2 == 0 ? 1.f : -1.f;
    c.labels.push_back(group);
    c.x.push_back(group == 2               ? one
                  : group == 1 && i > 1000 ? 0.f
                  : group == 3 && i < 30   ? std::nanf("")
                                           : -0.f);
  }
  c.labels.push_back(4);
  c.x.push_back(1e-45f);
  expect(c, sums);
  expect(c, sums, NanPolicy::omit);
}

TEST(SimulatedLabelSums, OfAnySizesAreSorted) {
  const auto any = [](Size, std::mt19937_64& r) { return of_sizes(r, 240); };
  expect(Case::of(8'000, 50, any), sums + sort);
  // The sample reads every third element; the list has no room for the others.
  const auto hidden = [](Size i, std::mt19937_64& r) { return i % 3 == 1 ? 1e30f : normal(i, r); };
  expect(Case::of(12'000, 50, hidden), sums + sort);
}

TEST(SimulatedLabelSumsOfNoGroup, AreOneErrorAndLeadNowhere) {
  for (const Size groups : {50, 40'000}) {
    for (const int64_t wrong : {int64_t{-1}, static_cast<int64_t>(groups), int64_t{1} << 40}) {
      const Deferred deferred;
      const Case c = Case::of(15'000, groups, normal);
      std::vector<int64_t> labels(c.labels.begin(), c.labels.end());
      labels[14'321] = labels[14'999] = wrong;
      control().flaws = "";
      const std::string message = "sum: label 14321 is " + std::to_string(wrong);
      expect_error(ErrorCode::bad_option, {message.c_str()}, [&] {
        fold_by("sum", labels, c.x, {.groups = groups, .options = {.device = cuda()}});
      });
      EXPECT_EQ(control().flaws, "");
    }
  }
}

// The host reads the results of this call's kernels, not those of the call before.
TEST(SimulatedLabelSums, AreReadWhenTheirKernelsHaveEnded) {
  const Case one = Case::of(3'000, 50, normal);
  const Case sorted =
      Case::of(3'000, 50, [](Size, std::mt19937_64& r) { return of_sizes(r, 240); });
  const Case larger_tables =
      Case::of(9'000, 5'521, [](Size, std::mt19937_64& r) { return of_sizes(r, 50); });
  // This fold's words remain where the next call's words will be.
  fold_by("sum", one.labels, one.x, {.groups = one.groups, .options = {.device = cuda()}});
  long launched = 0;
  for (const Case* c : {&larger_tables, &one, &sorted, &one}) {
    EXPECT_EQ(c->flaws("sum,mean,count", launched), "");
    EXPECT_EQ(launched, c == &one ? sums : c == &sorted ? sums + sort : 2 * sums);
  }
}

// A launch gathers 2^19 elements for each block.
TEST(LongSimulatedLabelSums, OfManyElementsTakeSeveralLaunches) {
  Case c = Case::of((Size{4} << 19) + 12'345, 3, normal);
  long launched = 0;
  EXPECT_EQ(c.flaws("sum", launched), "");
  EXPECT_EQ(launched, sums + 1);
}

}  // namespace ONEFOLD_FILE
