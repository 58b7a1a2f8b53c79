// Answers from totals of a few f64 equal those from exact words, and only hard cases need exact
// words.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "generate.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/fold.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

constexpr const char* ops[] = {"sum", "mean", "min", "max"};

// Folds each column by itself, as a separate array.
std::vector<uint64_t> one_by_one(const char* op, const Data& x, Size rows, Size columns,
                                 const Options& o, std::vector<Status>& status) {
  std::vector<uint64_t> bits;
  Data column(x.dtype(), rows);
  Options options = o;
  options.axes = Axes();
  for (Size c = 0; c < columns; ++c) {
    for (Size r = 0; r < rows; ++r) column.set(r, x.bits(r * columns + c));
    const Answers a = fold(op, ArrayRef(column.data(), x.dtype(), {rows}), options);
    bits.push_back(a.list[0][0].bits);
    status.push_back(a.list[0].status[0]);
  }
  return bits;
}

void check(const char* op, const Data& x, Size rows, Size columns, const Options& o,
           const std::string& what) {
  std::vector<Status> status;
  const std::vector<uint64_t> expected = one_by_one(op, x, rows, columns, o, status);
  for (const Target t : usable_targets()) {
    Options options = o;
    options.axes = {0};
    options.target = name_of(t);
    const Answers a = fold(op, ArrayRef(x.data(), x.dtype(), {rows, columns}), options);
    for (Size c = 0; c < columns; ++c) {
      ASSERT_EQ(a.list[0].status[c], status[c]) << op << " " << name_of(t) << " " << c << what;
      if (status[c] != Status::ok) continue;
      ASSERT_EQ(a.list[0][c].bits, expected[c])
          << op << " of " << name_of(t) << ", column " << c << " of " << what;
    }
  }
}

TEST(Panels, GiveTheAnswersOfColumnsByThemselves) {
  Random r(1);
  for (const DType t : {f32, f64}) {
    for (const std::string_view g : test::generators(t)) {
      for (int round = 0; round < 4; ++round) {
        const Size rows = round == 0 ? 1 + r() % 4 : 1 + r() % 70, columns = 1 + r() % 90;
        const uint64_t seed = r() % 1000;
        const Data x = test::generate(g, t, rows * columns, seed);
        const NanPolicy nan = static_cast<NanPolicy>(r() % 3);
        for (const char* op : ops) {
          check(op, x, rows, columns, {.nan = nan},
                std::to_string(columns) + ": " + test::describe(g, t, rows * columns, seed));
        }
      }
    }
  }
}

// Each column has one special case: a sum that is a midpoint of two f32, next to one, or subnormal;
// NaN, infinities, intermediate overflow, or zeros of both signs.
template <class T>
void check_hard() {
  using L = std::numeric_limits<T>;
  const T inf = L::infinity(), nan = L::quiet_NaN(), tiny = L::denorm_min(), max = L::max();
  const T half = T(0.5) * L::epsilon();
  const std::vector<std::vector<T>> hard = {{nan, 1, 2},
                                            {1, nan, 2},
                                            {inf, 1, 2},
                                            {inf, -inf, 1},
                                            {max, max, -max},
                                            {max, max, max},
                                            {-T(0), -T(0), -T(0)},
                                            {-T(0), T(0), -T(0)},
                                            {1, -1, -T(0)},
                                            {1, half, 0},
                                            {1, half, tiny},
                                            {1, half, -tiny},
                                            {1 + 2 * half, half, 0},
                                            {tiny, tiny, tiny},
                                            {tiny, 0, 0},
                                            {max, half, -max},
                                            {1, half, half * half * half},
                                            {-1, -half, 0},
                                            {max, tiny, -max},
                                            {3, 3 * 2 * half, 0},
                                            {tiny, tiny, 0},
                                            {L::min(), -tiny, 0},
                                            {-tiny, -T(0), T(0)}};
  const DType t = dtype_of<T>;
  const auto n = static_cast<Size>(hard.size()) * 3;
  Data x(t, 3 * n);
  for (Size c = 0; c < n; ++c) {
    for (Size r = 0; r < 3; ++r) {
      const T v = c % 3 == 0 ? hard[c / 3][r] : static_cast<T>(c + r);
      x.set(r * n + c, bit_cast<bits_of<T>>(v));
    }
  }
  for (const char* op : ops) check(op, x, 3, n, {}, std::to_string(n) + " with hard ones");
}
TEST(Panels, LeaveHardColumnsToTheLongWay) {
  check_hard<float>();
  check_hard<double>();
}

