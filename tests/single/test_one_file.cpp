// single/onefold_exact.hpp against the library: states byte by byte, answers bit by bit.
#include <gtest/gtest.h>

#include <cstring>

#include "generate.hpp"
#include "one_file.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace {

using one_file::Bytes;
using one_file::Kind;
using one_file::Way;
using test::Data;

// The ops of a kind; a state of all of them has that kind's accumulators.
std::vector<std::string_view> ops_of(Kind kind) {
  if (kind == Kind::sum) return {"sum", "mean"};
  if (kind == Kind::var) return {"sum", "mean", "var", "std"};
  if (kind == Kind::moments) return {"sum", "mean", "var", "std", "skewness", "kurtosis"};
  return {"dot"};
}
std::string ops_text(Kind kind) {
  std::string all;
  for (const auto op : ops_of(kind)) all += (all.empty() ? "" : ",") + std::string(op);
  return all;
}
constexpr Kind kinds[] = {Kind::sum, Kind::var, Kind::moments, Kind::dot};

State gathered(Kind kind, const Data& x, const Data& y, std::size_t begin, std::size_t end) {
  const Dims shape(static_cast<int64_t>(end - begin));
  const ArrayRef a(x.at(begin), x.dtype(), shape), b(y.at(begin), x.dtype(), shape);
  return kind == Kind::dot ? gather("dot", a, b) : gather(ops_text(kind), a);
}
Bytes by_one_file(Kind kind, const Data& x, const Data& y, std::size_t begin, std::size_t end,
                  Way way, uint64_t seed = 0) {
  return one_file::gather(kind, name_of(x.dtype()), x.at(begin), y.at(begin), end - begin, way,
                          seed);
}

// Compares the answer of a state by both, of which one may be `overflow`.
void expect_same_answer(Kind kind, const State& state, std::string_view op, std::string_view result,
                        int ddof) {
  const DType t = state.dtype();
  SCOPED_TRACE(std::string(op) + " as " + std::string(result));
  Options options{.ddof = ddof};
  for (int k = 0; k < dtype_count; ++k) {
    if (result == name_of(static_cast<DType>(k))) options.result = static_cast<DType>(k);
  }
  const one_file::Answer ours = one_file::answer(kind, name_of(t), state.save(), op, result, ddof);
  const Value library = state.answer(op, options);
  EXPECT_EQ(ours.overflow, library.status == Status::overflow);
  EXPECT_EQ(ours.bits, library.bits);
}
void expect_same_answers(Kind kind, const State& state) {
  for (const auto op : ops_of(kind)) {
    for (const char* result : {"", "f64", "f32", "f16", "bf16"}) {
      for (const int ddof : {0, 1}) {
        // The one file has these ratios of the elements alone, not of a sample.
        if (ddof == 1 && (op == "skewness" || op == "kurtosis")) continue;
        expect_same_answer(kind, state, op, result, ddof);
      }
    }
    if (is_floating(state.dtype()) || (op != "sum" && op != "dot")) continue;
    for (const char* result : {"i8", "u64"}) expect_same_answer(kind, state, op, result, 0);
  }
}

// Calls f(x, y, n) for every type and generator.
template <class F>
void for_all_data(const F& f) {
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    for (const std::string_view g : test::generators(dtype)) {
      for (const std::size_t n :
           {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{3000}}) {
        SCOPED_TRACE(test::describe(g, dtype, n, 5));
        f(test::generate(g, dtype, n, 5), test::generate(g, dtype, n, 6), n);
      }
    }
  }
}

TEST(OneFile, GivesTheBytesOfTheLibraryInWhateverWayElementsCome) {
  for_all_data([](const Data& x, const Data& y, std::size_t n) {
    for (const Kind kind : kinds) {
      const Bytes library = gathered(kind, x, y, 0, n).save();
      EXPECT_EQ(by_one_file(kind, x, y, 0, n, Way::array), library);
      EXPECT_EQ(by_one_file(kind, x, y, 0, n, Way::one_by_one), library);
      for (const uint64_t seed : {1, 2}) {
        EXPECT_EQ(by_one_file(kind, x, y, 0, n, Way::parts, seed), library);
      }
    }
  });
}

TEST(OneFile, AnswersAsTheLibraryDoes) {
  for_all_data([](const Data& x, const Data& y, std::size_t n) {
    for (const Kind kind : kinds) expect_same_answers(kind, gathered(kind, x, y, 0, n));
  });
}

TEST(OneFile, HasTheNormOfTheLibrary) {
  for_all_data([](const Data& x, const Data&, std::size_t n) {
    const Bytes state = by_one_file(Kind::dot, x, x, 0, n, Way::array);
    for (const DType to : {f64, f32, f16, bf16}) {
      const ArrayRef a(x.at(0), x.dtype(), Dims(static_cast<int64_t>(n)));
      const Value expected = gather("norm2", a).answer("norm2", {.result = to});
      const auto ours =
          one_file::answer(Kind::dot, name_of(x.dtype()), state, "norm", name_of(to), 0);
      EXPECT_EQ(ours.bits, expected.bits) << name_of(to);
    }
  });
}

