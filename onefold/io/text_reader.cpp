#include "onefold/io/text_reader.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/io/character.hpp"
#include "onefold/io/quick_number.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io {

void refuse_what_is_no_text(File& file, bool marks) {
  struct Signature {
    std::string_view bytes;
    ErrorCode code;
    const char* what;
  };
  using namespace std::string_view_literals;
  static constexpr Signature known[] = {
      {byte_order_mark, ErrorCode::bad_token,
       "line 1, column 1: it begins with a UTF-8 byte order mark; save it without one"},
      {"\xff\xfe"sv, ErrorCode::bad_token,
       "line 1, column 1: it is UTF-16; save it as UTF-8 or ASCII"},
      {"\xfe\xff"sv, ErrorCode::bad_token,
       "line 1, column 1: it is UTF-16; save it as UTF-8 or ASCII"},
      {"PK\3\4"sv, ErrorCode::unsupported,
       "it is a zip archive, as .npz, .zip and .xlsx files are; save a sheet as .csv, or unzip -p "
       "FILE | onefold OP"},
      {"PK\5\6"sv, ErrorCode::unsupported, "it is an empty zip archive"},
      {"\x1f\x8b"sv, ErrorCode::unsupported,
       "it is compressed with gzip; unpack it first: gunzip -c FILE | onefold OP"},
      {"\xfd\x37zXZ\0"sv, ErrorCode::unsupported,
       "it is compressed with xz; unpack it first: xz -dc FILE | onefold OP"},
      {"\x28\xb5\x2f\xfd"sv, ErrorCode::unsupported,
       "it is compressed with zstd; unpack it first: zstd -dc FILE | onefold OP"},
      {"BZh"sv, ErrorCode::unsupported,
       "it is compressed with bzip2; unpack it first: bunzip2 -c FILE | onefold OP"},
      {"\x04\x22\x4d\x18"sv, ErrorCode::unsupported,
       "it is compressed with lz4; unpack it first: lz4 -dc FILE | onefold OP"},
      {"PAR1"sv, ErrorCode::unsupported,
       "it is a Parquet file; save the column as .npy or .csv, as pyarrow, duckdb and pandas do"},
      {"ARROW1"sv, ErrorCode::unsupported,
       "it is an Arrow file; save the column as .npy or .csv, as pyarrow does"},
      {"\x89HDF\r\n\x1a\n"sv, ErrorCode::unsupported,
       "it is an HDF5 or NetCDF-4 file; pass it as a file, unpacked, not through a pipe"},
      {"CDF\1"sv, ErrorCode::unsupported, "it is a NetCDF file; save the variable as .npy"},
      {"CDF\2"sv, ErrorCode::unsupported, "it is a NetCDF file; save the variable as .npy"},
      {"SQLite format 3"sv, ErrorCode::unsupported,
       "it is an SQLite database; pipe a query in: sqlite3 FILE 'select x from t' | onefold OP"},
      {"SIMPLE  ="sv, ErrorCode::unsupported, "it is a FITS file; save the image as .npy"},
      {"MATLAB 5"sv, ErrorCode::unsupported, "it is a MATLAB file; save the array as .npy"},
      {"onefold-parts "sv, ErrorCode::unsupported, "it is a saved state; see onefold help answer"},
      {"1fold\r\n"sv, ErrorCode::unsupported, "it is a saved state; see onefold help answer"},
      {"1foldby"sv, ErrorCode::unsupported,
       "it is a saved state of groups; see onefold help answer"},
      {"%PDF-"sv, ErrorCode::unsupported, "it is a PDF document; it holds no plain numbers"},
  };
  const std::vector<std::byte> head = file.peek(16);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (const Signature& b : known) {
    if (marks && b.bytes == byte_order_mark) continue;
    if (text.starts_with(b.bytes)) file.fail(b.code, b.what);
  }
}

