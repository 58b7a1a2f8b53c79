#include "onefold/tables/aggregate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/aggregate_plan.hpp"
#include "onefold/tables/end_values.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/text_fold.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::io {
namespace {

using Walk = CallFamily::Walk;

// Makes one group of the answers of columns.
Grouped one_group(Answers answers, const Notes& notes) {
  Grouped grouped{.by = {}, .columns = notes.columns, .keys = {""}, .answers = std::move(answers)};
  for (Answer& a : grouped.answers.list) a.shape = Dims(1, static_cast<int64_t>(a.size()));
  if (grouped.columns.empty()) grouped.columns.resize(1);  // a pair
  return grouped;
}

// Refuses a least or greatest text that looks like a date, as such texts have another order. Which
// texts are times was found out before.
void refuse_dates(const Grouped& found, const std::vector<std::string>& ops) {
  for (std::size_t k = 0; k < ops.size(); ++k) {
    if (ops[k] != "min" && ops[k] != "max") continue;
    for (Size g = 0; g < found.keys.size(); ++g) {
      for (Size c = 0; c < found.columns.size(); ++c) {
        const auto text = found.text(k, g, c);
        if (!text) continue;
        const std::string hint = date_hint_for(*text);
        if (hint.empty() && !looks_like_time(*text)) continue;
        throw Error(
            ErrorCode::bad_token,
            "agg: " + ops[k] + "(" + found.columns[c] + "): " + quote_text(*text) +
                " looks like a date or a time, and not all of the column are times that can "
                "be read" +
                (hint.empty() ? "; say how they are written, such as --date-format \"" +
                                    found.columns[c] + "=%d/%m/%Y\""
                              : hint) +
                "; --missing leaves words out");
      }
    }
  }
}

// Folds one family, without a check of statuses, as ops of columns that nobody asked for may lack
// a value.
Grouped fold_family(const CallFamily& family, const std::vector<std::string>& files,
                    const FileRequest& request, const Progress& progress, Notes& notes) {
  FileRequest own = request;
  own.input.columns = comma_joined(family.columns);
  if (family.walk == Walk::rows) {
    own.input.let += (own.input.let.empty() ? "" : ", ") + std::string("`count()` = 1");
  }
  const bool by = !own.input.by.empty();
  const std::string ops = comma_joined(family.ops);
  const bool times = family.walk == Walk::times, ends = family.walk == Walk::ends;
  if (family.walk == Walk::texts || times || ends) {
    own.fold = {};
    own.fold.nan = request.fold.nan;
    own.fold.empty_nan = request.fold.empty_nan;
    own.fold.threads = request.fold.threads;
    // Missing texts are left out, and counted once.
    if (family.walk == Walk::texts) own.input.missing_is_nan = false;
    if (ends) return fold_ends(family.ops, family.numbers, files, own, progress, notes);
    if (times) return fold_times(Query(ops), files, own, progress, notes);
    Grouped found = fold_texts(ops, files, own, progress, notes);
    refuse_dates(found, family.ops);
    return found;
  }
  return fold_long_integers(own, files, notes, [&](const FileRequest& r) {
    const Limits limits = limits_of(r, files);
    if (family.walk == Walk::quantiles) {
      if (by) {
        return group_quantiles(family.quantiles, files, r.input, r.fold, progress, limits, notes,
                               {});
      }
      return one_group(
          quantiles_of_files(family.quantiles, files, r.input, r.fold, progress, limits, notes),
          notes);
    }
    const Query query(ops, r.fold);
    if (by) return group_files(query, files, r.input, progress, limits, &notes);
    return one_group(fold_files(query, files, r.input, progress, limits, &notes), notes);
  });
}

// Returns the answer of one op of one column.
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

// Returns answers that are texts of numbers as f64; nothing if f64 does not hold one.
//   empty_nan  a missing answer is NaN
std::optional<Answer> numbers_at(const Grouped& all, std::size_t op, const Table& marks,
                                 const PlannedCall& call, bool empty_nan) {
  const Size n = all.keys.size();
  Answer a{.op = call.label,
           .dtype = DType::f64,
           .shape = Dims(static_cast<int64_t>(n), 1),
           .data = std::vector<std::byte>(n * sizeof(double)),
           .status = all.answers.list[op].status};
  auto* const to = reinterpret_cast<double*>(a.data.data());
  for (Size g = 0; g < n; ++g) {
    const auto text = all.text(op, g, 0);
    if (!text && empty_nan) {
      to[g] = std::numeric_limits<double>::quiet_NaN();
      a.status[g] = Status::ok;
    }
    if (!text) continue;
    if (number_of(std::string(*text), marks, to[g], true) != NumberError::none) return {};
    if (!call.narrow) continue;
    float narrow = 0;
    const char* stop = nullptr;
    if (parse_number(text->data(), text->data() + text->size(), false, narrow, stop) ==
        NumberError::none) {
      to[g] = static_cast<double>(narrow);
    }
  }
  return a;
}

template <class T>
double exact_f64(T integer, const std::string& label) {
  const auto number = static_cast<double>(integer);
  const double beyond = 2 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  if (number < beyond && static_cast<T>(number) == integer) return number;
  throw Error(ErrorCode::out_of_range, "--having: " + label + " is " + std::to_string(integer) +
                                           ", an integer that f64 does not hold");
}

// Returns a value for expressions, which compute in f64.
//   throws  out_of_range: f64 does not hold the integer
double as_f64(const Value& v, const std::string& label) {
  switch (v.dtype) {
    case DType::f64:
      return v.as<double>();
    case DType::f32:
      return static_cast<double>(v.as<float>());
    case DType::i64:
      return exact_f64(v.as<int64_t>(), label);
    case DType::u64:
      return exact_f64(v.as<uint64_t>(), label);
    default:
      return static_cast<double>(static_cast<int>(v.as<bool>()));
  }
}

class Aggregate {
 public:
  Aggregate(const AggregatePlan& plan, const std::vector<std::string>& files,
            const Progress& progress, Notes& notes)
      : plan_(plan),
        files_(files),
        progress_(progress),
        notes_(notes),
        answers_(plan.calls.size()),
        of_text_(plan.calls.size()) {
    if (plan.families.size() < 2 || std::ranges::none_of(files, is_stream)) return;
    throw Error(ErrorCode::bad_option,
                "agg: these calls take " + std::to_string(plan.families.size()) +
                    " passes, and a pipe can be read once; save it as a file");
  }

