// find_table: finds out from a text's first bytes whether it is a table.
#include <algorithm>

#include "onefold/io/character.hpp"
#include "onefold/io/codec.hpp"
#include "onefold/io/json_lines.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/number_names.hpp"
#include "onefold/io/table_marks.hpp"
#include "onefold/io/table_sample.hpp"

namespace onefold::io {
namespace {

constexpr std::size_t sample_bytes = std::size_t{64} << 10;
constexpr std::size_t most_sample_bytes = std::size_t{32} << 20;

bool any_told(const InputOptions& o) {
  return o.header != Header::unsaid || !o.columns.empty() || !o.by.empty() || o.delimiter != 0 ||
         !o.missing.empty() || o.skip_bad_lines || o.looks || o.decimal != '.' ||
         o.thousands != 0 || o.loose || o.others_are_missing || !o.date_format.empty() ||
         o.skip != 0 || o.comment != 0 || o.units;
}

// The first bytes of a file, without a byte order mark and the lines of --skip; a lone CR that ends
// a line is an LF, and lines of comments are blank.
struct FirstBytes {
  FirstBytes(File& file, std::size_t most, const InputOptions& options)
      : bytes(file.peek(most)),
        text(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        whole(bytes.size() < most),
        marked(text.starts_with(byte_order_mark)),
        skipped(marked ? 3 : 0),
        cr_ends(ends_lines_at_cr(text.substr(skipped))) {
    text.remove_prefix(skipped);
    char* begin = reinterpret_cast<char*>(bytes.data()) + skipped;
    if (cr_ends) end_lines_at_cr(begin, text.size(), 0, whole);
    for (; lines < options.skip; ++lines) {
      const std::size_t end = text.find('\n');
      if (end == text.npos) break;
      text.remove_prefix(end + 1);
      begin += end + 1;
      skipped += end + 1;
    }
    const char delimiter = options.delimiter;
    if (options.comment != 0) blank_comments(begin, text.size(), delimiter, options.comment, whole);
  }
  // Returns whether a header, its units and a row are there.
  bool has_row(const InputOptions& options) const {
    const Size least = options.units ? 3 : 2;
    Size n = 0;
    over_lines(text, whole, [&](std::string_view line, std::size_t) {
      n += !line.empty();
      return n < least;
    });
    return n >= least;
  }

  std::vector<std::byte> bytes;
  std::string_view text;
  bool whole;
  bool marked;
  std::size_t skipped;
  bool cr_ends;
  Size lines = 0;  // number of lines that were skipped
};

// Reads more of the file, if a header of many columns and the row below it are longer.
FirstBytes of_two_lines(File& file, FirstBytes b, const InputOptions& options) {
  for (std::size_t n = 4 * sample_bytes; !b.whole && n <= most_sample_bytes; n *= 2) {
    if (b.lines == options.skip && b.has_row(options)) break;
    b = FirstBytes(file, n, options);
  }
  if (b.lines < options.skip) {
    file.fail(ErrorCode::bad_option,
              "--skip " + std::to_string(options.skip) + ": it has only " +
                  std::to_string(b.lines) +
                  (b.whole ? " complete lines" : " lines in its first 32 MiB"));
  }
  return b;
}

bool is_json_lines(const File& file, const InputOptions& options, std::string_view text) {
  const std::string name = without_codec(file.name());
  return options.format == "jsonl" || name.ends_with(".jsonl") || name.ends_with(".ndjson") ||
         begins_json_lines(text);
}

void refuse_json_arrays(const File& file, const InputOptions& options, std::string_view text) {
  if (begins_json_array(text)) {
    file.fail(ErrorCode::unsupported,
              "it is a JSON array; jq -c '.[]' FILE writes one object per line, which can be read "
              "as a table");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool named =
      without_codec(file.name()).ends_with(".json") && first != text.npos && text[first] == '[';
  const bool told = options.header == Header::yes || options.header == Header::no;
  if (!named && (told || !begins_printed_array(text))) return;
  file.fail(
      ErrorCode::unsupported,
      "it is a JSON array that does not begin with an object, so it has no columns; jq '.. | "
      "numbers' FILE writes one number per line, jq -r '.[] | @csv' FILE one inner array per row");
}

void take_options(const InputOptions& options, Table& table) {
  table.decimal = options.decimal;
  table.thousands = options.thousands;
  table.loose = options.loose;
  table.missing = options.missing;
  table.missing_is_nan = options.missing_is_nan;
  table.others_are_missing = options.others_are_missing;
  table.skip_bad_lines = options.skip_bad_lines;
  table.comment = options.comment;
}

std::string whole_lines(const FirstBytes& beginning) {
  std::string lines(beginning.text);
  if (!beginning.whole) lines.resize(lines.rfind('\n') + 1);
  return lines;
}

std::vector<std::string> members_of(std::string lines) {
  if (lines.empty() || lines.back() != '\n') lines += '\n';
  return names_of_members(lines.data(), lines.data() + lines.size() - 1);
}

// Whether --columns, --by or --date-format names a member that is not among these.
bool lacks_named(const InputOptions& options, const std::vector<std::string>& members) {
  const std::string lists[] = {options.columns, options.by, columns_with_dates(options)};
  return std::ranges::any_of(lists, [&](const std::string& list) {
    return std::ranges::any_of(words_of_list(list), [&](const ListWord& word) {
      const bool name =
          word.quoted || (word.text.find('*') == word.text.npos &&
                          word.text.find_first_not_of("0123456789-#") != word.text.npos);
      return name && std::ranges::find(members, word.text) == members.end();
    });
  });
}

// Makes a table of JSON Lines from its first lines.
Table json_table(File& file, const InputOptions& options) {
  const char* const option = options.delimiter != 0         ? "--delimiter"
                             : options.decimal != '.'       ? "--decimal"
                             : options.header == Header::no ? "--header no"
                             : options.skip != 0            ? "--skip"
                             : options.comment != 0         ? "--comment"
                             : options.units                ? "--units"
                                                            : nullptr;
  if (option != nullptr) {
    file.fail(ErrorCode::bad_option,
              std::string(option) + " does not apply to JSON Lines; leave it out");
  }
  FirstBytes beginning = of_two_lines(file, FirstBytes(file, sample_bytes, options), options);
  std::string lines = whole_lines(beginning);
  Table table{.delimiter = ',', .header = true, .data = beginning.skipped};
  table.members = options.members.empty() ? members_of(lines) : options.members;
  // A member that an option names may come late.
  for (std::size_t n = 4 * sample_bytes; n <= most_sample_bytes; n *= 2) {
    if (beginning.whole || !options.members.empty() || !lacks_named(options, table.members)) break;
    beginning = FirstBytes(file, n, options);
    lines = whole_lines(beginning);
    table.members = members_of(lines);
  }
  if (lines.empty() && !beginning.whole) {
    file.fail(ErrorCode::bad_token,
              "its first line is longer than " + std::to_string(beginning.text.size()) +
                  " bytes; JSON Lines have one object per line, as jq -c . FILE writes them");
  }
  if (lines.empty() || lines.back() != '\n') lines += '\n';
  const char* const end = lines.data() + lines.size() - 1;
  JsonMembers members;
  FieldLines fields;
  for (const std::string& name : table.members) members.add(name, members.size());
  append_fields(members, members.size(), lines.data(), end, fields);
  if (members.size() == 0) {
    const std::string what =
        fields.problem ? fields.problem->what : "no line has an object with a member";
    const Size line = fields.problem ? fields.problem->line + 1 : 1;
    file.fail(ErrorCode::bad_token, "line " + std::to_string(line) + ", " + what);
  }
  take_options(options, table);
  // Names are a line in quotes above the others.
  std::string text;
  for (const std::string& name : table.members) {
    text += text.empty() ? "\"" : ",\"";
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  const std::string_view data = std::string_view(fields.text).substr(FieldLines::lead);
  text.append("\n").append(data);
  choose_columns(file, cut(text, true, ',', sample_lines), options, data, table);
  return table;
}

// Lines above a table: those before the last lines that have equally many fields, two or more.
struct LinesAbove {
  Size n;
  std::size_t fields, first_fields;  // number of fields in the table, and in the first line
};
std::optional<LinesAbove> lines_above(std::string_view text, bool whole) {
  if (trim(text).starts_with('#')) return {};  // --comment leaves such lines out
  const Table plain;
  const auto is_word = [&](const Field& f) { return !is_number(f.text, plain); };
  std::optional<LinesAbove> found;
  for (const char delimiter : {'\t', ',', ';', '|', ' '}) {
    if (delimiter == ' ' && found) break;
    const Sample sample = cut(text, whole, delimiter, sample_lines);
    const std::vector<Line>& lines = sample.lines;
    const std::size_t first = sample.first();
    std::size_t end = lines.size();
    while (end > 0 && lines[end - 1].empty()) --end;
    std::size_t begin = end;
    while (begin > first && lines[begin - 1].size() == lines[end - 1].size()) --begin;
    if (end - begin < 2 || lines[begin].size() < 2) continue;
    if (begin == first) return {};
    if (delimiter == ' ' && std::ranges::all_of(lines[end - 1], is_word)) break;  // prose
    std::size_t last = begin - 1;
    while (lines[last].empty()) --last;
    // Rows below other rows, or below one line that is cut short, are not a table themselves.
    const auto words = static_cast<std::size_t>(std::ranges::count_if(lines[begin], is_word));
    const bool as_first = last + 1 == begin && lines[begin].size() == lines[first].size();
    if (words == 0 && lines[last].size() > 1) continue;
    if (as_first && words < lines[begin].size()) continue;
    const auto above = text.substr(0, sample.ends[begin - 1]);
    const auto n = static_cast<Size>(std::count(above.begin(), above.end(), '\n'));
    // 1,5;2 has a comma that does not separate: with semicolons more lines are alike.
    if (!found || n < found->n) found = {n, lines[begin].size(), lines[first].size()};
  }
  return found;
}

// Refuses a text that lines above the table make unreadable; find_table adds the cure.
void refuse_lines_above(const File& file, const std::optional<LinesAbove>& above) {
  if (!above) return;
  file.fail(ErrorCode::bad_token,
            "line " + std::to_string(above->n + 1) + " has " + std::to_string(above->fields) +
                " fields, but the first line has " + std::to_string(above->first_fields));
}

// Returns "; if the table begins in line 3, pass --skip 2" if lines seem to stand above it; else an
// empty text.
std::string skip_hint(File& file, const InputOptions& options) {
  if (options.skip != 0) return {};
  const FirstBytes beginning(file, sample_bytes, options);
  if (is_json_lines(file, options, beginning.text)) return {};
  const auto above = lines_above(beginning.text, beginning.whole);
  if (!above) return {};
  return "; if the table begins in line " + std::to_string(above->n + 1) + ", pass --skip " +
         std::to_string(above->n);
}

std::optional<Table> table_in_text(File& file, const InputOptions& options, bool axes_told);

}  // namespace

std::optional<Table> find_table(File& file, const InputOptions& options, bool axes_told) {
  try {
    return table_in_text(file, options, axes_told);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_token) throw;
    const std::string hint = skip_hint(file, options);
    if (hint.empty()) throw;
    throw Error(e.code(), e.what() + hint);
  }
}

std::string remark_on_numbers(File& file, const InputOptions& options) {
  const FirstBytes beginning(file, sample_bytes, options);
  if (!begins_plainly(beginning.text)) return {};
  const char delimiter = find_delimiter(beginning.text, beginning.whole, options);
  const Sample sample = cut(beginning.text, beginning.whole, delimiter, sample_lines);
  return sample.alike() ? remark_on_numbers(sample) : "";
}

namespace {

// Whether the first line looks like a row of numbers. Without options for tables, a text is a table
// only then.
//   throws  bad_token: it is none, and says why
bool begins_as_rows_do(const File& file, std::string_view text, bool whole, const Sample& sample,
                       const Table& table) {
  const auto is_hinted = [&](const Field& f) { return !hint_for(f.text, table).empty(); };
  const auto may_be_number = [&](const Field& f) {
    return is_missing(f.text, {}) || is_number(f.text, table) || is_hinted(f);
  };
  const std::size_t first = sample.first();
  const Line none, &line = first < sample.lines.size() ? sample.lines[first] : none;
  const bool numbers = sample.fields >= 2 ? std::all_of(line.begin(), line.end(), may_be_number)
                                          : std::any_of(line.begin(), line.end(), is_hinted);
  if (numbers || begins_with_row(sample, table)) return true;
  refuse_open_quote(file, text, whole, sample);
  refuse_words(file, sample, table);
  refuse_lines_above(file, lines_above(text, whole));
  return false;
}

std::optional<Table> table_in_text(File& file, const InputOptions& options, bool axes_told) {
  bool told = any_told(options);
  FirstBytes beginning(file, sample_bytes, options);
  // A text without any object is empty, as others are.
  const bool nothing =
      beginning.whole && beginning.text.find_first_not_of(" \t\r\n") == beginning.text.npos;
  if (!nothing && is_json_lines(file, options, beginning.text)) return json_table(file, options);
  refuse_json_arrays(file, options, beginning.text);
  if (!told && !options.guess) return {};
  told |= beginning.marked;  // a text of numbers alone has no such mark
  const bool plain = !told && begins_plainly(beginning.text);
  if (!plain) beginning = of_two_lines(file, std::move(beginning), options);
  const std::size_t skipped = beginning.skipped;
  const std::string_view text = beginning.text;
  const bool whole = beginning.whole;
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    if (!told) return {};
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(zero);
    const auto line = beginning.lines + static_cast<Size>(std::count(text.begin(), end, '\n')) + 1;
    file.fail(ErrorCode::bad_token,
              "line " + std::to_string(line) + " contains a NUL byte, so this is not a table");
  }
  const std::string name = without_codec(file.name());
  const bool by_name = name.ends_with(".csv") || name.ends_with(".tsv");
  if (plain) {
    if (!by_name) refuse_commas(file, text, whole, axes_told);
    refuse_blanks(file, text, whole);
    if (!axes_told) return {};
  }
  const bool tabs = name.ends_with(".tsv");

