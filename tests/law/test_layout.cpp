// Where elements lie in memory changes no answer: any rank, axes, strides and starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "guarded.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

// An array somewhere in a block of memory; bytes before and after the block cannot be read.
struct Placed {
  std::unique_ptr<test::Guarded> memory;
  ArrayRef array;
};

int64_t bytes_spanned(const Dims& shape, const Dims& strides, int64_t& low) {
  int64_t high = 0;
  low = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 0) return 0;
    (strides[d] < 0 ? low : high) += strides[d] * (shape[d] - 1);
  }
  return high - low;
}

Placed place(Random& r, DType t, const Dims& shape, const Dims& strides, std::string_view generator,
             uint64_t seed) {
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  int64_t low = 0;
  const auto span = static_cast<std::size_t>(bytes_spanned(shape, strides, low) + bytes);
  Placed p{std::make_unique<test::Guarded>(span), {}};
  // At the end of the memory, with whatever alignment this gives, or at its start.
  std::byte* first = r() % 2 == 0 ? p.memory->end() - span : p.memory->begin();
  const test::Data x =
      test::generate(generator, t, span / static_cast<std::size_t>(bytes) + 1, seed);
  std::memcpy(first, x.data(), span);
  p.array = ArrayRef(first - low, t, shape, strides);
  return p;
}

// Shapes with up to `most` elements; some have an extent of 0.
Dims some_shape(Random& r, int rank, int64_t most) {
  Dims shape;
  int64_t left = most;
  for (int d = 0; d < rank; ++d) {
    const auto e = static_cast<int64_t>(
        r() % 40 == 0 ? 0
                      : test::pick_log(r, 1, static_cast<uint64_t>(std::max<int64_t>(left, 1))));
    shape.push_back(rank > 6 ? std::min<int64_t>(e, 3) : e);
    left /= std::max<int64_t>(shape[d], 1);
  }
  // Moves large extents away from the first axis.
  for (int d = rank; d > 1; --d) {
    std::swap(shape[d - 1], shape[static_cast<int>(r() % static_cast<uint64_t>(d))]);
  }
  return shape;
}

// Strides in C, Fortran or any other order; gaps, backwards, broadcast, or fractions of an element.
Dims some_strides(Random& r, const Dims& shape, int64_t bytes) {
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  if (r() % 3 != 0) std::shuffle(order.begin(), order.end(), r);
  Dims strides = shape;
  int64_t step = bytes;
  for (std::size_t k = order.size(); k-- > 0;) {
    const int d = order[k];
    if (r() % 5 == 0) step += bytes * static_cast<int64_t>(r() % 4);
    if (r() % 25 == 0) step += static_cast<int64_t>(r() % 9);
    strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
    if (r() % 6 == 0) strides[d] = -strides[d];
    if (r() % 12 == 0) strides[d] = 0;
    if (r() % 12 == 0) strides[d] = bytes;  // windows overlap
  }
  return strides;
}

// The elements of one answer, contiguous and in C order.
std::vector<std::byte> slice(const ArrayRef& x, const std::vector<bool>& folded, Size answer) {
  const int rank = x.shape.rank();
  const std::byte* p = static_cast<const std::byte*>(x.data);
  Size n = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const auto extent = static_cast<Size>(x.shape[d]);
    if (folded[static_cast<std::size_t>(d)]) {
      n *= extent;
    } else {
      p += static_cast<int64_t>(answer % extent) * x.strides[d];
      answer /= extent;
    }
  }
  const std::size_t bytes = bytes_of(x.dtype);
  std::vector<std::byte> out(n * bytes);
  std::vector<int64_t> at(static_cast<std::size_t>(rank));
  for (Size i = 0; i < n; ++i) {
    std::memcpy(out.data() + i * bytes, p, bytes);
    for (int d = rank - 1; d >= 0; --d) {
      if (!folded[static_cast<std::size_t>(d)]) continue;
      int64_t& index = at[static_cast<std::size_t>(d)];
      p += x.strides[d];
      if (++index < x.shape[d]) break;
      p -= x.strides[d] * index;
      index = 0;
    }
  }
  return out;
}

struct Request {
  std::vector<bool> folded;
  Axes axes;
  Dims output;
  bool keepdims;
};

Request some_axes(Random& r, const Dims& shape) {
  Request q;
  const int rank = shape.rank();
  q.keepdims = r() % 3 == 0;
  q.folded.assign(static_cast<std::size_t>(rank), r() % 4 == 0);
  if (!std::all_of(q.folded.begin(), q.folded.end(), [](bool b) { return b; }) || rank == 0) {
    std::vector<int64_t> list;
    for (int d = 0; d < rank; ++d) {
      if (r() % 2 == 0) continue;
      q.folded[static_cast<std::size_t>(d)] = true;
      list.push_back(r() % 2 == 0 ? d : d - rank);
    }
    std::shuffle(list.begin(), list.end(), r);
    q.axes = Axes(std::span<const int64_t>(list));
  }
  for (int d = 0; d < rank; ++d) {
    if (!q.folded[static_cast<std::size_t>(d)]) q.output.push_back(shape[d]);
    if (q.folded[static_cast<std::size_t>(d)] && q.keepdims) q.output.push_back(1);
  }
  return q;
}

