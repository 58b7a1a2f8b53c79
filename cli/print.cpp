#include "cli/print.hpp"

#include <algorithm>
#include <functional>

#include "cli/json.hpp"
#include "cli/number.hpp"

namespace onefold::cli {
namespace {

// Cells are made when they are printed, since there may be many answers.
struct Table {
  Size lines = 0;
  std::size_t columns = 0;
  std::function<void(std::string& out, Size line, std::size_t column)> cell;
  bool header = false;   // line 0 is a header
  bool names = false;    // column 0 has names
  bool numbers = false;  // the columns after the names have numbers
  Size plane = 0;        // an empty line follows after so many lines; 0: never
};

void print_table(Writer& out, const Table& table, const Style& style) {
  std::vector<std::size_t> width(table.columns);
  std::string cell;
  if (style.aligned) {
    for (Size line = 0; line < table.lines; ++line) {
      for (std::size_t c = 0; c < table.columns; ++c) {
        cell.clear();
        table.cell(cell, line, c);
        width[c] = std::max(width[c], cell.size());
      }
    }
  }
  for (Size line = 0; line < table.lines; ++line) {
    std::string& text = out.text();
    if (table.plane != 0 && line != 0 && line % table.plane == 0) text += '\n';
    for (std::size_t c = 0; c < table.columns; ++c) {
      cell.clear();
      table.cell(cell, line, c);
      if (!style.aligned) {
        if (c != 0) text += '\t';
        text += cell;
        continue;
      }
      // Names are aligned to the left, numbers to the right.
      const std::string pad(width[c] - cell.size(), ' ');
      const bool left = table.names && (c == 0 || !table.numbers);
      const bool bold = style.bold && ((table.names && c == 0) || (table.header && line == 0));
      if (c != 0) text += "  ";
      if (!left) text += pad;
      text += bold ? "\033[1m" + cell + "\033[0m" : cell;
      if (left && c + 1 < table.columns) text += pad;
    }
    text += '\n';
    out.flush_if_full();
  }
}

// `flush` is called regularly, since there may be many answers.
template <class F>
void nested(std::string& out, const Answer& answer, int precision, int axis, Size& next, F flush) {
  if (axis == answer.shape.rank()) {
    append_json(out, answer[next++], precision);
    flush();
    return;
  }
  out += '[';
  for (int64_t i = 0; i < answer.shape[axis]; ++i) {
    if (i != 0) out += ", ";
    nested(out, answer, precision, axis + 1, next, flush);
  }
  out += ']';
}

void print_json(Writer& out, const Answers& answers, int precision) {
  out.write("{");
  for (const Answer& answer : answers.list) {
    if (&answer != answers.list.data()) out.write(", ");
    out.write(quote(answer.op) + ": ");
    Size next = 0;
    nested(out.text(), answer, precision, 0, next, [&] { out.flush_if_full(); });
  }
  out.write("}\n");
}

Table values_of(const Answer& answer, int precision) {
  const Dims& shape = answer.shape;
  const int rank = shape.rank();
  const bool matrix = rank >= 2 && answer.size() > 1;
  const auto columns = matrix ? static_cast<std::size_t>(shape[rank - 1]) : 1;
  return {.lines = answer.size() / columns,
          .columns = columns,
          .cell = [&answer, columns, precision](
                      std::string& out, Size line,
                      std::size_t c) { append_text(out, answer[line * columns + c], precision); },
          .plane = matrix && rank > 2 ? static_cast<Size>(shape[rank - 2]) : 0};
}

Table ops_of(const Answers& answers, int precision) {
  return {.lines = answers.list.size(),
          .columns = 2,
          .cell =
              [&answers, precision](std::string& out, Size line, std::size_t c) {
                const Answer& answer = answers.list[line];
                if (c == 0) {
                  out += answer.op;
                } else {
                  append_text(out, answer[0], precision);
                }
              },
          .names = true};
}

Table elements_of(const Answers& answers, int precision) {
  return {.lines = answers.list[0].size() + 1,
          .columns = answers.list.size() + 1,
          .cell =
              [&answers, precision](std::string& out, Size line, std::size_t c) {
                if (line == 0) {
                  out += c == 0 ? "index" : answers.list[c - 1].op;
                } else if (c == 0) {
                  out += index_text(answers.list[0].shape, line - 1);
                } else {
                  append_text(out, answers.list[c - 1][line - 1], precision);
                }
              },
          .header = true};
}

}  // namespace

std::string json_text(const Answers& answers, std::span<const std::string> names, int precision) {
  std::string text = "{";
  for (const Answer& answer : answers.list) {
    if (&answer != answers.list.data()) text += ", ";
    text += quote(answer.op) + ": ";
    Size next = 0;
    if (names.empty()) {
      nested(text, answer, precision, 0, next, [] {});
      continue;
    }
    text += '{';
    for (Size c = 0; c < answer.size(); ++c) {
      if (c != 0) text += ", ";
      text += quote(names[c]) + ": ";
      append_json(text, answer[c], precision);
    }
    text += '}';
  }
  return text + "}";
}

Style style_of_stdout(bool json, int precision, bool handed_on) {
  const bool terminal = !handed_on && stdout_is_terminal();
  return {.json = json,
          .aligned = terminal,
          .bold = terminal && colour_wanted(),
          .precision = precision};
}

void print_answers(Writer& out, const Answers& answers, const Style& style) {
  if (style.json) {
    print_json(out, answers, style.precision);
  } else if (answers.list.size() == 1) {
    print_table(out, values_of(answers.list[0], style.precision), style);
  } else if (answers.list[0].shape.rank() == 0) {
    print_table(out, ops_of(answers, style.precision), style);
  } else {
    print_table(out, elements_of(answers, style.precision), style);
  }
}

void print_columns(Writer& out, const Answers& answers, std::span<const std::string> names,
                   const Style& style) {
  if (style.json) return out.write(json_text(answers, names, style.precision) + "\n");
  const bool header = answers.list.size() > 1;
  const Size above = header ? 1 : 0;
  print_table(out,
              {.lines = names.size() + above,
               .columns = answers.list.size() + 1,
               .cell =
                   [&](std::string& text, Size line, std::size_t c) {
                     if (line < above) {
                       text += c == 0 ? "column" : answers.list[c - 1].op;
                     } else if (c == 0) {
                       text += printable(names[line - above]);
                     } else {
                       append_text(text, answers.list[c - 1][line - above], style.precision);
                     }
                   },
               .header = header,
               .names = true,
               .numbers = true},
              style);
}

void print_lines(Writer& out, std::span<const std::vector<std::string>> lines, const Style& style) {
  Table table{.lines = lines.size(), .columns = lines[0].size(), .cell = {}};
  table.header = table.names = true;
  table.cell = [&](std::string& cell, Size line, std::size_t column) {
    cell += lines[line][column];
  };
  print_table(out, table, style);
}

void print_facts(Writer& out, std::span<const Fact> facts, const Style& style) {
  if (!style.json) {
    Style aligned = style;
    aligned.aligned = true;
    print_table(
        out,
        {.lines = facts.size(),
         .columns = 2,
         .cell = [facts](std::string& text, Size line,
                         std::size_t c) { text += c == 0 ? facts[line].name : facts[line].text; },
         .names = true},
        aligned);
    return;
  }
  out.write("{");
  for (const Fact& fact : facts) {
    if (&fact != facts.data()) out.write(", ");
    out.write(quote(fact.name) + ": " + (fact.json.empty() ? quote(fact.text) : fact.json));
  }
  out.write("}\n");
}

}  // namespace onefold::cli
