#include "onefold/cpu/matrix/residue_product.hpp"

#include <cmath>
#include <cstring>

namespace onefold::cpu_backend {
namespace {

// Twice this are the bits of the greatest element of a row: 13 more than those of an f64 answer, so
// that of N(0, 1) one answer in 800 is not decided.
constexpr int half_bits = 33;

bool is_quicker(const Packed& a, const Packed& b) {
  return a.inner() >= 128 && a.panels() >= 6 && b.panels() >= 4;
}

}  // namespace

std::optional<ResidueProduct> ResidueProduct::of(Target target, Packed& a, Packed& b,
                                                 ResidueSides& sides, int threads) {
  const ResidueKernels* const kernels = residue_kernels(target);
  if (kernels == nullptr || a.inner() > most_inner || !is_quicker(a, b)) return {};
  const double norms = a.greatest_norm() * b.greatest_norm();
  if (!(norms > 0) || a.width() != residue_rows || 2 * b.width() != residue_columns) return {};
  const ResidueModuli moduli = moduli_for(std::log2(norms) + 0.01, half_bits);
  if (moduli.count == 0) return {};
  ResidueProduct product(*kernels, moduli, a, b, sides);
  product.split(a, product.rows_, true, threads);
  product.split(b, product.columns_, false, threads);
  return product;
}

void ResidueProduct::split(const Packed& from, ResidueSide& to, bool of_rows, int threads) const {
  // Two panels of B are one of residues.
  const Size together = of_rows ? 1 : 2, across = from.width() * together;
  const Size panels = (from.panels() + together - 1) / together;
  to.panel = fours_ * across * 4;
  to.plane =
      panels * to.panel + 320;  // no multiple of a page, since all planes are written in turn
  to.bytes.grow(to.plane * static_cast<Size>(moduli_.count));
  to.lost.assign(panels * across, 0);
  parallel(panels, threads, [&](std::size_t p) {
    const FlagsGuard mode;
    uint8_t* const at = to.bytes.get() + p * to.panel;
    if ((p + 1) * together > from.panels()) {
      for (int t = 0; t < moduli_.count; ++t) {
        std::memset(at + static_cast<Size>(t) * to.plane, 0, to.panel);
      }
    }
    for (Size k = 0; k < together && p * together + k < from.panels(); ++k) {
      const Size panel = p * together + k;
      kernels_.split(from.panel(panel), from.width(), from.inner(), moduli_, of_rows,
                     at + k * from.width() * 4, across, to.plane, &to.lost[panel * from.width()]);
    }
  });
}

void ResidueProduct::multiply(Size i, Size ni, Size j, Size nj, double* tiles,
                              KeptArray<double>& fractions) const {
  constexpr Size both = 2 * tile;  // entries of two tiles beside each other
  const Size pairs = (nj + 1) / 2;
  fractions.fill_zero(pairs * ni * 3 * both);
  alignas(64) int32_t sums[most_folded * both];
  // Several moduli at a time save loads and stores, as long as their panels stay in L2.
  const int together = a_.inner() <= 1024 ? most_folded : 1;
  for (int t = 0; t < moduli_.count; t += together) {
    const int n = std::min(together, moduli_.count - t);
    for (Size q = 0; q < pairs; ++q) {
      for (Size p = 0; p < ni; ++p) {
        for (int k = 0; k < n; ++k) {
          const auto plane = static_cast<Size>(t + k);
          add_residues(rows_.bytes.get() + plane * rows_.plane + (i + p) * rows_.panel,
                       columns_.bytes.get() + plane * columns_.plane + (j / 2 + q) * columns_.panel,
                       fours_, sums + static_cast<Size>(k) * both);
        }
        kernels_.fold(sums, t, n, moduli_, &fractions[(q * ni + p) * 3 * both]);
      }
    }
  }
  for (Size q = 0; q < nj; ++q) {
    for (Size p = 0; p < ni; ++p) {
      double* const to = tiles + (q * ni + p) * 3 * tile;
      const double* const from =
          &fractions[(q / 2 * ni + p) * 3 * both] + q % 2 * residue_columns / 2;
      kernels_.finish(from, moduli_, a_.facts(i + p), b_.facts(j + q),
                      &rows_.lost[(i + p) * a_.width()], &columns_.lost[(j + q) * b_.width()], to,
                      to + tile, to + 2 * tile);
    }
  }
}

}  // namespace onefold::cpu_backend
