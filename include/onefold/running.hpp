// Running sums for millions of groups, to which a database engine adds the elements of rows one by
// one.
//
//   const RunningKind kind("mean,var", DType::f64, NanPolicy::propagate);
//   kind.clear(run);                          // kind.bytes() of the caller's memory, a run
//   kind.add(blocks, 0, values, n, left);     // element i to the run at blocks[i]
//   State all = kind.state(run);
//
// A run holds digits of a sum and of a sum of squares, at the magnitude of its first element: 72 to
// 168 bytes. Elements that are not finite, or of another magnitude (2^64 times for sums, 2^48 for
// squares), are not added: `add` returns their numbers, and the caller gathers them otherwise.
#pragma once

#include <memory>
#include <string_view>

#include "onefold/fold.hpp"

namespace onefold {

class RunningKind {
 public:
  // throws  as gather
  RunningKind(std::string_view ops, DType dtype, NanPolicy nan);
  ~RunningKind();

  // False: the ops gather more than sums and squares of f64, f32, i64; call nothing below.
  bool sums() const;
  Size bytes() const;  // of a run, aligned to 8
  void clear(void* run) const;
  // Adds x[i] to the run `offset` bytes into blocks[i].
  //   left     room for n; gets the numbers of the elements that are not added
  //   returns  how many elements are not added
  Size add(void* const* blocks, Size offset, const void* x, Size n, uint32_t* left) const;
  // Merges `other` into `run`; false if their magnitudes are too far apart, and nothing is merged.
  bool merge(void* run, const void* other) const;
  Size count(const void* run) const;
  State state(const void* run) const;
  // Computes state(run).answer(op) for this kind's only op; false if only the state can answer.
  bool answer(const void* run, DType result, const Correction& correction, Value* value) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace onefold