TextReader::TextReader(File& file, DType dtype, Integers integers, Size chunk_bytes,
                       const TextRange& range)
    : file_(file),
      dtype_(dtype),
      integers_(integers),
      chunk_bytes_(chunk_bytes),
      at_(range.begin),
      range_(range) {
  if (file_.seekable()) range_.end = std::min(range_.end, file_.size());
  if (range_.begin > 0) read_head();
}

void TextReader::read_head() {
  const auto most = static_cast<std::size_t>(std::min<uint64_t>(range_.begin, chunk_bytes_));
  std::vector<char> head(most + text_padding, '\n');
  file_.read_at(0, head.data(), most);
  const void* const last = ::memrchr(head.data(), '\n', most);
  if (last == nullptr) return;
  char* const end = head.data() + (static_cast<const char*>(last) - head.data()) + 1;
  std::fill(end, end + text_padding, '\n');
  const NumberSink no_sink = [](void*, const void*, Size, std::span<const DecimalTerm>) {};
  const ParsedChunk parsed =
      parse_chunk(dtype_, head.data(), end, LineState::start, integers_, false, no_sink, nullptr);
  head_columns_ = parsed.lines.all().columns;
  const std::string_view text(head.data(), static_cast<std::size_t>(end - head.data()));
  if (parsed.comma != none) comma_ = line_at(text, parsed.comma);
  if (parsed.blank != none) blank_ = line_at(text, parsed.blank);
}

Size TextReader::first_columns() const {
  return head_columns_ != 0 ? head_columns_ : lines_.all().columns;
}

Dims TextReader::shape_of(const File& file, const LineCounts& lines, bool table) {
  const Lines all = lines.all();
  if (table && all.ragged) {
    file.fail(ErrorCode::bad_token,
              "the first line with numbers has " + std::to_string(all.columns) +
                  " numbers, but line " + std::to_string(all.odd_line + 1) +
                  " of the lines with numbers has " + std::to_string(all.odd_columns) +
                  "; with --axis, every line must have the same number of numbers");
  }
  if (table && all.count == 1 && all.columns >= 2) return Dims(1, all.columns);
  if (LineCounts::is_table(all)) return Dims(all.count, all.columns);
  return Dims(lines.numbers);
}

// Chooses where to cut a text that continues, and sets the state for the next chunk.
std::size_t TextReader::cut_at(const char* text, std::size_t n, Chunk& chunk) {
  if (const void* end = ::memrchr(text, '\n', n)) {
    state_ = LineState::start;
    return static_cast<std::size_t>(static_cast<const char*>(end) - text) + 1;
  }
  // No line ends here: cut after the last number that certainly ends in this chunk.
  for (std::size_t i = n - 1; i > 0; --i) {
    if (is_separator(text[i]) && !is_separator(text[i - 1])) {
      state_ = LineState::after_token;
      return i;
    }
  }
  // Separators, and perhaps the beginning of a number after them.
  const char* const token = std::find_if_not(text, text + n, is_separator);
  if (token == text) {
    chunk.too_long = true;
    return n;
  }
  if (std::find(text, token, ',') != token) state_ = LineState::after_comma;
  return static_cast<std::size_t>(token - text);
}

bool TextReader::cut(Chunk& chunk) {
  if (ended_) return false;
  chunk.state = state_;
  if (file_.seekable()) {
    chunk.offset = at_;
    const uint64_t left = range_.end - at_;
    chunk.bytes = static_cast<std::size_t>(std::min<uint64_t>(left, chunk_bytes_));
    if (chunk.bytes == left) {
      chunk.last = ended_ = true;
    } else {
      // Searches for the last line end, beginning near the end of the chunk.
      const std::size_t whole = chunk.bytes;
      for (const std::size_t near : {std::min<std::size_t>(whole, 4096), whole}) {
        const Buffers::Lease lease(buffers_, near);
        char* const text = reinterpret_cast<char*>(lease.data());
        file_.read_at(at_ + whole - near, text, near);
        if (near < whole && ::memrchr(text, '\n', near) == nullptr) continue;
        chunk.bytes = whole - near + cut_at(text, near, chunk);
        break;
      }
      at_ += chunk.bytes;
    }
  } else {
    chunk.memory = std::make_unique<Buffers::Lease>(buffers_, chunk_bytes_ + text_padding);
    char* const text = reinterpret_cast<char*>(chunk.memory->data());
    std::copy(carry_.begin(), carry_.end(), text);
    const std::size_t asked = chunk_bytes_ - carry_.size();
    const std::size_t got = file_.read(text + carry_.size(), asked);
    chunk.bytes = carry_.size() + got;
    carry_.clear();
    if (got < asked) {
      chunk.last = ended_ = true;
    } else {
      const std::size_t n = cut_at(text, chunk.bytes, chunk);
      carry_.assign(text + n, text + chunk.bytes);
      chunk.bytes = n;
    }
  }
  return true;
}