// Quotients on both sides of a midpoint of two f32, as close as f64 sums allow.
TEST(Panels, RoundMeansOnce) {
  for (Size rows = 2; rows <= 64; ++rows) {
    const Size columns = 160;
    Data x(f32, rows * columns);
    for (Size c = 0; c < columns; ++c) {
      const float scale = c < 80 ? 1 : 0x1p-125f;  // the midpoints of subnormals are different
      const float n = static_cast<float>(rows);
      float last = std::ldexp(scale, -static_cast<int>(40 + c % 80 / 2));
      if (c % 2 == 1) last = -last;
      const float parts[] = {n * scale, n * std::ldexp(scale, c < 80 ? -24 : -25), last};
      for (Size r = 0; r < std::min<Size>(rows, 3); ++r) {
        const float v = rows == 2 && r == 1 ? parts[1] + parts[2] : parts[r];
        x.set(r * columns + c, bit_cast<uint32_t>(v));
      }
    }
    check("mean", x, rows, columns, {}, std::to_string(columns) + " near half ways");
  }
}

// A block has 512 columns, a task 32,768: there is a NaN on either side of the borders of both.
TEST(Panels, MayBeAnyNumberOfColumns) {
  for (const Size columns : {Size{511}, Size{513}, Size{32767}, Size{65537}}) {
    Data x = test::generate("normal", f32, 2 * columns, columns);
    for (const Size at : {Size{0}, Size{511}, Size{512}, Size{32767}, Size{32768}, columns - 1}) {
      if (at < columns) x.set(at, 0x7fc00000);
    }
    for (const int threads : {1, 2}) {
      const Answers sums = fold("sum,max", ArrayRef(x.data(), f32, {2, columns}), {.axes = {0}});
      for (const char* op : {"sum", "max"}) {
        const Answers a =
            fold(op, ArrayRef(x.data(), f32, {2, columns}), {.axes = {0}, .threads = threads});
        EXPECT_EQ(a[op].data, sums[op].data) << op << " of " << columns;
      }
    }
  }
}

// Sums by every method, of ordinary data: no answer needs exact words.
TEST(Panels, AreDecidedForTameData) {
  constexpr Size answers = 250, elements = 100;
  for (const Target target : usable_targets()) {
    if (panel_end(target) == nullptr) continue;
    for (const DType t : {bf16, f32, f64}) {
      const Data x = test::generate("normal", t, answers * elements, 1);
      const auto bytes = static_cast<int64_t>(bytes_of(t));
      std::vector<double> memory((answers + 8) * PanelTotals::word_count);
      PanelTotals totals;
      for (int w = 0; w < PanelTotals::word_count; ++w) {
        totals.word[w] = memory.data() + static_cast<Size>(w) * (answers + 8);
      }
      std::vector<std::byte> out(8 * answers);
      std::vector<uint8_t> decided(answers);
      for (const Statistic of : {total_of(Term::x), total_of(Term::magnitude), total_of(Term::xx),
                                 Statistic::variance}) {
        const PanelSums& ways = *panel_sums(target, of, t);
        const Panel rows{x.data(), bytes * static_cast<int64_t>(elements), bytes, answers,
                         elements};
        const Panel columns{x.data(), bytes, bytes * static_cast<int64_t>(answers), answers,
                            elements};
        QuickFormula f;
        f.elements = static_cast<double>(elements);
        f.n = f.elements;
        f.spread = of == Statistic::variance;
        f.root = of == Statistic::variance || of == total_of(Term::xx);
        for (const auto& [gather, panel] :
             {std::pair{ways.rows, rows}, std::pair{ways.columns, columns},
              std::pair{ways.careful, rows}}) {
          ASSERT_TRUE(gather(panel, totals)) << name_of(target) << " " << name_of(t);
          const RoundTotals round = panel_end(target)->round;
          ASSERT_EQ(round(f, nullptr, t, totals, answers, out.data(), decided.data()), answers)
              << name_of(target) << " " << name_of(t) << " " << static_cast<int>(of);
        }
      }
    }
  }
}

