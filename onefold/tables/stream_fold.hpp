// Folds arrays in one pass if only their end shows their shape.
//
// Until then a text may be a table or one line of numbers. If the axes allow both, both are
// gathered: states of rows or columns, and one state of all numbers. The wrong one is dropped at
// the end. So a pipe needs no more memory than a file.
//
//   rows      a row's answer is rounded when the row ends, so one state is enough
//   columns   as many states as the limit allows. A file with more columns is parsed again for
//             each strip of columns; a pipe gives needs_seek
#pragma once

#include <vector>

#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/engine/request/peers.hpp"
#include "onefold/fold.hpp"
#include "onefold/io/stream.hpp"

namespace onefold::io {

// A text, or a dense array that is read as a stream.
struct StreamPart {
  File* file = nullptr;
  const Source* source = nullptr;  // null: the part is a text
  TextPart text = {};
};

struct StreamInput {
  std::vector<StreamPart> x;
  std::vector<StreamPart> y;  // dot: the second array
  DType dtype = DType::f64;
  Integers integers = Integers::rounded;
  bool tables = false;  // the user named axes, so all texts are tables
  // The ranks that share the lines of texts, if all numbers are folded into one answer, which the
  // first rank gets; null: there are no others.
  Peers* peers = nullptr;
};

//   request  its axes must be axes of two dimensions
//   throws   as fold_files
Answers fold_streams(const Query& query, const StreamInput& input, const Limits& limits,
                     Meter& meter, AnswerSink* sink);

}  // namespace onefold::io
