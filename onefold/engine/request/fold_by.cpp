// Folds by keys and by labels.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/group/keys.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/sorted_groups.hpp"
#include "onefold/numbered_keys.hpp"

namespace onefold {
namespace {

Answers keyed(Answers&& answers, std::vector<std::byte>&& keys, DType type) {
  answers.keys = std::move(keys);
  answers.key_type = type;
  return std::move(answers);
}

// So many keys are searched before their elements are folded: 4,096 f64 fit the L1 cache.
constexpr Size batch = 4096;

void check_keys(const Query& query, const ArrayRef& keys, const ArrayRef& x) {
  const std::string where = query.names();
  // Checks an array without reading it.
  Query count("count", {});
  static_cast<void>(count.plan(keys));
  static_cast<void>(count.plan(x));
  if (is_floating(keys.dtype)) {
    throw Error(ErrorCode::bad_option, where + ": the keys are " + name_of(keys.dtype) +
                                           ", but must be integers or bools");
  }
  if (keys.shape.rank() != 1 || x.shape.rank() != 1 || keys.shape[0] != x.shape[0]) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the keys have shape " + to_string(keys.shape) +
                    " and the elements have shape " + to_string(x.shape) +
                    "; both must have one dimension and the same length");
  }
}

void refuse_device(const Query& query, const ArrayRef& a) {
  if (a.device.type != Device::Type::cuda) return;
  throw Error(ErrorCode::bad_option,
              query.names() + ": the labels are on a device; set .device to it");
}

// Returns the device that the request or one of the arrays names, or nothing.
std::optional<Device> device_of(const Query& query, const ArrayRef& keys, const ArrayRef& x) {
  for (const Device& d : {query.options.device, keys.device, x.device}) {
    if (d.type == Device::Type::cuda) return d;
  }
  return {};
}

// Numbers the keys on a device, and folds by these labels.
Answers fold_numbered(const Query& query, const ArrayRef& keys, const ArrayRef& x) {
  check_groups(query);
  check_keys(query, keys, x);
  const NumberedKeys numbered(query.names(), keys, query.options);
  std::vector<std::byte> distinct(numbered.size() * bytes_of(keys.dtype));
  numbered.write_keys(distinct.data());
  return keyed(fold_labels(query, numbered.labels(), x, nullptr, numbered.size()),
               std::move(distinct), keys.dtype);
}

// Copies elements [from, from + n) to contiguous memory.
void copy_elements(const ArrayRef& a, Size from, Size n, std::byte* to) {
  const Size bytes = bytes_of(a.dtype);
  const auto* const base = static_cast<const std::byte*>(a.data);
  for (Size i = 0; i < n; ++i) {
    std::memcpy(to + i * bytes, base + static_cast<int64_t>(from + i) * a.strides[0], bytes);
  }
}

// Any byte but 0 is true.
void make_bools(std::byte* keys, Size n) {
  for (Size i = 0; i < n; ++i) keys[i] = std::byte{keys[i] != std::byte{0}};
}

template <class T>
T key_at(const ArrayRef& keys, Size i) {
  T key;
  std::memcpy(static_cast<void*>(&key),
              static_cast<const std::byte*>(keys.data) + static_cast<int64_t>(i) * keys.strides[0],
              sizeof key);
  if constexpr (dtype_of<T> == DType::boolean) key.byte = key.byte != 0;
  return key;
}

// Calls f with a function that returns the value of key i, for any integer or bool type.
template <class F>
void with_keys(const ArrayRef& keys, F f) {
  visit(keys.dtype, [&]<class T>() {
    if constexpr (dtype_of<T> == DType::boolean) {
      f([&](Size i) { return key_at<T>(keys, i).byte; });
    } else if constexpr (!Floating<T>) {
      f([&](Size i) { return key_at<T>(keys, i); });
    }
  });
}

