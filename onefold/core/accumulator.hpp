// All accumulators, as templates of the element type.
#pragma once

#include "onefold/core/accumulators.hpp"
#include "onefold/generated/accumulator.inl"
#include "onefold/generated/pair.inl"

namespace onefold {

// Calls f.template operator()<A>() with the accumulator template instance that (a, t) names.
template <class F>
ONEFOLD_FN constexpr decltype(auto) visit(Accumulator a, DType t, F&& f) {
  return visit(t, [&]<class T>() -> decltype(auto) {
    switch (a) {
#define ONEFOLD_ENTRY(name) \
  case Accumulator::name:   \
    return f.template operator()<accumulator::name<T>>();
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
    }
    return f.template operator()<accumulator::tally<T>>();
  });
}

}  // namespace onefold
