// The argument of the launches of a matrix product: docs/decisions/0067-matrix-products.md.
#pragma once

#include "onefold/core/exact/residues.hpp"
#include "onefold/core/numeric.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// The numbers of moduli for most data, and for widely spread ones. Integers need no more for up to
// most_inner_of elements: 2 (8 bytes) bits, those of their number, and a sign.
template <class T>
ONEFOLD_FN constexpr int near_moduli_of() {
  if (!Floating<T>) {
    if (dtype_of<T> == DType::boolean) return 4;
    return sizeof(T) == 1 ? 5 : sizeof(T) == 2 ? 7 : sizeof(T) == 4 ? 11 : 19;
  }
  return sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 14 : 20;
}
template <class T>
ONEFOLD_FN constexpr int wide_moduli_of() {
  if (!Floating<T>) return near_moduli_of<T>();
  return sizeof(T) == 2 ? 14 : sizeof(T) == 4 ? 18 : 26;
}
template <class T>
inline constexpr int near_moduli = near_moduli_of<T>();
template <class T>
inline constexpr int wide_moduli = wide_moduli_of<T>();

// The most elements of a vector: so many squares are added with a known error, and integers are
// decided by their moduli.
template <class T>
ONEFOLD_FN constexpr Size most_inner_of() {
  constexpr Size most = Size{1} << 30;
  if constexpr (Floating<T>) {
    return most;
  } else {
    constexpr int bits = dtype_of<T> == DType::boolean ? 0 : 16 * static_cast<int>(sizeof(T));
    // The survey's bounds of both norms are up to 0.1 too large, too.
    const float left = residues::moduli<near_moduli<T>>.limit - static_cast<float>(bits) - 0.25f;
    return left >= 30 ? most : Size{1} << static_cast<int>(left);
  }
}

// Vectors are padded to whole tiles of both dimensions.
inline constexpr unsigned matrix_tile = 128;
inline constexpr unsigned matrix_threads = 256, multiply_threads = 128, entries_tile = 64;
// The rows and columns of a tile of sums in f64; those of f64 have two words.
inline constexpr unsigned doubles_rows = 64;
template <class T>
inline constexpr unsigned doubles_columns = sizeof(T) == 8 ? 32 : 64;
template <class T>
inline constexpr unsigned doubles_blocks = sizeof(T) == 8 ? 4 : 3;  // of a multiprocessor
// Parts of vectors have a multiple of so many elements.
inline constexpr unsigned doubles_part = 32;
// The most elements of a vector for entries.hpp. H200, 4,096 x 128 x 4,096 of f32: 0.70 ms, by
// multiply and answer 0.87; of 256 elements 0.99 and 0.82.
inline constexpr Size most_entries_inner = 128;
static_assert(most_entries_inner <= residues::short_terms);

// One factor: the vectors that are multiplied, rows of A or columns of B.
template <class M, class T>
struct MatrixFactor {
  In<M, T> x;                   // the first element
  Size vectors = 0;             // in all
  int64_t apart = 0, step = 0;  // elements from one vector to the next, and along a vector
  // Of each vector: the exponent of its unit, and log2 of its norm in that unit, rounded up; NaN if
  // it has a NaN, infinity if it has an infinity and no NaN.
  Out<M, int32_t> unit;
  Out<M, float> bits;
  Size first = 0, count = 0;  // the block's vectors
  Out<M, int8_t> residues;    // of the block, for each modulus: vectors, padded
  Size of_modulus = 0;        // their number, of all members
  Size of_member = 0;         // and of one

  // Whether a warp reads along a vector; else its lanes read neighbouring vectors.
  ONEFOLD_KERNEL bool along() const { return step == 1 || apart != 1; }
  // The lanes of the survey that read along a vector, and the vectors of its blocks.
  ONEFOLD_KERNEL static unsigned survey_lanes(Size inner) { return inner <= 256 ? 8 : 32; }
  ONEFOLD_KERNEL unsigned of_survey_block(Size inner) const {
    return along() ? matrix_threads / survey_lanes(inner) : 32;
  }
};

