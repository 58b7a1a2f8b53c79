#include "cli/answer_table.hpp"

#include "cli/groups.hpp"
#include "cli/print.hpp"
#include "file_fold/group_order.hpp"
#include "file_fold/said.hpp"
#include "io/row_reader.hpp"
#include "io/table_rows.hpp"

namespace onefold::cli {
namespace {

// The index of each answer along an axis, as an answer.
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
  AnswerTable table{.lines = grouped.keys.size(), .columns = {}, .json = {}};
  const std::size_t parts = grouped.by.size();
  for (std::size_t k = 0; k < parts; ++k) {
    const auto text = [&grouped, parts, k](Size g) -> std::optional<std::string_view> {
      const std::string_view part = io::parts_of_key(grouped.keys[g], parts)[k];
      if (io::is_null(grouped, part)) return {};
      return part;
    };
    table.columns.push_back({.name = printable(grouped.by[k]),
                             .text = text,
                             .type = k < grouped.types.size() ? grouped.types[k] : std::nullopt});
  }
  const Size width = grouped.columns.size();
  for (Size c = 0; c < width; ++c) {
    for (const Answer& a : grouped.answers.list) {
      table.columns.push_back({.name = io::answer_name(grouped.columns, c, a.op),
                               .answer = &a,
                               .first = c,
                               .step = width});
    }
  }
  table.json = [&grouped, precision](Writer& out) { print_objects(out, grouped, precision); };
  return table;
}

}  // namespace onefold::cli
