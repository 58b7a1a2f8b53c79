#include "onefold/tables/input_words.hpp"

#include <algorithm>
#include <utility>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/format.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {

void refuse_word(std::string_view option, const std::string& value, const std::string& right) {
  throw Error(ErrorCode::bad_option,
              "--" + std::string(option) + " \"" + value + "\" is not valid; " + right);
}

bool read_list(std::string_view text, const char* separators, Dims& list) {
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    int64_t number = 0;
    if (!read_number(text.substr(0, end), number)) return false;
    list.push_back(number);
    if (end == text.npos) return list.rank() <= max_rank;
    text.remove_prefix(end + 1);
  }
}

namespace {

void set_shape(InputOptions& input, const std::string& value) {
  Dims list;
  // Python prints a shape as (1000, 4).
  std::string plain = value;
  if (plain.size() > 1 && plain.front() == '(' && plain.back() == ')') {
    plain = plain.substr(1, plain.size() - 2);
    if (plain.ends_with(',')) plain.pop_back();
    std::erase(plain, ' ');
  }
  const bool ok = read_list(plain, "x,", list) &&
                  std::none_of(list.begin(), list.end(), [](int64_t n) { return n < 0; });
  if (!ok)
    refuse_word("shape", value, "write at most 16 lengths of axes, joined by x, such as 1000x4");
  input.shape = list;
}

void set_offset(InputOptions& input, const std::string& value) {
  if (!read_number(value, input.offset)) {
    refuse_word("offset", value, "write the number of bytes before the data, such as 128");
  }
}

void set_format(InputOptions& input, const std::string& value) {
  std::string all;
  for (const Format* format : formats()) {
    if (value == format->name) {
      input.format = value;
      return;
    }
    all += (all.empty() ? "" : ", ") + std::string(format->name);
  }
  for (const Container* container : containers()) {
    if (value == container->name) {
      input.format = value;
      return;
    }
    all += ", " + std::string(container->name);
  }
  refuse_word("format", value, "choose one of " + all);
}

void set_header(InputOptions& input, const std::string& value) {
  if (value == "auto") {
    input.header = Header::automatic;
  } else if (value == "yes") {
    input.header = Header::yes;
  } else if (value == "no") {
    input.header = Header::no;
  } else {
    refuse_word("header", value, "choose one of auto, yes, no");
  }
}

void set_delimiter(InputOptions& input, const std::string& value) {
  constexpr std::pair<std::string_view, char> words[] = {
      {"tab", '\t'}, {"\\t", '\t'},  {"comma", ','}, {"semicolon", ';'},
      {"pipe", '|'}, {"space", ' '}, {"blank", ' '}};
  for (const auto& [word, c] : words) {
    if (value == word) {
      input.delimiter = c;
      return;
    }
  }
  const char c = value[0];
  const bool part_of_numbers = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                               (c >= 'A' && c <= 'Z') ||
                               std::string_view("+-.\"").find(c) != std::string_view::npos;
  if (value.size() != 1 || part_of_numbers || c == '\n' || c == '\r' || (c & 0x80) != 0) {
    refuse_word("delimiter", value,
                "write one character such as , or ; or a word: tab, space, pipe");
  }
  input.delimiter = c;
}

void set_missing(InputOptions& input, const std::string& value) {
  for_each_word(value, [&](std::string_view word) { input.missing.emplace_back(word); });
}

void set_bad_lines(InputOptions& input, const std::string& value) {
  if (value != "error" && value != "skip")
    refuse_word("bad-lines", value, "choose one of error, skip");
  input.skip_bad_lines = value == "skip";
}

void set_decimal(InputOptions& input, const std::string& value) {
  if (value != "," && value != ".") refuse_word("decimal", value, "write , or .");
  input.decimal = value[0];
}

void set_thousands(InputOptions& input, const std::string& value) {
  const std::string c = value == "space" ? " " : value;
  if (c.size() != 1 || std::string_view(",.'_ ").find(c[0]) == std::string_view::npos) {
    refuse_word("thousands", value, "write the separator of thousands: , . ' _ or space");
  }
  input.thousands = c[0];
}

void set_numbers(InputOptions& input, const std::string& value) {
  if (value != "plain" && value != "loose") {
    refuse_word("numbers", value, "choose one of plain, loose");
  }
  input.loose = value == "loose";
}

void set_non_numbers(InputOptions& input, const std::string& value) {
  if (value != "error" && value != "missing") {
    refuse_word("non-numbers", value, "choose one of error, missing");
  }
  input.others_are_missing = value == "missing";
}

void set_date_format(InputOptions& input, const std::string& value) {
  parse_date_formats(value);
  input.date_format = value;
}

void set_skip(InputOptions& input, const std::string& value) {
  if (!read_number(value, input.skip)) {
    refuse_word("skip", value, "write the number of lines before the table, such as 3");
  }
}

void set_comment(InputOptions& input, const std::string& value) {
  const char c = value.empty() ? '\0' : value[0];
  const bool part_of_fields = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                              (c >= 'A' && c <= 'Z') || c <= ' ' || c == '"' || c > '~';
  if (value.size() != 1 || part_of_fields) {
    refuse_word("comment", value, "write the character that begins lines of comments, such as #");
  }
  input.comment = c;
}

struct InputWord {
  std::string_view name;
  void (*set)(InputOptions& input, const std::string& value);
};
constexpr InputWord words[] = {
    {"shape", set_shape},
    {"offset", set_offset},
    {"format", set_format},
    {"header", set_header},
    {"columns", [](InputOptions& input, const std::string& value) { input.columns = value; }},
    {"by", [](InputOptions& input, const std::string& value) { input.by = value; }},
    {"where", [](InputOptions& input, const std::string& value) { input.choose = value; }},
    {"let", [](InputOptions& input, const std::string& value) { input.let = value; }},
    {"delimiter", set_delimiter},
    {"missing", set_missing},
    {"bad-lines", set_bad_lines},
    {"decimal", set_decimal},
    {"thousands", set_thousands},
    {"numbers", set_numbers},
    {"non-numbers", set_non_numbers},
    {"date-format", set_date_format},
    {"skip", set_skip},
    {"comment", set_comment},
    {"units", [](InputOptions& input, const std::string&) { input.units = true; }},
    {"union", [](InputOptions& input, const std::string&) { input.unite = true; }}};

}  // namespace

