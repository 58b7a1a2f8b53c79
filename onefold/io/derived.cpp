#include "onefold/io/derived.hpp"

#include <algorithm>

#include "onefold/io/derived_reader.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_sample.hpp"
#include "onefold/io/time_text.hpp"

namespace onefold::io {
namespace {

class DerivedSource : public TableSource {
 public:
  explicit DerivedSource(std::shared_ptr<const Derivation> d) : d_(std::move(d)) {}
  std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype,
                                       Integers integers, Size piece_bytes) const override {
    return open_derived(file, d_, table, dtype, integers, piece_bytes);
  }
  const Table* text() const override { return text_of(d_->inner); }
  Size groups() const override {
    return d_->inner.source == nullptr ? 0 : d_->inner.source->groups();
  }
  std::shared_ptr<const TableSource> rows_of(const TextRange& range) const override {
    auto d = std::make_shared<Derivation>(*d_);
    d->inner = io::rows_of(d_->inner, range);
    return std::make_shared<DerivedSource>(std::move(d));
  }

 private:
  std::shared_ptr<const Derivation> d_;
};

// Makes an expression of a column that a file's path spells.
Let let_of(const PathColumn& column) {
  const Kind kind = column.number ? Kind::number : Kind::text;
  Values value{.kind = kind, .constant = true, .whole = true};
  value.resize(1);
  value.null[0] = !column.text;
  if (column.number) value.numbers[0] = column.value;
  if (!column.number && column.text) value.texts[0] = *column.text;
  return {column.name, {.kind = kind, .value = std::move(value)}, {}};
}

// Returns a list of columns without the names that --let gives.
std::string without_lets(const std::string& list, const std::vector<Let>& lets) {
  std::string others;
  for (const ListWord& word : words_of_list(list)) {
    if (std::ranges::find(lets, word.text, &Let::name) != lets.end()) continue;
    others += (others.empty() ? "" : ",") + (word.quoted ? list_of_names({word.text}) : word.text);
  }
  return others;
}

// Returns the names that an expression compares with other names, as in city == Oslo.
std::vector<std::string> compared(const Node& node) {
  std::vector<std::string> names;
  const auto is_name = [](const Node& part) { return part.what == Node::What::column; };
  const bool compares = std::string_view("== != < <= > >=").find(node.name) != node.name.npos;
  if (compares && node.what == Node::What::call && std::ranges::all_of(node.parts, is_name)) {
    for (const Node& part : node.parts) names.push_back(part.name);
  }
  for (const Node& part : node.parts) {
    for (std::string& name : compared(part)) names.push_back(std::move(name));
  }
  return names;
}

// Makes a derived table step by step.
class DerivedTableMaker {
 public:
  DerivedTableMaker(const File& file, const InputOptions& options, bool text, const FindTable& find)
      : file_(file), options_(options), find_(find), d_(std::make_shared<Derivation>()) {
    d_->without_nan = options.without_nan;
    integers_ = options.dtype == DType::i64 || options.dtype == DType::u64;
    d_->decimals = text && (!options.dtype || integers_);
  }

  Table run() {
    if (options_.dtype && *options_.dtype != DType::f64 && !integers_) {
      file_.fail(ErrorCode::bad_option,
                 "--where and --let support only the types f64, i64 and u64; leave --dtype out");
    }
    std::vector<Let> lets;
    if (!options_.let.empty()) lets = parse_lets("let", options_.let);
    std::vector<std::string> names;
    if (!options_.choose.empty()) d_->where = parse_expression("where", options_.choose, names);
    look(lets, names);
    for (const PathColumn& column : options_.path) {
      Let let = let_of(column);
      if (std::ranges::find(all_.columns, let.name, &Column::name) == all_.columns.end()) add(let);
    }
    own_ = all_.columns.size();
    for (Let& let : lets) add(let);
    if (d_->where) {
      bind_one(*d_->where, "--where");
      if (d_->where->kind != Kind::truth) {
        file_.fail(
            ErrorCode::bad_option,
            "--where must be true or false for each row; write a comparison, such as qty > 5");
      }
    }
    Table table = outer();
    open_inner(table);
    table.source = std::make_shared<DerivedSource>(d_);
    table.derived = true;
    return table;
  }

