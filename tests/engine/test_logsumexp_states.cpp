// States of logsumexp: merged in any order they have the words of the whole, and its answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/core/exponential/state.hpp"
#include "onefold/engine/crc32.hpp"
#include "onefold/engine/vectors.hpp"
#include "onefold/logsumexp.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;
using test::Random;
constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<uint64_t> words_of(const LogsumexpStates& s) {
  return {s.words().begin(), s.words().end()};
}
template <class T>
T only(const Answer& a) {
  EXPECT_EQ(a.status[0], Status::ok);
  return a.values<T>()[0];
}

double drawn(Random& r, int kind) {
  const double unit = static_cast<double>(r() >> 11) * 0x1p-53;
  switch (kind) {
    case 0:
      return 8 * unit - 4;
    case 1:
      return 400 * unit - 200;
    case 2:
      return -static_cast<double>(r() % 3) * 16;
    case 3:
      return r() % 8 == 0 ? -inf : 100 * unit;
    case 4:
      return std::exp2(static_cast<double>(r() % 1900) - 1000) * (r() % 2 == 0 ? 1 : -1);
    case 5:
      return r() % 50 == 0 ? (r() % 2 == 0 ? inf : std::nan("")) : unit;
    default:
      return -unit * 0x1p-40;
  }
}

template <class T>
void check_parts(Random& r, Size& undecided) {
  const int kind = static_cast<int>(r() % 7);
  std::vector<T> x(1 + r() % 3000);
  for (T& v : x) v = static_cast<T>(drawn(r, kind));
  const Options options{.nan = r() % 2 == 0 ? NanPolicy::propagate : NanPolicy::omit};
  const LogsumexpStates whole = gather_logsumexp(x, options);
  std::vector<LogsumexpStates> parts;
  for (Size first = 0; first < x.size();) {
    const Size n = std::min<Size>(1 + r() % (x.size() / 2 + 1), x.size() - first);
    parts.push_back(gather_logsumexp(
        ArrayRef(x.data() + first, dtype_of<T>, {static_cast<int64_t>(n)}), options));
    first += n;
  }
  std::shuffle(parts.begin(), parts.end(), r);
  LogsumexpStates merged;
  for (const auto& p : parts) merged.merge(p);
  ASSERT_EQ(words_of(merged), words_of(whole)) << "kind " << kind << " n " << x.size();
  EXPECT_EQ(LogsumexpStates::load(merged.save()), whole);
  for (const auto target : usable_targets()) {
    Options one = options;
    one.target = name_of(target);
    EXPECT_EQ(words_of(gather_logsumexp(x, one)), words_of(whole)) << one.target;
  }
  const auto same = [&](const Answer& got, const Answer& want) {
    if (got.status[0] == Status::undecided) {
      undecided += kind == 6 ? 0 : 1;  // means near 0
      EXPECT_EQ(got[0].bits, float_format(dtype_of<T>).nan());
      return;
    }
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(std::memcmp(got.data.data(), want.data.data(), sizeof(T)), 0)
        << bit_cast<T>(static_cast<bits_of<T>>(got[0].bits)) << " of kind " << kind;
  };
  same(merged.logsumexp(), logsumexp(x, options));
  same(merged.logmeanexp(), logmeanexp(x, options));
}

TEST(LogsumexpStates, MergeInAnyOrderToTheAnswersOfTheWhole) {
  Random r(7);
  Size undecided = 0;
  for (int round = 0; round < test::scaled(400); ++round) {
    check_parts<float>(r, undecided);
    check_parts<double>(r, undecided);
  }
  EXPECT_LT(undecided, 8);
}

TEST(LogsumexpStates, HoldWhatIsSpecial) {
  const auto of = [](std::vector<float> x) { return gather_logsumexp(x); };
  const auto answer = [&](std::vector<float> x) {
    return only<float>(of(std::move(x)).logsumexp());
  };
  EXPECT_EQ(answer({}), -INFINITY);
  EXPECT_TRUE(std::isnan(only<float>(of({}).logmeanexp())));
  EXPECT_EQ(answer({-INFINITY, -INFINITY}), -INFINITY);
  EXPECT_EQ(answer({-INFINITY, 3, INFINITY}), INFINITY);
  EXPECT_TRUE(std::signbit(answer({-0.0f})));
  EXPECT_FALSE(std::signbit(only<float>(of({-0.0f, -0.0f}).logmeanexp())));
  EXPECT_EQ(only<float>(of({0.1f, 0.1f, 0.1f}).logmeanexp()), 0.1f);
  EXPECT_EQ(answer({1e30f, 1e30f, 5}), 1e30f);
  // The greatest element 0 counts 1, so that small answers are known, until elements are dropped.
  EXPECT_EQ(answer({0, -50}), static_cast<float>(std::exp(-50.0)));
  EXPECT_EQ(answer({0, -79}), static_cast<float>(std::exp(-79.0)));
  EXPECT_EQ(of({0, -100}).logsumexp().status[0], Status::undecided);
  EXPECT_EQ(answer({5, -100}), 5);
  EXPECT_EQ(
      gather_logsumexp(std::vector<float>{1, NAN}, {.nan = NanPolicy::raise}).logsumexp().status[0],
      Status::nan_found);
  const Answer undecided = of({0, -100}).logsumexp();
  expect_error(ErrorCode::bad_state,
               {"logsumexp: the state is not precise enough to round its answer"},
               [&] { undecided[0].as<float>("logsumexp"); });
}

