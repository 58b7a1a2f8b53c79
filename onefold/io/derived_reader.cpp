#include "onefold/io/derived_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"

namespace onefold::io {
namespace {

std::size_t part_of(const Table& table, std::size_t column) {
  const auto at = std::find(table.by.begin(), table.by.end(), column);
  return static_cast<std::size_t>(at - table.by.begin());
}

// A byte for each value of a piece that is null, or as Values::pointed; empty: no value is.
struct Marks {
  explicit Marks(const RowReader::Rows& r, Size slots)
      : null(marked(r.left_out, slots * r.capacity)),
        pointed(marked(r.pointed, slots * r.capacity)) {}
  static std::vector<unsigned char> marked(std::span<const Size> places, Size n) {
    std::vector<unsigned char> marks(places.empty() ? 0 : n);
    for (const Size place : places) marks[place] = 1;
    return marks;
  }
  std::vector<unsigned char> null, pointed;
};

// All or some rows of a piece, as expressions read them.
class Block {
 public:
  //   joined  the keys of all rows, joined
  //   marks   of each value
  Block(const Derivation& d, const RowReader::Rows& r, const std::vector<std::string>& joined,
        const Marks& marks, const std::vector<Size>* picked)
      : d_(d), r_(r), joined_(joined), marks_(marks), picked_(picked), lets_(d.lets.size()) {}

  Size rows() const { return picked_ == nullptr ? r_.n : picked_->size(); }

  Values of(const Node& node) {
    return evaluate(node, rows(), d_.decimals,
                    [this](std::size_t column, Reads reads) { return values(column, reads); });
  }

  // Returns a column's values for a fold; only its nulls, if values are merely counted.
  //   rests  of long integers are needed
  Values folded(std::size_t column, bool rests) const {
    return d_.inner.columns[column].slot < 0 ? texts(column) : numbers(column, rests);
  }

  Values values(std::size_t column, Reads reads) {
    if (column >= d_.base) {
      std::optional<Values>& let = lets_[column - d_.base];
      if (!let) let = of(d_.lets[column - d_.base]);
      return *let;
    }
    if (reads == Reads::digits) return digits(column);
    return reads == Reads::text || d_.kinds[column] == Kind::text ? texts(column)
                                                                  : numbers(column, true);
  }

 private:
  Size row(Size i) const { return picked_ == nullptr ? i : (*picked_)[i]; }

  Values numbers(std::size_t column, bool rests) const {
    Values v{.kind = d_.kinds[column] == Kind::truth ? Kind::truth : Kind::number};
    v.resize(rows());
    const Size at = static_cast<Size>(d_.inner.columns[column].slot) * r_.capacity;
    const auto* const values = reinterpret_cast<const double*>(r_.values) + at;
    for (Size i = 0; i < rows(); ++i) {
      v.numbers[i] = values[row(i)];
      if (!marks_.null.empty()) v.null[i] = marks_.null[at + row(i)];
      if (!marks_.pointed.empty() && marks_.pointed[at + row(i)] != 0) v.set_pointed(i);
    }
    v.whole = d_.whole[column];
    if (!rests || !v.whole) return v;
    const auto begins = [&](Size place) {
      return std::ranges::lower_bound(r_.terms, place, {}, &DecimalTerm::place);
    };
    v.add_rests(d_.decimals, {begins(at), begins(at + r_.capacity)},
                [&](Size place) { return place_of(place - at); });
    return v;
  }
  // Returns where a row of the piece is among those that are picked.
  std::optional<Size> place_of(Size row) const {
    if (picked_ == nullptr) return row;
    const auto at = std::ranges::lower_bound(*picked_, row);
    if (at == picked_->end() || *at != row) return {};
    return static_cast<Size>(at - picked_->begin());
  }
  Values texts(std::size_t column) const {
    Values v{.kind = Kind::text};
    v.resize(rows());
    const std::size_t part = part_of(d_.inner, column), parts = d_.inner.by.size();
    for (Size i = 0; i < rows(); ++i) {
      v.texts[i] = parts_of_key(joined_[row(i)], parts)[part];
      v.null[i] = v.texts[i] == null_key ||
                  (d_.inner.source == nullptr && is_missing(v.texts[i], d_.inner.missing));
    }
    return v;
  }

  Values digits(std::size_t column) const {
    Values v = texts(column);
    for (Size i = 0; i < rows(); ++i) {
      if (v.is_null(i)) continue;
      std::optional<std::string> plain = with_plain_marks(v.texts[i], d_.inner);
      if (!plain || !is_number(*plain, Table())) {
        throw Error(ErrorCode::bad_token, "column " + d_.inner.columns[column].name + ": " +
                                              quote_text(v.texts[i]) + " is not a number");
      }
      v.texts[i] = std::move(*plain);
    }
    return v;
  }

