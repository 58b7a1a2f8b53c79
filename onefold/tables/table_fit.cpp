#include "onefold/tables/table_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/fit/linear_fit.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {
namespace {

struct Formula {
  std::vector<std::string> columns;  // the terms, then y
  bool intercept = true;
};

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return std::string(begin == text.npos ? "" : text.substr(begin, end + 1 - begin));
}

[[noreturn]] void refuse_formula(const std::string& text, const std::string& why) {
  throw Error(ErrorCode::bad_option,
              "fit: \"" + text + "\" " + why + "; write 'y ~ x1 + x2', with column names");
}

Formula read_formula(const std::string& text) {
  const std::size_t tilde = text.find('~');
  if (tilde == text.npos) refuse_formula(text, "has no ~ between the fitted column and the others");
  Formula f;
  std::string right = text.substr(tilde + 1);
  const std::size_t minus = right.find('-');
  if (minus != right.npos && trimmed(right.substr(minus + 1)) == "1") {
    f.intercept = false;
    right.resize(minus);
  }
  for (std::size_t at = 0; at <= right.size();) {
    const std::size_t plus = std::min(right.find('+', at), right.size());
    const std::string term = trimmed(right.substr(at, plus - at));
    at = plus + 1;
    if (term == "0") f.intercept = false;
    if (term.empty()) refuse_formula(text, "has a term without a name");
    if (term != "0" && term != "1") f.columns.push_back(term);
  }
  f.columns.push_back(trimmed(text.substr(0, tilde)));
  if (f.columns.back().empty()) refuse_formula(text, "has nothing before ~");
  for (const std::string& name : f.columns) {
    if (std::ranges::count(f.columns, name) > 1) refuse_formula(text, "names " + name + " twice");
    if (name.find(',') != name.npos)
      refuse_formula(text, "contains a comma; terms are separated by +");
  }
  return f;
}

// A group: sums, and rows that are not in them yet, one after another. Sums of few rows take 20 us
// or more, so that rows wait until there are `most_waiting`.
struct Group {
  ColumnSums sums;
  std::vector<double> waiting = {};
};
constexpr Size most_waiting = 512;

class TableFit {
 public:
  TableFit(const Formula& formula, const FileRequest& asked, const Limits& limits,
           const OpenFiles& files)
      : formula_(formula),
        asked_(asked),
        limits_(limits),
        first_part_(tables_of(files)[0]),
        first_(*first_part_.table),
        omit_(asked.fold.nan == NanPolicy::omit),
        threads_(asked.fold.threads > 0 ? asked.fold.threads : default_threads()) {
    gather_.axes = Axes(-1);
    gather_.threads = 1;
    for (const std::string& name : formula.columns) {
      const auto at = std::ranges::find(first_.folded, name);
      if (at == first_.folded.end()) refuse_column(name);
      slots_.push_back(static_cast<Size>(at - first_.folded.begin()));
    }
  }

