#include "onefold/tables/group_states.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/engine/state/bytes.hpp"
#include "onefold/engine/state/states.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_order.hpp"

namespace onefold::io {
namespace {

constexpr Size longest_name = Size{1} << 20;

void write_long(Writer& w, std::string_view text) {
  w.number(text.size());
  w.raw(text.data(), text.size());
}

std::string read_long(Reader& r) {
  std::string text(r.number_of(1), ' ');
  r.raw(text.data(), text.size());
  return text;
}

std::vector<std::string> read_names(Reader& r) {
  std::vector<std::string> names(r.number_of(8));
  for (std::string& name : names) {
    name = read_long(r);
    if (name.size() > longest_name) bad_bytes("a name is too long");
  }
  return names;
}

// Whether a key consists of so many parts, each of the length that it states.
bool is_key(std::string_view key, std::size_t parts) {
  for (std::size_t k = 0; parts > 1 && k < parts; ++k) {
    uint32_t n = 0;
    if (key.size() < sizeof n) return false;
    std::memcpy(&n, key.data(), sizeof n);
    key.remove_prefix(sizeof n);
    if (n > key.size()) return false;
    key.remove_prefix(n);
  }
  return parts == 1 || key.empty();
}

std::optional<DType> type_called(const std::string& name) {
  if (name.empty()) return {};
#define ONEFOLD_DTYPE(type, spelling, c, kind, bytes) \
  if (name == name_of(DType::type)) return DType::type;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  bad_bytes("the type of a key is unknown");
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::optional<Size> times_of_row(std::string_view weight, bool nulls, const std::string& column) {
  if ((nulls && weight == null_key) || is_missing(weight, {})) return {};
  if (is_number(std::string(weight), Table())) {
    const std::optional<uint64_t> times = whole_number(weight);
    if (times && *times <= static_cast<uint64_t>(int64_max)) return *times;
  }
  throw Error(ErrorCode::bad_option,
              "--fweights " + column + ": " + quote_text(std::string(weight)) +
                  " is not a count; counts are whole numbers from 0 to 2^63 - 1");
}

void GroupStates::repeat(bool keeps_empty) {
  struct WeightedGroup {
    std::string key;  // without the weight
    Size group, times;
  };
  std::vector<WeightedGroup> list;
  for (Size g = 0; g < keys.size(); ++g) {
    const auto parts = parts_of_key(keys[g], by.size());
    const std::optional<Size> times = times_of_row(parts.back(), nulls, by.back());
    if (times.value_or(0) == 0 && !keeps_empty) continue;  // the group has no rows
    const std::vector<std::string> rest(parts.begin(), parts.end() - 1);
    list.push_back({rest.empty() ? std::string() : join_key(rest), g, times.value_or(0)});
  }
  std::ranges::stable_sort(list, {}, &WeightedGroup::key);
  by.pop_back();
  stored.pop_back();
  keys.clear();
  for (const WeightedGroup& w : list) {
    if (keys.empty() || keys.back() != w.key) keys.push_back(w.key);
  }
  if (keys.empty() && by.empty()) keys.emplace_back();
  const States::Impl& from = States::Impl::of(states);
  const Size width = columns.size();
  auto all = std::make_unique<States::Impl>(
      States::Impl{.kind = from.kind,
                   .shape = Dims(static_cast<int64_t>(keys.size()), static_cast<int64_t>(width)),
                   .slices = {from.kind.dtype, from.kind.layout, keys.size() * width}});
  const auto& [layout, dtype] = std::tie(from.kind.layout, from.kind.dtype);
  std::vector<int64_t> one(static_cast<std::size_t>(layout.words)), sum(one.size()),
      many(one.size());
  std::size_t next = 0;
  for (Size g = 0; g < keys.size(); ++g) {
    const std::size_t begin = next;
    while (next < list.size() && list[next].key == keys[g]) ++next;
    for (Size c = 0; c < width; ++c) {
      clear(sum.data(), layout, dtype);
      Size count = 0;
      for (std::size_t k = begin; k < next; ++k) {
        const Size slice = list[k].group * width + c;
        Size n = 0;
        if (__builtin_mul_overflow(from.slices.count(slice), list[k].times, &n) ||
            n > static_cast<Size>(int64_max) - count) {
          throw Error(ErrorCode::overflow,
                      "the counts of --fweights add up to 2^63 or more; reduce fewer rows at once");
        }
        count += n;
        from.slices.get(slice, one.data());
        // Doubles for each binary digit of the weight, and adds where the digit is 1.
        clear(many.data(), layout, dtype);
        for (int bit = bit_length(list[k].times); bit-- > 0;) {
          onefold::merge(many.data(), many.data(), layout, dtype);
          if ((list[k].times >> bit & 1) != 0) {
            onefold::merge(many.data(), one.data(), layout, dtype);
          }
        }
        onefold::merge(sum.data(), many.data(), layout, dtype);
      }
      all->slices.put(g * width + c, 1, sum.data(), true, [&](Size) { return count; });
    }
  }
  all->slices.trim();
  all->count_largest();
  states = States(std::move(all));
}

void GroupStates::merge(const GroupStates& other) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::bad_state, "merge: these states cannot be merged: " + what);
  };
  if (by != other.by) {
    refuse("the keys of one are " + list_of(by) + ", those of another are " + list_of(other.by) +
           "; gather all with the same --by");
  }
  if (columns != other.columns) {
    refuse("the columns of one are " + list_of(columns) + ", those of another are " +
           list_of(other.columns) + "; gather all with the same --columns");
  }
  if (nulls != other.nulls || spelt != other.spelt) {
    refuse(
        "the keys of one come from a text file, those of another from a binary file; gather all "
        "from files of one format");
  }
  const States::Impl &mine = States::Impl::of(states), &theirs = States::Impl::of(other.states);
  check_alike(mine.kind, theirs.kind, "merge");
  for (std::size_t k = 0; k < stored.size(); ++k) {
    if (stored[k] != other.stored[k]) stored[k].reset();
  }
  if (keys == other.keys) return states.merge(other.states);

