#include "file_fold/group_fold.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "api/output.hpp"
#include "file_fold/open_files.hpp"
#include "group/compact_states.hpp"
#include "group/group_plan.hpp"
#include "group/keys.hpp"
#include "io/table_fields.hpp"
#include "io/table_reader.hpp"
#include "parallel.hpp"

namespace onefold::io {
namespace {

// Keys of some hashes, and the states of their groups: one for each column.
struct Share {
  explicit Share(const Plan& plan, std::size_t columns) : states(columns, CompactStates(plan)) {}
  std::mutex mutex;
  Keys keys;
  std::vector<CompactStates> states;
  Size bytes() const {
    Size n = keys.bytes();
    for (const CompactStates& s : states) n += s.bytes();
    return n;
  }
};

class GroupFold {
 public:
  GroupFold(const Request& request, const Table& table, DType dtype, const Limits& limits)
      : plan_(group_plan(request, dtype)),
        limits_(limits),
        width_(table.folded.size()),
        parts_(table.by.size()),
        threads_(plan_.threads > 0 ? plan_.threads : default_threads()) {
    const std::size_t shares = threads_ == 1 ? 1 : 4 * static_cast<std::size_t>(threads_);
    for (std::size_t k = 0; k < shares; ++k) {
      shares_.push_back(std::make_unique<Share>(plan_, width_));
    }
  }

  void fold(File& file, const Table& table, bool exact, Meter& meter, Notes& notes) {
    const File::Use use(file);
    TableReader reader(file, table, plan_.dtype, exact, limits_.text_chunk_bytes);
    const auto rows = [&](Size, const TableReader::Rows& r) { add(r); };
    const auto done = [](Size, Size) {};
    for (Size bytes = 0; reader.next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader.bytes_done() - bytes);
      bytes = reader.bytes_done();
      check_memory(file);
    }
    note_bad_lines(file, reader, notes);
  }

  void finish(Grouped& grouped) {
    const std::vector<Place> places = in_order();
    Output output(plan_, places.size() * width_);
    parallel((places.size() + 255) / 256, threads_, [&](std::size_t block) {
      std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
      for (Size g = block * 256; g < std::min<Size>(places.size(), block * 256 + 256); ++g) {
        for (Size c = 0; c < width_; ++c) {
          shares_[places[g].share]->states[c].expand(places[g].group, state.data());
          output.put(plan_, g * width_ + c, state.data());
        }
      }
    });
    for (const Place& p : places) {
      grouped.keys.emplace_back(shares_[p.share]->keys[p.group]);
    }
    grouped.answers = output.take(Dims(places.size(), width_));
  }

 private:
  struct Place {
    uint32_t share, group;
  };

