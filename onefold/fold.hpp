// The library with ops named by text; an answer has its type at run time. This header is enough for
// programs that learn their ops at run time; onefold.hpp adds ops as C++ values.
//
// Three verbs answer a Request: fold(request), fold(request, outputs), gather(request). All other
// functions that fold arrays are short forms: each does what a request of its arguments does.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/error.hpp"
#include "onefold/options.hpp"
#include "onefold/request.hpp"
#include "onefold/version.hpp"

namespace onefold {

namespace detail {
// int64_t is either long or long long; the other of the two names the same element type.
using OtherLong = std::conditional_t<std::same_as<int64_t, long>, long long, long>;
}  // namespace detail
template <>
inline constexpr bool is_element<detail::OtherLong> = true;
template <>
inline constexpr DType dtype_of<detail::OtherLong> = DType::i64;
template <>
inline constexpr bool is_element<std::make_unsigned_t<detail::OtherLong>> = true;
template <>
inline constexpr DType dtype_of<std::make_unsigned_t<detail::OtherLong>> = DType::u64;

// One answer: its type, the bits of its value, and a status that says what is wrong with it.
struct Value {
  DType dtype = DType::f64;
  Status status = Status::ok;
  uint64_t bits = 0;

  // The value as the C++ type of `dtype`.
  //   throws  overflow, nan_found, empty_input: if its status is that; type_mismatch: not of type T
  //   name    what a message calls it
  template <class T>
  T as(const char* name = "the value") const {
    check(dtype_of<T>, name);
    if constexpr (std::same_as<T, bool>) {
      return bits != 0;
    } else {
      return bit_cast<T>(static_cast<bits_of<T>>(bits));
    }
  }
  friend bool operator==(const Value&, const Value&) = default;

 private:
  void check(DType asked, const char* name) const;
};

// The answers of one op: an array in C order, with a status for each element.
struct Answer {
  std::string op;
  DType dtype = DType::f64;
  Dims shape;  // the input's shape without the folded axes; keepdims keeps them with extent 1
  std::vector<std::byte> data;
  std::vector<Status> status;
  // Answers of a table's columns of integers that are longer than 53 bits. `data` has the nearest
  // f64 of these, and [] returns the integers.
  std::map<Size, Value> integers = {};

  Size size() const { return status.size(); }
  Value operator[](Size i) const;
  Value only() const;  // throws shape_mismatch if there is not exactly one
  // Returns all values; the span is valid as long as the answer. If an element is bad, throws for
  // the first one as Value::as does, and names its index.
  template <class T>
  std::span<const T> values() const& {
    check(dtype_of<T>);
    return {reinterpret_cast<const T*>(data.data()), status.size()};
  }
  template <class T>
  std::span<const T> values() const&& = delete;  // a temporary's span would dangle

 private:
  void check(DType asked) const;
};

// The answers to all ops of one request, in its order.
class Answers {
 public:
  std::vector<Answer> list;
  // Of a fold by keys: the distinct keys, of the caller's type, in ascending order. Value k of each
  // answer is that of key k. Otherwise empty.
  std::vector<std::byte> keys;
  DType key_type = DType::i64;

  const Answer& operator[](std::string_view op) const&;  // throws unknown_op
  Answer operator[](std::string_view op) const&& { return (*this)[op]; }
  // Returns the value of a fold over all axes. Throws as Value::as does; throws shape_mismatch
  // unless the answer has exactly one value.
  template <class T>
  T get(std::string_view op) const {
    const Answer& a = (*this)[op];
    return a.only().as<T>(a.op.c_str());
  }
  Size key_count() const { return keys.size() / bytes_of(key_type); }
  // Returns the keys as numbers of type T. throws type_mismatch: keys have another type
  template <class T>
  std::span<const T> keys_as() const& {
    check_keys(dtype_of<T>);
    return {reinterpret_cast<const T*>(keys.data()), key_count()};
  }
  template <class T>
  std::span<const T> keys_as() const&& = delete;  // a temporary's span would dangle

 private:
  void check_keys(DType asked) const;
};

// Where answers are to be written, of the type that the op gives.
//   shape    that of the answer; a plain range: its number of elements
//   strides  in bytes: positive multiples of an element's bytes, large enough that no two answers
//            share memory; none: C order, without holes. What lies between answers stays as it is
//   status   one for each element, or null: a bad status throws. With strides, the status of the
//            value that lies k elements behind `data` is status[k]
struct OutputRef {
  void* data = nullptr;
  DType dtype = DType::f64;
  Dims shape, strides = {};
  Status* status = nullptr;

  OutputRef(void* p, DType t, Dims extents, Status* s = nullptr)
      : data(p), dtype(t), shape(extents), status(s) {}
  OutputRef(void* p, DType t, Dims extents, Dims bytes, Status* s = nullptr)
      : data(p), dtype(t), shape(extents), strides(bytes), status(s) {}
  template <ElementRange R>
  requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>)
      OutputRef(R&& range)
      : OutputRef(std::ranges::data(range), dtype_of<std::ranges::range_value_t<R>>,
                  Dims(std::ranges::size(range))) {}
};

// Folds what the request names, all its ops in one pass.
//   throws  unknown_op, bad_axis, bad_option (also .parts), shape_mismatch, no_backend: before any
//           work; what is wrong with offsets or labels on a device, when they have been read
//   cost    one pass: bytes(x) read. By keys one thread makes the pass. By labels one thread, or a
//           device, sorts all but sums of f32 and f64: three more passes over the labels and one
//           over x. Keys and labels that ascend are folded as segments, by all threads
//   memory  by keys, for each group its key and those words of a state that some group uses, about
//           100 bytes for mean and var of f64 of similar magnitude. By labels 16 bytes a
//           group, for other ops than sums a copy of x; by either, with .where, .weights, .fweights
//           or y, 4 bytes an element and copies of all arrays
//   device  keys on a device are numbered there (numbered_keys.hpp); the call waits. With .where,
//           .weights, .fweights or y, arrays of keys and labels are on the host, which sorts them
Answers fold(const Request& request);