// A finite sum of any numbers of one exponent, and of neighbouring ones: the limits of blocks.
TEST(OneFile, AddsBlocksOfAnyExponents) {
  for (const DType t : {f16, bf16, f32, f64}) {
    for (int e = 0; e < test::exponents(t); e += t == f64 ? 7 : 1) {
      for (const int apart : {0, 1, 18, 19, 20, 21, 22, 23, 24, 30, 31, 32, 33, 36, 37, 38, 200}) {
        if (e + apart >= test::exponents(t)) continue;
        const bool negative = (e & 1) != 0;
        Data x = test::largest(t, e, negative, 512);
        const Data high = test::largest(t, e + apart, negative, 512);
        for (std::size_t i = 0; i < 512; ++i) {
          if (i % 256 != 0) x.set(i, high.bits(i));
        }
        EXPECT_EQ(by_one_file(Kind::sum, x, x, 0, 512, Way::array),
                  gathered(Kind::sum, x, x, 0, 512).save())
            << name_of(t) << ' ' << e << ' ' << apart;
      }
    }
  }
}

TEST(OneFile, LoadsStatesOfTheLibraryAndMergesThem) {
  for_all_data([](const Data& x, const Data& y, std::size_t n) {
    for (const Kind kind : kinds) {
      const std::size_t cut = n / 3;
      const State a = gathered(kind, x, y, 0, cut), b = gathered(kind, x, y, cut, n);
      State whole = a;
      whole.merge(b);
      EXPECT_EQ(one_file::merged(kind, name_of(x.dtype()), b.save(), a.save()), whole.save());
      EXPECT_EQ(State::load(by_one_file(kind, x, y, 0, n, Way::array)), whole);
    }
  });
}

TEST(OneFile, RemovesWhatTheLibraryRemoves) {
  int removed = 0;
  for_all_data([&](const Data& x, const Data& y, std::size_t n) {
    for (const Kind kind : kinds) {
      const std::size_t cut = n / 3;
      const State all = gathered(kind, x, y, 0, n), part = gathered(kind, x, y, 0, cut);
      State rest = all;
      std::optional<Bytes> expected;
      try {
        rest.remove(part);
        expected = rest.save();
        ++removed;
      } catch (const Error&) {  // what is left sums to 0
      }
      EXPECT_EQ(one_file::removed(kind, name_of(x.dtype()), all.save(), part.save()), expected);
    }
  });
  EXPECT_GT(removed, 1000);
}

TEST(OneFile, RefusesToRemoveMoreThanThereIs) {
  const auto bytes = [](std::vector<double> x) { return gather("sum", x).save(); };
  EXPECT_FALSE(one_file::removed(Kind::sum, "f64", bytes({1}), bytes({1, 2})));
  EXPECT_FALSE(one_file::removed(Kind::sum, "f64", bytes({-0.0}), bytes({1})));
  EXPECT_FALSE(one_file::removed(Kind::sum, "f64", bytes({0.0, 5}), bytes({5})));  // or -0?
  EXPECT_TRUE(one_file::removed(Kind::sum, "f64", bytes({-0.0, 5}), bytes({-0.0})));
}

// Every byte but those of the CRC is changed, and the CRC too.
TEST(OneFile, RefusesDamagedBytes) {
  const Bytes state = gather("var", std::vector<float>{1, -2.5f, 1e30f}).save();
  EXPECT_TRUE(one_file::merged(Kind::var, "f32", state, state));
  for (std::size_t i = 0; i < state.size(); ++i) {
    Bytes bad = state;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(one_file::merged(Kind::var, "f32", bad, state)) << i;
  }
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, state.size() - 1}) {
    EXPECT_FALSE(one_file::merged(
        Kind::var, "f32", Bytes(state.begin(), state.begin() + static_cast<int64_t>(n)), state));
  }
  EXPECT_FALSE(one_file::merged(Kind::var, "f64", state, state));
  EXPECT_FALSE(one_file::merged(Kind::sum, "f32", state, state));
  const Bytes omit = gather("var", std::vector<float>{1}, {.nan = NanPolicy::omit}).save();
  EXPECT_FALSE(one_file::merged(Kind::var, "f32", omit, state));
}

// 2^31 merges and more need carries in between.
TEST(OneFile, MergesOftenEnoughToPassCarries) {
  const std::vector<double> x{1.7976931348623157e308, -5e-324, 0.1};
  State library = gather("sum", x);
  Bytes ours = library.save();
  for (int k = 0; k < 40; ++k) {
    library.merge(State(library));
    ours = *one_file::merged(Kind::sum, "f64", ours, ours);
    ASSERT_EQ(ours, library.save()) << k;
  }
}

}  // namespace
}  // namespace onefold