// Returns the keys in the order of their values, and calls f(number) for each in this order.
template <class F>
std::vector<std::byte> in_order(const Keys& keys, DType t, F f) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  // All keys have the same length and are contiguous.
  if (!order.empty()) {
    with_keys(ArrayRef(keys[0].data(), t, Dims(order.size())),
              [&](auto key) { std::ranges::sort(order, {}, key); });
  }
  std::vector<std::byte> sorted;
  for (const uint32_t g : order) {
    const auto* const key = reinterpret_cast<const std::byte*>(keys[g].data());
    sorted.insert(sorted.end(), key, key + bytes_of(t));
    f(g);
  }
  return sorted;
}

// Returns whether elements are contiguous; only then are segments folded quickly.
bool side_by_side(const ArrayRef& x) {
  return x.strides[0] == static_cast<int64_t>(bytes_of(x.dtype)) || x.shape[0] <= 1;
}

// Returns the offsets at which each key begins, then the end; nothing if keys decrease.
std::vector<int64_t> offsets_of_rising(const ArrayRef& keys) {
  std::vector<int64_t> offsets{0};
  const auto n = static_cast<Size>(keys.shape[0]);
  with_keys(keys, [&](auto key) {
    for (Size i = 1; i < n; ++i) {
      if (key(i) == key(i - 1)) continue;
      if (key(i) < key(i - 1)) return offsets.clear();
      offsets.push_back(static_cast<int64_t>(i));
    }
  });
  if (n > 0 && !offsets.empty()) offsets.push_back(static_cast<int64_t>(n));
  return offsets;
}

Answers fold_rising(const Query& query, const ArrayRef& keys, const ArrayRef& x, const ArrayRef* y,
                    std::span<const int64_t> offsets) {
  const Size key_bytes = bytes_of(keys.dtype), count = offsets.size() - 1;
  std::vector<std::byte> distinct(count * key_bytes);
  for (Size g = 0; g < count; ++g) {
    copy_elements(keys, static_cast<Size>(offsets[g]), 1, &distinct[g * key_bytes]);
  }
  if (keys.dtype == DType::boolean) make_bools(distinct.data(), count);
  const ArrayRef cuts(offsets.data(), DType::i64, Dims(count + 1));
  return keyed(fold_segments(query.names(), x, y, cuts, query.options), std::move(distinct),
               keys.dtype);
}

// Calls f(at, m, numbers) with the numbers of keys at, .., at + m - 1, for all keys in turn.
template <class F>
void number_keys(const ArrayRef& keys, Keys& table, F f) {
  const Size n = static_cast<Size>(keys.shape[0]), bytes = bytes_of(keys.dtype);
  std::vector<std::byte> some(batch * bytes);
  std::vector<uint32_t> numbers(batch);
  for (Size at = 0; at < n; at += batch) {
    const Size m = std::min(batch, n - at);
    copy_elements(keys, at, m, some.data());
    if (keys.dtype == DType::boolean) make_bools(some.data(), m);
    for (Size i = 0; i < m; ++i) {
      const std::string_view key(reinterpret_cast<const char*>(&some[i * bytes]), bytes);
      numbers[i] = table.find(key, Keys::hash_of(key));
    }
    f(at, m, numbers.data());
  }
}

// Throws if a label is not the number of a group, and if it was not when it was last read.
[[noreturn]] void refuse_labels(const Query& query, const ArrayRef& labels, Size groups) {
  with_keys(labels, [&](auto label) {
    const auto n = static_cast<Size>(labels.shape[0]);
    for (Size i = 0; i < n; ++i) {
      const auto v = label(i);
      if (static_cast<Size>(v) < groups) continue;  // a negative label becomes too large
      throw Error(ErrorCode::bad_option,
                  query.names() + ": label " + std::to_string(i) + " is " + std::to_string(v) +
                      (groups == 0 ? "; with 0 groups the labels must be empty"
                                   : "; labels of " + std::to_string(groups) + " groups are 0.." +
                                         std::to_string(groups - 1)));
    }
  });
  throw Error(ErrorCode::bad_option,
              query.names() + ": the labels were modified while they were counted");
}

