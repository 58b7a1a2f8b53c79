#include "cli/option.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "comma_list.hpp"
#include "io/container.hpp"
#include "io/format.hpp"

namespace onefold::cli::option {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& right) {
  throw Error(ErrorCode::bad_option,
              "--" + std::string(name) + " \"" + value + "\" has no meaning; " + right);
}

template <class T>
bool read(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

// "0,2" or "1000x4" as numbers.
bool read_list(std::string_view text, const char* separators, Dims& list) {
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    int64_t number = 0;
    if (!read(text.substr(0, end), number)) return false;
    list.push_back(number);
    if (end == text.npos) return list.rank() <= max_rank;
    text.remove_prefix(end + 1);
  }
}

// "f8", "<f8", "|u1": NumPy's letter and bytes, where no type of ours is called so. Others: as is.
std::string read_array_protocol(std::string_view text) {
  const bool ordered = text.starts_with('<') || text.starts_with('|') || text.starts_with('=');
  const std::string_view rest = text.substr(ordered ? 1 : 0);
  if (rest == "?" || rest == "b1") return "bool";
  // u8 and i8 are ours, and have 8 bits; after "<" they are NumPy's, and have 64.
  const bool ours = rest == "i8" || rest == "u8";
  const bool theirs = rest.size() == 2 && std::string_view("iuf").find(rest[0]) != rest.npos &&
                      std::string_view("1248").find(rest[1]) != rest.npos && (ordered || !ours);
  if (!theirs) return std::string(text);
  return rest[0] + std::to_string((rest[1] - '0') * 8);
}

// f32, or float32, double, <f4 as NumPy, C and others spell it.
DType read_dtype(const char* option, const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"double", "f64"}, {"single", "f32"}, {"half", "f16"}, {"long", "i64"},    {"short", "i16"},
      {"ulong", "u64"},  {"ushort", "u16"}, {"ubyte", "u8"}, {"boolean", "bool"}};
  // A wrong guess would be a wrong number.
  constexpr std::pair<std::string_view, std::string_view> unclear[] = {
      {"float", "f32 in C and f64 in Python"},
      {"int", "i32 in C and i64 in Python"},
      {"uint", "u32 in C and u64 in Python"},
      {"byte", "u8 in C and i8 in NumPy"}};
  for (const auto& [word, meanings] : unclear) {
    if (text == word) {
      refuse(option, text, "it is " + std::string(meanings) + "; write which");
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
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
  refuse(option, text, "choose one of " + all);
}

void set_axis(Arguments& a, const std::string& value) {
  Dims list;
  if (!read_list(value, ",", list)) {
    refuse("axis", value, "write at most 16 integers separated by commas, such as 0,2 or -1");
  }
  a.fold.axes = Axes(std::span(list.begin(), list.end()));
}

void set_shape(Arguments& a, const std::string& value) {
  Dims list;
  // (1000, 4) is how Python prints it.
  std::string plain = value;
  if (plain.size() > 1 && plain.front() == '(' && plain.back() == ')') {
    plain = plain.substr(1, plain.size() - 2);
    if (plain.ends_with(',')) plain.pop_back();
    std::erase(plain, ' ');
  }
  const bool ok = read_list(plain, "x,", list) &&
                  std::none_of(list.begin(), list.end(), [](int64_t n) { return n < 0; });
  if (!ok) refuse("shape", value, "write at most 16 extents joined by x, such as 1000x4");
  a.input.shape = list;
}

void set_offset(Arguments& a, const std::string& value) {
  if (!read(value, a.input.offset)) {
    refuse("offset", value, "write the number of bytes before the data, such as 128");
  }
}

void set_format(Arguments& a, const std::string& value) {
  std::string all;
  for (const io::Format* format : io::formats()) {
    if (value == format->name) {
      a.input.format = value;
      return;
    }
    all += (all.empty() ? "" : ", ") + std::string(format->name);
  }
  for (const io::Container* container : io::containers()) {
    if (value == container->name) {
      a.input.format = value;
      return;
    }
    all += ", " + std::string(container->name);
  }
  refuse("format", value, "choose one of " + all);
}

void set_header(Arguments& a, const std::string& value) {
  if (value == "auto") {
    a.input.header = io::Header::automatic;
  } else if (value == "yes") {
    a.input.header = io::Header::yes;
  } else if (value == "no") {
    a.input.header = io::Header::no;
  } else {
    refuse("header", value, "choose one of auto, yes, no");
  }
}

void set_delimiter(Arguments& a, const std::string& value) {
  constexpr std::pair<std::string_view, char> words[] = {
      {"tab", '\t'}, {"\\t", '\t'},  {"comma", ','}, {"semicolon", ';'},
      {"pipe", '|'}, {"space", ' '}, {"blank", ' '}};
  for (const auto& [word, c] : words) {
    if (value == word) {
      a.input.delimiter = c;
      return;
    }
  }
  const char c = value[0];
  const bool part_of_numbers = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                               (c >= 'A' && c <= 'Z') ||
                               std::string_view("+-.\"").find(c) != std::string_view::npos;
  if (value.size() != 1 || part_of_numbers || c == '\n' || c == '\r' || (c & 0x80) != 0) {
    refuse("delimiter", value, "write one character such as , or ; or a word: tab, space, pipe");
  }
  a.input.delimiter = c;
}

void set_missing(Arguments& a, const std::string& value) {
  for_each_word(value, [&](std::string_view word) { a.input.missing.emplace_back(word); });
}

void set_bad_lines(Arguments& a, const std::string& value) {
  if (value != "error" && value != "skip") refuse("bad-lines", value, "choose one of error, skip");
  a.input.skip_bad_lines = value == "skip";
}

void set_decimal(Arguments& a, const std::string& value) {
  if (value != "," && value != ".") refuse("decimal", value, "write , or .");
  a.input.decimal = value[0];
}

void set_thousands(Arguments& a, const std::string& value) {
  const std::string c = value == "space" ? " " : value;
  if (c.size() != 1 || std::string_view(",.'_ ").find(c[0]) == std::string_view::npos) {
    refuse("thousands", value, "write the mark between the groups: , . ' _ or space");
  }
  a.input.thousands = c[0];
}

void set_nan(Arguments& a, const std::string& value) {
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (value == name_of(policy)) {
      a.fold.nan = policy;
      a.input.missing_is_nan = true;
      return;
    }
  }
  refuse("nan", value, "choose one of propagate, omit, raise");
}

