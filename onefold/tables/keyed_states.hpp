// The states of groups, gathered by several threads: keys are divided by their hash into shares,
// and one thread at a time folds a share.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/engine/group/keys.hpp"
#include "onefold/engine/group/quick_totals.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/limits.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::io {

// The rows of a piece, divided among shares by the hashes of their keys.
class RowPartition {
 public:
  //   key   number of the key within the share, in order of first occurrence; a key may get several
  struct Row {
    uint32_t row, key;
  };
  struct Key {
    Size hash, begin, end;
  };
  static constexpr auto unknown = [](Size) { return uint64_t{0}; };
  // append(row, bytes) appends the key of a row. Rows with equal identity(row) have equal keys; 0
  // means that the identity is not known.
  template <class Append, class Identity = decltype(unknown)>
  RowPartition(Size n, std::size_t shares, Append append, Identity identity = unknown) {
    assign(n, shares, append, identity);
  }
  RowPartition() = default;
  // Takes other rows, in the memory that it has.
  template <class Append, class Identity = decltype(unknown)>
  void assign(Size n, std::size_t shares, Append append, Identity identity = unknown) {
    bytes_.clear();
    rows_.resize(shares), keys_.resize(shares);
    for (auto& rows : rows_) rows.clear();
    for (auto& keys : keys_) keys.clear();
    struct RecentKey {
      uint64_t identity = 0;
      uint32_t share = 0, key = 0;
    };
    constexpr Size room = 4096, tried = 4096;  // rows after which identities must have helped
    std::vector<RecentKey> met(n > 0 && identity(0) != 0 ? room : 0);
    Size hits = 0;
    if (shares == 1) rows_[0].reserve(n);
    for (uint32_t row = 0; row < n; ++row) {
      if (row == tried && hits < tried / 4) met.clear();
      const uint64_t same = met.empty() ? 0 : identity(row);
      RecentKey* const place = same == 0 ? nullptr : &met[same * 0x9e3779b97f4a7c15u >> 52];
      if (place != nullptr && place->identity == same) {
        rows_[place->share].push_back({row, place->key});
        ++hits;
        continue;
      }
      const Size begin = bytes_.size();
      append(row, bytes_);
      const Size hash = Keys::hash_of(std::string_view(bytes_).substr(begin));
      // Uses other bits of the hash than the hash table of keys does.
      const auto share = static_cast<uint32_t>(static_cast<uint32_t>(hash) % shares);
      const auto key = static_cast<uint32_t>(keys_[share].size());
      if (place != nullptr) *place = {same, share, key};
      rows_[share].push_back({row, key});
      keys_[share].push_back({hash, begin, bytes_.size()});
    }
  }
  const std::vector<Row>& of_share(std::size_t share) const { return rows_[share]; }
  // Returns the numbers of a share's keys in `to`, which gets those that are new.
  std::vector<uint32_t> numbers(std::size_t share, Keys& to) const {
    const std::vector<Key>& keys = keys_[share];
    std::vector<uint32_t> numbers(keys.size());
    to.find_all(
        keys.size(),
        [&](Size k) {
          return std::string_view(bytes_).substr(keys[k].begin, keys[k].end - keys[k].begin);
        },
        [&](Size k) { return keys[k].hash; }, [&](Size k, uint32_t found) { numbers[k] = found; });
    return numbers;
  }

 private:
  std::string bytes_;  // bytes of keys
  std::vector<std::vector<Row>> rows_;
  std::vector<std::vector<Key>> keys_;
};

// The number of shares for so many threads.
inline std::size_t shares_of_keys(int threads) {
  return threads == 1 ? 1 : 4 * static_cast<std::size_t>(threads);
}

// Throws out_of_memory if what groups hold is more than the limits allow.
void check_groups_memory(Size groups, Size bytes, const File& file, const Limits& limits);

