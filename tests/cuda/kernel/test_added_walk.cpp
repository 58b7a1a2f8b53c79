// A walk and a unit of their own, as onefold/cuda/kernel/README.md says how to add them: a
// thread folds an answer of any nest, element by element, and a unit replaces elements by their
// magnitudes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/kernel/simulate.hpp"
#include "onefold/cuda/kernel/axes.hpp"

namespace {

using namespace onefold;
using namespace onefold::kernel;

// The magnitudes of elements. Totals see what `filled` returns.
template <class T>
struct MagnitudeUnit : BesideUnit<T, 1, true, false> {
  template <Fill fill>
  ONEFOLD_KERNEL T filled(const T& x) {
    constexpr auto sign = static_cast<bits_of<T>>(bits_of<T>{1} << (8 * sizeof(T) - 1));
    const auto bits = static_cast<bits_of<T>>(bit_cast<bits_of<T>>(x) & ~sign);
    return BesideUnit<T, 1, true, false>::template filled<fill>(bit_cast<T>(bits));
  }
};

// The walk: thread t takes answers t, t + threads of all blocks, ...
template <class T, OpSet ops, template <class> class Unit, class M>
ONEFOLD_KERNEL void fold_by_threads(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                    const Results<M, ops>& results, const Deal& deal) {
  using All = LaneTotals<T, ops, true>;
  const Size threads = Size{m.blocks()} * m.threads();
  for (Size i = Size{m.block()} * m.threads() + static_cast<unsigned>(m.thread()); i < deal.answers;
       i += threads) {
    const Spot at = answer_at<false, true>(input, i);
    All total;
    for (Size j = 0; j < input.elements; ++j) {
      const Spot element = element_at<false, true>(input, j);
      Unit<T> there;
      there.mask.put(0, is_there(input, at, element) ? 1 : 0);
      const T one = input.x[at.x + element.x];
      const T x = total.select(there, one, input.chosen.omit);
      typename All::Context range;
      typename All::Batch batch;
      total.add(range, batch, x, static_cast<uint32_t>(j), there.takes(0));
      total.add(batch);
      total.lose(range, 1, 1);
    }
    const Size number = input.answer + static_cast<Size>(at.step);
    if (!LaneAnswers<T, ops, true>::put_all(m, total, input, deal.formulas, results, number)) {
      note_undecided(m, scratch, i);
    }
  }
}

template <class T>
using PlainUnit = BesideUnit<T, 1, true, false>;

// Folds (5, 12, 7) along axis 1 under a mask; calls expect(answer, elements, got).
template <class T, OpSet ops, template <class> class Unit, class Expect>
void check(Expect expect) {
  constexpr Size answers = 35, elements = 12, n = answers * elements;
  std::vector<T> x(n);
  std::vector<uint8_t> mask(n);
  for (Size i = 0; i < n; ++i) {
    x[i] = static_cast<T>(static_cast<int>(i * 37 % 101) - 50);
    mask[i] = i % 5 != 2;
  }
  sim::Engine gpu({.schedule = 1, .count = false});
  const NestInput<Sim, T> input{.x = gpu.allocate<T>("x", n, x.data(), 0),
                                .y = {},
                                .mask = gpu.allocate<uint8_t>("mask", n, mask.data(), 0),
                                .answers = answers,
                                .elements = elements,
                                .kept = 2,
                                .folded = 1,
                                .chosen = {.masked = true},
                                .axis = {{.extent = 7, .stride = {1, 1, 1}, .step = 1},
                                         {.extent = 5, .stride = {84, 84, 84}, .step = 7},
                                         {.extent = 12, .stride = {7, 7, 7}, .step = 1}}};
  Deal deal;
  deal.answers = answers;
  const std::vector<uint32_t> zeros(undecided_words + 2);
  const Scratch<Sim> scratch{
      .tickets = {},
      .left = {},
      .undecided = gpu.allocate<uint32_t>("undecided", zeros.size(), zeros.data())};
  const auto values = gpu.allocate<uint8_t>("answers", 8 * answers, nullptr);
  Results<Sim, ops> results{
      .state = {}, .correction = {}, .nan = NanPolicy::propagate, .place = {}};
  results.place[0] = {.value = values, .status = values, .dtype = dtype_of<T>, .has_status = false};
  sim::launch(gpu, {.grid = 2, .block = 32},
              [&] { fold_by_threads<T, ops, Unit>(Sim{}, input, scratch, results, deal); });
  EXPECT_TRUE(gpu.report().flaws.empty());
  std::vector<uint8_t> bytes(sizeof(T) * answers);
  gpu.read(values, bytes.data(), bytes.size());
  for (Size a = 0; a < answers; ++a) {
    std::vector<T> of_answer;
    for (Size j = 0; j < elements; ++j) {
      const Size at = a % 7 + a / 7 * 84 + j * 7;
      if (mask[at] != 0) of_answer.push_back(x[at]);
    }
    T got;
    std::memcpy(&got, &bytes[sizeof(T) * a], sizeof(T));
    EXPECT_EQ(got, expect(of_answer)) << a;
  }
}

TEST(AddedWalk, FoldsUnderAMask) {
  const auto greatest = [](const auto& v) { return *std::max_element(v.begin(), v.end()); };
  check<float, bit_of(OpIndex::max_), PlainUnit>(greatest);
  check<int32_t, bit_of(OpIndex::max_), PlainUnit>(greatest);
  check<int64_t, bit_of(OpIndex::sum_), PlainUnit>(
      [](const auto& v) { return std::accumulate(v.begin(), v.end(), int64_t{0}); });
}
TEST(AddedUnit, ChangesElementsBeforeTotalsSeeThem) {
  check<float, bit_of(OpIndex::max_), MagnitudeUnit>([](const auto& v) {
    float most = 0;
    for (const float x : v) most = std::max(most, std::fabs(x));
    return most;
  });
}

}  // namespace
