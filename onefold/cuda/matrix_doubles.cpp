// Products whose sums are in f64 (kernel/matrix/doubles.hpp): which ones, and in how many blocks.
#include "onefold/cuda/matrix.hpp"

namespace onefold::cuda_backend {
namespace {

// The bytes of a tile's sums, which have two words if elements have 8 bytes.
constexpr Size tile_bytes = 8 * kernel::doubles_rows * kernel::doubles_columns<float>;
static_assert(tile_bytes == 16 * kernel::doubles_rows * kernel::doubles_columns<double>);

}  // namespace

// Residues are quicker for long vectors; for others it takes longer to make entries of them, and to
// begin, and for few rows or columns to split the other factor.
bool multiplies_doubles(const Engine& engine, DType t, const MatrixProduct& p) {
  constexpr Size few_vectors = 128, times_longer = 16;
  // Of f64, whose products take three: 4,096 x 256 x 4,096 0.86 ms, x 512 1.74, by residues 1.13
  // and 1.22; 512 x 512 x 512 0.09 and 0.15 (H200).
  constexpr Size most_wide = 256, few_products = Size{1} << 27;
  if (!is_floating(t)) return false;
  const Size rows = p.row.extent, columns = p.column.extent, inner = p.inner.extent,
             most = engine.most_doubles;
  if (bytes_of(t) == 8) {
    return inner <= most && (inner <= most_wide || rows * columns * inner <= few_products);
  }
  return inner <= (std::min(rows, columns) <= few_vectors ? times_longer * most : most);
}

Size MatrixLaunch::double_tiles() const {
  return quotient(product_.row.extent, kernel::doubles_rows) *
         quotient(product_.column.extent, double_columns_);
}

// The bytes of the sums of all parts of vectors, if there are several.
Size MatrixLaunch::double_bytes() const {
  return double_parts_ == 1 ? 0 : members_ * double_tiles() * double_parts_ * tile_bytes;
}

// Few tiles have several blocks each, one for a part of the vectors: as many as run at once.
void MatrixLaunch::choose_double_parts(Size most) {
  constexpr Size least_part = 128;
  const auto multiprocessors = static_cast<Size>(again_.engine.gpu().facts().multiprocessors);
  const Size blocks = std::min(double_blocks_ * multiprocessors, most / (2 * tile_bytes)),
             parts = std::clamp<Size>(blocks / (members_ * double_tiles()), 1,
                                      quotient(input_.inner, least_part)),
             part = quotient(quotient(input_.inner, parts), kernel::doubles_part);
  input_.padded = part * kernel::doubles_part;
  double_parts_ = quotient(input_.inner, input_.padded);
}

}  // namespace onefold::cuda_backend
