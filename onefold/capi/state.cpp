// The C ABI: states of one slice, to which elements may be added a few at a time.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "onefold/capi/decimal.hpp"
#include "onefold/capi/state.hpp"
#include "onefold/states.hpp"

using namespace onefold;
using namespace onefold::capi;

struct onefold_states {
  States held;
};

namespace {

void give_bytes(const std::vector<std::byte>& saved, uint8_t** bytes, std::size_t* size) {
  uint8_t*& to = needed(bytes, "bytes");
  std::size_t& n = needed(size, "size");
  void* copy = std::malloc(saved.size() + 1);
  if (copy == nullptr) throw std::bad_alloc();
  std::copy_n(saved.data(), saved.size(), static_cast<std::byte*>(copy));
  to = static_cast<uint8_t*>(copy);
  n = saved.size();
}

std::span<const std::byte> bytes_given(const uint8_t* bytes, std::size_t size) {
  if (size > 0) needed(bytes, "bytes");
  return {reinterpret_cast<const std::byte*>(bytes), size};
}

// Remembers the kinds of states that this thread used last, since engines make a state of the same
// kind for each group.
std::shared_ptr<const Purpose> purpose_of(const char* ops, DType dtype, NanPolicy nan,
                                          bool decimals, bool* pairs) {
  struct RecentPurpose {
    std::shared_ptr<const Purpose> purpose;
    bool pairs;
  };
  thread_local std::vector<RecentPurpose> known;
  for (const RecentPurpose& k : known) {
    if (k.purpose->dtype != dtype || k.purpose->nan != nan || k.purpose->decimals != decimals ||
        k.purpose->ops != ops) {
      continue;
    }
    *pairs = k.pairs;
    return k.purpose;
  }
  const auto purpose = std::make_shared<Purpose>(ops, dtype, nan, decimals);
  if (decimals && !Query(purpose->ops).takes_any_digits()) {
    throw Error(ErrorCode::bad_option,
                "state_new_decimals: " + purpose->ops +
                    " cannot be computed from decimals; use sum, mean or count");
  }
  const uint64_t zero = 0;
  *pairs = false;
  try {
    purpose->empty = gather_of(*purpose, &zero, nullptr, 0);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_option) throw;
    purpose->empty = gather_of(*purpose, &zero, &zero, 0);
    *pairs = true;
  }
  State one = gather_of(*purpose, &zero, *pairs ? &zero : nullptr, 1);
  try {
    one.merge(State(one));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::overlap) throw;
    throw Error(ErrorCode::bad_option, "state_new: " + purpose->ops +
                                           " returns an index, which is unknown if elements are "
                                           "added in pieces; gather parts with options.first");
  }
  for (const std::string_view name : op_names()) {
    if (name != ops || decimals) continue;
    purpose->op = name.data();
    purpose->result = one.answer(name).dtype;
  }
  if (known.size() == 16) known.erase(known.begin());
  known.push_back({purpose, *pairs});
  return purpose;
}

onefold_state* state_for(const char* ops, DType dtype, bool decimals,
                         const onefold_options* options) {
  const Options how = options_of(options);
  if (!how.axes.all() || how.keepdims || how.result || how.where || how.weights || how.fweights ||
      how.initial || how.first != 0 || how.device != Device{} || how.stream) {
    throw Error(ErrorCode::bad_option,
                "state_new: only the option nan applies; leave the others out");
  }
  bool pairs = false;
  auto purpose = purpose_of(ops, dtype, how.nan, decimals, &pairs);
  return onefold_state::make(std::move(purpose), pairs).release();
}

[[noreturn]] void refuse_call(const std::string& what) { throw Error(ErrorCode::bad_option, what); }

// Throws unless elements of one array (or of two) can be added to every state. All states must come
// from equal arguments of onefold_state_new.
void check_alike(std::span<onefold_state* const> states, bool two) {
  const Purpose* purpose = nullptr;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i + 16 < states.size()) __builtin_prefetch(states[i + 16]);
    const onefold_state* const s = states[i];
    if (s != nullptr && purpose != nullptr && s->purpose.get() == purpose) continue;
    const auto name = [&] { return "state_add_each: states[" + std::to_string(i) + "]"; };
    if (s == nullptr) refuse_call(name() + " is a null pointer");
    if (!s->purpose) {
      refuse_call(
          name() +
          " was not made by onefold_state_new, so elements cannot be added to it; merge states");
    }
    if (purpose == nullptr) {
      purpose = s->purpose.get();
      if (s->pairs != two) {
        refuse_call("state_add_each: " + purpose->ops +
                    (two ? " takes one array, but two were given"
                         : " takes two arrays, but one was given"));
      }
    } else if (!(*s->purpose == *purpose)) {
      refuse_call(name() + " is a state of " + s->purpose->about() + ", and states[0] of " +
                  purpose->about());
    }
  }
}

}  // namespace

