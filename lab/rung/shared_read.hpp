// What the kernels of `banks` share: shared memory is filled with x, then each lane reads one place
// of it and adds what it finds.
//
//   sizes  0, 1: of the pattern; 4: times to read; 5: 0, which no compiler may know, so that each
//          reading is done
#pragma once

#include "lab/text.hpp"

namespace onefold::lab {

ONEFOLD_KERNEL uint32_t total(uint32_t e) { return e; }
ONEFOLD_KERNEL uint32_t total(uint64_t e) {
  return static_cast<uint32_t>(e) + static_cast<uint32_t>(e >> 32);
}
ONEFOLD_KERNEL uint32_t total(const Vector16<uint32_t>& e) { return e.sum(); }

// Pattern::place(lane, sizes) is the index that a lane reads.
template <class Pattern, class T, int Elements, class M, class X, class Y>
ONEFOLD_KERNEL void read_shared(M m, X x, Y y, const Sizes& a) {
  auto s = shared<T, Elements, Pattern>(m);
  const auto t = m.thread();
  const unsigned turns = Elements / m.threads();
  for (unsigned k = 0; k < turns; ++k) {
    const T e = x[t + k * m.threads()];
    s[t + k * m.threads()] = e;
  }
  m.sync();
  auto place = Pattern::place(m.lane(), a);
  const auto step = static_cast<unsigned>(a[5]);
  uint32_t sum = 0;
  for (Size k = 0; k < a[4]; ++k) {
    const T e = s[place];
    sum += total(e);
    place += step;
  }
  y[m.block() * m.threads() + t] = sum;
}

}  // namespace onefold::lab
