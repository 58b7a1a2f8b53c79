// States of many slices: each is that of its slice alone, through merging, saving and answering.
#include "onefold/states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "generate.hpp"
#include "onefold/engine/crc32.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;
using Bytes = std::vector<std::byte>;

// All ops of this number of arrays, except those with indices.
std::string ops_of(int inputs, bool indices = false) {
  std::string all;
  for (const OpRow& op : op_rows()) {
    if (op.about->inputs != inputs || (op.about->uses_index && !indices)) continue;
    all += (all.empty() ? "" : ",") + std::string(op.name);
  }
  return all;
}

// The part of `x` that answers `slice` of a fold along `axis` of three.
ArrayRef slice_of(const ArrayRef& x, int axis, Size slice) {
  ArrayRef part(x.data, x.dtype, Dims(x.shape[axis]));
  part.strides = Dims(x.strides[axis]);
  const auto* p = static_cast<const std::byte*>(x.data);
  auto rest = static_cast<int64_t>(slice);
  for (int d = 2; d >= 0; --d) {
    if (d == axis) continue;
    p += rest % x.shape[d] * x.strides[d];
    rest /= x.shape[d];
  }
  part.data = p;
  return part;
}

void expect_answers_of_a_fold(const States& states, const std::string& ops, const ArrayRef& x,
                              const Options& options) {
  const Answers want = fold(ops, x, options), got = states.answer(ops, {.ddof = options.ddof});
  for (std::size_t k = 0; k < want.list.size(); ++k) {
    EXPECT_EQ(got.list[k].data, want.list[k].data) << want.list[k].op;
    EXPECT_EQ(got.list[k].status, want.list[k].status) << want.list[k].op;
    EXPECT_EQ(got.list[k].shape, want.list[k].shape);
  }
}

// Calls f(generator, type, data of 240 elements).
template <class F>
void for_all_data(F f) {
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    for (const std::string_view g : test::generators(dtype)) {
      SCOPED_TRACE(test::describe(g, dtype, 240, 11));
      f(dtype, test::generate(g, dtype, 240, 11));
    }
  }
}

TEST(StatesOfSlices, AreThoseOfEachAlone) {
  const Dims shape(3, 7, 5);
  for_all_data([&](DType dtype, const Data& memory) {
    const ArrayRef x(memory.data(), dtype, shape);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string ops = ops_of(1, true);
      const States all = gather_states(ops, x, {.axes = {axis}});
      ASSERT_EQ(all.size(), Size{105} / static_cast<Size>(shape[axis]));
      for (Size i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i], gather(ops, slice_of(x, axis, i))) << name_of(dtype) << ' ' << i;
      }
      expect_answers_of_a_fold(all, ops, x, {.axes = {axis}});
      EXPECT_EQ(States::load(all.save()), all);
    }
  });
}

TEST(StatesOfSlices, MergeToThoseOfTheWhole) {
  for_all_data([&](DType dtype, const Data& memory) {
    const std::string ops = ops_of(1, true);
    const ArrayRef x(memory.data(), dtype, Dims(12, 20));
    const States whole = gather_states(ops, x, {.axes = {0}});
    States merged;
    for (const int64_t first : {8, 0, 5}) {  // in no order
      const int64_t last = first == 8 ? 12 : first == 0 ? 5 : 8;
      const ArrayRef part(memory.data() + first * x.strides[0], dtype, Dims(last - first, 20));
      merged.merge(gather_states(ops, part, {.axes = {0}, .first = static_cast<Size>(first)}));
    }
    EXPECT_EQ(merged, whole) << name_of(dtype);
    EXPECT_EQ(merged.save(), whole.save());
  });
}

TEST(StatesOfPairs, AreThoseOfEachAlone) {
  const std::string ops = ops_of(2);
  for (const DType dtype : {f64, f32, i32}) {
    const Data a = test::generate(test::generators(dtype)[0], dtype, 105, 1),
               b = test::generate(test::generators(dtype)[1], dtype, 105, 2);
    const ArrayRef x(a.data(), dtype, Dims(3, 7, 5)), y(b.data(), dtype, Dims(3, 7, 5));
    States all = gather_states(ops, x, y, {.axes = {1}});
    for (Size i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i], gather(ops, slice_of(x, 1, i), slice_of(y, 1, i)));
    }
    EXPECT_EQ(States::load(all.save()), all);
    States twice = all;
    twice.merge(all);
    for (Size i = 0; i < all.size(); ++i) {
      State one = all[i];
      one.merge(all[i]);
      EXPECT_EQ(twice[i], one);
    }
  }
}

