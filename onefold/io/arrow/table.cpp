// Reads whole files as tables.
#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include "onefold/io/arrow/columns.hpp"
#include "onefold/io/arrow/convert.hpp"
#include "onefold/io/arrow/keys.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/source.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io::arrow {
namespace {

// Marks which texts of a column are present, and counts the missing ones.
Size mark_present(const std::vector<arrow_plugin::Text>& texts,
                  std::vector<unsigned char>& present) {
  Size missing = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    present[i] = texts[i].bytes >= 0;
    missing += present[i] == 0;
  }
  return missing;
}

class BatchReader : public RowReader {
 public:
  BatchReader(const File& file, std::shared_ptr<ArrowFile> opened, const TextRange& groups,
              const Table& table, DType dtype, Integers integers)
      : file_(file),
        opened_(std::move(opened)),
        first_(static_cast<int64_t>(groups.begin)),
        end_(static_cast<int64_t>(std::min(groups.end, static_cast<uint64_t>(opened_->groups())))),
        table_(table),
        dtype_(dtype),
        exact_(integers != Integers::rounded),
        from_(file.position()) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const bool key = std::find(table.by.begin(), table.by.end(), k) != table.by.end();
      if (table.columns[k].slot >= 0 || key) selected_.push_back(static_cast<int64_t>(k));
    }
    // A piece has 2 MiB of numbers, as for texts.
    const auto row_bytes = static_cast<int64_t>(8 * selected_.size());
    most_rows_ = std::clamp((int64_t{2} << 20) / row_bytes, int64_t{256}, int64_t{1} << 16);
  }

  bool next(Size most, int threads, const RowsOf& rows,
            const std::function<void(Size, Size)>& done) override {
    if (!begun_) opened_->select(selected_, first_, end_, most_rows_, threads > 1);
    begun_ = true;
    std::vector<ArrowFile::Batch> batches;
    while (batches.size() < most) {
      batches.push_back(opened_->next());
      if (batches.back().rows() > 0) continue;
      batches.pop_back();
      break;
    }
    std::vector<Problem> problems(batches.size());
    std::vector<std::vector<Size>> missing(batches.size());
    parallel(batches.size(), threads, [&](std::size_t k) {
      Size first = rows_;
      for (std::size_t i = 0; i < k; ++i) first += static_cast<Size>(batches[i].rows());
      problems[k] = read(batches[k], first, k, rows, missing[k]);
    });
    for (Size k = 0; k < batches.size(); ++k) {
      if (!problems[k].what.empty()) file_.fail(problems[k].code, problems[k].what);
      rows_ += static_cast<Size>(batches[k].rows());
      add_to(missing_, missing[k]);
      done(k, static_cast<Size>(batches[k].rows()));
    }
    return !batches.empty();
  }

  std::vector<Size> missing() const override { return missing_; }
  OthersBySlot others() const override { return others_; }
  Size bytes_done() const override {
    if (opened_->rows() < 0) return file_.position() - from_;
    const double share = static_cast<double>(rows_) / static_cast<double>(opened_->rows());
    return static_cast<Size>(share * static_cast<double>(file_.size()));
  }

 private:
  struct Problem {
    ErrorCode code = ErrorCode::out_of_range;
    std::string what;  // empty: there is none
  };
  // Reads a piece; returns what is wrong with a number or a date.
  //   nulls  gets the number of nulls of each folded column
  Problem read(const ArrowFile::Batch& batch, Size first, Size piece, const RowsOf& rows,
               std::vector<Size>& nulls) {
    nulls.resize(table_.folded.size());
    const auto n = static_cast<Size>(batch.rows());
    const Size each = bytes_of(dtype_);
    std::vector<Size> left_out;
    std::vector<DecimalTerm> terms;
    const Buffers::Lease numbers(numbers_, table_.folded.size() * n * each);
    std::vector<std::byte> raw(n * 8);
    std::vector<unsigned char> present(n);
    ColumnKeys keys;
    keys.columns.resize(table_.by.size());
    for (std::size_t s = 0; s < selected_.size(); ++s) {
      const auto k = static_cast<std::size_t>(selected_[s]);
      const Column& column = table_.columns[k];
      const auto at = static_cast<int64_t>(s);
      Size missing = 0;
      if (column.stored) {
        std::fill(present.begin(), present.end(), 1);
        missing = static_cast<Size>(batch.values(at, 0, batch.rows(), raw.data(), present.data()));
      }
      for (std::size_t b = 0; b < table_.by.size(); ++b) {
        if (table_.by[b] != k) continue;
        keys.columns[b].numbers = column.stored;
        if (column.stored) {
          keys.columns[b].raw = raw;
          keys.columns[b].present = present;
        } else {
          keys.columns[b].texts = batch.texts(at);
        }
        const std::optional<Problem> other = spell_dates(column, first, keys.columns[b]);
        if (other) return *other;
      }
      if (column.slot < 0) continue;
      const Size place = static_cast<Size>(column.slot) * n;
      if (column.type == all_null && column.fields != Fields::rows) {
        std::fill(present.begin(), present.end(), 0);
        std::fill_n(raw.begin(), n, std::byte{0});
        static_cast<void>(convert(DType::boolean, raw.data(), present.data(), n, dtype_,
                                  {.leaves_out = !table_.missing_is_nan},
                                  numbers.data() + place * each));
        nulls[static_cast<std::size_t>(column.slot)] = n;
        leave_out(n, place, present, left_out);
        continue;
      }
      if (column.fields == Fields::numbers && (column.spelt || !column.stored)) {
        const SpeltNumbers to{numbers.data() + place * each, place, present, terms};
        if (column.stored) {
          spell(*column.stored, raw, to);
        } else {
          missing = mark_present(batch.texts(at), present);
          spell(batch.texts(at), to);
        }
        nulls[static_cast<std::size_t>(column.slot)] = missing;
        leave_out(missing, place, present, left_out);
        continue;
      }
      DType stored = column.stored.value_or(DType::boolean);
      if (column.fields != Fields::numbers) {
        if (!column.stored) missing = mark_present(batch.texts(at), present);
        if (column.fields == Fields::rows) missing = 0;
        stored = DType::boolean;
        std::fill_n(raw.begin(), n, std::byte{0});
      }
      nulls[static_cast<std::size_t>(column.slot)] = missing;
      const auto bad = convert(stored, raw.data(), missing == 0 ? nullptr : present.data(), n,
                               dtype_, {.exact = exact_, .leaves_out = !table_.missing_is_nan},
                               numbers.data() + place * each);
      leave_out(missing, place, present, left_out);
      if (!bad) continue;
      const bool beyond = exact_ && !is_floating(*column.stored);
      if (beyond && !table_.chosen) {
        std::memset(numbers.data() + place * each, 0, n * each);
        const std::lock_guard lock(mutex_);
        others_[static_cast<Size>(column.slot)].integers = 1;
        continue;
      }
      return {ErrorCode::out_of_range,
              place_of(first + bad->at, column) + bad->what +
                  (beyond ? "; leave it out with --columns, or fold it separately with --dtype i64"
                          : "")};
    }
    std::ranges::sort(terms, {}, &DecimalTerm::place);
    rows(piece, {numbers.data(), n, n, keys, left_out, terms});
    return {};
  }

  std::string place_of(Size row, const Column& column) {
    return "row " + std::to_string(rows_before() + row + 1) + ", column " + column.name + ": ";
  }

  // Spells the dates of a column with --date-format as ISO does. Returns the first text that is
  // none.
  std::optional<Problem> spell_dates(const Column& column, Size first, KeyColumn& keys) {
    if (column.date_format.empty()) return {};
    const DateFormat format(column.date_format);
    for (const arrow_plugin::Text& t : keys.texts) {
      std::optional<std::string> date(null_key);
      if (t.bytes >= 0) {
        const std::string_view text(t.begin, static_cast<std::size_t>(t.bytes));
        date = format.standard_text(text);
        if (!date) {
          return Problem{ErrorCode::bad_token,
                         place_of(first + keys.dates.size(), column) + no_date(format, text)};
        }
      }
      keys.dates.push_back(*std::move(date));
    }
    return {};
  }

  void leave_out(Size missing, Size place, const std::vector<unsigned char>& present,
                 std::vector<Size>& left_out) const {
    if (missing == 0 || table_.missing_is_nan) return;
    for (Size i = 0; i < present.size(); ++i) {
      if (present[i] == 0) left_out.push_back(place + i);
    }
  }

  // Returns the number of rows before this rank's groups.
  Size rows_before() {
    const std::lock_guard lock(mutex_);
    return static_cast<Size>(first_ == 0 ? 0 : opened_->rows_before(first_));
  }

  // Where the numbers of a column that Arrow gives as text are written: their f64, and digits
  // beyond f64.
  struct SpeltNumbers {
    std::byte* to;
    Size place;
    const std::vector<unsigned char>& present;
    std::vector<DecimalTerm>& terms;

    void put(Size i, double value) const {
      std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
    void put_null(Size i) const { put(i, std::numeric_limits<double>::quiet_NaN()); }
  };
  // Converts integers and decimals, which Arrow gives as text, to the nearest f64.
  void spell(DType stored, const std::vector<std::byte>& raw, const SpeltNumbers& s) const {
    visit(stored, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) spell_as<T>(raw, s);
    });
  }
  template <class T>
  void spell_as(const std::vector<std::byte>& raw, const SpeltNumbers& s) const {
    for (Size i = 0; i < s.present.size(); ++i) {
      T x = 0;
      std::memcpy(&x, raw.data() + i * sizeof x, sizeof x);
      const bool negative = std::is_signed_v<T> && x < 0;
      const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
      const auto value = static_cast<double>(magnitude);
      if (s.present[i] == 0) {
        s.put_null(i);
        continue;
      }
      s.put(i, negative ? -value : value);
      if (!is_short_decimal(magnitude, 0)) s.terms.push_back({s.place + i, magnitude, 0, negative});
    }
  }
  void spell(const std::vector<arrow_plugin::Text>& texts, const SpeltNumbers& s) const {
    for (Size i = 0; i < texts.size(); ++i) {
      if (texts[i].bytes < 0) {
        s.put_null(i);
        continue;
      }
      const char *const begin = texts[i].begin, *const end = begin + texts[i].bytes, *stop = begin;
      double value = 0;
      const NumberError e = parse_number(begin, end, false, value, stop);
      if (e != NumberError::none || stop != end) {
        file_.fail(ErrorCode::read_failed,
                   "Arrow wrote a decimal that cannot be read: " + quote({begin, end}));
      }
      s.put(i, value);
      if (exact_) append_terms({begin, end}, s.place + i, true, s.terms);
    }
  }

  const File& file_;
  std::shared_ptr<ArrowFile> opened_;
  int64_t first_, end_;  // groups of rows
  const Table& table_;
  DType dtype_;
  bool exact_, begun_ = false;
  uint64_t from_;
  std::vector<int64_t> selected_;
  int64_t most_rows_ = 0;
  Size rows_ = 0;
  std::vector<Size> missing_;
  std::mutex mutex_;
  OthersBySlot others_;  // columns with integers that f64 does not hold
  Buffers numbers_;
};

