#include "onefold/io/expression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "onefold/engine/plan/nearest.hpp"
#include "onefold/error.hpp"
#include "onefold/io/character.hpp"
#include "onefold/io/expression_functions.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {
namespace {

constexpr int most_depth = 100;

struct Word {
  enum class Is : uint8_t { end, name, quoted_name, number, text, sign } is = Is::end;
  std::string text = {};
  Values number = {};
  std::size_t at = 0;
};

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

class Parser {
 public:
  Parser(std::string option, std::string_view text, std::vector<std::string>& names)
      : option_(std::move(option)), text_(text), names_(&names) {
    next();
  }

  Node all() {
    Node node = either();
    if (word_.is != Word::Is::end) unexpected();
    return node;
  }

  std::vector<Item> items(const std::vector<std::string>& ops, std::vector<OpCall>& calls) {
    ops_ = all_ops_ = ops.empty() ? nullptr : &ops;
    calls_ = &calls;
    std::vector<Item> list;
    do {
      const std::size_t from = word_.at;
      Node node = either();
      list.push_back({text_from(from), std::move(node)});
    } while (takes(","));
    if (word_.is != Word::Is::end) unexpected();
    return list;
  }

  std::vector<Let> lets() {
    std::vector<Let> list;
    do {
      Let let;
      if (!is_name()) fail("write name = expression; separate several with commas");
      let.name = word_.text;
      next();
      take("=");
      names_ = &let.names;
      let.node = either();
      list.push_back(std::move(let));
    } while (takes(","));
    if (word_.is != Word::Is::end) unexpected();
    return list;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::bad_option,
                option_ + " " + quote({text_.data(), text_.data() + text_.size()}) + ": " + why);
  }
  [[noreturn]] void unexpected() const {
    if (word_.is == Word::Is::end) fail("it ends too early; complete it");
    const std::string_view rest = text_.substr(word_.at);
    fail("it cannot be understood from " + quote({rest.data(), rest.data() + rest.size()}) + " on" +
         quantile_hint(rest));
  }
  // Returns what p99.9(x) means, for the message about its rest, ".9(x)".
  std::string quantile_hint(std::string_view rest) const {
    const auto digits = [](std::string_view text, std::size_t from) {
      return text.substr(from, text.find_first_not_of("0123456789", from) - from);
    };
    const std::string_view before = text_.substr(0, word_.at);
    const std::size_t p = before.rfind('p');
    if (all_ops_ == nullptr || p == before.npos || !rest.starts_with('.')) return {};
    const std::string_view whole = digits(before, p + 1), part = digits(rest, 1);
    const std::size_t open = part.size() + 1, close = rest.find(')');
    if (whole.empty() || whole.size() > 2 || p + 1 + whole.size() != before.size()) return {};
    if (part.empty() || open >= rest.size() || rest[open] != '(' || close == rest.npos) return {};
    return "; write quantile(" + std::string(rest.substr(open + 1, close - open - 1)) + ", 0." +
           (whole.size() == 1 ? "0" : "") + std::string(whole) + std::string(part) + ")";
  }