TEST(StatesOfSlices, MergeAsEachStateDoes) {
  // Carries in both directions, cancelling ones, and words that only one of the two has.
  const std::vector<std::vector<double>> parts = {
      {0x1p63, -0x1p63, 1, -1, 1e308, 0x1p-1074, -0.0, 0x1.fffffffep31},
      {0x1p63, 0x1p63, -1, -1, 1e308, -0x1p-1074, -0.0, 2},
      {-0x1p64, 1, 0x1p-500, 0x1p32, -1e308, 0x1p1000, INFINITY, 0x1.fffffffep31},
      {NAN, 0x1.fffffffffffffp-1, -0x1p-500, -0x1p32, 3, -0x1p1000, -INFINITY, 1}};
  const std::string ops = ops_of(1);
  States all;
  std::vector<State> each(8);
  for (const auto& part : parts) {
    const ArrayRef x(part.data(), f64, Dims(1, 8));
    all.merge(gather_states(ops, x, {.axes = {0}}));
    for (Size i = 0; i < 8; ++i)
      each[i].merge(gather(ops, slice_of({x.data, f64, Dims(1, 1, 8)}, 0, i)));
    for (Size i = 0; i < 8; ++i) EXPECT_EQ(all[i], each[i]) << i;
    EXPECT_EQ(States::load(all.save()), all);
  }
}

TEST(StatesOfSlices, NeedFewBytes) {
  std::mt19937_64 r(5);
  std::normal_distribution<double> normal;
  std::vector<double> memory(1 << 16);
  for (double& v : memory) v = normal(r);
  const ArrayRef x(memory.data(), f64, Dims(1024, 64));
  EXPECT_LE(gather_states("sum", x, {.axes = {0}}).bytes(), 64u * 64);
  EXPECT_LE(gather_states("mean,var", x, {.axes = {0}}).bytes(), 64u * 120);
  States merged = gather_states("mean,var", x, {.axes = {0}});
  merged.merge(merged);
  EXPECT_LE(merged.save().size(), 64u * 120 + 512);
}

TEST(StatesOfSlices, TakeMasksAndThreads) {
  Random r(6);
  const Data memory = test::generate("lognormal3", f32, 6000 * 9, 6);
  const ArrayRef x(memory.data(), f32, Dims(6000, 9));
  std::vector<uint8_t> taken(6000 * 9);
  for (auto& t : taken) t = r() % 3 == 0;
  const Mask mask(ArrayRef(taken.data(), DType::boolean, Dims(6000, 9)));
  const Options options{.axes = {1}, .where = mask};
  const States one = gather_states("mean,var,min", x, options);
  expect_answers_of_a_fold(one, "mean,var,count", x, options);
  const Answers counts = fold("count", x, options);
  for (Size i = 0; i < 6000; i += 97) {
    EXPECT_EQ(one[i].count(), static_cast<Size>(counts["count"][i].as<int64_t>()));
  }
  for (const int threads : {2, 8}) {
    EXPECT_EQ(gather_states("mean,var,min", x, {.axes = {1}, .where = mask, .threads = threads}),
              one);
  }
  EXPECT_EQ(gather_states("sum", x, {.axes = {1}, .keepdims = true}).shape(), Dims(6000, 1));
}

