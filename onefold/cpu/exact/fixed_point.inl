// Sums of f16 and bf16, of their squares or of their products, by integers.
//
//   band      an element whose exponent lies in a band of 15 is an integer y in one unit: the
//             significand times a power of two of at most 2^14, which 16-bit lanes multiply and add
//             in pairs
//   exact     y < 2^11 * 2^14. 32 sums of two are below 2^31. Products are below 2^50 and 64 of
//             them below 2^56; for 2^30 elements each of the two 32-bit halves stays below 2^63
//   others    zeros, infinities, NaN and elements outside the band are copied aside for the general
//             feed. If they are more than one in 64 of a tile, the general feed takes the whole
//             tile; after two such tiles in a row it takes the following ones too
//   why       operations of 512 bits per cache line of f16: sum 7 (windows: 14 and two
//             conversions), squares 18 (windows: 36 and six conversions)
//
// Included inside the namespace of an instruction set, after tiers.inl, for AVX-512; no include
// guard.

#include "onefold/cpu/exact/band.inl"

// Which sums of a vector's elements to compute; `fixed_dot`: only the products of pairs.
enum Fixed : unsigned { fixed_sum = 1, fixed_absolute = 2, fixed_squares = 4, fixed_dot = 8 };

template <class T, unsigned parts, class General>
class InFixedPoint {
  static constexpr bool pair = parts == fixed_dot, products = parts >= fixed_squares,
                        with_sum = (parts & fixed_sum) != 0,
                        with_absolute = (parts & fixed_absolute) != 0,
                        only_absolute = parts == fixed_absolute, with_sign = with_sum || pair;
  using OneBand = Band<T, with_sign>;
  using VI32 = hn::Vec<hn::ScalableTag<int32_t>>;

 public:
  using Element = T;

  HWY_ATTR void open(int64_t* const* words) {
    general_.open(words);
    const auto at = [words](Accumulator a) { return words[static_cast<int>(a)]; };
    sum_limb_ = at(Accumulator::sum);
    absolute_limb_ = at(Accumulator::sumabs);
    product_limb_ = at(pair ? Accumulator::dot : Accumulator::sumsq);
    tally_ = at(Accumulator::tally);
    x_.open();
    y_.open();
    clear();
    tiers_ = {};
    taken_ = aside_ = 0;
  }

  HWY_ATTR void run(const T* x, Size n, Size) requires(!pair) { gather(x, x, n); }
  HWY_ATTR void run(const T* x, const T* y, Size n, Size) requires(pair) { gather(x, y, n); }

  HWY_ATTR void close() {
    flush_aside();
    spill();
    general_.close();
    if (taken_ == 0) return;
    using Tally = accumulator::tally<T>;
    using Dot = accumulator::dot<T>;
    if constexpr (pair) {
      if (product_limb_ == nullptr) return;
      product_limb_[Dot::n] += static_cast<int64_t>(taken_);
      product_limb_[Dot::not_negative_zero] += 1;
    } else if (tally_ != nullptr) {
      tally_[Tally::n] += static_cast<int64_t>(taken_);
      tally_[Tally::not_negative_zero] += 1;
    }
  }

 private:
  static constexpr Size lanes = 4 * N, tile = 64 * lanes;
  static constexpr Size most_aside = tile / 64;
  static constexpr Size capacity = 1024;
  // The number of elements that the general feed takes at a time while it has its turn.
  static constexpr Size general_run = 8 * tile;

  HWY_ATTR void gather(const T* x, const T* y, Size n) {
    while (n >= tile) {
      Size m = tile;
      if (HWY_LIKELY(tiers_.now() == 0)) {
        tiers_.took(HWY_LIKELY(add_tile(x, y)) ? 0 : add_unfit(x, y));
      } else {
        m = n < general_run ? n : general_run;
        give(x, y, m);
        tiers_.took(1);
        spill();
        x_.open();
      }
      x += m;
      y += m;
      n -= m;
    }
    if (n != 0) give(x, y, n);
  }

  void give(const T* x, const T* y, Size n) {
    if constexpr (pair) {
      general_.run(x, y, n, 0);
    } else {
      general_.run(x, n, 0);
    }
  }

