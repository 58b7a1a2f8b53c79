// Folds of few rows into many columns: there a state would cost a hundred times what the elements
// do, so answers are taken straight from them.
//
//   takes     sum, mean (f32), min, max of f32 and f64, up to 64 rows of neighbouring columns
//   exact     a sum is kept as one f64 and, of f64, what its roundings left over; both are exact
//             or the column is undecided
//   gives up  undecided columns, which go the long way: NaN and infinities, sums that f64 does not
//             hold
#pragma once

#include "backend/cpu/feed.hpp"
#include "backend/cpu/run.hpp"

namespace onefold::cpu_backend {

// Writes the answers to `out` and hands the state of each undecided one to `done`, as run does.
// False: it is not such a fold; nothing has been done.
bool run_few_rows(const Plan& plan, const void* x, std::byte* out,
                  const std::function<void(Size answer, const int64_t* state)>& done);

enum class QuickOp : uint8_t { sum, mean, least, greatest };

struct Rows {
  const std::byte* x = nullptr;
  int64_t stride = 0;  // bytes from row to row
  Size rows = 0, columns = 0;
};

// Answers into `out`; sets undecided[c] where there is none. Null where a target has none.
using AnswerRows = void (*)(QuickOp op, DType t, const Rows& in, std::byte* out,
                            uint8_t* undecided);
AnswerRows answer_rows(Target target);

}  // namespace onefold::cpu_backend
