// Folds files of complex numbers as real ones (decision 0077). Several views of the same files have
// the answers:
//
//   sum, mean    both parts along one more axis, which is kept: the answer's last axis has
//                them, and Notes::in_parts says so
//   norm2, sumsq the same axis, folded
//   var, std     the ops total_var and total_std of the real and the imaginary parts
//   count        the real parts
#pragma once

#include <functional>

#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// Folds files of real numbers that are open.
using FoldOpened = std::function<Answers(OpenFiles, const Query&)>;

// Whether one of the files, opened with Planes::both, has complex numbers.
bool have_complex(const OpenFiles& files);

// Folds each view that the ops need; all but the first are opened again.
//   opened  with Planes::both
//   throws  unsupported: another op, an option without meaning; needs_seek: a stream, and more than
//           one view or var and std
Answers fold_complex(const Query& query, OpenFiles opened, const std::vector<std::string>& files,
                     const InputOptions& input, const FoldOpened& fold, Notes* notes);

}  // namespace onefold::io
