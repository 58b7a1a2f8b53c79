#include "files.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "fold.hpp"
#include "interruptible.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/aggregate.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/text_fold.hpp"
#include "onefold/tables/time_fold.hpp"
#include "request.hpp"
#include "table_keys.hpp"
#include "times.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// The parts of Python's result: values, keys, notes, and for each answer that is None, why it has
// no value.
struct PythonResult {
  nb::object values;  // a list; for tables a list for each column, by name
  nb::object keys = nb::none();
  nb::object why = nb::none();
  io::Notes notes;

  nb::object tuple(const io::FileRequest& asked, const Query& query) const {
    nb::list said;
    for (const std::string& sentence : io::said_of(notes)) said.append(with_keywords(sentence));
    const std::string missing = io::missing_said(notes, query, asked.input.missing_is_nan);
    if (!missing.empty()) said.append(missing);
    return nb::make_tuple(values, keys, said, why);
  }
};

// Returns an answer. Sums are floats whatever the values are; elements (min, max) that f64 cannot
// hold are integers.
Value value_at(const Answer& a, Size place) {
  if (a.op == "min" || a.op == "max") return a[place];
  Value v{.dtype = a.dtype, .status = a.status[place]};
  std::memcpy(&v.bits, a.data.data() + place * bytes_of(a.dtype), bytes_of(a.dtype));
  return v;
}

// Returns one answer of each op. If `why` is given, an answer without a value is None.
nb::list values_at(const Answers& answers, Size place, nb::list* why) {
  nb::list values;
  for (const Answer& a : answers.list) {
    const Value value = value_at(a, place);
    const bool none = why != nullptr && value.status != Status::ok;
    if (why != nullptr) why->append(none ? name_of(value.status) : "");
    if (none) {
      values.append(nb::none());
    } else {
      values.append(
          nb::steal(value_of(a.op.c_str(), value, Source::buffer, NanPolicy::propagate, true)));
    }
  }
  return values;
}

// Returns an answer as NumPy has it; with an axis of the parts of complex numbers as these.
nb::object array_or_scalar(const Answer& a, bool in_parts, NanPolicy nan) {
  nb::object value = nb::steal(object_of(a, Source::buffer, nan, true).release());
  if (!in_parts) return value;
  const nb::object numbers = joined_along_last(value, a.dtype == DType::f32 ? "c8" : "c16");
  return numbers[nb::tuple()];
}

void tell(const Answers& answers, const io::FileRequest& asked, bool lenient, PythonResult& told) {
  const std::vector<std::string>& columns = told.notes.columns;
  if (columns.empty()) {
    if (lenient && answers.list[0].shape.rank() == 0) {
      nb::list why;
      told.values = values_at(answers, 0, &why);
      told.why = why;
      return;
    }
    nb::list values;
    for (std::size_t k = 0; k < answers.list.size(); ++k) {
      const bool in_parts = io::is_in_parts(told.notes, k);
      values.append(array_or_scalar(answers.list[k], in_parts, asked.fold.nan));
    }
    told.values = values;
    return;
  }
  if (!lenient) io::check_statuses(answers, asked.fold, io::column_text(told.notes));
  nb::dict values, reasons;
  for (Size c = 0; c < columns.size(); ++c) {
    const nb::object name = name_of_column(columns[c]);
    nb::list why;
    values[name] = values_at(answers, c, lenient ? &why : nullptr);
    reasons[name] = why;
  }
  told.values = values;
  if (lenient) told.why = reasons;
}

// Returns a column's answers, group by group, as objects; None for an answer without a value.
nb::object objects_of(const Answer& answer, Size column, Size width) {
  nb::list objects;
  for (Size at = column; at < answer.size(); at += width) {
    const Value value = answer[at];
    objects.append(value.status != Status::ok
                       ? nb::object(nb::none())
                       : nb::steal(value_of(answer.op.c_str(), value, Source::buffer,
                                            NanPolicy::propagate, true)));
  }
  const nb::object array = nb::steal(attribute("numpy", "array"));
  return array(objects, nb::arg("dtype") = "O");
}

