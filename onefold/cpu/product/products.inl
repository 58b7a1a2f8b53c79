// Sums of squares or of products, and the other sums that the same loop computes.
//
//   parts    squares alone; and the sum (var); and the extremes; and the sum of |x| and the zeros
//            (describe); or the products of pairs (dot)
//   f32 etc. a product has 48 bits or less: chains of products (chain.inl)
//   f64      p = x * y and e = fma(x, y, -p), both exact, with a chain each; |e| < 2^(top - 54)
//   anchor   |x| < 2^anchor; the chains' top is the sum of the anchors of x and y. Anchors persist
//            from tile to tile, and change when the data do
//   depth    two levels take a tile whose exponents lie at most `budget` below the anchors; three
//            or five levels take wider ones; bins take the rest (wide_f64.inl, wide_integers.inl)
//   special  a tile with infinities or NaN is copied without them; the tile after it is copied
//            without trying
//
// Included inside the namespace of an instruction set, after extremes.inl; no include guard.

template <class T, unsigned parts>
class Products {
  using Traits = ProductTraits<T, parts>;
  static constexpr bool is_double = Traits::is_double, with_sum = Traits::with_sum,
                        with_absolute = Traits::with_absolute,
                        with_extremes = Traits::with_extremes, pair = Traits::pair;
  using Best = typename Traits::Best;
  using Dot = accumulator::dot<T>;

 public:
  using Element = T;

  HWY_ATTR void open(int64_t* const* words) {
    const auto at = [words](Accumulator a) { return words[static_cast<int>(a)]; };
    product_limb_ = at(pair ? Accumulator::dot : Accumulator::sumsq);
    sum_limb_ = at(Accumulator::sum);
    absolute_limb_ = at(Accumulator::sumabs);
    counts_ = pair ? product_limb_ + Dot::limbs : at(Accumulator::tally);
    zeros_ = at(Accumulator::zeros);
    if constexpr (with_extremes) {
      best_.open(at(Accumulator::least), at(Accumulator::greatest));
    }
    seen_ = {};
    n_ = zeros_seen_ = 0;
    zeros_hold_ = tiles_ = 0;
    dirty_ = false;
    at_.open();
    p_.clear();
    e_.clear();
    s_.clear();
    a_.clear();
    if constexpr (!Traits::takes_all) wide_.open(product_limb_, sum_limb_, absolute_limb_);
  }

  HWY_ATTR void run(const T* x, Size n, Size first) requires(!pair) { gather(x, x, n, first); }
  HWY_ATTR void run(const T* x, const T* y, Size n, Size first) requires(pair) {
    gather(x, y, n, first);
  }

  HWY_ATTR void close() {
    spill();
    if constexpr (!Traits::takes_all) wide_.close();
    if constexpr (with_extremes) best_.close();
    if (zeros_ != nullptr) zeros_[0] += static_cast<int64_t>(zeros_seen_);
    if (counts_ == nullptr) return;
    if constexpr (pair) {
      counts_[Dot::n - Dot::limbs] += static_cast<int64_t>(n_);
      counts_[Dot::not_negative_zero - Dot::limbs] += seen_.not_negative_zero ? 1 : 0;
    } else {
      counts_[accumulator::tally<T>::n] += static_cast<int64_t>(n_);
      seen_.add_to(counts_);
    }
  }

 private:
  static constexpr int zeros_hold = 64;

  HWY_ATTR void gather(const T* x, const T* y, Size n, Size first) {
    n_ += n;
    while (n != 0) {
      Size m = n < Traits::tile ? n : Traits::tile;
      if (HWY_UNLIKELY(!seen_.not_negative_zero)) look_for_zeros(x, y, m);
      if (HWY_LIKELY(m >= Traits::step)) {
        m -= m % Traits::step;
        if (HWY_UNLIKELY(dirty_) || HWY_UNLIKELY(!try_tile(x, y, m, first, true))) {
          add_unfit_tile(x, y, m, first, true);
        }
      } else {
        add_short(x, y, m, first);
      }
      x += m;
      y += m;
      first += m;
      n -= m;
    }
    if constexpr (with_extremes) best_.end_run();
  }