// Slices without a NaN, with some, and of nothing else: answers, bytes and merging of each policy.
TEST(StatesOfSlices, KeepTheirNanPolicy) {
  for (const DType dtype : {DType::f16, f32, f64, i32}) {
    const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(dtype));
    Data memory = test::generate(test::generators(dtype)[0], dtype, 240, 3);
    for (std::size_t k = 0; is_floating(dtype) && k < 240; ++k) {
      const std::size_t row = k / 20, column = k % 20;
      if (column == 0 || (column % 3 == 1 && row % 5 == 2)) memory.set(k, ~uint64_t{0});
    }
    const ArrayRef x(memory.data(), dtype, Dims(12, 20));
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      const std::string ops = ops_of(1, true);
      const States whole = gather_states(ops, x, {.axes = {0}, .nan = nan});
      expect_answers_of_a_fold(whole, ops, x, {.axes = {0}, .nan = nan});
      EXPECT_EQ(States::load(whole.save()), whole);
      States merged;
      for (const int64_t first : {7, 0}) {
        const int64_t last = first == 7 ? 12 : 7;
        const ArrayRef part(memory.data() + first * 20 * bytes, dtype, Dims(last - first, 20));
        merged.merge(
            gather_states(ops, part, {.axes = {0}, .nan = nan, .first = static_cast<Size>(first)}));
      }
      EXPECT_EQ(merged, whole) << name_of(dtype);
      if (nan == NanPolicy::propagate) continue;
      const States other = gather_states(ops, x, {.axes = {0}});
      EXPECT_THROW(merged.merge(other), Error) << "of another policy";
    }
  }
}

ErrorCode refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::internal;
}

TEST(StatesOfSlices, RefuseWhatDoesNotFit) {
  const std::vector<double> data(12, 1.5);
  const ArrayRef x(data.data(), f64, Dims(3, 4)), t(data.data(), f64, Dims(4, 3));
  States sums = gather_states("sum", x, {.axes = {0}});
  const States before = sums;
  EXPECT_EQ(refusal([&] { sums.merge(gather_states("sum", t, {.axes = {0}})); }),
            ErrorCode::shape_mismatch);
  EXPECT_EQ(refusal([&] { sums.merge(gather_states("var", x, {.axes = {0}})); }),
            ErrorCode::bad_state);
  EXPECT_EQ(sums, before);
  EXPECT_EQ(refusal([&] { static_cast<void>(sums[4]); }), ErrorCode::bad_option);
  EXPECT_EQ(refusal([&] { static_cast<void>(sums.answer("max")); }), ErrorCode::bad_option);
  const States places = gather_states("argmin", x, {.axes = {0}});
  States more = places;
  EXPECT_EQ(refusal([&] { more.merge(places); }), ErrorCode::overlap);
  EXPECT_EQ(more, places);
  const ArrayRef cube(data.data(), f64, Dims(2, 2, 3));  // rows of 3
  EXPECT_EQ(refusal([&] {
              gather_states("argmax", cube, {.axes = {1, 2}, .first = 4});
            }),
            ErrorCode::bad_option);
  EXPECT_EQ(gather_states("argmax", cube, {.axes = {1, 2}, .first = 6}).answer("argmax").list[0][1],
            (Value{.dtype = i64, .status = Status::ok, .bits = 6}));
  const ArrayRef weights(data.data(), f64, Dims(3, 4));
  EXPECT_EQ(refusal([&] { gather_states("sum", x, {.axes = {0}, .fweights = weights}); }),
            ErrorCode::bad_option);
  EXPECT_EQ(gather_states("sum", ArrayRef(data.data(), f64, Dims(3, 0)), {.axes = {0}}).size(), 0u);
  EXPECT_EQ(States().size(), 0u);
  States none;
  none.merge(States());
  none.merge(sums);
  EXPECT_EQ(none, sums);
}

// Every byte changed, with the checksum made right, is refused or is another valid state; nothing
// is read beyond the end.
TEST(StatesOfSlices, ThatAreDamagedAreRefused) {
  const std::vector<double> data = {1, -2, 3.5, 1e10, -7, 0};
  const States states =
      gather_states("mean,var,argmin", ArrayRef(data.data(), f64, Dims(2, 3)), {.axes = {0}});
  const Bytes saved = states.save();
  Size refused = 0;
  for (std::size_t at = 8; at + 4 < saved.size(); ++at) {
    for (const int change : {1, 0x80}) {
      Bytes bytes = saved;
      bytes[at] ^= static_cast<std::byte>(change);
      EXPECT_EQ(refusal([&] { States::load(bytes); }), ErrorCode::bad_state);
      const uint32_t crc = crc32_of(bytes.data(), bytes.size() - 4);
      std::memcpy(&bytes[bytes.size() - 4], &crc, 4);
      try {
        EXPECT_EQ(States::load(bytes).save(), bytes);
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_state);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, saved.size());
  for (std::size_t n = 0; n < saved.size(); n += 7) {
    EXPECT_EQ(refusal([&] { States::load(std::span(saved).first(n)); }), ErrorCode::bad_state);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