  // Adds a tile that does not fit the band: with a new band, or else by the general feed (tier 1).
  HWY_NOINLINE HWY_ATTR int add_unfit(const T* x, const T* y) {
    spill();
    if (x_.place(x, tile) && (!pair || y_.place(y, tile)) && add_tile(x, y)) return 0;
    give(x, y, tile);
    return 1;
  }

  // Copies aside the elements whose bits in `which` are set. Returns false if there are too many.
  HWY_INLINE bool put_aside(const T* x, const T* y, uint32_t which, Size most) {
    for (; which != 0; which &= which - 1) {
      const auto k = static_cast<Size>(__builtin_ctz(which));
      aside_x_[aside_] = x[k];
      if constexpr (pair) aside_y_[aside_] = y[k];
      ++aside_;
    }
    return aside_ <= most;
  }
  // An out-of-line call is faster for sums (f16: 61 instead of 54 GB/s from L2). But it saves the
  // vectors in use: dot uses so many that a call would cost it 60 cycles more.
  HWY_NOINLINE bool call_put_aside(const T* x, const T* y, uint32_t which, Size most) {
    return put_aside(x, y, which, most);
  }
  HWY_NOINLINE HWY_ATTR void flush_aside() {
    if (aside_ != 0) give(aside_x_, pair ? aside_y_ : aside_x_, aside_);
    aside_ = 0;
  }

  static HWY_INLINE VI32 add_by_two(typename OneBand::Numbers v) {
    return {_mm512_madd_epi16(v.number.raw, v.power.raw)};
  }
  // Adds the numbers of a vector: those in even lanes, those in odd lanes, and all.
  struct Split {
    VI32 both, even, odd;
  };
  static HWY_INLINE Split split(typename OneBand::Numbers v) {
    Split s;
    s.both = add_by_two(v);
    v.number = hn::And(v.number, hn::BitCast(hn::ScalableTag<int16_t>(), hn::Set(i32, 0xffff)));
    s.even = add_by_two(v);
    s.odd = hn::Sub(s.both, s.even);
    return s;
  }
  static HWY_INLINE VI32 odd_lanes(VI32 v) {
    return hn::BitCast(i32, hn::ShiftRight<32>(hn::BitCast(du64, v)));
  }

  // The sums of one tile.
  struct TileSums {
    VI32 sum[2], absolute[2];
    VI product[4];
  };

  template <int k>
  HWY_INLINE static void add(TileSums& s, typename OneBand::Numbers x,
                             typename OneBand::Numbers y) {
    if constexpr (!products) {
      s.sum[k] = hn::Add(s.sum[k], add_by_two(x));
    } else {
      const Split u = split(x);
      Split v = u;
      if constexpr (pair) v = split(y);
      if constexpr (with_sum) s.sum[k] = hn::Add(s.sum[k], u.both);
      if constexpr (with_absolute) {
        s.absolute[k] = hn::Add(s.absolute[k], hn::Add(hn::Abs(u.even), hn::Abs(u.odd)));
      }
      s.product[0] = hn::Add(s.product[0], hn::MulEven(u.even, v.even));
      s.product[1] = hn::Add(s.product[1], hn::MulEven(u.odd, v.odd));
      s.product[2] = hn::Add(s.product[2], hn::MulEven(odd_lanes(u.even), odd_lanes(v.even)));
      s.product[3] = hn::Add(s.product[3], hn::MulEven(odd_lanes(u.odd), odd_lanes(v.odd)));
    }
  }

  static HWY_INLINE typename OneBand::Mask outside(typename OneBand::Numbers x,
                                                   typename OneBand::Numbers y) {
    const auto mask = OneBand::outside(x.power);
    return pair ? hn::Or(mask, OneBand::outside(y.power)) : mask;
  }
  static HWY_INLINE uint32_t bits_of_mask(typename OneBand::Mask mask) {
    alignas(8) uint8_t bytes[8] = {};
    hn::StoreMaskBits(hn::ScalableTag<int16_t>(), mask, bytes);
    uint32_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
  }

