#include "onefold/tables/aggregate_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "onefold/io/table_fields.hpp"
#include "onefold/tables/group_order.hpp"

namespace onefold::io {
namespace {

template <class T>
double exact_f64(T integer, const std::string& label) {
  const auto number = static_cast<double>(integer);
  const double beyond = 2 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  if (number < beyond && static_cast<T>(number) == integer) return number;
  throw Error(ErrorCode::out_of_range, "--having: " + label + " is " + std::to_string(integer) +
                                           ", an integer that f64 does not hold");
}

// Returns a value for expressions, which compute in f64.
//   compares  an integer that f64 does not hold is an error; else it is rounded
double as_f64(const Value& v, const std::string& label, bool compares) {
  switch (v.dtype) {
    case DType::f64:
      return v.as<double>();
    case DType::f32:
      return static_cast<double>(v.as<float>());
    case DType::i64:
      return compares ? exact_f64(v.as<int64_t>(), label) : static_cast<double>(v.as<int64_t>());
    case DType::u64:
      return compares ? exact_f64(v.as<uint64_t>(), label) : static_cast<double>(v.as<uint64_t>());
    default:
      return static_cast<double>(static_cast<int>(v.as<bool>()));
  }
}

Values values_of(const Grouped& grouped, std::size_t k, bool compares) {
  const Answer& a = grouped.answers.list[k];
  const bool text = grouped.of_text[k];
  Values v{.kind = text ? Kind::text : Kind::number};
  v.resize(a.size());
  for (Size g = 0; g < a.size(); ++g) {
    v.null[g] = a.status[g] != Status::ok;
    if (v.null[g]) continue;
    if (text) {
      v.texts[g] = *grouped.text(k, g, 0);
    } else {
      v.numbers[g] = as_f64(a[g], a.op, compares);
    }
  }
  return v;
}

// Finds the calls that an expression names.
void bind_calls(Node& node, const std::string& where, const std::vector<PlannedCall>& calls,
                const Grouped& grouped) {
  bind_columns(node, where, [&](const std::string& name) -> Named {
    // The text of a call means that call, even if another one is called so.
    auto call = std::ranges::find(calls, name, &PlannedCall::name);
    if (call == calls.end()) call = std::ranges::find(calls, name, &PlannedCall::label);
    const auto k = static_cast<std::size_t>(call - calls.begin());
    return {k, grouped.of_text[k] ? Kind::text : Kind::number, grouped.of_text[k]};
  });
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
  bind_calls(node, "agg", calls, grouped);
  if (node.kind != Kind::number) {
    throw Error(ErrorCode::bad_option,
                "agg: " + call.label + " is " +
                    (node.kind == Kind::text ? "a text, and no number"
                                             : "true or false; --having keeps groups by it"));
  }
  const Size n = grouped.keys.size();
  const Values values =
      evaluate(node, n, false, [&](std::size_t k, Reads) { return values_of(grouped, k, false); });
  Answer a{.op = call.label,
           .dtype = DType::f64,
           .shape = Dims(static_cast<int64_t>(n), 1),
           .data = std::vector<std::byte>(n * sizeof(double)),
           .status = std::vector<Status>(n)};
  auto* const to = reinterpret_cast<double*>(a.data.data());
  for (Size g = 0; g < n; ++g) {
    const bool null = values.is_null(g);
    to[g] = null ? std::numeric_limits<double>::quiet_NaN() : values.number(g);
    if (std::isnan(to[g])) to[g] = std::numeric_limits<double>::quiet_NaN();  // no -nan
    if (null && !empty_nan) a.status[g] = Status::empty_input;
  }
  return a;
}

void keep_groups(const Node& having, const std::vector<PlannedCall>& calls, Grouped& grouped) {
  Node node = having;
  bind_calls(node, "--having", calls, grouped);
  if (node.kind != Kind::truth) {
    throw Error(ErrorCode::bad_option,
                "--having is no comparison, which is true or false of a group, such as "
                "sum(price) > 100");
  }
  const Size n = grouped.keys.size();
  const Values chosen =
      evaluate(node, n, false, [&](std::size_t k, Reads) { return values_of(grouped, k, true); });
  std::vector<Size> kept;
  for (Size g = 0; g < n; ++g) {
    if (!chosen.is_null(g) && chosen.number(g) != 0) kept.push_back(g);
  }
  take_groups(grouped, kept);
}

}  // namespace onefold::io
