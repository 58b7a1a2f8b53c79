#include "cli/print.hpp"

#include <algorithm>
#include <functional>

#include "cli/json.hpp"
#include "cli/number.hpp"
#include "onefold/io/input.hpp"

namespace onefold::cli {

Dims Elements::shape() const { return in_parts ? io::without_parts(answer->shape) : answer->shape; }

Size Elements::size() const { return answer->size() / (in_parts ? 2 : 1); }

void Elements::append(std::string& out, Size i) const {
  if (!in_parts) return append_text(out, (*answer)[i], precision);
  std::string imaginary;
  append_text(imaginary, (*answer)[2 * i + 1], precision);
  out += '(';
  append_text(out, (*answer)[2 * i], precision);
  if (imaginary[0] != '-') out += '+';
  out += imaginary + "j)";
}

std::vector<Elements> elements_of(const Answers& answers, const io::Notes& notes, int precision) {
  std::vector<Elements> all;
  for (std::size_t k = 0; k < answers.list.size(); ++k) {
    all.push_back({&answers.list[k], io::is_in_parts(notes, k), precision});
  }
  return all;
}

std::size_t width_of(std::string_view text) {
  // Code points that take no column, and those that take two: marks, and East Asia's and pictures.
  constexpr std::pair<uint32_t, uint32_t> none[] = {
      {0x300, 0x36f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}};
  constexpr std::pair<uint32_t, uint32_t> wide[] = {
      {0x1100, 0x115f},   {0x2e80, 0xa4cf},  {0xac00, 0xd7a3}, {0xf900, 0xfaff},
      {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
      {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t point = bytes == 1 ? first : first & (0x7fU >> bytes);
    for (std::size_t k = 1; k < bytes && i + k < text.size(); ++k) {
      point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    }
    const auto holds = [point](const auto& range) {
      return point >= range.first && point <= range.second;
    };
    width += std::ranges::any_of(none, holds) ? 0U : std::ranges::any_of(wide, holds) ? 2U : 1U;
    i += bytes;
  }
  return width;
}

void print_cells(Writer& out, const Cells& cells, const Style& style,
                 std::vector<std::size_t>* widths) {
  std::vector<std::size_t> own;
  std::vector<std::size_t>& width = widths == nullptr ? own : *widths;
  width.resize(cells.columns);
  std::string cell;
  if (style.aligned) {
    for (Size line = 0; line < cells.lines; ++line) {
      for (std::size_t c = 0; c < cells.columns; ++c) {
        cell.clear();
        cells.cell(cell, line, c);
        width[c] = std::max(width[c], width_of(cell));
      }
    }
  }
  for (Size line = 0; line < cells.lines; ++line) {
    std::string& text = out.text();
    if (cells.plane != 0 && line != 0 && line % cells.plane == 0) text += '\n';
    for (std::size_t c = 0; c < cells.columns; ++c) {
      cell.clear();
      cells.cell(cell, line, c);
      if (!style.aligned) {
        if (c != 0) text += '\t';
        text += cell;
        continue;
      }
      const std::string pad(width[c] - width_of(cell), ' ');
      const bool left = c < cells.left.size() && cells.left[c];
      const bool bold = style.bold && ((cells.names && c == 0) || (cells.header && line == 0));
      if (c != 0) text += "  ";
      if (!left) text += pad;
      text += bold ? "\033[1m" + cell + "\033[0m" : cell;
      if (left && c + 1 < cells.columns) text += pad;
    }
    text += '\n';
    out.flush_if_full();
  }
}

namespace {

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

Cells values_of(const Elements& one) {
  const Dims shape = one.shape();
  const int rank = shape.rank();
  const bool matrix = rank >= 2 && one.size() > 1;
  const auto columns = matrix ? static_cast<std::size_t>(shape[rank - 1]) : 1;
  return {.lines = one.size() / columns,
          .columns = columns,
          .cell = [one, columns](std::string& out, Size line,
                                 std::size_t c) { one.append(out, line * columns + c); },
          .plane = matrix && rank > 2 ? static_cast<Size>(shape[rank - 2]) : 0};
}

Cells ops_of(std::vector<Elements> all) {
  const Size lines = all.size();
  return {.lines = lines,
          .columns = 2,
          .cell =
              [all = std::move(all)](std::string& out, Size line, std::size_t c) {
                if (c == 0) {
                  out += all[line].answer->op;
                } else {
                  all[line].append(out, 0);
                }
              },
          .names = true,
          .left = {true, true}};
}

Cells indexed_of(std::vector<Elements> all) {
  const Size lines = all[0].size() + 1;
  const std::size_t columns = all.size() + 1;
  return {.lines = lines,
          .columns = columns,
          .cell =
              [all = std::move(all)](std::string& out, Size line, std::size_t c) {
                if (line == 0) {
                  out += c == 0 ? "index" : all[c - 1].answer->op;
                } else if (c == 0) {
                  out += index_text(all[0].shape(), line - 1);
                } else {
                  all[c - 1].append(out, line - 1);
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

void print_answers(Writer& out, const Answers& answers, const Style& style,
                   const io::Notes& notes) {
  if (style.json) return print_json(out, answers, style.precision);
  std::vector<Elements> all = elements_of(answers, notes, style.precision);
  print_cells(out,
              all.size() == 1              ? values_of(all[0])
              : all[0].shape().rank() == 0 ? ops_of(std::move(all))
                                           : indexed_of(std::move(all)),
              style);
}

void print_columns(Writer& out, const Answers& answers, std::span<const std::string> names,
                   const Style& style) {
  if (style.json) return out.write(json_text(answers, names, style.precision) + "\n");
  const bool header = answers.list.size() > 1;
  const Size above = header ? 1 : 0;
  print_cells(out,
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
               .left = {true}},
              style);
}

void print_lines(Writer& out, std::span<const std::vector<std::string>> lines, const Style& style) {
  Cells cells{.lines = lines.size(), .columns = lines[0].size(), .cell = {}};
  cells.header = cells.names = true;
  cells.left.assign(cells.columns, true);
  cells.cell = [&](std::string& cell, Size line, std::size_t column) {
    cell += lines[line][column];
  };
  print_cells(out, cells, style);
}

void print_tabbed(Writer& out, std::string_view text, bool header, std::size_t names,
                  const Style& style) {
  if (!style.aligned) return out.write(text);
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    std::vector<std::string>& cells = lines.emplace_back();
    for (std::size_t tab = 0; tab != line.npos;
         line.remove_prefix(std::min(tab + 1, line.size()))) {
      tab = line.find('\t');
      cells.emplace_back(line.substr(0, tab));
    }
  }
  Cells cells{.lines = lines.size(), .columns = lines[0].size(), .cell = {}, .header = header};
  cells.left.assign(names, true);
  cells.cell = [&](std::string& cell, Size line, std::size_t column) {
    if (column < lines[line].size()) cell += lines[line][column];
  };
  print_cells(out, cells, style);
}

void print_facts(Writer& out, std::span<const Fact> facts, const Style& style) {
  if (!style.json) {
    Style aligned = style;
    aligned.aligned = true;
    print_cells(
        out,
        {.lines = facts.size(),
         .columns = 2,
         .cell = [facts](std::string& text, Size line,
                         std::size_t c) { text += c == 0 ? facts[line].name : facts[line].text; },
         .names = true,
         .left = {true, true}},
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