  // Adds one tile. Returns false, and adds nothing, if too many elements are outside the band.
  HWY_NOINLINE HWY_ATTR bool add_tile(const T* x, const T* y) {
    if (HWY_UNLIKELY(!x_.placed() || (pair && !y_.placed()))) return false;
    if (HWY_UNLIKELY(aside_ + most_aside + 2 * lanes > capacity)) flush_aside();
    const Size aside_before = aside_, most = aside_ + most_aside;
    const hn::ScalableTag<uint16_t> u16;
    const auto load = [&](const T* p)
                          HWY_ATTR { return hn::LoadU(u16, reinterpret_cast<const uint16_t*>(p)); };
    OneBand in_x = x_, in_y = y_;
    TileSums s;
    s.sum[0] = s.sum[1] = s.absolute[0] = s.absolute[1] = hn::Zero(i32);
    s.product[0] = s.product[1] = s.product[2] = s.product[3] = hn::Zero(di64);
    for (Size i = 0; i < tile; i += 2 * lanes) {
      prefetch(x + i, 4 * lanes, pair ? far_ahead : prefetch_ahead);
      auto u0 = in_x.split(load(x + i)), u1 = in_x.split(load(x + i + lanes));
      auto v0 = u0, v1 = u1;
      bool some = OneBand::some_outside(u0.power, u1.power);
      if constexpr (pair) {
        prefetch(y + i, 4 * lanes, far_ahead);
        v0 = in_y.split(load(y + i));
        v1 = in_y.split(load(y + i + lanes));
        some = some || OneBand::some_outside(v0.power, v1.power);
      }
      if (HWY_UNLIKELY(some)) {
        const auto out0 = outside(u0, v0), out1 = outside(u1, v1);
        u0.power = hn::IfThenZeroElse(out0, u0.power);
        u1.power = hn::IfThenZeroElse(out1, u1.power);
        const auto put = [&](Size k, typename OneBand::Mask out) HWY_ATTR {
          if constexpr (pair) return put_aside(x + k, y + k, bits_of_mask(out), most);
          return call_put_aside(x + k, y + k, bits_of_mask(out), most);
        };
        if (!put(i, out0) || !put(i + lanes, out1)) {
          aside_ = aside_before;
          return false;
        }
      }
      add<0>(s, u0, v0);
      add<1>(s, u1, v1);
    }
    if constexpr (!products || with_sum) sum_ = widen(widen(sum_, s.sum[0]), s.sum[1]);
    if constexpr (products && with_absolute) {
      absolute_ = widen(widen(absolute_, s.absolute[0]), s.absolute[1]);
    }
    if constexpr (products) {
      const VI all =
          hn::Add(hn::Add(s.product[0], s.product[1]), hn::Add(s.product[2], s.product[3]));
      low_ = hn::Add(low_, hn::And(all, hn::Set(di64, 0xffffffff)));
      high_ = hn::Add(high_, hn::ShiftRight<32>(all));
    }
    taken_ += tile - (aside_ - aside_before);
    return true;
  }
  static HWY_INLINE VI widen(VI sum, VI32 v) {
    const VI both = hn::BitCast(di64, v);
    return hn::Add(sum,
                   hn::Add(hn::ShiftRight<32>(both), hn::ShiftRight<32>(hn::ShiftLeft<32>(both))));
  }

  void clear() { sum_ = absolute_ = low_ = high_ = hn::Zero(di64); }
  // Adds the sums to the words; needed before a band moves.
  HWY_ATTR void spill() {
    if (!x_.placed()) return;
    const auto put = [](int64_t* limb, int limb_unit, VI v, int exponent) HWY_ATTR {
      if (limb != nullptr) add_to_limbs(limb, limb_unit, sum_lanes(v), exponent);
    };
    constexpr int unit = accumulator::sum<T>::unit;
    if constexpr (only_absolute) {
      put(absolute_limb_, unit, sum_, x_.unit());
    } else {
      put(sum_limb_, unit, sum_, x_.unit());
      put(absolute_limb_, unit, absolute_, x_.unit());
    }
    const int both = x_.unit() + (pair ? y_ : x_).unit();
    put(product_limb_, 2 * unit, low_, both);
    put(product_limb_, 2 * unit, high_, both + 32);
    clear();
  }

  static constexpr hn::ScalableTag<int32_t> i32{};

  VI sum_, absolute_, low_, high_;
  OneBand x_, y_;
  General general_;
  int64_t* sum_limb_;
  int64_t* absolute_limb_;
  int64_t* product_limb_;
  int64_t* tally_;
  Size taken_;  // elements added since the last spill
  Size aside_;
  T aside_x_[capacity];
  T aside_y_[pair ? capacity : 1];
  Tiers<2> tiers_;
};
