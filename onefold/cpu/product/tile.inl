// The inner loop: computes all sums of one tile in registers.
//
// Included inside the namespace of an instruction set, after traits.inl; no include guard.

template <class T, unsigned parts, int depth, bool zeros>
class Tile {
  using Traits = ProductTraits<T, parts>;
  static constexpr bool is_double = Traits::is_double, with_sum = Traits::with_sum,
                        with_absolute = Traits::with_absolute,
                        with_extremes = Traits::with_extremes, pair = Traits::pair;
  static constexpr int sets = Traits::sets, sum_depth = Traits::levels_of_sum(depth);
  static constexpr hn::ScalableTag<bits_of<T>> bits{};

 public:
  typename Traits::Best::Tile extremes;

  HWY_INLINE void open(int anchor_x, int anchor_y) {
    p0_ = start_chain<depth>(anchor_x + anchor_y);
    e0_ = start_chain<depth>(anchor_x + anchor_y - 54);
    s0_ = start_chain<sum_depth>(anchor_x);
    p_[0] = p_[1 % sets] = p_[2 % sets] = p_[3 % sets] = p0_;
    e_[0] = e_[1 % sets] = e_[2 % sets] = e_[3 % sets] = e0_;
    s_[0] = s_[1 % sets] = s_[2 % sets] = s_[3 % sets] = s0_;
    a_[0] = a_[1 % sets] = a_[2 % sets] = a_[3 % sets] = s0_;
    range_x_.open();
    range_y_.open();
    extremes.open();
    zero_count_ = hn::Zero(bits);
  }

  // n: a multiple of a step, at most a tile.
  HWY_INLINE HWY_ATTR void run(const T* x, const T* y, Size n) {
    const V one = opaque_one();
    // f32 with 32 registers loads a step ahead, which is 2 to 5 % quicker. AVX2 has too few
    // registers even for one step's vectors, and f64 gains nothing.
    constexpr bool ahead = sizeof(T) == 4 && Traits::wide_registers && !pair;
    const std::size_t distance = pair ? far_ahead : prefetch_ahead;
    Block next;
    if constexpr (ahead) next = load_block(x);
    for (Size i = 0; i < n; i += Traits::step) {
      prefetch(x + i, Traits::step * sizeof(T), distance);
      look_at_step(x + i, range_x_);
      if constexpr (pair) {
        prefetch(y + i, Traits::step * sizeof(T), distance);
        look_at_step(y + i, range_y_);
      }
      if constexpr (ahead) {
        const Block u = next;
        next = load_block(x + (i + Traits::step < n ? i + Traits::step : i));
        take_block(u, u, one);
      } else if constexpr (sizeof(T) == 2) {
        const Block u = load_block(x + i);
        take_block(u, pair ? load_block(y + i) : u, one);
      } else {
        load_and_take<0>(x + i, y + i, one);
        load_and_take<1>(x + i, y + i, one);
        if constexpr (!is_double) {
          load_and_take<2>(x + i, y + i, one);
          load_and_take<3>(x + i, y + i, one);
        }
      }
    }
  }

  // Returns whether all additions were exact.
  HWY_INLINE bool fits(int anchor_x, int anchor_y) const {
    bool below;
    if constexpr (pair) {
      below = range_x_.below(anchor_x) && range_y_.below(anchor_y);
    } else {
      below = squares_fit(anchor_x + anchor_y);
    }
    return below && within<depth>(anchor_x, anchor_y);
  }
  // Returns whether a smaller depth would have sufficed too; call only if `fits`.
  HWY_INLINE bool fits_less(int anchor_x, int anchor_y) const {
    constexpr int less = depth == 5 ? 3 : 2;
    return within<less>(anchor_x, anchor_y);
  }

  template <class OfProducts, class OfSums>
  HWY_INLINE void add_to(OfProducts& p, OfProducts& e, OfSums& s, OfSums& a) const {
    p.template take<depth, sets>(p_, p0_);
    if constexpr (is_double) e.template take<depth, sets>(e_, e0_);
    if constexpr (with_sum) s.template take<sum_depth, sets>(s_, s0_);
    if constexpr (with_absolute) a.template take<sum_depth, sets>(a_, s0_);
  }
  HWY_INLINE Size zeros_seen() const {
    return static_cast<Size>(hn::GetLane(hn::SumOfLanes(bits, zero_count_)));
  }

 private:
  // Without zeros, f64's lower bound is that of the squares, which need no sign cleared. For
  // describe AVX2 has no register left for that.
  static constexpr bool low_by_squares =
      is_double && !pair && !zeros && (Traits::wide_registers || !with_extremes);