  // Rows of a piece: their keys are dealt out, and folded share by share.
  void add(const TableReader::Rows& r) {
    struct Row {
      Size row, hash, begin, end;
    };
    std::string bytes;
    std::vector<std::vector<Row>> dealt(shares_.size());
    for (Size row = 0; row < r.n; ++row) {
      const Size begin = bytes.size();
      append_key(r.layout, r.text + r.starts[row], r.end, bytes);
      const Size hash = Keys::hash_of(std::string_view(bytes).substr(begin));
      // Other bits than those that a table of keys takes.
      dealt[(hash >> 24) % shares_.size()].push_back({row, hash, begin, bytes.size()});
    }
    const Size each = bytes_of(plan_.dtype);
    std::vector<uint32_t> group;
    std::vector<std::byte> values;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const std::vector<Row>& mine = dealt[s];
      if (mine.empty()) continue;
      Share& share = *shares_[s];
      const std::lock_guard lock(share.mutex);
      group.clear();
      for (const Row& row : mine) {
        const auto key = std::string_view(bytes).substr(row.begin, row.end - row.begin);
        group.push_back(share.keys.find(key, row.hash));
      }
      for (Size c = 0; c < width_; ++c) {
        values.resize(mine.size() * each);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          std::copy_n(r.values + (c * r.capacity + mine[i].row) * each, each,
                      values.data() + i * each);
        }
        share.states[c].grow(share.keys.size());
        share.states[c].add(group.data(), values.data(), 1, mine.size());
      }
    }
  }

  void check_memory(const File& file) const {
    Size bytes = 0, groups = 0;
    for (const auto& share : shares_) {
      bytes += share->bytes();
      groups += share->keys.size();
    }
    if (bytes <= limits_.state_bytes) return;
    throw Error(ErrorCode::out_of_memory,
                "read " + file.name() + ": " + std::to_string(groups) +
                    " groups and more take over " + std::to_string(limits_.state_bytes >> 20) +
                    " MiB; allow more by --memory, or fold by fewer columns");
  }

  // All groups, sorted by their keys.
  std::vector<Place> in_order() const {
    std::vector<Place> places;
    for (uint32_t s = 0; s < shares_.size(); ++s) {
      for (uint32_t g = 0; g < shares_[s]->keys.size(); ++g) places.push_back({s, g});
    }
    const auto key_of = [&](const Place& p) { return shares_[p.share]->keys[p.group]; };
    // Where all keys of a column are numbers: those numbers.
    std::vector<std::vector<double>> numbers(parts_);
    const Table plain;
    for (std::size_t k = 0; k < parts_; ++k) {
      for (const Place& p : places) {
        double value = 0;
        const std::string part(parts_of_key(key_of(p), parts_)[k]);
        if (number_of(part, plain, value, false) != NumberError::none || value != value) {
          numbers[k].clear();
          break;
        }
        numbers[k].push_back(value);
      }
    }
    std::vector<uint32_t> order(places.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const auto x = parts_of_key(key_of(places[a]), parts_);
      const auto y = parts_of_key(key_of(places[b]), parts_);
      for (std::size_t k = 0; k < parts_; ++k) {
        if (!numbers[k].empty() && numbers[k][a] != numbers[k][b]) {
          return numbers[k][a] < numbers[k][b];
        }
        if (x[k] != y[k]) return x[k] < y[k];
      }
      return false;
    });
    std::vector<Place> sorted;
    for (const uint32_t k : order) sorted.push_back(places[k]);
    return sorted;
  }

  Plan plan_;
  const Limits& limits_;
  Size width_;
  std::size_t parts_;
  int threads_;
  std::vector<std::unique_ptr<Share>> shares_;
};

std::vector<std::string> names_of_keys(const Table& table) {
  std::vector<std::string> names;
  for (const std::size_t k : table.by) names.push_back(table.columns[k].name);
  return names;
}

}  // namespace

Grouped group_files(const Request& request, const std::vector<std::string>& files,
                    const InputOptions& input, const Progress& progress, const Limits& limits,
                    Notes* notes) {
  static_cast<void>(group_plan(request, DType::f64));  // before anything is opened
  OpenFiles r = open_files(request, files, input);
  Notes unheard;
  Notes& said = notes == nullptr ? unheard : *notes;
  for (const OpenFile& f : r.x) {
    if (!f.table)
      f.file->fail(ErrorCode::unsupported, "it is no table, and has no columns of keys");
  }
  const Table& first = *r.x[0].table;
  GroupFold fold(request, first, r.dtype(), limits);
  Meter meter(progress, r.bytes());
  Grouped grouped{.by = names_of_keys(first), .columns = first.folded, .keys = {}, .answers = {}};
  for (const OpenFile& f : r.x) {
    if (f.table->folded != first.folded || names_of_keys(*f.table) != grouped.by) {
      f.file->fail(ErrorCode::shape_mismatch, "its columns are not those of " +
                                                  r.x[0].file->name() +
                                                  "; choose those that both have by --columns");
    }
    fold.fold(*f.file, *f.table, !input.dtype, meter, said);
  }
  fold.finish(grouped);
  said.left_out = first.left_out;
  r.check_end();
  return grouped;
}

}  // namespace onefold::io
