#include "onefold/tables/met_ranks.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::io {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      ErrorCode::bad_state,
      "the ranks were started with different files or options; pass the same ones to all ranks");
}

// The answers of one op in memory. A run of them in a message has its first index and its length,
// then the values and the statuses of each op.
struct OpAnswers {
  std::byte* values;
  Status* statuses;
  Size bytes;  // of a value
};
std::vector<std::byte> bytes_of_runs(const std::vector<OpAnswers>& ops,
                                     const std::vector<AnswerRun>& runs) {
  std::vector<std::byte> bytes;
  for (const AnswerRun& run : runs) {
    append(bytes, run.first);
    append(bytes, run.n);
    for (const OpAnswers& op : ops) {
      append(bytes, op.values + run.first * op.bytes, run.n * op.bytes);
      append(bytes, op.statuses + run.first, run.n * sizeof(Status));
    }
  }
  return bytes;
}

// Calls f(op, first, values, statuses) for each run.
template <class F>
void for_each_run(std::span<const std::byte> bytes, const std::vector<Size>& value_bytes, F f) {
  while (!bytes.empty()) {
    const Size first = take_number(bytes), n = take_number(bytes);
    for (std::size_t k = 0; k < value_bytes.size(); ++k) {
      const auto values = take(bytes, n * value_bytes[k]), statuses = take(bytes, n);
      f(k, first, values,
        std::span(reinterpret_cast<const Status*>(statuses.data()), statuses.size()));
    }
  }
}
static_assert(sizeof(Status) == 1);

}  // namespace

void append(std::vector<std::byte>& to, const void* from, Size bytes) {
  const auto* const first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

std::span<const std::byte> take(std::span<const std::byte>& from, Size bytes) {
  if (bytes > from.size()) refuse();
  const auto taken = from.first(bytes);
  from = from.subspan(bytes);
  return taken;
}

Size take_number(std::span<const std::byte>& from) {
  Size number = 0;
  std::memcpy(&number, take(from, sizeof number).data(), sizeof number);
  return number;
}

std::string_view take_text(std::span<const std::byte>& from) {
  const auto bytes = take(from, take_number(from));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void AnswerBuffer::write(Size first, std::span<const std::byte> values,
                         std::span<const Status> statuses) {
  const std::lock_guard lock(mutex_);
  append(bytes_, first);
  append(bytes_, statuses.size());
  append(bytes_, values.data(), values.size());
  append(bytes_, statuses.data(), statuses.size());
}

void MetAnswers::meet(Output& output, const std::vector<AnswerRun>& runs, Size shift) {
  if (peers_ == nullptr) return;
  const std::vector<Size> widths = output.widths();
  std::vector<OpAnswers> ops;
  const std::vector<backend::Output> places = output.all_places();
  for (std::size_t k = 0; k < widths.size(); ++k) {
    ops.push_back({static_cast<std::byte*>(places[k].data), places[k].status, widths[k]});
  }
  std::vector<std::byte> mine;
  if (!peers_->first()) {
    if (sink_ != nullptr) output.flush();
    mine = sink_ != nullptr ? std::move(held_.bytes_) : bytes_of_runs(ops, runs);
  }
  const std::vector<uint64_t> shifts = peers_->gather(shift);
  const Peers::Bytes all = peers_->gather(mine, false);
  if (!peers_->first()) return;
  for (std::size_t r = 1; r < peers_->ranks(); ++r) {
    for_each_run(all[r], widths, [&](std::size_t k, Size first, auto values, auto statuses) {
      first += shifts[r];
      if (sink_ != nullptr) return sink_->write(first, values, statuses);
      if (first > output.size() || statuses.size() > output.size() - first) refuse();
      std::copy(values.begin(), values.end(), ops[k].values + first * ops[k].bytes);
      std::copy(statuses.begin(), statuses.end(), ops[k].statuses + first);
    });
  }
}

void meet(Peers& peers, Answers& answers, const AnswerRun& mine) {
  std::vector<OpAnswers> ops;
  std::vector<Size> widths;
  for (Answer& a : answers.list) {
    widths.push_back(bytes_of(a.dtype));
    ops.push_back({a.data.data(), a.status.data(), widths.back()});
  }
  const Peers::Bytes all =
      peers.gather(peers.first() ? std::vector<std::byte>() : bytes_of_runs(ops, {mine}), false);
  if (!peers.first()) return;
  for (std::size_t r = 1; r < peers.ranks(); ++r) {
    for_each_run(all[r], widths, [&](std::size_t k, Size first, auto values, auto statuses) {
      const Size n = answers.list[k].status.size();
      if (first > n || statuses.size() > n - first) refuse();
      std::copy(values.begin(), values.end(), ops[k].values + first * ops[k].bytes);
      std::copy(statuses.begin(), statuses.end(), ops[k].statuses + first);
    });
  }
}

void append(std::vector<std::byte>& to, const StateTable& states) {
  append(to, states.used().size());
  for (const int word : states.used()) append(to, static_cast<Size>(word));
  append(to, states.words().data(), states.words().size() * sizeof(int64_t));
}

StateTable states_from(std::span<const std::byte>& from, const Plan& plan, Size n) {
  StateTable states(plan, n, StateTable::Keeps::counts);
  std::vector<int> used;
  for (Size k = take_number(from); k > 0; --k) {
    const Size word = take_number(from);
    if (word > static_cast<Size>(plan.layout.words)) refuse();
    used.push_back(static_cast<int>(word));
  }
  if (n > from.size() / sizeof(int64_t)) refuse();
  std::vector<int64_t> words(n * used.size());
  const auto bytes = take(from, words.size() * sizeof(int64_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (!states.assign(used, std::move(words))) refuse();
  return states;
}

void meet(Peers& peers, const Plan& plan, StateTable& states) {
  const Size n = states.size();
  StateTable mine(plan, n, StateTable::Keeps::counts);
  if (n > 0) mine.put(0, n, states[0], true, [](Size) { return Size{0}; });
  std::vector<std::byte> sent;
  if (!peers.first()) append(sent, mine);
  const Peers::Bytes all = peers.gather(sent, false);
  if (!peers.first()) return;
  for (std::size_t r = 1; r < peers.ranks(); ++r) {
    auto bytes = all[r];
    mine.merge(states_from(bytes, plan, n));
    if (!bytes.empty()) refuse();
  }
  for (Size k = 0; k < n; ++k) mine.get(k, states[k]);
}

void sum_counts(Peers& peers, std::vector<Size>& counts) {
  // 16 MiB of all ranks at once; only counts that are not 0 are sent.
  const Size most = std::max<Size>((Size{1} << 20) / peers.ranks(), 1024);
  for (Size first = 0; first < counts.size(); first += most) {
    const auto piece = std::span(counts).subspan(first, std::min(most, counts.size() - first));
    std::vector<std::byte> mine;
    for (Size k = 0; k < piece.size(); ++k) {
      if (piece[k] == 0) continue;
      append(mine, k);
      append(mine, piece[k]);
    }
    const Peers::Bytes all = peers.gather(mine);
    std::fill(piece.begin(), piece.end(), 0);
    for (std::size_t r = 0; r < peers.ranks(); ++r) {
      for (auto bytes = all[r]; !bytes.empty();) {
        const Size k = take_number(bytes), count = take_number(bytes);
        if (k >= piece.size()) refuse();
        piece[k] += count;
      }
    }
  }
}

}  // namespace onefold::io
