#include "onefold/tables/keyed_states.hpp"

#include <cstring>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/row_answers.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io {

KeyedStates::KeyedStates(const Plan& plan, Size columns, int threads, bool first_rows)
    : plan_(plan),
      serial_(plan),
      indices_(
          std::ranges::any_of(plan.ops, [](const OpRow* op) { return op->about->uses_index; })),
      columns_(columns),
      threads_(threads),
      first_rows_(first_rows) {
  serial_.threads = 1;
  for (std::size_t k = shares_of_keys(threads_); k > 0; --k) {
    // States of pairs are put into the table, and put() also stores the number of elements.
    const auto keeps = plan_.inputs == 2 ? StateTable::Keeps::counts : StateTable::Keeps::words;
    shares_.push_back(std::make_unique<Share>(plan_, columns_, keeps));
  }
}

Size KeyedStates::Share::bytes() const {
  Size n = keys.bytes() + first_rows.size() * sizeof(Size);
  for (const StateTable& s : states) n += s.bytes();
  for (const QuickTotals& t : totals) n += t.bytes();
  return n;
}

namespace {

struct KeyedTerm {
  uint32_t group;
  const DecimalTerm* term;
};

}  // namespace

std::unique_ptr<KeyedStates::Piece> KeyedStates::take_piece() {
  const std::lock_guard lock(idle_mutex_);
  if (idle_.empty()) return std::make_unique<Piece>();
  std::unique_ptr<Piece> piece = std::move(idle_.back());
  idle_.pop_back();
  return piece;
}

void KeyedStates::add_dealt(const Rows& rows, Piece& piece) {
  const Size each = bytes_of(plan_.dtype);
  auto& [dealt, group, there, values, is_long, index] = piece;
  std::vector<KeyedTerm> terms;
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const std::vector<RowPartition::Row>& mine = dealt.of_share(s);
    if (mine.empty()) continue;
    Share& share = *shares_[s];
    const std::lock_guard lock(share.mutex);
    const std::vector<uint32_t> number = dealt.numbers(s, share.keys);
    group.resize(mine.size());
    std::ranges::transform(mine, group.begin(), [&](const auto& row) { return number[row.key]; });
    for (std::size_t i = 0; first_rows_ && i < mine.size(); ++i) {
      const Size row = rows.index + mine[i].row;
      if (group[i] == share.first_rows.size()) share.first_rows.push_back(row);
      share.first_rows[group[i]] = std::min(share.first_rows[group[i]], row);
    }
    if (plan_.inputs == 2) {
      add_pairs(rows, mine, group, share);
      continue;
    }
    // All numbers of a column, in order, need no copy.
    const bool all =
        mine.size() == rows.n && rows.present == nullptr && rows.terms.empty() && !indices_;
    for (Size c = 0; c < columns_; ++c) {
      if (all) {
        share.add(c, group, rows.values + c * rows.column_step * each, rows.row_step, {}, {});
        continue;
      }
      values.resize(mine.size() * each);
      there.clear();
      terms.clear();
      is_long.resize(rows.terms.empty() ? 0 : mine.size());
      index.clear();
      auto t = std::ranges::lower_bound(rows.terms, c * rows.column_step, {}, &DecimalTerm::place);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const Size from = mine[i].row * rows.row_step + c * rows.column_step;
        if (rows.present != nullptr && rows.present[from] == std::byte{0}) continue;
        std::byte* const to = values.data() + there.size() * each;
        if (each == 8) {
          std::memcpy(to, rows.values + from * 8, 8);  // one load and store, and no call
        } else {
          std::memcpy(to, rows.values + from * each, each);
        }
        there.push_back(group[i]);
        if (indices_) index.push_back(rows.index + mine[i].row);
        if (rows.terms.empty()) continue;
        while (t != rows.terms.end() && t->place < from) ++t;
        is_long[there.size() - 1] = std::byte{t != rows.terms.end() && t->place == from};
        for (; t != rows.terms.end() && t->place == from; ++t) terms.push_back({group[i], &*t});
      }
      share.add(c, there, values.data(), 1, is_long, index);
      if (!terms.empty()) share.states[c].grow(share.keys.size());
      for (const KeyedTerm& keyed : terms) share.states[c].add(keyed.group, *keyed.term);
    }
  }
}

