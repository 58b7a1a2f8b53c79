// Accumulators and ops that were added by one file each. They have no feed, or one in one backend
// only, so kernels lift them. This test is compiled with its own lists (include/), and so not
// linked with the library.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "onefold/cuda/kernel/axes.hpp"
#include "onefold/cuda/kernel/whole.hpp"
#include "onefold/machine/sim.hpp"

namespace {

using namespace onefold;
using kernel::Stage;

// The definition: lifts all elements one by one.
template <class T, uint32_t set>
std::vector<int64_t> lifted(const std::vector<T>& x, const std::vector<T>& y) {
  using State = kernel::StateOf<T, set>;
  std::vector<int64_t> words(State::words);
  const auto one = [&]<class A>(Accumulator a) {
    int64_t* const w = words.data() + State::offset(a);
    if constexpr (Small<A>) {
      typename A::State s;
      for (std::size_t i = 0; i < x.size(); ++i) A::lift(s, x[i], i);
      store_state<A>(w, s);
    } else {
      const auto sink = [&](int k, int64_t v) { w[k] += v; };
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (TwoInputs<A>) {
          A::lift(sink, x[i], y[i], i);
        } else {
          A::lift(sink, x[i], i);
        }
      }
      A::canonicalise(w);
    }
  };
#define ONEFOLD_ENTRY(name)                                           \
  if constexpr (State::has(Accumulator::name)) {                      \
    one.template operator()<accumulator::name<T>>(Accumulator::name); \
  }
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
  return words;
}

template <class T, uint32_t set>
void canonicalise_all(std::vector<int64_t>& words) {
  using State = kernel::StateOf<T, set>;
#define ONEFOLD_ENTRY(name)                                                              \
  if constexpr (State::has(Accumulator::name) && !Small<accumulator::name<T>>) {         \
    accumulator::name<T>::canonicalise(words.data() + State::offset(Accumulator::name)); \
  }
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
}

// Runs the launches of a fold, or the single one for all elements, on the simulated machine.
struct Folded {
  std::vector<int64_t> words;     // canonical; for a fold without ops
  std::vector<uint64_t> answers;  // for ops whose answers are f64
};
template <class T, uint32_t set, kernel::OpSet ops, Stage... launches>
Folded run(const std::vector<T>& x, const std::vector<T>& y, unsigned grid) {
  using namespace kernel;
  using State = StateOf<T, set>;
  constexpr int U = 2, warps = 2;
  sim::Engine gpu({.schedule = 1, .count = false});
  const std::vector<int64_t> zeros(State::words * replicas + arrival_words);
  const std::vector<int64_t> no_rivals(std::size_t{3} * most_rival_words * grid);
  const uint32_t none_counted[counters] = {};
  const Input<Sim, T> input{.x = gpu.allocate<T>("x", x.size(), x.data(), 1),
                            .y = gpu.allocate<T>("y", y.size(), y.data(), 0),
                            .n = x.size(),
                            .first = 0};
  constexpr auto follows = [](Stage d) { return ((d == launches) || ...); };
  Stages stages{.grid = {grid, follows(Stage::wide) ? grid : 0, follows(Stage::bins) ? grid : 0},
                .warps = warps,
                .bin_warps = warps,
                .enough = 1};
  const Workspace<Sim> workspace{
      .counters = gpu.allocate<uint32_t>("counters", counters, none_counted),
      .words = gpu.allocate<int64_t>("words", zeros.size(), zeros.data()),
      .rivals = gpu.allocate<int64_t>("rivals", no_rivals.size(), no_rivals.data()),
      .lists = gpu.allocate<uint32_t>("lists", std::size_t{3} * stages.stride(), nullptr)};
  Results<Sim, ops> results{.state = gpu.allocate<int64_t>("state", State::words, nullptr),
                            .correction = {},
                            .nan = NanPolicy::propagate,
                            .place = {}};
  constexpr int answers = count_ops(ops);
  const auto values = gpu.allocate<uint8_t>("answers", 8 * answers + 8, nullptr);
  for (int k = 0; k < answers; ++k) {
    results.place[k] = {values + 8 * k, values, DType::f64, false};
  }
  const auto launch = [&]<Stage stage>() {
    if constexpr (has_launch(dtype_of<T>, Accumulators(set), stage)) {
      constexpr int bins = has_bins(dtype_of<T>, Accumulators(set), stage)
                               ? bin_bytes(dtype_of<T>, Accumulators(set))
                               : 0;
      sim::launch(gpu, {.grid = grid, .block = 32 * warps, .shared_bytes = 32 * warps * bins}, [&] {
        whole<T, set, U, warps, ops, stage>(Sim{}, input, workspace, results, stages);
      });
    }
  };
  (launch.template operator()<launches>(), ...);
  EXPECT_TRUE(gpu.report().flaws.empty());
  Folded folded{.words = std::vector<int64_t>(State::words),
                .answers = std::vector<uint64_t>(answers)};
  if (ops == 0) {
    gpu.read(results.state, folded.words.data(), folded.words.size());
    canonicalise_all<T, set>(folded.words);
  } else {
    std::vector<uint8_t> bytes(8 * answers);
    gpu.read(values, bytes.data(), bytes.size());
    std::memcpy(folded.answers.data(), bytes.data(), bytes.size());
  }
  return folded;
}
template <class T, uint32_t set, Stage... launches>
std::vector<int64_t> folded(const std::vector<T>& x, const std::vector<T>& y, unsigned grid) {
  return run<T, set, 0, launches...>(x, y, grid).words;
}

