// Writes CSV (RFC 4180), or tabs instead of commas: names, then a line for each line of the table.
//
//   no value  an empty field; a key that is the empty text is ""
//   NaN       nan, as printed
//   quotes    around fields with a separator, a quote, a line end, or a blank at an end
#include "cli/answer_format.hpp"
#include "cli/number.hpp"

namespace onefold::cli {
namespace {

void append_field(std::string& text, std::string_view field, char separator) {
  const bool plain =
      !field.empty() && field.front() != ' ' && field.back() != ' ' &&
      field.find_first_of(std::string{separator, '"', '\n', '\r', '\t'}) == field.npos;
  if (plain) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void write(OutputFile& file, const AnswerTable& table, const std::string& ending, int precision) {
  const char separator = ending == ".tsv" ? '\t' : ',';
  std::string text;
  for (const AnswerTable::Column& c : table.columns) {
    if (!table.headed) break;
    append_field(text, c.name, separator);
    text += separator;
  }
  if (!text.empty()) text.back() = '\n';
  for (Size line = 0; line < table.lines; ++line) {
    for (const AnswerTable::Column& c : table.columns) {
      if (c.answer == nullptr) {
        const auto key = c.text(line);
        if (key) append_field(text, *key, separator);
      } else if (const Value value = AnswerTable::value_of(c, line); value.status == Status::ok) {
        append_text(text, value, precision);
      }
      text += separator;
    }
    text.back() = '\n';
    if (text.size() < (1 << 16)) continue;
    file.append(text);
    text.clear();
  }
  file.append(text);
}

}  // namespace

const AnswerFormat answer_format::csv{
    .endings = ".csv .tsv", .missing = nullptr, .write = write, .in_parts = true};

}  // namespace onefold::cli