  void next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    word_ = {.at = at_};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (c == '"' || c == '\'' || c == '`') return read_quoted(c);
    if (begins_name(c)) {
      while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
      word_.is = Word::Is::name;
    } else if (is_digit(c) || c == '.') {
      return read_number();
    } else {
      word_.is = Word::Is::sign;
      const std::string_view two = text_.substr(at_, 2);
      constexpr std::string_view long_ones[] = {"==", "!=", "<>", "<=", ">=", "&&", "||", "**"};
      at_ += std::ranges::find(long_ones, two) != std::end(long_ones) ? 2 : 1;
    }
    word_.text = text_.substr(word_.at, at_ - word_.at);
  }
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void read_quoted(char mark) {
    word_.is = mark == '`' ? Word::Is::quoted_name : Word::Is::text;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == mark) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != mark) {
          ++at_;
          return;
        }
        ++at_;
      }
      word_.text += text_[at_];
    }
    fail("a quote is not closed");
  }
  void read_number() {
    std::size_t end = text_.find_first_not_of("0123456789.", at_);
    if (end != text_.npos && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t sign =
          end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+');
      end = text_.find_first_not_of("0123456789", end + 1 + sign);
    }
    end = std::min(end, text_.size());
    word_.is = Word::Is::number;
    const std::string digits(text_.substr(at_, end - at_));
    const std::optional<std::string> why = read_constant(digits, option_ == "expr", word_.number);
    if (why) fail(digits + *why);
    at_ = end;
  }

  bool is_name() const { return word_.is == Word::Is::name || word_.is == Word::Is::quoted_name; }
  bool is(std::string_view what) const {
    return word_.text == what && (word_.is == Word::Is::sign || word_.is == Word::Is::name);
  }
  bool takes(std::string_view what) {
    if (!is(what)) return false;
    next();
    return true;
  }
  void take(std::string_view what) {
    if (!takes(what)) unexpected();
  }

  static Node call(std::string name, std::vector<Node> parts) {
    return {.what = Node::What::call, .name = std::move(name), .parts = std::move(parts)};
  }
  static Node constant(Kind kind, double number, std::string text) {
    Node node{.kind = kind};
    node.value = {.kind = kind, .null = {0}, .constant = true};
    if (kind == Kind::text) {
      node.value.texts = {std::move(text)};
    } else {
      node.value.numbers = {number};
    }
    return node;
  }

  // Parses operators of one precedence, from left to right.
  using Level = Node (Parser::*)();
  Node chain(Level below,
             std::initializer_list<std::pair<std::string_view, std::string_view>> ops) {
    Node left = (this->*below)();
    for (;;) {
      const auto* const op = std::ranges::find_if(ops, [&](const auto& o) { return is(o.first); });
      if (op == ops.end()) return left;
      next();
      if (++operators_ > most_operators) fail(too_many);
      std::vector<Node> parts;
      parts.push_back(std::move(left));
      parts.push_back((this->*below)());
      left = call(std::string(op->second), std::move(parts));
    }
  }

  Node either() {
    if (++depth_ > most_depth) fail("it is nested too deeply");
    Node node = chain(&Parser::both, {{"or", "or"}, {"||", "or"}});
    --depth_;
    return node;
  }
  Node both() { return chain(&Parser::negation, {{"and", "and"}, {"&&", "and"}}); }
  Node negation() {
    bool negative = false;
    while (takes("not") || takes("!")) negative = !negative;
    Node node = comparison();
    return negative ? call("not", {std::move(node)}) : node;
  }
  Node comparison() {
    Node left = sum();
    const bool negative = takes("not");
    if (negative && !is("in")) unexpected();
    if (takes("is")) {
      const bool there = takes("not");
      take("null");
      Node node = call("is null", {std::move(left)});
      return there ? call("not", {std::move(node)}) : node;
    }
    if (takes("in")) {
      std::vector<Node> parts;
      parts.push_back(std::move(left));
      take("(");
      do {
        parts.push_back(signed_part());
        if (parts.back().what != Node::What::constant)
          fail("in (...) accepts only constants, such as 5 or 'Oslo'");
      } while (takes(","));
      take(")");
      Node node = call("in", std::move(parts));
      return negative ? call("not", {std::move(node)}) : node;
    }
    constexpr std::pair<std::string_view, std::string_view> ops[] = {
        {"==", "=="}, {"=", "=="}, {"!=", "!="}, {"<>", "!="},
        {"<=", "<="}, {"<", "<"},  {">=", ">="}, {">", ">"}};
    for (const auto& [sign, name] : ops) {
      if (!takes(sign)) continue;
      std::vector<Node> parts;
      parts.push_back(std::move(left));
      parts.push_back(sum());
      for (const auto& again : ops) {
        if (is(again.first))
          fail("comparisons cannot be chained; write 1 < x and x < 5 instead of 1 < x < 5");
      }
      return call(std::string(name), std::move(parts));
    }
    return left;
  }
  Node sum() { return chain(&Parser::product, {{"+", "+"}, {"-", "-"}}); }
  Node product() { return chain(&Parser::signed_part, {{"*", "*"}, {"/", "/"}, {"%", "%"}}); }
  Node signed_part() {
    bool negative = false;
    for (; is("-") || is("+"); next()) negative ^= is("-");
    Node node = power();
    if (!negative) return node;
    if (node.what == Node::What::constant && node.kind == Kind::number) {
      node.value.negate(0);
      return node;
    }
    return call("-", {std::move(node)});
  }
  // Parses x ** 3 as x * x * x.
  Node power() {
    Node node = part();
    if (!takes("**")) return node;
    const double times = word_.is == Word::Is::number ? word_.number.number(0) : 0;
    if (!(times >= 1 && times <= 9 && times == std::floor(times))) {
      fail("the exponent of ** must be an integer from 1 to 9");
    }
    next();
    if (is("**")) fail("** cannot be chained; write parentheses, as in (x ** 2) ** 3");
    Node all = node;
    for (int k = 1; k < static_cast<int>(times); ++k) {
      operators_ += operators_in(node) + 1;
      if (operators_ > most_operators) fail(too_many);
      std::vector<Node> parts;
      parts.push_back(std::move(all));
      parts.push_back(node);
      all = call("*", std::move(parts));
      all.power = true;
    }
    return all;
  }
  static int operators_in(const Node& node) {
    int n = node.what == Node::What::call ? 1 : 0;
    for (const Node& part : node.parts) n += operators_in(part);
    return n;
  }
  Node part() {
    const Word word = word_;
    if (takes("(")) {
      Node node = either();
      take(")");
      return node;
    }
    if (word.is == Word::Is::end || word.is == Word::Is::sign) unexpected();
    next();
    if (word.is == Word::Is::number) return {.value = word.number};
    if (word.is == Word::Is::text) return constant(Kind::text, 0, word.text);
    if (word.is == Word::Is::name) {
      if (word.text == "true" || word.text == "false") {
        return constant(Kind::truth, word.text == "true" ? 1 : 0, {});
      }
      if (takes("(")) return is_op(word.text) ? op_call(word.text) : function(word.text);
    }
    if (std::ranges::find(*names_, word.text) == names_->end()) names_->push_back(word.text);
    return {.what = Node::What::column, .name = word.text};
  }
  // Returns the text from `from` to the next word.
  std::string text_from(std::size_t from) const {
    std::string_view text = text_.substr(from, word_.at - from);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string(text);
  }
  bool is_op(const std::string& name) const {
    return ops_ != nullptr && std::ranges::find(*ops_, name) != ops_->end();
  }
  Node op_call(const std::string& op) {
    OpCall call{.op = op, .name = op + "("};
    const std::vector<std::string>* const ops = ops_;
    const bool within = std::exchange(within_call_, true);
    if (within || !takes_call(op)) ops_ = nullptr;  // no op of an op
    while (!is(")")) {
      if (!call.parts.empty()) take(",");
      const std::size_t from = word_.at;
      Node node = either();
      call.name += (call.parts.empty() ? "" : ",") + text_from(from);
      call.parts.push_back({text_from(from), std::move(node)});
    }
    take(")");
    ops_ = ops;
    within_call_ = within;
    call.name += ")";
    Node column{.what = Node::What::column, .name = call.name};
    if (std::ranges::find(*calls_, call.name, &OpCall::name) == calls_->end()) {
      calls_->push_back(std::move(call));
    }
    return column;
  }
  Node function(const std::string& name) {
    std::vector<std::string_view> known;
    if (ops_ != nullptr) known.assign(ops_->begin(), ops_->end());
    for (const Function& f : functions()) {
      const bool named = begins_name(f.name[0]) && f.name != "and" && f.name != "or" &&
                         f.name != "not" && f.name != "in" && f.name != "is null";
      if (named && (known.empty() || known.back() != f.name)) {
        known.push_back(f.name);
      }
    }
    if (std::ranges::find(known, name) == known.end()) {
      if (all_ops_ != nullptr && std::ranges::find(*all_ops_, name) != all_ops_->end()) {
        fail(name +
             " is called inside another call; only total and fraction accept a call as argument, "
             "and only of one op");
      }
      fail("there is no function " + name + did_you_mean(name, known));
    }
    std::vector<Node> parts;
    if (!is(")")) {
      do {
        parts.push_back(either());
      } while (takes(","));
    }
    take(")");
    return call(name, std::move(parts));
  }

  static constexpr int most_operators = 1000;
  static constexpr const char* too_many = "it has more than 1,000 operators";
  std::string option_;
  std::string_view text_;
  std::vector<std::string>* names_;
  std::size_t at_ = 0;
  Word word_;
  int depth_ = 0, operators_ = 0;
  bool within_call_ = false;
  const std::vector<std::string>* ops_ = nullptr;  // null: none can be called here
  const std::vector<std::string>* all_ops_ = nullptr;
  std::vector<OpCall>* calls_ = nullptr;
};

}  // namespace

bool takes_call(const std::string& op) { return op == "total" || op == "fraction"; }

Node parse_expression(const std::string& option, std::string_view text,
                      std::vector<std::string>& names) {
  return Parser("--" + option, text, names).all();
}

std::vector<Let> parse_lets(const std::string& option, std::string_view text) {
  std::vector<std::string> none;
  return Parser("--" + option, text, none).lets();
}

std::vector<Item> parse_items(const std::string& where, std::string_view text,
                              const std::vector<std::string>& ops, std::vector<OpCall>& calls) {
  std::vector<std::string> none;
  return Parser(where, text, none).items(ops, calls);
}

}  // namespace onefold::io
