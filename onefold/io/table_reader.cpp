#include "onefold/io/table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "onefold/io/quick_number.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io {
namespace {

// Returns the place behind the last line end in [text + from, text + to); 0: there is none.
std::size_t last_newline(const char* text, std::size_t from, std::size_t to) {
  const auto* const last = static_cast<const char*>(::memrchr(text + from, '\n', to - from));
  return last == nullptr ? 0 : static_cast<std::size_t>(last - text) + 1;
}

// Returns the end of the last line that ends in [text, text + n) outside of quotes; 0: none does. A
// line begins at `text`.
std::size_t last_line_end(const char* text, std::size_t n, char delimiter) {
  std::size_t found = 0;
  const auto look = [&](std::size_t from, std::size_t to) {
    found = std::max(found, last_newline(text, from, to));
  };
  const auto quote_from = [&](std::size_t from) {
    const void* const q = std::memchr(text + from, '"', n - from);
    return q == nullptr ? n : static_cast<std::size_t>(static_cast<const char*>(q) - text);
  };
  std::size_t from = 0;
  for (std::size_t q = quote_from(0); q < n;) {
    if (!begins_field(text, q, delimiter)) {
      q = quote_from(q + 1);
      continue;
    }
    look(from, q);
    std::size_t close = quote_from(q + 1);
    while (close + 1 < n && text[close + 1] == '"') close = quote_from(close + 2);
    if (close >= n) return found;
    from = close + 1;
    q = quote_from(from);
  }
  look(from, n);
  return found;
}

// Keys of lines that have been parsed.
class LineKeys : public RowKeys {
 public:
  LineKeys(const RowLayout& layout, const char* text, const char* end,
           const std::vector<Size>& starts)
      : layout_(layout), text_(text), end_(end), starts_(starts) {}
  void append(Size row, std::string& key) const override {
    append_key(layout_, text_ + starts_[row], end_, key);
  }

 private:
  const RowLayout& layout_;
  const char *text_, *end_;
  const std::vector<Size>& starts_;
};

// Returns how many of the positions belong to each column.
std::vector<Size> count_by_slot(const std::vector<Size>& places, Size slots, Size capacity) {
  std::vector<Size> counts(slots);
  for (const Size place : places) ++counts[place / capacity];
  return counts;
}

// Adds a piece's fields that are no numbers.
//   line_of  the line of a byte of the piece, from 0
void add_others(const ParsedRows& p, Size slots, Size capacity,
                const std::function<Size(Size offset)>& line_of, OthersBySlot& others) {
  for (const OtherPlaces* all : {&p.texts, &p.integers}) {
    if (all->places.empty()) continue;
    const std::vector<Size> counts = count_by_slot(all->places, slots, capacity);
    for (const auto& [slot, first] : all->first) {
      OtherFields fields{.line = line_of(first.offset), .text = first.text};
      (all == &p.texts ? fields.texts : fields.integers) = counts[slot];
      others[slot].add(fields);
    }
  }
}

// Counts rows: each row counts, whatever its key is.
void take_rows(const RowLayout& layout, Size capacity, Size each, std::byte* values,
               ParsedRows& p) {
  for (Size slot = 0; slot < layout.fields.size(); ++slot) {
    if (layout.fields[slot] != Fields::rows) continue;
    std::fill_n(values + slot * capacity * each, p.rows * each, std::byte{0});
    std::erase_if(p.missing, [&](Size place) { return place / capacity == slot; });
  }
}

// Sorts terms by position, and drops those of missing values, which are NaN. The terms of one
// column are sorted already.
void put_in_order(std::vector<DecimalTerm>& terms, const double* values, bool missing, Size slots,
                  Size capacity) {
  if (missing) {
    std::erase_if(terms, [&](const DecimalTerm& t) { return std::isnan(values[t.place]); });
  }
  if (std::ranges::is_sorted(terms, {}, &DecimalTerm::place)) return;
  std::vector<Size> next(slots + 1);
  for (const DecimalTerm& t : terms) ++next[t.place / capacity + 1];
  for (Size s = 0; s < slots; ++s) next[s + 1] += next[s];
  std::vector<DecimalTerm> sorted(terms.size());
  for (const DecimalTerm& t : terms) sorted[next[t.place / capacity]++] = t;
  terms = std::move(sorted);
}

}  // namespace

TableReader::TableReader(File& file, const Table& table, DType dtype, Integers integers,
                         Size piece_bytes)
    : file_(file),
      table_(table),
      json_(table.members.empty() ? nullptr : std::make_unique<JsonReading>(table)),
      layout_(json_ == nullptr ? table : json_->table, integers),
      dtype_(dtype),
      piece_bytes_(piece_bytes),
      lines_(table.lines) {}

bool TableReader::cut(Piece& piece) {
  if (!begun_) {
    begun_ = true;
    file_.skip(table_.data);
    if (!table_.continues) done_ += table_.data;
  }
  if (ended_) return false;
  for (std::size_t room = piece_bytes_;; room *= 2) {
    room = std::max(room, 2 * carry_.size());
    piece.memory.reset();  // frees a buffer that was too small
    piece.memory = std::make_unique<Buffers::Lease>(texts_, lead + room + text_padding);
    char* const text = piece.text();
    std::copy(carry_.begin(), carry_.end(), text);
    const auto asked = static_cast<std::size_t>(
        std::min<uint64_t>(room - carry_.size(), table_.end - file_.position()));
    const std::size_t n = carry_.size() + file_.read(text + carry_.size(), asked);
    carry_.clear();
    piece.bytes = n;
    if (table_.cr_ends) end_lines_at_cr(text, n, table_.delimiter, n < room);
    if (table_.comment != 0) blank_comments(text, n, table_.delimiter, table_.comment, n < room);
    if (table_.repeats_as_numbers) {
      headers_ += blank_copies(text, n, table_.delimiter, table_.header_line, n < room);
    }
    if (n < room) {
      ended_ = true;
      return n > 0;
    }
    piece.bytes =
        json_ != nullptr ? last_newline(text, 0, n) : last_line_end(text, n, table_.delimiter);
    if (piece.bytes == 0 && room >= longest_line) {
      file_.fail(ErrorCode::bad_token,
                 "line " + std::to_string(lines_ + 1) + " or a later one is longer than " +
                     std::to_string(room) + " bytes, or a quote in it is not closed");
    }
    carry_.assign(text + piece.bytes, text + n);
    if (piece.bytes > 0) return true;
  }
}