 private:
  // Finds all columns of the table, and which of them hold numbers.
  void look(const std::vector<Let>& lets, std::vector<std::string> names) {
    InputOptions own = options_;
    own.choose.clear(), own.let.clear(), own.path.clear(), own.without_nan = false;
    own.looks = true;
    own.counts = false;
    take_all_digits(own);
    for (const Let& let : lets) names.insert(names.end(), let.names.begin(), let.names.end());
    own.columns += (own.columns.empty() || names.empty() ? "" : ",") + list_of_names(names);
    own.columns = without_lets(own.columns, lets);
    own.by = without_lets(own.by, lets);
    std::optional<Table> found = find_(own);
    if (!found)
      file_.fail(ErrorCode::bad_option, "--where and --let need a table, but this file is not one");
    all_ = std::move(*found);
    if (all_.columns.empty()) {
      if (!own.by.empty()) columns_of(file_, own.by, all_);  // names the key
      file_.fail(ErrorCode::bad_token, "it is empty, so it has no columns");
    }
    header_ = all_.header;
    all_.header = true;  // names columns without a name by their numbers
    d_->base = all_.columns.size();
    d_->numbers.resize(d_->base);
    texts_.resize(d_->base);
    for (const Column& c : all_.columns) {
      const bool truth = c.fields == Fields::truths || c.stored == DType::boolean;
      d_->kinds.push_back(c.text ? Kind::text : truth ? Kind::truth : Kind::number);
      const bool integers = c.spelt || (c.stored && !is_floating(*c.stored));
      d_->whole.push_back(options_.dtype == DType::f64 ? false : d_->decimals || integers);
    }
  }

  // Integers of any length are read, as numbers with terms.
  void take_all_digits(InputOptions& own) const {
    own.spells = true;
    if (integers_) own.dtype.reset();
  }

  void add(Let& let) {
    for (const Column& c : all_.columns) {
      if (c.name != let.name) continue;
      if (let.node.what == Node::What::constant && io::is_number(let.name, Table())) {
        file_.fail(ErrorCode::bad_option,
                   let.name + " is a number here, but also the name of a column; write `" +
                       let.name + "` for the column");
      }
      file_.fail(ErrorCode::bad_option,
                 "--let: the table already has a column " + let.name + "; choose another name");
    }
    bind_one(let.node, "--let " + let.name);
    const Values& value = let.node.value;
    const bool null = value.constant && value.null[0] != 0;
    all_.columns.push_back({.name = let.name,
                            .text = let.node.kind == Kind::text,
                            .type = std::string(null ? all_null : "")});
    d_->kinds.push_back(let.node.kind);
    d_->lets.push_back(std::move(let.node));
  }

  void bind_one(Node& node, const std::string& option) {
    bind_columns(node, option, [&](const std::string& name) -> Named {
      const std::size_t k = column_of(name, node);
      return {k, d_->kinds[k], k < d_->base, is_time_type(all_.columns[k].type)};
    });
    note_columns(node);
  }
  // Finds a column of an expression. A name that is compared and not found is often a text without
  // quotes.
  std::size_t column_of(const std::string& name, const Node& expression) const {
    try {
      return columns_of(file_, list_of_names({name}), all_)[0];
    } catch (const Error& e) {
      const std::string message = e.what();
      const std::vector<std::string> names = compared(expression);
      const bool hinted = message.find("did you mean") != message.npos;
      if (hinted || std::ranges::find(names, name) == names.end()) throw;
      throw Error(e.code(), message + "; if it is a text, quote it: '" + name + "'");
    }
  }
  void note_columns(const Node& node) {
    for (const Node& part : node.parts) note_columns(part);
    if (node.what != Node::What::column || node.column >= d_->base) return;
    const bool text = node.reads != Reads::value || node.kind == Kind::text;
    (text ? texts_ : d_->numbers)[node.column] = true;
  }

  bool is_number(std::size_t k) const {
    return k < d_->base ? all_.columns[k].slot >= 0 : d_->kinds[k] != Kind::text;
  }