void KeyedStates::Share::add(Size c, const std::vector<uint32_t>& group, const std::byte* x,
                             Size step, const std::vector<std::byte>& is_long,
                             const std::vector<Size>& index) {
  const std::byte* const longs = is_long.empty() ? nullptr : is_long.data();
  if (!totals.empty()) {
    totals[c].add(group.data(), keys.size(), x, step, group.size(), longs, states[c]);
    return;
  }
  states[c].grow(keys.size());
  states[c].add(group.data(), x, step, group.size(), longs, index.empty() ? nullptr : index.data());
}

void KeyedStates::settle() {
  parallel(shares_.size(), threads_, [&](std::size_t s) {
    Share& share = *shares_[s];
    for (Size c = 0; c < share.totals.size(); ++c) share.totals[c].settle(share.states[c]);
    for (StateTable& states : share.states) states.grow(share.keys.size());
    share.totals.clear();
  });
}

// Adds the pairs of each group by one call, which gathers them into a separate state.
void KeyedStates::add_pairs(const Rows& rows, const std::vector<RowPartition::Row>& mine,
                            const std::vector<uint32_t>& group, Share& share) const {
  // The group and the position of each pair's first number
  std::vector<std::pair<uint32_t, Size>> there;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Size x = mine[i].row * rows.row_step, y = x + rows.column_step;
    if (rows.present != nullptr &&
        (rows.present[x] == std::byte{0} || rows.present[y] == std::byte{0})) {
      continue;
    }
    there.emplace_back(group[i], x);
  }
  std::ranges::sort(there);
  StateTable& states = share.states[0];
  states.grow(share.keys.size());
  const Size each = bytes_of(plan_.dtype);
  StateTable of_piece(plan_, 1);
  std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
  std::vector<std::byte> x, y;
  for (auto begin = there.begin(); begin != there.end();) {
    const uint32_t g = begin->first;
    x.clear(), y.clear();
    for (; begin != there.end() && begin->first == g; ++begin) {
      const std::byte* const from = rows.values + begin->second * each;
      x.insert(x.end(), from, from + each);
      const std::byte* const beside = from + rows.column_step * each;
      y.insert(y.end(), beside, beside + each);
    }
    Nest line{.bytes = static_cast<unsigned>(each)};
    add_axis(line, x.size() / each, 1, true);
    of_piece.clear();
    backend::gather(serial_, line, x.data(), y.data(), of_piece[0]);
    states.get(g, state.data());
    merge(state.data(), of_piece[0], plan_.layout, plan_.dtype);
    states.put(g, 1, state.data(), true, [](Size) { return Size{0}; });
  }
}

void KeyedStates::check_memory(const File& file, const Limits& limits) const {
  Size bytes = 0, groups = 0;
  for (const auto& share : shares_) {
    bytes += share->bytes();
    groups += share->keys.size();
  }
  check_groups_memory(groups, bytes, file, limits);
}

void check_groups_memory(Size groups, Size bytes, const File& file, const Limits& limits) {
  if (limits.group_copies * bytes <= limits.state_bytes) return;
  throw Error(ErrorCode::out_of_memory,
              "read " + file.name() + ": " + std::to_string(groups) +
                  " groups or more take more than " + std::to_string(limits.state_bytes >> 20) +
                  " MiB; allow more with --memory, or group by fewer columns");
}

std::vector<KeyedStates::GroupIndex> KeyedStates::places() const {
  std::vector<GroupIndex> all;
  for (uint32_t s = 0; s < shares_.size(); ++s) {
    for (uint32_t g = 0; g < shares_[s]->keys.size(); ++g) all.push_back({s, g});
  }
  return all;
}

