// Calls a kernel; some kernels also take a ticket, some a step. Includes no system header.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::lab {

template <class K, class F, unsigned B, class M, class X, class Y, class Ticket>
ONEFOLD_KERNEL void call(M m, X x, Y y, Size n, Size step, Ticket ticket) {
  if constexpr (requires { K::template run<F, B>(m, x, y, n, ticket); }) {
    K::template run<F, B>(m, x, y, n, ticket);
  } else if constexpr (requires { K::template run<F, B>(m, x, n, step); }) {
    K::template run<F, B>(m, x, n, step);
  } else {
    K::template run<F, B>(m, x, y, n);
  }
}

}  // namespace onefold::lab
