// Some rows or columns of a matrix in memory, as panels of f64 with their facts.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "onefold/cpu/family/room.hpp"
#include "onefold/cpu/matrix/kept_blocks.hpp"
#include "onefold/cpu/matrix/tiles.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {

class Packed {
 public:
  // width: that of panels; vectors: at most so many at a time
  Packed(const TileKernels& kernels, Size width, Size vectors, Size inner)
      : kernels_(kernels), width_(width), inner_(inner) {
    const Size all = (vectors + width - 1) / width * width;
    elements_.grow(all * inner);
    norm_.resize(all);
    grid_.resize(all);
    power_.resize(all);
  }
  // Copies the vectors of a side, on several threads.
  void fill(DType t, const MatrixSide& side, bool scale, int threads) {
    panels_ = (side.vectors + width_ - 1) / width_;
    parallel(panels_, threads, [&](std::size_t p) {
      const FlagsGuard mode;
      double* const to = elements_.get() + p * width_ * inner_;
      kernels_.pack(t, side, p * width_, width_, to);
      kernels_.find(to, width_, inner_, scale, facts(p));
    });
  }
  Size width() const { return width_; }
  Size inner() const { return inner_; }
  Size panels() const { return panels_; }
  const double* panel(Size p) const { return elements_.get() + p * width_ * inner_; }
  VectorFacts facts(Size p) {
    return {norm_.data() + p * width_, grid_.data() + p * width_, power_.data() + p * width_};
  }
  // Returns whether all vectors have so few bits that sums of products of two have no error.
  bool on_grid() const {
    return std::all_of(grid_.data(), grid_.data() + panels_ * width_,
                       [](double g) { return g == 1; });
  }
  // Returns the greatest norm that is finite.
  double greatest_norm() const {
    double most = 0;
    for (Size v = 0; v < panels_ * width_; ++v) {
      if (std::isfinite(norm_[v])) most = std::max(most, norm_[v]);
    }
    return most;
  }

 private:
  const TileKernels& kernels_;
  Size width_, inner_, panels_ = 0;
  KeptArray<double> elements_;
  std::vector<double> norm_, grid_;
  std::vector<int> power_;
};

}  // namespace onefold::cpu_backend
