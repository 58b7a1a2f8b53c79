#include "onefold/tables/aggregate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/aggregate_plan.hpp"
#include "onefold/tables/aggregate_values.hpp"
#include "onefold/tables/end_values.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/text_fold.hpp"
#include "onefold/tables/time_fold.hpp"
#include "onefold/tables/weighted_columns.hpp"

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

// Refuses a least or greatest text that looks like a date, or of a column of which most do, as such
// texts have another order. Which texts are times was found out before.
void refuse_dates(const Grouped& found, const std::vector<std::string>& ops) {
  const auto refuse = [&](std::size_t k, Size c, const std::string& why) {
    throw Error(ErrorCode::bad_token, "agg: " + ops[k] + "(" + found.columns[c] + "): " + why);
  };
  for (std::size_t k = 0; k < ops.size(); ++k) {
    if (ops[k] != "min" && ops[k] != "max") continue;
    for (Size c = 0; c < found.columns.size(); ++c) {
      const auto dates = std::ranges::count_if(found.texts[c], looks_like_time);
      const bool mostly = dates > 0 && 2 * static_cast<Size>(dates) >= found.texts[c].size();
      for (Size g = 0; g < found.keys.size(); ++g) {
        const auto text = found.text(k, g, c);
        if (!text) continue;
        const std::string hint = date_hint_for(*text);
        if (!hint.empty() || looks_like_time(*text)) {
          refuse(k, c,
                 quote_text(*text) +
                     " looks like a date or a time, but some values of the column cannot be read "
                     "as one" +
                     (hint.empty() ? "; pass its format, such as --date-format \"" +
                                         found.columns[c] + "=%d/%m/%Y\""
                                   : hint) +
                     "; for a word that means a missing value, pass it to --missing");
        } else if (mostly) {
          refuse(k, c,
                 quote_text(*text) +
                     " is not a date, but most values of the column look like dates; if it means a "
                     "missing value, pass it to --missing, or pass --non-numbers missing for all "
                     "fields that are not dates");
        }
      }
    }
  }
}

