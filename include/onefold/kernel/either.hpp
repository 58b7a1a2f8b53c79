// Selects one of two types; run-time compilers have no <type_traits>.
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