// Two words whose sum or mean is a midpoint, next to one, near the ends of the range, or any.
TEST(Panels, RoundTwoWordsOnce) {
  Random r(3);
  const auto number = [&r](int low, int high) {
    const double v = std::ldexp(static_cast<double>(r() % 3 == 0 ? r() % 9 : r() >> 11),
                                low + static_cast<int>(r() % static_cast<Size>(high - low)));
    return r() % 2 == 0 ? v : -v;
  };
  for (const Size n : {1, 2, 3, 7, 8, 63}) {
    std::vector<double> words(PanelTotals::word_count * 8);
    PanelTotals totals;
    totals.used = 1u << PanelTotals::high | 1u << PanelTotals::low;
    for (int w = 0; w < PanelTotals::word_count; ++w) totals.word[w] = words.data() + w * 8;
    const QuickFormula f{.elements = static_cast<double>(n), .n = static_cast<double>(n)};
    Size decided_all = 0;
    for (int round = 0; round < 400; ++round) {
      std::vector<std::vector<double>> parts;
      for (Size a = 0; a < 8; ++a) {
        // Now and then at the ends of what is rounded quickly: subnormals, 2^-900, 2^990, 2^1023.
        const int at = std::array{0, 0, 0, -1074, -1020, -960, 900, 965}[r() % 8];
        std::vector<double> x(n + 1, -0.0);
        x[0] = number(at, at + 6);
        x[1] = std::ldexp(number(0, 60), at - 110);
        if (x[1] == 0) x[1] = -0.0;  // a second word of 0 has no sign
        totals.word[PanelTotals::high][a] = x[0];
        totals.word[PanelTotals::low][a] = x[1];
        if (n != 1) x.pop_back();
        parts.push_back(x);
      }
      for (const Target target : usable_targets()) {
        const PanelEnd* const end = panel_end(target);
        if (end == nullptr) continue;
        double out[8];
        uint8_t decided[8];
        end->round(f, nullptr, f64, totals, 8, reinterpret_cast<std::byte*>(out), decided);
        for (Size a = 0; a < 8; ++a) {
          decided_all += decided[a];
          if (decided[a] == 0) continue;
          const Answers exact = fold(n == 1 ? "sum" : "mean", parts[a]);
          ASSERT_EQ(exact.list[0][0].bits, bit_cast<uint64_t>(out[a]))
              << name_of(target) << " " << parts[a][0] << " + " << parts[a][1] << ", n " << n;
        }
      }
    }
    EXPECT_TRUE(usable_targets().size() == 1 || decided_all > 2000) << n;
  }
}

