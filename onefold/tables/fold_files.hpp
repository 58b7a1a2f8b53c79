// Folds files of any size in bounded memory: in windows over the whole file if all states fit.
// Otherwise a fold of a leading axis reads the file in strips of columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/fold.hpp"
#include "onefold/io/input.hpp"
#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

struct FilePlan;  // file_plan.hpp

// Opens and checks all files but reads only headers; texts and pipes are read by the fold.
//   throws  cannot_open, bad_header, truncated, unsupported, and what make_plan throws
FilePlan plan_files(const Query& query, const std::vector<std::string>& files,
                    const InputOptions& input, const Limits& limits = {});

// Gathers the state of all files' elements, in their order, for these ops. Of a table it gathers
// one column.
//   throws  unsupported: two arrays; tables of several columns of numbers; positions in an
//           array in Fortran order
State gather_files(const Query& query, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress = {},
                   const Limits& limits = {}, Notes* notes = nullptr);

// Folds in one pass. Several files fold as one array along the first axis; dot takes exactly two. A
// program should first call install_sigbus_guard() (onefold/system/file_window.hpp): then files are
// mapped, which is a quarter faster than reading them.
//   progress  called by any thread, but never by two at once
//   notes     gets names of columns and other remarks about tables
//   sink      takes the answers of the only op; the result has just their type and shape
//   input     .peers: each rank folds a share; only the first gets answers, notes and the sink's
//             bytes. If the first rank gives a sink, all others give one, too
//   throws    also read_failed, bad_token, out_of_range, needs_seek
Answers fold_files(const Query& query, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress = {},
                   const Limits& limits = {}, Notes* notes = nullptr, AnswerSink* sink = nullptr);

}  // namespace onefold::io
