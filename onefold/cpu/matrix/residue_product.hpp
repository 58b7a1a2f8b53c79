// The entries of a part of a product by residues.
#pragma once

#include <optional>

#include "onefold/cpu/matrix/packed.hpp"
#include "onefold/cpu/matrix/residue_tiles.hpp"

namespace onefold::cpu_backend {

class ResidueProduct {
 public:
  // Returns nothing where the processor lacks the instructions, or other tiles are quicker.
  //   t  the elements' type, which says how many bits are needed
  static std::optional<ResidueProduct> of(Target target, DType t, Packed& a, Packed& b,
                                          int threads);

  // Computes the tiles of panels [i, i + ni) of A and [j, j + nj) of B, j even: for each tile its
  // entries, their second words and their error bounds, tile [q * ni + p] of panels p and q.
  void multiply(Size i, Size ni, Size j, Size nj, double* tiles) const;

  static constexpr Size tile = residue_rows * residue_columns / 2;

 private:
  // The residues of one side: for each modulus those of panels one after another.
  struct Side {
    AlignedArray<uint8_t> bytes;
    Size plane = 0, panel = 0;  // bytes of a modulus, and of a panel
    std::vector<double> lost;
  };
  ResidueProduct(const ResidueKernels& kernels, const ResidueModuli& moduli, Packed& a, Packed& b)
      : kernels_(kernels), moduli_(moduli), a_(a), b_(b), fours_((a.inner() + 3) / 4) {}
  void split(const Packed& from, Side& to, bool of_rows, int threads) const;

  const ResidueKernels& kernels_;
  ResidueModuli moduli_;
  Packed &a_, &b_;
  Size fours_;  // groups of four elements of a vector
  Side rows_, columns_;
};

}  // namespace onefold::cpu_backend
