#include "cli/option.hpp"

#include <algorithm>
#include <utility>

#include "cli/answer_format.hpp"
#include "onefold/io/number.hpp"
#include "onefold/tables/input_words.hpp"

namespace onefold::cli::option {
namespace {

// Converts "f8", "<f8", "|u1" (NumPy's letter and bytes), unless our types have that name.
std::string read_array_protocol(std::string_view text) {
  const bool ordered = text.starts_with('<') || text.starts_with('|') || text.starts_with('=');
  const std::string_view rest = text.substr(ordered ? 1 : 0);
  if (rest == "?" || rest == "b1") return "bool";
  // Our types u8 and i8 have 8 bits; after "<" they are NumPy's, which have 64.
  const bool ours = rest == "i8" || rest == "u8";
  const bool theirs = rest.size() == 2 && std::string_view("iuf").find(rest[0]) != rest.npos &&
                      std::string_view("1248").find(rest[1]) != rest.npos && (ordered || !ours);
  if (!theirs) return std::string(text);
  return rest[0] + std::to_string((rest[1] - '0') * 8);
}

// Reads f32, and also float32, double or <f4, as NumPy, C and others write types.
DType read_dtype(const char* option, const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"double", "f64"}, {"single", "f32"}, {"half", "f16"}, {"long", "i64"},    {"short", "i16"},
      {"ulong", "u64"},  {"ushort", "u16"}, {"ubyte", "u8"}, {"boolean", "bool"}};
  // A wrong guess would give wrong numbers, so these are refused.
  constexpr std::pair<std::string_view, std::string_view> unclear[] = {
      {"float", "f32 (float in C) or f64 (float in Python)"},
      {"int", "i32 (int in C) or i64 (int in Python)"},
      {"uint", "u32 (uint in C) or u64 (uint in Python)"},
      {"byte", "u8 (byte in C) or i8 (byte in NumPy)"}};
  for (const auto& [word, meanings] : unclear) {
    if (text == word) {
      io::refuse_word(option, text, "write " + std::string(meanings));
    }
  }
  constexpr std::pair<std::string_view, std::string_view> numpy[] = {
      {"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}};
  std::string name = read_array_protocol(text);
  for (const auto& [theirs, ours] : words) {
    if (text == theirs) name = ours;
  }
  for (const auto& [theirs, ours] : numpy) {
    if (name.starts_with(theirs)) {
      name = std::string(ours) + name.substr(theirs.size());
      break;
    }
  }
  std::string all;
#define ONEFOLD_DTYPE(id, spelling, type, kind, bytes) \
  if (name == spelling) return DType::id;              \
  all += (all.empty() ? "" : ", ") + std::string(spelling);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  io::refuse_word(option, text, "choose one of " + all);
}

void set_axis(Arguments& a, const std::string& value) {
  Dims list;
  if (!io::read_list(value, ",", list)) {
    io::refuse_word("axis", value,
                    "write at most 16 integers separated by commas, such as 0,2 or -1");
  }
  a.fold.axes = Axes(std::span(list.begin(), list.end()));
}

void set_nan(Arguments& a, const std::string& value) {
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (value == name_of(policy)) {
      a.fold.nan = policy;
      a.input.missing_is_nan = true;
      return;
    }
  }
  io::refuse_word("nan", value, "choose one of propagate, omit, raise");
}

void set_closed(Arguments& a, const std::string& value) {
  const bool both = value == "both", neither = value == "neither";
  const bool left = value == "left" || both, right = value == "right" || both;
  if (!left && !right && !neither) {
    io::refuse_word("closed", value, "choose one of right, left, both, neither");
  }
  a.windows.closed = {.left = left, .right = right};
}

void set_correction(Arguments& a, const std::string& value) {
  const Correction c = Correction::parse(value.data(), value.data() + value.size());
  if (a.correction && *a.correction != c) {
    throw Error(ErrorCode::bad_option,
                "--ddof and --correction are the same option, but they have different values; pass "
                "only one");
  }
  a.correction = a.fold.ddof = c;
}

void set_threads(Arguments& a, const std::string& value) {
  constexpr int most = 1024;
  if (!io::read_number(value, a.fold.threads) || a.fold.threads < 0 || a.fold.threads > most) {
    io::refuse_word("threads", value, "write a number from 1 to 1024, or 0 for one per core");
  }
}

void set_target(Arguments& a, const std::string& word) {
  // Names of instruction sets that compilers use.
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"avx512", "avx3"}, {"avx-512", "avx3"}, {"avx512f", "avx3"},
      {"sse4.1", "sse4"}, {"sse4.2", "sse4"},  {"scalar", "portable"}};
  std::string value = word, all;
  for (const auto& [theirs, ours] : others) {
    if (word == theirs) value = ours;
  }
  for (const std::string_view target : cpu_targets()) {
    if (value == target) {
      a.fold.target = target;
      return;
    }
    all += (all.empty() ? "" : ", ") + std::string(target);
  }
  io::refuse_word("target", word, "this processor can run " + all);
}