class KeyedStates {
 public:
  // The share that holds a group, and the group's number in it.
  struct GroupIndex {
    uint32_t share, group;
  };
  // The numbers of some rows, as a matrix: a row is `row_step` elements from the next one, a column
  // `column_step`.
  struct Rows {
    Size n;
    const std::byte* values;
    Size row_step, column_step;
    const std::byte* present = nullptr;  // a byte for each number, 0 where it is missing
    // Decimal digits that f64 cannot hold, by ascending position.
    std::span<const DecimalTerm> terms = {};
    Size index = 0;  // index of the first row, if some op needs indices
  };

  // Converts an index, as rows were added with it, to the number of a row.
  using IndexOf = std::function<Size(Size index)>;

  //   plan        for one column of one group; must outlive this. For ops of two arrays it folds
  //               the pairs of columns 0 and 1, and `columns` is 1
  //   first_rows  true: keeps the index of each group's first row
  KeyedStates(const Plan& plan, Size columns, int threads, bool first_rows = false);

  // append(row, bytes) appends the key of a row; identity(row) is as in RowPartition. Several
  // threads may call it.
  template <class Append, class Identity = decltype(RowPartition::unknown)>
  void add(const Rows& rows, Append append, Identity identity = RowPartition::unknown) {
    std::unique_ptr<Piece> piece = take_piece();
    piece->dealt.assign(rows.n, shares_.size(), append, identity);
    add_dealt(rows, *piece);
    const std::lock_guard lock(idle_mutex_);
    idle_.push_back(std::move(piece));
  }
  // throws out_of_memory: keys and states take more memory than the limits allow
  void check_memory(const File& file, const Limits& limits) const;
  // Ends the adding of rows. Nothing below may be called before, nor add() afterwards.
  void settle();

  // Merges the groups of all ranks into those of the first one.
  //   index_of  converts this rank's indices; none: they stay as they are
  void meet(Peers& peers, const IndexOf& index_of = {});

  std::vector<GroupIndex> places() const;
  std::string_view key_of(const GroupIndex& p) const { return shares_[p.share]->keys[p.group]; }
  Size first_row(const GroupIndex& p) const { return shares_[p.share]->first_rows[p.group]; }
  // Copies the canonical state of one column of a group.
  void get(const GroupIndex& p, Size column, int64_t* state) const {
    shares_[p.share]->states[column].get(p.group, state);
  }
  // Returns answers of shape (places, columns), for some of the columns.
  Answers answers(const std::vector<GroupIndex>& places, const std::vector<Size>& columns,
                  const IndexOf& index_of = {}) const;

 private:
  struct Share {
    Share(const Plan& plan, Size columns, StateTable::Keeps keeps = StateTable::Keeps::words)
        : states(columns, StateTable(plan, 0, keeps)),
          totals(QuickTotals::serve(plan) ? columns : 0, QuickTotals(plan)) {}
    std::mutex mutex;
    Keys keys;
    std::vector<StateTable> states;   // one for each column
    std::vector<QuickTotals> totals;  // the same, or none, if the plan needs other totals
    std::vector<Size> first_rows;     // of each group, if they are kept
    Size bytes() const;
    // Adds elements of column c, as StateTable::add does.
    void add(Size c, const std::vector<uint32_t>& group, const std::byte* x, Size step,
             const std::vector<std::byte>& is_long, const std::vector<Size>& index);
  };
  // What adding a piece of rows needs. Pieces are kept for the next rows.
  struct Piece {
    RowPartition dealt;
    std::vector<uint32_t> group, there;
    std::vector<std::byte> values, is_long;
    std::vector<Size> index;
  };
  std::unique_ptr<Piece> take_piece();
  void add_dealt(const Rows& rows, Piece& piece);
  void add_pairs(const Rows& rows, const std::vector<RowPartition::Row>& mine,
                 const std::vector<uint32_t>& group, Share& share) const;
  std::vector<std::byte> as_bytes(const IndexOf& index_of) const;
  void add(std::span<const std::byte> bytes, Share& to) const;

  const Plan& plan_;
  Plan serial_;   // the plan for one thread, which gathers the pairs of one group
  bool indices_;  // some op asks for them
  Size columns_;
  int threads_;
  bool first_rows_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<Piece>> idle_;
  std::vector<std::unique_ptr<Share>> shares_;
};

}  // namespace onefold::io
