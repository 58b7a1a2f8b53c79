// Names of a PTX function that are valid only between two braces. Compilers put the parameters of
// each call between braces, and inline assembly its registers and labels. So one name may occur
// between several braces of a function, each time with another type.
#pragma once

#include <charconv>
#include <set>

#include "lab/ptx/module.hpp"

namespace onefold::lab::ptx {

// Makes names that are declared between inner braces unique in their function: `param0` of the
// third braces becomes `param0$3_`. Uses are renamed when the braces close, since PTX allows a
// label to be used before its declaration.
class Scopes {
 public:
  explicit Scopes(Function& f) : f_(f) {}

  void open() {
    open_.push_back({.first = f_.body.size(),
                     .mark = open_.empty() ? "" : "$" + std::to_string(++inner_) + "_"});
  }
  // Returns false if the function's body ends.
  bool close() {
    const Scope s = std::move(open_.back());
    open_.pop_back();
    if (s.names.empty() && s.registers.empty()) return !open_.empty();
    const auto rename = [&](std::string& name) {
      if (const std::size_t at = s.mark_at(name); at != name.npos) name.insert(at, s.mark);
    };
    for (std::size_t k = s.first; k < f_.body.size(); ++k) {
      rename(f_.body[k].guard);
      for (Operand& o : f_.body[k].operands) for_names(o, rename);
    }
    for (const std::string& name : s.names) {
      const auto list = f_.targets.find(name + s.mark);
      if (list == f_.targets.end()) continue;
      for (std::string& label : list->second) rename(label);
    }
    return true;
  }

  // Declares a variable, label or register; returns its name in the function.
  std::string declare(const std::string& name) {
    if (open_.size() > 1) open_.back().names.insert(name);
    return name + open_.back().mark;
  }
  // Does the same for registers %r0, %r1, ..., which are declared as %r<count>.
  std::string declare(const std::string& prefix, unsigned count) {
    if (open_.size() > 1) open_.back().registers[prefix] = count;
    return prefix + open_.back().mark;
  }

 private:
  struct Scope {
    std::size_t first = 0;  // the first statement
    std::string mark{};
    std::set<std::string, std::less<>> names{};
    std::map<std::string, unsigned, std::less<>> registers{};

    // Returns where the mark goes: at the end, or before the number; npos: not declared here.
    std::size_t mark_at(std::string_view name) const {
      if (names.contains(name)) return name.size();
      const std::size_t digits = name.find_last_not_of("0123456789") + 1;
      const auto r = registers.find(name.substr(0, digits));
      if (r == registers.end() || digits == name.size()) return name.npos;
      unsigned k = 0;
      std::from_chars(name.data() + digits, name.data() + name.size(), k);
      return k < r->second ? digits : name.npos;
    }
  };

  template <class F>
  static void for_names(Operand& o, const F& f) {
    f(o.name);
    for (Operand& p : o.parts) for_names(p, f);
  }

  Function& f_;
  std::vector<Scope> open_;
  std::size_t inner_ = 0;  // number of braces so far within the body's
};

}  // namespace onefold::lab::ptx
