// Writes NumPy's structured array: one record for each line, one field for each column. If there is
// one op and no keys, the answers are a plain array, which cli/output.hpp writes as they come.
#include "cli/answer_format.hpp"
#include "cli/npy_record.hpp"
#include "onefold/error.hpp"

namespace onefold::cli {
namespace {

constexpr std::string_view null = "null";

std::string_view text_of(const AnswerTable::Column& c, Size line) {
  return c.text(line).value_or(null);
}

bool has_null(const AnswerTable::Column& c, Size lines) {
  for (Size line = 0; line < lines; ++line) {
    if (!c.text(line)) return true;
  }
  return false;
}

// Refuses a column that has both null and the text "null", which NumPy's texts do not tell apart.
void check_nulls(const AnswerTable::Column& c, Size lines) {
  bool words = false;
  for (Size line = 0; line < lines; ++line) words |= c.text(line) == null;
  if (!words || !has_null(c, lines)) return;
  throw Error(ErrorCode::unsupported,
              "--output: column " + c.name +
                  " has null and the text \"null\", which would be alike in a .npy file; write a "
                  ".parquet, .jsonl or .csv file");
}

void write(OutputFile& file, const AnswerTable& table, const std::string&, int) {
  check_integers(table);
  std::vector<KeyField> keys;
  std::vector<NpyField> fields;
  for (const AnswerTable::Column& c : table.columns) {
    if (c.answer == nullptr) check_nulls(c, table.lines);
    const bool null_in = c.answer == nullptr && has_null(c, table.lines);
    keys.emplace_back(null_in ? std::nullopt : c.type);  // NumPy's integers have no null
    for (Size line = 0; c.answer == nullptr && line < table.lines; ++line) {
      keys.back().see(text_of(c, line));
    }
    fields.push_back(
        {c.name, c.answer == nullptr ? keys.back().descr() : npy_type(c.answer->dtype)});
  }
  file.append(npy_header(fields, table.lines));
  std::string text;
  for (Size line = 0; line < table.lines; ++line) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const AnswerTable::Column& c = table.columns[k];
      if (c.answer == nullptr) {
        keys[k].append(text_of(c, line), text);
        continue;
      }
      const Size bytes = bytes_of(c.answer->dtype);
      text.append(
          reinterpret_cast<const char*>(c.answer->data.data()) + (c.first + line * c.step) * bytes,
          bytes);
    }
    if (text.size() < (1 << 16)) continue;
    file.append(text);
    text.clear();
  }
  file.append(text);
}

}  // namespace

const AnswerFormat answer_format::npy{.endings = ".npy", .missing = nullptr, .write = write};

}  // namespace onefold::cli
