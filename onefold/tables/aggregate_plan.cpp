#include "onefold/tables/aggregate_plan.hpp"

#include <algorithm>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/text_fold.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::io {
namespace {

using Walk = CallFamily::Walk;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::bad_option, "agg: " + why);
}

// Returns the quantile that an op's name means: median, p1 to p99.
std::optional<Quantile> quantile_named(const std::string& op) {
  if (op == "median") return Quantile{{}, op};
  if (op.size() < 2 || op.size() > 3 || op[0] != 'p' || op[1] == '0') return {};
  if (op.find_first_not_of("0123456789", 1) != op.npos) return {};
  Quantile quantile = read_quantile("0." + std::string(3 - op.size(), '0') + op.substr(1));
  quantile.name = op;
  return quantile;
}

std::vector<std::string> names_of_ops() {
  std::vector<std::string> names{"first", "last", "median", "quantile"};
  for (const OpRow& op : op_rows()) names.emplace_back(op.name);
  for (int p = 1; p < 100; ++p) names.push_back("p" + std::to_string(p));
  for (const std::string& op : comma_list(text_ops())) names.push_back(op);
  return names;
}

bool is_plain_column(const Node& node) { return node.what == Node::What::column; }

// What the columns of the first file hold. Those of --let and of a pipe are taken for numbers.
class ColumnKinds {
 public:
  ColumnKinds(const std::vector<std::string>& files, const InputOptions& input) {
    if (files.empty() || is_stream(files[0])) return;
    InputOptions looks = input;
    looks.choose.clear(), looks.let.clear(), looks.by.clear(), looks.columns.clear();
    looks.looks = true;
    OpenFile file;
    try {
      file = open_file(files[0], looks, false);
    } catch (const Error&) {
      return;  // the fold will report the error
    }
    if (file.table == nullptr) {
      file.file->fail(ErrorCode::unsupported, "agg folds columns of tables, and this is none");
    }
    table_ = file.table;
    file_ = std::move(file);
  }
  const std::shared_ptr<const Table>& table() const { return table_; }
  // Returns the column that a word of --columns means; nothing if the table has none.
  std::optional<std::size_t> column_of(const std::string& word) const {
    if (table_ == nullptr) return {};
    try {
      return columns_of(*file_.file, word, *table_)[0];
    } catch (const Error&) {
      return {};  // of --let, or the fold will report the error
    }
  }
  bool is_number(const std::string& name) const {
    const Column* const c = column(name);
    return c != nullptr && !c->text && !is_time_type(c->type);
  }
  bool is_narrow(const std::string& name) const {
    const Column* const c = column(name);
    return c != nullptr && c->stored && is_floating(*c->stored) && *c->stored != DType::f64;
  }
  bool is_text(const std::string& name) const {
    const Column* const c = column(name);
    // Long integers are no texts of their own.
    return c != nullptr && c->text && !is_time_type(c->type) &&
           std::ranges::find(table_->left_out, name + beyond_f64) == table_->left_out.end();
  }
  bool is_time(const std::string& name) const {
    const Column* const c = column(name);
    return c != nullptr && is_time_type(c->type);
  }

 private:
  const Column* column(const std::string& name) const {
    if (table_ == nullptr) return nullptr;
    const auto found = std::ranges::find(table_->columns, name, &Column::name);
    return found == table_->columns.end() ? nullptr : &*found;
  }
  std::shared_ptr<const Table> table_;
  OpenFile file_;
};

class Planner {
 public:
  Planner(const std::vector<std::string>& files, const FileRequest& asked)
      : kinds_(files, asked.input),
        ops_(names_of_ops()),
        streams_(std::ranges::any_of(files, is_stream)) {
    plan_.request = asked;
    plan_.request.order = {};
    plan_.table = kinds_.table();
  }

