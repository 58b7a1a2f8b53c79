// Onefold: folds arrays into answers, exactly, in one pass.
//
//   double s    = onefold::sum(x);                                   // span, vector, array, T[]
//   auto [m, v] = onefold::fold<onefold::mean, onefold::var>(x, {.ddof = 1});       // one pass
//   auto a      = onefold::fold("mean,argmin", {p, onefold::f32, {rows, cols}}, {.axes = {0}});
//   onefold::fold_into(out, "sum", x, {.axes = {1}});
//   auto st     = onefold::gather("mean,var", part);  st.merge(other);  st.answer("var");
//
// Every answer is the formula over the real numbers, rounded once: docs/numerics.md. So threads,
// strides, chunks and instruction sets cannot change a bit of it. All functions may be called from
// many threads at once. Errors are onefold::Error, or std::bad_alloc where the host's memory has
// run out; nothing is printed.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

// nvcc takes lambdas that only run on the host for mistakes in what can run on both.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20015
#endif

#include "onefold/array.hpp"
#include "onefold/error.hpp"
#include "onefold/generated/op.inl"
#include "onefold/generated/pair_op.inl"
#include "onefold/options.hpp"
#include "onefold/version.hpp"

namespace onefold {

namespace detail {
// int64_t is one of long and long long; the other one is the same element type.
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

// One answer: the bits of its type, and what the data had to say against it.
struct Value {
  DType dtype = DType::f64;
  Status status = Status::ok;
  uint64_t bits = 0;

  // The value as the C++ type of `dtype`.
  //   throws  overflow, nan_found, empty_input: its status; type_mismatch: another type
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
  Dims shape;  // of the input, without the folded axes (1 there with keepdims)
  std::vector<std::byte> data;
  std::vector<Status> status;

  Size size() const { return status.size(); }
  Value operator[](Size i) const;
  Value only() const;  // throws shape_mismatch if there is not exactly one
  // All values, which live as long as the answer. throws as Value::as does, for the first bad
  // element, naming its index
  template <class T>
  std::span<const T> values() const& {
    check(dtype_of<T>);
    return {reinterpret_cast<const T*>(data.data()), status.size()};
  }
  template <class T>
  std::span<const T> values() const&& = delete;  // of a temporary

 private:
  void check(DType asked) const;
};

// The answers to all ops of one request, in its order.
class Answers {
 public:
  std::vector<Answer> list;

  const Answer& operator[](std::string_view op) const&;  // throws unknown_op
  Answer operator[](std::string_view op) const&& { return (*this)[op]; }
  // The value of a fold over all axes. throws as Value::as does, and shape_mismatch where there are
  // several or none
  template <class T>
  T get(std::string_view op) const {
    const Answer& a = (*this)[op];
    return a.only().as<T>(a.op.c_str());
  }
};

// Folds `x` along options.axes, for all `ops` ("mean,var") in one pass.
//   x       any rank to 16, any strides; read once
//   ops     names separated by commas; ops of two arrays (dot, corr) take y
//   throws  unknown_op, bad_axis, bad_option, shape_mismatch, no_backend: before any work
//   cost    one pass: bytes(x) read
Answers fold(std::string_view ops, const ArrayRef& x, const Options& options = {});
Answers fold(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
             const Options& options = {});

// Folds segments of the first axis: answer i is that of x[offsets[i]] up to x[offsets[i + 1]], and
// has the shape of x without that axis. Indices count within the segment.
//   offsets  rising numbers within 0..n, of i32 or i64, one more than there are segments
//   throws   bad_option before any work: offsets that fall, or leave the array; .axes, .keepdims
//   cost     one pass, whatever the lengths
Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                      const Options& options = {});

// A place for answers: C order, no holes, the type that the op gives.
struct OutputRef {
  void* data = nullptr;
  DType dtype = DType::f64;
  Dims shape;
  Status* status = nullptr;  // one per element, or null: then a bad status throws

  OutputRef(void* p, DType t, Dims extents, Status* s = nullptr)
      : data(p), dtype(t), shape(extents), status(s) {}
  template <ElementRange R>
  requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>)
      OutputRef(R&& range)
      : OutputRef(std::ranges::data(range), dtype_of<std::ranges::range_value_t<R>>,
                  Dims(std::ranges::size(range))) {}
};

// Folds and writes the answers to `out`; of several ops to `outs`, in their order, as fold does.
//   out     the shape of the answer (a plain range: its number of elements); must not overlap x
//   throws  also overflow, nan_found, empty_input where out.status is null, and nothing is written;
//           bad_option where two outputs or statuses share memory
//
// On a device, {.device = cuda(0), .stream = s}, with x, all outputs and statuses in its memory:
//   stream  a cudaStream_t or CUstream; null: CUDA's default stream. The work is queued there and
//           the call returns; nothing is waited for. The first call of a kind compiles a kernel,
//           the first on a stream allocates; later ones do neither
//   status  travels with the value, which is 0 where the status is bad; nothing is thrown for it
//   graph   the call can be captured. It then has its own workspace until the graph and all that
//           was made of it are gone; no two instances of one graph may run at once
//   throws  bad_option: memory of another device, a stream of another context
// With any of them on the host the call waits for its answers.
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x,
               const Options& options = {});
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x, const ArrayRef& y,
               const Options& options = {});
void fold_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
               const Options& options = {});