class Whole : public TableSource {
 public:
  //   groups  the groups of rows, if only those that `range` numbers are read
  Whole(std::string path, ArrowFile::Form form, uint64_t most, std::shared_ptr<ArrowFile> stream,
        Size groups, const TextRange& range = {})
      : path_(std::move(path)),
        form_(form),
        most_(most),
        stream_(std::move(stream)),
        groups_(groups),
        range_(range) {}

  Size groups() const override { return groups_; }
  std::shared_ptr<const TableSource> rows_of(const TextRange& range) const override {
    return std::make_shared<Whole>(path_, form_, most_, stream_, groups_, range);
  }

  // If there are many files, only the one that is being read is open in Arrow.
  std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype,
                                       Integers integers, Size) const override {
    auto opened =
        stream_ != nullptr ? stream_ : std::make_shared<ArrowFile>(file, path_, form_, most_);
    if (opened->columns().size() != table.columns.size()) {
      file.fail(ErrorCode::read_failed,
                "the file has changed since it was opened; let its writer finish first");
    }
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (opened->columns()[k].folds == table.columns[k].stored) continue;
      file.fail(ErrorCode::read_failed,
                "the file has changed since it was opened; let its writer finish first");
    }
    return std::make_unique<BatchReader>(file, std::move(opened), range_, table, dtype, integers);
  }

 private:
  std::string path_;
  ArrowFile::Form form_;
  uint64_t most_;
  std::shared_ptr<ArrowFile> stream_;
  Size groups_;
  TextRange range_;
};

}  // namespace

