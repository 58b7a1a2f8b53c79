// A request checked and turned into plain values: what will be gathered, over which dimensions, by
// which backend. Everything that can be wrong with a request is found here, before any work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/options.hpp"
#include "plan/nest.hpp"
#include "plan/op_list.hpp"
#include "plan/selector.hpp"
#include "plan/table.hpp"

namespace onefold {

// The options that concern answers; folds and saved states use the same.
struct Answering {
  std::vector<const OpRow*> ops;
  DType dtype = DType::f64;
  std::vector<DType> results = {};  // one per op
  Correction correction = {};
  std::optional<Scalar> initial = {};  // converted to dtype
  bool empty_nan = false;

  friend bool operator==(const Answering&, const Answering&) = default;
};

struct Plan : Answering {
  NanPolicy nan = NanPolicy::propagate;
  int inputs = 1;

  Accumulators needs;
  Layout layout;
  bool indexed = false;  // an answer says where an element stands

  Dims output;  // with keepdims where asked for
  Size answers = 1;
  Size elements = 1;    // per answer, before a mask
  Nest nest;            // plain; of nothing if there are no elements or no answers
  Selector where;       // along the nest's third strides
  bool aligned = true;  // every element at a multiple of its size

  Device device = cpu;
  bool on_device = false;  // the caller says that the arrays are there
  void* stream = nullptr;  // a stream of that device; null: CUDA's default
  void* nccl = nullptr;    // an ncclComm_t whose ranks have the other parts of the data
  int threads = 0;
  std::string target;  // instruction set; empty: the best

  Size bytes_read() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Without y, Options::weights are the second array.
//   throws  unknown_op, bad_option, bad_axis, shape_mismatch, type_mismatch
Plan make_plan(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);
Plan make_plan(std::vector<const OpRow*> ops, const ArrayRef& x, const ArrayRef* y,
               const Options& options);

// The data of a plan's second array; null: it has none.
inline const void* second_of(const ArrayRef* y, const Options& options) {
  return y != nullptr ? y->data : options.weights ? options.weights->data : nullptr;
}

// Which of an array's axes are folded.
//   array   what a message calls it: "shape (4, 5)"
//   throws  bad_axis: out of range, or named twice
std::vector<bool> folded_axes(const Axes& axes, int rank, const std::string& array,
                              const std::string& where);

// throws bad_option: fields that no constructor gives
void check_correction(const Correction&, const std::string& where);

// Options::initial as an element of the folded type.
//   throws  bad_option: an op that takes none, a value that the type cannot hold
Scalar initial_of(const Answering&, const Scalar& given);

// throws bad_option, type_mismatch
Answering answering_of(std::vector<const OpRow*> ops, DType dtype, const Options& options);

// The type of an op's answer; throws bad_option where options.result has no meaning.
DType result_type(const OpRow& op, DType input, const Options& options);

// Whether the data may give an answer to an op a status instead of a value.
bool may_fail(const Plan& plan, std::size_t op);

// Whether NaN may stand for an answer to nothing: a floating-point one that is no index.
bool nan_when_empty(const Answering& asked, std::size_t op);

// The view of a canonical state that ops get.
Gathered gathered_of(const Plan& plan, const int64_t* state);

// Rounds the answer to `op` of one canonical state, with what else the plan adds to it.
Rounded finish(const Plan& plan, std::size_t op, const int64_t* state);

}  // namespace onefold
