// The entries of a part of a product by residues.
#pragma once

#include <optional>

#include "onefold/cpu/matrix/packed.hpp"
#include "onefold/cpu/matrix/residue_tiles.hpp"

namespace onefold::cpu_backend {

// The residues of one side: for each modulus those of panels one after another.
struct ResidueSide {
  KeptArray<uint8_t> bytes;
  Size plane = 0, panel = 0;  // bytes of a modulus, and of a panel
  std::vector<double> lost;
};
struct ResidueSides {
  ResidueSide rows, columns;
};

class ResidueProduct {
 public:
  // Returns nothing where the processor lacks the instructions, or other tiles are quicker.
  //   sides  memory for the residues, which is used again
  static std::optional<ResidueProduct> of(Target target, Packed& a, Packed& b, ResidueSides& sides,
                                          int threads);

  // Computes the tiles of panels [i, i + ni) of A and [j, j + nj) of B, j even: for each tile its
  // entries, their second words and their error bounds, tile [q * ni + p] of panels p and q.
  //   room  memory that is used again
  void multiply(Size i, Size ni, Size j, Size nj, double* tiles, KeptArray<double>& room) const;

  static constexpr Size tile = residue_rows * residue_columns / 2;

 private:
  ResidueProduct(const ResidueKernels& kernels, const ResidueModuli& moduli, Packed& a, Packed& b,
                 ResidueSides& sides)
      : kernels_(kernels),
        moduli_(moduli),
        a_(a),
        b_(b),
        fours_((a.inner() + 3) / 4),
        rows_(sides.rows),
        columns_(sides.columns) {}
  void split(const Packed& from, ResidueSide& to, bool of_rows, int threads) const;

  const ResidueKernels& kernels_;
  ResidueModuli moduli_;
  Packed &a_, &b_;
  Size fours_;  // groups of four elements of a vector
  ResidueSide &rows_, &columns_;
};

}  // namespace onefold::cpu_backend