Table open_table(File& file, const std::string& path, const InputOptions& options,
                 ArrowFile::Form form) {
  // The memory that is needed besides one column's: pages of the other columns, and batches of all
  // threads.
  const uint64_t most = 6 * options.most_chunk_bytes;
  auto opened = std::make_shared<ArrowFile>(file, path, form, most, &file);
  std::vector<ColumnFacts> columns;
  // A stream is read once, and columns of decimals are folded separately from others.
  const bool folds_any = std::ranges::any_of(
      opened->columns(), [](const ArrowFile::Column& c) { return c.folds.has_value(); });
  const bool spells = form != ArrowFile::Form::stream || !options.columns.empty() || !folds_any;
  for (const ArrowFile::Column& c : opened->columns()) {
    const bool decimal = c.keys && c.type.starts_with("decimal") && spells;
    // Only Parquet knows the range of a column.
    const bool is_long = c.folds == DType::i64 || c.folds == DType::u64;
    const bool beyond = c.beyond || (form == ArrowFile::Form::file && is_long && options.spells);
    columns.push_back({c.name, c.type, c.folds, c.keys, beyond, decimal});
  }
  const std::vector<ColumnDates> dates = named_dates(file, options);
  Table table = table_of(file, columns, options);
  name_dates(file, dates, table);
  const DType dtype = options.dtype.value_or(DType::f64);
  for (const Column& c : table.columns) {
    const bool counted = c.fields != Fields::numbers;
    if (c.slot < 0 || converts(counted ? DType::boolean : c.stored.value_or(DType::f64), dtype)) {
      if (c.slot < 0 || counted || c.stored || dtype == DType::f64) continue;
    }
    file.fail(ErrorCode::type_mismatch,
              "column " + c.name + " holds " + c.type + ", but --dtype asks for " + name_of(dtype) +
                  "; choose other columns with --columns, or leave --dtype out");
  }
  if (form == ArrowFile::Form::stream && !table.spelt()) {
    file.fail(ErrorCode::unsupported,
              "it is a stream, which can be read only once, but decimals and long integers are "
              "read in a separate pass; choose columns of one kind with --columns");
  }
  const auto groups = static_cast<Size>(opened->groups());
  if (form != ArrowFile::Form::stream) opened.reset();
  table.source = std::make_shared<Whole>(path, form, most, std::move(opened), groups);
  return table;
}

bool begins_stream(std::string_view head) {
  if (head.size() < 12 || head.substr(0, 4) != "\xff\xff\xff\xff") return false;
  uint32_t length = 0, root = 0;
  std::memcpy(&length, head.data() + 4, sizeof length);
  std::memcpy(&root, head.data() + 8, sizeof root);
  // A flatbuffers message: its length is a multiple of 8 bytes, and its root table is near.
  return length > 0 && length % 8 == 0 && length < (1u << 28) && root >= 4 && root < 256 &&
         root < length;
}

}  // namespace onefold::io::arrow