void check_count(const Query& query, Size groups) {
  if (groups < Size{1} << 32) return;
  throw Error(ErrorCode::bad_option, query.names() + ": .groups is " + std::to_string(groups) +
                                         "; at most 4294967295 groups are possible");
}

// Checks a fold of groups that are sorted. A device may fold them, but the host sorts.
Plan check_sorted(const Query& query, const ArrayRef& keys, const ArrayRef& x, const ArrayRef* y) {
  const Options& o = query.options;
  const auto address = [](const auto& array) { return array ? &*array : nullptr; };
  for (const ArrayRef* a : {&keys, &x, y, address(o.weights), address(o.fweights),
                            o.where ? &o.where->array : nullptr}) {
    if (a == nullptr || a->device.type != Device::Type::cuda) continue;
    throw Error(ErrorCode::bad_option,
                query.names() +
                    ": groups with .where, .weights, .fweights or a second array are computed on "
                    "the host, but an array is on a device; copy all arrays to the host");
  }
  check_keys(query, keys, x);
  return check_sorted(query, x, y);
}

// Folds by labels after check_sorted and check_count.
Answers sorted_by_labels(const Query& query, const ArrayRef& labels, const ArrayRef& x,
                         const ArrayRef* y, Size groups) {
  std::vector<uint32_t> numbers(static_cast<Size>(labels.shape[0]));
  bool good = true;
  with_keys(labels, [&](auto label) {
    for (Size i = 0; i < numbers.size(); ++i) {
      const auto v = static_cast<Size>(label(i));
      good &= v < groups;
      numbers[i] = static_cast<uint32_t>(v);
    }
  });
  if (!good) refuse_labels(query, labels, groups);
  return fold_sorted(query, numbers, groups, x, y);
}

Answers sorted_by_keys(const Query& query, const ArrayRef& keys, const ArrayRef& x,
                       const ArrayRef* y) {
  check_sorted(query, keys, x, y);
  const std::vector<int64_t> offsets = offsets_of_rising(keys);
  if (!offsets.empty()) return fold_rising(query, keys, x, y, offsets);
  Keys table;
  std::vector<uint32_t> numbers;
  number_keys(keys, table, [&](Size, Size m, const uint32_t* some) {
    numbers.insert(numbers.end(), some, some + m);
  });
  std::vector<uint32_t> place(table.size());
  uint32_t next = 0;
  std::vector<std::byte> sorted =
      in_order(table, keys.dtype, [&](uint32_t g) { place[g] = next++; });
  for (uint32_t& g : numbers) g = place[g];
  return keyed(fold_sorted(query, numbers, table.size(), x, y), std::move(sorted), keys.dtype);
}

// Plans a fold by labels, and chooses its device; all is checked but the labels' values.
Plan label_plan(const Query& query, const ArrayRef& labels, const ArrayRef& x, const ArrayRef* y,
                Size groups) {
  const bool sorts = needs_sorting(y, query.options);
  if (!sorts) {
    check_groups(query);
    check_keys(query, labels, x);
    check_count(query, groups);
  }
  Plan plan = sorts ? check_sorted(query, labels, x, y) : backend::checked(query.plan(x));
  if (sorts) check_count(query, groups);
  plan.answers = groups;
  plan.output = Dims(groups);
  if (sorts) return plan;
  if (plan.device.type != Device::Type::cuda) {
    refuse_device(query, labels);
    return plan;
  }
  if (query.options.empty_nan) {
    throw Error(ErrorCode::bad_option,
                query.names() +
                    ": .empty_nan does not apply to labels on a device, where an empty "
                    "group has a status instead");
  }
  const auto bytes = static_cast<int64_t>(bytes_of(labels.dtype));
  if (reinterpret_cast<uintptr_t>(labels.data) % static_cast<uintptr_t>(bytes) != 0 ||
      labels.strides[0] % bytes != 0) {
    throw Error(ErrorCode::misaligned, query.names() + ": the labels are not aligned to " +
                                           std::to_string(bytes) +
                                           " bytes, as the device needs; copy them");
  }
  return plan;
}