  // Adds a vector of elements to the range and the extremes.
  HWY_INLINE void look(const T* q, Range<T>& range) {
    if constexpr (with_extremes) extremes.see(hn::LoadU(hn::ScalableTag<T>(), q));
    if constexpr (low_by_squares) return;
    [[maybe_unused]] const auto magnitude = range.template see<pair, !Traits::takes_all, zeros>(q);
    if constexpr (with_extremes && zeros) {
      const auto zero = hn::Eq(hn::BitCast(bits, magnitude), hn::Zero(bits));
#if HWY_TARGET <= HWY_AVX3
      zero_count_ = hn::IfThenElse(zero, hn::Add(zero_count_, hn::Set(bits, 1)), zero_count_);
#else
      zero_count_ = hn::Sub(zero_count_, hn::VecFromMask(bits, zero));
#endif
    }
  }
  HWY_INLINE void look_at_step(const T* q, Range<T>& range) {
    look(q, range);
    if constexpr (sizeof(T) != 2) look(q + Traits::step / 2, range);
  }

  HWY_INLINE void take_block(const Block& u, const Block& v, V one) {
    take<0>(u.v[0], v.v[0], one);
    take<1>(u.v[1], v.v[1], one);
    take<2>(u.v[2], v.v[2], one);
    take<3>(u.v[3], v.v[3], one);
  }
  template <int k>
  HWY_INLINE void load_and_take(const T* x, const T* y, V one) {
    const V u = load_vector(x + k * N);
    take<k>(u, pair ? load_vector(y + k * N) : u, one);
  }
  template <int k>
  HWY_INLINE void take(V u, V v, V one) {
    constexpr int set = k % sets;
    if constexpr (Traits::by_sign && sum_depth == 2) {
      a_[set].add_where(hn::MaskFromVec(u), s_[set].add_parts(u, one), one);
    } else if constexpr (Traits::by_sign) {
      s_[set].add(u, one);
      a_[set].add(hn::IfThenElseZero(hn::MaskFromVec(u), u), one);
    } else {
      if constexpr (with_sum) add_to_sum(s_[set], u, one);
      if constexpr (with_absolute) add_to_sum(a_[set], hn::Abs(u), one);
    }
    if constexpr (is_double) {
      const V w = hn::Mul(u, v);
      if constexpr (low_by_squares) range_x_.see_low(w);
      p_[set].add(w, one);
      e_[set].add_by_adders(hn::MulSub(u, v, w), one);
    } else {
      p_[set].template add_product<Traits::wide_registers && !with_sum>(u, v, one);
    }
  }
  static HWY_INLINE void add_to_sum(Chain<sum_depth>& c, V x, V one) {
    if constexpr (sum_depth == 1 && !Traits::wide_registers) {
      c.a = hn::Add(c.a, x);  // c.add() would hold `one` in a register
    } else {
      c.add(x, one);
    }
  }

  template <int levels>
  HWY_INLINE bool within(int anchor_x, int anchor_y) const {
    if constexpr (Traits::takes_all) return true;
    constexpr int all = Traits::budget(levels), half = all / 2;
    if constexpr (low_by_squares) {
      return range_x_.template not_below<false>(2 * (anchor_x - half));
    }
    if (!range_x_.template not_below<zeros>(anchor_x - half)) return false;
    if constexpr (pair) return range_y_.template not_below<zeros>(anchor_y - (all - half));
    return true;
  }

  // Proves the bound of x without searching the largest element. If no lane's sum of squares passed
  // 2^50 units, that is 64 elements of 2^(anchor - 1/2), then by Cauchy and Schwarz the lane's sum
  // of |x| is below 64 * 2^(anchor - 1/2), and no level has left its range: the remainder of a
  // square is at most half a unit, and the sum of |e| is at most 2^-53 of that of p. Infinities and
  // NaN fail the comparison.
  HWY_INLINE bool squares_fit(int top) const {
    const V limit = hn::Set(d64, 1.75 * power_of_two(level_exponent(top, 0) + 52));
    auto fit = hn::And(hn::Lt(p_[0].a, limit), hn::Lt(p_[1 % sets].a, limit));
    if constexpr (sets > 2) {
      fit = hn::And(fit, hn::And(hn::Lt(p_[2].a, limit), hn::Lt(p_[3].a, limit)));
    }
    return hn::AllTrue(d64, fit);
  }

  Chain<depth> p0_, e0_, p_[sets], e_[sets];
  Chain<sum_depth> s0_, s_[sets], a_[sets];  // a: of |x|, or of the negative elements
  Range<T> range_x_, range_y_;
  hn::Vec<hn::ScalableTag<bits_of<T>>> zero_count_;
};
