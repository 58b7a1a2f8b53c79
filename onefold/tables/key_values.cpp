#include "onefold/tables/key_values.hpp"

#include <algorithm>

#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {

KeyValues::KeyValues(const Grouped& grouped, std::size_t column, const AggregatePlan& plan)
    : grouped_(grouped), column_(column), words_(plan.request.input.missing) {
  if (plan.table) marks_ = *plan.table;
  for (const std::string& key : grouped.keys) {
    keys_.emplace_back(parts_of_key(key, grouped.by.size())[column]);
    null_.push_back(is_missing(keys_.back()));
  }
}

bool KeyValues::is_missing(std::string_view key) const {
  return is_null(grouped_, key) || (grouped_.spelt && io::is_missing(key, words_));
}

Kind KeyValues::kind() const {
  const auto column = std::ranges::find(marks_.columns, grouped_.by[column_], &Column::name);
  const bool known = column != marks_.columns.end();
  if (known && column->text && !grouped_.spelt) return Kind::text;
  bool any = false, numbers = true, truths = true;
  for (Size g = 0; g < keys_.size(); ++g) {
    if (null_[g]) continue;
    any = true;
    numbers = numbers && is_number(keys_[g], marks_);
    truths = truths && is_truth(keys_[g]);
  }
  if (!any) return known && column->text ? Kind::text : Kind::number;
  return numbers ? Kind::number : truths ? Kind::truth : Kind::text;
}

Values KeyValues::read(Reads reads) const {
  const Kind own = kind();
  Values v{.kind = reads == Reads::value ? own : Kind::text, .whole = own == Kind::number};
  v.resize(keys_.size());
  for (Size g = 0; g < keys_.size(); ++g) {
    v.null[g] = null_[g] ? 1 : 0;
    if (null_[g]) continue;
    if (v.kind == Kind::number) {
      set_number(v, g, keys_[g]);
    } else if (v.kind == Kind::truth) {
      v.numbers[g] = keys_[g].front() == 't' || keys_[g].front() == 'T' ? 1 : 0;
    } else if (reads == Reads::digits) {
      v.texts[g] = with_plain_marks(keys_[g], marks_).value_or(keys_[g]);
    } else {
      v.texts[g] = keys_[g];
    }
  }
  return v;
}

void KeyValues::set_number(Values& values, Size g, const std::string& key) const {
  if (number_of(key, marks_, values.numbers[g], true) == NumberError::none) return;
  // f64 does not hold it.
  std::string digits = with_plain_marks(key, marks_).value_or(key);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  Values one;
  if (const auto wrong = read_constant(digits, false, one)) {
    throw Error(ErrorCode::out_of_range, "--having: the key " + key + *wrong);
  }
  if (negative) one.negate(0);
  values.copy(one, g);
}

}  // namespace onefold::io