  const Derivation& d_;
  const RowReader::Rows& r_;
  const std::vector<std::string>& joined_;
  const Marks& marks_;
  const std::vector<Size>* picked_;
  std::vector<std::optional<Values>> lets_;
};

class JoinedKeys : public RowKeys {
 public:
  std::vector<std::string> keys;
  void append(Size row, std::string& key) const override { key += keys[row]; }
};

class DerivedReader : public RowReader {
 public:
  DerivedReader(File& file, std::shared_ptr<const Derivation> d, const Table& table, DType dtype,
                Integers integers, Size piece_bytes)
      : file_(file),
        d_(std::move(d)),
        table_(table),
        dtype_(dtype),
        integers_(integers),
        reader_(io::open_rows(file, d_->inner, DType::f64,
                              dtype == DType::f64 && integers == Integers::rounded
                                  ? Integers::rounded
                                  : Integers::spelt,
                              piece_bytes)),
        columns_(table.folded.size()),
        missing_(table.folded.size()) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].slot >= 0) columns_[static_cast<std::size_t>(table.columns[k].slot)] = k;
    }
  }

  bool next(Size most, int threads, const RowsOf& rows,
            const std::function<void(Size k, Size n)>& done) override {
    std::vector<Size> chosen(most);
    const auto derive = [&](Size k, const Rows& r) { chosen[k] = pass_on(k, r, rows); };
    const auto ended = [&](Size k, Size) { done(k, chosen[k]); };
    const bool more = reader_->next(most, threads, derive, ended);
    for (const auto& [slot, fields] : reader_->others()) {
      for (std::size_t k = 0; k < d_->base; ++k) {
        if (!d_->numbers[k] || d_->inner.columns[k].slot != static_cast<int>(slot)) continue;
        refuse_others(file_, d_->inner, k, fields);
      }
    }
    return more;
  }

  Size bytes_done() const override { return reader_->bytes_done(); }
  Size bad_lines() const override { return reader_->bad_lines(); }
  std::string first_bad() const override { return reader_->first_bad(); }
  std::set<std::string> unknown() const override { return reader_->unknown(); }
  std::vector<Size> missing() const override { return missing_; }
  OthersBySlot others() const override {
    OthersBySlot slots;
    const OthersBySlot inner = reader_->others();
    for (Size s = 0; s < columns_.size(); ++s) {
      if (columns_[s] >= d_->base) continue;
      const auto found = inner.find(static_cast<Size>(d_->inner.columns[columns_[s]].slot));
      if (found != inner.end()) slots[s] = found->second;
    }
    for (const auto& [slot, fields] : others_) slots[slot].add(fields);
    return slots;
  }
  Size repeated_headers() const override { return reader_->repeated_headers(); }

 private:
  // Passes on the selected rows of a piece; returns how many they are.
  Size pass_on(Size k, const Rows& r, const RowsOf& rows) {
    const Marks marks(r, d_->inner.folded.size());
    std::vector<std::string> joined(d_->inner.by.empty() ? 0 : r.n);
    for (Size i = 0; i < joined.size(); ++i) r.keys.append(i, joined[i]);
    std::vector<Size> picked;
    Filled to;
    JoinedKeys keys;
    try {
      pick(r, joined, marks, picked);
      Block block(*d_, r, joined, marks, &picked);
      to.words.resize(columns_.size() * picked.size());
      for (Size s = 0; s < columns_.size(); ++s) fill(block, s, to);
      make_keys(block, joined, picked, keys);
    } catch (const Error& e) {
      file_.fail(e.code(), e.what());
    }
    if (!r.terms.empty() && dtype_ == DType::f64) move_terms(r, picked, to.terms);
    rows(k, {reinterpret_cast<const std::byte*>(to.words.data()), picked.size(), picked.size(),
             keys, to.left_out, to.terms});
    return picked.size();
  }

  void pick(const Rows& r, const std::vector<std::string>& joined, const Marks& marks,
            std::vector<Size>& picked) const {
    picked.reserve(r.n);
    std::optional<Values> where;
    if (d_->where) where = Block(*d_, r, joined, marks, nullptr).of(*d_->where);
    for (Size i = 0; i < r.n; ++i) {
      if (!where || (!where->is_null(i) && where->number(i) != 0)) picked.push_back(i);
    }
  }

  // The values of folded columns, f64 or integers of 64 bits, and what RowReader::Rows has of them.
  struct Filled {
    std::vector<uint64_t> words;
    std::vector<Size> left_out;
    std::vector<DecimalTerm> terms;
  };

  // Fills in the values of a folded column.
  void fill(Block& block, Size slot, Filled& to) {
    const std::size_t column = columns_[slot];
    const Fields fields = table_.columns[column].fields;
    if (fields == Fields::rows) return;
    const bool counted = fields == Fields::something || fields == Fields::values,
               any_digits = counted || dtype_ != DType::f64 || integers_ == Integers::rounded;
    // The sums of decimals take all digits of integers.
    const bool base = column < d_->base, spelt = integers_ == Integers::spelt;
    const Values v = base ? block.folded(column, !spelt) : block.values(column, Reads::value);
    const Size n = block.rows(), at = slot * n;
    Size missing = 0;
    OtherFields other;
    for (Size i = 0; i < n; ++i) {
      const bool null = v.is_null(i);
      missing += null;
      if (null && (dtype_ != DType::f64 || !table_.missing_is_nan)) {
        if (table_.missing_is_nan) refuse(column, "a value is missing, but ", " has no NaN for it");
        to.left_out.push_back(at + i);
      } else if (d_->without_nan && v.kind == Kind::number && std::isnan(v.number(i))) {
        to.left_out.push_back(at + i);
      } else if (null) {
        to.words[at + i] = bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
      } else if (v.kind != Kind::text) {
        to.words[at + i] = word_of(v, i, column);
        if (any_digits || !v.is_long(i)) continue;
        const std::optional<Int128> integer = v.integer(i);
        if (spelt && (base || integer)) {
          if (!base) append_terms_of(*integer, at + i, to.terms);
        } else if (v.is_pointed(i) || !v.is_beyond_f64(i, d_->decimals)) {
          continue;
        } else if (table_.insists && integers_ != Integers::noted) {
          throw Error(ErrorCode::out_of_range,
                      "column " + table_.columns[column].name + ": " + v.digits(i) +
                          " is an integer that f64 cannot hold exactly; pass --dtype i64");
        } else {
          other.add({.integers = 1, .text = v.digits(i)});
        }
      }
    }
    const std::lock_guard lock(mutex_);
    missing_[slot] += missing;
    if (other.integers > 0) others_[slot].add(other);
  }

  // Returns the bits of a value in the type that is folded.
  uint64_t word_of(const Values& v, Size i, std::size_t column) const {
    if (dtype_ == DType::f64) return bit_cast<uint64_t>(v.number(i));
    const bool whole = v.whole || v.kind == Kind::truth;
    const std::optional<Int128> integer = whole ? v.integer(i) : std::nullopt;
    if (!integer) refuse(column, v.digits(i) + " is not an integer, which ", " needs");
    const bool is_signed = dtype_ == DType::i64;
    const Int128 end = Int128{1} << (is_signed ? 63 : 64), begin = is_signed ? -end : 0;
    if (*integer < begin || *integer >= end) {
      throw Error(ErrorCode::out_of_range, "column " + table_.columns[column].name + ": " +
                                               digits_of(*integer) + " is beyond " +
                                               name_of(dtype_));
    }
    return static_cast<uint64_t>(*integer);
  }
  [[noreturn]] void refuse(std::size_t column, const std::string& value, const char* why) const {
    throw Error(ErrorCode::bad_token, "column " + table_.columns[column].name + ": " + value +
                                          name_of(dtype_) + why + "; pass --dtype f64");
  }

  void make_keys(Block& block, const std::vector<std::string>& joined,
                 const std::vector<Size>& picked, JoinedKeys& keys) const {
    if (table_.by.empty()) return;
    std::vector<std::optional<Values>> made;
    for (const std::size_t column : table_.by) {
      made.emplace_back();
      if (column >= d_->base) made.back() = block.values(column, Reads::value);
    }
    std::vector<std::string> parts(table_.by.size());
    for (Size i = 0; i < picked.size(); ++i) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::optional<Values>& v = made[k];
        if (!v) {
          const auto all = parts_of_key(joined[picked[i]], d_->inner.by.size());
          parts[k] = all[part_of(d_->inner, table_.by[k])];
        } else if (v->is_null(i)) {
          parts[k] = null_key;
        } else if (v->kind == Kind::truth) {
          parts[k] = v->number(i) != 0 ? "true" : "false";
        } else {
          parts[k] = v->kind == Kind::text ? v->text(i) : v->digits(i);
        }
      }
      keys.keys.push_back(join_key(parts));
    }
  }

  void move_terms(const Rows& r, const std::vector<Size>& picked,
                  std::vector<DecimalTerm>& terms) const {
    constexpr Size nowhere = ~Size{0};
    std::vector<Size> to(r.n, nowhere);
    for (Size i = 0; i < picked.size(); ++i) to[picked[i]] = i;
    for (Size s = 0; s < columns_.size(); ++s) {
      if (columns_[s] >= d_->base) continue;
      const int slot = d_->inner.columns[columns_[s]].slot;
      for (DecimalTerm t : r.terms) {
        if (static_cast<int>(t.place / r.capacity) != slot) continue;
        const Size row = to[t.place % r.capacity];
        if (row == nowhere) continue;
        t.place = s * picked.size() + row;
        terms.push_back(t);
      }
    }
    std::ranges::sort(terms, {}, &DecimalTerm::place);
  }

  const File& file_;
  std::shared_ptr<const Derivation> d_;
  const Table& table_;
  DType dtype_;
  Integers integers_;
  std::unique_ptr<RowReader> reader_;
  std::vector<std::size_t> columns_;  // for each slot, the number of its column
  std::vector<Size> missing_;
  OthersBySlot others_;  // columns with integers that f64 does not hold
  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<RowReader> open_derived(File& file, std::shared_ptr<const Derivation> derivation,
                                        const Table& table, DType dtype, Integers integers,
                                        Size piece_bytes) {
  return std::make_unique<DerivedReader>(file, std::move(derivation), table, dtype, integers,
                                         piece_bytes);
}

}  // namespace onefold::io
