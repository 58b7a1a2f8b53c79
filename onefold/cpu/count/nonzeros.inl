// Counts lanes that are not zero. Included inside the namespace of an instruction set; no include
// guard.

#include "onefold/cpu/search.inl"

// Calls f(vector of bits) for all n elements; the last vector is padded with zeros. Returns the
// number of elements including the padding.
template <class T, class F>
HWY_INLINE Size for_each_padded(const T* x, Size n, F f) {
  const BitsTag<T> d;
  constexpr Size lanes = hn::MaxLanes(BitsTag<T>());
  const auto* bits = reinterpret_cast<const bits_of<T>*>(x);
  Size i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    prefetch(x + i, 4 * lanes * sizeof(T));
    f(hn::LoadU(d, bits + i));
    f(hn::LoadU(d, bits + i + lanes));
    f(hn::LoadU(d, bits + i + 2 * lanes));
    f(hn::LoadU(d, bits + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) f(hn::LoadU(d, bits + i));
  if (i == n) return n;
  alignas(64) bits_of<T> rest[lanes] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(T));
  f(hn::Load(d, rest));
  return i + lanes;
}

template <class B>
class NonZeros {
 public:
  HWY_INLINE NonZeros() : count_(hn::Zero(du64)) {}
  HWY_INLINE void add(hn::Vec<hn::Repartition<B, D>> v) {
    const hn::Repartition<B, D> d;
    if constexpr (sizeof(B) == 8) {  // zeros are counted: AVX2 has no minimum of 64-bit lanes
      count_ = hn::Sub(count_, hn::VecFromMask(d, hn::Eq(v, hn::Zero(d))));
    } else {
      const hn::Repartition<uint8_t, D> du8;
      const auto ones = hn::Min(v, hn::Set(d, B{1}));
      count_ = hn::Add(count_, hn::SumsOf8(hn::BitCast(du8, ones)));
    }
  }
  // lanes: the number of lanes that were added
  HWY_INLINE Size total(Size lanes) const {
    const Size count = hn::GetLane(hn::SumOfLanes(du64, count_));
    return sizeof(B) == 8 ? lanes - count : count;
  }

 private:
  VU count_;
};
