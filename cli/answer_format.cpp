#include "cli/answer_format.hpp"

#include "onefold/tables/input_words.hpp"

namespace onefold::cli {
namespace {

constexpr const AnswerFormat* formats[] = {
#define ONEFOLD_ENTRY(name) &answer_format::name,
#include "generated/answer_format.list"
#undef ONEFOLD_ENTRY
};

// Returns the format for a file name, and the ending that decides it; null: there is none.
const AnswerFormat* format_of(const std::string& name, std::string& ending) {
  const std::size_t dot = name.rfind('.');
  ending = dot == name.npos ? "" : name.substr(dot);
  for (const AnswerFormat* format : formats) {
    const std::string all = std::string(format->endings) + " ";
    if (!ending.empty() && all.find(ending + " ") != all.npos) return format;
  }
  return nullptr;
}

}  // namespace

void check_integers(const AnswerTable& table) {
  for (const AnswerTable::Column& c : table.columns) {
    if (c.answer == nullptr || c.answer->integers.empty()) continue;
    throw Error(ErrorCode::out_of_range,
                "--output: column " + c.name + " has integers that its type, " +
                    name_of(c.answer->dtype) +
                    ", cannot hold; pass --dtype i64, or write a .csv or .jsonl file");
  }
}

void check_answer_file(const std::string& name) {
  std::string ending;
  const AnswerFormat* const format = format_of(name, ending);
  if (format == nullptr) {
    std::string all;
    for (const AnswerFormat* f : formats) all += (all.empty() ? "" : " ") + std::string(f->endings);
    io::refuse_word("output", name, "give a name that ends in one of " + all);
  }
  const std::string why = format->missing == nullptr ? "" : format->missing();
  if (!why.empty()) {
    throw Error(ErrorCode::unsupported, "--output " + name + " cannot be written: " + why);
  }
}

bool writes_in_parts(const std::string& name) {
  std::string ending;
  return format_of(name, ending)->in_parts;
}

void append_answers(OutputFile& file, const std::string& name, const AnswerTable& table,
                    int precision) {
  std::string ending;
  format_of(name, ending)->write(file, table, ending, precision);
}

void write_answers(OutputFile& file, const std::string& name, const AnswerTable& table,
                   int precision) {
  append_answers(file, name, table, precision);
  file.end();
}

}  // namespace onefold::cli