  AggregatePlan run(const std::string& list, const std::string& having) {
    if (!plan_.request.input.columns.empty())
      refuse("its calls name the columns; leave --columns out");
    make_keys();
    std::vector<OpCall> calls;
    for (Item& item : parse_items("agg", list, ops_, calls)) add_item(item, calls);
    if (!having.empty()) {
      std::vector<Item> items = parse_items("--having", having, ops_, calls);
      if (items.size() != 1) refuse("--having is one expression; write and between several");
      for (const OpCall& call : calls) {
        if (!is_planned(call.name)) add(call, call.name, false);
      }
      plan_.having = std::move(items[0].node);
    }
    return std::move(plan_);
  }

 private:
  // Makes columns of the expressions of --by.
  void make_keys() {
    std::string& by = plan_.request.input.by;
    if (by.find('(') == by.npos) return;
    std::vector<OpCall> none;
    std::string words;
    for (const Item& item : parse_items("--by", by, {}, none)) {
      words += (words.empty() ? "" : ",") + word_of(item.text, item.node);
    }
    by = words;
  }

  // Returns the word for --columns that means an expression, which may become a column.
  std::string word_of(const std::string& text, const Node& node) {
    if (node.what == Node::What::constant && node.kind == Kind::text) {
      refuse(text + " is a text; write a column as it is called, or in back quotes: `unit price`");
    }
    if (!is_plain_column(node)) return column_of(text, text);
    // Without a header, columns are called by their numbers.
    const bool digits = node.name.find_first_not_of("0123456789") == node.name.npos;
    const std::string word = digits ? node.name : list_of_names({node.name});
    // A column has one word, even if it is called by its name and by its place.
    const auto column = kinds_.column_of(word);
    return column ? words_for(*kinds_.table())[*column] : word;
  }
  std::string name_of(const std::string& word, const std::string& name) const {
    const auto column = kinds_.column_of(word);
    return column ? kinds_.table()->columns[*column].name : name;
  }
  // Makes a column of an expression by --let.
  std::string column_of(const std::string& name, const std::string& expression) {
    std::string quoted;
    for (const char c : name) quoted.append(c == '`' ? 2 : 1, c);
    if (std::ranges::find(lets_, name) == lets_.end()) {
      std::string& let = plan_.request.input.let;
      let += (let.empty() ? "`" : ", `") + quoted + "` = " + expression;
      lets_.push_back(name);
    }
    return list_of_names({name});
  }

  // Adds a call of the list, or `name = call`, which is parsed as a comparison.
  void add_item(const Item& item, const std::vector<OpCall>& calls) {
    const Node* node = &item.node;
    std::string label;
    if (node->what == Node::What::call && node->name == "==" && is_plain_column(node->parts[0])) {
      label = node->parts[0].name;
      node = &node->parts[1];
    }
    const auto call = std::ranges::find(calls, node->name, &OpCall::name);
    if (!is_plain_column(*node) || call == calls.end()) {
      refuse(quote_text(item.text) +
             " is no call of an op; write OP(COLUMN), such as sum(price), "
             "with commas between several");
    }
    if (label.empty()) label = call->name;
    if (std::ranges::find(plan_.calls, label, &PlannedCall::label) != plan_.calls.end()) {
      refuse(label + " was asked for twice");
    }
    add(*call, label, true);
  }

  bool is_planned(const std::string& name) const {
    return std::ranges::find(plan_.calls, name, &PlannedCall::name) != plan_.calls.end();
  }

