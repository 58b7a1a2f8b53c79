#include "law/random/judge.hpp"

#include <algorithm>

#include "check.hpp"
#include "law/random/definition.hpp"
#include "oracle/pair.hpp"
#include "oracle/weighted.hpp"

namespace onefold::law {
namespace {

bool is_in(std::span<const std::string_view> list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

// The type of an answer. For ops of the oracle from its table, without the library's.
const oracle::Type& result_of(const OpRow& op, const Problem& p) {
  const Options& o = p.options;
  const oracle::Type& t = oracle::type(onefold::name_of(p.draw.type));
  if (o.result) return oracle::type(onefold::name_of(*o.result));
  const std::string_view name = op.name;
  const bool element = name == "min" || name == "max";
  const bool pair = is_in(oracle::ops_of_pairs(), name);
  const bool one = is_in(oracle::ops_of_one_array(), name) || name == "dot";
  const oracle::Type& own = pair ? oracle::result_type_of_pairs(name, t)
                            : one
                                ? oracle::result_type(name, t)
                                : oracle::type(onefold::name_of(op.about->result.of(p.draw.type)));
  return o.wide && own.floating() && !element ? oracle::type("f64") : own;
}

Data picked(const Data& from, const std::vector<Size>& at, Size more) {
  Data to(from.dtype(), at.size() + more);
  for (Size i = 0; i < at.size(); ++i) to.set(i, from.bits(at[i]));
  return to;
}

Value value_of(const oracle::Value& v, const oracle::Type& t) {
  Value r;
  for (int k = 0; k < dtype_count; ++k) {
    if (onefold::name_of(static_cast<DType>(k)) == t.name) r.dtype = static_cast<DType>(k);
  }
  for (const Status s : {Status::ok, Status::overflow, Status::nan_found, Status::empty_input}) {
    if (onefold::name_of(s) == v.status) r.status = s;
  }
  r.bits = r.status == Status::ok ? v.bits : 0;
  return r;
}

std::string text(const Value& v) {
  return oracle::text({v.bits, onefold::name_of(v.status)}, oracle::type(name_of(v.dtype)));
}

}  // namespace

bool oracle_has(const OpRow& op, bool weighted) {
  if (weighted) return is_in(oracle::ops_with_weights(), op.name);
  if (op.about->inputs == 1) return is_in(oracle::ops_of_one_array(), op.name);
  return op.name == std::string_view("dot") || is_in(oracle::ops_of_pairs(), op.name);
}

Judge::Judge(const Problem& p, Size answer)
    : p_(p),
      type_(oracle::type(onefold::name_of(p.draw.type))),
      x_(p.draw.type, 0),
      y_(p.draw.type, 0),
      w_(p.draw.type, 0) {
  select(p.elements_of(answer));
}

// Leaves out what the mask leaves out, repeats elements, and adds `initial`.
void Judge::select(const std::vector<Size>& all) {
  const bool weighted = p_.draw.weighing == Weighing::weights;
  std::vector<Size> at;
  for (Size i = 0; i < all.size(); ++i) {
    if (!p_.taken.empty() && !p_.taken[all[i]]) continue;
    const Size times = p_.draw.weighing == Weighing::fweights ? p_.counts[all[i]] : 1;
    at.insert(at.end(), times, all[i]);
    index_.insert(index_.end(), times, i);
  }
  const Size more = p_.options.initial ? 1 : 0;
  x_ = picked(p_.xs, at, more);
  if (more != 0) {
    x_.set(at.size(), p_.options.initial->bits);
    index_.push_back(0);
  }
  if (p_.draw.two()) y_ = picked(p_.ys, at, 0);
  if (weighted) w_ = picked(p_.weights, at, 0);
  for (Size i = 0; p_.weights_are_counts && i < at.size(); ++i) times_.push_back(p_.counts[at[i]]);
}

oracle::Value Judge::ask(const OpRow& op, const oracle::Options& o) {
  const Size n = x_.size();
  if (p_.draw.weighing == Weighing::weights) {
    const void* const y = p_.draw.two() ? y_.data() : nullptr;
    return oracle::weighted(op.name, type_, x_.data(), y, w_.data(), n, o);
  }
  if (op.name == std::string_view("dot")) {
    return oracle::dot(type_, x_.data(), y_.data(), n, o);
  }
  if (op.about->inputs == 2) return oracle::pair(op.name, type_, x_.data(), y_.data(), n, o);
  if (!fold_) fold_.emplace(type_, x_.data(), n);
  return (*fold_)(op.name, o);
}

// An index is rounded to the result type as any other number.
Value Judge::index_value(const OpRow& op) {
  oracle::Options o = test::for_oracle(p_.options);
  o.result = nullptr;
  const oracle::Type& to = result_of(op, p_);
  const oracle::Value v = ask(op, o);
  if (v.status != "ok") return value_of(v, to);
  return value_of(oracle::round({.number = mpz_class(index_[v.bits])}, to), to);
}

Value Judge::expected(const OpRow& op) {
  const bool weighted = p_.draw.weighing == Weighing::weights;
  if (!oracle_has(op, weighted)) return expected_by_definition(op);
  const oracle::Type& to = result_of(op, p_);
  Value v;
  if (op.about->uses_index) {
    v = index_value(op);
  } else {
    oracle::Options o = test::for_oracle(p_.options);
    o.result = &to;
    v = value_of(ask(op, o), to);
  }
  const bool is_nan = p_.options.empty_nan && v.status == Status::empty_input && to.floating();
  if (!is_nan || op.about->uses_index) return v;
  return value_of(oracle::round({.is = oracle::Exact::Is::nan}, to), to);
}

// Weights that are counts repeat elements.
Value Judge::expected_by_definition(const OpRow& op) const {
  Data x = x_, y = y_;
  std::vector<Size> index = index_;
  if (p_.draw.weighing == Weighing::weights) {
    std::vector<Size> at;
    for (Size i = 0; i < times_.size(); ++i) at.insert(at.end(), times_[i], i);
    x = picked(x_, at, 0);
    if (p_.draw.two()) y = picked(y_, at, 0);
    index = at;
  }
  return by_definition(op, x, p_.draw.two() ? &y : nullptr, index, p_.options);
}

std::string Judge::wrong(const OpRow& op, const Value& got) {
  const bool weighted = p_.draw.weighing == Weighing::weights;
  if (weighted && !oracle_has(op, true) && !p_.weights_are_counts) return "";
  const Value own = expected(op);
  const bool same = got.dtype == own.dtype && got.status == own.status &&
                    (own.status != Status::ok || got.bits == own.bits);
  if (same) return "";
  return std::string(op.name) + " is " + text(got) + ", should be " + text(own);
}

std::string Judge::elements() const {
  std::string s = std::to_string(x_.size()) + " elements";
  if (x_.size() > 12) return s + ", too many to print";
  const auto list = [&](const char* name, const Data& data) {
    if (data.size() == 0) return;
    s += std::string("; ") + name;
    for (Size i = 0; i < data.size(); ++i) {
      s += " " + text({.dtype = data.dtype(), .bits = data.bits(i)});
    }
  };
  list("x", x_);
  list("y", y_);
  list("weights", w_);
  return s;
}

}  // namespace onefold::law
