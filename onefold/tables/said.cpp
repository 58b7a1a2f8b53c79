#include "onefold/tables/said.hpp"

#include <algorithm>

#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

std::vector<DescribeRow> describe_rows_of(bool groups) {
  std::vector<DescribeRow> rows;
  for (const DescribeRow& row : describe_rows) {
    if (!groups || !std::string_view(row.op).starts_with("arg")) rows.push_back(row);
  }
  return rows;
}

std::string describe_ops(bool groups) {
  std::string ops;
  for (const DescribeRow& row : describe_rows_of(groups))
    ops += (ops.empty() ? "" : ",") + std::string(row.op);
  return ops;
}

std::string printable(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return text;
}

std::string index_text(const Dims& shape, Size i) {
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const auto extent = static_cast<Size>(std::max<int64_t>(shape[d], 1));
    text = std::to_string(i % extent) + (text.empty() ? "" : "," + text);
    i /= extent;
  }
  return text;
}

std::vector<std::string> warnings_of(const Notes& notes) {
  std::vector<std::string> sentences;
  for (const FileRead& file : notes.read) {
    const std::string read = "read " + file.name + ": ";
    std::string names;
    for (const std::string& name : file.unknown) {
      names += (names.empty() ? "" : ", ") + quote({name.data(), name.data() + name.size()});
    }
    if (!names.empty()) {
      sentences.push_back(
          read +
          "these members are left out, because the first lines of the file do not have them: " +
          names);
    }
    if (!file.remark.empty()) sentences.push_back(read + file.remark);
    if (file.repeats > 0) {
      sentences.push_back(read + std::to_string(file.repeats) +
                          (file.repeats == 1 ? " line repeats the header and is"
                                             : " lines repeat the header and are") +
                          " left out");
    }
    if (file.rows == 0 && file.headed) {
      sentences.push_back(read + "it has a header but no rows");
    }
    if (file.bad > 0) {
      sentences.push_back(read + std::to_string(file.bad) +
                          (file.bad == 1 ? " bad line was" : " bad lines were") +
                          " left out; the first one: " + file.first_bad);
    }
  }
  return sentences;
}

std::vector<std::string> said_of(const Notes& notes) {
  std::vector<std::string> sentences = warnings_of(notes);
  const auto add = [&](const std::vector<std::string>& list, const char* one, const char* several) {
    if (list.empty()) return;
    std::string names;
    for (const std::string& name : list) names += (names.empty() ? "" : ", ") + name;
    sentences.push_back((list.size() == 1 ? one : several) + (" left out: " + names));
  };
  add(notes.left_out, "a column without numbers is", "columns without numbers are");
  add(notes.partly_numbers, "a column with some fields that are not numbers is",
      "columns with some fields that are not numbers are");
  add(notes.without_values, "a column without values is", "columns without values are");
  return sentences;
}

void check_lines_left_out(const Notes& before, const Notes& now, const std::string& call) {
  const auto line = [](const FileRead& f) { return f.first_bad.substr(0, f.first_bad.find(',')); };
  for (Size k = 0; k < now.read.size() && k < before.read.size(); ++k) {
    const FileRead &one = before.read[k], &other = now.read[k];
    if (one.bad == other.bad && line(one) == line(other)) continue;
    throw Error(
        ErrorCode::bad_token,
        "agg: " + one.name + ": --bad-lines skip leaves out " + std::to_string(other.bad) +
            " lines for " + call + " and " + std::to_string(one.bad) +
            " for the earlier calls, so they would use different rows; the first such line: " +
            (other.bad > one.bad ? other : one).first_bad +
            "; compute this call in a separate command");
  }
}

std::string missing_said(const Notes& notes, const Query& query, bool as_nan) {
  constexpr std::size_t most = 20;
  std::string text;
  std::size_t columns = 0;
  Size all = 0;
  for (std::size_t k = 0; k < notes.missing.size(); ++k) {
    if (notes.missing[k] == 0 || notes.others.contains(k)) continue;
    all += notes.missing[k];
    if (++columns > most) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(notes.missing[k]) + " in column " +
            printable(notes.folded[k]);
  }
  if (columns > most) text += ", ...";
  const bool counted = query.ops.size() == 1 && query.names() == "count_nan";
  if (all == 0 || (as_nan && (query.options.nan != NanPolicy::propagate || counted))) return {};
  const std::string what =
      all == 1 ? "a value is missing and " : std::to_string(all) + " values are missing and ";
  return what + (as_nan ? "treated as NaN" : "left out") + ": " + text;
}

std::string element_text(const Answer& answer, Size place) {
  const std::string index = index_text(answer.shape, place);
  return index.empty() ? "" : " of element [" + index + "]";
}

PlaceText column_text(const Notes& notes) {
  return [&notes](const Answer& answer, Size place) {
    if (place >= notes.columns.size()) return element_text(answer, place);
    return " of column " + printable(notes.columns[place]);
  };
}

void check_statuses(const Answers& answers, const Options& options, const PlaceText& text) {
  for (const Answer& answer : answers.list) {
    const auto bad = std::find_if(answer.status.begin(), answer.status.end(),
                                  [](Status s) { return s != Status::ok && s != Status::too_few; });
    if (bad == answer.status.end()) continue;
    refuse_status(answer, static_cast<Size>(bad - answer.status.begin()), *bad, options, text);
  }
}

void refuse_status(const Answer& answer, Size place, Status status, const Options& options,
                   const PlaceText& text) {
  if (status == Status::ok) return;  // a good answer has no position to name
  const std::string where = answer.op + text(answer, place);
  switch (status) {
    case Status::overflow:
      throw Error(ErrorCode::overflow, where + ": the exact value does not fit " +
                                           name_of(answer.dtype) + " (overflow); choose " +
                                           (options.result ? "another" : "a wider type with") +
                                           " --result, such as f64");
    case Status::nan_found:
      throw Error(ErrorCode::nan_found, where +
                                            ": the data contain NaN, and --nan raise was given "
                                            "(nan_found); to leave NaN out, pass --nan omit");
    default: {
      const bool may_be_nan = is_floating(answer.dtype) && !answer.op.starts_with("arg");
      throw Error(ErrorCode::empty_input,
                  where + ": there is nothing to fold, and " + answer.op +
                      " of no elements is undefined (empty_input)" +
                      (may_be_nan ? "; to get NaN instead, pass --empty-nan" : ""));
    }
  }
}

void refuse_repeated_keys(const Grouped& grouped) {
  for (auto key = grouped.by.begin(); key != grouped.by.end(); ++key) {
    if (std::find(grouped.by.begin(), key, *key) == key) continue;
    throw Error(ErrorCode::bad_option,
                "--by names " + printable(*key) + " twice; leave one of them out");
  }
}

bool is_null(const Grouped& grouped, std::string_view part) {
  return grouped.nulls && part == null_key;
}

PlaceText group_text(const Grouped& grouped) {
  return [&grouped](const Answer&, Size place) {
    const Size width = grouped.columns.size();
    std::string text = " of column " + printable(grouped.columns[place % width]);
    if (grouped.by.empty()) return text;
    text += ", group";
    for (const auto part : parts_of_key(grouped.keys[place / width], grouped.by.size())) {
      text += ' ' + printable(is_null(grouped, part) ? "null" : part);
    }
    return text;
  };
}

}  // namespace onefold::io
