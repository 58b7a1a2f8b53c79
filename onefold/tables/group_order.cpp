#include "onefold/tables/group_order.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

#include "onefold/engine/group/keys.hpp"
#include "onefold/engine/quantile/select.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {
namespace {

// What a word of --sort names: a column of keys or an answer.
struct Term {
  bool of_key = false;
  std::size_t key = 0, op = 0;
  Size column = 0;
  bool falling = false;
};

// One number for each group. Their order is that of the named keys or answers.
struct Ranks {
  std::vector<uint64_t> rank;
  std::vector<char> absent;  // null, NaN or no value: these come last
};

bool find_term(std::string_view word, const std::vector<std::string>& by,
               const std::vector<std::string>& columns, const std::vector<std::string>& ops,
               Term& term) {
  for (std::size_t k = 0; k < by.size(); ++k) {
    if (word != by[k] && word != printable(by[k])) continue;
    term.of_key = true;
    term.key = k;
    return true;
  }
  for (Size c = 0; c < columns.size(); ++c) {
    for (std::size_t k = 0; k < ops.size(); ++k) {
      if (word != answer_name(columns, c, ops[k])) continue;
      term.column = c;
      term.op = k;
      return true;
    }
  }
  return false;
}

std::vector<Term> terms_of(const GroupOrder& order, const std::vector<std::string>& by,
                           const std::vector<std::string>& columns,
                           const std::vector<std::string>& ops) {
  if (order.sort.empty()) return {{.falling = true}};  // --top without --sort
  std::vector<Term> terms;
  for (const ListWord& word : words_of_list(order.sort)) {
    Term term;
    std::string_view name = word.text;
    bool found = find_term(name, by, columns, ops, term);
    if (!found && name.starts_with('-')) {
      name.remove_prefix(1);
      found = term.falling = find_term(name, by, columns, ops, term);
    }
    if (!found) {
      std::string names;
      for (const std::string& key : by) names += printable(key) + ", ";
      for (Size c = 0; c < columns.size(); ++c) {
        for (const std::string& op : ops) names += answer_name(columns, c, op) + ", ";
      }
      names.resize(names.size() - std::min<std::size_t>(2, names.size()));
      throw Error(ErrorCode::bad_option, "--sort: no column of the result is called \"" +
                                             printable(name) + "\"; its columns are " + names +
                                             "; write - before a name to sort the largest first");
    }
    terms.push_back(term);
  }
  return terms;
}

Ranks ranks_of_keys(const Grouped& grouped, std::size_t k) {
  const Size n = grouped.keys.size();
  const std::size_t parts = grouped.by.size();
  const auto part = [&](Size g) { return part_of_key(grouped.keys[g], parts, k); };
  std::vector<Size> groups(n);
  std::iota(groups.begin(), groups.end(), Size{0});
  // Groups are already sorted by their first keys.
  if (k > 0) {
    const PartOrder order(n, grouped.nulls, part);
    std::stable_sort(groups.begin(), groups.end(),
                     [&](Size a, Size b) { return order.compare(a, b) < 0; });
  }
  Ranks ranks{std::vector<uint64_t>(n), std::vector<char>(n)};
  uint64_t rank = 0;
  for (Size i = 0; i < n; ++i) {
    if (i > 0 && part(groups[i]) != part(groups[i - 1])) ++rank;
    ranks.rank[groups[i]] = rank;
    ranks.absent[groups[i]] = is_null(grouped, part(groups[i]));
  }
  return ranks;
}

// Ranks f64 that are equal by the integers that they are rounded from.
void rank_integers(const Answer& answer, Size width, Size column, Ranks& ranks) {
  const Size n = ranks.rank.size();
  std::vector<Int128> integers(n);
  for (const auto& [at, v] : answer.integers) {
    if (at % width != column) continue;
    integers[at / width] = v.dtype == DType::i64 ? static_cast<Int128>(v.as<int64_t>())
                                                 : static_cast<Int128>(v.as<uint64_t>());
  }
  const auto key = [&](Size g) { return std::pair(ranks.rank[g], integers[g]); };
  std::vector<Size> groups(n);
  std::iota(groups.begin(), groups.end(), Size{0});
  std::ranges::sort(groups, {}, key);
  std::vector<uint64_t> rank(n);
  for (Size i = 1; i < n; ++i) {
    rank[groups[i]] = rank[groups[i - 1]] + (key(groups[i - 1]) < key(groups[i]) ? 1 : 0);
  }
  ranks.rank = std::move(rank);
}

Ranks ranks_of_answers(const Answer& answer, Size width, Size column) {
  const Size n = answer.size() / width;
  Ranks ranks{std::vector<uint64_t>(n), std::vector<char>(n)};
  visit(answer.dtype, [&]<class T>() {
    const T* const values = reinterpret_cast<const T*>(answer.data.data());
    for (Size g = 0; g < n; ++g) {
      const Size at = g * width + column;
      T x = values[at];
      bool nan = false;
      if constexpr (dtype_of<T> == DType::boolean) x.byte = x.byte != 0;
      if constexpr (Floating<T>) {
        nan = decode(x).nan;
        if (decode(x).zero()) x = T{};  // -0 ranks like +0
      }
      ranks.absent[g] = nan || answer.status[at] != Status::ok;
      ranks.rank[g] = key_of(x);
    }
  });
  if (!answer.integers.empty()) rank_integers(answer, width, column, ranks);
  return ranks;
}

// The bytes of the answers of some groups.
template <class T>
std::vector<T> taken(const std::vector<T>& list, const std::vector<Size>& groups, Size each) {
  std::vector<T> some(groups.size() * each);
  for (Size k = 0; k < groups.size(); ++k) {
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(groups[k] * each), each,
                some.begin() + static_cast<std::ptrdiff_t>(k * each));
  }
  return some;
}

}  // namespace