std::string TableReader::place_of(const RowProblem& problem) const {
  const Size line = lines_ + problem.line + 1;
  if (problem.column == RowProblem::no_column) {
    return "line " + std::to_string(line) + ", " + problem.what;
  }
  return place_text(table_, line, problem.column) + ": " + problem.what;
}

ParsedRows TableReader::parse(const FieldLines* json, const char* text, const char* end,
                              void* values, Size capacity) const {
  ParsedRows p = parse_rows(dtype_, layout_, text, end, values, capacity);
  if (json == nullptr) return p;
  p.line_ends = json->lines;
  p.bad += json->bad;
  if (p.problem) {
    p.problem->line = json->line_of(p.problem->line);
    p.problem->column = json_->outer[p.problem->column];
  }
  if (json->problem && (!p.problem || json->problem->line < p.problem->line)) {
    p.problem = json->problem;
  }
  return p;
}

bool TableReader::next(Size most, int threads, const RowsOf& rows,
                       const std::function<void(Size, Size)>& done) {
  struct ParsedPiece {
    ParsedRows rows;
    std::size_t bytes = 0;
    std::vector<Size> missing;
    OthersBySlot others;
    std::set<std::string> unknown;
  };
  std::vector<ParsedPiece> parsed(most);
  std::mutex cutting;
  Size cuts = 0;
  // A thread that is free cuts the next piece, so that others parse while it reads.
  parallel(most, threads, [&](std::size_t) {
    Piece piece;
    Size k = 0;
    {
      const std::lock_guard lock(cutting);
      if (!cut(piece)) return;
      k = cuts++;
    }
    char* text = piece.text();
    char* end = text + piece.bytes;
    std::fill(end, end + text_padding, '\n');
    FieldLines fields;
    if (json_ != nullptr) {
      fields.text.reserve(piece.bytes);
      append_fields(json_->members, json_->outer.size(), text, end, fields);
      fields.text.append(text_padding, '\n');
      text = fields.text.data() + lead;
      end = text + (fields.text.size() - lead - text_padding);
    }
    layout_.put_in_place(text, end);
    const Size capacity = capacity_of(layout_, static_cast<std::size_t>(end - text));
    const Size slots = std::max<Size>(table_.folded.size(), 1);
    const Buffers::Lease numbers(numbers_, slots * capacity * bytes_of(dtype_));
    ParsedRows p = parse(json_ == nullptr ? nullptr : &fields, text, end, numbers.data(), capacity);
    take_rows(layout_, capacity, bytes_of(dtype_), numbers.data(), p);
    if (!p.terms.empty()) {
      put_in_order(p.terms, reinterpret_cast<const double*>(numbers.data()), !p.missing.empty(),
                   slots, capacity);
    }
    if (!p.problem || layout_.skip_bad) {
      const LineKeys keys(layout_, text, end, p.starts);
      const std::span<const Size> left_out(p.missing);
      rows(k, {numbers.data(), p.rows, capacity, keys,
               table_.missing_is_nan ? left_out.first(0) : left_out, p.terms, p.pointed});
    }
    if (!p.missing.empty()) parsed[k].missing = count_by_slot(p.missing, slots, capacity);
    const auto line_of = [&](Size offset) {
      const auto lines = static_cast<Size>(std::count(text, text + offset, '\n'));
      return json_ == nullptr ? lines : fields.line_of(lines);
    };
    add_others(p, slots, capacity, line_of, parsed[k].others);
    parsed[k].unknown = std::move(fields.unknown);
    parsed[k].rows = std::move(p);
    parsed[k].bytes = piece.bytes;
  });
  parsed.resize(cuts);
  for (Size k = 0; k < parsed.size(); ++k) {
    const ParsedRows& p = parsed[k].rows;
    if (p.problem && !layout_.skip_bad) file_.fail(p.problem->code, place_of(*p.problem));
    if (p.problem && first_bad_.empty()) first_bad_ = place_of(*p.problem);
    bad_ += p.bad;
    add_to(missing_, parsed[k].missing);
    for (auto& [slot, fields] : parsed[k].others) {
      fields.line += lines_ + 1;
      others_[slot].add(fields);
    }
    headers_ += p.headers;
    unknown_.merge(parsed[k].unknown);
    lines_ += p.line_ends;
    done_ += parsed[k].bytes;
    done(k, p.rows);
  }
  return cuts > 0;
}

Table rows_of(const Table& table, const TextRange& range) {
  Table some = table;
  if (table.source != nullptr) some.source = table.source->rows_of(range);
  const Table* const text = text_of(table);
  some.continues = range.begin != (text != nullptr ? text->data : 0);
  if (text == nullptr) return some;
  some.data = range.begin;
  some.end = range.end;
  some.lines = range.lines;
  return some;
}

std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype, Integers integers,
                                     Size piece_bytes) {
  if (table.source != nullptr)
    return table.source->open_rows(file, table, dtype, integers, piece_bytes);
  return std::make_unique<TableReader>(file, table, dtype, integers, piece_bytes);
}

}  // namespace onefold::io
