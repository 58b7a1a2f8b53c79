// Sums of products of f64 by residues: docs/decisions/0067-matrix-products.md.
//
//   integers  an element x, |x| < 1, is the integer nearest to x 2^(2 half)
//   residues  of least magnitude for rows of A (int8), from 0 on for columns of B (uint8): products
//             are added by VNNI, 64 a cycle. At most most_inner of them fit 32 bits
//   back      by the Chinese remainder theorem an entry is M times the fraction of a sum of
//             (residue) (share). Shares are three f64, which hold 120 bits, so an entry has an
//             error of 2^-104 M
#pragma once

#include "onefold/core/exact/residues.hpp"
#include "onefold/cpu/matrix/tiles.hpp"

namespace onefold::cpu_backend {

struct ResidueModuli {
  static constexpr int most = residues::most_moduli;
  int count = 0, half = 0;  // of the moduli; half the bits behind an element's point
  double modulus[most], inverse[most];
  double digit[most];                // 2^half modulo p
  double share[most][3];             // of each residue in the entry, as a fraction of M
  double all_high = 0, all_low = 0;  // M 2^(-4 half), with an error of 2^-98
  double lost = 0;                   // the error of an entry whose shares are cut off
};
// Returns the fewest moduli that hold sums of products of such integers; 0 of them: none do.
//   bits  log2 of a bound of |a| |b|
ResidueModuli moduli_for(double bits, int half);

inline constexpr Size most_inner = Size{1} << 16;
// A tile of residues is a panel of A by two of B.
inline constexpr Size residue_rows = 8, residue_columns = 48;
inline constexpr int most_folded = 4;

struct ResidueKernels {
  // Writes the residues of a panel, four elements of a vector beside each other:
  // to[modulus * plane + (k / 4 * across + v) * 4 + k % 4].
  //   lost  gets a bound of the norm of what was cut off each vector
  void (*split)(const double* panel, Size width, Size inner, const ResidueModuli& m, bool of_rows,
                uint8_t* to, Size across, Size plane, double* lost);
  // Adds sums of products modulo numbers first .. first + n - 1, a tile for each, to the fractions
  // of entries: three tiles.
  //   n  at most most_folded
  void (*fold)(const int32_t* sums, int first, int n, const ResidueModuli& m, double* fractions);
  // Returns entries as pairs of f64, with error bounds, of a part of a tile: residue_rows by
  // residue_columns / 2.
  //   lost_a, lost_b  bounds of what was cut off
  void (*finish)(const double* fractions, const ResidueModuli& m, const VectorFacts& a,
                 const VectorFacts& b, const double* lost_a, const double* lost_b, double* sum,
                 double* low, double* lost);
};
// Null if this processor or target has no such instructions.
const ResidueKernels* residue_kernels(Target target);

// Sums products of 4 n residues of a panel of A and two of B.
void add_residues(const uint8_t* a, const uint8_t* b, Size n, int32_t* tile);
bool adds_residues();  // whether this processor can

}  // namespace onefold::cpu_backend
