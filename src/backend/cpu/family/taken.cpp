#include "backend/cpu/family/taken.hpp"

#include <vector>

namespace onefold::cpu_backend {

Leaving::Leaving(const Plan& plan, Target target)
    : dtype_(plan.dtype),
      where_(plan.where),
      nan_(plan.nan == NanPolicy::omit && is_floating(plan.dtype)),
      ways_(taken_ways(target)) {}

uint64_t Leaving::neutral(Recipe::Name name) const {
  using Name = Recipe::Name;
  const Size bits = 8 * bytes_of(dtype_);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const bool least = name == Name::least, extreme = least || name == Name::greatest;
  if (is_floating(dtype_)) {
    const FloatFormat f = float_format(dtype_);
    const uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
    const uint64_t one = (infinity >> 1) & ~((uint64_t{1} << f.mantissa_bits) - 1);
    if (extreme) return infinity | (least ? 0 : sign);
    return name == Name::zeros ? one : sign;
  }
  if (!extreme) return name == Name::zeros ? 1 : 0;
  if (dtype_ == DType::boolean) return least ? 1 : 0;
  if (kind_of(dtype_) == Kind::signed_integer) return least ? sign - 1 : sign;
  return least ? sign | (sign - 1) : 0;
}

Leaving::Taken::Taken(const Leaving& of, const Panel& p, bool columns, uint64_t fill, bool widen,
                      Size* taken, Size wrap)
    : panel(p) {
  const Size bytes = bytes_of(of.dtype_);
  TakenCopy c{.outer = columns ? p.elements : p.answers,
              .inner = columns ? p.answers : p.elements,
              .run = columns ? p.element : p.row,
              .greatest = (uint64_t{1} << (8 * bytes - 1)) - 1,
              .fill = fill};
  if (of.nan_) {
    const FloatFormat f = float_format(of.dtype_);
    c.greatest = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  }
  const int64_t across = columns ? p.mask_element : p.mask_row,
                along = columns ? p.mask_row : p.mask_element;
  if (of.where_.by == Selector::By::bytes && along == 1) {
    c.mask = of.where_.data + p.mask;
    c.mask_run = across;
  } else if (of.by_mask()) {
    mask_.reset(new std::byte[c.outer * c.inner]);
    for (Size o = 0; o < c.outer; ++o) {
      int64_t unit = p.mask + static_cast<int64_t>(o) * across;
      for (Size i = 0; i < c.inner; ++i, unit += along) {
        const bool bit = of.where_.by == Selector::By::bits;
        const std::byte b = of.where_.data[bit ? unit / 8 : unit];
        mask_[o * c.inner + i] = bit ? b >> (unit % 8) & std::byte{1} : b;
      }
    }
    c.mask = mask_.get();
    c.mask_run = static_cast<int64_t>(c.inner);
  }
  constexpr Size behind = 64;
  const Size n = c.outer * c.inner;
  memory_.reset(new std::byte[n * bytes + behind]);
  std::vector<uint32_t> counts(p.answers);
  of.ways_->copy(bytes, columns)(p.x, c, memory_.get(), counts.data());
  for (Size k = 0; k < p.answers; ++k) taken[k % wrap] += counts[k];

  auto size = static_cast<int64_t>(bytes);
  panel.x = memory_.get();
  if (widen) {
    wide_.reset(new double[n]);
    const auto* const narrow = reinterpret_cast<const float*>(memory_.get());
    std::copy_n(narrow, n, wide_.get());
    panel.x = reinterpret_cast<const std::byte*>(wide_.get());
    size = sizeof(double);
  }
  (columns ? panel.row : panel.element) = size;
  (columns ? panel.element : panel.row) = size * static_cast<int64_t>(c.inner);
  panel.y = panel.x;
  panel.y_row = panel.row;
  panel.y_element = panel.element;
}

}  // namespace onefold::cpu_backend
