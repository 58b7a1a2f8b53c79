#include "api/weights.hpp"

#include <algorithm>
#include <cstring>

#include "backend/run.hpp"
#include "plan/check.hpp"

namespace onefold {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }

// The places of an array's elements in C order, in steps of two other arrays.
class Odometer {
 public:
  Odometer(const Dims& shape, const Dims& a, const Dims& b)
      : shape_(shape), step_{a, b}, at_(shape) {
    for (int d = 0; d < at_.rank(); ++d) at_[d] = 0;
  }
  int64_t operator[](int k) const { return place_[k]; }
  void next() {
    for (int d = shape_.rank(); d-- > 0;) {
      for (int k = 0; k < 2; ++k) place_[k] += step_[k][d];
      if (++at_[d] < shape_[d]) return;
      at_[d] = 0;
      for (int k = 0; k < 2; ++k) place_[k] -= step_[k][d] * shape_[d];
    }
  }

 private:
  Dims shape_, step_[2], at_;
  int64_t place_[2] = {};
};

// f(weight, its number) for each element that the mask takes, in C order.
template <class F>
void for_each_weight(const ArrayRef& x, const Options& o, const std::string& where, F f) {
  const ArrayRef& w = *o.fweights;
  const Dims steps = broadcast_strides(x, w, "the weights", where);
  Dims none = x.shape;
  for (int d = 0; d < none.rank(); ++d) none[d] = 0;
  Odometer walk(x.shape, steps, o.where ? mask_strides(x, *o.where, where) : none);
  const auto* const data = static_cast<const std::byte*>(w.data);
  const auto* const mask = o.where ? static_cast<const uint8_t*>(o.where->array.data) : nullptr;
  const Size n = elements_of(x.shape);
  visit(w.dtype, [&]<class T>() {
    for (Size i = 0; i < n; ++i, walk.next()) {
      if (mask != nullptr) {
        const int64_t unit = walk[1] + static_cast<int64_t>(o.where->first);
        const bool taken =
            o.where->bits ? (mask[unit >> 3] >> (unit & 7) & 1) != 0 : mask[unit] != 0;
        if (!taken) continue;
      }
      T v;
      std::memcpy(&v, data + walk[0], sizeof v);
      f(numeric(v), i);
    }
  });
}

}  // namespace

ArrayRef second_of_weights(std::string_view ops, const ArrayRef& x, const Options& options) {
  const std::string where(ops);
  if (options.fweights) {
    fail(ErrorCode::bad_option, where + ": .weights and .fweights were given; give one of them");
  }
  for (const OpRow* op : parse_ops(ops)) {
    if (op->about->takes_weights) continue;
    fail(ErrorCode::bad_option, std::string(op->name) +
                                    ": .weights has no meaning for it, only for average; " +
                                    ".fweights repeat elements of any op");
  }
  check_array(x, where);
  check_array(*options.weights, where + ": the weights");
  ArrayRef second = *options.weights;
  second.strides = broadcast_strides(x, second, "the weights", where);
  second.shape = x.shape;
  return second;
}

void check_repeated(const Plan& plan, const ArrayRef& x, const ArrayRef& fweights) {
  const std::string where = names_of(plan.ops);
  if (plan.inputs != 1 || plan.device.type == Device::Type::cuda) {
    fail(ErrorCode::bad_option, where + ": .fweights repeat elements of one array on the host");
  }
  check_array(fweights, where + ": the weights");
  if (!is_integer(fweights.dtype)) {
    fail(ErrorCode::type_mismatch, where + ": .fweights are of " + name_of(fweights.dtype) +
                                       "; how often an element counts is an integer");
  }
  broadcast_strides(x, fweights, "the weights", where);
}

Size count_repeated(const Plan& plan, const ArrayRef& x, const Options& options) {
  const std::string where = names_of(plan.ops);
  check_repeated(plan, x, *options.fweights);
  Uint128 count = 0;
  for_each_weight(x, options, where, [&](const Numeric& w, Size i) {
    if (w.negative) {
      fail(ErrorCode::bad_option, where + ": .fweights of element " + std::to_string(i) + " is -" +
                                      std::to_string(w.mantissa) + "; it must be 0 or more");
    }
    count += w.mantissa;
  });
  if (count > static_cast<Uint128>(int64_max)) {
    fail(ErrorCode::overflow, where + ": .fweights make 2^63 elements or more");
  }
  return static_cast<Size>(count);
}

// By bits of the weights, the highest first: what has been gathered is doubled by merging it with
// itself, and the elements whose weight has the next bit are added.
void gather_repeated(const Plan& plan, const ArrayRef& x, const Options& options, int64_t* states) {
  const std::string where = names_of(plan.ops);
  uint64_t any = 0;
  for_each_weight(x, options, where, [&](const Numeric& w, Size) { any |= w.mantissa; });
  const auto words = static_cast<Size>(plan.layout.words);
  std::vector<uint8_t> taken((elements_of(x.shape) + 7) / 8);
  Options own = options;
  own.fweights.reset();
  own.where = Mask::of_bits(taken.data(), 0, x.shape);
  for (int bit = bit_length(any); bit-- > 0;) {
    for (Size a = 0; a < plan.answers; ++a) {
      int64_t* const state = states + a * words;
      merge(state, state, plan.layout, plan.dtype);
    }
    std::fill(taken.begin(), taken.end(), uint8_t{0});
    for_each_weight(x, options, where, [&](const Numeric& w, Size i) {
      taken[i / 8] |= static_cast<uint8_t>((w.mantissa >> bit & 1) << i % 8);
    });
    const Plan part = make_plan(plan.ops, x, nullptr, own);
    backend::gather(part, part.nest, x.data, nullptr, states);
  }
}

}  // namespace onefold