// What has been gathered from a part of the data; answers ops when all parts are merged.
//
//   order-free   sums, counts, least and greatest values: any order and grouping of the same data
//                gives the same bytes
//   index-aware  where an op answers with an index (argmin, argmax), options.first says where the
//                part begins: any order of merging
//   bytes        little-endian; equal states are equal bytes
class State {
 public:
  // Nothing of no kind: merging it changes nothing, merging into it copies. So is what was moved
  // from.
  State();
  ~State();
  State(const State&);
  State(State&&) noexcept;
  State& operator=(const State&);
  State& operator=(State&&) noexcept;

  // throws bad_state: of another type, policy or set of accumulators; overlap: the same elements,
  //        where indices are kept; overflow: 2^63 elements and more. The state is then as it was
  void merge(const State& other);
  // Of the options .result, .wide, .ddof, .initial and .empty_nan.
  // throws bad_option: an op whose accumulators or indices this state does not hold, an option that
  //        says how to fold
  Value answer(std::string_view op, const Options& options = {}) const;
  std::vector<std::byte> save() const;
  // throws bad_state: also for what no data can give
  static State load(std::span<const std::byte> bytes);
  DType dtype() const;
  Size count() const;  // elements gathered: those that .where takes
  friend bool operator==(const State&, const State&);

  struct Impl;
  explicit State(std::unique_ptr<Impl>);

 private:
  friend class Message;  // onefold/message.hpp
  const Impl& held() const;
  std::unique_ptr<Impl> impl_;
};

State gather(std::string_view ops, const ArrayRef& part, const Options& options = {});
State gather(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
             const Options& options = {});

// The names of all ops; of the instruction sets that this processor can run, best first.
std::vector<std::string_view> op_names();
std::vector<std::string_view> cpu_targets();

namespace detail {

// A fold of contiguous data over all axes, with the op known when compiling.
struct Request {
  const char* op;  // lives for ever: a request is known again by its address
  DType result;
};
void fold_whole(std::span<const Request> ops, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out);
// sum(x) and mean(x) with the default options, if that is quick: few elements and nothing special
// among them.
bool quick_sum(const double* x, Size n, double* out);
bool quick_mean(const double* x, Size n, double* out);

// The C++ type of an answer; Bool8 is for arrays, a single answer is a bool.
template <DType t>
struct TypeOf;
#define ONEFOLD_DTYPE(name, spelling, type_, kind, bytes)                     \
  template <>                                                                 \
  struct TypeOf<DType::name> {                                                \
    using type = std::conditional_t<std::same_as<type_, Bool8>, bool, type_>; \
  };
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE

template <class R>
inline constexpr DType range_dtype = dtype_of<std::ranges::range_value_t<R>>;

}  // namespace detail

// An op as a value: onefold::sum(x), onefold::dot(x, y).
template <OpDefinition Definition>
struct Op {
  const char* name;

  template <class R>
  using result_for =
      typename detail::TypeOf<Definition::about.result.of(detail::range_dtype<R>)>::type;

  // Folds all of `x`. throws as fold does, and the status of the value
  template <ElementRange R>
  requires(Definition::about.inputs == 1) result_for<R>
  operator()(const R& x, const Options& options) const {
    return call<result_for<R>>(x, nullptr, options);
  }
  // A plan and a state cost more than 8 elements: sums and means of f64 try without.
  template <ElementRange R>
  requires(Definition::about.inputs == 1) result_for<R>
  operator()(const R& x) const {
    if constexpr (detail::range_dtype<R> == DType::f64) {
      [[maybe_unused]] double quick = 0;
      if constexpr (std::same_as<Definition, op::sum_>) {
        if (detail::quick_sum(std::ranges::data(x), std::ranges::size(x), &quick)) return quick;
      } else if constexpr (std::same_as<Definition, op::mean_>) {
        if (detail::quick_mean(std::ranges::data(x), std::ranges::size(x), &quick)) return quick;
      }
    }
    return call<result_for<R>>(x, nullptr, Options{});
  }
  template <ElementRange R, ElementRange S>
  requires(Definition::about.inputs == 2) result_for<R>
  operator()(const R& x, const S& y, const Options& options = {}) const {
    const ArrayRef other(y);
    return call<result_for<R>>(x, &other, options);
  }

 private:
  template <class T, class R>
  T call(const R& x, const ArrayRef* y, const Options& options) const {
    const detail::Request request{name, dtype_of<T>};
    Value value;
    detail::fold_whole({&request, 1}, x, y, options, &value);
    return value.as<T>(name);
  }
};

#define ONEFOLD_ENTRY(name) inline constexpr Op<op::name##_> name{#name};
#include "onefold/generated/op.list"
#include "onefold/generated/pair_op.list"
#undef ONEFOLD_ENTRY

namespace detail {
// Where `op.name` would do, clang 14 does not know the type of `op`.
template <class T>
constexpr const char* name_of_op(const T& op) {
  return op.name;
}
}  // namespace detail

// Several answers in one pass: auto [m, v] = fold<mean, var>(x, {.ddof = 1}).
template <const auto&... ops, ElementRange R>
auto fold(const R& x, const Options& options = {}) {
  using Types = std::tuple<typename std::remove_cvref_t<decltype(ops)>::template result_for<R>...>;
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    const detail::Request requests[] = {
        {detail::name_of_op(ops), dtype_of<std::tuple_element_t<i, Types>>}...};
    Value values[sizeof...(ops)];
    detail::fold_whole(requests, x, nullptr, options, values);
    return Types{values[i].template as<std::tuple_element_t<i, Types>>(requests[i].op)...};
  }
  (std::index_sequence_for<decltype(ops)...>());
}

}  // namespace onefold

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