TextReader::MarkedLine TextReader::line_at(std::string_view text, Size at) {
  const std::string_view before = text.substr(0, at), rest = text.substr(at);
  return {static_cast<Size>(std::count(before.begin(), before.end(), '\n')) + 1,
          std::string(trim(rest.substr(0, rest.find('\n'))).substr(0, 40))};
}

TextReader::MarkedLine TextReader::lone_mark(std::string_view text) {
  if (text.find_first_of(", ") == text.npos) return {};
  const Table plain;
  MarkedLine found;
  const bool one_a_line = over_lines(text, true, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    const bool marked = has_groups(line, ',', '.') || has_groups(line, ' ', '.') || has_comma(line);
    if (marked && found.line == 0) found = {number, std::string(line.substr(0, 40))};
    return marked || is_number(std::string(line), plain);
  });
  if (!one_a_line) return {};
  return found;
}

// Returns the first line with a doubtful field between tabs: in a .tsv one with a blank or a comma,
// elsewhere a number in groups like 1 000.
TextReader::MarkedLine TextReader::within_tabs(std::string_view text, bool tsv) {
  MarkedLine found;
  const auto has = [&](char c) { return text.find(c) != text.npos; };
  if (tsv ? !has(' ') && !has(',') : !has('\t') || !has(' ')) return found;
  over_lines(text, true, [&](std::string_view line, std::size_t number) {
    if (!tsv && line.find('\t') == line.npos) return true;
    for (std::size_t from = 0; from < line.size() && found.line == 0;) {
      const std::size_t to = std::min(line.find('\t', from), line.size());
      const std::string_view field = trim(line.substr(from, to - from));
      if (tsv ? field.find_first_of(", ") != field.npos : has_groups(field, ' ', '.')) {
        found = {number, std::string(line.substr(0, 40))};
      }
      from = to + 1;
    }
    return found.line == 0;
  });
  return found;
}

ParsedChunk TextReader::parse(Chunk& chunk, NumberSink sink, void* context, const BinsOf& bins_of,
                              Marks& marks) {
  if (chunk.memory == nullptr) {
    chunk.memory = std::make_unique<Buffers::Lease>(buffers_, chunk.bytes + text_padding);
    file_.read_at(chunk.offset, chunk.memory->data(), chunk.bytes);
  }
  char* const text = reinterpret_cast<char*>(chunk.memory->data());
  char* const end = text + chunk.bytes;
  std::fill(end, end + text_padding, '\n');
  ParsedChunk parsed;
  if (chunk.too_long) {
    parsed.problem =
        TextProblem{ErrorCode::bad_token, 0,
                    quote({text, end}) + " is longer than " + std::to_string(chunk.bytes) +
                        " bytes; numbers must be shorter"};
  } else {
    decimal::Bins* const bins = bins_of ? bins_of(has_points(text, end)) : nullptr;
    parsed = parse_chunk(dtype_, text, end, chunk.state, integers_, chunk.last, sink, context,
                         false, bins);
    const std::string_view all(text, chunk.bytes);
    if (separators_ != Separators::all) {
      if (parsed.comma != none) marks.comma = line_at(all, parsed.comma);
      if (parsed.blank != none) marks.blank = line_at(all, parsed.blank);
      marks.within = within_tabs(all, separators_ == Separators::tabs);
    }
    // Only for a text with one number a line; the first line's facts come from the last batch.
    const Lines here = parsed.lines.all();
    if (separators_ == Separators::sure && (here.ragged || here.columns != 1) &&
        first_columns() <= 1) {
      marks.lone = lone_mark(all);
    }
  }
  chunk.memory.reset();
  return parsed;
}

