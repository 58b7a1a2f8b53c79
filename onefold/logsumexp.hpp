// Logarithms of sums of exponentials, and softmax: each answer is the exact value, rounded once.
//
//   types     f16, bf16, f32, f64: answers of the same type. Integers and bools are taken as f64,
//             which must hold them
//   method    f64 numbers with a proven error bound in vectors, then pairs of f64, then integers of
//             as many bits as it takes; an answer's bits depend on the elements alone
//   devices   floats of any strides with one distance between neighbouring elements of a slice
//   not here  files
//   options   .axes, .threads, .target, .device, .stream; of the first two functions also
//             .keepdims, .nan and, on the host, .where and .weights
//   weights   finite numbers of at least 0 that an f64 holds, of any type; they broadcast to x. An
//             element of weight 0 does not count
//   throws    bad_option, bad_axis, shape_mismatch, type_mismatch, no_backend
//   memory    each thread: copies of a slice whose elements are no neighbours in memory, are
//             selected by a mask, have weights (as f64, too), or are no floats; of 16 slices up to
//             2^18 elements
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// ln(sum of e^x) along axes, or ln(sum of w e^x). Of nothing, or of elements that are all -inf:
// -inf; +inf if an element is +inf. One element alone is its own answer.
Answer logsumexp(const ArrayRef& x, const Options& options = {});
// ln(sum of e^x / n), or ln(sum of w e^x / sum of w). Of nothing: NaN.
Answer logmeanexp(const ArrayRef& x, const Options& options = {});

// e^(x - L) and x - L of each element; L, the logsumexp of its slice along .axes, is not rounded.
// Where L is infinite the difference is that of IEEE arithmetic: NaN for infinities of one sign.
Answer softmax(const ArrayRef& x, const Options& options = {});
Answer log_softmax(const ArrayRef& x, const Options& options = {});

// Write the answers to `out`, as fold(request, outputs) does: on a device the work is queued.
void logsumexp_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
void logmeanexp_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
// Of x's type and shape; without statuses. On a device x and `out` are both there.
void softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
void log_softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});

// What is known of the elements of slices of which each is given in parts: shards of a vocabulary,
// chunks of a file. Parts merge in any order; equal elements have equal states, however they were
// cut, on any processor.
//
//   LogsumexpStates s = gather_logsumexp(shard, {.axes = {-1}});  // a state for each token
//   s.merge(others);                                              // token by token
//   Answer a = s.logsumexp();
class LogsumexpStates {
 public:
  static constexpr int words_each = 25;  // of a slice (docs/format.md)

  // Without slices or kind: merging into it copies.
  LogsumexpStates() = default;

  // throws  shape_mismatch: other slices; bad_state: another type or policy, or more than 2^53
  //         elements. The states are then unchanged
  void merge(const LogsumexpStates& other);
  // Have the bits that the slices' elements give, each rounded once to dtype(), or the status
  // undecided: about one f64 in 2^30, and answers nearer to 0 than about 2^-30 (of f32 2^-60).
  Answer logsumexp() const { return answer(false); }
  Answer logmeanexp() const { return answer(true); }

  std::vector<std::byte> save() const;
  // throws  bad_state: the bytes are no such states, or no elements can give their words
  static LogsumexpStates load(std::span<const std::byte> bytes);

  DType dtype() const { return dtype_; }
  NanPolicy nan() const { return nan_; }
  const Dims& shape() const { return shape_; }  // of the array without the folded axes
  Size size() const;                            // the number of slices
  std::span<const uint64_t> words() const { return words_; }
  // Makes states of words from elsewhere: words_each for each slice of this shape.
  //   throws  bad_state: no elements of the type can give them
  static LogsumexpStates of(std::span<const uint64_t> words, DType type, NanPolicy nan,
                            const Dims& shape);
  friend bool operator==(const LogsumexpStates&, const LogsumexpStates&) = default;

 private:
  Answer answer(bool mean) const;

  DType dtype_ = DType::f64;
  NanPolicy nan_ = NanPolicy::propagate;
  bool holds_ = false;
  Dims shape_;
  std::vector<uint64_t> words_;
};
// Gathers slices along options.axes: as logsumexp, on the host and without weights. One pass, about
// 11 ns an element.
LogsumexpStates gather_logsumexp(const ArrayRef& x, const Options& options = {});
// Queues the same of an array on a device: `words` is contiguous u64 there, of the shape of the
// slices and words_each.
void gather_logsumexp_into(const OutputRef& words, const ArrayRef& x, const Options& options = {});
// Queue merging such words and answering them: `words` has an axis for the parts before the others,
// `out` the shape of the slices and the type of the elements. Options .nan, .device, .stream.
// Words that no elements give, which LogsumexpStates refuses, have any answer.
void logsumexp_of_states_into(const OutputRef& out, const ArrayRef& words,
                              const Options& options = {});
void logmeanexp_of_states_into(const OutputRef& out, const ArrayRef& words,
                               const Options& options = {});

}  // namespace onefold
