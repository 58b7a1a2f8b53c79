#include "onefold/tables/group_quantiles.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "onefold/engine/quantile/rank_search.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/array_groups.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

// The quantiles of so many groups are searched together: their counts take 24 MiB.
constexpr std::size_t most_searched = 48;

class GroupQuantiles {
 public:
  GroupQuantiles(const std::vector<Quantile>& quantiles, const std::vector<std::string>& files,
                 const InputOptions& input, const Options& options, const Limits& limits)
      : quantiles_(quantiles),
        files_(files),
        input_(input),
        options_(options),
        limits_(limits),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        room_(limits.state_bytes / (2 * sizeof(uint64_t))) {
    for (std::size_t k = shares_of_keys(threads_); k > 0; --k) {
      shares_.push_back(std::make_unique<Share>());
    }
  }

  Grouped run(const Progress& progress, Notes& notes, const GroupOrder& order) {
    pass(progress, &notes, &order);
    const std::vector<Size> kept = kept_columns(*first_file_, *table_, notes);
    Grouped grouped = named_groups(*table_);
    for (const Size c : kept) grouped.columns.push_back(table_->folded[c]);
    place_groups(grouped, kept);
    std::vector<Slot*> slots = slots_of(kept);
    if (all_stored_) {
      select(slots, grouped.answers);
    } else {
      // The smallest groups first, so that a pass can store the numbers of as many groups as
      // possible.
      std::ranges::sort(slots, {}, [](const Slot* s) { return s->count; });
      for (std::span<Slot*> rest = slots; !rest.empty();) rest = some(rest, grouped.answers);
    }
    return grouped;
  }

 private:
  // A group's numbers in one column.
  struct Slot {
    Size count = 0, nans = 0;
    Size place = 0;                // position of its answer
    std::vector<uint64_t> keys;    // those that the pass stores
    bool stores = true;            // the pass stores them
    std::size_t search = nowhere;  // else: the column of search_ that gets them
  };
  static constexpr std::size_t nowhere = ~std::size_t{0};
  struct Share {
    std::mutex mutex;
    Keys keys;
    std::vector<Slot> slots;  // width_ for each key
  };

  // Reads all files once.
  //   notes, order  null: it is not the first pass
  void pass(const Progress& progress, Notes* notes, const GroupOrder* order) {
    const bool first = notes != nullptr;
    const Query query("min", {.nan = options_.nan, .threads = options_.threads});
    OpenFiles r = open_keyed_tables(query, files_, input_);
    const std::vector<TablePart> tables = tables_of(r);
    if (!first && tables[0].table->folded != table_->folded) {
      tables[0].file->fail(ErrorCode::read_failed,
                           "the file changed while it was read; let its writer finish first");
    }
    table_ = tables[0].table;
    width_ = table_->folded.size();
    dtype_ = r.dtype();
    if (first) {
      std::vector<std::string> names;
      for (const Quantile& q : quantiles_) names.push_back(q.name);
      if (order->asked()) check_order(*order, names_of_keys(*table_), table_->folded, names);
      notes->folded = table_->folded;
    }
    Meter meter(progress, r.bytes());
    Notes unheard;
    for (const TablePart& part : tables) {
      check_keyed_table(tables[0], part);
      if (!first && !part.file->seekable()) {
        part.file->fail(ErrorCode::needs_seek,
                        "its numbers do not fit in memory, and a stream cannot be read twice; use "
                        "a file, or allow more with --memory");
      }
      read(part, first, meter, first ? *notes : unheard);
    }
    r.check_end();
    if (first) first_file_ = std::move(r.x[0].file);
  }