void set_precision(Arguments& a, const std::string& value) {
  constexpr int most = 17;  // 17 digits distinguish all f64
  if (!io::read_number(value, a.precision) || a.precision < 1 || a.precision > most) {
    io::refuse_word("precision", value, "write a number of significant digits from 1 to 17");
  }
}

// Reads an integer if possible, otherwise a decimal number.
void set_initial(Arguments& a, const std::string& value) {
  int64_t whole = 0;
  uint64_t large = 0;
  double number = 0;
  if (io::read_number(value, whole)) {
    a.fold.initial = whole;
  } else if (io::read_number(value, large)) {
    a.fold.initial = large;
  } else if (io::read_number(value, number)) {
    a.fold.initial = number;
    std::vector<DecimalTerm> digits;
    io::append_terms({value.data(), value.data() + value.size()}, 0, true, digits);
    a.input.long_initial = !digits.empty();
  } else {
    io::refuse_word("initial", value, "write a number, such as 0 or -inf");
  }
}

Size read_rows(const char* option, const std::string& value, Size least) {
  Size n = 0;
  if (!io::read_number(value, n) || n < least || n > Size{1} << 62) {
    io::refuse_word(
        option, value,
        "write a number of rows, such as 7; for a span of time, pass --over COLUMN --within 7D");
  }
  return n;
}

void set_progress(Arguments& a, const std::string& value) {
  if (value == "auto") {
    a.progress = When::automatic;
  } else if (value == "always") {
    a.progress = When::always;
  } else if (value == "never") {
    a.progress = When::never;
  } else {
    io::refuse_word("progress", value, "choose one of auto, always, never");
  }
}

}  // namespace

const Option dtype{"dtype", "TYPE", "type of the elements; required for raw files",
                   [](Arguments& a, const std::string& v) {
                     a.input.big_endian = v.starts_with('>');
                     a.input.dtype =
                         read_dtype("dtype", a.input.big_endian ? "<" + v.substr(1) : v);
                   }};
const Option shape{"shape", "1000x4", "shape of a raw file, in C order",
                   [](Arguments& a, const std::string& v) { io::set_input(a.input, "shape", v); }};
const Option offset{
    "offset", "BYTES", "bytes to skip before the data of a raw file",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "offset", v); }};
const Option format{
    "format", "FORMAT", "format of the input (default: from its name, then its content)",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "format", v); }};

const Option header{
    "header", "auto|yes|no", "whether a table has a header line (default: auto)",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "header", v); }};
const Option columns{
    "columns", "LIST",
    "use these columns: names, numbers from 1 (2 or #2), ranges 5-8, patterns rain_*",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "columns", v); }};
const Option by{"by", "LIST",
                "one answer for each key in these columns (named as for --columns) or .npy files",
                [](Arguments& a, const std::string& v) { io::set_input(a.input, "by", v); }};
const Option delimiter{
    "delimiter", "CHAR",
    "what separates fields: a character, tab, space or pipe (default: detected)",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "delimiter", v); }};
const Option missing{
    "missing", "LIST", "more words that mean a missing value, besides NA, null and -",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "missing", v); }};
