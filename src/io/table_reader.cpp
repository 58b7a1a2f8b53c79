#include "io/table_reader.hpp"

#include <algorithm>
#include <cstring>

#include "io/quick_number.hpp"
#include "parallel.hpp"

namespace onefold::io {
namespace {

// Where the last line that ends in [text, text + n) outside of quotes ends; 0: none does.
std::size_t last_line_end(const char* text, std::size_t n, char delimiter) {
  const auto* const last = static_cast<const char*>(::memrchr(text, '\n', n));
  if (last == nullptr) return 0;
  const auto end = static_cast<std::size_t>(last - text) + 1;
  bool odd = false;
  for (const char* p = text; p != text + end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(text + end - p)));
    if (p == nullptr) break;
    odd = !odd;
  }
  if (!odd) return end;
  // An odd quote opens a field that goes on, or stands within one that has none around it.
  std::size_t found = 0;
  bool at_start = true;
  for (std::size_t i = 0; i < n; ++i) {
    const char c = text[i];
    if (c == '"' && at_start) {
      for (++i; i < n; ++i) {
        if (text[i] != '"') continue;
        if (i + 1 < n && text[i + 1] == '"') {
          ++i;
        } else {
          break;
        }
      }
      at_start = false;
    } else if (c == '\n') {
      found = i + 1;
      at_start = true;
    } else if (c == delimiter || (delimiter == ' ' && c == '\t')) {
      at_start = true;
    } else if (c != ' ') {
      at_start = false;
    }
  }
  return found;
}

}  // namespace

TableReader::TableReader(File& file, const Table& table, DType dtype, bool exact, Size piece_bytes)
    : file_(file),
      table_(table),
      layout_(table, exact),
      dtype_(dtype),
      piece_bytes_(piece_bytes),
      lines_(table.lines) {}

bool TableReader::cut(Piece& piece) {
  if (!begun_) {
    begun_ = true;
    std::vector<std::byte> head(static_cast<std::size_t>(table_.data));
    done_ += file_.read(head.data(), head.size());
  }
  if (ended_) return false;
  for (std::size_t room = piece_bytes_;; room *= 2) {
    room = std::max(room, 2 * carry_.size());
    piece.text = std::make_unique<Buffers::Lease>(texts_, room + text_padding);
    char* const text = reinterpret_cast<char*>(piece.text->data());
    std::copy(carry_.begin(), carry_.end(), text);
    const std::size_t asked = room - carry_.size();
    const std::size_t n = carry_.size() + file_.read(text + carry_.size(), asked);
    carry_.clear();
    piece.bytes = n;
    if (n < room) {
      ended_ = true;
      return n > 0;
    }
    piece.bytes = last_line_end(text, n, table_.delimiter);
    carry_.assign(text + piece.bytes, text + n);
    if (piece.bytes > 0) return true;
    if (room >= longest_line) {
      file_.fail(ErrorCode::bad_token, "line " + std::to_string(lines_ + 1) + " or one behind it " +
                                           "goes on for " + std::to_string(room) +
                                           " bytes and more, or a quote in it is not closed");
    }
  }
}

std::string TableReader::place_of(const RowProblem& problem) const {
  std::string name;
  if (table_.header && problem.column < table_.columns.size()) {
    for (const char c : table_.columns[problem.column].name) {
      const auto byte = static_cast<unsigned char>(c);
      name += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    name = " (" + name + ")";
  }
  return "line " + std::to_string(lines_ + problem.line + 1) + ", column " +
         std::to_string(problem.column + 1) + name + ": " + problem.what;
}

bool TableReader::next(Size most, int threads, const RowsOf& rows,
                       const std::function<void(Size, Size)>& done) {
  std::vector<Piece> pieces;
  for (Piece piece; pieces.size() < most && cut(piece); piece = Piece()) {
    pieces.push_back(std::move(piece));
  }
  std::vector<ParsedRows> parsed(pieces.size());
  parallel(pieces.size(), threads, [&](std::size_t k) {
    char* const text = reinterpret_cast<char*>(pieces[k].text->data());
    char* const end = text + pieces[k].bytes;
    layout_.put_in_place(text, end);
    std::fill(end, end + text_padding, '\n');
    const Size capacity = capacity_of(layout_, pieces[k].bytes);
    const Size slots = std::max<Size>(table_.folded.size(), 1);
    const Buffers::Lease numbers(numbers_, slots * capacity * bytes_of(dtype_));
    parsed[k] = parse_rows(dtype_, layout_, text, end, numbers.data(), capacity);
    if (!parsed[k].problem || layout_.skip_bad) rows(k, numbers.data(), parsed[k].rows, capacity);
    pieces[k].text.reset();
  });
  for (Size k = 0; k < parsed.size(); ++k) {
    const ParsedRows& p = parsed[k];
    if (p.problem && !layout_.skip_bad) file_.fail(p.problem->code, place_of(*p.problem));
    if (p.problem && first_bad_.empty()) first_bad_ = place_of(*p.problem);
    bad_ += p.bad;
    lines_ += p.line_ends;
    done_ += pieces[k].bytes;
    done(k, p.rows);
  }
  return !pieces.empty();
}

}  // namespace onefold::io
