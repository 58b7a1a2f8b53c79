#include "onefold/tables/text_fold.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/group/keys.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {
namespace {

// The different texts of a group, and how often each occurs.
struct Texts {
  Size count = 0;
  std::vector<std::pair<Size, Size>> each = {};  // (position in the column's texts, count)
};

enum class TextOp : uint8_t { count, max, min, mode, nunique };
constexpr std::pair<std::string_view, TextOp> text_ops_by_name[] = {{"count", TextOp::count},
                                                                    {"max", TextOp::max},
                                                                    {"min", TextOp::min},
                                                                    {"mode", TextOp::mode},
                                                                    {"nunique", TextOp::nunique}};

std::vector<TextOp> parse_text_ops(const std::vector<std::string>& names) {
  std::vector<TextOp> ops;
  for (const std::string& name : names) {
    const auto* const found =
        std::ranges::find(text_ops_by_name, name, &std::pair<std::string_view, TextOp>::first);
    if (found == std::end(text_ops_by_name)) {
      throw Error(ErrorCode::unknown_op,
                  "\"" + name + "\" is not an op for text; choose one of " + text_ops());
    }
    if (std::ranges::count(names, name) > 1) {
      throw Error(ErrorCode::bad_option, name + " is listed twice");
    }
    ops.push_back(found->second);
  }
  return ops;
}

// The answer of an op for a group whose texts are sorted.
int64_t text_answer_of(TextOp op, const Texts& texts, Status& status) {
  switch (op) {
    case TextOp::count:
      return static_cast<int64_t>(texts.count);
    case TextOp::nunique:
      return static_cast<int64_t>(texts.each.size());
    case TextOp::min:
    case TextOp::max:
    case TextOp::mode:
      break;
  }
  if (texts.each.empty()) {
    status = Status::empty_input;
    return 0;
  }
  if (op == TextOp::min) return static_cast<int64_t>(texts.each.front().first);
  if (op == TextOp::max) return static_cast<int64_t>(texts.each.back().first);
  // The first of the most frequent texts.
  return static_cast<int64_t>(
      std::ranges::max_element(texts.each, {}, &std::pair<Size, Size>::second)->first);
}

// One column: its sorted texts, and the texts of each group.
struct TextColumn {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::string> keys;  // keys of the groups
  std::vector<Texts> groups;
  Size missing = 0;  // number of rows without a text
};

// Uses the last part of each key as the text.
TextColumn column_of(const Grouped& found, const std::vector<std::string>& missing) {
  const std::size_t parts = found.by.size();
  TextColumn column{.name = found.by.back(), .texts = {}, .keys = {}, .groups = {}};
  const auto rows_of = [&](Size g) {
    return static_cast<Size>(found.answers.list[0][g].as<int64_t>());
  };
  Keys different;
  std::vector<uint32_t> text_of;  // of each group: a number in `different`
  for (const std::string& key : found.keys) {
    const std::string_view text = part_of_key(key, parts, parts - 1);
    text_of.push_back(different.find(text, Keys::hash_of(text)));
  }
  std::vector<bool> is_there;
  std::vector<std::string_view> texts;
  std::vector<uint32_t> numbers;
  for (uint32_t k = 0; k < different.size(); ++k) {
    const std::string_view text = different[k];
    is_there.push_back(!is_null(found, text) && !(found.spelt && is_missing(text, missing)));
  }
  // fweights= of 0 leave a text out.
  std::vector<bool> occurs(different.size());
  for (Size g = 0; g < found.keys.size(); ++g) {
    if (rows_of(g) > 0) occurs[text_of[g]] = true;
  }
  for (uint32_t k = 0; k < different.size(); ++k) {
    if (!is_there[k] || !occurs[k]) continue;
    texts.push_back(different[k]);
    numbers.push_back(k);
  }
  std::vector<Size> place(different.size());
  for (const uint32_t k : order_of_keys(texts.size(), 1, false, [&](Size n) { return texts[n]; })) {
    place[numbers[k]] = column.texts.size();
    column.texts.emplace_back(texts[k]);
  }
  // Groups with the same key are neighbours, as keys are sorted by their first parts first.
  for (Size g = 0; g < found.keys.size(); ++g) {
    const std::string_view own = first_parts_of_key(found.keys[g], parts, parts - 1);
    if (column.groups.empty() || own != column.keys.back()) {
      column.keys.emplace_back(own);
      column.groups.emplace_back();
    }
    const Size rows = rows_of(g);
    if (rows == 0 || !is_there[text_of[g]]) {
      column.missing += rows;
      continue;
    }
    column.groups.back().count += rows;
    column.groups.back().each.emplace_back(place[text_of[g]], rows);
  }
  if (parts == 1 && column.groups.empty()) {  // the table has no rows
    column.keys.emplace_back();
    column.groups.emplace_back();
  }
  for (Texts& t : column.groups) std::ranges::sort(t.each);
  return column;
}

Answer text_answers_of(TextOp op, const std::string& name, const std::vector<TextColumn>& columns) {
  const Size groups = columns[0].groups.size(), width = columns.size();
  Answer a{.op = name,
           .dtype = DType::i64,
           .shape = Dims(groups, width),
           .data = std::vector<std::byte>(groups * width * sizeof(int64_t)),
           .status = std::vector<Status>(groups * width, Status::ok)};
  auto* const values = reinterpret_cast<int64_t*>(a.data.data());
  for (Size g = 0; g < groups; ++g) {
    for (Size c = 0; c < width; ++c) {
      const Size at = g * width + c;
      values[at] = text_answer_of(op, columns[c].groups[g], a.status[at]);
    }
  }
  return a;
}

// Each column of --columns, as a list of one column.
std::vector<std::string> lists_of(const InputOptions& input) {
  if (input.columns.empty()) {
    throw Error(ErrorCode::bad_option,
                "the columns to read text from are missing; name them with --columns");
  }
  std::vector<std::string> lists;
  for (const ListWord& word : words_of_list(input.columns)) {
    lists.push_back(word.quoted ? list_of_names({word.text}) : word.text);
    if (is_one_column(lists.back())) continue;
    throw Error(ErrorCode::bad_option, "columns of text must be listed one by one, but " +
                                           word.text + " may match several; write their names");
  }
  return lists;
}

}  // namespace

