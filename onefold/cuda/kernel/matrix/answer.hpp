// Rounds a block's entries from sums of products of residues, and notes those that are undecided.
#pragma once

#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/matrix/input.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct MatrixAnswers {
  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  MatrixFactor<M, T> f = member.factor(0), g = member.factor(1);

  // Returns the bits of an entry that is 0: those of -0 if all its terms are -0.
  ONEFOLD_KERNEL uint64_t zero_of(Size row, Size column) const {
    if constexpr (!Floating<T>) {
      return 0;
    } else {
      int64_t x = static_cast<int64_t>(f.first + row) * f.apart,
              y = static_cast<int64_t>(g.first + column) * g.apart;
      ONEFOLD_NO_UNROLL
      for (Size k = 0; k < in.inner; ++k, x += f.step, y += g.step) {
        const T one = f.x[x], other = g.x[y];
        const Decoded a = decode(one), b = decode(other);
        if (!(a.zero() || b.zero()) || a.negative == b.negative) return 0;
      }
      return uint64_t{1} << (8 * sizeof(T) - 1);
    }
  }
  ONEFOLD_KERNEL void put(Size row, Size column, uint64_t bits, Status status) const {
    using Answer = typename detail::Bits<Floating<T> ? sizeof(T) : 8>::type;
    const Place<M>& place = results.place[0];
    const int64_t at = member.answer + static_cast<int64_t>(f.first + row) * in.row_step +
                       static_cast<int64_t>(g.first + column) * in.column_step;
    m.template as<Answer>(place.value)[at] = static_cast<Answer>(bits);
    if (place.has_status) place.status[at] = static_cast<uint8_t>(status);
  }
  // Rounds an entry that is not 0, or says that no 64 bits hold the integer.
  template <class Value>
  ONEFOLD_KERNEL void put_value(Size row, Size column, const Value& v, int exponent) const {
    if constexpr (Floating<T>) {
      put(row, column, v.round(exponent, float_format(dtype_of<T>)), Status::ok);
    } else {
      constexpr bool is_signed = kind_of(dtype_of<T>) != Kind::unsigned_integer;
      const Rounded r = v.integer(is_signed);
      put(row, column, r.bits, r.status);
    }
  }
  ONEFOLD_KERNEL void note(Size row, Size column) const {
    note_undecided(
        m, scratch,
        member.place + (f.first + row) * in.row_place + (g.first + column) * in.column_place);
  }
  // Answers an entry that residues cannot.
  //   bits  the sum of both vectors' bits
  ONEFOLD_KERNEL void put_special(Size row, Size column, float bits) const {
    if (results.nan == NanPolicy::propagate && bits != bits) {
      put(row, column, float_format(dtype_of<T>).nan(), Status::ok);
    } else {
      note(row, column);
    }
  }
  // Answers an entry of the block.
  //   y(t)  its residue modulo modulus(t), or up to twice the modulus more
  template <int n, class Residues>
  ONEFOLD_KERNEL void entry(Size row, Size column, Residues y) const {
    const Size r = f.first + row, c = g.first + column;
    const float bits = f.bits[r], other = g.bits[c];
    if (!(bits + other <= residues::moduli<n>.limit)) {
      return put_special(row, column, bits + other);
    }
    const auto v = residues::value_of<n>(y);
    if (v.zero()) {
      put(row, column, zero_of(row, column), Status::ok);
    } else {
      const int unit = f.unit[r], other_unit = g.unit[c];
      put_value(row, column, v, unit + other_unit);
    }
  }
  // Answers four neighbouring columns of a row.
  template <int n>
  ONEFOLD_KERNEL void answer(Size row, Size column) const {
    Vector16<int32_t> sum[n];
    const auto from = m.as_vectors(member.sums()) + (row * in.of_row + column) / 4;
    ONEFOLD_UNROLL
    for (int t = 0; t < n; ++t) sum[t] = from[static_cast<Size>(t) * (in.of_modulus / 4)];
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < 4; ++j) {
      if (column + j >= g.count) break;
      entry<n>(row, column + j, [&](int t) { return residues::term_of<n>(t, sum[t].v[j]); });
    }
  }
  // Calls a function with the number of moduli that the mode has; not if another walk answers.
  template <class F>
  ONEFOLD_KERNEL void in_mode(F of) const {
    const uint32_t mode = member.mode();
    if (mode == near_mode) of.template operator()<near_moduli<T>>();
    if constexpr (wide_moduli<T> != near_moduli<T>) {
      if (mode == wide_mode) of.template operator()<wide_moduli<T>>();
    }
  }
  template <int n>
  ONEFOLD_KERNEL void run() const {
    const Size quads = (g.count + 3) / 4, all = f.count * quads;
    ONEFOLD_NO_UNROLL
    for (Size i = member.block * m.threads() + static_cast<unsigned>(m.thread()); i < all;
         i += member.blocks * m.threads()) {
      const Size row = quotient_of(i, quads);
      answer<n>(row, (i - row * quads) * 4);
    }
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void answer_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                  const Results<M, ops>& results) {
  const MatrixMember<M, T> member(m, in);
  const MatrixAnswers<T, ops, M> answers{m, in, member, scratch, results};
  answers.in_mode([&]<int n>() { answers.template run<n>(); });
}

}  // namespace onefold::kernel
