// The loops of tiles.inl for each instruction set.
#include "onefold/cpu/matrix/tiles.hpp"

#include <cmath>

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/matrix/tiles.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace matrix_tiles {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/answers.inl"

#include "onefold/cpu/matrix/panels.inl"

#include "onefold/cpu/matrix/tiles.inl"

const TileKernels* get() {
  static constexpr TileKernels kernels{tile_rows, tile_columns, pack, find, add, decide};
  return &kernels;
}

}  // namespace matrix_tiles
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const TileKernels* tile_kernels([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, matrix_tiles::get());
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