// Each of a lane's n / lanes additions has an error of 2^-53 of its sum so far. For differences of
// equal magnitude the sum of magnitudes reaches the Cauchy-Schwarz bound.
TEST(Panels, KnowWhatRoundingMayLeaveOutOfLongRowsOfPairs) {
  constexpr Size elements = 1024;
  std::vector<float> x(elements, 1.0F);
  for (Size i = 2; i < elements; i += 2) x[i] = -1.0F;
  x[0] = 0.0F;
  const auto* const data = reinterpret_cast<const std::byte*>(x.data());
  const Panel row{
      .x = data, .element = 4, .answers = 1, .elements = elements, .y = data, .y_element = 4};
  for (const auto& [target, lanes] :
       {std::pair{Target::avx3, 8}, std::pair{Target::avx2, 4}, std::pair{Target::sse4, 2}}) {
    const std::span<const Target> usable = usable_targets();
    if (std::find(usable.begin(), usable.end(), target) == usable.end()) continue;
    std::vector<double> memory(PanelTotals::word_count * 8);
    PanelTotals totals;
    for (int w = 0; w < PanelTotals::word_count; ++w) totals.word[w] = memory.data() + w * 8;
    ASSERT_TRUE(panel_sums(target, Statistic::correlation, f32)->rows(row, totals));
    const double least = 0x1p-53 * (elements - 1) * elements / lanes;
    for (const int sum :
         {PanelTotals::high, PanelTotals::square, PanelTotals::fourth, PanelTotals::fifth}) {
      EXPECT_GE(totals.word[sum + PanelTotals::lost][0], least) << name_of(target) << " " << sum;
    }
  }
}

// Careful totals decide all short rows of f32: ties, tiny terms, cancelling rows, random bits.
TEST(Panels, AreDecidedCarefullyForAnyShortRowsOfF32) {
  for (const Target target : usable_targets()) {
    const PanelEnd* const end = panel_end(target);
    if (end == nullptr) continue;
    for (const char* g : {"random_bits", "half_ulp_ties", "cancellation", "borders", "zeros"}) {
      for (const Size elements : {3u, 8u, 20u, 64u}) {
        constexpr Size answers = 200;
        const Data x = test::generate(g, f32, answers * elements, elements);
        std::vector<double> memory(answers * PanelTotals::word_count);
        PanelTotals totals;
        for (int w = 0; w < PanelTotals::word_count; ++w)
          totals.word[w] = memory.data() + static_cast<Size>(w) * answers;
        std::vector<std::byte> out(4 * answers);
        std::vector<uint8_t> decided(answers);
        const Panel rows{x.data(), static_cast<int64_t>(4 * elements), 4, answers, elements};
        panel_sums(target, total_of(Term::x), f32)->careful(rows, totals);
        const Size sure = end->round({}, nullptr, f32, totals, answers, out.data(), decided.data());
        EXPECT_EQ(sure, answers) << g << " " << elements;
      }
    }
  }
}

// The remainder of each element after the first window is nearly half its unit, positive at even
// indices and negative at odd ones. So with vectors of two lanes, one lane's second window leaves
// its binade upwards and the other's downwards, and their sum looks normal.
TEST(Panels, SeeWindowsThatDriftApart) {
  for (const double part : {0x1.fp-42, 0x1.cp-42, 0x1.8p-42}) {
    for (const Size n : {512u, 700u, 1000u, 1024u}) {
      std::vector<double> x(2 * n);
      for (Size i = 0; i < x.size(); ++i) {
        x[i] = i % n < 2 ? 1.0 : i % 2 == 0 ? part : -part + (i % 16 == 1 ? 0x1p-83 : 0);
      }
      for (const Target t : usable_targets()) {
        const Answers by_rows =
            fold("sum", ArrayRef(x.data(), f64, {2, n}), {.axes = {1}, .target = name_of(t)});
        for (Size a = 0; a < 2; ++a) {
          const Answers alone = fold("sum", ArrayRef(x.data() + a * n, f64, {n}));
          EXPECT_EQ(by_rows.list[0][a].bits, alone.list[0][0].bits)
              << name_of(t) << " " << n << " " << part;
        }
      }
    }
  }
}