// Does the same, and writes the answers of op k to outs[k].
//   outs    must not overlap x
//   throws  also overflow, nan_found, empty_input if an output has no statuses: then nothing is
//           written; bad_option: outputs or statuses overlap; outputs of segments or labels have
//           strides; .keys, whose number is not known before the fold
//
// On a device, with .stream = s in the options, and x, all outputs and statuses in its memory:
//   stream  a cudaStream_t or CUstream; null: CUDA's default stream. The work is queued there and
//           the call returns without waiting. The first call of a kind compiles a kernel, the first
//           on a stream allocates; later calls do neither
//   status  each value has a status; if it is bad, the value is 0. A bad status throws nothing.
//           bad_offsets: a segment's offsets decrease or lie outside the array; no element of it
//           has been read
//   labels  the call waits until all are checked; if one is bad, nothing is written. .deferred: it
//           does not wait, and its memory is kept with the stream or graph
//   graph   the call can be captured. The captured call has a workspace of its own until the graph
//           and its instances are destroyed; two instances of one graph must not run at once
//   strides cost nothing if those of all outputs of a call are equal, in elements
//   throws  bad_option: memory of another device, a stream of another context; segments and labels
//           on a device without statuses
// If x, an output or a status is in host memory, the call waits for its answers.
void fold(const Request& request, std::span<const OutputRef> outs);

// Folds `x` along options.axes: fold({.ops = ops, .x = x, .options = options}).
Answers fold(std::string_view ops, const ArrayRef& x, const Options& options = {});
Answers fold(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
             const Options& options = {});

// Folds along options.axes into one output, or several in the order of the ops.
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x,
               const Options& options = {});
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x, const ArrayRef& y,
               const Options& options = {});
void fold_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
               const Options& options = {});

// Folds segments of the first axis, between neighbouring offsets: Request::segments.
Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                      const Options& options = {});

// Folds x[i] into the group of keys[i]: Request::keys.
Answers fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x,
                const Options& options = {});
// Says that keys are numbers of groups: fold_by("mean", labels, x, {.groups = 10}).
struct Labels {
  Size groups;
  Options options = {};
};
Answers fold_by(std::string_view ops, const ArrayRef& labels, const ArrayRef& x, const Labels& how);

// The exact partial result of a part of the data. When all parts are merged, it answers ops.
//
//   order-free   sums, counts, least and greatest values: the same data give the same bytes in any
//                order and grouping
//   index-aware  if an op answers with an index (argmin, argmax), options.first is the index of the
//                part's first element; states merge in any order
//   bytes        little-endian; equal states are equal bytes
class State {
 public:
  // An empty state of no kind. Merging it changes nothing; merging into it copies. A state that was
  // moved from is such a state, too.
  State();
  ~State();
  State(const State&);
  State(State&&) noexcept;
  State& operator=(const State&);
  State& operator=(State&&) noexcept;

  // throws bad_state: `other` has another type, policy or set of accumulators; overlap: both have
  //        an element, and indices are kept; overflow: 2^63 elements or more. The state is then
  //        unchanged
  void merge(const State& other);
  // Removes a state that was merged. This is the exact inverse: the bytes from before come back.
  // throws bad_state: the state holds extremes, which have no inverse; the remaining sum is 0 and
  //        its sign is not known; no data can give the remaining words; otherwise as merge. The
  //        state is then unchanged
  void remove(const State& other);
  // Uses the options .result, .wide, .ddof, .initial and .empty_nan.
  // throws bad_option: this state lacks accumulators or indices of the op; an option is given that
  //        says how to fold
  Value answer(std::string_view op, const Options& options = {}) const;
  // Returns all digits of the sum of decimals, which a state of a text holds, with those behind the
  // point up to the last that is not 0: "-12.5", "0", "NaN", "-Infinity".
  // throws bad_option: no decimals are held
  std::string decimal_sum() const;
  std::vector<std::byte> save() const;
  // Returns the SHA-256 of the bytes of save(), as hexadecimal digits. For a share of files, the
  // fields that name the share are left out. Equal data that are gathered for the same ops have
  // equal digests, in whatever parts and order they came.
  std::string digest() const;
  // throws bad_state: the bytes are no state, or no data can give their words
  static State load(std::span<const std::byte> bytes);
  DType dtype() const;
  NanPolicy nan() const;
  Size count() const;  // the number of gathered elements, without those that .where leaves out
  friend bool operator==(const State&, const State&);

  struct Impl;
  explicit State(std::unique_ptr<Impl>);

 private:
  friend class Message;  // defined in onefold/message.hpp
  const Impl& held() const;
  std::unique_ptr<Impl> impl_;
};

// Gathers all elements of the request's arrays. (States of many slices: states.hpp.)
//   parts   each is gathered on its own device, all at the same time, and the states merge. The
//           State has the bits that one array gives. .device, .stream and .first come from the
//           parts. Parts that overlap by their .first are found only if an op answers with an index
//   throws  as fold does before any work, and what State::merge throws, naming the part;
//           bad_option: segments, keys, labels
State gather(const Request& request);
State gather(std::string_view ops, const ArrayRef& part, const Options& options = {});
State gather(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
             const Options& options = {});

// op_names: all ops. cpu_targets: the instruction sets that this processor can run, best first.
std::vector<std::string_view> op_names();
std::vector<std::string_view> cpu_targets();

}  // namespace onefold
