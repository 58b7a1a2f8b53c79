#include "onefold/io/line_scan.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "onefold/io/table_fields.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;
// Bytes before a block in which the field of its first quote may begin
constexpr std::size_t lead = 4096;

Size count_lines(const char* begin, const char* end) {
  return static_cast<Size>(std::count(begin, end, '\n'));
}

// A block of a text; `before` bytes in front of it can be read.
struct TextBlock {
  const char* text;
  std::size_t n, before;
  uint64_t offset;  // in the file

  std::size_t find(char c, std::size_t from) const {
    const void* const at = std::memchr(text + from, c, n - from);
    return at == nullptr ? n : static_cast<std::size_t>(static_cast<const char*>(at) - text);
  }
  // Whether only blanks stand between the first byte that can be read and the quote at q; then the
  // field's begin is not known.
  bool is_far(std::size_t q, uint64_t first) const {
    if (offset - before == first) return false;
    const std::string_view blanks(text - before, before + q);
    return blanks.find_first_not_of(' ') == blanks.npos;
  }
  bool opens(std::size_t q, char delimiter) const {
    return begins_field(text - before, before + q, delimiter);
  }
};

// Continues a scan over the next block.
void walk(const TextBlock& b, const QuoteRule& rule, LineScan& all, LineScan::From& from) {
  for (std::size_t at = 0; at < b.n;) {
    if (from.end == LineScan::closing) {
      from.end = b.text[at] == '"' ? LineScan::inside : LineScan::outside;
      at += b.text[at] == '"';
    } else if (from.end == LineScan::inside) {
      const std::size_t q = b.find('"', at);
      if (q < b.n) from.end = LineScan::closing;
      at = q + 1;
    } else {
      std::size_t q = rule.quotes ? b.find('"', at) : b.n;
      while (q < b.n && !b.opens(q, rule.delimiter)) q = b.find('"', q + 1);
      if (q < b.n && rule.delimiter != ' ' && b.is_far(q, rule.text)) all.unsure = 1;
      if (from.line == TextRange::to_the_end) {
        const void* const end = std::memchr(b.text + at, '\n', q - at);
        if (end != nullptr) {
          const char* const behind = static_cast<const char*>(end) + 1;
          from.line = b.offset + static_cast<uint64_t>(behind - b.text);
          from.lines = all.lines + count_lines(b.text, behind);
        }
      }
      if (q < b.n) from.end = LineScan::inside;
      at = q + 1;
    }
  }
}

// Continues a scan from all states over the next block. After some lines most texts are in the same
// state, whatever the first one was; then one walk is enough.
void walk_all(const TextBlock& b, const QuoteRule& rule, LineScan& all) {
  const auto before = all.from;
  const auto found = [](const LineScan::From& f) { return f.line != TextRange::to_the_end; };
  for (std::size_t s = 0; s < before.size(); ++s) {
    const auto same = [&](const LineScan::From& f) {
      return f.end == before[s].end && found(f) == found(before[s]);
    };
    const auto first = std::find_if(before.begin(), before.end(), same) - before.begin();
    const auto t = static_cast<std::size_t>(first);
    if (t == s) {
      walk(b, rule, all, all.from[s]);
      continue;
    }
    if (!found(before[s])) all.from[s] = all.from[t];
    all.from[s].end = all.from[t].end;
  }
}

LineScan scan_part(const File& file, uint64_t begin, uint64_t end, const QuoteRule& rule) {
  LineScan all;
  std::vector<char> memory(lead + block_bytes);
  for (uint64_t at = begin; at < end;) {
    const auto before = static_cast<std::size_t>(std::min<uint64_t>(at - rule.text, lead));
    const auto n = static_cast<std::size_t>(std::min<uint64_t>(end - at, block_bytes));
    file.read_at(at - before, memory.data(), before + n);
    const TextBlock block{memory.data() + before, n, before, at};
    walk_all(block, rule, all);
    all.lines += count_lines(block.text, block.text + n);
    at += n;
  }
  return all;
}

}  // namespace

void LineScan::add(const LineScan& next) {
  for (From& f : from) {
    const From& then = next.from[f.end];
    if (f.line == TextRange::to_the_end && then.line != TextRange::to_the_end) {
      f.line = then.line;
      f.lines = lines + then.lines;
    }
    f.end = then.end;
  }
  lines += next.lines;
  unsure |= next.unsure;
}

LineScan scan_lines(const File& file, uint64_t begin, uint64_t end, const QuoteRule& rule,
                    int threads) {
  const auto bytes = end - begin;
  const uint64_t parts =
      std::min<uint64_t>(static_cast<uint64_t>(std::max(threads, 1)), bytes / block_bytes + 1);
  std::vector<LineScan> scans(static_cast<std::size_t>(parts));
  parallel(scans.size(), threads, [&](std::size_t k) {
    scans[k] = scan_part(file, begin + bytes / parts * k,
                         k + 1 == parts ? end : begin + bytes / parts * (k + 1), rule);
  });
  LineScan all;
  for (const LineScan& scan : scans) all.add(scan);
  return all;
}

}  // namespace onefold::io
