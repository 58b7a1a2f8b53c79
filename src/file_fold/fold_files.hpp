// Folds files of any size in bounded memory: in windows over the whole file if all states fit, or
// in strips of columns if the states of a fold of a leading axis do not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/answer_sink.hpp"
#include "file_fold/table_fold.hpp"
#include "io/input.hpp"
#include "io/limits.hpp"
#include "io/progress.hpp"
#include "onefold/fold.hpp"
#include "plan/request.hpp"

namespace onefold::io {

struct FilePlan;  // file_plan.hpp

// Opens and checks everything, reads no data beyond headers (text and pipes are read when folded).
//   throws  cannot_open, bad_header, truncated, unsupported, and what make_plan throws
FilePlan plan_files(const Request& request, const std::vector<std::string>& files,
                    const InputOptions& input, const Limits& limits = {});

// Gathers the state of all files' elements, in their order, for these ops. Of a table it takes one
// column.
//   throws  unsupported: two arrays; tables of several columns of numbers; places in an array in
//           Fortran order
State gather_files(const Request& request, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress = {},
                   const Limits& limits = {}, Notes* notes = nullptr);

// One pass. Several files fold as one array along the first axis; dot takes exactly two files.
// A program should call install_sigbus_guard() (system/file_window.hpp) before: files are then
// mapped, which is a quarter faster than reading them.
//   progress  called from any thread, one call at a time
//   notes     names of columns, and what else is to be said of tables
//   sink      takes the answers of the one op; what is returned has only their type and shape
//   input     .peers: each folds a share, and the first alone gets the answers, the notes and what
//             goes to the sink; the others give any sink where the first one does
//   throws    also read_failed, bad_token, out_of_range, needs_seek
Answers fold_files(const Request& request, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress = {},
                   const Limits& limits = {}, Notes* notes = nullptr, AnswerSink* sink = nullptr);

}  // namespace onefold::io
