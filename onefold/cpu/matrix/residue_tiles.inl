// Residues of a product of matrices, and back. Included inside the namespace of an instruction set
// with vectors of 8 f64, after answers.inl; no include guard.

using DW = hn::Rebind<int32_t, D>;
constexpr DW words;

// Returns the residue of high 2^half + low modulo number t.
template <bool of_rows>
HWY_INLINE HWY_ATTR hn::Vec<DW> residue(V high, V low, const ResidueModuli& m, int t) {
  const V v = hn::MulAdd(high, hn::Set(d64, m.digit[t]), low);
  const V near = hn::Mul(v, hn::Set(d64, m.inverse[t]));
  const V quotient = of_rows ? hn::Round(near) : hn::Floor(near);
  return hn::DemoteTo(words, hn::NegMulAdd(quotient, hn::Set(d64, m.modulus[t]), v));
}

template <bool of_rows>
HWY_ATTR void split_as(const double* panel, Size width, Size inner, const ResidueModuli& m,
                       uint8_t* to, Size across, Size plane, double* lost) {
  const V scale = hn::Set(d64, power_of_two(m.half));
  const auto byte = hn::Set(words, 0xff);
  for (Size v = 0; v < width; v += N) {
    V square = hn::Zero(d64);
    for (Size k = 0; k < inner; k += 4) {
      V high[4], low[4];
#pragma GCC unroll 4
      for (Size j = 0; j < 4; ++j) {
        const V x = k + j < inner ? hn::LoadU(d64, panel + (k + j) * width + v) : hn::Zero(d64);
        const V y = hn::Mul(x, scale);
        high[j] = hn::Round(y);
        const V z = hn::Mul(hn::Sub(y, high[j]), scale);
        low[j] = hn::Round(z);
        const V cut = hn::Sub(z, low[j]);
        square = hn::MulAdd(cut, cut, square);
      }
      uint8_t* at = to + (k / 4 * across + v) * 4;
      for (int t = 0; t < m.count; ++t, at += plane) {
        const auto one = residue<of_rows>(high[0], low[0], m, t),
                   two = residue<of_rows>(high[1], low[1], m, t),
                   three = residue<of_rows>(high[2], low[2], m, t),
                   four = residue<of_rows>(high[3], low[3], m, t);
        const auto all =
            hn::Or(hn::Or(hn::And(one, byte), hn::ShiftLeft<8>(hn::And(two, byte))),
                   hn::Or(hn::ShiftLeft<16>(hn::And(three, byte)), hn::ShiftLeft<24>(four)));
        hn::StoreU(all, words, reinterpret_cast<int32_t*>(at));
      }
    }
    const V unit = hn::Set(d64, power_of_two(-2 * m.half) * (1 + 0x1p-20));
    hn::StoreU(hn::Mul(hn::Sqrt(square), unit), d64, lost + v);
  }
}

HWY_ATTR void split(const double* panel, Size width, Size inner, const ResidueModuli& m,
                    bool of_rows, uint8_t* to, Size across, Size plane, double* lost) {
  if (of_rows) return split_as<true>(panel, width, inner, m, to, across, plane, lost);
  split_as<false>(panel, width, inner, m, to, across, plane, lost);
}

constexpr Size residue_tile = residue_rows * residue_columns;

template <int n>
HWY_ATTR void fold_some(const int32_t* sums, int first, const ResidueModuli& m, double* fractions) {
  V p[n], inverse[n], share[n][3];
#pragma GCC unroll 4
  for (int t = 0; t < n; ++t) {
    p[t] = hn::Set(d64, m.modulus[first + t]);
    inverse[t] = hn::Set(d64, m.inverse[first + t]);
    for (int w = 0; w < 3; ++w) share[t][w] = hn::Set(d64, m.share[first + t][w]);
  }
  for (Size i = 0; i < residue_tile; i += N) {
    V sum[3];
    for (Size w = 0; w < 3; ++w) sum[w] = hn::LoadU(d64, fractions + w * residue_tile + i);
#pragma GCC unroll 4
    for (int t = 0; t < n; ++t) {
      const V v =
          hn::PromoteTo(d64, hn::LoadU(words, sums + static_cast<Size>(t) * residue_tile + i));
      const V r = hn::NegMulAdd(hn::Round(hn::Mul(v, inverse[t])), p[t], v);
      for (int w = 0; w < 3; ++w) sum[w] = hn::MulAdd(r, share[t][w], sum[w]);
    }
    for (Size w = 0; w < 3; ++w) hn::StoreU(sum[w], d64, fractions + w * residue_tile + i);
  }
}

HWY_ATTR void fold(const int32_t* sums, int first, int n, const ResidueModuli& m,
                   double* fractions) {
  if (n == most_folded) return fold_some<most_folded>(sums, first, m, fractions);
  for (int t = 0; t < n; ++t) {
    fold_some<1>(sums + static_cast<Size>(t) * residue_tile, first + t, m, fractions);
  }
}

HWY_ATTR void finish(const double* fractions, const ResidueModuli& m, const VectorFacts& a,
                     const VectorFacts& b, const double* lost_a, const double* lost_b, double* sum,
                     double* low, double* lost) {
  const V all = hn::Set(d64, m.all_high), all_low = hn::Set(d64, m.all_low);
  constexpr Size half = residue_columns / 2;
  for (Size r = 0; r < residue_rows; ++r) {
    const V norm = hn::Set(d64, a.norm[r]), cut = hn::Set(d64, lost_a[r]);
    for (Size c = 0; c < half; c += N) {
      const double* const from = fractions + r * residue_columns + c;
      const V top = hn::LoadU(d64, from);
      // Within 1/2, since the whole sum is: what follows is below 2^-28.
      const auto f =
          two_sum<Lanes>(hn::Sub(top, hn::Round(top)), hn::LoadU(d64, from + residue_tile));
      const V rest = hn::Add(f.rest, hn::LoadU(d64, from + 2 * residue_tile));
      const auto product = Lanes::product(f.sum, all);
      const V more = hn::Add(product.rest, hn::MulAdd(f.sum, all_low, hn::Mul(rest, all)));
      const auto entry = two_sum<Lanes>(product.sum, more);
      const V norm_b = hn::LoadU(d64, b.norm + c), cut_b = hn::LoadU(d64, lost_b + c);
      const V bound =
          hn::Add(hn::MulAdd(norm, cut_b, hn::Mul(cut, hn::Add(norm_b, cut_b))),
                  hn::MulAdd(hn::Abs(entry.sum), hn::Set(d64, 0x1p-96), hn::Set(d64, m.lost)));
      const Size at = r * half + c;
      hn::StoreU(entry.sum, d64, sum + at);
      hn::StoreU(entry.rest, d64, low + at);
      hn::StoreU(hn::Mul(bound, hn::Set(d64, 1 + 0x1p-20)), d64, lost + at);
    }
  }
}