  Table outer() const {
    Table table = all_;
    table.header = header_;
    table.chosen = !options_.columns.empty();
    table.insists = table.chosen && !options_.describes;
    table.folded.clear(), table.left_out.clear();
    for (Column& c : table.columns) {
      c.slot = -1;
      c.fields = options_.counts ? Fields::something : Fields::numbers;
      c.spelt &= !options_.counts && !integers_ && (options_.spells || !c.stored);
    }
    if (!options_.by.empty()) table.by = columns_of(file_, options_.by, all_);
    if (table.chosen) {
      for (const std::size_t k : columns_of(file_, options_.columns, all_)) {
        if (k >= d_->base && !is_number(k) && !options_.counts) {
          file_.fail(ErrorCode::bad_option,
                     "column " + all_.columns[k].name +
                         " holds text that --let computes; such a column can only be used in --by");
        }
        choose_column(table, k);
      }
      tell_names_apart(table);
      return table;
    }
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (std::find(table.by.begin(), table.by.end(), k) != table.by.end()) continue;
      // Columns of the path are folded only if they are named
      if (k >= d_->base && k < own_) continue;
      if (options_.counts || is_number(k)) {
        choose_column(table, k);
      } else if (k < d_->base) {
        table.left_out.push_back(all_.columns[k].name);
      }
    }
    if (options_.counts && table.folded.empty() && !table.by.empty()) {
      choose_column(table, table.by[0]);
      table.columns[table.by[0]].fields = Fields::rows;
    }
    if (table.folded.empty() && !options_.describes) refuse_no_numbers(file_, table.left_out);
    tell_names_apart(table);
    return table;
  }

  // Opens the table with the columns that are folded or that expressions need.
  void open_inner(const Table& table) {
    InputOptions own = options_;
    own.choose.clear(), own.let.clear(), own.path.clear(), own.columns.clear(), own.by.clear();
    own.without_nan = false;
    own.missing_is_nan = false;
    take_all_digits(own);
    own.members = all_.members;
    own.header = header_ ? Header::yes : Header::no;
    const std::vector<std::string> words = words_for(all_);
    const auto append = [&](std::string& list, std::size_t k) {
      list += (list.empty() ? "" : ",") + (header_ ? words[k] : std::to_string(k + 1));
    };
    for (std::size_t k = 0; k < d_->base; ++k) {
      const bool key = std::find(table.by.begin(), table.by.end(), k) != table.by.end();
      const bool folded = table.columns[k].slot >= 0 && table.columns[k].fields != Fields::rows;
      if (d_->numbers[k] || folded) append(own.columns, k);
      if (texts_[k] || key) append(own.by, k);
    }
    if (own.columns.empty()) {
      own.counts = true;
      std::size_t any = 0;
      while (any + 1 < d_->base && !texts_[any]) ++any;
      append(own.columns, texts_[any] ? any : 0);
    }
    d_->inner = *find_(own);
    d_->inner.chosen = table.chosen;
    d_->inner.insists = table.insists;
    for (std::size_t k = 0; k < d_->base; ++k) {
      Column& c = d_->inner.columns[k];
      if (c.slot < 0) continue;
      const Fields seen = all_.columns[k].fields;
      if (d_->numbers[k]) {
        c.fields = seen == Fields::unknown ? Fields::numbers : seen;
        c.spelt = all_.columns[k].spelt;  // counts alone need no digits, but comparisons do
      } else if (!table.chosen && seen == Fields::unknown && c.fields == Fields::numbers) {
        c.fields = Fields::unknown;
      } else if (options_.counts && !table.chosen && !all_.columns[k].text) {
        c.fields = Fields::values;
      }
    }
  }

  const File& file_;
  const InputOptions& options_;
  const FindTable& find_;
  std::shared_ptr<Derivation> d_;
  Table all_;
  bool header_ = false;
  bool integers_ = false;    // --dtype is i64 or u64
  std::size_t own_ = 0;      // columns of the table and its path; those of --let follow
  std::vector<bool> texts_;  // columns that an expression takes as text
};

}  // namespace

Table derived_table(const File& file, const InputOptions& options, bool text,
                    const FindTable& find) {
  return DerivedTableMaker(file, options, text, find).run();
}

}  // namespace onefold::io
