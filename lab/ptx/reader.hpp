// Reads numbers and variables from a PTX text.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "lab/ptx/compile.hpp"
#include "lab/ptx/module.hpp"
#include "lab/ptx/tokens.hpp"
#include "onefold/error.hpp"

namespace onefold::lab::ptx {

class Reader {
 protected:
  using Kind = Operand::Kind;
  static constexpr uint64_t most_bytes = uint64_t{1} << 32;  // of one variable

  Reader(std::string_view text, const std::string& name) : name_(name), tokens_(tokens_of(text)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DoesNotCompile(fmt::format("{}:{}: {}", name_, peek().line, what));
  }
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    const Token t = peek();
    if (t.kind == Token::Kind::end) fail("the text ends in the middle of a statement");
    ++at_;
    return t;
  }
  bool maybe(std::string_view s) {
    if (!peek().is(s)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view s) {
    if (!maybe(s)) fail(fmt::format("\"{}\" where \"{}\" is expected", peek().text, s));
  }
  uint64_t whole() {
    const Operand o = number();
    if (o.kind != Kind::integer) fail("a whole number is expected");
    return o.bits;
  }

  Operand number() {
    const bool minus = maybe("-");
    const Token t = take();
    if (t.kind != Token::Kind::number) fail(fmt::format("\"{}\" is not a number", t.text));
    std::string_view s = t.text;
    Operand o;
    const auto hex = [&](std::string_view digits) {
      uint64_t v = 0;
      const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), v, 16);
      if (r.ec != std::errc{} || r.ptr != digits.data() + digits.size()) {
        fail(fmt::format("\"{}\" is not a number", t.text));
      }
      return v;
    };
    if (s.size() == 10 && (s.starts_with("0f") || s.starts_with("0F"))) {
      o = {.kind = Kind::f32, .bits = hex(s.substr(2))};
      if (minus) o.bits ^= uint64_t{1} << 31;
      return o;
    }
    if (s.size() == 18 && (s.starts_with("0d") || s.starts_with("0D"))) {
      o = {.kind = Kind::f64, .bits = hex(s.substr(2))};
      if (minus) o.bits ^= uint64_t{1} << 63;
      return o;
    }
    if (s.find('.') != s.npos) {
      const double v = std::strtod(std::string(s).c_str(), nullptr) * (minus ? -1 : 1);
      o.kind = Kind::f64;
      std::memcpy(&o.bits, &v, sizeof v);
      return o;
    }
    if (s.ends_with('U')) s.remove_suffix(1);
    o.kind = Kind::integer;
    if (s.starts_with("0x") || s.starts_with("0X")) {
      o.bits = hex(s.substr(2));
    } else {
      const int base = s.size() > 1 && s[0] == '0' ? 8 : 10;
      const auto r = std::from_chars(s.data(), s.data() + s.size(), o.bits, base);
      if (r.ec != std::errc{} || r.ptr != s.data() + s.size()) {
        fail(fmt::format("\"{}\" is not a number", t.text));
      }
    }
    if (minus) o.bits = -o.bits;
    return o;
  }

  static std::optional<StateSpace> space_of(std::string_view s) {
    if (s == ".global") return StateSpace::global;
    if (s == ".shared") return StateSpace::shared;
    if (s == ".local") return StateSpace::local;
    if (s == ".const") return StateSpace::constant;
    if (s == ".param") return StateSpace::param;
    return std::nullopt;
  }

  // Reads what follows a variable's state space: .align 4 .b8 name[16] = {...}
  Variable variable(StateSpace space) {
    Variable v{.space = space};
    bool typed = false, aligned = false;
    unsigned lanes = 1;
    while (peek().text.starts_with('.')) {
      const Token t = take();
      if (t.is(".align")) {
        v.align = static_cast<uint32_t>(whole());
        aligned = true;
      } else if (t.is(".v2") || t.is(".v4")) {
        lanes = t.is(".v2") ? 2 : 4;
      } else if (t.is(".ptr") || space_of(t.text) || t.is(".managed")) {
      } else if (t.is(".attribute")) {
        expect("(");
        while (!maybe(")")) take();
      } else if (const auto bytes = bytes_of(t.text)) {
        v.element = *bytes;
        v.floating = t.text[1] == 'f';
        typed = true;
      } else {
        fail(fmt::format("a variable of type {} is not supported", t.text));
      }
    }
    if (!typed || peek().kind != Token::Kind::word) fail("a variable needs a type and a name");
    v.name = std::string(take().text);
    if (!aligned) v.align = v.element * lanes;
    if (v.align == 0 || (v.align & (v.align - 1)) != 0) fail("an alignment must be a power of two");
    uint64_t count = lanes;
    while (maybe("[")) {
      const uint64_t n = peek().is("]") ? 0 : whole();
      if (n > most_bytes) fail(fmt::format("{} is too large", v.name));
      count *= n;
      expect("]");
      if (count > most_bytes) fail(fmt::format("{} is too large", v.name));
    }
    v.bytes = static_cast<std::size_t>(count * v.element);
    if (v.bytes != count * v.element) fail(fmt::format("{} is too large", v.name));
    if (maybe("=")) contents(v);
    return v;
  }
  std::vector<Variable> variables(StateSpace space) {
    std::vector<Variable> all{variable(space)};
    while (maybe(",")) {
      Variable next = all.back();
      next.name = std::string(take().text);
      next.contents.clear();
      all.push_back(next);
    }
    expect(";");
    return all;
  }

  void contents(Variable& v, unsigned depth = 0) {
    if (maybe("{")) {
      if (depth > 8) fail("braces are nested too deeply");
      while (!maybe("}")) {
        if (!maybe(",")) contents(v, depth + 1);
      }
      return;
    }
    const std::size_t at = v.contents.size();
    if (at + v.element > std::max<std::size_t>(v.bytes, v.element)) {
      fail(fmt::format("{} has more initial values than elements", v.name));
    }
    v.contents.resize(at + v.element);
    if (peek().kind == Token::Kind::word) {
      std::string name(take().text);
      if (name == "generic") {
        expect("(");
        name = std::string(take().text);
        expect(")");
      }
      uint64_t offset = 0;
      if (maybe("+")) offset = whole();
      std::memcpy(v.contents.data() + at, &offset, std::min<std::size_t>(v.element, 8));
      v.addresses.emplace_back(at, name);
      return;
    }
    Operand o = number();
    if (o.kind == Kind::f64 && v.element == 4) {
      double d;
      std::memcpy(&d, &o.bits, sizeof d);
      const auto f = static_cast<float>(d);
      std::memcpy(&o.bits, &f, sizeof f);
    }
    std::memcpy(v.contents.data() + at, &o.bits, std::min<std::size_t>(v.element, 8));
  }

  std::vector<Variable> params() {
    std::vector<Variable> all;
    if (!maybe("(")) return all;
    while (!maybe(")")) {
      if (maybe(",")) continue;
      if (maybe(".reg")) fail("parameters in registers are not supported");
      expect(".param");
      all.push_back(variable(StateSpace::param));
    }
    return all;
  }

  std::string name_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;

 private:
  static std::optional<unsigned> bytes_of(std::string_view type) {
    const auto at = type.find_first_of("0123456789");
    if (type == ".pred") return 1;
    if (at == type.npos || type.size() < 3) return std::nullopt;
    unsigned bits = 0;
    std::from_chars(type.data() + at, type.data() + type.size(), bits);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) return std::nullopt;
    return bits / 8;
  }
};

}  // namespace onefold::lab::ptx
