// Onefold: folds arrays into answers, exactly, in one pass.
//
//   double s    = onefold::sum(x);                                   // span, vector, array, T[]
//   auto [m, v] = onefold::fold<onefold::mean, onefold::var>(x, {.ddof = 1});       // one pass
//   auto a      = onefold::fold("mean,argmin", {p, onefold::f32, {rows, cols}}, {.axes = {0}});
//   onefold::fold_into(out, "sum", x, {.axes = {1}});
//   double q    = onefold::sum(x, [](double v) { return v * v; });   // mapped.hpp: ranges, too
//   auto st     = onefold::gather("mean,var", part);  st.merge(other);  st.answer("var");
//
// Every answer is the formula over the real numbers, rounded once: docs/numerics.md. So threads,
// strides, chunks and instruction sets cannot change a bit of it. All functions may be called from
// many threads at once, and in children of fork. If the parent had used oneTBB, the child starts
// threads for each fold; if it had used a device, the child may not use devices. Errors are
// onefold::Error, or std::bad_alloc if the host's memory has run out; nothing is printed.
#pragma once

#include <array>
#include <span>
#include <string>
#include <tuple>

// Turns off a warning of nvcc about host-only lambdas in functions that can also run on a device.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20015
#endif

#include "onefold/fold.hpp"
#include "onefold/generated/op.inl"
#include "onefold/mapped.hpp"

namespace onefold {

namespace detail {

// A fold of contiguous data over all axes, with an op that is known at compile time.
struct TypedOp {
  const char* op;  // never freed, so its address identifies the request
  DType result;
};
void fold_whole(std::span<const TypedOp> ops, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out);
// Computes sum(x) or mean(x) with the default options, if there are few elements and all are
// ordinary numbers.
bool quick_sum(const double* x, Size n, double* out);
bool quick_mean(const double* x, Size n, double* out);

// The C++ type of a single answer. For bools it is bool; Bool8 is only for arrays.
template <DType t>
struct TypeOf;
#define ONEFOLD_DTYPE(name, spelling, type_, kind, bytes)                     \
  template <>                                                                 \
  struct TypeOf<DType::name> {                                                \
    using type = std::conditional_t<std::same_as<type_, Bool8>, bool, type_>; \
  };
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE

// The constraint stands here too, since clang 14 looks at the type before a call's constraints.
template <ElementRange R>
inline constexpr DType range_dtype = dtype_of<std::ranges::range_value_t<R>>;

}  // namespace detail

// An op as a value: onefold::sum(x), onefold::dot(x, y). The elements' type decides the answer's
// type. as<T> rounds the exact value to another type: sum.as<double>(x) of floats.
template <OpDefinition Definition>
struct Op {
  const char* name;

  template <class R>
  using result_for =
      typename detail::TypeOf<Definition::about.result.of(detail::range_dtype<R>)>::type;

  // Folds all of `x`. Throws as fold does; a bad status is thrown, too.
  template <ElementRange R>
  requires(Definition::about.inputs == 1) result_for<R>
  operator()(const R& x, const Options& options) const {
    return call<result_for<R>>(x, nullptr, options);
  }
  // To make a plan and a state takes longer than to add 8 elements, so sums and means of f64 first
  // try without them.
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
  // Folds f(x) of each element of a range: mapped.hpp.
  template <class R, class F>
  requires(Definition::about.inputs == 1 && MappedRange<R, F>) auto operator()(
      R&& x, F f, const Options& options = {}) const {
    constexpr DType t = Definition::about.result.of(dtype_of<MappedValue<R, F>>);
    const detail::MappedOptions split(options);
    return gather(name, std::forward<R>(x), std::move(f), split.gather)
        .answer(name, split.answer)
        .template as<typename detail::TypeOf<t>::type>(name);
  }
  // Folds a range whose elements do not lie in one piece.
  template <class R>
  requires(Definition::about.inputs == 1 && ScatteredRange<R>) auto operator()(
      R&& x, const Options& options = {}) const {
    return (*this)(std::forward<R>(x), ToElement<R>(), options);
  }
  // Folds an array whose type is known at run time only.
  Value operator()(const ArrayRef& x, const Options& options = {}) const
      requires(Definition::about.inputs == 1) {
    return fold(name, x, options).list[0].only();
  }
  Value operator()(const ArrayRef& x, const ArrayRef& y, const Options& options = {}) const
      requires(Definition::about.inputs == 2) {
    return fold(name, x, y, options).list[0].only();
  }
  // throws  bad_option: the op's value cannot have this type
  template <class T>
  T as(const ArrayRef& x, const Options& options = {}) const
      requires(is_element<T>&& Definition::about.inputs == 1) {
    return (*this)(x, with_result<T>(options)).template as<T>(name);
  }
  template <class T>
  T as(const ArrayRef& x, const ArrayRef& y, const Options& options = {}) const
      requires(is_element<T>&& Definition::about.inputs == 2) {
    return (*this)(x, y, with_result<T>(options)).template as<T>(name);
  }

 private:
  template <class T>
  static Options with_result(Options options) {
    if (!options.result) options.result = dtype_of<T>;
    return options;
  }
  template <class T, class R>
  T call(const R& x, const ArrayRef* y, const Options& options) const {
    const detail::TypedOp request{name, dtype_of<T>};
    Value value;
    detail::fold_whole({&request, 1}, x, y, options, &value);
    return value.as<T>(name);
  }
};

#define ONEFOLD_ENTRY(name) inline constexpr Op<op::name##_> name{#name};
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY

namespace detail {
// This function is used instead of `op.name`, since clang 14 does not know the type of `op`.
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
    const detail::TypedOp requests[] = {
        {detail::name_of_op(ops), dtype_of<std::tuple_element_t<i, Types>>}...};
    Value values[sizeof...(ops)];
    detail::fold_whole(requests, x, nullptr, options, values);
    return Types{values[i].template as<std::tuple_element_t<i, Types>>(requests[i].op)...};
  }
  (std::index_sequence_for<decltype(ops)...>());
}
// The same for an array whose type is known at run time only: auto [m, v] = fold<mean, var>(array).
template <const auto&... ops>
requires(sizeof...(ops) > 0) std::array<Value, sizeof...(ops)> fold(const ArrayRef& x,
                                                                    const Options& options = {}) {
  std::string names;
  ((names += (names.empty() ? "" : ",") + std::string(detail::name_of_op(ops))), ...);
  const Answers answers = fold(names, x, options);
  std::array<Value, sizeof...(ops)> values;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = answers.list[k].only();
  return values;
}

}  // namespace onefold

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
