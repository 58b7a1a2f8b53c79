#include "onefold/tables/aggregate_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "onefold/io/table_fields.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/key_values.hpp"

namespace onefold::io {
namespace {

// Returns the exact value of an integer; none: it is f64 or f32.
std::optional<Int128> integer_in(const Value& v) {
  if (v.dtype == DType::i64) return v.as<int64_t>();
  if (v.dtype == DType::u64) return v.as<uint64_t>();
  return {};
}

// Returns answers as values for expressions.
//   exact  integers are exact; else they are rounded to f64
Values values_of(const Grouped& grouped, std::size_t k, bool exact) {
  const Answer& a = grouped.answers.list[k];
  const bool text = grouped.of_text[k];
  Values v{.kind = text ? Kind::text : Kind::number,
           .whole = exact && (integer_in({.dtype = a.dtype}) || !a.integers.empty())};
  v.resize(a.size());
  for (Size g = 0; g < a.size(); ++g) {
    v.null[g] = a.status[g] != Status::ok;
    if (v.null[g]) continue;
    const Value value = a[g];
    if (text) {
      v.texts[g] = *grouped.text(k, g, 0);
    } else if (const auto integer = integer_in(value)) {
      v.set_integer(g, *integer);
    } else if (value.dtype == DType::boolean) {
      v.numbers[g] = static_cast<int>(value.as<bool>());
    } else {
      v.numbers[g] =
          value.dtype == DType::f32 ? static_cast<double>(value.as<float>()) : value.as<double>();
      // A sum that 64 bits do not hold was rounded, beside those that they hold.
      if (v.whole && std::fabs(v.numbers[g]) >= 0x1p53) v.set_rest(g, Values::rounded);
    }
  }
  if (!exact) v.rests.clear();
  return v;
}

// Finds the calls that an expression names; and keys, numbered behind the calls.
//   keys  of each column of --by
void bind_calls(Node& node, const std::string& where, const std::vector<PlannedCall>& calls,
                const Grouped& grouped, const std::vector<KeyValues>& keys) {
  bind_columns(node, where, [&](const std::string& name) -> Named {
    // The text of a call means that call, even if another one is called so.
    auto call = std::ranges::find(calls, name, &PlannedCall::name);
    if (call == calls.end()) call = std::ranges::find(calls, name, &PlannedCall::label);
    const auto k = static_cast<std::size_t>(call - calls.begin());
    if (call != calls.end()) {
      return {k, grouped.of_text[k] ? Kind::text : Kind::number, grouped.of_text[k]};
    }
    const auto key = std::ranges::find(grouped.by, name);
    if (key == grouped.by.end() || keys.empty()) {
      throw Error(ErrorCode::internal, where + ": " + name + " was not planned");
    }
    const auto column = static_cast<std::size_t>(key - grouped.by.begin());
    return {k + column, keys[column].kind(), true};
  });
}

// Returns the type of integers that holds all values, if f64 does not hold one of them.
std::optional<DType> integer_type_of(const Values& values, Size n) {
  bool any_beyond = false;
  Int128 least = 0, most = 0;
  for (Size g = 0; g < n; ++g) {
    if (values.is_null(g)) return {};
    const std::optional<Int128> integer = values.integer(g);
    if (!integer) return {};
    any_beyond |= values.is_beyond_f64(g, false);
    least = std::min(least, *integer);
    most = std::max(most, *integer);
  }
  if (!any_beyond || least < std::numeric_limits<int64_t>::min()) return {};
  if (most <= std::numeric_limits<int64_t>::max()) return DType::i64;
  const bool fits = least >= 0 && most <= Int128{std::numeric_limits<uint64_t>::max()};
  return fits ? std::optional(DType::u64) : std::nullopt;
}

// Returns a value that is an integer of 64 bits that f64 does not hold.
std::optional<Value> beyond_f64_in(const Values& values, Size g) {
  if (values.is_null(g) || !values.is_beyond_f64(g, false)) return {};
  const std::optional<Int128> integer = values.integer(g);
  if (!integer || *integer < std::numeric_limits<int64_t>::min() ||
      *integer > Int128{std::numeric_limits<uint64_t>::max()}) {
    return {};
  }
  return Value{.dtype = *integer > std::numeric_limits<int64_t>::max() ? DType::u64 : DType::i64,
               .bits = static_cast<uint64_t>(*integer)};
}

// Returns answers that are texts of numbers as numbers of a type; nothing if it does not hold one.
template <class T>
std::optional<Answer> numbers_as(const Grouped& all, std::size_t op, const Table& marks,
                                 const PlannedCall& call, bool empty_nan) {
  constexpr bool floats = std::is_same_v<T, double>;
  const Size n = all.keys.size();
  Answer a{.op = call.label,
           .dtype = dtype_of<T>,
           .shape = Dims(static_cast<int64_t>(n), 1),
           .data = std::vector<std::byte>(n * sizeof(T)),
           .status = all.answers.list[op].status};
  auto* const to = reinterpret_cast<T*>(a.data.data());
  for (Size g = 0; g < n; ++g) {
    const auto text = all.text(op, g, 0);
    if (floats && !text && empty_nan) {
      to[g] = std::numeric_limits<T>::quiet_NaN();
      a.status[g] = Status::ok;
    }
    if (!text) continue;
    if (number_of(std::string(*text), marks, to[g], true) != NumberError::none) return {};
    float narrow = 0;
    const char* stop = nullptr;
    if (call.narrow && parse_number(text->data(), text->data() + text->size(), false, narrow,
                                    stop) == NumberError::none) {
      to[g] = static_cast<T>(narrow);
    }
  }
  return a;
}

}  // namespace

Answer answer_at(const Grouped& all, std::size_t op, Size column, const std::string& label) {
  const Answer& from = all.answers.list[op];
  const Size n = all.keys.size(), width = all.columns.size(), bytes = bytes_of(from.dtype);
  if (column >= width || (n > 0 && (n - 1) * width + column >= from.size())) {
    throw Error(ErrorCode::internal, label + ": its fold has no such column");
  }
  Answer a{.op = label,
           .dtype = from.dtype,
           .shape = Dims(static_cast<int64_t>(n), 1),
           .data = std::vector<std::byte>(n * bytes),
           .status = std::vector<Status>(n)};
  for (Size g = 0; g < n; ++g) {
    const Size at = g * width + column;
    std::memcpy(a.data.data() + g * bytes, from.data.data() + at * bytes, bytes);
    a.status[g] = from.status[at];
    if (const auto found = from.integers.find(at); found != from.integers.end()) {
      a.integers.emplace(g, found->second);
    }
  }
  return a;
}

Answer repeated(const Answer& one, Size n) {
  Answer all = one;
  all.shape = Dims(static_cast<int64_t>(n), 1);
  all.data.clear(), all.status.assign(n, one.status[0]), all.integers.clear();
  for (Size g = 0; g < n; ++g) {
    all.data.insert(all.data.end(), one.data.begin(), one.data.end());
    if (!one.integers.empty()) all.integers.emplace(g, one.integers.begin()->second);
  }
  return all;
}

std::optional<Answer> numbers_at(const Grouped& all, std::size_t op, const Table& marks,
                                 const PlannedCall& call, bool empty_nan) {
  std::optional<Answer> answer;
  if (!call.integer) answer = numbers_as<double>(all, op, marks, call, empty_nan);
  if (!answer && call.integer != DType::u64) {
    answer = numbers_as<int64_t>(all, op, marks, call, empty_nan);
  }
  return answer ? answer : numbers_as<uint64_t>(all, op, marks, call, empty_nan);
}

Answer answer_of_expression(const PlannedCall& call, const std::vector<PlannedCall>& calls,
                            const Grouped& grouped, bool empty_nan) {
  Node node = *call.expression;
  bind_calls(node, "agg", calls, grouped, {});
  if (node.kind != Kind::number) {
    throw Error(
        ErrorCode::bad_option,
        "agg: " + call.label + " is " +
            (node.kind == Kind::text
                 ? "text, not a number"
                 : "true or false, not a number; to choose groups with it, pass it to --having"));
  }
  const Size n = grouped.keys.size();
  const auto of = [&](bool exact) {
    return evaluate(node, n, false,
                    [&](std::size_t k, Reads) { return values_of(grouped, k, exact); });
  };
  Values values;
  try {
    values = of(true);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::out_of_range) throw;
    values = of(false);  // an operation has no exact answer for integers beyond f64
  }
  const std::optional<DType> integer = integer_type_of(values, n);
  Answer a{.op = call.label,
           .dtype = integer.value_or(DType::f64),
           .shape = Dims(static_cast<int64_t>(n), 1),
           .data = std::vector<std::byte>(n * sizeof(double)),
           .status = std::vector<Status>(n)};
  for (Size g = 0; g < n; ++g) {
    const bool null = values.is_null(g);
    if (null && !empty_nan) a.status[g] = Status::empty_input;
    std::byte* const to = a.data.data() + g * sizeof(double);
    if (integer) {
      const auto bits = static_cast<uint64_t>(*values.integer(g));
      std::memcpy(to, &bits, sizeof bits);
    } else {
      const double value = null ? NAN : values.number(g);
      const double number = std::isnan(value) ? NAN : value;  // no -nan
      std::memcpy(to, &number, sizeof number);
      if (const auto exact = beyond_f64_in(values, g)) a.integers.emplace(g, *exact);
    }
  }
  return a;
}

void keep_groups(const AggregatePlan& plan, Grouped& grouped) {
  Node node = *plan.having;
  const std::vector<PlannedCall>& calls = plan.calls;
  const Size n = grouped.keys.size();
  if (n == 0) return;  // no key says what kind of keys there would be
  std::vector<KeyValues> keys;
  for (std::size_t k = 0; k < grouped.by.size(); ++k) keys.emplace_back(grouped, k, plan);
  bind_calls(node, "--having", calls, grouped, keys);
  if (node.kind != Kind::truth) {
    throw Error(ErrorCode::bad_option,
                "--having must be true or false for each group; write a comparison, such as "
                "sum(price) > 100");
  }
  const Values chosen = evaluate(node, n, false, [&](std::size_t k, Reads reads) {
    return k < calls.size() ? values_of(grouped, k, true) : keys[k - calls.size()].read(reads);
  });
  std::vector<Size> kept;
  for (Size g = 0; g < n; ++g) {
    if (!chosen.is_null(g) && chosen.number(g) != 0) kept.push_back(g);
  }
  take_groups(grouped, kept);
}

}  // namespace onefold::io
