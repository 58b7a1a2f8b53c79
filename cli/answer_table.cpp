#include "cli/answer_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/groups.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::cli {
namespace {

// Returns the index of each answer along an axis, as a column.
Answer index_along(const Dims& shape, int axis) {
  Size n = 1, step = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  for (int d = axis + 1; d < shape.rank(); ++d) step *= static_cast<Size>(shape[d]);
  Answer index{.op = "", .dtype = DType::i64, .shape = shape, .data = {}, .status = {}};
  index.data.resize(n * sizeof(int64_t));
  index.status.resize(n, Status::ok);
  auto* const to = reinterpret_cast<int64_t*>(index.data.data());
  for (Size k = 0; k < n; ++k) {
    to[k] = static_cast<int64_t>(k / step) % shape[axis];
  }
  return index;
}

auto text_in(std::span<const std::string> names) {
  return [names](Size line) -> std::optional<std::string_view> { return names[line]; };
}

}  // namespace

AnswerTable table_of(const Answers& answers, std::span<const std::string> names, int precision) {
  const Dims& shape = answers.list[0].shape;
  AnswerTable table{.lines = answers.list[0].size(), .columns = {}, .json = {}};
  if (!names.empty()) {
    table.columns.push_back(
        {.name = "column",
         .text = [names](Size line) -> std::optional<std::string_view> { return names[line]; }});
  } else {
    for (int d = 0; d < shape.rank(); ++d) {
      const Answer& index = table.made.emplace_back(index_along(shape, d));
      table.columns.push_back(
          {.name = shape.rank() == 1 ? "index" : "index_" + std::to_string(d), .answer = &index});
    }
  }
  for (const Answer& a : answers.list) table.columns.push_back({.name = a.op, .answer = &a});
  table.json = [&answers, names, precision](Writer& out) {
    const Style style{.json = true, .precision = precision};
    if (names.empty()) return print_answers(out, answers, style);
    print_columns(out, answers, names, style);
  };
  return table;
}

AnswerTable table_of(const io::Grouped& grouped, int precision) {
  AnswerTable table{
      .lines = grouped.keys.size(), .columns = {}, .nulls = grouped.nulls, .json = {}};
  const std::size_t parts = grouped.by.size();
  for (std::size_t k = 0; k < parts; ++k) {
    const auto text = [&grouped, parts, k](Size g) -> std::optional<std::string_view> {
      const std::string_view part = io::part_of_key(grouped.keys[g], parts, k);
      if (io::is_null(grouped, part)) return {};
      return part;
    };
    table.columns.push_back({.name = printable(grouped.by[k]),
                             .text = text,
                             .type = k < grouped.types.size() ? grouped.types[k] : std::nullopt});
  }
  const bool no_keys = parts == 0;  // without keys, each line is a column of the folded table
  const Size width = grouped.columns.size();
  if (no_keys) {
    table.lines = width;
    table.columns.push_back({.name = "column", .text = text_in(grouped.columns)});
  }
  for (Size c = 0; c < (no_keys ? 1 : width); ++c) {
    for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
      const Answer& a = grouped.answers.list[k];
      AnswerTable::Column& column = table.columns.emplace_back();
      column.name = no_keys ? a.op : io::answer_name(grouped.columns, c, a.op);
      if (k < grouped.of_text.size() && grouped.of_text[k]) {
        column.answers_texts = true;
        column.text = [&grouped, k, c, no_keys](Size line) {
          return no_keys ? grouped.text(k, 0, line) : grouped.text(k, line, c);
        };
      } else {
        column.answer = &a;
        column.first = c;
        column.step = no_keys ? 1 : width;
      }
    }
  }
  table.json = [&grouped, precision](Writer& out) { print_objects(out, grouped, precision); };
  return table;
}

std::string cell_text(std::optional<std::string_view> text, bool nulls) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  if (!text) return "null";
  const std::string_view part = *text;
  const bool bare = part.empty() || (part.front() != '"' && part.front() != ' ' &&
                                     part.back() != ' ' && !(nulls && part == "null") &&
                                     std::none_of(part.begin(), part.end(), is_control));
  if (bare) return std::string(part);
  std::string cell = "\"";
  for (const char c : part) {
    if (c == '"' || c == '\\') {
      cell += {'\\', c};
    } else if (c == '\t' || c == '\n') {
      cell += c == '\t' ? "\\t" : "\\n";
    } else if (is_control(c)) {
      cell += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      cell += c;
    }
  }
  return cell + '"';
}

void print_lines_of(Writer& out, const AnswerTable& table, const Style& style,
                    std::vector<std::size_t>* widths) {
  const Size above = table.headed ? 1 : 0;
  Cells cells{.lines = table.lines + above,
              .columns = table.columns.size(),
              .cell = {},
              .header = table.headed};
  for (const AnswerTable::Column& c : table.columns) cells.left.push_back(c.answer == nullptr);
  cells.cell = [&](std::string& text, Size line, std::size_t c) {
    const AnswerTable::Column& column = table.columns[c];
    if (line < above) {
      text += column.name;
    } else if (column.answer == nullptr) {
      text += cell_text(column.text(line - above), table.nulls);
    } else {
      append_text(text, AnswerTable::value_of(column, line - above), style.precision);
    }
  };
  print_cells(out, cells, style, widths);
}

}  // namespace onefold::cli