// The words of a definition that other processors and devices share.
TEST(LogsumexpStates, HaveTheSameWordsAnywhere) {
  const LogsumexpStates s = gather_logsumexp(std::vector<double>{1.5, -20.25, 3e-9});
  const std::vector<uint64_t> words = words_of(s);
  const std::vector<uint64_t> head(words.begin(), words.begin() + 7);
  EXPECT_EQ(head, (std::vector<uint64_t>{0, 0, 0, 3, 1, bit_cast<uint64_t>(1.5),
                                         bit_cast<uint64_t>(-20.25)}));
  EXPECT_EQ(words.size(), 25);
  EXPECT_EQ(std::vector<uint64_t>(words.begin() + 7, words.end()),
            (std::vector<uint64_t>{11588845153963998015u, 91967481, 0, 0, 0, 0, 1892301337488835357,
                                   2126571838208, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(LogsumexpStates, ByAxesAndMasks) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const ArrayRef a(x.data(), f32, {2, 3});
  const LogsumexpStates rows = gather_logsumexp(a, {.axes = {1}});
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.shape(), Dims(2));
  const Answer want = logsumexp(a, {.axes = {1}}), got = rows.logsumexp();
  EXPECT_EQ(got.data, want.data);
  EXPECT_EQ(gather_logsumexp(a, {.axes = {0}, .keepdims = true}).shape(), Dims(1, 3));
  const uint8_t where[] = {1, 0, 1, 1, 0, 0};
  Options masked;
  masked.where = Mask(ArrayRef(where, boolean, {2, 3}));
  EXPECT_EQ(gather_logsumexp(a, masked), gather_logsumexp(std::vector<float>{1, 3, 4}));
}

TEST(LogsumexpStates, RefusesWhatDoesNotFit) {
  const std::vector<float> x{1, 2, 3, 4};
  LogsumexpStates s = gather_logsumexp(ArrayRef(x.data(), f32, {2, 2}), {.axes = {1}});
  const LogsumexpStates before = s;
  expect_error(ErrorCode::shape_mismatch,
               {"states of shape () cannot be merged into states of shape (2,)"},
               [&] { s.merge(gather_logsumexp(x)); });
  expect_error(ErrorCode::bad_state, {"states of f64 with NaN policy propagate cannot be merged"},
               [&] { s.merge(gather_logsumexp(std::vector<double>{1})); });
  expect_error(ErrorCode::bad_option,
               {"gather_logsumexp: .weights is not supported by this function"}, [&] {
                 Options o;
                 o.weights = ArrayRef(x);
                 gather_logsumexp(x, o);
               });
  EXPECT_EQ(s, before);
  s = gather_logsumexp(std::vector<float>{1});
  for (int k = 0; k < 53; ++k) s.merge(LogsumexpStates(s));
  expect_error(ErrorCode::bad_state, {"slice 0 would have 18014398509481984 elements"},
               [&] { s.merge(LogsumexpStates(s)); });
}

TEST(LogsumexpStates, LoadsOnlyWhatElementsCanGive) {
  const LogsumexpStates s = gather_logsumexp(std::vector<float>{1, 2, -INFINITY});
  EXPECT_EQ(LogsumexpStates::load(s.save()), s);
  EXPECT_EQ(LogsumexpStates::load(LogsumexpStates().save()), LogsumexpStates());
  const auto with = [&](Size word, uint64_t v) {
    std::vector<std::byte> bytes = s.save();
    std::memcpy(bytes.data() + bytes.size() - 4 - 8 * (25 - word), &v, 8);
    const uint32_t crc = crc32_of(bytes.data(), bytes.size() - 4);
    std::memcpy(bytes.data() + bytes.size() - 4, &crc, 4);
    return bytes;
  };
  const auto refused = [&](const char* why, Size word, uint64_t v) {
    expect_error(ErrorCode::bad_state, {why}, [&] { LogsumexpStates::load(with(word, v)); });
  };
  refused("more than 2^53 elements", 0, uint64_t{1} << 60);
  refused("counts no finite element", 3, 0);
  refused("the number of largest elements is wrong", 4, 3);
  refused("the extremes", 5, bit_cast<uint64_t>(0.1));
  refused("the extremes", 6, bit_cast<uint64_t>(3.0));
  refused("a sum is too large", 9, uint64_t{1} << 62);
  refused("a sum is too small", 8, 0);
  std::vector<std::byte> bytes = s.save();
  bytes[30] ^= std::byte{1};
  expect_error(ErrorCode::bad_state, {"the checksum is wrong"},
               [&] { LogsumexpStates::load(bytes); });
  expect_error(ErrorCode::bad_state, {"these bytes are states of logsumexp, not a state"},
               [&] { State::load(s.save()); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
