// Arrays that come as numbers in C order and whose shape is known only at their end: texts, and raw
// data from pipes. Dense arrays are read like this too, if they are folded together with a text.
#pragma once

#include <memory>
#include <vector>

#include "io/limits.hpp"
#include "io/progress.hpp"
#include "io/source.hpp"
#include "io/text_reader.hpp"

namespace onefold::io {

class NumberStream {
 public:
  virtual ~NumberStream() = default;
  virtual const File& file() const = 0;
  // Adds the next numbers to `bytes`; false: there are no more.
  //   terms  null, or what they spell beyond f64 is added, by places in `bytes`
  virtual bool next(std::vector<std::byte>& bytes, std::vector<DecimalTerm>* terms = nullptr) = 0;
  // Numbers in a line that has ended, or 0 if none has; `none` when no table fits what came so far.
  virtual Size columns() const = 0;
  // When there are no more.
  virtual Dims shape() const = 0;
};

//   table   it must be one; a single line is one too
//   inputs  how many such streams are read at the same time
std::unique_ptr<NumberStream> text_stream(File& file, DType dtype, Integers integers, bool table,
                                          int threads, int inputs, const Limits& limits,
                                          Meter& meter);
std::unique_ptr<NumberStream> dense_stream(const Source& source, Meter& meter);

}  // namespace onefold::io
