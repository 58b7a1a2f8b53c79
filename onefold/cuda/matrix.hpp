// Products of matrices on a device.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/matrix/input.hpp"
#include "onefold/cuda/nest_launch.hpp"
#include "onefold/engine/plan/matrix_product.hpp"

namespace onefold::cuda_backend {

using MatrixInput = kernel::Matrix<HostArguments, std::byte>;

// Whether entries are sums of products in f64, not residues (matrix_doubles.cpp).
bool multiplies_doubles(const Engine& engine, DType t, const MatrixProduct& p);

// The launches of a product (kernel/matrix/matrix.hpp), one batch after another.
class MatrixLaunch {
 public:
  // Returns the product that a plan is; nothing if another walk is quicker, or if this one cannot
  // answer it.
  static std::optional<MatrixProduct> product_of(const Engine& engine, const Plan& plan);

  // Prepares a plan that is a product.
  //   at       device addresses of the nest's first elements
  //   answers  device addresses of the answers
  //   throws   as Kernels::get
  MatrixLaunch(Engine& engine, const Plan& plan, const Addresses& at,
               std::span<const Destination> answers);
  // Queues the launches. The workspace is dirty until they have ended.
  void queue(void* stream, Workspace& workspace) const;

 private:
  void lay_out();
  void choose_block(Size most);
  void choose_members(Size most, Size facts);
  void choose_double_parts(Size most);
  Size double_tiles() const;
  Size double_bytes() const;
  Size lent_bytes() const;
  bool in_parts() const { return part_ < input_.inner; }
  // Whether sums of products of residues stay in registers (kernel/matrix/entries.hpp).
  bool is_short() const {
    return input_.inner <= std::min(kernel::most_entries_inner, again_.engine.most_terms);
  }
  Size sum_bytes(Size rows, Size columns) const;
  void queue(const MatrixInput& batch, void* stream, Workspace& workspace) const;
  void launch(kernel::Walk step, Size blocks, const MatrixInput& in, void* stream,
              Workspace& workspace) const;
  void multiply(MatrixInput in, void* stream, Workspace& workspace) const;
  Size blocks_of(const MatrixInput& in, Size tasks, Size of_multiprocessor) const;
  void answer(const MatrixInput& in, void* stream, Workspace& workspace) const;

  // Folds all answers by another walk if residues cannot, and recomputes undecided ones.
  NestLaunch again_;
  MatrixProduct product_;
  MatrixInput input_;  // of the first batch, with addresses from 0 on in the memory that is lent
  Size needed_ = 0, bytes_ = 0;  // of this memory: what is used, and what is allocated for it
  Size rows_ = 0, columns_ = 0;  // of a block
  Size part_ = 0;                // elements of a vector that are multiplied at once, padded
  Size members_ = 1;             // products of the batch in a launch
  int near_ = 0, wide_ = 0;      // numbers of moduli
  // Of sums in f64: columns of a tile, blocks of a multiprocessor, parts of a vector.
  unsigned double_columns_ = 0, double_blocks_ = 0;
  Size double_parts_ = 1;
  void* kernel_[6] = {};  // by step; null: it is not needed
};

}  // namespace onefold::cuda_backend
