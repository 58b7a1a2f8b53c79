#include "onefold/engine/request/weights.hpp"

#include <cstdio>
#include <cstring>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold {
namespace {

// The weights as an array of x's shape.
ArrayRef weights_along(const ArrayRef& x, const Options& options, const std::string& where) {
  ArrayRef w = *options.fweights;
  w.strides = broadcast_strides(x, w, "the weights", where);
  w.shape = x.shape;
  return w;
}

// Copies the weights to contiguous memory, with 0 for elements that the mask leaves out.
std::vector<std::byte> taken_weights(const ArrayRef& w, const Mask& mask, const Dims& mask_stride) {
  std::vector<Axis> weights, units;
  for (int d = 0; d < w.shape.rank(); ++d) {
    const auto extent = static_cast<Size>(w.shape[d]);
    weights.push_back({.extent = extent, .step = w.strides[d]});
    units.push_back({.extent = extent, .step = mask_stride[d]});
  }
  const Size bytes = bytes_of(w.dtype), n = elements_of(w.shape);
  const auto* const from = static_cast<const std::byte*>(w.data);
  std::vector<std::byte> to(n * bytes);
  for (Size i = 0; i < n; ++i) {
    const auto place = static_cast<int64_t>(place_of(weights, i));
    if (!takes(mask, static_cast<int64_t>(place_of(units, i)))) continue;
    std::memcpy(&to[i * bytes], from + place, bytes);
  }
  return to;
}

}  // namespace

void refuse_weight(const std::string& name, Size i, double w) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", w);
  throw Error(ErrorCode::bad_option, name + ": the weight of element " + std::to_string(i) +
                                         " of a slice is " + text +
                                         "; weights must be finite and at least 0");
}

bool takes(const Mask& mask, int64_t unit) {
  const auto* const data = static_cast<const std::byte*>(mask.array.data);
  if (!mask.bits) return data[unit] != std::byte{0};
  unit += static_cast<int64_t>(mask.first);
  return (std::to_integer<int>(data[unit >> 3]) >> (unit & 7) & 1) != 0;
}

Size count_repeated(const Plan& plan, const ArrayRef& x, const Options& options, Size before) {
  const std::string where = names_of(plan.ops);
  check_fweights(plan, x, *options.fweights);
  if (plan.device.type == Device::Type::cuda) {
    throw Error(
        ErrorCode::bad_option,
        where + ": gather with .fweights works on the host only; copy the arrays to the host");
  }
  const ArrayRef w = weights_along(x, options, where);
  Options own{.result = DType::i64, .device = cpu, .threads = options.threads};
  own.where = options.where;
  const Answers found = fold("sum,min", w, own);
  const Value sum = found["sum"].only(), least = found["min"].only();
  if (least.status == Status::empty_input) return 0;
  if (least.status == Status::ok && least.as<int64_t>() < 0) {
    const Answers place = fold("argmin", w, own);
    throw Error(
        ErrorCode::bad_option,
        where + ": .fweights of element " +
            std::to_string(static_cast<int64_t>(before) + place["argmin"].only().as<int64_t>()) +
            " is " + std::to_string(least.as<int64_t>()) + "; it must be 0 or more");
  }
  if (sum.status == Status::overflow) {
    throw Error(ErrorCode::overflow,
                where + ": the sum of .fweights is 2^63 or more; pass smaller ones");
  }
  return static_cast<Size>(sum.as<int64_t>());
}

// Goes through the bits of the weights, the highest first. For each bit, states are doubled by
// merging them with themselves. Then elements whose weight has the bit are added, with a mask that
// these bits make.
void gather_repeated(const Plan& plan, const ArrayRef& x, const Options& options, int64_t* states) {
  const std::string where = names_of(plan.ops);
  ArrayRef w = weights_along(x, options, where);
  std::vector<std::byte> taken;
  if (options.where) {
    taken = taken_weights(w, *options.where, mask_strides(x, *options.where, where));
    w = ArrayRef(taken.data(), w.dtype, x.shape);
  }
  const Answers most = fold("max", w, {.result = DType::u64, .device = cpu});
  if (most["max"].only().status == Status::empty_input) return;
  Options own = options;
  own.fweights.reset();
  own.where = Mask::of_bits(w.data, 0, x.shape);
  for (int d = 0; d < x.shape.rank(); ++d) own.where->array.strides[d] = 8 * w.strides[d];
  const auto words = static_cast<Size>(plan.layout.words);
  for (int bit = bit_length(most["max"].only().as<uint64_t>()); bit-- > 0;) {
    for (Size a = 0; a < plan.answers; ++a) {
      int64_t* const state = states + a * words;
      merge(state, state, plan.layout, plan.dtype);
    }
    own.where->first = static_cast<Size>(bit);
    const Plan part = make_plan(plan.ops, x, nullptr, own);
    backend::gather(part, part.nest, x.data, nullptr, states);
  }
}

}  // namespace onefold
