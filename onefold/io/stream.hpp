// Arrays whose numbers come in C order, and whose shape is known only at their end: texts, and raw
// data from pipes. Dense arrays that are folded together with a text are read like this, too.
#pragma once

#include <memory>
#include <vector>

#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/io/source.hpp"
#include "onefold/io/text_reader.hpp"

namespace onefold::io {

class NumberStream {
 public:
  virtual ~NumberStream() = default;
  virtual const File& file() const = 0;
  // Appends the next numbers to `bytes`; returns false if there are no more.
  //   terms  null, or gets digits that f64 cannot hold, with positions in `bytes`
  virtual bool next(std::vector<std::byte>& bytes, std::vector<DecimalTerm>* terms = nullptr) = 0;
  // Returns the numbers of a complete line; 0 if there is none yet; `none` if lines differ.
  virtual Size columns() const = 0;
  // Returns the shape, after all numbers were read.
  virtual Dims shape() const = 0;
};

//   table   the text must be a table, so that a single line is one, too
//   inputs  number of such streams that are read at the same time
//   part    how the text is read
struct TextPart {
  Separators separators = Separators::all;
  TextRange range = {};
};
std::unique_ptr<NumberStream> text_stream(File& file, DType dtype, Integers integers, bool table,
                                          int threads, int inputs, const Limits& limits,
                                          Meter& meter, const TextPart& part = {});
std::unique_ptr<NumberStream> dense_stream(const Source& source, Meter& meter);

}  // namespace onefold::io
