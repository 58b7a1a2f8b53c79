// A request, checked and turned into plain values: what is gathered, over which dimensions, by
// which backend. Everything that can be wrong with a request is found here, before any work.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/core/exponential/function.hpp"
#include "onefold/engine/plan/nest.hpp"
#include "onefold/engine/plan/op_list.hpp"
#include "onefold/engine/plan/selector.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/options.hpp"

namespace onefold {

// The options that concern answers. Folds and saved states use them alike.
struct AnswerOptions {
  std::vector<const OpRow*> ops;
  DType dtype = DType::f64;
  std::vector<DType> results = {};  // one for each op
  Correction correction = {};
  std::optional<Scalar> initial = {};  // converted to the elements' type
  bool empty_nan = false;

  friend bool operator==(const AnswerOptions&, const AnswerOptions&) = default;
};

struct Weighted;

// A factor for each element of a slice, on the plan's device, and what is added to the products:
// neighbouring elements of the plan's type or of f32. Null: 1, and 0.
struct PlannedScale {
  const void *weight = nullptr, *bias = nullptr;
  DType weight_type = DType::f32, bias_type = DType::f32;
  double eps = 0;
  friend bool operator==(const PlannedScale&, const PlannedScale&) = default;
};

struct Plan : AnswerOptions {
  NanPolicy nan = NanPolicy::propagate;
  int inputs = 1;

  Accumulators needs;
  Layout layout;
  bool indexed = false;  // an answer is the index of an element

  Dims output;  // with extents of 1 for keepdims
  Size answers = 1;
  Size elements = 1;  // elements of an answer, without regard to a mask
  Nest nest;          // simplified; without axes if there are no elements or no answers
  Selector where;     // the mask; its strides are the third ones of the nest's axes
  std::shared_ptr<const Weighted> weighted =
      {};  // if elements have weights (onefold/engine/plan/weighted.hpp)
  RowFunction function = RowFunction::none;  // beside ops: what is folded instead of the op
  PlannedScale scale = {};                   // of rms_norm and layer_norm
  bool aligned = true;                       // each element's address is a multiple of its size

  Device device = cpu;
  bool on_device = false;  // the caller says that the arrays are on the device
  void* stream = nullptr;  // a stream of that device; null: CUDA's default
  void* nccl = nullptr;    // an ncclComm_t, whose other ranks have the other parts of the data
  int threads = 0;
  std::string target;  // instruction set; empty: the best

  Size bytes_read() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

// If y is missing, Options::weights are the second array.
//   throws  unknown_op, bad_option, bad_axis, shape_mismatch, type_mismatch
Plan make_plan(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);
Plan make_plan(std::vector<const OpRow*> ops, const ArrayRef& x, const ArrayRef* y,
               const Options& options);

// Returns the first element of a plan's second array; null: it has none.
inline const void* second_of(const ArrayRef* y, const Options& options) {
  return y != nullptr ? y->data : options.weights ? options.weights->data : nullptr;
}

// Returns which of an array's axes are folded.
//   array   how a message calls it: "shape (4, 5)"
//   throws  bad_axis: out of range, or named twice
std::vector<bool> folded_axes(const Axes& axes, int rank, const std::string& array,
                              const std::string& where);

// Refuses values that no constructor of Correction makes. throws bad_option
void check_correction(const Correction&, const std::string& where);

// Returns Options::initial as an element of the folded type.
//   throws  bad_option: an op does not allow one, or the type cannot hold the value
Scalar initial_of(const AnswerOptions&, const Scalar& given);

// throws bad_option, type_mismatch
AnswerOptions answering_of(std::vector<const OpRow*> ops, DType dtype, const Options& options);

// Returns the type of an op's answer; throws bad_option if options.result means nothing for it.
DType result_type(const OpRow& op, DType input, const Options& options);

// Returns whether, for some data, an op's answer can be a status instead of a value.
bool may_fail(const Plan& plan, std::size_t op);

// Returns whether an answer without elements is NaN: if it is a float and not an index.
bool nan_when_empty(const AnswerOptions& asked, std::size_t op);

// Returns the view of a canonical state that an op's formula reads.
Gathered gathered_of(const Plan& plan, const int64_t* state);

// Rounds one canonical state's answer to `op`, with everything that the plan adds to it.
Rounded finish(const Plan& plan, std::size_t op, const int64_t* state);

}  // namespace onefold
