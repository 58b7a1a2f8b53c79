// What the kernels of the experiments are written against, beside their machine. No system header:
// the texts compile at run time for a GPU.
#pragma once

#include "lab/rung.hpp"

namespace onefold::lab {

// Before a loop: unrolled n times by the GPU's compiler.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ONEFOLD_PRAGMA(words) _Pragma(#words)
#define ONEFOLD_UNROLL_BY(n) ONEFOLD_PRAGMA(unroll n)
#else
#define ONEFOLD_UNROLL_BY(n)
#endif

// The elements that a kernel reads and writes.
template <class A, class B = A>
struct Types {
  using X = A;
  using Y = B;
};

// What a kernel says of itself. It is a struct in the file of its experiment, with its `Types` and
// `run`, the text.
struct About {
  const char* title = "";
  const char* idea = "";
  const char* source = "";
  Published published[2] = {};
};

// The numbers of a point, as its kernel gets them.
struct Sizes {
  enum : int { most = 6 };
  Size v[most];

  ONEFOLD_KERNEL Size operator[](int k) const { return v[k]; }
};

// Each kernel begins with this: M is the machine, x what it reads, y what it writes.
#define ONEFOLD_POINT_KERNEL \
  template <class M>         \
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a)

}  // namespace onefold::lab
