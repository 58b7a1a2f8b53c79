// Writes Parquet and Arrow IPC files, through the plugin that also reads them.
//
//   keys      bools and integers; texts become i64 if each is an integer as it is printed; else
//             text, or bytes if one is not UTF-8
//   no value  null
#include "cli/answer_format.hpp"
#include "cli/npy_record.hpp"
#include "onefold/io/arrow/written.hpp"

namespace onefold::cli {
namespace {

// The memory of one column, as the plugin takes it.
struct ColumnMemory {
  std::string values;
  std::vector<unsigned char> present;
  std::vector<io::arrow_plugin::Text> texts;
};

io::arrow_plugin::OutputColumn keys_of(const AnswerTable::Column& c, Size lines,
                                       ColumnMemory& held) {
  KeyField field(c.type);
  for (Size line = 0; line < lines; ++line) {
    if (const auto text = c.text(line)) field.see(*text);
  }
  held.present.assign(lines, 1);
  for (Size line = 0; line < lines; ++line) {
    const auto text = c.text(line);
    held.present[line] = text.has_value();
    if (field.type()) {
      field.append(text.value_or("0"), held.values);
    } else {
      held.texts.push_back(
          text ? io::arrow_plugin::Text{text->data(), static_cast<int64_t>(text->size())}
               : io::arrow_plugin::Text{nullptr, -1});
    }
  }
  return {.name = c.name.c_str(),
          .type = field.type()         ? name_of(*field.type())
                  : field.is_unicode() ? "text"
                                       : "bytes",
          .values = held.values.data(),
          .present = held.present.data(),
          .texts = held.texts.data()};
}

io::arrow_plugin::OutputColumn answers_of(const AnswerTable::Column& c, Size lines,
                                          ColumnMemory& held) {
  const Size bytes = bytes_of(c.answer->dtype);
  for (Size line = 0; line < lines; ++line) {
    const Size at = c.first + line * c.step;
    held.present.push_back(c.answer->status[at] == Status::ok);
    held.values.append(reinterpret_cast<const char*>(c.answer->data.data()) + at * bytes, bytes);
  }
  return {.name = c.name.c_str(),
          .type = name_of(c.answer->dtype),
          .values = held.values.data(),
          .present = held.present.data(),
          .texts = nullptr};
}

void write(OutputFile& file, const AnswerTable& table, const std::string& ending, int) {
  check_integers(table);
  std::deque<ColumnMemory> held;
  std::vector<io::arrow_plugin::OutputColumn> columns;
  for (const AnswerTable::Column& c : table.columns) {
    columns.push_back(c.answer == nullptr ? keys_of(c, table.lines, held.emplace_back())
                                          : answers_of(c, table.lines, held.emplace_back()));
  }
  const bool parquet = ending == ".parquet" || ending == ".pq";
  io::arrow::write_table(columns, table.lines, parquet,
                         [&](std::string_view bytes) { file.append(bytes); });
}

}  // namespace

const AnswerFormat answer_format::parquet{
    .endings = ".parquet .pq .arrow .feather", .missing = io::arrow::why_no_plugin, .write = write};

}  // namespace onefold::cli
