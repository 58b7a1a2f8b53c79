// The answers of many slices at once are those of each slice's own state.
#include "onefold/states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "onefold/engine/plan/table.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// Columns that quick numbers decide, and those that they cannot: zeros of both signs, NaN,
// infinities, sums that cancel, ties, wide ranges, the ends of the type.
template <class T>
std::vector<T> hard_columns(Size rows, Size columns) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double inf = std::numeric_limits<double>::infinity();
  const double largest = static_cast<double>(std::numeric_limits<T>::max());
  const double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  std::vector<T> x(rows * columns);
  for (Size c = 0; c < columns; ++c) {
    for (Size r = 0; r < rows; ++r) {
      double v = uniform(random);
      const bool first = r == 0;
      switch (c % 16) {
        case 1:
          v = -0.0;
          break;
        case 2:
          v = first ? 0.0 : -0.0;
          break;
        case 3:
          v = first ? std::nan("") : v;
          break;
        case 4:
          v = first ? inf : v;
          break;
        case 5:
          v = r == 0 ? inf : r == 1 ? -inf : v;
          break;
        case 6:
          v = r % 2 == 0 ? 0.75 : -0.75;
          break;
        case 7:
          v = first ? 1 : std::numeric_limits<T>::epsilon() / 2 / static_cast<double>(rows - 1);
          break;
        case 8:
          v = std::ldexp(v, static_cast<int>(random() % 30) - 15);
          break;
        case 9:
          v = first ? largest : v;
          break;
        case 10:
          v = largest;
          break;
        case 11:
          v = least * static_cast<double>(random() % 5);
          break;
        case 12:
          v = 1 + std::ldexp(v, -8);
          break;
        case 13:
          v = 0.5;
          break;
        case 14:
          v = static_cast<double>(static_cast<int>(v * 100));
          break;
        default:
          break;
      }
      x[r * columns + c] = static_cast<T>(v);
    }
  }
  return x;
}

void expect_those_of_each(const States& states, const std::string& ops, const Options& options) {
  const Answers all = states.answer(ops, options);
  for (const Answer& a : all.list) {
    const Size bytes = bytes_of(a.dtype);
    for (Size i = 0; i < states.size(); ++i) {
      const Value alone = states[i].answer(a.op, options);
      ASSERT_EQ(a.status[i], alone.status) << a.op << ", slice " << i;
      if (alone.status != Status::ok) continue;
      ASSERT_EQ(std::memcmp(a.data.data() + i * bytes, &alone.bits, bytes), 0)
          << a.op << " of " << name_of(states.dtype()) << ", slice " << i;
    }
  }
}

template <class T>
void expect_slices_alike() {
  constexpr Size rows = 9, columns = 700;
  const std::vector<T> x = hard_columns<T>(rows, columns);
  const ArrayRef array(x.data(), dtype_of<T>, Dims{rows, columns});
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
    SCOPED_TRACE(static_cast<int>(nan));
    States states = gather_states("sum,mean,var,norm1", array, {.axes = {0}, .nan = nan});
    for (int merged = 0; merged < 2; ++merged) {
      for (const std::string ops : {"sum", "mean", "var", "std", "rms", "sumsq", "norm2", "norm1",
                                    "sum,mean,var", "mean,norm1"}) {
        expect_those_of_each(states, ops, {});
      }
      for (const double k : {1.0, 0.5, 9.0}) {
        expect_those_of_each(states, "var,std", {.ddof = Correction(k)});
      }
      expect_those_of_each(states, "mean,sum", {.result = DType::f32});
      states.merge(gather_states("sum,mean,var,norm1", array, {.axes = {0}, .nan = nan}));
    }
  }
}

TEST(SliceAnswers, AreThoseOfEachState) {
  expect_slices_alike<double>();
  expect_slices_alike<float>();
}

TEST(SliceAnswers, OfDifferentNumbersOfElementsAreThoseOfEachState) {
  constexpr Size rows = 9, columns = 700;
  const std::vector<double> x = hard_columns<double>(rows, columns);
  const std::vector<int64_t> k(x.size(), 3);
  std::vector<Bool8> mask(x.size());
  for (Size i = 0; i < mask.size(); ++i)
    mask[i] = Bool8{static_cast<uint8_t>((i * 7 + i / 700) % 3 != 0)};
  Options some{.axes = {0}};
  const ArrayRef where(mask.data(), DType::boolean, Dims{rows, columns});
  some.where = where;
  const ArrayRef array(x.data(), DType::f64, Dims{rows, columns});
  expect_those_of_each(gather_states("mean,var", array, some), "mean,var", {});
  const ArrayRef whole(k.data(), DType::i64, Dims{rows, columns});
  expect_those_of_each(gather_states("mean,var", whole, {.axes = {0}}), "mean,var,sum", {});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
