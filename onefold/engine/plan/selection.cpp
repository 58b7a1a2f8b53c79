// Checks and plans masks, weights and `initial`, which select, weigh or add elements.
#include "onefold/engine/plan/check.hpp"

#include "onefold/core/gathered.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/error.hpp"

namespace onefold {

Dims broadcast_strides(const ArrayRef& x, const ArrayRef& other, const std::string& name,
                       const std::string& where) {
  const int extra = x.shape.rank() - other.shape.rank();
  bool fits = extra >= 0;
  Dims strides = x.shape;
  for (int d = 0; fits && d < x.shape.rank(); ++d) {
    const bool there = d >= extra && other.shape[d - extra] != 1;
    fits = !there || other.shape[d - extra] == x.shape[d];
    strides[d] = there ? other.strides[d - extra] : 0;
  }
  if (!fits) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the shape " + to_string(other.shape) + " of " + name +
                    " does not broadcast to the array's shape " + to_string(x.shape));
  }
  return strides;
}

Dims mask_strides(const ArrayRef& x, const Mask& mask, const std::string& where) {
  const ArrayRef& m = mask.array;
  check_array(m, where + ": the mask");
  if (m.dtype != DType::boolean) {
    throw Error(ErrorCode::type_mismatch,
                where + ": the mask is " + name_of(m.dtype) +
                    ", but a mask must be bool, such as the result of a comparison");
  }
  if (mask.bits ? mask.first > static_cast<Size>(int64_max) / 2 : mask.first != 0) {
    throw Error(ErrorCode::bad_option,
                where + ": the mask begins at bit " + std::to_string(mask.first) +
                    (mask.bits ? ", which is beyond 2^62" : ", but holds bytes, not bits"));
  }
  return broadcast_strides(x, m, "the mask", where);
}

ArrayRef second_of_weights(std::span<const OpRow* const> ops, const ArrayRef& x,
                           const Options& options) {
  const std::string where = names_of(ops);
  if (options.fweights) {
    throw Error(ErrorCode::bad_option,
                where + ": both .weights and .fweights were given; leave one of them out");
  }
  for (const OpRow* op : ops) {
    if (op->about->takes_weights) continue;
    throw Error(ErrorCode::bad_option, std::string(op->name) +
                                           ": .weights applies only to average; for other ops " +
                                           "pass .fweights to repeat elements");
  }
  check_array(x, where);
  check_array(*options.weights, where + ": the weights");
  ArrayRef second = *options.weights;
  second.strides = broadcast_strides(x, second, "the weights", where);
  second.shape = x.shape;
  return second;
}

Scalar initial_of(const AnswerOptions& asked, const Scalar& given) {
  const std::string where = names_of(asked.ops);
  check_number("element type", "DType", static_cast<int>(given.dtype), dtype_count, where);
  for (const OpRow* op : asked.ops) {
    if (op->about->takes_initial) continue;
    throw Error(
        ErrorCode::bad_option,
        std::string(op->name) + ": .initial applies only to sum, min and max; leave it out");
  }
  const auto real = [](const Scalar& s) {
    return visit(s.dtype, [&]<class T>() {
      return real_of_key<T>(order_key(bit_cast<T>(static_cast<bits_of<T>>(s.bits))));
    });
  };
  const Real value = real(given);
  const Rounded r = round(value, asked.dtype);
  const Scalar own{asked.dtype, r.bits};
  const Real back = real(own);
  const bool exact = r.status == Status::ok && back.kind == value.kind &&
                     compare(back.numerator, value.numerator) == 0 &&
                     (back.negative == value.negative || value.numerator.zero());
  if (!exact) {
    throw Error(ErrorCode::bad_option, where + ": .initial is " + name_of(given.dtype) +
                                           ", but the array's type " + name_of(asked.dtype) +
                                           " cannot hold its value");
  }
  return own;
}

void add_initial(const Plan& plan, int64_t* state) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.layout.offset[a] < 0) continue;
    int64_t* const w = state + plan.layout.offset[a];
    visit(static_cast<Accumulator>(a), plan.dtype, [&]<class A>() {
      using T = typename A::Element;
      const T x = bit_cast<T>(static_cast<bits_of<T>>(plan.initial->bits));
      if constexpr (Small<A>) {
        typename A::State s = load_state<A>(w);
        A::lift(s, x, 0);
        store_state<A>(w, s);
      } else if constexpr (OneInput<A>) {
        A::lift([w](int k, int64_t v) { w[k] += v; }, x, 0);
        A::canonicalise(w);
      }
    });
  }
}

}  // namespace onefold