void set_correction(Arguments& a, const std::string& value) {
  const Correction c = Correction::parse(value.data(), value.data() + value.size());
  if (a.correction && *a.correction != c) {
    throw Error(ErrorCode::bad_option,
                "--ddof and --correction are two names of one thing and differ; give one");
  }
  a.correction = a.fold.ddof = c;
}

void set_threads(Arguments& a, const std::string& value) {
  constexpr int most = 1024;
  if (!read(value, a.fold.threads) || a.fold.threads < 0 || a.fold.threads > most) {
    refuse("threads", value, "write a number from 1 to 1024, or 0 for one per core");
  }
}

void set_target(Arguments& a, const std::string& word) {
  // As compilers call them.
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
  refuse("target", word, "this processor can run " + all);
}

void set_precision(Arguments& a, const std::string& value) {
  constexpr int most = 17;  // that many tell all f64 apart
  if (!read(value, a.precision) || a.precision < 1 || a.precision > most) {
    refuse("precision", value, "write a number of significant digits from 1 to 17");
  }
}

void set_memory(Arguments& a, const std::string& value) {
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
    a.memory = static_cast<Size>(number * bytes);
    a.input.most_chunk_bytes = std::max(a.input.most_chunk_bytes, uint64_t{a.memory} / 6);
    return;
  }
  refuse("memory", value, "write 32MiB or more, such as 500MB or 4GiB");
}

// A whole number, else a decimal.
void set_initial(Arguments& a, const std::string& value) {
  int64_t whole = 0;
  uint64_t large = 0;
  double number = 0;
  if (read(value, whole)) {
    a.fold.initial = whole;
  } else if (read(value, large)) {
    a.fold.initial = large;
  } else if (read(value, number)) {
    a.fold.initial = number;
  } else {
    refuse("initial", value, "write a number, such as 0 or -inf");
  }
}

void set_output(Arguments& a, const std::string& value) {
  if (!value.ends_with(".npy")) {
    refuse("output", value, "it writes .npy files: give a name that ends in .npy");
  }
  a.output = value;
}

void set_progress(Arguments& a, const std::string& value) {
  if (value == "auto") {
    a.progress = When::automatic;
  } else if (value == "always") {
    a.progress = When::always;
  } else if (value == "never") {
    a.progress = When::never;
  } else {
    refuse("progress", value, "choose one of auto, always, never");
  }
}

}  // namespace

const Option dtype{"dtype", "TYPE", "element type of the input; raw files need it",
                   [](Arguments& a, const std::string& v) {
                     a.input.big_endian = v.starts_with('>');
                     a.input.dtype =
                         read_dtype("dtype", a.input.big_endian ? "<" + v.substr(1) : v);
                   }};
const Option shape{"shape", "1000x4", "shape of a raw file, in C order", set_shape};
const Option offset{"offset", "BYTES", "bytes before the data of a raw file", set_offset};
const Option format{"format", "FORMAT", "format of the input; else by extension, then by content",
                    set_format};

