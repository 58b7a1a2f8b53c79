#include "onefold/fold_by.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "api/output.hpp"
#include "group/compact_states.hpp"
#include "group/group_plan.hpp"
#include "group/keys.hpp"

namespace onefold {
namespace {

// So many elements are looked up, then folded: 4096 f64 stay in L1.
constexpr Size batch = 4096;

void check_keys(const Request& request, const ArrayRef& keys, const ArrayRef& x) {
  const std::string where = request.names();
  // What is wrong with an array by itself.
  Request count("count", {});
  static_cast<void>(count.plan(keys));
  static_cast<void>(count.plan(x));
  if (is_floating(keys.dtype)) {
    throw Error(ErrorCode::bad_option, where + ": the keys are " + name_of(keys.dtype) +
                                           "; integers and bools can be keys");
  }
  for (const ArrayRef* a : {&keys, &x}) {
    if (a->device.type != Device::Type::cuda) continue;
    throw Error(ErrorCode::bad_option, where + ": groups are folded from host memory");
  }
  if (keys.shape.rank() != 1 || x.shape.rank() != 1 || keys.shape[0] != x.shape[0]) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the keys have shape " + to_string(keys.shape) + " and the elements " +
                    to_string(x.shape) + "; both must be of one dimension and agree");
  }
}

// Elements [from, from + n) side by side.
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
T key_of(std::string_view bytes) {
  T key;
  std::memcpy(static_cast<void*>(&key), bytes.data(), sizeof key);
  return key;
}

std::vector<uint32_t> in_order(const Keys& keys, DType t) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  visit(t, [&]<class T>() {
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if constexpr (dtype_of<T> == DType::boolean) {
        return key_of<T>(keys[a]).byte < key_of<T>(keys[b]).byte;
      } else if constexpr (!Floating<T>) {
        return key_of<T>(keys[a]) < key_of<T>(keys[b]);
      } else {
        return a < b;
      }
    });
  });
  return order;
}

}  // namespace

void Groups::check(DType asked) const {
  if (asked == key_type) return;
  throw Error(ErrorCode::type_mismatch, std::string("the keys are of type ") + name_of(key_type) +
                                            ", not " + name_of(asked) + ", which was asked for");
}

Groups fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x,
               const Options& options) {
  const Request request(ops, options);
  const Plan plan = group_plan(request, x.dtype);
  check_keys(request, keys, x);
  Keys table;
  CompactStates states(plan);
  const Size n = static_cast<Size>(x.shape[0]), key_bytes = bytes_of(keys.dtype);
  std::vector<std::byte> some_keys(batch * key_bytes), some(batch * bytes_of(x.dtype));
  std::vector<uint32_t> group(batch);
  for (Size at = 0; at < n; at += batch) {
    const Size m = std::min(batch, n - at);
    copy_elements(keys, at, m, some_keys.data());
    if (keys.dtype == DType::boolean) make_bools(some_keys.data(), m);
    for (Size i = 0; i < m; ++i) {
      const std::string_view key(reinterpret_cast<const char*>(&some_keys[i * key_bytes]),
                                 key_bytes);
      group[i] = table.find(key, Keys::hash_of(key));
    }
    states.grow(table.size());
    copy_elements(x, at, m, some.data());
    states.add(group.data(), some.data(), 1, m);
  }
  Groups groups{.keys = {}, .key_type = keys.dtype, .answers = {}};
  Output output(plan, table.size());
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  Size place = 0;
  for (const uint32_t g : in_order(table, keys.dtype)) {
    const auto* const key = reinterpret_cast<const std::byte*>(table[g].data());
    groups.keys.insert(groups.keys.end(), key, key + key_bytes);
    states.expand(g, state.data());
    output.put(plan, place++, state.data());
  }
  groups.answers = output.take(Dims(table.size()));
  return groups;
}

}  // namespace onefold
