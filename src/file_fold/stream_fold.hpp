// Folds arrays whose shape is known only at their end, in one pass.
//
// Until then a text may be a table or one line of numbers, so both are gathered if the axes allow
// both: the states of the table's rows or columns, and one state of all numbers. At the end the
// wrong one is dropped. So a pipe needs no more memory than a file.
//
//   rows      a row's answer is rounded when the row ends, so one state is enough
//   columns   as many states as fit the limit; a file with a wider table is parsed again for each
//             strip of columns, a pipe gives needs_seek
#pragma once

#include <vector>

#include "api/answer_sink.hpp"
#include "io/stream.hpp"
#include "onefold/fold.hpp"
#include "plan/request.hpp"

namespace onefold::io {

// A text, or a dense array that is read as a stream.
struct StreamPart {
  File* file = nullptr;
  const Source* source = nullptr;  // null: text
  bool lone_commas = true;         // for a text, see TextReader::refuse_lone_commas
};

struct StreamInput {
  std::vector<StreamPart> x;
  std::vector<StreamPart> y;  // dot: the second array
  DType dtype = DType::f64;
  Integers integers = Integers::rounded;
  bool tables = false;  // texts are, whatever they look like, for axes are told
};

//   request  its axes must be some of two dimensions
//   throws   as fold_files
Answers fold_streams(const Request& request, const StreamInput& input, const Limits& limits,
                     Meter& meter, AnswerSink* sink);

}  // namespace onefold::io
