// Finds which instructions a thread can reach from another instruction.
#include <algorithm>

#include "lab/ptx/program.hpp"

namespace onefold::lab::ptx {
namespace {

struct Point {
  const Code* code = nullptr;
  std::size_t at = 0;
  auto operator<=>(const Point&) const = default;
};

}  // namespace

// A function may return to every call of it, and a call through a pointer may enter every function.
// So the answer may be true although no thread goes there, but it is never wrongly false.
bool Program::leads(uint32_t from, uint32_t to) const {
  const auto [known, fresh] = known_ways_.try_emplace({from, to}, false);
  if (!fresh) return known->second;
  std::vector<Point> left, calls;
  std::set<Point> seen;
  const auto enters = [](const Point& p) { return call_made_by(p.code->instructions[p.at]); };
  const auto visit = [&](const Code* c, std::size_t at) {
    if (at < c->instructions.size() && seen.insert({c, at}).second) left.push_back({c, at});
  };
  const auto follow = [&](const Point& p) {
    const Flow& f = p.code->flows[p.at];
    for (const uint32_t target : f.targets) visit(p.code, target);
    if (!f.ends) visit(p.code, p.at + 1);
    if (const Call* c = enters(p); c != nullptr && c->host == nullptr) {
      for (const Code* g : functions_) {
        if (c->code == nullptr || c->code == g) visit(g, 0);
      }
      if (c->code != nullptr) visit(c->code, 0);
    }
    if (!f.ends || !f.targets.empty()) return;
    for (const Point& back : calls) {
      const Call* c = enters(back);
      if (c->code == nullptr || c->code == p.code) visit(back.code, back.at + 1);
    }
  };
  for (const auto& c : codes_) {
    for (std::size_t k = 0; k < c->instructions.size(); ++k) {
      if (enters({c.get(), k}) != nullptr) calls.push_back({c.get(), k});
    }
  }
  for (const auto& c : codes_) {
    for (std::size_t k = 0; k < c->instructions.size(); ++k) {
      if (c->instructions[k].at.place == from) follow({c.get(), k});
    }
  }
  while (!left.empty()) {
    const Point p = left.back();
    left.pop_back();
    if (p.code->instructions[p.at].at.place == to) return known->second = true;
    follow(p);
  }
  return false;
}

}  // namespace onefold::lab::ptx