  void add(const OpCall& call, const std::string& label, bool shown) {
    PlannedCall planned{.name = call.name, .label = label, .shown = shown};
    std::optional<Quantile> quantile = quantile_named(call.op);
    std::size_t takes = 1;
    if (call.op == "quantile") {
      takes = 2;
      check_parts(call, takes);
      quantile = read_quantile(call.parts[1].text);
    } else if (const bool texts = is_op_of_texts_alone(call.op);
               !quantile && !texts && !is_end(call.op)) {
      takes = Query(call.op).two_arrays() ? 2 : 1;
    }
    if (call.op == "count" && call.parts.empty()) {
      // Counts ones. Beside their column, others of long integers would be rounded or refused.
      const InputOptions& input = plan_.request.input;
      const bool again = std::ranges::any_of(
          plan_.families, [](const CallFamily& f) { return f.walk == Walk::rows; });
      if (again || (input.let.empty() && input.choose.empty() && !streams_)) {
        return place(planned, Walk::rows, call.op, list_of_names({"count()"}));
      }
      return place(planned, Walk::numbers, call.op, column_of("count()", "1"));
    }
    check_parts(call, takes);
    const OpCall::Part& part = call.parts[0];
    const std::string word = word_of(part.text, part.node);
    const std::string column = is_plain_column(part.node) ? name_of(word, part.node.name) : "";
    if (quantile) return place(planned, Walk::quantiles, call.op, word, quantile);
    if (takes == 2) {
      plan_.families.push_back(
          {Walk::pair, {call.op}, {word, word_of(call.parts[1].text, call.parts[1].node)}});
      planned.family = plan_.families.size() - 1;
      plan_.calls.push_back(planned);
      return;
    }
    planned.number = is_end(call.op) && kinds_.is_number(column);
    planned.narrow = planned.number && kinds_.is_narrow(column);
    if (is_end(call.op)) {
      place(planned, Walk::ends, call.op, word);
      plan_.families[planned.family].numbers = planned.number;
      return;
    }
    const bool text = kinds_.is_text(column);
    const bool of_texts =
        is_op_of_texts_alone(call.op) || (text && (call.op == "min" || call.op == "max"));
    const bool time = !of_texts && kinds_.is_time(column) && folds_times(find_op(call.op));
    place(planned,
          of_texts                     ? Walk::texts
          : time                       ? Walk::times
          : text && call.op == "count" ? Walk::counts
                                       : Walk::numbers,
          call.op, word);
  }

  static bool is_op_of_texts_alone(const std::string& op) {
    const std::vector<std::string> texts = comma_list(text_ops());
    const auto is_row = [&](const OpRow& row) { return op == row.name; };
    return std::ranges::find(texts, op) != texts.end() && std::ranges::none_of(op_rows(), is_row);
  }

  static bool is_end(const std::string& op) { return op == "first" || op == "last"; }

  static void check_parts(const OpCall& call, std::size_t takes) {
    if (call.parts.size() == takes) return;
    refuse(call.name + ": " + call.op + " takes " + (takes == 1 ? "one column" : "two columns") +
           (call.op == "quantile" ? ", or a column and a number from 0 to 1" : ""));
  }

  // Adds a call to the family that can answer it. Each column has its own for texts, times and
  // ends.
  void place(PlannedCall& call, Walk walk, const std::string& op, const std::string& word,
             const std::optional<Quantile>& quantile = {}) {
    const bool own = walk == Walk::texts || walk == Walk::times || walk == Walk::ends;
    const auto fits = [&](const CallFamily& f) {
      return f.walk == walk && (!own || f.columns[0] == word);
    };
    auto family = std::ranges::find_if(plan_.families, fits);
    if (family == plan_.families.end()) {
      plan_.families.push_back({walk, {}, {}});
      family = plan_.families.end() - 1;
    }
    const auto at = [](std::vector<std::string>& names, const std::string& name) {
      const auto found = std::ranges::find(names, name);
      const auto k = static_cast<std::size_t>(found - names.begin());
      if (k == names.size()) names.push_back(name);
      return k;
    };
    call.family = static_cast<std::size_t>(family - plan_.families.begin());
    call.op = at(family->ops, quantile ? quantile->name : op);
    call.column = at(family->columns, word);
    if (quantile && call.op == family->quantiles.size()) family->quantiles.push_back(*quantile);
    plan_.calls.push_back(call);
  }

  AggregatePlan plan_;
  ColumnKinds kinds_;
  std::vector<std::string> ops_;
  bool streams_;                   // a file is a pipe, which is read once
  std::vector<std::string> lets_;  // the names of the expressions that are columns
};

}  // namespace

AggregatePlan plan_aggregate(const std::string& list, const std::string& having,
                             const std::vector<std::string>& files, const FileRequest& asked) {
  return Planner(files, asked).run(list, having);
}

}  // namespace onefold::io