const Option bad_lines{
    "bad-lines", "error|skip",
    "what to do with a line that does not fit the table (default: error)",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "bad-lines", v); }};
const Option decimal{
    "decimal", "CHAR", "decimal mark: . or ,",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "decimal", v); }};
const Option thousands{
    "thousands", "CHAR", "mark between groups of digits: , . ' _ or space",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "thousands", v); }};
const Option numbers{
    "numbers", "plain|loose",
    "loose: numbers may have currency or percent signs, such as $5 and 12%",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "numbers", v); }};
const Option non_numbers{
    "non-numbers", "error|missing",
    "what to do with a field that is not a number, in a column of numbers (default: error)",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "non-numbers", v); }};
const Option date_format{
    "date-format", "FORMAT",
    "how dates are written: '%d/%m/%Y', or for each column: 'sold=%d.%m.%y %H:%M; seen=epoch_ms'",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "date-format", v); }};
const Option skip{"skip", "N", "skip the first N lines, which come before the table",
                  [](Arguments& a, const std::string& v) { io::set_input(a.input, "skip", v); }};
const Option comment{
    "comment", "CHAR", "skip lines that begin with this character, such as #",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "comment", v); }};
const Option units{"units", nullptr, "skip the line below the header, which has units",
                   [](Arguments& a, const std::string& v) { io::set_input(a.input, "units", v); }};
const Option unite{
    "union", nullptr,
    "join tables by column names; columns that a file does not have are missing in its rows",
    [](Arguments& a, const std::string& v) { io::set_input(a.input, "union", v); }};

const Option axis{"axis", "AXES", "reduce along these axes, such as 0,2 or -1 (default: all)",
                  set_axis};
const Option keepdims{"keepdims", nullptr, "keep the reduced axes, with length 1",
                      [](Arguments& a, const std::string&) { a.fold.keepdims = true; }};
const Option result{
    "result", "TYPE", "type of the answer; the exact value is rounded to it",
    [](Arguments& a, const std::string& v) { a.fold.result = read_dtype("result", v); }};
const Option nan{
    "nan", "propagate|omit|raise",
    "what to do with NaN (default: propagate); if given, missing values are treated as NaN",
    set_nan};
const Option ddof{"ddof", "K",
                  "var, std and sem divide by n - K (default 0, as in NumPy; 1 for sem); K = 1 "
                  "also selects the sample estimates of skewness and kurtosis",
                  set_correction};
const Option correction{"correction", "K", "the same as --ddof", set_correction};
const Option where{"where", "EXPR|MASK.npy",
                   "use only rows for which this is true, such as 'qty > 5 and city != \"Oslo\"', "
                   "or only elements where a bool array is true",
                   [](Arguments& a, const std::string& v) { a.where = v; }};
const Option let{"let", "NAME=EXPR",
                 "add columns to a table: 'total = price * qty, m = month(date)'",
                 [](Arguments& a, const std::string& v) { io::set_input(a.input, "let", v); }};
const Option initial{"initial", "VALUE",
                     "a value that counts as one more element, for sum, min and max", set_initial};
const Option empty_nan{"empty-nan", nullptr,
                       "min, max and ptp of no elements are NaN, not an error",
                       [](Arguments& a, const std::string&) { a.fold.empty_nan = true; }};
const Option weights{"weights", "W.npy|COLUMN",
                     "weights for mean, var, average, mse and others: an array (it may broadcast) "
                     "or a column of the table",
                     [](Arguments& a, const std::string& v) { a.weights = v; }};
const Option fweights{
    "fweights", "W.npy|COLUMN",
    "how often each element counts: an array (it may broadcast) or a column of the table",
    [](Arguments& a, const std::string& v) { a.fweights = v; }};
const Option offsets{
    "offsets", "O.npy",
    "reduce each segment of the first axis; a segment goes from one offset to the next",
    [](Arguments& a, const std::string& v) { a.offsets = v; }};
const Option threads{"threads", "N",
                     "number of threads (default: one per core); never changes an answer",
                     set_threads};
