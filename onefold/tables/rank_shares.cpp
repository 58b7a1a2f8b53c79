#include "onefold/tables/rank_shares.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::io {
namespace {

// The bytes of all files, one after another, of which each rank gets an equal share.
class Shares {
 public:
  Shares(const std::vector<WholeFile>& files, std::size_t ranks) : files_(files), ranks_(ranks) {
    for (const WholeFile& f : files) {
      first_.push_back(all_);
      all_ += bytes_of(f);
    }
  }

  // Which bytes of a file a rank gets, if the file may be cut anywhere; as offsets in the file.
  struct Bytes {
    uint64_t begin, end;
    bool none() const { return begin == end; }
  };
  Bytes bytes(std::size_t rank, std::size_t f) const {
    const uint64_t n = bytes_of(files_[f]), first = first_[f];
    const Share share{rank, ranks_};
    const auto within = [&](Size at) {
      return std::clamp<uint64_t>(at, first, first + n) - first + files_[f].rule->text;
    };
    return {within(share.begin(all_)), within(share.end(all_))};
  }
  bool cut(std::size_t rank, std::size_t f) const {
    if (!files_[f].rule) return false;
    const Bytes b = bytes(rank, f);
    return !b.none() && b.end - b.begin < bytes_of(files_[f]);
  }
  // The groups of a container whose first bytes are in a rank's share, if all are equally long.
  TextRange groups(std::size_t rank, std::size_t f) const {
    const Share share{rank, ranks_};
    const uint64_t n = bytes_of(files_[f]), each = std::max<uint64_t>(n / files_[f].groups, 1);
    const auto from = [&](Size at) -> uint64_t {
      const uint64_t within = std::clamp<uint64_t>(at, first_[f], first_[f] + n) - first_[f];
      return within == n ? files_[f].groups
                         : std::min<uint64_t>((within + each - 1) / each, files_[f].groups);
    };
    return {from(share.begin(all_)), from(share.end(all_))};
  }
  // Whether a rank reads a file that is not cut: the rank in whose share its first byte is.
  bool whole(std::size_t rank, std::size_t f) const {
    if (files_[f].rule && bytes_of(files_[f]) > 0) {
      const Bytes b = bytes(rank, f);
      return b.end - b.begin == bytes_of(files_[f]);
    }
    if (all_ == 0) return rank == 0;
    const Share share{rank, ranks_};
    const bool last = rank + 1 == ranks_;
    return share.begin(all_) <= first_[f] && (first_[f] < share.end(all_) || last);
  }

 private:
  static uint64_t bytes_of(const WholeFile& f) {
    const uint64_t n = f.file->size();
    return f.rule ? n - std::min(n, f.rule->text) : n;
  }
  const std::vector<WholeFile>& files_;
  std::size_t ranks_;
  std::vector<uint64_t> first_;  // bytes before each file
  uint64_t all_ = 0;
};

// What a rank found in its part of a file that is cut.
struct PartScan {
  uint64_t file;
  LineScan lines;
};

// Where each rank begins in a file that is cut; nothing for a rank that reads none of it.
class Begins {
 public:
  explicit Begins(const WholeFile& file)
      : begin_{file.rule->text, TextRange::to_the_end, file.lines} {}

  void add(std::size_t rank, const LineScan& part) {
    if (ranges_.empty()) {
      ranges_[rank] = begin_;
    } else if (const LineScan::From& from = part.from[before_.from[0].end];
               from.line != TextRange::to_the_end) {
      ranges_[rank] = {from.line, TextRange::to_the_end, begin_.lines + before_.lines + from.lines};
    }
    before_.add(part);
  }

  // Each range ends where the next one begins. A text whose quotes are unsure is not cut.
  std::optional<TextRange> of(std::size_t rank) const {
    const auto at = ranges_.find(rank);
    if (at == ranges_.end()) return {};
    if (before_.unsure != 0) return at == ranges_.begin() ? std::optional(begin_) : std::nullopt;
    TextRange range = at->second;
    if (std::next(at) != ranges_.end()) range.end = std::next(at)->second.begin;
    return range;
  }

 private:
  TextRange begin_;
  std::map<std::size_t, TextRange> ranges_;
  LineScan before_;
};

bool can_cut_text(const File& file) { return file.seekable() && file.checksum() == nullptr; }

uint64_t hash_of_sizes(const std::vector<WholeFile>& files) {
  std::string text;
  for (const WholeFile& f : files)
    text += std::to_string(f.file->size()) + ' ' + std::to_string(f.groups) + ' ';
  return hash_of(text);
}

}  // namespace

std::vector<RankFile> share_files(Peers& peers, const std::vector<WholeFile>& files, int threads) {
  const Shares shares(files, peers.ranks());
  const uint64_t sizes = hash_of_sizes(files);
  std::vector<std::byte> mine;
  append(mine, sizes);
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (!shares.cut(peers.rank(), f)) continue;
    const auto [begin, end] = shares.bytes(peers.rank(), f);
    const File::Use use(*files[f].file);
    const PartScan scanned{f, scan_lines(*files[f].file, begin, end, *files[f].rule, threads)};
    append(mine, &scanned, sizeof scanned);
  }
  const Peers::Bytes all = peers.gather(mine);
  std::map<std::size_t, Begins> begins;
  for (std::size_t r = 0; r < peers.ranks(); ++r) {
    auto bytes = all[r];
    if (take_number(bytes) != sizes) {
      throw Error(ErrorCode::bad_state,
                  "a file has a different size on different ranks; let its writer finish first");
    }
    while (!bytes.empty()) {
      PartScan scanned;
      std::memcpy(static_cast<void*>(&scanned), take(bytes, sizeof scanned).data(), sizeof scanned);
      begins.try_emplace(scanned.file, files.at(scanned.file)).first->second.add(r, scanned.lines);
    }
  }
  std::vector<RankFile> own;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (const auto at = begins.find(f); at != begins.end()) {
      if (const auto range = at->second.of(peers.rank())) own.push_back({f, range});
    } else if (files[f].groups > 1) {
      const TextRange range = shares.groups(peers.rank(), f);
      if (range.begin < range.end) own.push_back({f, range});
    } else if (shares.whole(peers.rank(), f)) {
      own.push_back({f, {}});
    }
  }
  return own;
}

WholeFile whole_file(const File& file, const Table* table) {
  const Table* const text = table == nullptr ? nullptr : text_of(*table);
  if (table != nullptr && text == nullptr) {
    return {.file = &file, .groups = table->source->groups()};
  }
  if (!can_cut_text(file) ||
      (table != nullptr && (text == nullptr || text->cr_ends || text->comment != 0))) {
    return {.file = &file};
  }
  if (text == nullptr) return {&file, QuoteRule{.quotes = false}};
  return {&file, QuoteRule{text->delimiter, text->members.empty(), text->data}, text->lines};
}

TablePart rows_of(const TablePart& part, const TextRange& range) {
  return {part.file, std::make_shared<Table>(rows_of(*part.table, range))};
}

std::vector<TablePart> share_tables(Peers* peers, const std::vector<TablePart>& tables,
                                    int threads) {
  if (peers == nullptr) return tables;
  std::vector<WholeFile> files;
  for (const TablePart& part : tables) files.push_back(whole_file(*part.file, part.table.get()));
  std::vector<TablePart> own;
  for (const RankFile& f : share_files(*peers, files, threads)) {
    const TablePart& part = tables[f.file];
    own.push_back(f.range ? rows_of(part, *f.range) : part);
  }
  return own;
}

}  // namespace onefold::io