bool names_mask(const std::string& where) {
  return system::exists(where) || where.ends_with(".npy") || where.find(".npz") != where.npos;
}

void set_input(InputOptions& input, std::string_view name, const std::string& value) {
  const auto* const word = std::find_if(std::begin(words), std::end(words),
                                        [&](const InputWord& w) { return w.name == name; });
  if (word == std::end(words)) {
    throw Error(ErrorCode::internal, "there is no option for files called " + std::string(name));
  }
  word->set(input, value);
}

void check_marks(const InputOptions& o) {
  const auto refuse = [](const char* a, const char* b) {
    throw Error(ErrorCode::bad_option, std::string("--") + a + " and --" + b +
                                           " are the same character; choose different ones");
  };
  if (o.delimiter != 0 && o.delimiter == o.decimal) refuse("delimiter", "decimal");
  if (o.thousands == o.decimal) refuse("thousands", "decimal");
  if (o.delimiter == ' ' && o.thousands == ' ') refuse("delimiter", "thousands");
  if (o.comment != 0 && o.comment == o.delimiter) refuse("comment", "delimiter");
}

Size read_top(const std::string& value) {
  Size n = 0;
  if (!read_number(value, n) || n == 0) {
    refuse_word("top", value, "write the number of groups, such as 10");
  }
  return n;
}

Size set_memory(InputOptions& input, const std::string& value) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},       {"B", 1},         {"k", 1e3},          {"kB", 1e3},
      {"K", 1e3},    {"KB", 1e3},      {"M", 1e6},          {"MB", 1e6},
      {"G", 1e9},    {"GB", 1e9},      {"T", 1e12},         {"TB", 1e12},
      {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776}};
  constexpr double least = 32 << 20, most = 1e15;
  double number = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(stop, static_cast<std::size_t>(value.data() + value.size() - stop));
  for (const auto& [name, bytes] : units) {
    if (error != std::errc() || unit != name) continue;
    if (!(number * bytes >= least && number * bytes <= most)) break;
    const auto memory = static_cast<Size>(number * bytes);
    input.most_chunk_bytes = std::max(input.most_chunk_bytes, uint64_t{memory} / 6);
    return memory;
  }
  refuse_word("memory", value, "write 32MiB or more, such as 500MB or 4GiB");
}

}  // namespace onefold::io
