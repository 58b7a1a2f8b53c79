// Exact sums of one array, and what follows from them: each answer is the formula over the real
// numbers, rounded once. docs/numerics.md has the rules for NaN, infinities and -0.
//
//   ExactSum      sum, mean
//   ExactVar      these, variance and deviation
//   ExactMoments  these, skewness and kurtosis
#pragma once

#include "onefold/core/single/moments.hpp"

namespace onefold {

template <class T>
class ExactSum
    : public detail::TallyState<ExactSum<T>, T, accumulator::sum<T>, accumulator::tally<T>> {
 public:
  constexpr ExactSum() = default;
  ONEFOLD_FN constexpr explicit ExactSum(T x) { add(x); }

  ONEFOLD_FN constexpr void add(T x) { this->add_one(x); }
  // Adds an array: bench/results/single.md says how quickly.
  ONEFOLD_FN constexpr void add(const T* p, Size n) { this->add_all(p, n); }

  // The sum, rounded once. U: any floating-point type, or an integer type if T is one.
  //   throws  Overflow: an integer type U cannot hold it
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value() const {
    return this->template sum<U>();
  }
  // The same, or `of_nothing` if there are no elements: Math.sumPrecise gives -0 then.
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value_or(typename detail::Choice<true, U, U>::type of_nothing) const {
    return this->count() == 0 ? of_nothing : value<U>();
  }
  using detail::TallyState<ExactSum<T>, T, accumulator::sum<T>, accumulator::tally<T>>::operator+=;
  ONEFOLD_FN constexpr ExactSum& operator+=(T x) {
    add(x);
    return *this;
  }
  ONEFOLD_FN friend constexpr ExactSum operator+(ExactSum a, T x) {
    a.add(x);
    return a;
  }
  ONEFOLD_FN friend constexpr ExactSum operator+(T x, ExactSum a) {
    a.add(x);
    return a;
  }

  // ExactState calls these functions: the names of the accumulators, and whether sums are possible.
  ONEFOLD_FN static constexpr const char* name(int k) { return k == 0 ? "sum" : "tally"; }
  ONEFOLD_FN constexpr bool sums_possible(Size) const { return true; }
};

// For std::reduce, which would add two elements by themselves: std::reduce(begin, end,
// onefold::ExactSum<double>(), onefold::ExactPlus<double>()). RAJA asks for the identity.
template <class T>
struct ExactPlus {
  ONEFOLD_FN static constexpr ExactSum<T> identity() { return {}; }
  ONEFOLD_FN constexpr ExactSum<T> operator()(ExactSum<T> a, const ExactSum<T>& b) const {
    a.merge(b);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(ExactSum<T> a, T x) const {
    a.add(x);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(T x, ExactSum<T> a) const {
    a.add(x);
    return a;
  }
  ONEFOLD_FN constexpr ExactSum<T> operator()(T x, T y) const {
    ExactSum<T> a(x);
    a.add(y);
    return a;
  }
};

template <class T>
class ExactVar : public detail::SpreadState<ExactVar<T>, T, accumulator::sum<T>,
                                            accumulator::sumsq<T>, accumulator::tally<T>> {
 public:
  ONEFOLD_FN constexpr void add(T x) {
    if (this->add_one(x)) this->add_square(x);
  }
  ONEFOLD_FN constexpr void add(const T* p, Size n) {
    this->add_all(p, n);
    for (Size i = 0; i < n; ++i) {
      if (detail::is_finite(p[i])) this->add_square(p[i]);
    }
  }

  // ExactState calls this function: the names of the accumulators, in their order.
  ONEFOLD_FN static constexpr const char* name(int k) {
    return k == 0 ? "sum" : k == 1 ? "sumsq" : "tally";
  }
};

template <class T>
class ExactMoments : public detail::SpreadState<ExactMoments<T>, T, accumulator::sum<T>,
                                                accumulator::sumcube<T>, accumulator::sumfourth<T>,
                                                accumulator::sumsq<T>, accumulator::tally<T>> {
 public:
  ONEFOLD_FN constexpr void add(T x) {
    if (!this->add_one(x)) return;
    this->add_square(x);
    this->template lift<accumulator::sumcube<T>>(x);
    this->template lift<accumulator::sumfourth<T>>(x);
  }
  ONEFOLD_FN constexpr void add(const T* p, Size n) {
    for (Size i = 0; i < n; ++i) add(p[i]);
  }
  // m3 / m2^(3/2), and m4 / m2^2 - 3, of the central moments over n; NaN if all elements are equal.
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U skewness() const {
    return detail::rounded<U>(this->template formula_of<Statistic::skewness>());
  }
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U kurtosis() const {
    return detail::rounded<U>(this->template formula_of<Statistic::kurtosis>());
  }

  // ExactState calls this function: the names of the accumulators, in their order.
  ONEFOLD_FN static constexpr const char* name(int k) {
    return k == 0 ? "sum" : k == 1 ? "sumcube" : k == 2 ? "sumfourth" : k == 3 ? "sumsq" : "tally";
  }
};

}  // namespace onefold
