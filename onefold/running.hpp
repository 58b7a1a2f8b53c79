// Running sums for millions of groups. A database engine adds the elements of its rows to them one
// by one.
//
//   const RunningKind kind("mean,var", DType::f64, NanPolicy::propagate);
//   kind.clear(run);                          // run: kind.bytes() of the caller's memory
//   kind.add(blocks, 0, values, n, left);     // element i to the run at blocks[i]
//   State all = kind.state(run);
//
// A run holds digits of a sum and of a sum of squares, at the magnitude of its first element: 72 to
// 168 bytes. `add` leaves out elements that are not finite, or of another magnitude (by 2^64 for
// sums, 2^48 for squares). It returns their numbers, and the caller gathers them by other means.
#pragma once

#include <memory>
#include <string_view>

#include "onefold/fold.hpp"

namespace onefold {

class RunningKind {
 public:
  // throws  the errors of gather
  RunningKind(std::string_view ops, DType dtype, NanPolicy nan);
  ~RunningKind();

  // Returns false if the ops need more than sums and squares of f64, f32, i64: call nothing else.
  bool sums() const;
  Size bytes() const;  // bytes of one run, which is aligned to 8
  void clear(void* run) const;
  // Adds x[i] to the run `offset` bytes into blocks[i].
  //   left     has room for n numbers; gets those of the elements that were not added
  //   returns  how many elements are not added
  Size add(void* const* blocks, Size offset, const void* x, Size n, uint32_t* left) const;
  // Merges `other` into `run`; returns false, and changes nothing, if magnitudes are too far apart.
  bool merge(void* run, const void* other) const;
  Size count(const void* run) const;
  State state(const void* run) const;
  // Computes state(run).answer(op) for this kind's only op; returns false if only the state can.
  bool answer(const void* run, DType result, const Correction& correction, Value* value) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace onefold
