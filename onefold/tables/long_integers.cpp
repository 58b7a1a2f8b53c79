#include "onefold/tables/long_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {
namespace {

// The answers of one column: a value of each op, and its number of missing values.
struct ColumnAnswers {
  std::vector<Value> values;
  Size missing = 0;
};
using AnswersBySlot = std::map<Size, ColumnAnswers>;

bool overflows(const Value& v) { return v.status == Status::overflow; }

ColumnAnswers answers_at(const Answers& answers, const Notes& notes, Size at, Size slot) {
  ColumnAnswers column;
  for (const Answer& a : answers.list) column.values.push_back(a[at]);
  if (slot < notes.missing.size()) column.missing = notes.missing[slot];
  return column;
}

double as_double(const Value& v) {
  return v.dtype == DType::i64 ? static_cast<double>(v.as<int64_t>())
                               : static_cast<double>(v.as<uint64_t>());
}

// Whether an answer of an op, which is f64, is an integer of 2^53 or more if the elements are.
bool may_be_long(const Query& query, std::size_t op, const Value& v) {
  if (v.status != Status::ok || v.dtype != DType::f64) return false;
  const double value = std::fabs(v.as<double>());
  return value >= 0x1p53 && value <= 0x1p64 &&  // 2^64 - 1 is rounded to 2^64
         !is_floating(result_type(*query.ops[op], DType::i64, query.options));
}
bool has_long_answer(const Query& query, const Answers& answers, Size column) {
  for (std::size_t k = 0; k < query.ops.size(); ++k) {
    if (may_be_long(query, k, answers.list[k][column])) return true;
  }
  return false;
}

class LongIntegers {
 public:
  LongIntegers(const Query& query, const Table& table, const std::vector<std::string>& files,
               const InputOptions& input, const Limits& limits)
      : query_(query),
        table_(table),
        files_(files),
        input_(input),
        limits_(limits),
        words_(words_for(table)) {
    input_.by.clear();
    input_.header = table.header ? Header::yes : Header::no;
    input_.describes = false;
    input_.rounds_long = true;
    // No type of integers has NaN. An op that leaves NaN out leaves out what is missing.
    const bool leaves_nan = leaves_nan_out(query, query.options);
    if (leaves_nan) input_.missing_is_nan = false;
    // Else a line with a fraction would be a bad one, and left out.
    input_.without_nan = leaves_nan || input.skip_bad_lines;
  }

  // Folds these columns together; if that fails, each half alone.
  void fold(std::span<const Size> slots, AnswersBySlot& found) const {
    for (const DType dtype : {DType::i64, DType::u64}) {
      try {
        Notes notes;
        Answers answers = answers_of(query_, slots, dtype, notes);
        mend_overflows(query_, answers, [&](const Query& some) {
          Notes unheard;
          return answers_of(some, slots, dtype, unheard);
        });
        for (Size k = 0; k < slots.size(); ++k) {
          found[slots[k]] = answers_at(answers, notes, k, k);
        }
        return;
      } catch (const Error& e) {
        // These columns do not hold integers of this type.
        const bool values = e.code() == ErrorCode::bad_token || e.code() == ErrorCode::out_of_range;
        if (!values && e.code() != ErrorCode::bad_option) throw;
        if (slots.size() > 1) break;
      }
    }
    if (slots.size() < 2) return;
    fold(slots.first(slots.size() / 2), found);
    fold(slots.subspan(slots.size() / 2), found);
  }

 private:
  Answers answers_of(const Query& query, std::span<const Size> slots, std::optional<DType> dtype,
                     Notes& notes) const {
    InputOptions own = input_;
    own.dtype = dtype;
    own.columns.clear();
    for (const Size slot : slots) {
      own.columns += (own.columns.empty() ? "" : ",") + words_[column_of_slot(table_, slot)];
    }
    return fold_files(query, files_, own, {}, limits_, &notes);
  }

  const Query& query_;
  const Table& table_;
  const std::vector<std::string>& files_;
  InputOptions input_;
  const Limits& limits_;
  std::vector<std::string> words_;
};

// Appends a value to an answer, as the nearest f64 if that is its type.
void put_value(Answer& answer, const Value& v) {
  const Size at = answer.status.size(), bytes = bytes_of(answer.dtype);
  Value own = v;
  if (v.dtype != answer.dtype && v.status == Status::ok && !is_floating(v.dtype)) {
    const double value = as_double(v);
    std::memcpy(&own.bits, &value, sizeof value);
    if (std::fabs(value) >= 0x1p53) answer.integers[at] = v;
  }
  answer.data.resize(answer.data.size() + bytes);
  std::memcpy(answer.data.data() + at * bytes, &own.bits, bytes);
  answer.status.push_back(v.status);
}

}  // namespace