nb::object grouped_text_of(const io::Grouped& grouped, std::size_t k, Size group, Size column) {
  const auto text = grouped.text(k, group, column);
  return text ? name_of_column(std::string(*text)) : nb::object(nb::none());
}

// Returns the k-th op's answers for a column's groups: texts or None; if `times`, an array of
// times.
nb::object texts_of(const io::Grouped& grouped, std::size_t k, Size column, bool times) {
  if (times) {
    std::vector<std::optional<io::Time>> answers;
    for (Size g = 0; g < grouped.keys.size(); ++g) {
      const std::optional<Size> place = grouped.place(k, g, column);
      answers.push_back(place ? std::optional(grouped.times[column][*place]) : std::nullopt);
    }
    nb::object array = array_of_times(answers);
    if (!array.is_none()) return array;
  }
  nb::list objects;
  for (Size g = 0; g < grouped.keys.size(); ++g)
    objects.append(grouped_text_of(grouped, k, g, column));
  const nb::object array = nb::steal(attribute("numpy", "array"));
  return array(objects, nb::arg("dtype") = "O");
}

// Returns the answers of texts without keys: a list for each column.
void tell_texts(const io::Grouped& grouped, bool times, PythonResult& told) {
  nb::dict values;
  for (Size c = 0; c < grouped.columns.size(); ++c) {
    nb::list list;
    for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
      const bool value = grouped.answers.list[k].status[c] == Status::ok;
      list.append(grouped.of_text[k] && times && value
                      ? nb::object(texts_of(grouped, k, c, true)[nb::int_(0)])
                  : grouped.of_text[k]
                      ? grouped_text_of(grouped, k, 0, c)
                      : nb::object(nb::int_(grouped.answers.list[k][c].as<int64_t>())));
    }
    values[name_of_column(grouped.columns[c])] = list;
  }
  told.values = values;
}

// Returns the k-th op's answers for a column's groups, as an array.
nb::object array_of(const io::Grouped& grouped, std::size_t k, Size column, bool times) {
  const Answer& a = grouped.answers.list[k];
  const Size width = grouped.columns.size(), n = grouped.keys.size();
  if (k < grouped.of_text.size() && grouped.of_text[k]) return texts_of(grouped, k, column, times);
  const bool some = std::ranges::any_of(a.status, [](Status s) { return s != Status::ok; });
  if (some || !a.integers.empty()) return objects_of(a, column, width);
  const unsigned bytes = bytes_of(a.dtype);
  Ref array = numpy::make_array(a.dtype, Dims(static_cast<int64_t>(n)));
  auto* const data = static_cast<std::byte*>(numpy::data_of(array.get()));
  for (Size g = 0; g < n; ++g) {
    std::memcpy(data + g * bytes, a.data.data() + (g * width + column) * bytes, bytes);
  }
  return nb::steal(array.release());
}

nb::dict keys_of(const io::Grouped& grouped) {
  io::refuse_repeated_keys(grouped);
  nb::dict keys;
  for (std::size_t k = 0; k < grouped.by.size(); ++k) {
    keys[name_of_column(grouped.by[k])] = array_of_keys(grouped, k);
  }
  return keys;
}

void tell(const io::Grouped& grouped, bool times, PythonResult& told) {
  if (grouped.by.empty()) return tell_texts(grouped, times, told);
  nb::dict values;
  for (Size c = 0; c < grouped.columns.size(); ++c) {
    nb::list arrays;
    for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
      arrays.append(array_of(grouped, k, c, times));
    }
    values[name_of_column(grouped.columns[c])] = arrays;
  }
  told.keys = keys_of(grouped);
  told.values = values;
}