  Table table;
  table.plain = plain;
  table.cr_ends = beginning.cr_ends;
  take_options(options, table);
  table.delimiter = options.delimiter != 0 ? options.delimiter
                    : tabs                 ? '\t'
                                           : find_delimiter(text, whole, options);
  if (options.delimiter == 0 && !tabs) {
    refuse_marks(file, text, whole, options, table, name.ends_with(".csv") || plain);
  }
  Sample sample = cut(text, whole, table.delimiter, sample_lines);
  if (options.units) leave_units_out(file, sample, options);
  // The reader of wide texts treats a lone CR as a blank.
  const bool wide = sample.fields >= 10000 && !beginning.cr_ends;
  if (plain && (sample.fields == 0 || wide)) return {};
  if (sample.fields == 0 && whole && !options.looks &&
      (options.skip != 0 || options.comment != 0)) {
    file.fail(ErrorCode::bad_token,
              "--skip and --comment leave out all its lines; leave out fewer");
  }
  if (sample.fields == 0 && !whole) {
    file.fail(ErrorCode::bad_token, "its first line is longer than " + std::to_string(text.size()) +
                                        " bytes, or a quote is not closed; this is not a table");
  }
  std::optional<Sample> below_header = without_repeats(sample, table);
  table.header =
      options.header == Header::yes || options.units ||
      (!plain && options.header != Header::no &&
       (finds_header(below_header ? *below_header : sample, table) ||
        (by_name && whole && is_bare_header(sample, table)) ||
        names_a_field(options.columns, sample, table) || names_a_field(options.by, sample, table) ||
        names_a_field(columns_with_dates(options), sample, table)));
  if (table.header && below_header) sample = std::move(*below_header);
  const std::size_t first = sample.first();
  const bool unsure = !told && !plain && !table.header;
  if (unsure && !begins_as_rows_do(file, text, whole, sample, table)) return {};
  if (!table.header && !plain && options.header != Header::no) {
    const auto column = name_in_first_line(sample, table);
    if (column) refuse_name(file, sample, table, *column);
  }
  const auto refuse_title = [&] {
    const auto above = options.skip == 0 && !plain ? lines_above(text, whole) : std::nullopt;
    if (above && above->fields > above->first_fields) refuse_lines_above(file, above);
  };
  if (!sample.alike() && !options.skip_bad_lines) refuse_title();
  table.data = skipped;
  table.lines = beginning.lines;
  if (table.header && first < sample.lines.size()) {
    table.data += sample.ends[first];
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(sample.ends[first]);
    table.lines += static_cast<Size>(std::count(text.begin(), end, '\n'));
    const std::size_t begin = first == 0 ? 0 : sample.ends[first - 1];
    const std::string_view line = text.substr(begin, sample.ends[first] - begin);
    table.header_line = trim(line.substr(0, line.find('\n')));
    table.repeats_as_numbers = has_numbers_and_words(sample.lines[first], table);
  }
  if (!table.header && options.header != Header::no) {
    table.remark = remark_on_numbers(sample);
  }
  choose_columns(file, sample, options, text.substr(static_cast<std::size_t>(table.data - skipped)),
                 table);
  if (table.folded.empty()) refuse_title();
  return table;
}

}  // namespace

}  // namespace onefold::io