// Keys with their lengths, then for each column the states.
std::vector<std::byte> KeyedStates::as_bytes(const IndexOf& index_of) const {
  const std::vector<GroupIndex> all = places();
  std::vector<std::byte> bytes;
  append(bytes, all.size());
  for (const GroupIndex& p : all) append_text(bytes, key_of(p));
  std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
  for (Size c = 0; c < columns_; ++c) {
    StateTable table(plan_, all.size(), StateTable::Keeps::counts);
    for (Size g = 0; g < all.size(); ++g) {
      shares_[all[g].share]->states[c].get(all[g].group, state.data());
      if (index_of) change_indices(state.data(), plan_.layout, plan_.dtype, index_of);
      table.put(g, 1, state.data(), true, [](Size) { return Size{0}; });
    }
    append(bytes, table);
  }
  return bytes;
}

void KeyedStates::add(std::span<const std::byte> bytes, Share& to) const {
  const Size n = take_number(bytes);
  std::vector<uint32_t> group;
  for (Size g = 0; g < n; ++g) {
    const std::string_view text = take_text(bytes);
    group.push_back(to.keys.find(text, Keys::hash_of(text)));
  }
  const auto words = static_cast<std::size_t>(plan_.layout.words);
  std::vector<int64_t> mine(words), theirs(words);
  for (Size c = 0; c < columns_; ++c) {
    const StateTable table = states_from(bytes, plan_, n);
    to.states[c].grow(to.keys.size());
    for (Size g = 0; g < n; ++g) {
      to.states[c].get(group[g], mine.data());
      table.get(g, theirs.data());
      merge(mine.data(), theirs.data(), plan_.layout, plan_.dtype);
      to.states[c].put(group[g], 1, mine.data(), true, [](Size) { return Size{0}; });
    }
  }
}

void KeyedStates::meet(Peers& peers, const IndexOf& index_of) {
  const Peers::Bytes all = peers.gather(as_bytes(index_of), false);
  if (!peers.first()) return;
  auto merged = std::make_unique<Share>(plan_, columns_, StateTable::Keeps::counts);
  for (std::size_t r = 0; r < peers.ranks(); ++r) add(all[r], *merged);
  shares_.clear();
  shares_.push_back(std::move(merged));
}

Answers KeyedStates::answers(const std::vector<GroupIndex>& places,
                             const std::vector<Size>& columns, const IndexOf& index_of) const {
  constexpr Size at_once = 256;
  Output output(plan_, places.size() * columns.size());
  std::vector<std::vector<RowAnswers>> quick(shares_.size());
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    for (const Size c : columns) quick[s].emplace_back(plan_, shares_[s]->states[c]);
  }
  const std::vector<std::byte*> to = output.places();
  parallel((places.size() + at_once - 1) / at_once, threads_, [&](std::size_t block) {
    std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
    const Size begin = block * at_once, end = std::min<Size>(places.size(), begin + at_once);
    constexpr Size ahead = 4;
    for (Size g = begin; g < end; ++g) {
      for (Size c = 0; c < columns.size(); ++c) {
        if (g + ahead < end) {
          const GroupIndex& later = places[g + ahead];
          shares_[later.share]->states[columns[c]].load(later.group);
        }
        const auto [share, group] = places[g];
        const StateTable& table = shares_[share]->states[columns[c]];
        const RowAnswers& answers = quick[share][c];
        const Size at = g * columns.size() + c;
        if (answers && answers.put(table.row(group), to, at)) continue;
        table.get(group, state.data());
        if (index_of) change_indices(state.data(), plan_.layout, plan_.dtype, index_of);
        output.put(plan_, at, state.data());
      }
    }
  });
  return output.take(Dims(places.size(), columns.size()));
}

}  // namespace onefold::io