bool has_long_answer(const Query& query, const Answers& answers) {
  for (std::size_t k = 0; k < answers.list.size(); ++k) {
    const Answer& a = answers.list[k];
    for (Size i = 0; a.dtype == DType::f64 && i < a.size(); ++i) {
      if (may_be_long(query, k, a[i])) return true;
    }
  }
  return false;
}

bool any_overflows(const Answers& answers) {
  return std::ranges::any_of(answers.list, [](const Answer& a) {
    return std::ranges::find(a.status, Status::overflow) != a.status.end();
  });
}

namespace {

bool is_negative(const Value& v) {
  if (v.status != Status::ok) return false;
  return v.dtype == DType::i64 ? v.as<int64_t>() < 0 : v.dtype != DType::u64;
}

// Replaces what overflows by answers of another type.
void replace_overflows(Answer& answer, const Answer& wider) {
  std::vector<Value> values;
  for (Size i = 0; i < answer.size(); ++i) {
    values.push_back(overflows(answer[i]) ? wider[i] : answer[i]);
  }
  const bool u64 = wider.dtype == DType::u64 && std::ranges::none_of(values, is_negative);
  Answer all{.op = answer.op,
             .dtype = u64 ? DType::u64 : DType::f64,
             .shape = answer.shape,
             .data = {},
             .status = {}};
  for (Value& v : values) {
    if (u64 || v.status != Status::ok) v.dtype = all.dtype;  // the bits of i64 are those of u64
    put_value(all, v);
  }
  answer = std::move(all);
}

}  // namespace

void mend_overflows(const Query& query, Answers& answers,
                    const std::function<Answers(const Query& some)>& fold) {
  if (query.options.result) return;
  for (const DType wider : {DType::u64, DType::f64}) {
    std::vector<std::size_t> which;
    Query some(std::vector<const OpRow*>(), query.options);
    some.options.result = wider;
    for (std::size_t k = 0; k < answers.list.size(); ++k) {
      const Answer& a = answers.list[k];
      if (std::ranges::find(a.status, Status::overflow) == a.status.end()) continue;
      which.push_back(k);
      some.ops.push_back(query.ops[k]);
    }
    if (which.empty()) return;
    const Answers more = fold(some);
    for (std::size_t k = 0; k < which.size(); ++k) {
      Answer& a = answers.list[which[k]];
      if (more.list[k].size() == a.size()) replace_overflows(a, more.list[k]);
    }
  }
}

bool has_nan(const Answers& answers) {
  for (const Answer& a : answers.list) {
    for (Size i = 0; a.dtype == DType::f64 && i < a.size(); ++i) {
      if (const Value v = a[i]; v.dtype == DType::f64 && std::isnan(bit_cast<double>(v.bits))) {
        return true;
      }
    }
  }
  return false;
}

bool leaves_nan_out(const std::optional<Query>& query, const Options& options) {
  const auto counts_nan = [](const OpRow* op) { return std::string_view(op->name) == "count_nan"; };
  return options.nan == NanPolicy::omit && !(query && std::ranges::any_of(query->ops, counts_nan));
}

namespace {

// Puts the integers of columns that are folded together; if that fails, of each half alone.
void put_integers_of(const Query& query, std::span<const Size> columns,
                     const std::vector<std::string>& names, Answers& answers,
                     const FoldIntegers& fold) {
  std::vector<std::string> own;
  for (const Size c : columns) own.push_back(names[c]);
  for (const DType dtype : {DType::i64, DType::u64}) {
    try {
      const Answers integers = fold(list_of_names(own), dtype);
      bool all = true;
      for (std::size_t k = 0; k < answers.list.size(); ++k) {
        Answer& a = answers.list[k];
        const Answer& b = integers.list[k];
        const Size groups = a.size() / names.size();
        if (b.size() != groups * columns.size()) return;
        for (Size i = 0; i < b.size(); ++i) {
          const Size at = i / columns.size() * names.size() + columns[i % columns.size()];
          if (!may_be_long(query, k, a[at])) continue;
          all &= b.status[i] == Status::ok;
          if (b.status[i] == Status::ok && is_integer(b[i].dtype)) a.integers[at] = b[i];
        }
      }
      if (all) return;
    } catch (const Error& e) {
      if (e.code() == ErrorCode::read_failed) throw;  // the file changed between the passes
      // Otherwise these columns do not hold integers of this type.
    }
  }
  if (columns.size() < 2) return;
  put_integers_of(query, columns.first(columns.size() / 2), names, answers, fold);
  put_integers_of(query, columns.subspan(columns.size() / 2), names, answers, fold);
}

}  // namespace

