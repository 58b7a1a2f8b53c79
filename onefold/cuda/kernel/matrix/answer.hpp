// Rounds a block's entries from sums of products of residues, and notes those that are undecided.
#pragma once

#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/matrix/input.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, class M>
struct MatrixAnswers {
  M m;
  const Matrix<M, T>& in;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;

  // Returns whether all terms of an entry are -0.
  ONEFOLD_KERNEL bool is_negative_zero(Size row, Size column) const {
    const MatrixFactor<M, T>&f = in.factor[0], &g = in.factor[1];
    int64_t x = static_cast<int64_t>(f.first + row) * f.apart,
            y = static_cast<int64_t>(g.first + column) * g.apart;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < in.inner; ++k, x += f.step, y += g.step) {
      const T one = f.x[x], other = g.x[y];
      const Decoded a = decode(one), b = decode(other);
      if (!(a.zero() || b.zero()) || a.negative == b.negative) return false;
    }
    return true;
  }
  ONEFOLD_KERNEL void put(Size row, Size column, uint64_t bits) const {
    const Place<M>& place = results.place[0];
    const int64_t at = in.answer + static_cast<int64_t>(in.factor[0].first + row) * in.row_step +
                       static_cast<int64_t>(in.factor[1].first + column) * in.column_step;
    if (place.dtype == dtype_of<T>) {
      m.template as<bits_of<T>>(place.value)[at] = static_cast<bits_of<T>>(bits);
      if (place.has_status) place.status[at] = static_cast<uint8_t>(Status::ok);
    } else {
      put_bits(m, of_answer(place, static_cast<Size>(at)), bytes_of(place.dtype), bits, Status::ok);
    }
  }
  // Answers four neighbouring columns of a row.
  template <int n>
  ONEFOLD_KERNEL void answer(Size row, Size column) const {
    Vector16<int32_t> sum[n];
    const auto from = m.as_vectors(in.sums) + (row * in.of_row + column) / 4;
    ONEFOLD_UNROLL
    for (int t = 0; t < n; ++t) sum[t] = from[static_cast<Size>(t) * (in.of_modulus / 4)];
    const FloatFormat format = float_format(results.place[0].dtype);
    const Size r = in.factor[0].first + row, c = in.factor[1].first + column;
    const float bits = in.factor[0].bits[r];
    const int unit = in.factor[0].unit[r];
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < 4; ++j) {
      if (column + j >= in.factor[1].count) break;
      const float other = in.factor[1].bits[c + j];
      if (!(bits + other <= residues::moduli<n>.limit)) {
        note_undecided(m, scratch, in.place + r * in.row_place + (c + j) * in.column_place);
        continue;
      }
      const auto v = residues::value_of<n>([&](int t) { return sum[t].v[j]; });
      if (v.zero()) {
        const uint64_t sign = uint64_t{1} << (format.mantissa_bits + format.exponent_bits);
        put(row, column + j, is_negative_zero(row, column + j) ? sign : 0);
      } else {
        const int other_unit = in.factor[1].unit[c + j];
        put(row, column + j, v.round(unit + other_unit, format));
      }
    }
  }
  template <int n>
  ONEFOLD_KERNEL void run() const {
    const Size quads = (in.factor[1].count + 3) / 4, all = in.factor[0].count * quads;
    ONEFOLD_NO_UNROLL
    for (Size i = Size{m.block()} * m.threads() + static_cast<unsigned>(m.thread()); i < all;
         i += Size{m.blocks()} * m.threads()) {
      const Size row = quotient_of(i, quads);
      answer<n>(row, (i - row * quads) * 4);
    }
  }
};

template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL void answer_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                  const Results<M, ops>& results) {
  const MatrixAnswers<T, ops, M> answers{m, in, scratch, results};
  const uint32_t wide = in.wide[0];
  if (wide != 0) {
    answers.template run<wide_moduli<T>>();
  } else {
    answers.template run<near_moduli<T>>();
  }
}

}  // namespace onefold::kernel
