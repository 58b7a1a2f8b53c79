// One type or another, for run-time compilers that have no <type_traits>.
#pragma once

namespace onefold::kernel {

template <bool first, class A, class B>
struct Either {
  using type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using type = B;
};

}  // namespace onefold::kernel
