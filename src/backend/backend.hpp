// What a backend is: an object with a name, limits, and what it does with a plan.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "onefold/error.hpp"
#include "plan/plan.hpp"

namespace onefold::backend {

// Takes an answer's state, canonical.
using Done = std::function<void(Size answer, const int64_t* state)>;

// Where the answers to one op go; status may be null.
struct Output {
  void* data = nullptr;
  Status* status = nullptr;
};

// A fold that is queued: the arrays, and where the answers to each op go.
struct Queued {
  const Plan& plan;
  const void* x = nullptr;
  const void* y = nullptr;
  std::span<const Output> outputs;
};

// Where the segments of an array's first axis begin and end.
struct Segments {
  const void* offsets = nullptr;  // of i64, or i32 if narrow; side by side, one more than segments
  bool narrow = false;
  Size count = 0;
  // The axes in C order: the first is folded, and the others are kept. Third strides of a mask.
  Nest nest = {};
};

// Which group each element of an array of one axis belongs to.
struct Labels {
  const void* data = nullptr;  // as many as elements
  DType type = DType::i64;     // integers or bools
  Size groups = 0;
  int64_t stride = 0, x_stride = 0;  // of the labels and the array, in bytes
  // Throws what is wrong with the labels; of ones on a device `host` is a copy.
  std::function<void(const void* host)> refuse;
};

// Puts the elements [begin, end) of an input (0 or 1) side by side into memory of the host; from
// several threads at once.
using Read = std::function<void(int input, Size begin, Size end, std::byte* to)>;

struct Backend {
  const char* name;
  Device::Type device;
  // What it cannot do of a plan, or that there is no such device; nothing: it runs the plan.
  std::optional<Error> (*why_not)(const Plan& plan);
  // The functions of backend/run.hpp.
  void (*run)(const Plan& plan, const void* x, const void* y, const Done& done,
              std::span<std::byte* const> straight);
  bool (*queue)(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);
  bool (*answer)(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);
  void (*write)(const Plan& plan, void* to, const void* from, std::size_t bytes);
  void (*gather)(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);
  // Null: it has no communicators.
  bool (*queue_ranks)(std::span<const Queued> folds) = nullptr;
  // Null: it has none, and segments are folds of their own.
  void (*segments)(const Plan& plan, const Segments& segments, const void* x,
                   std::span<const Output> outputs) = nullptr;
  // Null: it has none, and groups are segments of sorted elements.
  void (*labels)(const Plan& plan, const Labels& labels, const void* x,
                 std::span<const Output> outputs) = nullptr;
  // Null: it has no memory of its own to read into.
  void (*gather_read)(const Plan& plan, Size elements, Size first, const Read& read,
                      int64_t* state) = nullptr;
};

// All there are: to add one, name it in list.cpp.
std::span<const Backend* const> backends();

}  // namespace onefold::backend