  Grouped run() {
    for (std::size_t f = 0; f < plan_.families.size(); ++f) {
      try {
        add(f, fold(plan_.families[f]));
      } catch (const Error& e) {
        // A column of long integers has sums, but no other op's answers: one op after another.
        const CallFamily& family = plan_.families[f];
        const bool alone = family.walk != Walk::numbers || family.ops.size() < 2;
        if (e.code() != ErrorCode::out_of_range || alone ||
            std::ranges::any_of(files_, is_stream)) {
          throw;
        }
        add_one_by_one(f);
      }
    }
    result_.answers.list = std::move(answers_);
    for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
      result_.of_text.push_back(of_text_[k]);
      result_.of_time.push_back(plan_.families[plan_.calls[k].family].walk == Walk::times);
    }
    if (plan_.having) keep_chosen();
    drop_hidden();
    return std::move(result_);
  }

 private:
  Grouped fold(const CallFamily& family) {
    Notes said;
    Grouped grouped = fold_family(family, files_, plan_.request, progress_, said);
    if (notes_.read.empty()) notes_.read = said.read;
    check_lines_left_out(notes_, said, family.ops[0] + "(" + family.columns[0] + ")");
    for (Size k = 0; k < said.folded.size() && k < said.missing.size(); ++k) {
      if (std::ranges::find(notes_.folded, said.folded[k]) != notes_.folded.end()) continue;
      notes_.folded.push_back(said.folded[k]);
      notes_.missing.push_back(said.missing[k]);
    }
    return grouped;
  }

