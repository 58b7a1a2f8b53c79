#include "onefold/tables/aggregate_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/tables/aggregate_ops.hpp"
#include "onefold/tables/column_kinds.hpp"
#include "onefold/tables/text_fold.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::io {
namespace {

using Walk = CallFamily::Walk;

bool is_plain_column(const Node& node) { return node.what == Node::What::column; }

class Planner {
 public:
  Planner(const std::vector<std::string>& files, const FileRequest& asked)
      : kinds_(files, asked.input),
        ops_(ops_of_calls()),
        streams_(std::ranges::any_of(files, is_stream)) {
    plan_.request = asked;
    plan_.request.order = {};
    plan_.table = kinds_.table();
  }

  AggregatePlan run(const std::string& list, const std::string& having) {
    if (!plan_.request.input.columns.empty())
      refuse_call("the calls already name the columns; leave --columns out");
    make_keys();
    keys_ = kinds_.names_of(plan_.request.input.by);
    for (Item& item : parse_items("agg", list, ops_, calls_)) {
      own_ops(calls_);
      add_item(item);
    }
    if (!having.empty()) {
      std::vector<Item> items = parse_items("--having", having, ops_, calls_);
      own_ops(calls_);
      if (items.size() != 1) refuse_call("--having must be one expression: A and B");
      name_keys(items[0].node);
      add_operands(items[0].node, "--having");
      plan_.having = std::move(items[0].node);
    }
    // Totals of all rows need groups that have them.
    const auto whole = [](const PlannedCall& call) { return call.whole || call.expression; };
    if (std::ranges::all_of(plan_.calls, whole)) add({.op = "count", .name = "count()"}, "", false);
    if (kinds_.of_words() && names_column()) plan_.request.input.header = Header::yes;
    return std::move(plan_);
  }

 private:
  // Whether a call or key has a name of the first line, which so is a header.
  bool names_column() const {
    const auto named = [&](const Node& n) { return is_plain_column(n) && kinds_.has(n.name); };
    const auto in_call = [&](const OpCall& call) {
      return std::ranges::any_of(call.parts,
                                 [&](const OpCall::Part& part) { return named(part.node); });
    };
    const std::string& by = plan_.request.input.by;
    return (!by.empty() && kinds_.column_of(by)) || std::ranges::any_of(calls_, in_call);
  }

  // Makes columns of the expressions of --by.
  void make_keys() {
    std::string& by = plan_.request.input.by;
    const bool plain = by.find_first_of("(`") == by.npos;
    if (by.empty() || (plain && (!kinds_.table() || kinds_.column_of(by)))) return;
    std::string words;
    for (const auto& [text, is_column] : kinds_.keys_of(by)) {
      words += (words.empty() ? "" : ",") + (is_column ? text : words_of_expressions(text));
    }
    by = words;
  }
  // Returns the words of expressions of --by, which become columns.
  std::string words_of_expressions(const std::string& list) {
    std::string words;
    std::vector<OpCall> none;
    for (const Item& item : parse_items("--by", list, {}, none)) {
      if (!has_column(item.node)) {
        throw Error(ErrorCode::bad_option,
                    "--by: " + item.text +
                        " is not the name of a column; write the name alone, or in double quotes");
      }
      const std::string word = word_of(item.text, item.node);
      if (!is_plain_column(item.node)) {
        key_expressions_.emplace_back(item.node, kinds_.names_of(word)[0]);
      }
      words += (words.empty() ? "" : ",") + word;
      add_let(plan_.request.input.let, word);
      lets_[word].clear();
    }
    return words;
  }

  static bool has_column(const Node& node) {
    return is_plain_column(node) || std::ranges::any_of(node.parts, has_column);
  }

