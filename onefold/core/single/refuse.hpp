// What happens where there is no right answer: an exception, or the program's end if there are no
// exceptions.
#pragma once

#include "onefold/core/base.hpp"

#if !defined(__CUDACC_RTC__)
#include <cstdlib>
#include <exception>
#endif

namespace onefold {

#if !defined(__CUDACC_RTC__)
// The type of an answer cannot hold its exact value, or 2^63 elements were merged.
struct Overflow : std::exception {
  const char* what() const noexcept override {
    return "onefold: the exact value does not fit the result type";
  }
};
#endif

namespace detail {

[[noreturn]] ONEFOLD_FN inline void refuse() {
#if defined(__CUDA_ARCH__)
  __trap();
  __builtin_unreachable();
#elif defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw Overflow();
#else
  std::abort();
#endif
}

}  // namespace detail
}  // namespace onefold