  void add(std::size_t f, const Grouped& grouped) {
    const CallFamily& family = plan_.families[f];
    if (family.walk != Walk::pair && grouped.columns.size() < family.columns.size()) {
      throw Error(ErrorCode::bad_option,
                  "agg: the calls name one column by its name and by its place; write its name");
    }
    for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
      const PlannedCall& call = plan_.calls[k];
      if (call.family == f) add(k, grouped, call.op, call.column);
    }
  }
  void add_one_by_one(std::size_t f) {
    const CallFamily& family = plan_.families[f];
    for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
      const PlannedCall& call = plan_.calls[k];
      if (call.family != f) continue;
      const CallFamily one{family.walk, {family.ops[call.op]}, {family.columns[call.column]}};
      add(k, fold(one), 0, 0);
    }
  }
  // Adds the answers of call k.
  void add(std::size_t k, const Grouped& grouped, std::size_t op, Size column) {
    const PlannedCall& call = plan_.calls[k];
    if (!std::exchange(has_groups_, true)) {
      result_ = {.by = grouped.by, .columns = {""}, .keys = grouped.keys, .answers = {}};
      result_.types = grouped.types;
      result_.stored = grouped.stored;
      result_.nulls = grouped.nulls;
      result_.spelt = grouped.spelt;
      refuse_names_of_keys();
      result_.texts.resize(1);
      result_.times.resize(1);
    } else if (result_.keys != grouped.keys) {
      throw Error(ErrorCode::read_failed, "read " + files_[0] + ": it changed while it was read");
    }
    std::optional<Answer> number;
    if (call.number)
      number = numbers_at(grouped, op, *plan_.table, call, plan_.request.fold.empty_nan);
    Answer answer = number ? std::move(*number) : answer_at(grouped, op, column, call.label);
    const bool text = !number && op < grouped.of_text.size() && grouped.of_text[op];
    if (text) {
      // Positions go on behind the texts of other calls.
      std::vector<std::string>& all = result_.texts[0];
      auto* const places = reinterpret_cast<int64_t*>(answer.data.data());
      for (Size g = 0; g < answer.size(); ++g) places[g] += static_cast<int64_t>(all.size());
      all.insert(all.end(), grouped.texts[column].begin(), grouped.texts[column].end());
      if (!grouped.times.empty()) {
        std::ranges::copy(grouped.times[column], std::back_inserter(result_.times[0]));
      }
      result_.times[0].resize(all.size());
    }
    answers_[k] = std::move(answer);
    of_text_[k] = text;
  }

  void refuse_names_of_keys() const {
    for (const PlannedCall& call : plan_.calls) {
      if (!call.shown || std::ranges::find(result_.by, call.label) == result_.by.end()) continue;
      throw Error(ErrorCode::bad_option,
                  "agg: " + call.label + " is a key; give the call another name");
    }
  }

  // Returns a call's answers as the values of an expression; those without a value are null.
  Values values_of(std::size_t k) const {
    const Answer& a = result_.answers.list[k];
    const bool text = result_.of_text[k];
    Values v{.kind = text ? Kind::text : Kind::number};
    v.resize(a.size());
    for (Size g = 0; g < a.size(); ++g) {
      v.null[g] = a.status[g] != Status::ok;
      if (v.null[g]) continue;
      if (text) {
        v.texts[g] = *result_.text(k, g, 0);
      } else {
        v.numbers[g] = as_f64(a[g], a.op);
      }
    }
    return v;
  }

  void keep_chosen() {
    Node having = *plan_.having;
    bind_columns(having, "--having", [&](const std::string& name) -> Named {
      // The text of a call means that call, even if another one is called so.
      for (const auto what : {&PlannedCall::name, &PlannedCall::label}) {
        const auto call = std::ranges::find(plan_.calls, name, what);
        if (call == plan_.calls.end()) continue;
        const auto k = static_cast<std::size_t>(call - plan_.calls.begin());
        return {k, result_.of_text[k] ? Kind::text : Kind::number, result_.of_text[k]};
      }
      throw Error(ErrorCode::bad_option,
                  "--having: " + name + " is no answer; write OP(COLUMN), or a name of the list");
    });
    if (having.kind != Kind::truth) {
      throw Error(ErrorCode::bad_option,
                  "--having is no comparison, which is true or false of a group, such as "
                  "sum(price) > 100");
    }
    const Size n = result_.keys.size();
    const Values chosen =
        evaluate(having, n, false, [&](std::size_t k, Reads) { return values_of(k); });
    std::vector<Size> kept;
    for (Size g = 0; g < n; ++g) {
      if (!chosen.is_null(g) && chosen.number(g) != 0) kept.push_back(g);
    }
    take_groups(result_, kept);
  }

  void drop_hidden() {
    for (std::size_t k = plan_.calls.size(); k-- > 0;) {
      if (plan_.calls[k].shown) continue;
      result_.answers.list.erase(result_.answers.list.begin() + static_cast<std::ptrdiff_t>(k));
      result_.of_text.erase(result_.of_text.begin() + static_cast<std::ptrdiff_t>(k));
      result_.of_time.erase(result_.of_time.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  const AggregatePlan& plan_;
  const std::vector<std::string>& files_;
  const Progress& progress_;
  Notes& notes_;
  Grouped result_;
  bool has_groups_ = false;
  std::vector<Answer> answers_;  // of each call
  std::vector<bool> of_text_;
};

}  // namespace

Grouped aggregate(const std::string& list, const std::string& having,
                  const std::vector<std::string>& files, const FileRequest& asked,
                  const Progress& progress, Notes& notes) {
  if (asked.input.by.empty()) refuse_order(asked.order);
  if (asked.fold.where) {
    throw Error(
        ErrorCode::bad_option,
        "agg: --where takes an expression, such as qty > 5; a mask in a file is for arrays");
  }
  const AggregatePlan plan = plan_aggregate(list, having, files, asked);
  check_groups(plan.request);
  Grouped grouped = Aggregate(plan, files, progress, notes).run();
  const PlaceText group = [&](const Answer&, Size g) {
    std::string text = grouped.by.empty() ? "" : ", group";
    for (const auto part : parts_of_key(grouped.keys[g], grouped.by.size())) {
      text += ' ' + printable(is_null(grouped, part) ? "null" : part);
    }
    return text;
  };
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    if (asked.fold.empty_nan && grouped.of_text[k]) continue;  // null
    const Answer& a = grouped.answers.list[k];
    const auto bad = std::ranges::find_if(a.status, [](Status s) { return s != Status::ok; });
    if (bad == a.status.end()) continue;
    refuse_status(a, static_cast<Size>(bad - a.status.begin()), *bad, asked.fold, group);
  }
  sort_groups(grouped, asked.order);
  return grouped;
}

}  // namespace onefold::io