  // Returns the word for --columns that means an expression, which may become a column.
  std::string word_of(const std::string& text, const Node& node) {
    if (node.what == Node::What::constant && node.kind == Kind::text) {
      refuse_call(text +
                  " is text, not a column; write a name alone, or in back quotes: `unit price`");
    }
    const bool constant = node.what == Node::What::constant;  // must not be a column's name, too
    if (!is_plain_column(node)) return column_of(constant ? text : kinds_.unused(text), text);
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
  // Names a column of an expression, which --let makes.
  std::string column_of(const std::string& name, const std::string& expression) {
    std::string quoted, word = list_of_names({name});
    for (const char c : name) quoted.append(c == '`' ? 2 : 1, c);
    lets_.emplace(word, "`" + quoted + "` = " + expression);
    return word;
  }
  // Adds the expression of a column to a family's or the keys' --let, unless it is there.
  void add_let(std::string& let, const std::string& word) const {
    const auto made = lets_.find(word);
    if (made == lets_.end() || made->second.empty()) return;
    let += (let.empty() ? "" : ", ") + made->second;
  }

  // Adds an item of the list: a call, an expression of calls, or either behind `name =`, which is
  // parsed as a comparison.
  void add_item(Item& item) {
    Node* node = &item.node;
    std::string label;
    if (node->what == Node::What::call && node->name == "==" && is_plain_column(node->parts[0])) {
      label = node->parts[0].name;
      node = &node->parts[1];
    }
    const OpCall* const call = is_plain_column(*node) ? call_named(node->name) : nullptr;
    if (call == nullptr && (node->what != Node::What::call || !has_call(*node))) {
      refuse_call(
          quote_text(item.text) +
          " is not of the form OP(COLUMN); write calls such as sum(price), separated by commas");
    }
    if (label.empty()) label = call != nullptr ? call->name : item.text;
    const auto same = [&](const PlannedCall& c) { return c.shown && c.label == label; };
    if (std::ranges::any_of(plan_.calls, same)) refuse_call(label + " is listed twice");
    if (call != nullptr) return add(*call, label, true);
    add_expression({.name = item.text, .label = label, .shown = true}, std::move(*node));
  }
  // Whether an expression has a call, or a name of an item before it.
  bool has_call(const Node& node) const {
    if (is_plain_column(node)) return call_named(node.name) != nullptr || is_planned(node.name);
    return std::ranges::any_of(node.parts, [&](const Node& part) { return has_call(part); });
  }

  const OpCall* call_named(const std::string& name) const {
    const auto call = std::ranges::find(calls_, name, &OpCall::name);
    return call == calls_.end() ? nullptr : &*call;
  }
  bool is_planned(const std::string& name) const {
    return std::ranges::any_of(plan_.calls, [&](const PlannedCall& call) {
      return call.name == name || call.label == name;
    });
  }

  void add_expression(PlannedCall planned, Node node) {
    add_operands(node, "agg");
    planned.expression = std::move(node);
    plan_.calls.push_back(std::move(planned));
  }
  // Makes columns of the expressions of --by, where --having has them, too.
  void name_keys(Node& node) const {
    for (const auto& [expression, name] : key_expressions_) {
      if (node != expression) continue;
      node = {.what = Node::What::column, .name = name};
      return;
    }
    for (Node& part : node.parts) name_keys(part);
  }
  // Plans the calls of an expression.
  void add_operands(const Node& node, const std::string& where) {
    for (const Node& part : node.parts) add_operands(part, where);
    if (!is_plain_column(node)) return;
    const auto same = [&](const PlannedCall& call) { return call.name == node.name; };
    if (std::ranges::any_of(plan_.calls, same)) return;
    if (const OpCall* const call = call_named(node.name)) return add(*call, call->name, false);
    if (is_planned(node.name)) return;
    const bool having = where == "--having";
    if (having && std::ranges::find(keys_, node.name) != keys_.end()) return;
    throw Error(ErrorCode::bad_option,
                where + ": " + node.name +
                    (having ? " is not known in --having; write OP(COLUMN), a name from the list "
                              "of calls, or a column of --by"
                            : " is not a call or the name of one; write OP(COLUMN), or a name from "
                              "the list of calls"));
  }

  void add(OpCall call, const std::string& label, bool shown) {
    PlannedCall planned{.name = call.name, .label = label, .shown = shown};
    if (!takes_call(call.op)) return plan(call, planned);
    const OpCall* const part = call.parts.size() == 1 && is_plain_column(call.parts[0].node)
                                   ? call_named(call.parts[0].node.name)
                                   : nullptr;
    if (part == nullptr || takes_call(part->op)) {
      refuse_call(call.name + ": " + call.op + " takes one call as its argument, such as " +
                  call.op + "(sum(price))");
    }
    if (call.op == "total") {
      planned.whole = !plan_.request.input.by.empty();
      return plan(*part, planned);
    }
    constexpr std::string_view adds_up[] = {"count", "count_nonzero", "norm1", "sum", "sumsq"};
    if (std::ranges::find(adds_up, part->op) == std::end(adds_up)) {
      refuse_call(call.name + ": answers of " + part->op + " cannot be added to a total; write " +
                  part->name + " / total(" + part->name + ")");
    }
    const OpCall total{.op = "total", .name = "total(" + part->name + ")", .parts = call.parts};
    if (call_named(total.name) == nullptr) calls_.push_back(total);
    Node node{.what = Node::What::call, .name = "/"};
    for (const std::string& name : {std::string(call.parts[0].node.name), total.name}) {
      node.parts.push_back({.what = Node::What::column, .name = name});
    }
    add_expression(std::move(planned), std::move(node));
  }

  void plan(OpCall call, PlannedCall planned) {
    std::optional<Quantile> quantile = quantile_named(call.op);
    const std::optional<Weights> weights = take_weights(call);
    if (weights && (quantile || call.op == "quantile" || is_end(call.op))) {
      refuse_call(call.name + ": " + call.op + " takes no " + weights->keyword);
    }
    std::size_t takes = 1;
    if (call.op == "quantile") {
      takes = 2;
      check_parts(call, takes);
      quantile = quantile_of(call);
    } else if (const bool texts = is_op_of_texts_alone(call.op);
               !quantile && !texts && !is_end(call.op)) {
      takes = Query(call.op).two_arrays() && !(weights && call.op == "average") ? 2 : 1;
    }
    if (call.op == "count" && call.parts.empty()) {
      // Counts ones, by a --let of its own: tables are read more slowly with it.
      const InputOptions& input = plan_.request.input;
      const bool again = std::ranges::any_of(
          plan_.families, [](const CallFamily& f) { return f.walk == Walk::rows; });
      if (again || (input.let.empty() && input.choose.empty() && !streams_)) {
        return place(planned, Walk::rows, call.op, list_of_names({kinds_.unused(call.name)}));
      }
      return place(planned, Walk::numbers, call.op, column_of(kinds_.unused("count()"), "1"));
    }
    check_parts(call, takes);
    if (weights) return plan_weighted(call, planned, *weights);
    plan_column(call, planned, quantile, takes);
  }

  void plan_column(const OpCall& call, PlannedCall planned, const std::optional<Quantile>& quantile,
                   std::size_t takes) {
    const OpCall::Part& part = call.parts[0];
    const std::string word = word_of(part.text, part.node);
    const std::string column = is_plain_column(part.node) ? name_of(word, part.node.name) : "";
    if (quantile) return place(planned, Walk::quantiles, call.op, word, quantile, integer(column));
    if (takes == 2) {
      return place_alone(planned,
                         {.walk = Walk::pair,
                          .ops = {call.op},
                          .columns = {word, word_of(call.parts[1].text, call.parts[1].node)}});
    }
    planned.number = is_end(call.op) && kinds_.is_number(column);
    planned.narrow = planned.number && kinds_.is_narrow(column);
    if (planned.number) planned.integer = kinds_.long_integer(column);
    if (is_end(call.op)) {
      const std::size_t k = plan_.calls.size();
      place(planned, Walk::ends, call.op, word);
      plan_.families[plan_.calls[k].family].numbers = planned.number;
      return;
    }
    const bool alone = is_op_of_texts_alone(call.op),
               text = !alone && kinds_.is_text(column, call.op == "count"),
               of_texts = alone || (text && (call.op == "min" || call.op == "max"));
    const bool time = !of_texts && kinds_.is_time(column) && folds_times(find_op(call.op));
    const Walk walk = of_texts                     ? Walk::texts
                      : time                       ? Walk::times
                      : text && call.op == "count" ? Walk::counts
                                                   : Walk::numbers;
    place(planned, walk, call.op, word, {}, walk == Walk::numbers ? integer(column) : std::nullopt);
  }

  // Returns the type of a column that is folded as integers, whatever other columns are. No integer
  // is the NaN that a NaN policy makes of a missing value.
  std::optional<DType> integer(const std::string& column) const {
    const InputOptions& o = plan_.request.input;
    const bool numbers = o.dtype || o.missing_is_nan;
    return numbers || o.peers != nullptr ? std::nullopt : kinds_.long_integer(column);
  }

  // The last part of mean(price, weights = qty).
  struct Weights {
    std::string keyword;  // weights, fweights
    OpCall::Part column;
  };
  static std::optional<Weights> take_weights(OpCall& call) {
    if (call.parts.size() < 2) return {};
    const OpCall::Part& last = call.parts.back();
    if (last.node.what != Node::What::call || last.node.name != "==") return {};
    const std::string keyword = last.node.parts[0].name;
    if (keyword != "weights" && keyword != "fweights") return {};
    std::string text = last.text.substr(last.text.find('=') + 1);
    text.erase(0, text.find_first_not_of("= "));
    Weights weights{keyword, {text, last.node.parts[1]}};
    call.parts.pop_back();
    return weights;
  }
  void plan_weighted(const OpCall& call, const PlannedCall& planned, const Weights& weights) {
    CallFamily family{.walk = weights.keyword == "weights" ? Walk::weighted : Walk::repeated,
                      .ops = {call.op},
                      .columns = {}};
    for (const OpCall::Part& part : call.parts) {
      family.columns.push_back(word_of(part.text, part.node));
    }
    family.weights = word_of(weights.column.text, weights.column.node);
    if (std::ranges::find(family.columns, family.weights) != family.columns.end()) {
      refuse_call(call.name + ": its column cannot be its own weights; write " + call.op + "(x, " +
                  weights.keyword + " = w)");
    }
    if (call.op == "average") {  // a pair, which takes one pass in bounded memory
      family = {
          .walk = Walk::pair, .ops = {call.op}, .columns = {family.columns[0], family.weights}};
    }
    place_alone(planned, family);
  }

  // Adds a call to the family that can answer it. Each column has its own for texts, times and
  // ends.
  void place(PlannedCall call, Walk walk, const std::string& op, const std::string& word,
             const std::optional<Quantile>& quantile = {}, std::optional<DType> dtype = {}) {
    const bool own = walk == Walk::texts || walk == Walk::times || walk == Walk::ends;
    const auto fits = [&](const CallFamily& f) {
      return f.walk == walk && f.whole == call.whole && f.dtype == dtype &&
             (!own || f.columns[0] == word);
    };
    auto family = std::ranges::find_if(plan_.families, fits);
    if (family == plan_.families.end()) {
      plan_.families.push_back(
          {.walk = walk, .ops = {}, .columns = {}, .whole = call.whole, .dtype = dtype});
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
    const std::size_t before = family->columns.size();
    call.column = at(family->columns, word);
    if (call.column == before) add_let(family->let, word);
    add_let(call.let, word);
    if (quantile && call.op == family->quantiles.size()) family->quantiles.push_back(*quantile);
    plan_.calls.push_back(std::move(call));
  }
  // Adds a call with a family of its own.
  void place_alone(PlannedCall call, CallFamily family) {
    family.whole = call.whole;
    std::set<std::string> words(family.columns.begin(), family.columns.end());
    words.insert(family.weights);
    for (const std::string& word : words) add_let(family.let, word);
    call.family = plan_.families.size();
    plan_.families.push_back(std::move(family));
    plan_.calls.push_back(std::move(call));
  }

  AggregatePlan plan_;
  std::vector<OpCall> calls_;                                  // each call once
  std::vector<std::string> keys_;                              // the names of the keys
  std::vector<std::pair<Node, std::string>> key_expressions_;  // with their names
  ColumnKinds kinds_;
  std::vector<std::string> ops_;
  bool streams_;  // a file is a pipe, which is read once
  // `name` = expression, by the word of its column; empty: of a key, which all families have
  std::map<std::string, std::string> lets_;
};

}  // namespace

AggregatePlan plan_aggregate(const std::string& list, const std::string& having,
                             const std::vector<std::string>& files, const FileRequest& asked) {
  return Planner(files, asked).run(list, having);
}

}  // namespace onefold::io
