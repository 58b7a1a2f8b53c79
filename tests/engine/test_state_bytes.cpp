// Saved states: loading refuses damaged bytes and invalid words.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/saved_state.hpp"
#include "expect_error.hpp"
#include "onefold/message.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Bytes;
using test::expect_refused;
using test::of_share;
using test::refusal;
using test::seal;
using test::Spliced;
using test::words_of;

// A CRC computed bit by bit, as its definition says.
uint32_t slow_crc(std::span<const std::byte> bytes) {
  uint32_t crc = ~0u;
  for (const std::byte b : bytes) {
    crc ^= static_cast<uint32_t>(b);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

TEST(Crc, IsThatOfZlibAtAnyLength) {
  const char* const check = "123456789";
  EXPECT_EQ(crc32_of(check, 9), 0xcbf43926u);
  Bytes bytes;
  for (uint32_t v = 1; bytes.size() < 300; v = v * 1664525 + 1013904223) {
    EXPECT_EQ(crc32_of(bytes.data(), bytes.size()), slow_crc(bytes)) << bytes.size();
    bytes.push_back(static_cast<std::byte>(v >> 24));
  }
}

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(SavedState, OfAnotherKindIsNamedByTheRefusal) {
  const double x[2][2] = {{1, 2}, {3, 4}};
  const Bytes one = gather("sum", std::vector<double>{1, 2}).save();
  const Bytes many = gather_states("sum", {x, f64, {2, 2}}, {.axes = {0}}).save();
  test::expect_error(ErrorCode::bad_state,
                     {"load: these bytes are states of many slices, not a state"},
                     [&] { State::load(many); });
  test::expect_error(ErrorCode::bad_state,
                     {"load: these bytes are a state, not states of many slices"},
                     [&] { States::load(one); });
  test::expect_error(ErrorCode::bad_state, {"these bytes are not a state saved by this version"},
                     [&] { State::load(std::span(one).first(5)); });
  test::expect_error(ErrorCode::bad_state, {"these bytes are not states of many slices"},
                     [&] { States::load(std::as_bytes(std::span(x))); });
}

TEST(SavedState, OfAShareMergesWithSharesOfTheSameFilesAlone) {
  const Bytes plain = gather("sum", std::vector<double>{1, 2}).save();
  const State a = State::load(of_share(plain, 4, 7)), b = State::load(of_share(plain, 5, 8));
  EXPECT_EQ(a.save(), of_share(plain, 4, 7));
  State all = a;
  all.merge(a);
  EXPECT_EQ(all.answer("sum").as<double>(), 6);
  test::expect_error(ErrorCode::bad_state,
                     {"shares of different files (one of 4 elements, the other of 5 elements)"},
                     [&] { all.merge(b); });
  EXPECT_EQ(all.answer("sum").as<double>(), 6) << "it is as it was";
  EXPECT_NE(Message(a).kind(), Message(b).kind());
  EXPECT_EQ(Message(a).kind(), Message(all).kind());
  // A state that is no share merges with any state, in any order.
  State first = State::load(plain), last = b;
  first.merge(b);
  last.merge(State::load(plain));
  EXPECT_EQ(first, last);
  EXPECT_THROW(first.merge(a), Error);
  EXPECT_EQ(refusal(of_share(plain, 4, 0)),
            "load: it does not name the files of which it is a share");
}

TEST(SavedState, WhoseSumsContradictEachOtherIsRefused) {
  const std::vector<Spliced> cases{
      {"var", {1, 2}, Accumulator::sum, {1000, 1000}, "the variance is negative"},
      {"var", {100, 2}, Accumulator::sum, {-90, -90}, "the variance is negative"},
      {"var", {4, 4}, Accumulator::sumsq, {4, 3}, "the variance is negative"},
      {"var,count_zero", {1, 0, 0}, Accumulator::sum, {1, 1, 1}, "the variance is negative"},
      {"min,max", {1, 2}, Accumulator::least, {3, 4}, "the least element is above the greatest"},
      {"dot", {1, 2}, Accumulator::dot, {1}, "the counts of elements differ"},
      {"var", {1, 2}, Accumulator::tally, {1}, "the counts of elements differ"},
  };
  for (const Spliced& c : cases) {
    expect_refused<double>(c);
    expect_refused<float>(c);
    expect_refused<int32_t>(c);
  }
}

TEST(SavedState, WhoseCountsContradictEachOtherIsRefused) {
  for (const Spliced& c : std::vector<Spliced>{
           {"mean,min", {1, 2}, Accumulator::tally, {1, NAN}, "the NaNs do not match their count"},
           {"count,min",
            {1, NAN},
            Accumulator::tally,
            {NAN, NAN},
            "numbers do not match their count"},
           {"mean",
            {1, 2},
            Accumulator::tally,
            {NAN, NAN},
            "the sum is too large for its elements"},
           {"mean",
            {1, 2},
            Accumulator::tally,
            {-0.0, -0.0},
            "the sum is too large for its elements"},
           {"count_zero,mean", {0, 0}, Accumulator::tally, {inf, 0}, "more zeros than elements"},
           {"argmin,argmax",
            {1, 2},
            Accumulator::greatest,
            {2, 1},
            "the extremes and their indices disagree"},
           {"min,max", {NAN, 2}, Accumulator::least, {1, 2}, "the indices of the first NaN differ"},
       }) {
    expect_refused<double>(c);
    expect_refused<float>(c);
  }
}

// Each word gets small and large numbers: if the state loads, it answers, and saves the same bytes.
TEST(SavedState, WithAnyWordChangedIsRefusedOrAnswers) {
  const double x[] = {1, -2, 0, 5.5, 3};
  const char* const ops = "var,kurtosis,norm1,count_zero,argmin,argmax,count_nan";
  const Bytes good = gather(ops, x).save();
  int loaded = 0;
  for (int a = 0; a < accumulator_count; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (accumulator == Accumulator::dot || accumulator == Accumulator::decimal) continue;
    Bytes bytes = good;
    const std::span<std::byte> words = words_of(bytes, accumulator, f64);
    for (std::size_t at = 0; at < words.size(); at += 8) {
      for (const int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{6}, int64_t{1} << 31,
                              int64_t{1} << 32, -(int64_t{1} << 31), int64_max, -int64_max - 1}) {
        bytes = good;
        std::memcpy(&words[at], &v, 8);
        seal(bytes);
        if (!refusal(bytes).empty()) continue;
        const State state = State::load(bytes);
        EXPECT_EQ(state.save(), bytes);
        const double var = state.answer("var").as<double>();
        EXPECT_FALSE(var < 0) << name_of(accumulator) << " word " << at / 8 << " is " << v;
        state.answer("kurtosis").as<double>();
        EXPECT_LE(state.answer("argmin").as<int64_t>(), 4);
        loaded += bytes != good;
      }
    }
  }
  EXPECT_GT(loaded, 0);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