// Folds one family, without a check of statuses, as ops of columns that nobody asked for may lack
// a value.
//   alone  it has one call, so its columns may be folded as the integers that they are
Grouped fold_family(const CallFamily& family, const std::vector<std::string>& files,
                    const FileRequest& request, bool alone, const Progress& progress,
                    Notes& notes) {
  FileRequest own = request;
  own.input.columns = comma_joined(family.columns);
  if (family.whole) own.input.by.clear();
  if (family.dtype) own.input.dtype = family.dtype;
  const auto let = [&](const std::string& columns) {
    own.input.let += (own.input.let.empty() || columns.empty() ? "" : ", ") + columns;
  };
  let(family.let);
  if (family.walk == Walk::rows) {
    const std::string name = family.columns[0].substr(1, family.columns[0].size() - 2);
    let("`" + name + "` = 1");
    own.input.dtype.reset();  // of the other calls' columns
  }
  const bool by = !own.input.by.empty();
  const std::string ops = comma_joined(family.ops);
  const bool times = family.walk == Walk::times, ends = family.walk == Walk::ends;
  if (family.walk == Walk::texts || times || ends) {
    own.fold = {};
    own.fold.nan = request.fold.nan;
    own.fold.empty_nan = request.fold.empty_nan;
    own.fold.threads = request.fold.threads;
    own.describes = true;
    // Missing texts are left out, and counted once.
    if (family.walk == Walk::texts) own.input.missing_is_nan = false;
    if (ends) return fold_ends(family.ops, family.numbers, files, own, progress, notes);
    if (times) return fold_times(Query(ops), files, own, progress, notes);
    Grouped found = fold_texts(ops, files, own, progress, notes);
    refuse_dates(found, family.ops);
    return found;
  }
  if (family.walk == Walk::weighted) {
    own.weights = family.weights;
    own.fold.empty_nan = false;  // their ops are NaN then
    return fold_weighted(Query(ops, own.fold), files, own, progress, notes);
  }
  if (family.walk == Walk::repeated) {
    own.fweights = family.weights;
    return fold_repeated(Query(ops, own.fold), files, own, progress, notes, true);
  }
  const auto fold = [&](const std::optional<Query>& query, const FileRequest& r) {
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
    if (by) return group_files(*query, files, r.input, progress, limits, &notes);
    return one_group(fold_files(*query, files, r.input, progress, limits, &notes), notes);
  };
  std::optional<Query> query;
  if (family.walk != Walk::quantiles) query.emplace(ops, own.fold);
  if (!alone) return fold(query, own);
  return fold_long_integers(query, own, files, notes, fold);
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
                "agg: these calls need " + std::to_string(plan.families.size()) +
                    " passes, but a pipe can be read only once; save it as a file");
  }

  Grouped run() {
    std::vector<std::size_t> order(plan_.families.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Totals come when the groups are known.
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t f) { return !plan_.families[f].whole; });
    for (const std::size_t f : order) {
      const bool alone = !can_part(f);
      try {
        add(f, fold(plan_.families[f], alone), alone);
      } catch (const Error& e) {
        // A column of long integers has sums, but no other op's answers: one call after another.
        if (e.code() != ErrorCode::out_of_range || alone) throw;
        for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
          if (is_of(plan_.calls[k], f)) add(k, fold(alone_of(plan_.calls[k]), true), 0, 0);
        }
      }
    }
    result_.answers.list = std::move(answers_);
    result_.of_text = of_text_;
    for (const PlannedCall& call : plan_.calls) {
      result_.of_time.push_back(!call.expression &&
                                plan_.families[call.family].walk == Walk::times);
    }
    for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
      const PlannedCall& call = plan_.calls[k];
      if (!call.expression) continue;
      result_.answers.list[k] =
          answer_of_expression(call, plan_.calls, result_, plan_.request.fold.empty_nan);
    }
    if (plan_.having) keep_groups(plan_, result_);
    drop_hidden();
    return std::move(result_);
  }

 private:
  static bool is_of(const PlannedCall& call, std::size_t f) {
    return call.family == f && !call.expression;
  }
  // Whether a family has calls that may be folded one after the other.
  bool can_part(std::size_t f) const {
    const Walk walk = plan_.families[f].walk;
    const auto calls =
        std::ranges::count_if(plan_.calls, [&](const PlannedCall& call) { return is_of(call, f); });
    return (walk == Walk::numbers || walk == Walk::quantiles) && calls > 1 &&
           std::ranges::none_of(files_, is_stream);
  }
  // Returns the family of one call, whose answer so depends on no other call.
  CallFamily alone_of(const PlannedCall& call) const {
    const CallFamily& family = plan_.families[call.family];
    CallFamily one{.walk = family.walk,
                   .ops = {family.ops[call.op]},
                   .columns = {family.columns[call.column]},
                   .whole = family.whole,
                   .let = call.let};
    if (!family.quantiles.empty()) one.quantiles = {family.quantiles[call.op]};
    return one;
  }

  Grouped fold(const CallFamily& family, bool alone) {
    Notes said;
    Grouped grouped = fold_family(family, files_, plan_.request, alone, progress_, said);
    if (notes_.read.empty()) notes_.read = said.read;
    check_lines_left_out(notes_, said, family.ops[0] + "(" + family.columns[0] + ")");
    for (Size k = 0; k < said.folded.size() && k < said.missing.size(); ++k) {
      if (std::ranges::find(notes_.folded, said.folded[k]) != notes_.folded.end()) continue;
      notes_.folded.push_back(said.folded[k]);
      notes_.missing.push_back(said.missing[k]);
    }
    return grouped;
  }

  //   alone  it has one call
  void add(std::size_t f, const Grouped& grouped, bool alone) {
    const CallFamily& family = plan_.families[f];
    const bool pair = family.walk == Walk::pair || family.walk == Walk::weighted;
    if (!pair && grouped.columns.size() < family.columns.size()) {
      throw Error(
          ErrorCode::bad_option,
          "agg: the calls refer to one column both by name and by position; always write its name");
    }
    for (std::size_t k = 0; k < plan_.calls.size(); ++k) {
      const PlannedCall& call = plan_.calls[k];
      if (!is_of(call, f)) continue;
      add(k, grouped, call.op, call.column);
      const Answers one{.list = {answers_[k]}, .keys = {}};
      if (family.dtype ? any_overflows(one) : !alone && is_long(call, one)) add_alone(k);
    }
  }
  bool is_long(const PlannedCall& call, const Answers& one) const {
    const CallFamily& family = plan_.families[call.family];
    return family.walk == Walk::numbers &&
           has_long_answer(Query(family.ops[call.op], plan_.request.fold), one);
  }
  // Replaces the answer of call k by that of a fold of its own: of the integers that the column
  // turns out to have, or of a wider type where these overflow.
  void add_alone(std::size_t k) {
    const PlannedCall& call = plan_.calls[k];
    try {
      add(k, fold(alone_of(call), true), 0, 0);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::out_of_range) throw;  // f64 holds no answer of this op
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
    } else if (!call.whole && result_.keys != grouped.keys) {
      throw Error(ErrorCode::read_failed,
                  "read " + files_[0] +
                      ": the file changed while it was read; let its writer finish first");
    }
    std::optional<Answer> number;
    if (call.number)
      number = numbers_at(grouped, op, *plan_.table, call, plan_.request.fold.empty_nan);
    Answer answer = number ? std::move(*number) : answer_at(grouped, op, column, call.label);
    if (call.whole) answer = repeated(answer, result_.keys.size());
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
      throw Error(ErrorCode::bad_option, "agg: a call and a column of --by are both called " +
                                             call.label +
                                             "; give the call another name, as in total = sum(x)");
    }
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
        "agg: --where does not support mask files for tables; pass an expression, such as qty > 5");
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
  // A group without a value has null; a whole table must have one, unless --empty-nan is given.
  const bool may_be_null = !asked.input.by.empty();
  std::vector<bool> may_be_nan;  // of each shown call
  for (const PlannedCall& call : plan.calls) {
    const bool index =
        !call.expression && plan.families[call.family].ops[call.op].starts_with("arg");
    if (call.shown) may_be_nan.push_back(asked.fold.empty_nan && !index);
  }
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    const Answer& a = grouped.answers.list[k];
    const auto bad = std::ranges::find_if(a.status, [&](Status s) {
      return s != Status::ok && !((may_be_null || may_be_nan[k]) && s == Status::empty_input);
    });
    if (bad == a.status.end()) continue;
    refuse_status(a, static_cast<Size>(bad - a.status.begin()), *bad, asked.fold, group);
  }
  sort_groups(grouped, asked.order);
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    if (may_be_nan[k] && !grouped.of_text[k]) make_nan_of_empty(grouped.answers.list[k]);
  }
  return grouped;
}

std::size_t passes_of_aggregate(const std::string& list, const std::string& having,
                                const std::vector<std::string>& files, const FileRequest& asked) {
  if (std::ranges::none_of(files, is_stream)) return 1;
  return plan_aggregate(list, having, files, asked).families.size();
}

}  // namespace onefold::io