std::string answer_name(const std::vector<std::string>& columns, Size column,
                        const std::string& op) {
  return columns.size() == 1 ? op : printable(columns[column]) + "_" + op;
}

void check_order(const GroupOrder& order, const std::vector<std::string>& by,
                 const std::vector<std::string>& columns, const std::vector<std::string>& ops) {
  static_cast<void>(terms_of(order, by, columns, ops));
}

void sort_groups(Grouped& grouped, const GroupOrder& order) {
  for (std::size_t k = 0; k < order.shown.size(); ++k) grouped.answers.list[k].op = order.shown[k];
  if (!order.asked()) return;
  std::vector<std::string> ops;
  for (const Answer& a : grouped.answers.list) ops.push_back(a.op);
  const Size n = grouped.keys.size(), width = grouped.columns.size();
  const std::vector<Term> terms = terms_of(order, grouped.by, grouped.columns, ops);
  std::vector<Ranks> ranks;
  for (const Term& t : terms) {
    ranks.push_back(t.of_key ? ranks_of_keys(grouped, t.key)
                             : ranks_of_answers(grouped.answers.list[t.op], width, t.column));
  }
  const auto before = [&](Size a, Size b) {
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const Ranks& r = ranks[k];
      if (r.absent[a] != r.absent[b]) return r.absent[b] != 0;
      if (r.absent[a] != 0 || r.rank[a] == r.rank[b]) continue;
      return (r.rank[a] < r.rank[b]) != terms[k].falling;
    }
    return a < b;
  };
  std::vector<Size> groups(n);
  std::iota(groups.begin(), groups.end(), Size{0});
  const Size kept = order.top == 0 ? n : std::min(n, order.top);
  const auto end = groups.begin() + static_cast<std::ptrdiff_t>(kept);
  if (kept == n) {
    std::sort(groups.begin(), end, before);
  } else {
    std::partial_sort(groups.begin(), end, groups.end(), before);
  }
  groups.resize(kept);
  take_groups(grouped, groups);
}

void take_groups(Grouped& grouped, const std::vector<Size>& groups) {
  const Size width = grouped.columns.size();
  std::vector<std::string> keys;
  keys.reserve(groups.size());
  for (const Size g : groups) keys.push_back(std::move(grouped.keys[g]));
  grouped.keys = std::move(keys);
  for (Answer& a : grouped.answers.list) {
    a.data = taken(a.data, groups, width * bytes_of(a.dtype));
    a.status = taken(a.status, groups, width);
    const auto integers = std::exchange(a.integers, {});
    for (Size g = 0; g < groups.size() && !integers.empty(); ++g) {
      for (Size c = 0; c < width; ++c) {
        const auto found = integers.find(groups[g] * width + c);
        if (found != integers.end()) a.integers.emplace(g * width + c, found->second);
      }
    }
    a.shape[0] = static_cast<int64_t>(groups.size());
  }
}

namespace {

// Returns the first 8 bytes of a text as a number; keys with different numbers have the order of
// these.
uint64_t head_of(std::string_view text) {
  uint64_t head = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    head = head << 8 | (k < text.size() ? static_cast<unsigned char>(text[k]) : 0u);
  }
  return head;
}

uint64_t head_of(double number) {
  const auto bits = bit_cast<uint64_t>(number == 0 ? 0.0 : number);
  return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
}

uint64_t head_of(Int128 time) {
  constexpr Int128 most = std::numeric_limits<int64_t>::max();
  const Int128 coarse = std::clamp(time / 256, -most, most);
  return static_cast<uint64_t>(static_cast<int64_t>(coarse)) ^ uint64_t { 1 } << 63;
}

// What a part that is no time has instead of its nanoseconds: it comes last.
constexpr Int128 after_times = static_cast<Int128>(1) << 120;