std::string text_ops() {
  std::string all;
  for (const auto& [name, op] : text_ops_by_name)
    all += (all.empty() ? "" : ",") + std::string(name);
  return all;
}

Grouped fold_texts(const std::string& ops, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes) {
  const std::vector<std::string> names = comma_list(ops);
  const std::vector<TextOp> parsed = parse_text_ops(names);
  const std::vector<std::string> lists = lists_of(asked.input);
  if (lists.size() > 1 && std::ranges::any_of(files, is_stream)) {
    throw Error(ErrorCode::bad_option,
                "each column of text is read in a separate pass, but a pipe can be read only once; "
                "name one column, or use a file");
  }
  if (asked.input.by.empty()) refuse_order(asked.order);
  refuse_options_of_numbers("text is not a number", asked);
  Grouped r;
  std::vector<TextColumn> columns;
  for (const std::string& list : lists) {
    FileRequest own = asked;
    own.order = {};
    own.describes = false;
    own.copies = 3;  // the texts as keys of groups, by their places, and sorted
    own.input.by += (own.input.by.empty() ? "" : ",") + list;
    own.input.columns = list;
    Notes said;
    Grouped found = group_asked(Query("count", asked.fold), files, own, progress, said);
    if (!answers_here(asked.input.peers)) return r;
    columns.push_back(column_of(found, asked.input.missing));
    if (columns[0].keys != columns.back().keys) {
      throw Error(
          ErrorCode::read_failed,
          "read " + files[0] + ": the file changed while it was read; let its writer finish first");
    }
    notes.folded.push_back(columns.back().name);
    // The fold counts missing values, except when it counts rows.
    notes.missing.push_back(
        std::accumulate(said.missing.begin(), said.missing.end(), columns.back().missing));
    if (columns.size() > 1) continue;
    notes.read = said.read;
    r.by.assign(found.by.begin(), found.by.end() - 1);
    r.nulls = found.nulls;
    found.types.resize(std::min(found.types.size(), r.by.size()));
    found.stored.resize(std::min(found.stored.size(), r.by.size()));
    r.types = found.types;
    r.stored = found.stored;
  }
  for (TextColumn& c : columns) {
    r.columns.push_back(c.name);
    r.texts.push_back(std::move(c.texts));
  }
  r.keys = columns[0].keys;
  for (std::size_t k = 0; k < parsed.size(); ++k) {
    r.answers.list.push_back(text_answers_of(parsed[k], names[k], columns));
    r.of_text.push_back(parsed[k] != TextOp::count && parsed[k] != TextOp::nunique);
  }
  if (!asked.fold.empty_nan && !asked.describes) {
    check_statuses(r.answers, asked.fold, group_text(r));
  }
  if (asked.order.asked()) sort_groups(r, asked.order);
  return r;
}

}  // namespace onefold::io
