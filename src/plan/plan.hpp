// A request checked and turned into plain values: what will be gathered, over which dimensions, by
// which backend. Everything that can be wrong with a request is found here, before any work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold {

// How the folded elements lie in memory; each family may have its own loop in a backend.
enum class Family : uint8_t {
  whole,    // one answer, one run of neighbours
  rows,     // each answer from a run of neighbours
  columns,  // the nearest elements belong to different answers
  strided,  // anything else: packed into tiles
};
const char* name_of(Family f);

// A dimension after collapsing; strides in bytes, one for each input.
struct Dimension {
  Size extent = 0;
  int64_t stride = 0;
  int64_t stride_y = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Plan {
  std::vector<const OpRow*> ops;
  std::vector<DType> results;  // one per op
  DType dtype = DType::f64;
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;
  int inputs = 1;

  Accumulators needs;
  Layout layout;
  bool in_order = false;  // an answer depends on where elements stand

  Dims output;                    // with keepdims where asked for
  std::vector<Dimension> kept;    // one answer for each index, C order
  std::vector<Dimension> folded;  // elements of one answer, C order if in_order
  // Bytes from where an array begins to the first element of the walk over `kept` and `folded`.
  int64_t origin = 0, origin_y = 0;
  Size answers = 1;
  Size elements = 1;  // per answer
  Family family = Family::whole;
  bool aligned = true;  // every element at a multiple of its size

  Device device = cpu;
  bool on_device = false;  // the caller says that the arrays are there
  void* stream = nullptr;  // of that device; null: CUDA's default
  int threads = 0;
  std::string target;  // instruction set; empty: the best
  Size first = 0;

  Size bytes_read() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

// throws unknown_op, bad_option, bad_axis, shape_mismatch, type_mismatch, no_backend
Plan make_plan(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);
Plan make_plan(std::vector<const OpRow*> ops, const ArrayRef& x, const ArrayRef* y,
               const Options& options);

// "mean,var", as messages name a request.
std::string names_of(std::span<const OpRow* const> ops);

// Which of an array's axes are folded.
//   array   what a message calls it: "shape (4, 5)"
//   throws  bad_axis: out of range, or named twice
std::vector<bool> folded_axes(const Axes& axes, int rank, const std::string& array,
                              const std::string& where);

// The union of what the ops need under a policy.
Accumulators needs_of(std::span<const OpRow* const> ops);

// "mean,var" -> rows; throws unknown_op, bad_option for an empty or doubled name.
std::vector<const OpRow*> parse_ops(std::string_view ops);

// The type of an op's answer; throws bad_option where options.result has no meaning.
DType result_type(const OpRow& op, DType input, const Options& options);

// Whether the elements along a dimension are neighbours.
bool is_dense(const Plan& plan, const Dimension& d);

// What the dimensions of a plan amount to.
Family family_of(const Plan& plan);

// What ops see of a canonical state.
Gathered gathered_of(const Plan& plan, const int64_t* state);

// Rounds the answer to `op` of one canonical state.
Rounded finish(const Plan& plan, std::size_t op, const int64_t* state);

}  // namespace onefold
