// Products of any exponents: as f64 values, to exact sums (exact/exact_sum.inl).
//
//   f32 etc. x y is an f64
//   f64      p and e = x y - p are f64 if x and y are between 2^-480 and 2^480, or zero. Others are
//            scaled by 2^600 or 2^-600 first: five weights of p and e, by the number of scalings up
//            or down, each with its own sums
//   exact    a scaled element is below 2^480 and a multiple of 2^-532, so e is one of 2^-1064
//
// Included inside the namespace of an instruction set, after range.inl; no include guard.

template <class T, bool with_sum, bool with_absolute, bool pair>
class WideProducts {
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int weights = is_double ? 5 : 1;
  static constexpr int unit = accumulator::sum<T>::unit;
  static constexpr Size most = chain_additions * 4 * N;

 public:
  void open(int64_t* product_limb, int64_t* sum_limb, int64_t* absolute_limb) {
    product_limb_ = product_limb;
    sum_limb_ = sum_limb;
    absolute_limb_ = absolute_limb;
    open_ = 0;
  }

  // n finite elements or pairs, whole blocks of them.
  HWY_NOINLINE HWY_ATTR void add(const T* x, const T* y, Size n) {
    if constexpr (is_double) {
      if (with_sum && sum_limb_ != nullptr) ready(sum_, 0, sum_limb_, unit).add(x, n);
      if (with_absolute && absolute_limb_ != nullptr) {
        ready(absolute_, 1, absolute_limb_, unit).template add<true>(x, n);
      }
      if (product_limb_ != nullptr) add_products(x, y, n);
    } else {
      alignas(64) double value[most];
      if ((with_sum && sum_limb_ != nullptr) || (with_absolute && absolute_limb_ != nullptr)) {
        for (Size i = 0; i < n; i += 4 * N) store(value + i, load_block(x + i));
        if (with_sum && sum_limb_ != nullptr) ready(sum_, 0, sum_limb_, unit).add(value, n);
        if (with_absolute && absolute_limb_ != nullptr) {
          ready(absolute_, 1, absolute_limb_, unit).template add<true>(value, n);
        }
      }
      if (product_limb_ == nullptr) return;
      for (Size i = 0; i < n; i += 4 * N) {
        Block u = load_block(x + i);
        const Block v = pair ? load_block(y + i) : u;
        for (int k = 0; k < 4; ++k) u.v[k] = hn::Mul(u.v[k], v.v[k]);
        store(value + i, u);
      }
      ready(p_[0], 2, product_limb_, 2 * unit).add(value, n);
    }
  }

  HWY_ATTR void close() {
    if (open_ == 0) return;
    if (is_open(0)) sum_.close();
    if (is_open(1)) absolute_.close();
    for (int k = 0; k < weights; ++k) {
      if (is_open(2 + 2 * k)) p_[k].close();
      if (is_open(3 + 2 * k)) e_[k].close();
    }
    open_ = 0;
  }

 private:
  bool is_open(int bit) const { return (open_ >> bit & 1) != 0; }
  // Sums are opened when they are needed first.
  HWY_ATTR ExactSum& ready(ExactSum& sum, int bit, int64_t* limb, int lowest) {
    if (!is_open(bit)) sum.open(limb, lowest);
    open_ |= 1u << bit;
    return sum;
  }
  static HWY_INLINE void store(double* to, const Block& b) {
    hn::Store(b.v[0], d64, to);
    hn::Store(b.v[1], d64, to + N);
    hn::Store(b.v[2], d64, to + 2 * N);
    hn::Store(b.v[3], d64, to + 3 * N);
  }

  // x scaled, and by how many times 2^600 it became smaller.
  static HWY_INLINE V scale(V x, V& down) {
    const V a = hn::Abs(x), zero = hn::Zero(d64), one = hn::Set(d64, 1.0);
    const auto big = hn::Ge(a, hn::Set(d64, power_of_two(480)));
    const auto small = hn::And(hn::Lt(a, hn::Set(d64, power_of_two(-480))), hn::Ne(a, zero));
    down = hn::IfThenElse(big, one, hn::IfThenElse(small, hn::Neg(one), zero));
    const V factor = hn::IfThenElse(big, hn::Set(d64, power_of_two(-600)),
                                    hn::IfThenElse(small, hn::Set(d64, power_of_two(600)), one));
    return hn::Mul(x, factor);
  }

  HWY_NOINLINE HWY_ATTR void add_products(const double* x, const double* y, Size n) {
    alignas(64) double p[most], e[most], weight[most], some[most];
    V least = hn::Zero(d64), greatest = least;
    for (Size i = 0; i < n; i += N) {
      V down_x, down_y;
      const V u = scale(hn::LoadU(d64, x + i), down_x), v = scale(hn::LoadU(d64, y + i), down_y);
      const V w = hn::Mul(u, v);
      hn::Store(w, d64, p + i);
      hn::Store(hn::MulSub(u, v, w), d64, e + i);
      const V down = hn::Add(down_x, down_y);
      hn::Store(down, d64, weight + i);
      least = hn::Min(least, down);
      greatest = hn::Max(greatest, down);
    }
    const int lo = static_cast<int>(hn::GetLane(hn::MinOfLanes(d64, least))),
              hi = static_cast<int>(hn::GetLane(hn::MaxOfLanes(d64, greatest)));
    for (int k = lo; k <= hi; ++k) {
      const auto add = [&](ExactSum& sum, int bit, const double* from) HWY_ATTR {
        ExactSum& to = ready(sum, bit, product_limb_, 2 * unit - 600 * k);
        if (lo == hi) {
          to.add(from, n);
          return;
        }
        const V wanted = hn::Set(d64, k);
        for (Size i = 0; i < n; i += N) {
          const auto here = hn::Eq(hn::Load(d64, weight + i), wanted);
          hn::Store(hn::IfThenElseZero(here, hn::Load(d64, from + i)), d64, some + i);
        }
        to.add(some, n);
      };
      add(p_[k + 2], 2 + 2 * (k + 2), p);
      add(e_[k + 2], 3 + 2 * (k + 2), e);
    }
  }

  ExactSum sum_, absolute_, p_[weights], e_[weights];
  int64_t* product_limb_;
  int64_t* sum_limb_;
  int64_t* absolute_limb_;
  unsigned open_;
};
