#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#include "lab/ptx/module.hpp"
#include "lab/ptx/reader.hpp"
#include "lab/ptx/scopes.hpp"
#include "lab/ptx/user_files.hpp"
#include "onefold/error.hpp"

namespace onefold::lab::ptx {
namespace {

using Kind = Operand::Kind;

using Position = std::tuple<uint32_t, uint32_t, uint32_t>;  // file, line, column

// A source location as the compiler gives it, and the one into which its code was inlined.
struct Location {
  Position at;
  uint32_t outer = 0;  // its number; 0: its code is not inlined
};

class Parser : private Reader {
 public:
  Parser(std::string_view text, const std::string& name, const std::string& source)
      : Reader(text, name), source_(source) {
    module_.files[0] = name;
  }

  Module run() {
    while (peek().kind != Token::Kind::end) top();
    places();
    return std::move(module_);
  }

 private:
  // Parses .loc file line column [, function_name label, inlined_at file line column]
  void loc() {
    const auto position = [&] {
      const auto f = static_cast<uint32_t>(whole()), l = static_cast<uint32_t>(whole());
      return Position{f, l, static_cast<uint32_t>(whole())};
    };
    const Position here = position();
    uint32_t outer = 0;
    while (maybe(",")) {
      if (maybe("function_name")) {
        take();
        if (maybe("+")) whole();
      } else {
        expect("inlined_at");
        outer = latest(position());
      }
    }
    here_ = location(here, outer);
  }
  uint32_t location(const Position& at, uint32_t outer) {
    locations_.push_back({at, outer});
    return latest_[at] = static_cast<uint32_t>(locations_.size() - 1);
  }
  // Outer locations come first. One that is inlined at several places was named last for this one.
  uint32_t latest(const Position& at) {
    const auto known = latest_.find(at);
    return known != latest_.end() ? known->second : location(at, 0);
  }

  void file() {
    const uint64_t k = whole();
    if (k > 65535) fail("a file's number is too large");
    const Token t = take();
    while (maybe(",")) whole();
    if (module_.files.size() <= k) module_.files.resize(k + 1);
    module_.files[k] = std::string(t.text);
  }

  void braces() {  // skips { ... }
    expect("{");
    for (unsigned depth = 1; depth != 0;) {
      const Token t = take();
      depth += t.is("{") ? 1u : 0u;
      depth -= t.is("}") ? 1u : 0u;
    }
  }

  void top() {
    if (maybe(".version")) {
      take();
    } else if (maybe(".target")) {
      module_.target = std::string(take().text);
      while (maybe(",")) take();
    } else if (maybe(".address_size")) {
      if (whole() != 64) fail("only 64-bit addresses are supported");
    } else if (maybe(".file")) {
      file();
    } else if (maybe(".loc")) {
      loc();
    } else if (maybe(".section")) {
      take();
      braces();
    } else if (maybe(".pragma") || maybe(".alias")) {
      while (!maybe(";")) take();
    } else if (maybe(";")) {
    } else {
      declaration();
    }
  }

  void declaration() {
    bool is_extern = false;
    for (;;) {
      const Token t = take();
      if (t.is(".extern")) {
        is_extern = true;
      } else if (t.is(".visible") || t.is(".weak") || t.is(".common")) {
      } else if (t.is(".entry")) {
        return function(true);
      } else if (t.is(".func")) {
        return function(false);
      } else if (const auto space = space_of(t.text)) {
        for (Variable& v : variables(*space)) {
          v.is_extern = is_extern;
          module_.variables.push_back(std::move(v));
        }
        return;
      } else {
        --at_;
        fail(fmt::format("\"{}\" is not supported here", t.text));
      }
    }
  }

  void function(bool entry) {
    Function f;
    f.entry = entry;
    if (!entry) f.results = params();
    f.name = std::string(take().text);
    f.params = params();
    while (!peek().is("{") && !peek().is(";")) {  // such as .maxntid 256, 1, 1 .noreturn
      if (maybe(".maxntid") || maybe(".reqntid")) {
        f.most_threads = whole();
        while (maybe(",")) f.most_threads *= whole();
        continue;
      }
      if (peek().kind == Token::Kind::mark && !peek().is(","))
        fail("a function's body is expected");
      take();
    }
    if (!maybe(";")) {
      f.defined = true;
      expect("{");
      here_ = 0;
      body(f);
    }
    const auto old = std::find_if(module_.functions.begin(), module_.functions.end(),
                                  [&](const Function& o) { return o.name == f.name; });
    if (old == module_.functions.end()) {
      module_.functions.push_back(std::move(f));
    } else if (f.defined) {
      *old = std::move(f);
    }
  }

  void registers(Function& f, Scopes& scopes) {
    take();  // skips the type, since every register has 64 bits here
    do {
      const Token t = take();
      if (t.kind != Token::Kind::word) fail("a register's name is expected");
      const std::string name(t.text);
      if (maybe("<")) {
        const auto count = static_cast<unsigned>(std::min<uint64_t>(whole(), 1 << 20));
        expect(">");
        f.registers[scopes.declare(name, count)] = count;
      } else {
        f.registers[scopes.declare(name)] = 0;
      }
    } while (maybe(","));
    expect(";");
  }

  void body(Function& f) {
    Scopes scopes(f);
    scopes.open();
    for (;;) {
      const Token t = peek();
      if (maybe("{")) {
        scopes.open();
      } else if (maybe("}")) {
        if (!scopes.close()) return;
      } else if (maybe(".loc")) {
        loc();
      } else if (maybe(".reg")) {
        registers(f, scopes);
      } else if (maybe(".pragma")) {
        while (!maybe(";")) used_bytes_ = used_bytes(take().text);
      } else if (maybe(";")) {
      } else if (const auto space = space_of(t.text)) {
        take();
        for (Variable& v : variables(*space)) {
          v.name = scopes.declare(v.name);
          f.variables.push_back(std::move(v));
        }
      } else if (t.kind == Token::Kind::word && peek(1).is(":")) {
        label(f, scopes);
      } else {
        statement(f);
      }
    }
  }