  // Adds fewer elements than a step, padded with zeros.
  HWY_NOINLINE HWY_ATTR void add_short(const T* x, const T* y, Size m, Size first) {
    alignas(64) T pad_x[Traits::step] = {};
    alignas(64) T pad_y[Traits::step] = {};
    std::memcpy(pad_x, x, m * sizeof(T));
    if constexpr (pair) std::memcpy(pad_y, y, m * sizeof(T));
    if constexpr (with_extremes) {
      best_.scan(x, m, first);
      zeros_seen_ += count_zeros(x, m);
    }
    const T* py = pair ? pad_y : pad_x;
    if (at_.depth != 2 || !sum_tile<2, true>(pad_x, py, Traits::step, first, false)) {
      add_unfit_tile(pad_x, py, Traits::step, first, false);
    }
  }

  // Adds a tile with the current depth. Returns false, and adds nothing, if it does not fit.
  HWY_INLINE bool try_tile(const T* x, const T* y, Size n, Size first, bool whole) {
    switch (at_.depth) {
      case 2:
        return zeros_expected(whole) ? sum_tile<2, true>(x, y, n, first, whole)
                                     : sum_tile<2, !zeros_matter>(x, y, n, first, true);
      case 3:
        return zeros_expected(whole) ? sum_tile<3, true>(x, y, n, first, whole)
                                     : sum_tile<3, !zeros_matter>(x, y, n, first, true);
      case 5:
        return sum_tile<5, true>(x, y, n, first, whole);
      default:
        return false;
    }
  }
  // Leaving zeros out of the lower bound takes one more operation, and counting them a tenth of
  // describe's speed. So it is done only if there were zeros lately, or if zeros stand for
  // infinities and NaN.
  static constexpr bool zeros_matter = with_extremes || !Traits::takes_all;
  HWY_INLINE bool zeros_expected(bool whole) const {
    return !zeros_matter || zeros_hold_ != 0 || !whole;
  }

  // n: a multiple of a step, at most a tile. zeros: there may be zeros; they are counted if the op
  // needs that. whole: the elements are the original ones, so extremes and zeros count. proven: the
  // tile is known to fit.
  template <int depth, bool zeros>
  HWY_NOINLINE HWY_ATTR bool sum_tile(const T* x, const T* y, Size n, Size first, bool whole,
                                      bool proven = false) {
    Tile<T, parts, depth, zeros> tile;
    tile.open(at_.x, at_.y);
    tile.run(x, y, n);
    if (!proven) {
      if (HWY_UNLIKELY(!tile.fits(at_.x, at_.y))) return false;
      at_.good();
      if constexpr (depth > 2) at_.good_but_deep(tile.fits_less(at_.x, at_.y));
    }
    tile.add_to(p_, e_, s_, a_);
    if (HWY_UNLIKELY(++tiles_ == tiles_per_spill)) spill();
    if constexpr (with_extremes) {
      if (!whole) return true;
      best_.take(tile.extremes, x, n, first);
      if constexpr (zeros) add_zeros(tile.zeros_seen());
    } else if constexpr (zeros && zeros_matter) {
      if (zeros_hold_ != 0) --zeros_hold_;
    }
    return true;
  }

  void add_zeros(Size n) {
    zeros_seen_ += n;
    if (n != 0) {
      zeros_hold_ = zeros_hold;
    } else if (zeros_hold_ != 0) {
      --zeros_hold_;
    }
  }

  HWY_ATTR void spill() {
    if (tiles_ == 0) return;
    constexpr int unit = accumulator::sum<T>::unit;
    const int top = at_.x + at_.y;
    p_.spill(product_limb_, 2 * unit, top);
    if constexpr (is_double) e_.spill(product_limb_, 2 * unit, top - 54);
    if constexpr (Traits::by_sign) a_.difference(s_);
    if constexpr (with_sum) s_.spill(sum_limb_, unit, at_.x);
    if constexpr (with_absolute) a_.spill(absolute_limb_, unit, at_.x);
    tiles_ = 0;
  }

