// The exact sum of the products of two arrays: rounded once, with the rules of docs/numerics.md.
#pragma once

#include "onefold/core/accumulator/dot.hpp"
#include "onefold/core/single/answer.hpp"
#include "onefold/core/single/blocks.hpp"
#include "onefold/core/single/state.hpp"

namespace onefold {

template <class T>
class ExactDot
    : public detail::ExactState<ExactDot<T>, T, accumulator::dot<T>, accumulator::dot<T>> {
  using Products = accumulator::dot<T>;

 public:
  ONEFOLD_FN constexpr void add(T x, T y) {
    this->deposited(2);
    if constexpr (Floating<T>) {
      if (detail::is_finite(x) && detail::is_finite(y)) {
        int64_t* const w = this->template at<Products>();
        const uint64_t a = bit_cast<bits_of<T>>(x), b = bit_cast<bits_of<T>>(y);
        const bool zero = decode(x).zero() || decode(y).zero();
        w[Products::n] += 1;
        w[Products::not_negative_zero] += !zero || ((a ^ b) & detail::sign_bit<T>) == 0 ? 1 : 0;
        detail::deposit_product(w, x, y);
        return;
      }
    }
    this->template lift<Products>(x, y);
  }
  ONEFOLD_FN constexpr void add(const T* x, const T* y, Size n) {
    for (Size i = 0; i < n; ++i) add(x[i], y[i]);
  }
  // The sum, rounded once to U, which is as in ExactSum.
  template <class U = detail::SumOf<T>>
  ONEFOLD_FN constexpr U value() const {
    static_assert(Floating<U> || !Floating<T>, "a sum of floats is a float");
    return detail::rounded<U>(this->canonical().sum_of_all());
  }
  // The square root of the sum, rounded once: the norm of x, if y is x. NaN of a sum below 0.
  template <class U = detail::FractionOf<T>>
  ONEFOLD_FN constexpr U norm() const {
    return detail::rounded<U>(detail::root_of(this->canonical().sum_of_all()));
  }

  // ExactState calls these functions: the names of the accumulators, and whether sums are possible.
  ONEFOLD_FN static constexpr const char* name(int) { return "dot"; }
  ONEFOLD_FN constexpr bool sums_possible(Size) const { return true; }

 private:
  ONEFOLD_FN constexpr Real sum_of_all() const {
    const auto* const w = this->template at<Products>();
    return signed_sum(detail::LimbView{w, Products::limbs, Products::unit}, this->tally(), 0);
  }
};

}  // namespace onefold
