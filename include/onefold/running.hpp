// Sums of elements that come one by one, in millions of groups: rows of an engine.
//
//   const RunningKind kind("mean,var", DType::f64, NanPolicy::propagate);
//   kind.clear(run);                          // kind.bytes() of the caller's memory, a run
//   kind.add(blocks, 0, values, n, left);     // element i to the run at blocks[i]
//   State all = kind.state(run);
//
// A run has the digits of a sum and of a sum of squares around its first element: 72 to 168 bytes.
// What is not finite, or of another magnitude (2^64 times for sums, 2^48 for squares), is not added
// but named; the caller gathers it.
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
  //   left     room for n; the elements that are not added, by their numbers
  //   returns  how many those are
  Size add(void* const* blocks, Size offset, const void* x, Size n, uint32_t* left) const;
  // False: they are too far apart, and nothing is merged.
  bool merge(void* run, const void* other) const;
  Size count(const void* run) const;
  State state(const void* run) const;
  // What state(run).answer(op) says, of this kind's one op; false: only the state can say.
  bool answer(const void* run, DType result, const Correction& correction, Value* value) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace onefold