  HWY_NOINLINE HWY_ATTR void look_for_zeros(const T* x, const T* y, Size n) {
    if constexpr (pair) {
      seen_.not_negative_zero = has_not_negative_zero(x, y, n);
    } else {
      seen_.not_negative_zero = has_not_negative_zero(x, n);
    }
  }

  static HWY_ATTR Range<T> survey(const T* x, Size n) {
    constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<T>());
    Range<T> r;
    r.open();
    for (Size i = 0; i < n; i += lanes) {
      prefetch(x + i, lanes * sizeof(T), far_ahead);
      r.see(x + i);
    }
    return r;
  }

  // Adds a tile that sum_tile rejected or cannot take.
  HWY_NOINLINE HWY_ATTR void add_unfit_tile(const T* x, const T* y, Size n, Size first,
                                            bool whole) {
    alignas(64) T clean_x[Traits::tile];
    alignas(64) T clean_y[pair ? Traits::tile : 1];
    const auto go_clean = [&]() HWY_ATTR {
      dirty_ = clean_tile(x, y, n, clean_x, clean_y);
      if (!dirty_) return;
      if constexpr (with_extremes) {
        if (whole) scan(x, n, first);
      }
      whole = false;
      x = clean_x;
      y = pair ? clean_y : clean_x;
    };
    if (dirty_) {
      go_clean();
      if (try_tile(x, y, n, first, whole)) return;
    }
    Range<T> range_x = survey(x, n), range_y = pair ? survey(y, n) : range_x;
    if (range_x.special() || (pair && range_y.special())) {
      go_clean();
      range_x = survey(x, n);
      range_y = pair ? survey(y, n) : range_x;
    }
    if (range_x.all_zero() || range_y.all_zero()) {
      if constexpr (with_extremes) {
        if (whole) scan(x, n, first);
      }
      return;
    }
    const int depth = at_.place(range_x.above(), range_x.lowest(), range_y.above(),
                                range_y.lowest(), [this] { spill(); });
    if constexpr (zeros_matter && !with_extremes) {
      if (whole && depth != 0 && count_zeros(x, n) + (pair ? count_zeros(y, n) : 0) != 0) {
        zeros_hold_ = zeros_hold;
      }
    }
    if (depth == 2) {
      sum_tile<2, true>(x, y, n, first, whole, true);
    } else if (depth == 3) {
      sum_tile<3, true>(x, y, n, first, whole, true);
    } else if (depth == 5) {
      sum_tile<5, true>(x, y, n, first, whole, true);
    } else if constexpr (!Traits::takes_all) {
      if constexpr (with_extremes) {
        if (whole) scan(x, n, first);
      }
      wide_.add(x, y, n);
    }
    at_.learn(depth);
  }
  HWY_ATTR void scan(const T* x, Size n, Size first) {
    best_.scan(x, n, first);
    add_zeros(count_zeros(x, n));
  }

  // Copies the tile with zeros in place of infinities and NaN, which it counts. Returns false if
  // there were none.
  HWY_ATTR bool clean_tile(const T* x, const T* y, Size n, T* to_x, T* to_y) {
    if constexpr (pair) {
      return clean_pairs(x, y, n, to_x, to_y, counts_ - Dot::limbs);
    } else {
      return count_special(x, n, seen_, to_x);
    }
  }

  LevelSums<Traits::most_levels> p_, e_;
  LevelSums<Traits::levels_of_sum(Traits::most_levels)> s_, a_;
  Best best_;
  typename Traits::Wide wide_;
  SpecialCounts seen_;
  int64_t* product_limb_;
  int64_t* sum_limb_;
  int64_t* absolute_limb_;
  int64_t* counts_;
  int64_t* zeros_;
  Size n_;
  Size zeros_seen_;
  int zeros_hold_;  // number of tiles in which zeros are still expected
  Anchors<T, parts> at_;
  int tiles_;   // since the last spill
  bool dirty_;  // the last tile examined had infinities or NaN
};
