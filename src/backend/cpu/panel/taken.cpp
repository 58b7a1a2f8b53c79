// Elements of panels side by side, and something harmless where one is left out.
#include <vector>

#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/taken_panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/taken.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_taken_of {
namespace hn = hwy::HWY_NAMESPACE;

// L: a signed integer of an element's size.
template <class L>
struct Lanes {
  using D = hn::ScalableTag<L>;
  using V = hn::Vec<D>;
  using Bytes = hn::Rebind<uint8_t, D>;
  static constexpr D d{};
  static constexpr Size count = hn::MaxLanes(D());

  HWY_INLINE HWY_ATTR static auto taken(const uint8_t* mask) {
    const auto b = hn::LoadU(Bytes(), mask);
    if constexpr (sizeof(L) == 1) {
      return hn::RebindMask(d, hn::Ne(b, hn::Zero(Bytes())));
    } else if constexpr (sizeof(L) == 8) {
      const auto v = hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<int32_t, D>(), b));
      return hn::Ne(v, hn::Zero(d));
    } else {
      return hn::Ne(hn::PromoteTo(d, b), hn::Zero(d));
    }
  }
};

template <class L, bool by_column>
HWY_ATTR void copy(const std::byte* from, const TakenCopy& c, std::byte* to, uint32_t* taken) {
  using Of = Lanes<L>;
  constexpr Size lanes = Of::count;
  const auto fill = hn::Set(Of::d, static_cast<L>(c.fill));
  const auto magnitude = hn::Set(Of::d, std::numeric_limits<L>::max());
  const auto most = hn::Set(Of::d, static_cast<L>(c.greatest));
  std::vector<L> column(by_column ? c.inner + lanes : 0);  // less than 128 runs, counted downwards
  L* out = reinterpret_cast<L*>(to);
  for (Size o = 0; o < c.outer; ++o, out += c.inner) {
    const L* x = reinterpret_cast<const L*>(from + static_cast<int64_t>(o) * c.run);
    const auto* m = reinterpret_cast<const uint8_t*>(c.mask) + static_cast<int64_t>(o) * c.mask_run;
    Size n = 0, i = 0;
    const auto step = [&](const L* here, const uint8_t* mask, Size r) HWY_ATTR {
      const auto v = hn::LoadU(Of::d, here);
      auto keep = hn::Not(hn::Gt(hn::And(v, magnitude), most));
      if (c.mask != nullptr) keep = hn::And(keep, Of::taken(mask));
      hn::StoreU(hn::IfThenElse(keep, v, fill), Of::d, out + i);
      if constexpr (by_column) {
        L* const counts = column.data() + i;
        hn::StoreU(hn::Add(hn::LoadU(Of::d, counts), hn::VecFromMask(Of::d, keep)), Of::d, counts);
      } else {
        n += hn::CountTrue(Of::d, r == lanes ? keep : hn::And(keep, hn::FirstN(Of::d, r)));
      }
    };
    for (; i + lanes <= c.inner; i += lanes) step(x + i, m + i, lanes);
    if (i < c.inner) {
      L last[lanes] = {};
      uint8_t last_mask[lanes] = {};
      std::memcpy(last, x + i, (c.inner - i) * sizeof(L));
      if (c.mask != nullptr) std::memcpy(last_mask, m + i, c.inner - i);
      step(last, last_mask, c.inner - i);
    }
    if constexpr (!by_column) taken[o] = static_cast<uint32_t>(n);
  }
  for (Size i = 0; by_column && i < c.inner; ++i) taken[i] = static_cast<uint32_t>(-column[i]);
}

template <class L>
constexpr TakenWays::Copy copies[] = {copy<L, false>, copy<L, true>};

constexpr TakenWays ways{[](Size bytes, bool by_column) -> TakenWays::Copy {
  switch (bytes) {
    case 1:
      return copies<int8_t>[by_column];
    case 2:
      return copies<int16_t>[by_column];
    case 4:
      return copies<int32_t>[by_column];
    default:
      return copies<int64_t>[by_column];
  }
}};
const TakenWays* get() { return &ways; }

}  // namespace panel_taken_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const TakenWays* taken_ways([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, panel_taken_of::get());
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