extern "C" {

onefold_code onefold_gather(const char* ops, const onefold_array* x, const onefold_array* y,
                            const onefold_options* options, onefold_state** state) {
  return guarded([&] {
    onefold_state*& to = needed(state, "state");
    const std::string_view names = &needed(ops, "ops");
    to = new onefold_state(
        of_arrays(x, y, options, [&](const auto&... given) { return gather(names, given...); }));
  });
}

onefold_code onefold_state_new(const char* ops, int32_t dtype, const onefold_options* options,
                               onefold_state** state) {
  return guarded([&] {
    needed(state, "state") =
        state_for(&needed(ops, "ops"), dtype_of_number(dtype, "dtype"), false, options);
  });
}
onefold_code onefold_state_new_decimals(const char* ops, const onefold_options* options,
                                        onefold_state** state) {
  return guarded(
      [&] { needed(state, "state") = state_for(&needed(ops, "ops"), DType::f64, true, options); });
}

onefold_code onefold_state_add_decimal(onefold_state* state, const char* text) {
  return guarded([&] {
    onefold_state& s = needed(state, "state");
    if (!s.purpose || !s.purpose->decimals) {
      refuse_call("state_add_decimal: the state was not made by onefold_state_new_decimals");
    }
    const SpeltDecimal d = decimal_of(&needed(text, "text"));
    if (d.terms.empty()) return s.add(&d.near, nullptr, 1);
    s.exact.merge(gather_of(*s.purpose, &d.near, nullptr, 1, d.terms));
  });
}

onefold_code onefold_state_decimal_sum(const onefold_state* state, char* text, size_t size) {
  return guarded([&] {
    char& to = needed(text, "text");
    const std::string spelt = needed(state, "state").whole().decimal_sum();
    if (spelt.size() >= size) {
      refuse_call("state_decimal_sum: the text has " + std::to_string(spelt.size() + 1) +
                  " bytes, but the buffer has only " + std::to_string(size) +
                  "; pass a larger buffer");
    }
    std::memcpy(&to, spelt.c_str(), spelt.size() + 1);
  });
}

onefold_code onefold_state_add(onefold_state* state, const void* x, const void* y, size_t n) {
  return guarded([&] {
    onefold_state& s = needed(state, "state");
    if (!s.purpose) {
      throw Error(ErrorCode::bad_option,
                  "state_add: the state was not made by onefold_state_new; merge states");
    }
    if (n == 0) return;
    needed(static_cast<const char*>(x), "x");
    if (s.pairs) needed(static_cast<const char*>(y), "y");
    if (!s.pairs && y != nullptr) {
      throw Error(ErrorCode::bad_option,
                  "state_add: " + s.purpose->ops + " takes one array; pass NULL as y");
    }
    s.add(x, y, n);
  });
}

onefold_code onefold_state_add_each(onefold_state* const* states, const void* x, const void* y,
                                    size_t n) {
  return guarded([&] {
    if (n == 0) return;
    onefold_state* const first = needed(states, "states");
    const auto* const xs = static_cast<const std::byte*>(x);
    needed(xs, "x");
    check_alike({states, n}, y != nullptr);
    if (y == nullptr && first->sums()) {
      onefold_state::add_each(*first->purpose, reinterpret_cast<void* const*>(states), x, n);
      return;
    }
    for (size_t i = 0; i < n; ++i) {
      const std::size_t at = i * first->bytes_each();
      states[i]->add(xs + at, y == nullptr ? nullptr : static_cast<const std::byte*>(y) + at, 1);
    }
  });
}

onefold_code onefold_state_merge(onefold_state* into, const onefold_state* other) {
  return guarded([&] {
    onefold_state& to = needed(into, "into");
    const onefold_state& from = needed(other, "other");
    if (&to == &from) {
      to.merge(*from.copy());
    } else {
      to.merge(from);
    }
  });
}

onefold_code onefold_state_remove(onefold_state* from, const onefold_state* other) {
  return guarded([&] {
    onefold_state& s = needed(from, "from");
    const State theirs = needed(other, "other").whole();
    State left = s.whole();
    left.remove(theirs);
    s.exact = std::move(left);
    s.waiting = 0;
    s.clear_run();
  });
}

onefold_code onefold_state_digest(const onefold_state* state, char digest[65]) {
  return guarded([&] {
    char& to = needed(digest, "digest");
    const std::string text = needed(state, "state").whole().digest();
    std::memcpy(&to, text.c_str(), text.size() + 1);
  });
}

onefold_code onefold_state_copy(const onefold_state* state, onefold_state** copy) {
  return guarded([&] { needed(copy, "copy") = needed(state, "state").copy().release(); });
}

onefold_code onefold_state_answer(const onefold_state* state, const char* op,
                                  const onefold_options* options, onefold_value* value) {
  return guarded([&] {
    onefold_value& to = needed(value, "value");
    const std::string_view name = &needed(op, "op");
    const onefold_state& s = needed(state, "state");
    const Options how = options_of(options);
    Value answer;
    if (!s.answer_few(op, how, &answer)) answer = s.whole().answer(name, how);
    to = value_of(answer);
  });
}

onefold_code onefold_state_save(const onefold_state* state, uint8_t** bytes, size_t* size) {
  return guarded([&] { give_bytes(needed(state, "state").whole().save(), bytes, size); });
}

onefold_code onefold_state_load(const uint8_t* bytes, size_t size, onefold_state** state) {
  return guarded([&] {
    onefold_state*& to = needed(state, "state");
    to = new onefold_state(State::load(bytes_given(bytes, size)));
  });
}

onefold_code onefold_state_count(const onefold_state* state, uint64_t* elements) {
  return guarded([&] {
    const onefold_state& s = needed(state, "state");
    needed(elements, "elements") = s.count();
  });
}

onefold_code onefold_state_equal(const onefold_state* a, const onefold_state* b, int32_t* equal) {
  return guarded(
      [&] { needed(equal, "equal") = needed(a, "a").whole() == needed(b, "b").whole() ? 1 : 0; });
}

void onefold_state_free(onefold_state* state) { delete state; }
void onefold_bytes_free(uint8_t* bytes) { std::free(bytes); }

onefold_code onefold_states_gather(const char* ops, const onefold_array* x, const onefold_array* y,
                                   const onefold_options* options, onefold_states** states) {
  return guarded([&] {
    onefold_states*& to = needed(states, "states");
    const std::string_view names = &needed(ops, "ops");
    to = new onefold_states{of_arrays(
        x, y, options, [&](const auto&... given) { return gather_states(names, given...); })};
  });
}

onefold_code onefold_states_merge(onefold_states* into, const onefold_states* other) {
  return guarded([&] { needed(into, "into").held.merge(needed(other, "other").held); });
}

onefold_code onefold_states_answer(const onefold_states* states, const char* ops,
                                   const onefold_options* options, onefold_answers** answers) {
  return guarded([&] {
    onefold_answers*& to = needed(answers, "answers");
    const std::string_view names = &needed(ops, "ops");
    to = new onefold_answers(needed(states, "states").held.answer(names, options_of(options)));
  });
}

onefold_code onefold_states_slice(const onefold_states* states, size_t slice,
                                  onefold_state** state) {
  return guarded([&] {
    onefold_state*& to = needed(state, "state");
    to = new onefold_state(needed(states, "states").held[slice]);
  });
}

onefold_code onefold_states_save(const onefold_states* states, uint8_t** bytes, size_t* size) {
  return guarded([&] { give_bytes(needed(states, "states").held.save(), bytes, size); });
}

onefold_code onefold_states_load(const uint8_t* bytes, size_t size, onefold_states** states) {
  return guarded([&] {
    onefold_states*& to = needed(states, "states");
    to = new onefold_states{States::load(bytes_given(bytes, size))};
  });
}

size_t onefold_states_size(const onefold_states* states) {
  return states == nullptr ? 0 : states->held.size();
}
void onefold_states_free(onefold_states* states) { delete states; }

}  // extern "C"