void TextReader::fail(const ParsedChunk& chunk) const {
  LineCounts at = lines_;
  at.add(chunk.lines);
  file_.fail(chunk.problem->code, "line " + std::to_string(range_.lines + at.line_ends + 1) +
                                      ", column " + std::to_string(at.tail_bytes + 1) + ": " +
                                      chunk.problem->what);
}

void TextReader::check(const Marks& marks, Size lines_before) {
  const auto refuse = [&](const MarkedLine& at, Size before, const std::string& what) {
    file_.fail(ErrorCode::bad_token,
               "line " + std::to_string(before + at.line) + ": " + quote_text(at.text) + what);
  };
  if (marks.within.line != 0) {
    refuse(marks.within, lines_before,
           std::string(
               separators_ == Separators::tabs
                   ? " has a comma or blank between tabs, which separate the numbers in a .tsv file"
                   : " has a number in groups of three digits between tabs") +
               "; pass --thousands or --decimal if it is part of a number, --delimiter if it "
               "separates numbers");
  }
  if (marks.lone.line != 0 && first_columns() == 1) {
    const bool comma = marks.lone.text.find(',') != std::string::npos;
    refuse(marks.lone, lines_before,
           std::string(", below lines of one number, can be read in two ways; pass --thousands ") +
               (comma ? ", or --decimal , if a comma is part of a number, --delimiter , if it "
                        "separates numbers"
                      : "\" \" if a blank is part of a number, --delimiter space if it separates "
                        "numbers"));
  }
  const auto note = [&](MarkedLine& first, const MarkedLine& here) {
    if (first.line == 0 && here.line != 0) first = {lines_before + here.line, here.text};
  };
  note(comma_, marks.comma);
  note(blank_, marks.blank);
  const bool one_kind = separators_ == Separators::one_kind || separators_ == Separators::sure;
  if (one_kind && comma_.line != 0 && blank_.line != 0) {
    refuse(comma_.line < blank_.line ? blank_ : comma_, 0,
           " can be read in two ways, because both commas and blanks are between numbers; pass "
           "--thousands or --decimal if one is part of a number, or replace commas with blanks if "
           "both separate numbers");
  }
}

bool TextReader::next(Size chunks, int threads, NumberSink sink,
                      const std::function<void*(Size)>& context,
                      const std::function<void(Size, const LineCounts&)>& done,
                      const std::function<decimal::Bins*(Size, bool)>& bins) {
  std::vector<Chunk> batch;
  for (Chunk chunk; batch.size() < chunks && cut(chunk);) {
    const bool stop = chunk.too_long;
    batch.push_back(std::move(chunk));
    chunk = Chunk();
    if (stop) {
      ended_ = true;
      break;
    }
  }
  std::vector<ParsedChunk> parsed(batch.size());
  std::vector<Marks> marks(batch.size());
  parallel(batch.size(), threads, [&](std::size_t k) {
    BinsOf bins_of;
    if (bins) bins_of = [&, k](bool points) { return bins(k, points); };
    parsed[k] = parse(batch[k], sink, context(k), bins_of, marks[k]);
  });
  for (Size k = 0; k < parsed.size(); ++k) {
    if (parsed[k].problem) fail(parsed[k]);
    const Size lines_before = range_.lines + lines_.line_ends;
    lines_.add(parsed[k].lines);
    check(marks[k], lines_before);
    done_ += batch[k].bytes;
    done(k, parsed[k].lines);
  }
  return !batch.empty();
}

}  // namespace onefold::io
