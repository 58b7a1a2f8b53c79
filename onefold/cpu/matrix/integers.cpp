#include "onefold/cpu/matrix/integers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace onefold::cpu_backend {

Size decide_integers(const TileKernels& k, DType t, const double* sums, const double* low,
                     const TileBounds& bounds, std::byte* out, Entry* entries) {
  Size open = 0;
  for (Size i = 0; i < k.rows * k.columns; ++i) {
    entries[i] = Entry::open;
    const double rest = low == nullptr ? 0 : low[i];
    // Then products and first words are below 2^84, and what their rounding leaves below 2^31. The
    // sum of at most 2^20 of these is exact, too.
    const double most = bounds.a.norm[i / k.columns] * bounds.b.norm[i % k.columns];
    if (most < 0x1p84 && std::fabs(sums[i]) < 0x1p84) {
      const Int128 v = static_cast<Int128>(sums[i]) + static_cast<int64_t>(rest);
      visit(t, [&]<class T>() {
        if constexpr (is_integer(dtype_of<T>)) {
          if (v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max()) return;
          const T value = static_cast<T>(v);
          std::memcpy(out + i * sizeof value, &value, sizeof value);
          entries[i] = Entry::decided;
        }
      });
    }
    open += entries[i] == Entry::open;
  }
  return open;
}

}  // namespace onefold::cpu_backend