// i64 are folded as f64 up to 2^51, u64 up to 2^52, and by exact words beyond that.
TEST(Panels, HoldIntegersOf64Bits) {
  for (const DType t : {DType::i64, DType::u64}) {
    constexpr Size rows = 64, n = 9;
    Data x(t, rows * n);
    Random r(5);
    for (Size i = 0; i < x.size(); ++i) {
      const int shift = std::array{0, 50, 51, 52, 53, 62, 63}[r() % 7];
      uint64_t v = (uint64_t{1} << shift) + r() % 5 - 2;
      if (i / n % 3 == 0) v = r() % 1000;  // some rows have only small numbers
      if (t == DType::i64 && r() % 2 == 0) v = 0 - v;
      x.set(i, v);
    }
    for (const char* op :
         {"sum", "mean", "norm1", "sumsq", "var", "min", "argmax", "ptp", "norminf"}) {
      check(op, x, n, rows, {}, std::string(name_of(t)) + " " + op);
    }
  }
}

// Answers with NaN or infinities need no exact words; other answers are unchanged.
TEST(Panels, SettleWhatIsNotFinite) {
  const double inf = HUGE_VAL, nan = std::nan("");
  for (const Size n : {5u, 40u, 3000u}) {
    for (const bool by_columns : {false, true}) {
      const std::vector<std::vector<double>> ends = {{},          {inf},       {-inf},    {nan},
                                                     {inf, -inf}, {-inf, nan}, {inf, inf}};
      const Size rows = ends.size();
      std::vector<double> x(rows * n, 0.1);
      for (Size a = 0; a < rows; ++a) {
        for (Size k = 0; k < ends[a].size(); ++k) {
          const Size i = k == 0 ? n - 1 : n / 2;
          x[by_columns ? i * rows + a : a * n + i] = ends[a][k];
        }
      }
      const ArrayRef array(x.data(), f64, by_columns ? Dims{n, rows} : Dims{rows, n});
      const Answers a = fold("sum,norm2,var", array, {.axes = {by_columns ? 0 : 1}});
      const auto bits = [](double v) { return bit_cast<uint64_t>(v); };
      const double sums[] = {0, inf, -inf, nan, nan, nan, inf},
                   norms[] = {0, inf, inf, nan, inf, nan, inf};
      for (Size k = 1; k < rows; ++k) {
        EXPECT_EQ(a["sum"][k].bits, bits(sums[k])) << k << " of " << n;
        EXPECT_EQ(a["norm2"][k].bits, bits(norms[k])) << k << " of " << n;
        EXPECT_EQ(a["var"][k].bits, bits(nan)) << k << " of " << n;
      }
    }
  }
}

// Elements that are not contiguous are copied piece by piece.
TEST(Panels, CopyLongOnesInPieces) {
  constexpr Size n = 40000, answers = 3;
  Data x = test::generate("integers", f32, 2 * n * answers, 11);
  for (const bool by_rows : {false, true}) {
    const int64_t row = by_rows ? 8 * static_cast<int64_t>(n) : 8;
    const int64_t element = by_rows ? 8 : 8 * static_cast<int64_t>(answers);
    const ArrayRef all(x.data(), f32, {answers, n}, {row, element});
    for (const char* op : {"max", "argmin", "ptp", "sum", "var"}) {
      const Answers a = fold(op, all, {.axes = {1}});
      for (Size k = 0; k < answers; ++k) {
        const ArrayRef one(x.data() + static_cast<int64_t>(k) * row, f32, {n}, {element});
        EXPECT_EQ(a.list[0][k].bits, fold(op, one).list[0][0].bits) << op << k << by_rows;
      }
    }
  }
}

// Rows that are reversed in memory, and rows that are the same memory.
TEST(Panels, MayLieAnywhere) {
  const Data x = test::generate("normal", f32, 3 * 100, 7);
  const auto* p = x.data();
  const Answers forward = fold("sum", ArrayRef(p, f32, {3, 100}), {.axes = {0}});
  const Answers back = fold("sum", ArrayRef(p + 800, f32, {3, 100}, {-400, 4}), {.axes = {0}});
  EXPECT_EQ(forward["sum"].data, back["sum"].data);
  const Answers same = fold("max", ArrayRef(p, f32, {5, 100}, {0, 4}), {.axes = {0}});
  EXPECT_EQ(std::memcmp(same["max"].data.data(), p, 400), 0);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