Size answers_of(const Request& q) {
  Size n = 1;
  for (const int64_t e : q.output) n *= static_cast<Size>(e);
  return n;
}

std::string describe(const ArrayRef& x, const Request& q, const Options& o) {
  std::string s = std::string(name_of(x.dtype)) + " shape " + to_string(x.shape) + " strides " +
                  to_string(x.strides) + " folded ";
  for (const bool f : q.folded) s += f ? "1" : "0";
  return s + test::describe(o);
}

class AnyLayout : public testing::TestWithParam<DType> {
 protected:
  void check(Random& r, const Dims& shape, uint64_t seed, int threads) {
    const DType t = GetParam();
    const oracle::Type& type = oracle::type(name_of(t));
    const auto names = test::generators(t);
    const std::string_view g = names[r() % names.size()];
    const auto bytes = static_cast<int64_t>(bytes_of(t));
    const Placed x = place(r, t, shape, some_strides(r, shape, bytes), g, seed);
    const Placed y = place(r, t, shape, some_strides(r, shape, bytes), g, seed + 1);
    Request q = some_axes(r, shape);
    while (answers_of(q) > 20000) q = some_axes(r, shape);  // rounding is not tested here
    Options options = test::some_options(r, 4);
    options.axes = q.axes;
    options.keepdims = q.keepdims;
    options.threads = threads;
    const auto targets = cpu_targets();
    options.target = targets[r() % targets.size()];

    // If no answer is an index, memory may be read in any order.
    std::string ops = test::ops_of_one_array(t, options.result);
    if (r() % 2 == 0 && !options.result) ops = r() % 2 == 0 ? "sum,norm1" : "min,var,any,ptp";
    const Answers got = ops.empty() ? Answers{} : fold(ops, x.array, options);
    Options plain = options;
    plain.result = {};
    const Answers product = fold("dot", x.array, y.array, plain);
    const Size answers = answers_of(q);
    for (const Answer& a : got.list) {
      ASSERT_EQ(a.shape, q.output) << describe(x.array, q, options);
      ASSERT_EQ(a.size(), answers);
    }
    // The fold of a row does not depend on other rows, so a few of many rows are checked.
    for (Size a = 0; a < answers; a += answers < 20 ? 1 : 1 + r() % (answers / 5)) {
      const std::vector<std::byte> part = slice(x.array, q.folded, a);
      const std::size_t n = part.size() / static_cast<std::size_t>(bytes);
      const oracle::Fold expected(type, part.data(), n);
      ASSERT_EQ(test::compare(got, a, expected, options), "")
          << "answer " << a << " of " << describe(x.array, q, options) << " " << g << " seed "
          << seed;
      const std::vector<std::byte> other = slice(y.array, q.folded, a);
      const oracle::Value dot =
          oracle::dot(type, part.data(), other.data(), n, test::for_oracle(plain));
      ASSERT_EQ(test::compare("dot", product["dot"][a], dot), "")
          << "answer " << a << " of " << describe(x.array, q, plain) << " strides of y "
          << to_string(y.array.strides) << " " << g << " seed " << seed;
    }
  }
};

