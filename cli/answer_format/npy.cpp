// Writes NumPy's structured array: one record for each line, one field for each column. If there is
// one op and no keys, the answers are a plain array, which cli/output.hpp writes as they come.
//
//   no value  NaN; of integers, texts and dates refused
//   no key    the text null
#include <limits>

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
                  " has nulls and the text \"null\", which a .npy file cannot tell apart; write a "
                  ".parquet, .jsonl or .csv file");
}

// Refuses answers without a value in a type that has no NaN.
void check_values(const AnswerTable::Column& c, Size lines) {
  const bool texts = c.answer == nullptr;
  if (!texts && is_floating(c.answer->dtype)) return;
  for (Size line = 0; line < lines; ++line) {
    if (texts ? c.text(line).has_value() : AnswerTable::value_of(c, line).status == Status::ok) {
      continue;
    }
    throw Error(ErrorCode::unsupported,
                "--output: row " + std::to_string(line + 1) + " of column " + c.name +
                    " has no value, but a .npy file of " + (texts ? "texts" : "integers") +
                    " cannot hold nulls; write a .parquet, .jsonl or .csv file");
  }
}

// Appends an answer's bytes; NaN if it has no value.
void append_value(const AnswerTable::Column& c, Size line, std::string& text) {
  const Value value = AnswerTable::value_of(c, line);
  const Size bytes = bytes_of(c.answer->dtype);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const float narrow = std::numeric_limits<float>::quiet_NaN();
  const auto* from =
      reinterpret_cast<const char*>(c.answer->data.data()) + (c.first + line * c.step) * bytes;
  if (value.status != Status::ok) {
    from = value.dtype == DType::f32 ? reinterpret_cast<const char*>(&narrow)
                                     : reinterpret_cast<const char*>(&nan);
  }
  text.append(from, bytes);
}

void write(OutputFile& file, const AnswerTable& table, const std::string&, int) {
  check_integers(table);
  std::vector<KeyField> keys;
  std::vector<NpyField> fields;
  for (const AnswerTable::Column& c : table.columns) {
    const bool is_key = c.answer == nullptr && !c.answers_texts;
    is_key ? check_nulls(c, table.lines) : check_values(c, table.lines);
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
      append_value(c, line, text);
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
