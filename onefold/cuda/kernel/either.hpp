// Selects one of two types; run-time compilers have no <type_traits>.
#pragma once

namespace onefold::kernel {

template <bool first, class A, class B>
struct EitherOf {
  using type = A;
};
template <class A, class B>
struct EitherOf<false, A, B> {
  using type = B;
};
template <bool first, class A, class B>
using Either = typename EitherOf<first, A, B>::type;

}  // namespace onefold::kernel