// Sorts keys of one part.
std::vector<uint32_t> order_of_parts(Size n, bool nulls,
                                     const std::function<std::string_view(Size k)>& part) {
  const PartOrder by_value(n, nulls, part);
  const std::vector<double>& numbers = by_value.numbers();
  const std::vector<Int128>& times = by_value.times();
  // Compares keys first by the 8 bytes after their common beginning, or by their number or time;
  // these mostly differ, so 10^6 keys are sorted in a fifth of the time.
  std::size_t alike = 0;
  if (numbers.empty() && times.empty() && n > 0) {
    const std::string_view one = part(0);
    alike = one.size();
    for (Size k = 1; k < n; ++k) {
      const std::string_view other = part(k).substr(0, alike);
      const auto differs = std::mismatch(other.begin(), other.end(), one.begin()).first;
      alike = static_cast<std::size_t>(differs - other.begin());
    }
  }
  struct SortKey {
    uint64_t head;
    uint32_t key;
  };
  std::vector<SortKey> order;
  order.reserve(n);
  for (uint32_t k = 0; k < n; ++k) {
    order.push_back({!numbers.empty() ? head_of(numbers[k])
                     : !times.empty() ? head_of(times[k])
                                      : head_of(part(k).substr(alike)),
                     k});
  }
  std::ranges::sort(order, {}, &SortKey::head);
  const auto before = [&](const SortKey& one, const SortKey& other) {
    return by_value.compare(one.key, other.key) < 0;
  };
  for (auto first = order.begin(), end = first; first != order.end(); first = end) {
    while (++end != order.end() && end->head == first->head) continue;
    if (end - first > 1) std::sort(first, end, before);
  }
  std::vector<uint32_t> sorted;
  sorted.reserve(n);
  for (const SortKey& o : order) sorted.push_back(o.key);
  return sorted;
}

// Sorts `order`, which keeps the order of equal ranks.
//   ranks  of each group, less than `end`
void sort_by_rank(const std::vector<uint32_t>& ranks, Size end, std::vector<uint32_t>& order) {
  std::vector<Size> next(end + 1);
  for (const uint32_t rank : ranks) ++next[rank + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<uint32_t> sorted(order.size());
  for (const uint32_t g : order) sorted[next[ranks[g]]++] = g;
  order = std::move(sorted);
}

}  // namespace

std::vector<uint32_t> order_of_keys(Size groups, std::size_t parts, bool nulls,
                                    const std::function<std::string_view(Size g)>& key_of) {
  if (parts <= 1) return order_of_parts(groups, nulls, key_of);
  std::vector<uint32_t> order(groups);
  std::iota(order.begin(), order.end(), 0u);
  // By the last part first: 10^6 keys of two parts mostly have few different ones.
  for (std::size_t k = parts; k-- > 0;) {
    Keys different;
    std::vector<uint32_t> ranks(groups);
    for (Size g = 0; g < groups; ++g) {
      const std::string_view part = part_of_key(key_of(g), parts, k);
      ranks[g] = different.find(part, Keys::hash_of(part));
    }
    const std::vector<uint32_t> sorted = order_of_parts(
        different.size(), nulls, [&](Size n) -> std::string_view { return different[n]; });
    std::vector<uint32_t> rank_of(sorted.size());
    for (uint32_t n = 0; n < sorted.size(); ++n) rank_of[sorted[n]] = n;
    for (uint32_t& rank : ranks) rank = rank_of[rank];
    sort_by_rank(ranks, sorted.size(), order);
  }
  return order;
}

PartOrder::PartOrder(Size groups, bool nulls, std::function<std::string_view(Size g)> part)
    : part_(std::move(part)) {
  if (!find_numbers(groups, nulls)) find_times(groups);
}

bool PartOrder::find_numbers(Size groups, bool nulls) {
  const Table plain;
  for (Size g = 0; g < groups; ++g) {
    const std::string_view key = part_(g);
    constexpr std::size_t most_digits = 15;
    if (int64_t integer = 0; key.size() <= most_digits) {
      const char* const end = key.data() + key.size();
      if (const auto read = std::from_chars(key.data(), end, integer);
          read.ec == std::errc() && read.ptr == end) {
        numbers_.push_back(static_cast<double>(integer));
        continue;
      }
    }
    double value = std::numeric_limits<double>::infinity();
    if (!(nulls && key == null_key)) {
      const NumberError e = number_of(std::string(key), plain, value, false);
      if ((e != NumberError::none && e != NumberError::beyond) || value != value) {
        numbers_.clear();
        return false;
      }
    }
    numbers_.push_back(value);
  }
  return true;
}

void PartOrder::find_times(Size groups) {
  std::optional<Time> one;
  Size others = 0;
  for (Size g = 0; g < groups; ++g) {
    const std::optional<Time> time = parse_time(part_(g));
    const bool alike =
        !time || !one || (common(one->kind, time->kind) && one->zoned == time->zoned);
    if (!alike || (!time && 2 * ++others > groups)) {
      times_.clear();
      return;
    }
    if (time) one = time;
    times_.push_back(time ? time->ns : after_times);
  }
}

int PartOrder::compare(Size a, Size b) const {
  if (!numbers_.empty() && numbers_[a] != numbers_[b]) return numbers_[a] < numbers_[b] ? -1 : 1;
  if (!times_.empty() && times_[a] != times_[b]) return times_[a] < times_[b] ? -1 : 1;
  const std::string_view x = part_(a), y = part_(b);
  if (!numbers_.empty()) {
    // Of these keys only null is no number, and its bytes come after those of any number.
    const bool both = x != y && x != null_key && y != null_key;
    if (const int c = both ? compare_numbers(x, y) : 0; c != 0) return c;
  }
  return x.compare(y);
}

}  // namespace onefold::io
