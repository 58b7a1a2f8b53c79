// Folds f(x) for each element x of a range, without an array of these values.
//
//   double q = onefold::sum(x, [](double v) { return v * v - 1; });
//   auto m   = onefold::mean(x | std::views::drop(1));          // ranges that lie in no one piece
//   auto a   = onefold::fold("mean,var", words, &std::string::size);
//
//   x        any input range, read once, from the first element to the last, by the calling thread
//   f        T -> U, U an element type; called once for each element. The answers are those of an
//            array of its values, so what f rounds is rounded: the sum of products that f returns
//            is of rounded products (dot of two arrays is exact)
//   options  as for an array of one axis; .threads has no meaning
//   cost     f, and a fold of 32 KiB at a time that stay in the first cache: no memory is allocated
//            for values
//   throws   as fold does, and what f throws
#pragma once

#include <functional>

#include "onefold/fold.hpp"

namespace onefold {

// The type of the values of f.
template <class R, class F>
using MappedValue =
    std::remove_cvref_t<std::invoke_result_t<F&, std::ranges::range_reference_t<R>>>;
template <class R, class F>
concept MappedRange = std::ranges::input_range<R> &&
    std::invocable<F&, std::ranges::range_reference_t<R>> && is_element<MappedValue<R, F>>;
// A range of elements that do not lie in one piece.
template <class R>
concept ScatteredRange = std::ranges::input_range<R> && !std::ranges::contiguous_range<R> &&
                         is_element<std::remove_cvref_t<std::ranges::range_value_t<R>>>;

// Makes an element of what a range's iterator gives: a reference, or a proxy such as that of
// std::vector<bool>.
template <class R>
struct ToElement {
  template <class V>
  std::ranges::range_value_t<R> operator()(V&& v) const {
    return v;
  }
};

// Gathers the values. options.first is the index of the first one.
template <class R, class F>
requires MappedRange<R, F> State gather(std::string_view ops, R&& x, F f,
                                        const Options& options = {}) {
  using U = MappedValue<R, F>;
  constexpr Size room = (Size{32} << 10) / sizeof(U);
  U block[room];
  State all;
  Options part = options;
  Size n = 0;
  const auto add = [&] {
    const ArrayRef values(block, dtype_of<U>, Dims(n));
    all.merge(gather(ops, values, part));
    part.first += n;
    n = 0;
  };
  for (auto&& v : x) {
    block[n++] = std::invoke(f, std::forward<decltype(v)>(v));
    if (n == room) add();
  }
  if (n != 0 || all.count() == 0) add();
  return all;
}

namespace detail {
// The options of a gather and those of its answers.
struct MappedOptions {
  Options gather, answer;
  // throws  bad_option: an array of another shape than a block's is given
  explicit MappedOptions(const Options& options);
};
// Returns the answers to "mean,var" from a state that was gathered for these ops.
Answers answers_of(const State& state, std::string_view ops, const Options& options);
}  // namespace detail

// Folds the values: one answer for each op.
template <class R, class F>
requires MappedRange<R, F> Answers fold(std::string_view ops, R&& x, F f,
                                        const Options& options = {}) {
  const detail::MappedOptions split(options);
  const State state = gather(ops, std::forward<R>(x), std::move(f), split.gather);
  return detail::answers_of(state, ops, split.answer);
}
// Folds the elements of a range that do not lie in one piece.
template <class R>
requires ScatteredRange<R> Answers fold(std::string_view ops, R&& x, const Options& options = {}) {
  return fold(ops, std::forward<R>(x), ToElement<R>(), options);
}

}  // namespace onefold