  void fold(const TablePart& part, Meter& meter, Notes& notes) {
    check_keyed_table(first_part_, part);
    const File::Use use(*part.file);
    const auto reader =
        open_rows(*part.file, *part.table, DType::f64, Integers::refused, limits_.text_chunk_bytes);
    Size n = 0;
    const auto rows = [&](Size, const RowReader::Rows& r) { add(*part.file, r); };
    const auto done = [&](Size, Size some) { n += some; };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
    }
    note_reading(*part.file, *part.table, *reader, n, notes);
  }

  Grouped finish(Notes& notes) {
    notes.folded = first_.folded;
    if (kept_columns(*first_part_.file, first_, notes).size() < first_.folded.size()) {
      refuse_left_out(*first_part_.file, first_, notes);
    }
    Grouped r = named_groups(first_);
    r.columns = {""};
    if (first_.by.empty()) {
      groups_.try_emplace("", Group{ColumnSums(DType::f64, slots_.size())});
      r.keys = {""};
    } else {
      r.keys = keys_in_order(r.nulls);
    }
    answer(r);
    return r;
  }

 private:
  [[noreturn]] void refuse_column(const std::string& name) const {
    first_part_.file->fail(ErrorCode::bad_option,
                           "fit: " + name + " is not the name of a column of numbers");
  }

  std::vector<std::string> keys_in_order(bool nulls) const {
    std::vector<std::string> met, sorted;
    for (const auto& [key, group] : groups_) met.push_back(key);
    std::ranges::sort(met);
    for (const uint32_t g : order_of_keys(met.size(), first_.by.size(), nulls,
                                          [&](Size k) -> std::string_view { return met[k]; })) {
      sorted.push_back(met[g]);
    }
    return sorted;
  }

  void add(const File& file, const RowReader::Rows& r) {
    std::vector<std::byte> present;
    if (!r.left_out.empty()) present = r.present(first_.folded.size());
    const auto* const values = reinterpret_cast<const double*>(r.values);
    std::unordered_map<std::string, std::vector<Size>> rows;
    std::string key;
    for (Size i = 0; i < r.n; ++i) {
      key.clear();
      if (!first_.by.empty()) r.keys.append(i, key);
      std::vector<Size>& of_key = rows[key];  // a key without whole rows is a group, too
      const bool whole = std::ranges::all_of(slots_, [&](Size s) {
        const Size at = s * r.capacity + i;
        return (present.empty() || present[at] != std::byte{0}) &&
               !(omit_ && std::isnan(values[at]));
      });
      if (whole) of_key.push_back(i);
    }
    for (const auto& [of, which] : rows) {
      const std::vector<double> full =
          wait(of, which, [&](Size i, Size s) { return values[s * r.capacity + i]; });
      if (full.empty()) continue;
      const ColumnSums some = sums_of(full);
      const std::lock_guard lock(mutex_);
      groups_.at(of).sums.merge(some);
    }
    const std::lock_guard lock(mutex_);
    check_groups_memory(groups_.size(), bytes_, file, limits_);
  }

  // Appends rows to those of a group that wait. If they are enough, takes all of them.
  template <class Value>
  std::vector<double> wait(const std::string& key, const std::vector<Size>& rows,
                           const Value& value) {
    const std::lock_guard lock(mutex_);
    const Size width = slots_.size();
    const auto [at, is_new] = groups_.try_emplace(key, Group{ColumnSums(DType::f64, width)});
    std::vector<double>& waiting = at->second.waiting;
    if (is_new) bytes_ += key.size() + 200 + 75 * width * (width + 1);
    for (const Size i : rows) {
      for (const Size s : slots_) waiting.push_back(value(i, s));
    }
    bytes_ += rows.size() * width * sizeof(double);
    if (waiting.size() < most_waiting * width) return {};
    bytes_ -= waiting.size() * sizeof(double);
    return std::exchange(waiting, {});
  }

  // Returns the sums of rows.
  ColumnSums sums_of(const std::vector<double>& rows) const {
    const Size width = slots_.size(), n = rows.size() / width;
    std::vector<double> columns(rows.size());
    for (Size i = 0; i < n; ++i) {
      for (Size j = 0; j < width; ++j) columns[j * n + i] = rows[i * width + j];
    }
    ColumnSums sums(DType::f64, width);
    sums.add(ArrayRef(columns.data(), DType::f64, Dims(width, n)), gather_);
    return sums;
  }

  std::string term(Size k) const {
    if (formula_.intercept && k == 0) return "intercept";
    return formula_.columns[k - (formula_.intercept ? 1 : 0)];
  }

  // Refuses answers of which two, or one and a key, have one name.
  static void refuse_shared_names(const Grouped& r) {
    std::vector<std::string> names = r.by;
    for (const Answer& a : r.answers.list) names.push_back(a.op);
    for (const std::string& name : names) {
      if (std::ranges::count(names, name) == 1) continue;
      throw Error(ErrorCode::bad_option,
                  "fit: two columns of the result would be called " + printable(name) +
                      "; rename the table's column with --let 'other = " + printable(name) + "'");
    }
  }

  [[noreturn]] void refuse_dependent(const Grouped& r, Size g, const LinearFit& fit) const {
    const Size k = fit.dependent;
    std::string where = first_.by.empty() ? "" : " in group";
    for (const auto part : parts_of_key(r.keys[g], first_.by.size())) {
      where += ' ' + printable(is_null(r, part) ? "null" : part);
    }
    const bool no_rows = formula_.intercept && k == 0;
    const Size terms = fit.coef.size();
    throw Error(
        ErrorCode::bad_option,
        "fit: singular" + where + ": " +
            (no_rows ? "there are no rows"
             : static_cast<Size>(fit.n) < terms
                 ? std::to_string(terms) + " coefficients need as many rows, but there are " +
                       std::to_string(fit.n)
                 : term(k) + " is an exact linear combination of the terms before it") +
            "; leave a term out, or pass --empty-nan to get NaN");
  }

  void answer(Grouped& r) {
    const Size groups = r.keys.size();
    const Size k = slots_.size() - 1 + (formula_.intercept ? 1 : 0);
    const auto add = [&](const std::string& name, DType t) {
      r.answers.list.push_back({.op = name,
                                .dtype = t,
                                .shape = Dims(groups, 1),
                                .data = std::vector<std::byte>(groups * 8),
                                .status = std::vector<Status>(groups)});
    };
    for (Size m = 0; m < k; ++m) add(term(m), DType::f64);
    for (Size m = 0; m < k; ++m) add("stderr(" + term(m) + ")", DType::f64);
    add("r2", DType::f64), add("residual_std", DType::f64);
    add("n", DType::i64), add("dof", DType::i64);
    refuse_shared_names(r);
    std::vector<LinearFit> fits(groups);
    parallel(groups, threads_, [&](std::size_t g) {
      auto& [sums, waiting] = groups_.at(r.keys[g]);
      sums.merge(sums_of(waiting));
      sums.finish();
      fits[g] = linear_fit(sums, formula_.intercept, asked_.fold.nan, 1);
    });
    for (Size g = 0; g < groups; ++g) {
      const LinearFit& fit = fits[g];
      if (fit.dependent != none && !asked_.fold.empty_nan) refuse_dependent(r, g, fit);
      std::size_t op = 0;
      const auto put = [&](auto v) {
        std::memcpy(r.answers.list[op++].data.data() + g * 8, &v, 8);
      };
      for (const double v : fit.coef) put(v);
      for (const double v : fit.standard_error) put(v);
      put(fit.r2), put(fit.residual_std);
      put(static_cast<int64_t>(fit.n)), put(fit.dof);
    }
  }

  const Formula& formula_;
  const FileRequest& asked_;
  const Limits& limits_;
  TablePart first_part_;
  const Table& first_;
  std::vector<Size> slots_;  // of the formula's columns
  bool omit_;
  int threads_;
  Options gather_;
  std::mutex mutex_;
  std::unordered_map<std::string, Group> groups_;
  Size bytes_ = 0;
};

}  // namespace

Grouped fit_tables(const std::string& formula, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes) {
  const Formula read = read_formula(formula);
  FileRequest own = asked;
  own.input.columns = comma_joined(read.columns);
  if (!own.input.by.empty()) check_groups(own);
  const Limits limits = limits_of(own, files);
  OpenFiles opened = open_files(Query("mean", {}), files, own.input);
  for (const OpenFile& f : opened.x) {
    if (!f.table) f.file->fail(ErrorCode::unsupported, "it is not a table with column names");
  }
  Meter meter(progress, opened.bytes());
  TableFit fit(read, own, limits, opened);
  for (const TablePart& part : tables_of(opened)) fit.fold(part, meter, notes);
  opened.check_end();
  Grouped grouped = fit.finish(notes);
  sort_groups(grouped, asked.order);
  return grouped;
}

}  // namespace onefold::io
