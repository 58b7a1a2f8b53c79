// Formulas of two arrays (onefold/pair_numbers.hpp), computed from words on the processor.
#include "onefold/pair_numbers.hpp"

namespace onefold {
namespace {

template <class T>
PairNumbers<T, Gathered> numbers(const Gathered& g) {
  return {g};
}

}  // namespace

Leading Gathered::squared_difference() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).squared_difference(); });
}
ExactSum Gathered::common_spread(uint32_t factor) const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).common_spread(factor); });
}
Real Gathered::greatest_difference() const {
  const int64_t* const w = at(Accumulator::maxabsdiff);
  return visit(dtype, [&]<class T>() { return real_of_difference<T>(w[0], w[1]); });
}
Real Gathered::correlation() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).correlation(); });
}
Real Gathered::cosine() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).cosine(); });
}
Real Gathered::slope() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).slope(); });
}
Real Gathered::intercept() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).intercept(); });
}
Real Gathered::weighted_mean() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).weighted_mean(); });
}

}  // namespace onefold
