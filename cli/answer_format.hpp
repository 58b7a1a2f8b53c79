// Formats of files of answers: a file of answer_format/ for each, which the name's ending chooses.
#pragma once

#include <string>

#include "cli/answer_table.hpp"
#include "cli/output.hpp"

namespace onefold::cli {

struct AnswerFormat {
  const char* endings;  // ".csv .tsv"
  // What keeps this program from writing it; empty: nothing. Null: nothing ever does.
  std::string (*missing)();
  // Writes all of the file but its end.
  //   precision  of texts, as --precision has it
  void (*write)(OutputFile& file, const AnswerTable& table, const std::string& ending,
                int precision);
};

#define ONEFOLD_ENTRY(name)       \
  namespace answer_format {       \
  extern const AnswerFormat name; \
  }
#include "generated/answer_format.list"
#undef ONEFOLD_ENTRY

// Throws bad_option: no format has the name's ending; unsupported: what writes it is not here.
void check_answer_file(const std::string& name);

// Writes a file whose name was checked.
//   throws  cannot_write; unsupported: a type that the format does not have
void write_answers(OutputFile& file, const std::string& name, const AnswerTable& table,
                   int precision);

}  // namespace onefold::cli
