// Folds texts; returns answers and notes.
#pragma once

#include <string>
#include <vector>

#include "io/files.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold::test {

struct Folded {
  Answers answers;
  io::Notes notes;
};

inline Folded fold_text(const std::string& ops, const std::string& text,
                        const io::InputOptions& input, const Options& options = {},
                        const io::Limits& limits = {}) {
  const Scratch folder;
  const std::string file = folder.write("t", text);
  Folded f;
  f.answers = io::fold_files({ops, options}, {file}, input, {}, limits, &f.notes);
  return f;
}

inline io::InputOptions guess() {
  io::InputOptions input;
  input.guess = true;
  return input;
}

inline std::vector<double> values(const Answer& answer) {
  std::vector<double> list;
  for (Size k = 0; k < answer.size(); ++k) {
    list.push_back(answer.dtype == DType::i64 ? static_cast<double>(answer[k].as<int64_t>())
                                              : answer[k].as<double>());
  }
  return list;
}

// Returns the code of the error in a text, and its line.
inline ErrorCode code_of(const std::string& text, const io::InputOptions& input,
                         std::string* says) {
  try {
    fold_text("sum", text, input);
  } catch (const Error& e) {
    *says = e.what();
    return e.code();
  }
  return ErrorCode::ok;
}

}  // namespace onefold::test