const Option header{"header", "WHEN", "does a table have a header? auto, yes or no", set_header};
const Option columns{"columns", "LIST", "fold these columns: names, numbers from 1, ranges 5-8",
                     [](Arguments& a, const std::string& v) { a.input.columns = v; }};
const Option by{
    "by", "LIST",
    "an answer for each key in these columns, as --columns names them; or in .npy files",
    [](Arguments& a, const std::string& v) { a.input.by = v; }};
const Option delimiter{"delimiter", "CHAR", "what separates fields: , or ; or tab, space, pipe",
                       set_delimiter};
const Option missing{"missing", "LIST", "words that mean a missing value, beside NA, null, -",
                     set_missing};
const Option bad_lines{"bad-lines", "error|skip",
                       "what to do with a line that is no row of the table", set_bad_lines};
const Option decimal{"decimal", "CHAR", "the decimal mark: . or ,", set_decimal};
const Option thousands{"thousands", "CHAR", "the mark between groups of digits: , . ' _ or space",
                       set_thousands};

const Option axis{"axis", "AXES", "fold these axes, such as 0,2 or -1; all by default", set_axis};
const Option keepdims{"keepdims", nullptr, "folded axes stay, with extent 1",
                      [](Arguments& a, const std::string&) { a.fold.keepdims = true; }};
const Option result{
    "result", "TYPE", "round the exact answer to this type instead",
    [](Arguments& a, const std::string& v) { a.fold.result = read_dtype("result", v); }};
const Option nan{"nan", "POLICY",
                 "propagate (default), omit, or raise; missing values then are NaN too", set_nan};
const Option ddof{"ddof", "K", "var and std divide by n - K; 0 by default as in NumPy",
                  set_correction};
const Option correction{"correction", "K", "another name of --ddof", set_correction};
const Option where{"where", "MASK.npy",
                   "fold the elements where this array of bools, which may broadcast, is true",
                   [](Arguments& a, const std::string& v) { a.where = v; }};
const Option initial{"initial", "VALUE", "sum, min, max: one more element", set_initial};
const Option empty_nan{"empty-nan", nullptr, "a min, max or ptp of nothing is NaN, not an error",
                       [](Arguments& a, const std::string&) { a.fold.empty_nan = true; }};
const Option weights{"weights", "W.npy",
                     "average: what its elements weigh; may broadcast; or a column of the table",
                     [](Arguments& a, const std::string& v) { a.weights = v; }};
const Option fweights{"fweights", "W.npy", "how often each element counts; may broadcast",
                      [](Arguments& a, const std::string& v) { a.fweights = v; }};
const Option offsets{"offsets", "O.npy",
                     "fold segments of the first axis, which begin at these and end at the next",
                     [](Arguments& a, const std::string& v) { a.offsets = v; }};
const Option threads{"threads", "N", "0, the default: one per core; never changes an answer",
                     set_threads};
const Option target{"target", "SET",
                    "instruction set (onefold info lists them); never changes an answer",
                    set_target};

const Option json{"json", nullptr, "print JSON",
                  [](Arguments& a, const std::string&) { a.json = true; }};
const Option precision{"precision", "N",
                       "print at most N significant digits; by default as many as read back",
                       set_precision};
const Option each{"each", nullptr, "an answer for each file, under its name",
                  [](Arguments& a, const std::string&) { a.each = true; }};
const Option files_from{"files-from", "FILE",
                        "take the files that it names, one a line; - is stdin",
                        [](Arguments& a, const std::string& v) { a.files_from = v; }};
const Option null{"null", nullptr, "a zero ends each name of --files-from, as of find -print0",
                  [](Arguments& a, const std::string&) { a.null = true; }};
const Option keep_going{"keep-going", nullptr,
                        "with --each: fold the others where a file cannot be",
                        [](Arguments& a, const std::string&) { a.keep_going = true; }};
const Option memory{
    "memory", "SIZE",
    "what a fold may take; by default 100MiB, of groups and pipes a quarter of what is free",
    set_memory};
const Option state{"state", "FILE.of", "the file that gets the state; - is stdout", nullptr};
const Option mpi{"mpi", nullptr, "under mpirun: each rank folds a share, and one prints", nullptr};
const Option parts{"parts", "1..N", "which parts there must be, each once", nullptr};

const Option output{"output", "FILE.npy", "write the answer of one op to a file instead",
                    set_output};
const Option progress{"progress", "WHEN", "auto (on a terminal, after a second), always or never",
                      set_progress};

const Option help{"help", nullptr, "print this and stop",
                  [](Arguments& a, const std::string&) { a.help = true; }};
const Option version{"version", nullptr, "print the version and stop",
                     [](Arguments& a, const std::string&) { a.version = true; }};

}  // namespace onefold::cli::option