const Option target{"target", "SET",
                    "instruction set (onefold info lists them); never changes an answer",
                    set_target};

const Option rolling{
    "rolling", "N", "for each row of a table, an answer from the last N rows, including the row",
    [](Arguments& a, const std::string& v) { a.windows.width = read_rows("rolling", v, 1); }};
const Option cumulative{"cumulative", nullptr,
                        "for each row of a table, an answer from all rows up to and including it",
                        [](Arguments& a, const std::string&) { a.windows.cumulative = true; }};
const Option over{"over", "COLUMN",
                  "column of times (or numbers) over which the windows of --within go",
                  [](Arguments& a, const std::string& v) { a.windows.over = v; }};
const Option within{"within", "SPAN",
                    "length of the windows of --over, such as 7D, 12h, 30min, 2.5s, or a number",
                    [](Arguments& a, const std::string& v) { a.windows.within = v; }};
const Option min_periods{
    "min-periods", "N",
    "how many values a window needs to have an answer (default 1, or 0 for the op count)",
    [](Arguments& a, const std::string& v) { a.windows.least = read_rows("min-periods", v, 0); }};
const Option closed{"closed", "right|left|both|neither",
                    "which ends belong to a window: right (its own row; the default), left (the "
                    "row that is N rows or SPAN earlier), both or neither",
                    set_closed};

const Option sort{"sort", "LIST",
                  "sort the groups of --by by these keys and answers; -NAME: largest first",
                  [](Arguments& a, const std::string& v) { a.order.sort = v; }};
const Option top{
    "top", "N",
    "print only the first N groups in the order of --sort (default: largest first answer first)",
    [](Arguments& a, const std::string& v) { a.order.top = io::read_top(v); }};
const Option no_sort{"no-sort", nullptr, "list the groups of --by in the order of their first rows",
                     [](Arguments& a, const std::string&) { a.order.as_met = true; }};
const Option json{"json", nullptr, "print JSON",
                  [](Arguments& a, const std::string&) { a.json = true; }};
const Option precision{"precision", "N",
                       "print at most N significant digits (default: as many as the number needs)",
                       set_precision};
const Option each{"each", nullptr, "print an answer for each file, with the file's name",
                  [](Arguments& a, const std::string&) { a.each = true; }};
const Option files_from{"files-from", "FILE",
                        "read the names of the input files from this file, one a line; - is stdin",
                        [](Arguments& a, const std::string& v) { a.files_from = v; }};
const Option null{"null", nullptr,
                  "names in --files-from end with a zero byte, as find -print0 writes them",
                  [](Arguments& a, const std::string&) { a.null = true; }};
const Option keep_going{"keep-going", nullptr,
                        "with --each: go on after a file that cannot be read",
                        [](Arguments& a, const std::string&) { a.keep_going = true; }};
const Option memory{
    "memory", "SIZE",
    "how much memory may be used (default 100MiB; for groups and pipes, a quarter of the free "
    "memory)",
    [](Arguments& a, const std::string& v) { a.memory = io::set_memory(a.input, v); }};
const Option state{"state", "FILE.of", "the file to write the state to; - is stdout", nullptr};
const Option mpi{
    "mpi", nullptr,
    "under mpirun: each rank reads a share of the data, and one rank prints the answers", nullptr};
const Option parts{"parts", "1..N", "require exactly these parts, each once", nullptr};

const Option output{
    "output", "FILE",
    "write the answers to a .npy, .csv, .tsv, .json, .parquet or .arrow file instead",
    [](Arguments& a, const std::string& v) {
      check_answer_file(v);
      a.output = v;
    }};
const Option progress{"progress", "auto|always|never",
                      "show progress; auto (the default): on a terminal, after one second",
                      set_progress};

const Option help{"help", nullptr, "print this help and exit",
                  [](Arguments& a, const std::string&) { a.help = true; }};
const Option version{"version", nullptr, "print the version and exit",
                     [](Arguments& a, const std::string&) { a.version = true; }};

}  // namespace onefold::cli::option