std::vector<DType> all_types() {
  std::vector<DType> list;
  for (int t = 0; t < dtype_count; ++t) list.push_back(static_cast<DType>(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Types, AnyLayout, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(AnyLayout, ChangesNoAnswer) {
  Random r(1);
  for (int k = 0; k < 400 && !HasFatalFailure(); ++k) {
    check(r, some_shape(r, static_cast<int>(r() % 6), 3000), static_cast<uint64_t>(k), 1);
  }
}

TEST_P(AnyLayout, ChangesNoAnswerOfHighRank) {
  Random r(2);
  for (int k = 0; k < 40 && !HasFatalFailure(); ++k) {
    check(r, some_shape(r, 7 + static_cast<int>(r() % 10), 3000), static_cast<uint64_t>(k), 1);
  }
}

// Neighbours belong to different answers: checks every column, not only some of many.
TEST_P(AnyLayout, ChangesNoColumnAmongManyOthers) {
  Random r(4);
  const DType t = GetParam();
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  const auto names = test::generators(t);
  for (int k = 0; k < 60; ++k) {
    const auto rows = static_cast<int64_t>(test::pick_log(r, 1, 300));
    const auto columns = static_cast<int64_t>(k % 20 == 0 ? test::pick_log(r, 2000, 9000)
                                                          : test::pick_log(r, 1, 200));
    const int64_t gap = r() % 3 == 0 ? bytes * static_cast<int64_t>(r() % 5) : 0;
    const int64_t across = r() % 4 == 0 ? -bytes : bytes;
    const int64_t down = (columns * bytes + gap) * (r() % 4 == 0 ? -1 : 1);
    const std::string_view g = names[r() % names.size()];
    const auto seed = static_cast<uint64_t>(k);
    const Placed x = place(r, t, {rows, columns}, {down, across}, g, seed);
    const Placed y = place(r, t, {rows, columns}, {down, across}, g, seed + 1);
    const auto targets = cpu_targets();
    const Options options{.axes = {0},
                          .nan = static_cast<NanPolicy>(r() % 3),
                          .target = targets[r() % targets.size()]};
    Options one = options;
    one.axes = {};
    const std::string ops = r() % 2 == 0 ? "sum,var,max" : test::ops_of_one_array(t);
    const Answers got = fold(ops, x.array, options);
    const Answers products = fold("dot", x.array, y.array, options);
    for (int64_t c = 0; c < columns; ++c) {
      const auto column = [&](const Placed& p) {
        return ArrayRef(static_cast<const std::byte*>(p.array.data) + c * across, t, {rows},
                        {down});
      };
      const Answers alone = fold(ops, column(x), one);
      for (const Answer& a : got.list) {
        ASSERT_EQ(a[static_cast<Size>(c)], alone[a.op][0])
            << a.op << " column " << c << " of " << to_string(x.array.shape) << " strides "
            << to_string(x.array.strides) << " " << test::describe(g, t, 0, seed)
            << test::describe(options);
      }
      ASSERT_EQ(products["dot"][static_cast<Size>(c)],
                fold("dot", column(x), column(y), one)["dot"][0])
          << "column " << c << " of " << to_string(x.array.shape) << " strides "
          << to_string(x.array.strides) << " " << g << test::describe(options);
    }
  }
}

// The stride of an axis that is never walked may be any number.
TEST_P(AnyLayout, ChangesNoAnswerWhereStridesAreNotUsed) {
  const test::Data x = test::generate(test::generators(GetParam())[1], GetParam(), 3, 1);
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const auto bytes = static_cast<int64_t>(bytes_of(GetParam()));
  const std::string ops = test::ops_of_one_array(GetParam());
  const oracle::Fold expected(oracle::type(name_of(GetParam())), x.data(), 3);
  for (const std::string& o : {ops, std::string("sum")}) {
    for (const int64_t odd : {least, least + 1, int64_max, int64_t{12345}}) {
      const ArrayRef a(x.data(), GetParam(), {1, 3, 1}, {odd, bytes, odd});
      EXPECT_EQ(test::compare(fold(o, a), 0, expected, {}), "");
      EXPECT_EQ(test::compare(fold(o, a, {.axes = {1}}), 0, expected, {}), "");
      const ArrayRef empty(x.data(), GetParam(), {3, 0, 4}, {odd, odd, odd});
      EXPECT_EQ(fold("sum", empty, {.axes = {1}})["sum"].size(), 12u);
      EXPECT_EQ(fold("sum", empty, {.axes = {0, 2}})["sum"].size(), 0u);
    }
  }
}

// Answers whose elements are the same ones: nothing is read behind them.
TEST_P(AnyLayout, ReadsOnlyElementsOfBroadcastSegments) {
  const DType t = GetParam();
  const Size bytes = bytes_of(t);
  test::Guarded memory(bytes);
  std::byte* const last = memory.end() - bytes;
  std::memcpy(last, test::generate(test::generators(t)[0], t, 1, 1).data(), bytes);
  for (const int64_t n : {1, 2, 200}) {
    for (const int64_t columns : {2, 40}) {
      const ArrayRef x(last, t, Dims(n, columns), Dims(0, 0));
      const std::vector<int64_t> offsets{0, 1, n};
      const Answers got = fold_segments("sum", x, offsets);
      const ArrayRef one(last, t, Dims(1));
      for (int64_t c = 0; c < columns; ++c) {
        EXPECT_EQ(got["sum"][static_cast<Size>(c)], fold("sum", one)["sum"][0]);
      }
    }
  }
}

// Above a megabyte, threads share the work.
TEST_P(AnyLayout, ChangesNoAnswerOfLargeArrays) {
  Random r(3);
  const auto elements = static_cast<int64_t>((5u << 18) / bytes_of(GetParam()));
  for (int k = 0; k < 4 && !HasFatalFailure(); ++k) {
    const auto first = static_cast<int64_t>(test::pick_log(r, 2, 3000));
    const Dims shapes[] = {{elements},
                           {first, elements / first},
                           {elements / first, first},
                           {7, elements / first / 7, first}};
    check(r, shapes[k], static_cast<uint64_t>(k), static_cast<int>(r() % 4));
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