void put_integers(const Query& query, const std::vector<std::string>& names, Answers& answers,
                  const FoldIntegers& fold) {
  std::vector<Size> columns;
  for (Size c = 0; c < names.size() && !query.two_arrays(); ++c) {
    for (Size k = 0; k < answers.list.size(); ++k) {
      bool is = false;
      const Answer& a = answers.list[k];
      for (Size at = c; at < a.size() && !is; at += names.size()) is = may_be_long(query, k, a[at]);
      if (!is) continue;
      columns.push_back(c);
      break;
    }
  }
  if (!columns.empty()) put_integers_of(query, columns, names, answers, fold);
}

void make_nan_of_empty(Answer& a) {
  if (is_floating(a.dtype) || std::ranges::find(a.status, Status::empty_input) == a.status.end()) {
    return;
  }
  const Answer integers = std::exchange(
      a, {.op = a.op, .dtype = DType::f64, .shape = a.shape, .data = {}, .status = {}});
  for (Size i = 0; i < integers.size(); ++i) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool empty = integers.status[i] == Status::empty_input;
    put_value(a, empty ? Value{.dtype = DType::f64, .bits = bit_cast<uint64_t>(nan)} : integers[i]);
  }
}
void make_nan_of_empty(const Query& query, Answers& answers) {
  for (std::size_t k = 0; query.options.empty_nan && k < answers.list.size(); ++k) {
    if (!query.ops[k]->about->uses_index) make_nan_of_empty(answers.list[k]);
  }
}

bool can_fold_integers(const Query& query, const std::vector<TablePart>& parts,
                       const std::vector<std::string>& files, const InputOptions& input) {
  const auto is_text = [](const TablePart& p) {
    const bool text =
        p.table->source == nullptr || (p.table->derived && text_of(*p.table) != nullptr);
    return text && !p.table->plain;
  };
  const auto is_read_once = [](const std::string& file) { return file == "-" || is_stream(file); };
  return !input.dtype && !input.rounds_long && input.peers == nullptr && !query.two_arrays() &&
         std::ranges::all_of(parts, is_text) && std::ranges::none_of(files, is_read_once);
}

void add_long_integers(const Query& query, const TablePart& first,
                       const std::vector<std::string>& files, const InputOptions& input,
                       const Limits& limits, Answers& answers, Notes& notes) {
  const Table& table = *first.table;
  AnswersBySlot columns, found;
  std::vector<Size> wanted;
  for (Size k = 0; k < notes.slots.size(); ++k) {
    if (has_long_answer(query, answers, k)) wanted.push_back(notes.slots[k]);
  }
  for (const auto& [slot, fields] : notes.others) {
    if (fields.texts == 0) wanted.push_back(slot);
  }
  std::ranges::sort(wanted);
  if (!wanted.empty()) LongIntegers(query, table, files, input, limits).fold(wanted, found);
  std::string overflow;  // says which answer does not fit
  std::erase_if(found, [&](const auto& column) {
    const auto& [slot, answer] = column;
    const auto value = std::ranges::find_if(answer.values, overflows);
    if (value == answer.values.end()) return false;
    const auto op = static_cast<std::size_t>(value - answer.values.begin());
    if (notes.others.contains(slot)) {
      overflow = std::string(query.ops[op]->name) + " of column " + table.folded[slot] +
                 ": the exact value does not fit in 64 bits (overflow); pass --result f64";
    }
    return true;
  });
  const auto refuse_overflow = [&] {
    if (!overflow.empty()) first.file->fail(ErrorCode::overflow, overflow);
  };
  if (table.insists) refuse_overflow();
  for (const auto& [slot, fields] : notes.others) {
    if (fields.texts > 0 || found.contains(slot)) continue;
    if (table.insists) refuse_others(*first.file, table, column_of_slot(table, slot), fields);
  }
  if (!found.empty()) {
    for (Size k = 0; k < notes.slots.size(); ++k) {
      columns[notes.slots[k]] = answers_at(answers, notes, k, notes.slots[k]);
    }
    for (auto& [slot, column] : found) {
      std::erase(notes.left_out, table.folded[slot] + beyond_f64);
      notes.missing.resize(std::max<Size>(notes.missing.size(), table.folded.size()));
      notes.missing[slot] = column.missing;
      columns[slot] = std::move(column);
      notes.others.erase(slot);
    }
    for (std::size_t k = 0; k < answers.list.size(); ++k) {
      Answer& a = answers.list[k];
      a.data.clear(), a.status.clear();
      for (const auto& [slot, column] : columns) put_value(a, column.values[k]);
      a.shape[a.shape.rank() - 1] = static_cast<int64_t>(columns.size());
    }
    notes.columns.clear(), notes.slots.clear();
    for (const auto& [slot, column] : columns) {
      notes.columns.push_back(table.folded[slot]);
      notes.slots.push_back(slot);
    }
    notes.bare = columns.size() == 1;
  }
  if (notes.slots.empty()) refuse_overflow();
  if (notes.slots.empty() && !input.describes) refuse_all_columns(*first.file, table, notes);
}

}  // namespace onefold::io
