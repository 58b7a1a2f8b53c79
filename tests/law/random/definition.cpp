#include "law/random/definition.hpp"

#include <cstring>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::law {
namespace {

template <class T>
T element(const test::Data& x, std::size_t i) {
  T v;
  std::memcpy(&v, x.at(i), sizeof v);
  return v;
}

template <class A>
void lift_all(int64_t* words, const test::Data& x, const test::Data* y,
              std::span<const Size> index) {
  using T = typename A::Element;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T a = element<T>(x, i);
    const auto add = [&](int k, int64_t v) { words[k] += v; };
    if constexpr (Small<A>) {
      typename A::State s = load_state<A>(words);
      A::lift(s, a, index[i]);
      store_state<A>(words, s);
    } else if constexpr (SmallPair<A>) {
      typename A::State s = load_state<A>(words);
      A::lift(s, a, element<T>(*y, i), index[i]);
      store_state<A>(words, s);
    } else if constexpr (TwoInputs<A>) {
      A::lift(add, a, element<T>(*y, i), index[i]);
      A::canonicalise(words);
    } else {
      A::lift(add, a, index[i]);
      A::canonicalise(words);
    }
  }
}

}  // namespace

Value by_definition(const OpRow& op, const test::Data& x, const test::Data* y,
                    std::span<const Size> index, const Options& options) {
  Options own = options;
  own.initial.reset();
  Plan plan;
  static_cast<AnswerOptions&>(plan) = answering_of({&op}, x.dtype(), own);
  plan.nan = options.nan;
  plan.layout = layout_of(op.about->needs, x.dtype());
  std::vector<int64_t> words(static_cast<std::size_t>(plan.layout.words));
  clear(words.data(), plan.layout, x.dtype());
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.layout.offset[a] < 0) continue;
    visit(static_cast<Accumulator>(a), x.dtype(),
          [&]<class A>() { lift_all<A>(words.data() + plan.layout.offset[a], x, y, index); });
  }
  canonicalise(words.data(), plan.layout, x.dtype());
  const Rounded r = finish(plan, 0, words.data());
  return {.dtype = plan.results[0], .status = r.status, .bits = r.bits};
}

}  // namespace onefold::law