void run_labels(const Query& query, const Plan& plan, const ArrayRef& labels, const ArrayRef& x,
                std::span<const backend::Output> to, bool deferred = false) {
  const backend::Labels by{.data = labels.data,
                           .type = labels.dtype,
                           .groups = plan.answers,
                           .stride = labels.strides[0],
                           .x_stride = x.strides[0],
                           .deferred = deferred,
                           .refuse = [&](const void* host) {
                             ArrayRef copy = labels;
                             copy.data = host;
                             refuse_labels(query, copy, plan.answers);
                           }};
  backend::fold({.plan = plan, .x = x.data, .outputs = to, .labels = &by});
}

Answers answers_of(const Plan& plan, const Query& query, const ArrayRef& labels, const ArrayRef& x,
                   const ArrayRef* y) {
  if (needs_sorting(y, query.options)) return sorted_by_labels(query, labels, x, y, plan.answers);
  Output output(plan);
  run_labels(query, plan, labels, x, output.all_places());
  return output.take(plan.output);
}

}  // namespace

Answers fold_keys(const Query& asked, const ArrayRef& keys, const ArrayRef& x, const ArrayRef* y) {
  if (needs_sorting(y, asked.options)) return sorted_by_keys(asked, keys, x, y);
  Query query = asked;
  if (const std::optional<Device> device = device_of(query, keys, x)) {
    query.options.device = *device;
    return fold_numbered(query, keys, x);
  }
  const Plan plan = group_plan(query, x.dtype);
  check_keys(query, keys, x);
  if (side_by_side(x)) {
    const std::vector<int64_t> offsets = offsets_of_rising(keys);
    if (!offsets.empty()) return fold_rising(query, keys, x, nullptr, offsets);
  }
  Keys table;
  StateTable states(plan, 0, StateTable::Keeps::words);
  std::vector<std::byte> some(batch * bytes_of(x.dtype));
  number_keys(keys, table, [&](Size at, Size m, const uint32_t* numbers) {
    states.grow(table.size());
    copy_elements(x, at, m, some.data());
    states.add(numbers, some.data(), 1, m);
  });
  Output output(plan, table.size());
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  Size place = 0;
  std::vector<std::byte> sorted = in_order(table, keys.dtype, [&](uint32_t g) {
    states.get(g, state.data());
    output.put(plan, place++, state.data());
  });
  return keyed(output.take(Dims(table.size())), std::move(sorted), keys.dtype);
}

Answers fold_labels(const Query& query, const ArrayRef& labels, const ArrayRef& x,
                    const ArrayRef* y, Size groups) {
  return answers_of(label_plan(query, labels, x, y, groups), query, labels, x, y);
}

void fold_labels(std::span<const OutputRef> outs, const Query& query, const ArrayRef& labels,
                 const ArrayRef& x, const ArrayRef* y, Size groups, bool deferred) {
  const Plan plan = label_plan(query, labels, x, y, groups);
  if (!needs_sorting(y, query.options) && plan.device.type == Device::Type::cuda) {
    return run_labels(query, plan, labels, x, check_device_outputs(plan, outs), deferred);
  }
  if (deferred) {
    throw Error(
        ErrorCode::bad_option,
        query.names() + ": .deferred needs labels on a device; this call waits for its answers");
  }
  const std::vector<backend::Output> places = check_outputs(plan, outs);
  write_answers(plan, places, answers_of(plan, query, labels, x, y));
}

}  // namespace onefold