  // Reads "used_bytes_mask 1", which applies to the next load.
  static uint32_t used_bytes(std::string_view pragma) {
    const auto at = pragma.find("used_bytes_mask");
    if (at == pragma.npos) return ~0u;
    const std::string number(pragma.substr(at + 15));
    return static_cast<uint32_t>(std::strtoul(number.c_str(), nullptr, 0));
  }

  void label(Function& f, Scopes& scopes) {
    const std::string name = scopes.declare(std::string(take().text));
    take();
    if (maybe(".branchtargets")) {
      auto& all = f.targets[name];
      do all.emplace_back(take().text);
      while (maybe(","));
      expect(";");
    } else if (maybe(".callprototype")) {
      while (!maybe(";")) take();
    } else {
      f.labels[name] = static_cast<uint32_t>(f.body.size());
    }
  }

  void statement(Function& f) {
    Statement s;
    if (maybe("@")) {
      s.unless = maybe("!");
      s.guard = std::string(take().text);
    }
    s.ptx_line = peek().line;
    s.used_bytes = std::exchange(used_bytes_, ~0u);
    const Token t = take();
    if (t.kind != Token::Kind::word || t.text.starts_with('.') || t.text.starts_with('%')) {
      --at_;
      fail(fmt::format("\"{}\" is not an instruction", t.text));
    }
    s.opcode = std::string(t.text);
    while (!maybe(";")) {
      if (maybe(",")) continue;
      s.operands.push_back(operand());
    }
    s.at.file = here_;  // places() finds the line: files may be named at the end of the text
    f.body.push_back(std::move(s));
  }

  Operand operand(unsigned depth = 0) {
    if (depth > 4) fail("an operand is nested too deeply");
    if (peek().kind == Token::Kind::number || peek().is("-")) return number();
    if (maybe("!")) {
      Operand o = operand(depth + 1);
      o.negated = true;
      return o;
    }
    if (peek().is("{") || peek().is("(")) {
      const std::string_view end = take().is("{") ? "}" : ")";
      Operand o{.kind = Kind::vector};
      while (!maybe(end)) {
        if (!maybe(",")) o.parts.push_back(operand(depth + 1));
      }
      return o;
    }
    if (maybe("[")) {
      Operand o{.kind = Kind::address};
      if (peek().kind == Token::Kind::number) {
        o.bits = whole();
      } else {
        o.name = std::string(take().text);
      }
      o.offset = offset();
      while (maybe(",")) o.parts.push_back(operand(depth + 1));  // the coordinates of a texture
      expect("]");
      return o;
    }
    const Token t = take();
    if (t.kind != Token::Kind::word) fail(fmt::format("\"{}\" is not an operand", t.text));
    if (t.is("_")) return {};
    Operand o{.kind = t.text[0] == '%' ? Kind::reg : Kind::symbol, .name = std::string(t.text)};
    if (o.kind == Kind::symbol) o.offset = offset();
    if (maybe("|")) o.parts.push_back(operand(depth + 1));
    return o;
  }
  int64_t offset() {
    const bool minus = peek().is("-");
    if (!minus && !maybe("+")) return 0;
    return static_cast<int64_t>(whole());
  }

  bool own(uint32_t file) const {
    if (file >= module_.files.size()) return false;
    return own_[file];
  }
  // Code that copies the user's data does not count as cooperative groups'.
  bool of_groups(uint32_t file) const {
    if (file >= module_.files.size()) return false;
    const std::string& f = module_.files[file];
    return f.find("cooperative_groups") != f.npos && !f.ends_with("/async.h") && !own(file);
  }
  bool of_library(uint32_t file) const {
    if (file >= module_.files.size()) return false;
    const std::string& f = module_.files[file];
    return f.compare(f.rfind('/') + 1, 8, "onefold_") == 0 && !f.ends_with(".cu");
  }
  // Finds the line in the user's own files: code from other files, and from headers of single/,
  // counts for the line into which it was inlined. Line 0 means the same line as before.
  void places() {
    for (const std::string& file : module_.files) own_.push_back(of_user(file, source_));
    for (Function& f : module_.functions) {
      Line last{};
      for (Statement& s : f.body) {
        uint32_t k = s.at.file;
        const auto file_at = [&] { return std::get<0>(locations_[k].at); };
        s.of_groups = of_groups(file_at());
        while ((!own(file_at()) || of_library(file_at())) && locations_[k].outer != 0) {
          k = locations_[k].outer;
        }
        const auto [file, line, column] = locations_[k].at;
        if (file != 0 && line != 0 && own(file)) last = {file, line};
        s.at = last.line != 0 ? last : Line{0, s.ptx_line};
      }
      if (!f.body.empty()) f.at = f.body[0].at;
    }
  }

  std::string source_;
  Module module_;
  std::vector<bool> own_{};              // of each file: whether it is the user's
  std::vector<Location> locations_{{}};  // the first one: no location is given
  std::map<Position, uint32_t> latest_;
  uint32_t here_ = 0;          // the location of the next statements
  uint32_t used_bytes_ = ~0u;  // of the next load
};

}  // namespace

std::string Module::place(Line at) const {
  const std::string& file = files[at.file];
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at.line);
}

Module parse(std::string_view text, const std::string& name, const std::string& source) {
  return Parser(text, name, source).run();
}

}  // namespace onefold::lab::ptx