  std::vector<std::string> all;
  std::ranges::set_union(keys, other.keys, std::back_inserter(all));
  const Size width = columns.size();
  auto merged = std::make_unique<States::Impl>(
      States::Impl{.kind = mine.kind,
                   .shape = Dims(static_cast<int64_t>(all.size()), static_cast<int64_t>(width)),
                   .slices = {mine.kind.dtype, mine.kind.layout, all.size() * width}});
  std::vector<int64_t> a(static_cast<std::size_t>(mine.kind.layout.words)), b(a.size());
  Size i = 0, j = 0;
  for (Size g = 0; g < all.size(); ++g) {
    const bool here = i < keys.size() && keys[i] == all[g];
    const bool there = j < other.keys.size() && other.keys[j] == all[g];
    for (Size c = 0; c < width; ++c) {
      Size count = 0;
      if (here) {
        mine.slices.get(i * width + c, a.data());
        count = mine.slices.count(i * width + c);
      }
      if (there) {
        const Size more = theirs.slices.count(j * width + c);
        theirs.slices.get(j * width + c, here ? b.data() : a.data());
        if (more > static_cast<Size>(int64_max) - count) {
          throw Error(ErrorCode::overflow,
                      "merge: a group would have 2^63 elements or more, which a state cannot hold");
        }
        count += more;
        if (here) onefold::merge(a.data(), b.data(), mine.kind.layout, mine.kind.dtype);
      }
      merged->slices.put(g * width + c, 1, a.data(), true, [&](Size) { return count; });
    }
    i += here ? 1 : 0, j += there ? 1 : 0;
  }
  merged->slices.trim();
  merged->count_largest();
  keys = std::move(all);
  states = States(std::move(merged));
}

Grouped GroupStates::answer(std::string_view ops, const Options& options) const {
  Grouped r{.by = by, .columns = columns, .keys = {}, .stored = stored, .answers = {}};
  r.nulls = nulls;
  r.spelt = spelt;
  if (nulls) r.types = types_of_keys(stored);
  const std::vector<uint32_t> order = order_of_keys(
      keys.size(), by.size(), nulls, [&](Size g) -> std::string_view { return keys[g]; });
  const Answers found = states.answer(ops, options);
  const Size width = columns.size();
  for (const Answer& a : found.list) {
    const Size bytes = width * bytes_of(a.dtype);
    Answer sorted{.op = a.op, .dtype = a.dtype, .shape = a.shape, .data = {}, .status = {}};
    sorted.data.resize(a.data.size());
    sorted.status.resize(a.status.size());
    for (Size k = 0; k < order.size(); ++k) {
      const Size from = order[k];
      std::copy_n(a.data.data() + from * bytes, bytes, sorted.data.data() + k * bytes);
      std::copy_n(a.status.data() + from * width, width, sorted.status.data() + k * width);
    }
    r.answers.list.push_back(std::move(sorted));
  }
  for (const uint32_t g : order) r.keys.push_back(keys[g]);
  return r;
}

std::vector<std::byte> GroupStates::save() const {
  Writer w;
  w.raw(magic.data(), magic.size());
  w.number((nulls ? 1u : 0u) | (spelt ? 2u : 0u));
  for (const auto* names : {&by, &columns}) {
    w.number(names->size());
    for (const std::string& name : *names) write_long(w, name);
  }
  for (const auto& type : stored) w.text(type ? name_of(*type) : "");
  w.number(keys.size());
  for (const std::string& key : keys) write_long(w, key);
  const std::vector<std::byte> words = states.save();
  w.raw(words.data(), words.size());
  return w.finished();
}

GroupStates GroupStates::load(std::span<const std::byte> bytes) {
  Reader r(bytes, magic, "states of groups");
  GroupStates loaded;
  const uint64_t flags = r.number();
  if (flags > 3) bad_bytes("they were saved by a later version of onefold");
  loaded.nulls = (flags & 1) != 0;
  loaded.spelt = (flags & 2) != 0;
  loaded.by = read_names(r);
  loaded.columns = read_names(r);
  if (loaded.by.empty() || loaded.columns.empty()) bad_bytes("there are no keys, or no columns");
  for (std::size_t k = 0; k < loaded.by.size(); ++k) {
    loaded.stored.push_back(type_called(r.text()));
  }
  const uint64_t groups = r.number_of(8);
  for (uint64_t g = 0; g < groups; ++g) {
    std::string key = read_long(r);
    if (!is_key(key, loaded.by.size())) bad_bytes("a key has too few or too many parts");
    if (g > 0 && key <= loaded.keys.back()) bad_bytes("the keys are not in order");
    loaded.keys.push_back(std::move(key));
  }
  loaded.states = States::load(r.bytes);
  const States::Impl& held = States::Impl::of(loaded.states);
  if (held.shape != Dims(static_cast<int64_t>(groups), static_cast<int64_t>(loaded.columns.size())))
    bad_bytes("the number of states differs from the number of keys");
  // The count of a group is stored twice: in the tally's words and behind the state's words.
  if (held.kind.layout.offset[static_cast<int>(Accumulator::tally)] < 0 || held.kind.indexed)
    bad_bytes("these are not states of groups");
  return loaded;
}

}  // namespace onefold::io