//   lenient  an answer without a value is None, and `why` has the name of its status
nb::object fold_files(const std::string& ops, const std::vector<nb::bytes>& names,
                      const nb::dict& d, bool lenient) {
  const bool texts = item(d, "text") == Py_True;
  if (!texts) parse_ops(ops);
  AskedFiles files;
  read_asked(ops, names, d, files);
  io::FileRequest& asked = files.asked;
  asked.describes = asked.input.describes = lenient;
  const Query query(texts ? "count" : ops, asked.fold);
  const bool times = !texts && !lenient && io::are_times(query, files.files, asked);
  const bool groups = texts || times || !asked.input.by.empty();
  PythonResult told;
  Answers answers;
  io::Grouped grouped;
  std::atomic<Size> bytes_done{0}, bytes_total{0};
  PyObject* const callback = item(d, "progress");
  const auto tick = [&] {
    if (callback == nullptr) return true;
    const Ref said(PyObject_CallFunction(callback, "KK", static_cast<long long>(bytes_done),
                                         static_cast<long long>(bytes_total)));
    return said.get() != nullptr;
  };
  run_interruptibly(
      [&](const auto& check) {
        const io::Progress progress = [&](Size done, Size total) {
          check();
          bytes_done = done;
          bytes_total = total;
        };
        if (texts) {
          grouped = io::fold_texts(ops, files.files, asked, progress, told.notes);
        } else if (times) {
          grouped = io::fold_times(query, files.files, asked, progress, told.notes);
        } else if (groups) {
          grouped = io::group_asked(query, files.files, asked, progress, told.notes);
        } else {
          answers = io::fold_asked(query, files.files, asked, progress, told.notes);
        }
      },
      tick);
  if (groups) {
    tell(grouped, times, told);
  } else {
    tell(answers, asked, lenient, told);
  }
  return told.tuple(asked, query);
}

// Returns an array for each call, by its name; without keys it has one element.
nb::object agg_files(const std::string& calls, const std::string& having,
                     const std::vector<nb::bytes>& names, const nb::dict& d) {
  AskedFiles files;
  read_asked("agg", names, d, files);
  PythonResult told;
  io::Grouped grouped;
  run_interruptibly([&](const auto& check) {
    const io::Progress progress = [&](Size, Size) { check(); };
    grouped = io::aggregate(calls, having, files.files, files.asked, progress, told.notes);
  });
  nb::dict values;
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    values[name_of_column(grouped.answers.list[k].op)] =
        array_of(grouped, k, 0, grouped.of_time[k]);
  }
  told.values = values;
  told.keys = keys_of(grouped);
  return told.tuple(files.asked, Query("sum", files.asked.fold));
}

nb::object quantile_files(const std::string& op, const std::vector<std::string>& words,
                          const std::string& method, const std::vector<nb::bytes>& names,
                          const nb::dict& d) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  AskedFiles files;
  read_asked(op, names, d, files);
  PythonResult told;
  Answers answers;
  io::Grouped grouped;
  const bool by = !files.asked.input.by.empty();
  run_interruptibly([&](const auto& check) {
    const io::Progress progress = [&](Size, Size) { check(); };
    if (by) {
      grouped = io::quantiles_by_keys(quantiles, files.files, files.asked, progress, told.notes);
    } else {
      answers = io::quantiles_asked(quantiles, files.files, files.asked, progress, told.notes);
    }
  });
  if (by) {
    tell(grouped, false, told);
  } else {
    tell(answers, files.asked, false, told);
  }
  return told.tuple(files.asked, Query("sum", files.asked.fold));
}

}  // namespace

nb::object joined_along_last(const nb::object& array, const std::string& type) {
  return array.attr("view")(type)[nb::make_tuple(nb::ellipsis(), 0)];
}

std::vector<Quantile> quantiles_of(const std::vector<std::string>& words,
                                   const std::string& method) {
  std::vector<Quantile> quantiles;
  for (const std::string& word : words) {
    quantiles.push_back(read_quantile(word));
    quantiles.back().method = quantile_method(method);
  }
  return quantiles;
}

void add_files(nb::module_& m) {
  m.def("fold_files", fold_files);
  m.def("agg_files", agg_files);
  m.def("quantile_files", quantile_files);
  m.def("is_one_column", [](const std::string& list) { return io::is_one_column(list); });
}

}  // namespace onefold::python