// Elements of few binades, then of many; some are NaN or infinite.
template <class T>
std::vector<T> elements(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const uint64_t bits = random();
    if constexpr (std::is_floating_point_v<T>) {
      const double v = static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-63;
      x[i] = static_cast<T>(i > n / 2 && bits % 3 == 0 ? v * 1e30 : v);
      if (bits % 1000 == 7) x[i] = static_cast<T>(1.0 / (v - v));
    } else {
      x[i] = bit_cast<T>(static_cast<bits_of<T>>(bits));
    }
  }
  return x;
}

template <class T, Accumulator... list>
void check() {
  constexpr uint32_t set = (Accumulators(list) | ... | Accumulators()).bits;
  for (const std::size_t n : {1, 31, 600, 4096, 20'000}) {
    const auto x = elements<T>(n, 1), y = elements<T>(n, 2);
    const auto expected = lifted<T, set>(x, y);
    EXPECT_EQ((folded<T, set, Stage::first, Stage::wide, Stage::bins>(x, y, 3)), expected) << n;
    EXPECT_EQ((folded<T, set, Stage::first>(x, y, 1)), expected) << n << " in one launch";
    if (kernel::has_launch(dtype_of<T>, Accumulators(set), Stage::single)) {
      EXPECT_EQ((folded<T, set, Stage::single>(x, y, 3)), expected) << n << " alone";
    }
  }
}

using enum Accumulator;

TEST(AddedAccumulator, WithoutAFeedIsLifted) {
  check<double, negatives>();
  check<float, negatives>();
  check<int32_t, negatives>();
  check<uint8_t, negatives>();
}
TEST(AddedAccumulator, OfMoreThan128BitsIsLifted) {
  check<double, cubes>();
  check<float, cubes, negatives>();
  check<int64_t, cubes>();
}
// The result is right whatever the other feeds do with a chunk: add it, lift some of its elements,
// or leave it to bins.
TEST(AddedAccumulator, BesideFeedsIsLifted) {
  check<float, negatives, sum, tally>();
  check<double, negatives, sum, sumsq, tally>();
  check<double, negatives, cubes, least, greatest, sumsq, zeros, tally>();
  check<bfloat16, negatives, sum>();
  check<float16, negatives, sumsq, tally>();
  check<int8_t, negatives, sum, greatest>();
}
// On a device products have a feed for floats, and none for integers.
TEST(AddedAccumulator, BesideOneWithAFeedOnOneBackendIsLifted) {
  check<float, dot, negatives>();
  check<double, dot, negatives>();
  check<int32_t, dot>();
  check<int32_t, dot, negatives>();
}

constexpr kernel::OpSet bit(kernel::OpIndex op) { return kernel::bit_of(op); }

// Returns the answers of `ops` of f64, alone or together, as a processor gives them.
template <kernel::OpSet ops, Accumulator... list>
void check_answers() {
  constexpr uint32_t set = (Accumulators(list) | ... | Accumulators()).bits;
  using State = kernel::StateOf<double, set>;
  for (const std::size_t n : {1, 100, 5000}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 7) - 2.75;
    const std::vector<int64_t> words = lifted<double, set>(x, x);
    Gathered g;
    for (const Accumulator a : {list...}) {
      g.words[static_cast<int>(a)] = words.data() + State::offset(a);
    }
    std::vector<uint64_t> expected;
#define ONEFOLD_ENTRY(name)                                             \
  if constexpr (kernel::asks(ops, kernel::OpIndex::name##_)) {          \
    expected.push_back(round(op::name##_::finish(g), DType::f64).bits); \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    EXPECT_EQ((run<double, set, ops, Stage::first, Stage::wide, Stage::bins>(x, x, 3).answers),
              expected)
        << n;
  }
}

// An op that declares no steps gets all of them.
TEST(AddedOp, ThatSettlesZeroBeforeItDividesIsDividedAloneAndBesideOthers) {
  using kernel::OpIndex;
  check_answers<bit(OpIndex::mean0_), sum, tally>();
  check_answers<bit(OpIndex::mean0_) | bit(OpIndex::sum_), sum, tally>();
  check_answers<bit(OpIndex::share_negative_), negatives, tally>();
  check_answers<bit(OpIndex::share_negative_) | bit(OpIndex::mean0_) | bit(OpIndex::max_), sum,
                tally, negatives, greatest>();
}

// Formulas that neither quick numbers nor shortcuts of kernels compute.
TEST(AddedOp, WithAFormulaOfItsOwnIsAnsweredByExactWords) {
  using kernel::OpIndex;
  check_answers<bit(OpIndex::deficit_) | bit(OpIndex::half_sum_), sum, tally>();
  check_answers<bit(OpIndex::half_least_), least>();
  check_answers<bit(OpIndex::radius_) | bit(OpIndex::half_least_), least, greatest>();
  check_answers<bit(OpIndex::root_norm1_), sumabs, tally>();
}
// Totals of floats are rounded sums, which need a recipe.
TEST(AddedOp, HasNoTotalsOfFloatsWithoutARecipe) {
  using kernel::has_totals, kernel::bit_of, kernel::OpIndex;
  EXPECT_TRUE((has_totals<float, bit_of(OpIndex::mean_)>()));
  EXPECT_TRUE((has_totals<double, bit_of(OpIndex::half_sum_)>()));
  EXPECT_TRUE((has_totals<int32_t, bit_of(OpIndex::mean0_)>()));
  EXPECT_FALSE((has_totals<float, bit_of(OpIndex::mean0_)>()));
  EXPECT_FALSE((has_totals<double, bit_of(OpIndex::mean0_) | bit_of(OpIndex::sum_)>()));
  EXPECT_FALSE((has_totals<float, bit_of(OpIndex::deficit_)>()));
  EXPECT_FALSE((has_totals<float, bit_of(OpIndex::root_norm1_)>()));
  EXPECT_FALSE((has_totals<float, bit_of(OpIndex::counter_dot_)>()));
  EXPECT_FALSE((has_totals<int8_t, bit_of(OpIndex::counter_dot_)>()));
}

// Folds a (5, 12, 7) array along some axes, by the kernel for any nest, with answers in `parts`.
template <class T, Accumulator... list>
void check_axes(uint32_t parts, bool selects_elements) {
  using namespace kernel;
  constexpr uint32_t set = (Accumulators(list) | ... | Accumulators()).bits;
  using State = StateOf<T, set>;
  constexpr Size extent[3] = {5, 12, 7}, stride[3] = {84, 7, 1}, n = 420;
  const auto x = elements<T>(n, 1), y = elements<T>(n, 2);
  std::vector<uint8_t> mask(n);
  for (Size i = 0; i < n; ++i) mask[i] = i % 5 != 2;
  for (unsigned folded = 1; folded < 7; ++folded) {
    sim::Engine gpu({.schedule = 1, .count = false});
    NestInput<Sim, T> input{.x = gpu.allocate<T>("x", n, x.data(), 1),
                            .y = gpu.allocate<T>("y", n, y.data(), 0),
                            .mask = gpu.allocate<uint8_t>("mask", n, mask.data(), 0),
                            .answers = 1,
                            .elements = 1,
                            .chosen = {.masked = selects_elements},
                            .axis = {}};
    unsigned axes_there = 0;
    for (const bool of_elements : {false, true}) {
      Size& count = of_elements ? input.elements : input.answers;
      for (unsigned d = 3; d-- > 0;) {
        if ((folded >> d & 1) != (of_elements ? 1u : 0u)) continue;
        const auto apart = static_cast<int64_t>(stride[d]);
        input.axis[axes_there++] = {.extent = extent[d],
                                    .stride = {apart, apart, apart},
                                    .step = static_cast<int64_t>(count)};
        ++(of_elements ? input.folded : input.kept);
        count *= extent[d];
      }
    }
    Deal deal;
    deal.answers = input.answers;
    deal.part = (input.elements + parts - 1) / parts;
    deal.parts = static_cast<uint32_t>((input.elements + deal.part - 1) / deal.part);
    const std::vector<uint32_t> no_tickets(input.answers);
    const Scratch<Sim> scratch{
        .tickets = gpu.allocate<uint32_t>("tickets", no_tickets.size(), no_tickets.data()),
        .left = gpu.allocate<int64_t>("left", input.answers * deal.parts * State::words, nullptr),
        .undecided = {}};
    const Results<Sim, 0> results{
        .state = gpu.allocate<int64_t>("states", input.answers * State::words, nullptr),
        .correction = {},
        .nan = NanPolicy::propagate,
        .place = {}};
    sim::launch(gpu, {.grid = 3, .block = 64}, [&] {
      if (selects_elements) {
        axes<T, set, 0, Walk::nest, true>(Sim{}, input, scratch, results, deal);
      } else {
        axes<T, set, 0, Walk::nest>(Sim{}, input, scratch, results, deal);
      }
    });
    EXPECT_TRUE(gpu.report().flaws.empty());
    std::vector<int64_t> all(input.answers * State::words);
    gpu.read(results.state, all.data(), all.size());
    for (Size a = 0; a < input.answers; ++a) {
      std::vector<T> of_x, of_y;
      const int64_t from = answer_at<true, true>(input, a).x;
      for (Size e = 0; e < input.elements; ++e) {
        const auto at = static_cast<Size>(from + element_at<true, true>(input, e).x);
        if (selects_elements && mask[at] == 0) continue;
        of_x.push_back(x[at]);
        of_y.push_back(y[at]);
      }
      const auto* const begin = all.data() + a * State::words;
      std::vector<int64_t> words(begin, begin + State::words);
      canonicalise_all<T, set>(words);
      ASSERT_EQ(words, (lifted<T, set>(of_x, of_y))) << "axes " << folded << ", answer " << a;
    }
  }
}

TEST(AddedAccumulator, AlongAxesIsLifted) {
  for (const uint32_t parts : {1, 3}) {
    check_axes<double, negatives>(parts, false);
    check_axes<float, cubes, negatives>(parts, false);
    check_axes<int64_t, cubes>(parts, false);
    check_axes<int32_t, negatives>(parts, true);
  }
}
TEST(AddedAccumulator, AlongAxesBesideOthersIsLifted) {
  check_axes<double, negatives, cubes, least, greatest, sumsq, zeros, tally>(2, false);
  check_axes<bfloat16, negatives, sum>(1, true);
  check_axes<float, dot, negatives>(1, false);
}

// Numbers with few digits, at any limb: the functions for 128 bits and for any length must agree.
TEST(WideDeposit, PutsTheDigitsWhereThoseOf128BitsGo) {
  const Uint128 v = (static_cast<Uint128>(0x123456789abcdef0u) << 64) | 0xfedcba9876543210u;
  const uint32_t digits[4] = {0x76543210u, 0xfedcba98u, 0x9abcdef0u, 0x12345678u};
  for (int position = 0; position < 70; ++position) {
    for (const bool negative : {false, true}) {
      std::array<int64_t, 8> a{}, b{};
      deposit([&](int k, int64_t d) { a[static_cast<std::size_t>(k)] += d; }, v, negative,
              position);
      deposit([&](int k, int64_t d) { b[static_cast<std::size_t>(k)] += d; }, digits, negative,
              position);
      EXPECT_EQ(a, b) << position;
    }
  }
}

}  // namespace