// What the survey finds: near_moduli decide nearly all entries, or wide_moduli do; or neither, and
// another walk folds all of them.
enum MatrixMode : uint32_t { near_mode, wide_mode, other_walk };

// An axis of a batch of products: how far the next one is, in elements, answers and places.
struct BatchAxis {
  Size extent;
  int64_t step[2];  // of each factor
  int64_t answer;
  Size place;
};
inline constexpr unsigned most_batch_axes = most_axes - 3;

template <class M, class T>
struct Matrix {
  MatrixFactor<M, T> factor[2];
  // The products of the batch that a launch computes. Each has as many blocks, and units, bits,
  // residues, sums and a mode of its own, one after the other.
  Size first_member = 0, members = 1;
  BatchAxis batch[most_batch_axes] = {};  // the last one is the fastest
  unsigned batch_axes = 0;
  Size inner = 0;  // elements of a vector
  // A part of these: the first one, and their number with zeros; of doubles.hpp of all parts.
  Size begin = 0, padded = 0;
  bool adds = false;  // to the sums of the parts before
  // Of the block, for each modulus: rows, padded. Of parts of doubles.hpp those of tiles, as f64.
  Out<M, int32_t> sums;
  // Numbers of sums; those of a modulus are of all members.
  Size of_row = 0, of_member = 0, of_modulus = 0;
  Out<M, uint32_t> mode;    // a MatrixMode
  bool by_doubles = false;  // doubles.hpp follows on the survey, and needs no mode
  uint32_t side = 0;        // split: the factor
  // multiply: the moduli of the launch; it does nothing if these are for wide data only, and the
  // data are not.
  uint32_t first_modulus = 0, moduli = 0;
  bool if_wide = false;
  // The places of answers in the order of the walk, and from one answer's to the next one's; the
  // same for the answers themselves.
  Size place = 0, row_place = 0, column_place = 0;
  int64_t answer = 0, row_step = 0, column_step = 0;
};

// The product of the batch that a block works on.
template <class M, class T>
struct MatrixMember {
  const Matrix<M, T>& in;
  Size blocks, index, block;  // each member's; its number in the launch; this one of its blocks
  int64_t moved[2] = {0, 0};  // from the first product of the batch, of each factor
  int64_t answer;
  Size place;

  ONEFOLD_KERNEL MatrixMember(M m, const Matrix<M, T>& of)
      : in(of),
        blocks(quotient_of(m.blocks(), of.members)),
        index(quotient_of(m.block(), blocks)),
        block(m.block() - index * blocks),
        answer(of.answer),
        place(of.place) {
    Size rest = of.first_member + index;
    ONEFOLD_NO_UNROLL
    for (unsigned d = of.batch_axes; d-- > 0;) {
      const BatchAxis& a = of.batch[d];
      const Size next = quotient_of(rest, a.extent), k = rest - next * a.extent;
      moved[0] += static_cast<int64_t>(k) * a.step[0];
      moved[1] += static_cast<int64_t>(k) * a.step[1];
      answer += static_cast<int64_t>(k) * a.answer;
      place += k * a.place;
      rest = next;
    }
  }
  ONEFOLD_KERNEL MatrixFactor<M, T> factor(unsigned side) const {
    MatrixFactor<M, T> f = in.factor[side];
    f.x = f.x + (side == 0 ? moved[0] : moved[1]);
    f.unit = f.unit + index * f.vectors;
    f.bits = f.bits + index * f.vectors;
    f.residues = f.residues + index * f.of_member;
    return f;
  }
  // The residues of a vector and those behind it, in chunks.
  ONEFOLD_KERNEL In<M, Vector16<uint8_t>> residues(M m, unsigned side, Size modulus,
                                                   Size vector) const {
    const auto& f = in.factor[side];
    return m.template as<Vector16<uint8_t>>(f.residues) +
           (modulus * f.of_modulus + index * f.of_member + vector * in.padded) / 16;
  }
  ONEFOLD_KERNEL Out<M, int32_t> sums() const { return in.sums + index * in.of_member; }
  ONEFOLD_KERNEL uint32_t mode() const { return in.mode[index]; }
};

}  // namespace onefold::kernel