  void read(const TablePart& part, bool first, Meter& meter, Notes& notes) {
    const File::Use use(*part.file);
    const Integers integers = input_.dtype ? Integers::rounded : Integers::refused;
    const auto reader =
        open_rows(*part.file, *part.table, dtype_, integers, limits_.text_chunk_bytes);
    const auto rows = [&](Size, const RowReader::Rows& r) { add(r, first, *part.file); };
    Size n = 0;
    const auto done = [&](Size, Size rows_of_piece) { n += rows_of_piece; };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
      if (first) check_memory(*part.file);
    }
    note_reading(*part.file, *part.table, *reader, n, notes);
  }

  void check_memory(const File& file) {
    Size bytes = 0, groups = 0;
    for (const auto& share : shares_) {
      bytes += share->keys.bytes() + share->slots.capacity() * sizeof(Slot);
      groups += share->keys.size();
    }
    check_groups_memory(groups, bytes, file, limits_);
    if (!all_stored_ || stored_ + bytes / (2 * sizeof(uint64_t)) <= room_) return;
    all_stored_ = false;
    for (const auto& share : shares_) {
      for (Slot& slot : share->slots) std::vector<uint64_t>().swap(slot.keys);
    }
  }

  void add(const RowReader::Rows& r, bool first, const File& file) {
    std::vector<std::byte> present;
    if (!r.left_out.empty()) present = r.present(width_);
    const RowPartition dealt(r.n, shares_.size(),
                             [&](Size row, std::string& key) { r.keys.append(row, key); });
    std::vector<uint64_t> key;
    std::vector<std::size_t> group;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      Share& share = *shares_[s];
      const std::vector<RowPartition::Row>& mine = dealt.of_share(s);
      const std::lock_guard lock(share.mutex);
      group.clear();
      const std::vector<uint32_t> number = dealt.numbers(s, share.keys);
      for (const RowPartition::Row& row : mine) group.push_back(number[row.key]);
      if (first) {
        share.slots.resize(share.keys.size() * width_);
      } else if (share.slots.size() < share.keys.size() * width_) {
        file.fail(ErrorCode::read_failed,
                  "the file changed while it was read; let its writer finish first");
      }
      for (Size c = 0; c < width_; ++c) {
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const Size at = c * r.capacity + mine[i].row;
          if (!present.empty() && present[at] == std::byte{0}) continue;
          Slot& slot = share.slots[group[i] * width_ + c];
          key.clear();
          Size nans = 0;
          visit(dtype_, [&]<class T>() {
            T x;
            std::memcpy(static_cast<void*>(&x), r.values + at * sizeof x, sizeof x);
            add_key(x, key, nans);
          });
          if (first) slot.nans += nans;
          if (!key.empty()) take(slot, key, first);
        }
      }
    }
  }

  void take(Slot& slot, const std::vector<uint64_t>& key, bool first) {
    if (first) {
      ++slot.count;
      if (!all_stored_) return;
      slot.keys.push_back(key[0]);
      ++stored_;
    } else if (slot.stores) {
      slot.keys.push_back(key[0]);
    } else if (slot.search != nowhere) {
      const std::lock_guard lock(searching_);
      search_->add(slot.search, key);
    }
  }

  // Sorts the groups by their keys, and gives each slot the place of its answer.
  void place_groups(Grouped& grouped, const std::vector<Size>& kept) {
    std::vector<std::pair<Share*, Size>> groups;
    for (const auto& share : shares_) {
      for (Size g = 0; g < share->keys.size(); ++g) groups.emplace_back(share.get(), g);
    }
    const auto key_of = [&](Size g) { return groups[g].first->keys[groups[g].second]; };
    Size place = 0;
    for (const uint32_t g :
         order_of_keys(groups.size(), grouped.by.size(), grouped.nulls, key_of)) {
      grouped.keys.emplace_back(key_of(g));
      const auto& [share, own] = groups[g];
      for (const Size c : kept) share->slots[own * width_ + c].place = place++;
    }
    for (const Quantile& q : quantiles_) {
      Answer& a = grouped.answers.list.emplace_back(Answer{
          .op = q.name,
          .dtype = quantile_type(dtype_),
          .shape = Dims(static_cast<int64_t>(groups.size()), static_cast<int64_t>(kept.size())),
          .data = {},
          .status = {}});
      a.data.resize(place * bytes_of(a.dtype));
      a.status.resize(place);
    }
  }

  std::vector<Slot*> slots_of(const std::vector<Size>& kept) {
    std::vector<Slot*> slots;
    for (const auto& share : shares_) {
      for (Size g = 0; g < share->keys.size(); ++g) {
        for (const Size c : kept) slots.push_back(&share->slots[g * width_ + c]);
      }
      for (Slot& slot : share->slots) slot.stores = false;
    }
    return slots;
  }

  // Finds the quantiles of the first slots, and returns the rest.
  std::span<Slot*> some(std::span<Slot*> slots, Answers& answers) {
    std::size_t n = 0;
    for (Size keys = 0; n < slots.size() && keys + slots[n]->count <= room_; ++n) {
      keys += slots[n]->count;
    }
    const bool few = n < slots.size() && slots.size() <= most_searched;
    if (n == 0 || few) {
      n = std::min(slots.size(), most_searched);
      search(slots.first(n), answers);
    } else {
      for (Slot* const slot : slots.first(n)) {
        slot->stores = true;
        slot->keys.reserve(slot->count);
      }
      pass({}, nullptr, nullptr);
      for (const Slot* const slot : slots.first(n)) {
        if (slot->keys.size() == slot->count) continue;
        first_file_->fail(ErrorCode::read_failed,
                          "the file changed while it was read; let its writer finish first");
      }
      select(slots.first(n), answers);
      for (Slot* const slot : slots.first(n)) slot->stores = false;
    }
    return slots.subspan(n);
  }

  // Finds the quantiles of slots whose numbers are stored.
  void select(std::span<Slot*> slots, Answers& answers) {
    constexpr Size at_once = 64;
    const DType type = quantile_type(dtype_);
    parallel((slots.size() + at_once - 1) / at_once, threads_, [&](std::size_t block) {
      const std::size_t first = block * at_once;
      for (Slot* const slot : slots.subspan(first, std::min(at_once, slots.size() - first))) {
        select_quantiles(quantiles_, slot->keys, dtype_, type, [&](std::size_t k, uint64_t bits) {
          put_quantile(answers.list[k], slot->place, bits, slot->nans, options_.nan);
        });
        std::vector<uint64_t>().swap(slot->keys);
      }
    });
  }

  // Finds the quantiles of slots whose numbers are too many.
  void search(std::span<Slot*> slots, Answers& answers) {
    std::vector<Size> counts;
    for (const Slot* slot : slots) counts.push_back(slot->count);
    search_ = std::make_unique<RankSearch>(counts, room_);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      slots[k]->search = k;
      for (const Quantile& q : quantiles_) search_->want(k, q);
    }
    do {
      pass({}, nullptr, nullptr);
    } while (!search_->end_pass());
    for (std::size_t k = 0; k < slots.size(); ++k) {
      slots[k]->search = nowhere;
      for (std::size_t a = 0; a < quantiles_.size(); ++a) {
        const uint64_t bits = search_->value(k, quantiles_[a], dtype_, answers.list[a].dtype);
        put_quantile(answers.list[a], slots[k]->place, bits, slots[k]->nans, options_.nan);
      }
    }
  }

  const std::vector<Quantile>& quantiles_;
  const std::vector<std::string>& files_;
  const InputOptions& input_;
  const Options& options_;
  const Limits& limits_;
  const int threads_;
  const Size room_;  // numbers that may be stored
  std::unique_ptr<File> first_file_;
  std::shared_ptr<const Table> table_;
  Size width_ = 0;
  DType dtype_ = DType::f64;
  std::vector<std::unique_ptr<Share>> shares_;
  std::atomic<Size> stored_{0};
  bool all_stored_ = true;  // set between pieces
  std::mutex searching_;
  std::unique_ptr<RankSearch> search_;
};

}  // namespace

Grouped group_quantiles(const std::vector<Quantile>& quantiles,
                        const std::vector<std::string>& files, const InputOptions& input,
                        const Options& options, const Progress& progress, const Limits& limits,
                        Notes& notes, const GroupOrder& order) {
  if (names_arrays(input.by)) {
    throw Error(ErrorCode::unsupported,
                "quantiles of groups need keys in a table, but --by " + input.by + " is an array");
  }
  Grouped grouped =
      GroupQuantiles(quantiles, files, input, options, limits).run(progress, notes, order);
  sort_groups(grouped, order);
  return grouped;
}

}  // namespace onefold::io
