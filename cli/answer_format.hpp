// Formats of files of answers. Each is a file of answer_format/; the file name's ending chooses.
#pragma once

#include <string>

#include "cli/answer_table.hpp"
#include "cli/output.hpp"

namespace onefold::cli {

struct AnswerFormat {
  const char* endings;  // ".csv .tsv"
  // Returns why this program cannot write the format; empty: it can. Null: every program can.
  std::string (*missing)();
  // Writes the file, except for its end.
  //   precision  for numbers in texts, as with --precision
  void (*write)(OutputFile& file, const AnswerTable& table, const std::string& ending,
                int precision);
  // Whether a file of several tables, written one after another, is one of all their lines.
  bool in_parts = false;
};

#define ONEFOLD_ENTRY(name)       \
  namespace answer_format {       \
  extern const AnswerFormat name; \
  }
#include "generated/answer_format.list"
#undef ONEFOLD_ENTRY

// Throws out_of_range if a column of f64 has integers that f64 does not hold.
void check_integers(const AnswerTable& table);

// Throws bad_option: no format has the name's ending; unsupported: this program cannot write it.
void check_answer_file(const std::string& name);

// Writes a file whose name was checked.
//   throws  cannot_write; unsupported: the format lacks a type
void write_answers(OutputFile& file, const std::string& name, const AnswerTable& table,
                   int precision);

// For formats that write in parts: the same, without the end of the file.
bool writes_in_parts(const std::string& name);
void append_answers(OutputFile& file, const std::string& name, const AnswerTable& table,
                    int precision);

}  // namespace onefold::cli
