// Folds along axes that leave out elements, by a mask or because they are NaN, use no states if
// they can: their answers equal those of states of slices.
#include <gtest/gtest.h>

#include "check.hpp"
#include "onefold/cpu/family/panels.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

std::vector<std::string> requests(DType t) {
  std::vector<std::string> list;
  std::string all;
  for (const OpRow& op : op_rows()) {
    if (op.about->inputs != 1) continue;
    list.emplace_back(op.name);
    if (!op.about->uses_index) all += (all.empty() ? "" : ",") + list.back();
  }
  list.push_back(all);
  list.emplace_back(is_floating(t) ? "sum,mean,var,max" : "count,any,min");
  return list;
}

// Elements, a few of them NaN, and some rows of NaN only.
Data some_nan(std::string_view g, DType t, Size n, Random& r) {
  Data x = test::generate(g, t, n, r() % 1000);
  const Size every = 2 + r() % 40;
  for (Size i = 0; is_floating(t) && i < n; ++i) {
    if (r() % every == 0 || (i / 8) % 11 == 3) x.set(i, ~uint64_t{0});
  }
  return x;
}

Size panels = 0;  // requests that went without states

void check(Random& r, DType t, std::string_view g, const Dims& shape) {
  Size n = 1;
  for (const int64_t e : shape) n *= static_cast<Size>(e);
  const Data data = some_nan(g, t, n, r);
  const ArrayRef x(data.data(), t, shape);
  const auto every = 2 + r() % 6;
  std::vector<uint8_t> mask(n + 3);
  for (auto& m : mask) m = r() % every != 0 ? static_cast<uint8_t>(1 + r() % 9) : 0;
  Options options{.axes = {static_cast<int64_t>(r() % static_cast<Size>(shape.rank()))},
                  .nan = r() % 4 == 0 ? NanPolicy::propagate : NanPolicy::omit,
                  .threads = static_cast<int>(1 + r() % 3)};
  const auto kind = r() % 4;
  if (kind == 1) options.where = ArrayRef(mask.data(), boolean, shape);
  if (kind == 2) options.where = Mask::of_bits(mask.data(), r() % 20, shape);
  if (kind == 3) {  // the same for all slices along the last axis
    Dims wide = shape;
    wide[shape.rank() - 1] = 1;
    options.where = ArrayRef(mask.data(), boolean, wide);
  }
  if (kind == 2) mask.resize(n);
  const auto some = r() % 3;  // a third of the requests
  std::size_t request = 0;
  for (const std::string& ops : requests(t)) {
    if (request++ % 3 != some) continue;
    const States states_of = gather_states(ops, x, options);
    const Answers want = states_of.answer(ops), got = fold(ops, x, options);
    panels += cpu_backend::takes_panels(make_plan(ops, x, nullptr, options));
    for (std::size_t k = 0; k < want.list.size(); ++k) {
      for (Size i = 0; i < want.list[k].size(); ++i) {
        ASSERT_EQ(got.list[k][i], want.list[k][i])
            << want.list[k].op << " of " << ops << ", " << g << ' ' << name_of(t) << ' '
            << to_string(shape) << test::describe(options) << ", mask " << kind << ", answer " << i;
      }
    }
  }
}

TEST(Taken, AnswersWithoutStatesAreThoseOfStates) {
  Random r(4);
  panels = 0;
  for (int k = 0; k < dtype_count; ++k) {
    const auto t = static_cast<DType>(k);
    for (const std::string_view g : test::generators(t)) {
      for (const Dims& shape :
           {Dims(70, 9), Dims(9, 70), Dims(400, 3), Dims(5, 6, 7), Dims(3, 300)}) {
        ASSERT_NO_FATAL_FAILURE(check(r, t, g, shape));
      }
    }
  }
  EXPECT_GT(panels, 500u);
}
// Panels one after another, and parts of several threads.
TEST(Taken, AnswersOfLongRowsAndColumnsAreThoseOfStates) {
  Random r(5);
  for (const DType t : {f64, f32, DType::bf16, i32}) {
    for (const Dims& shape :
         {Dims(20, 3000), Dims(3000, 20), Dims(100'000, 5), Dims(3, 70'000), Dims(40, 6, 300)}) {
      ASSERT_NO_FATAL_FAILURE(check(r, t, test::generators(t)[0], shape));
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
