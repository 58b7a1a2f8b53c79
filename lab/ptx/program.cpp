#include "lab/ptx/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "onefold/error.hpp"

namespace onefold::lab::ptx {
namespace {

// Bytes between variables: a multiple of the 128 bytes that one row of banks holds.
constexpr std::size_t red_zone = 512;

std::size_t aligned_up(std::size_t at, std::size_t align) {
  return (at + align - 1) / align * align;
}

std::string without_spaces(std::string s) {
  std::erase(s, ' ');
  return s;
}
std::string without_arguments(const std::string& s) {
  const std::string base = s.substr(0, s.find('<'));
  return base.substr(base.rfind(':') + 1);
}

const Function& find_kernel(const Module& m, const std::string& name) {
  std::vector<const Function*> all, same;
  const std::string wanted = without_spaces(name);
  for (const Function& f : m.functions) {
    if (!f.entry || !f.defined) continue;
    all.push_back(&f);
    if (f.name == name) return f;
    if (name.empty()) same.push_back(&f);
    if (without_spaces(written_name(f.name)) == wanted) same.push_back(&f);
  }
  if (same.empty() && !name.empty()) {
    for (const Function* f : all) {
      if (without_arguments(written_name(f->name)) == without_arguments(wanted)) same.push_back(f);
    }
  }
  if (same.size() == 1) return *same[0];
  std::string there;
  for (const Function* f : same.empty() ? all : same) {
    there += (there.empty() ? "" : ", ") + written_name(f->name);
  }
  if (all.empty())
    throw Error(ErrorCode::bad_option,
                "the file has no kernel; write __global__ before a function");
  if (name.empty() && !same.empty()) {
    throw Error(ErrorCode::bad_option, "the file has several kernels; name one of " + there);
  }
  throw Error(ErrorCode::bad_option,
              same.empty()
                  ? fmt::format("no kernel is called {}; the file has {}", name, there)
                  : fmt::format("several kernels are called {}; name one of {}", name, there));
}

}  // namespace

Program::Program(const Module& module, std::span<const std::string> kernels,
                 std::span<const std::string> variables)
    : module_(module) {
  for (const std::string& name : kernels) kernels_.push_back(&find_kernel(module, name));
  std::set<const Function*> functions;
  std::set<std::string> symbols, named;
  for (const std::string& name : variables) named.insert(source_name(name));
  for (const Variable& v : module.variables) {
    if (!named.empty() && named.contains(source_name(v.name))) symbols.insert(v.name);
  }
  reach(kernels_, functions, symbols);
  lay_out(symbols, functions);
  for (const Function* f : kernels_) shared_of_.push_back(shared_of(f));
  std::vector<const Function*> called;
  for (const Function* f : functions) {
    if (f->entry) continue;
    called.push_back(f);
    addresses_[f->name] = function_window + called.size() * function_step;
  }
  for (const Function* f : kernels_) code(f->name, {});
  for (const Function* f : called) functions_.push_back(code(f->name, {}));
  watches_unset_ = may_be_unset();
  number_places();
}

void Program::number_places() {
  std::map<sim::Site, uint64_t> numbers;
  for (const auto& c : codes_) {
    for (Instruction& i : c->instructions) {
      const auto [at, fresh] = numbers.try_emplace(i.at.site(), places_.size());
      if (fresh) places_.push_back(at->first);
      i.at = {.file = nullptr, .place = at->second};
    }
  }
}

// Collects the functions that `left` may call, and all names that they use.
void Program::reach(std::vector<const Function*> left, std::set<const Function*>& seen,
                    std::set<std::string>& symbols) const {
  const auto note = [&](const Operand& o) {
    if (o.kind != Operand::Kind::symbol && o.kind != Operand::Kind::address) return;
    if (o.name.empty() || o.name[0] == '%') return;
    symbols.insert(o.name);
    if (const Function* g = module_.find(o.name); g != nullptr && g->defined) left.push_back(g);
  };
  for (bool more = true; more;) {
    while (!left.empty()) {
      const Function& g = *left.back();
      left.pop_back();
      if (!seen.insert(&g).second) continue;
      for (const Statement& s : g.body) {
        for (const Operand& o : s.operands) {
          note(o);
          for (const Operand& p : o.parts) note(p);
        }
      }
    }
    // Variables that other variables point to are needed, too.
    more = false;
    for (const Variable& v : module_.variables) {
      if (!symbols.contains(v.name)) continue;
      for (const auto& [at, name] : v.addresses) {
        if (!symbols.insert(name).second) continue;
        more = true;
        if (const Function* g = module_.find(name); g != nullptr && g->defined) left.push_back(g);
      }
    }
  }
}

void Program::lay_out(const std::set<std::string>& symbols,
                      const std::set<const Function*>& functions) {
  std::vector<const Variable*> all, dynamic;
  for (const Variable& v : module_.variables) all.push_back(&v);
  for (const Function* f : functions) {
    for (const Variable& v : f->variables) all.push_back(&v);
  }
  for (const Variable* v : all) {
    if (!symbols.contains(v->name) || addresses_.contains(v->name)) continue;
    switch (v->space) {
      case StateSpace::global:
        globals_.push_back(v);
        addresses_[v->name] = globals_.size() * array_span;
        break;
      case StateSpace::constant:
        if (constant_bytes_ != 0) {
          const std::size_t at = aligned_up(constant_bytes_ + red_zone, v->align);
          constant_gaps_.emplace_back(std::exchange(constant_bytes_, at), at);
        }
        addresses_[v->name] = constant_window + constant_bytes_;
        constants_.emplace_back(constant_bytes_, v);
        constant_bytes_ += v->bytes;
        break;
      case StateSpace::shared:
        if (v->is_extern) {
          dynamic.push_back(v);
          break;
        }
        put_shared(*v, v->align);
        static_shared_ += v->bytes;
        shared_end_ += v->bytes;
        break;
      default:
        break;
    }
  }
  for (const Variable* v : dynamic) {
    if (v == dynamic[0]) {
      put_shared(*v, 16);
    } else {  // all of them begin at the same address
      addresses_[v->name] = shared_end_;
      shared_.emplace_back(shared_end_, v);
    }
  }
}

// Places a variable after a gap, so that an index past one array's end hits no other array. Gaps
// are whole rows of banks, so no access changes its bank.
void Program::put_shared(const Variable& v, std::size_t align) {
  const std::size_t before = shared_end_ - static_shared_, at = aligned_up(static_shared_, align);
  const std::size_t all = aligned_up(before + (shared_.empty() ? 0 : red_zone), align);
  if (!shared_.empty()) gaps_.emplace_back(shared_end_, at + all);
  static_shared_ = at;
  shared_end_ = at + all;
  addresses_[v.name] = shared_end_;
  shared_.emplace_back(shared_end_, &v);
}

Program::SharedOf Program::shared_of(const Function* kernel) const {
  std::set<const Function*> functions;
  std::set<std::string> symbols;
  reach({kernel}, functions, symbols);
  SharedOf own{.gaps = gaps_};
  for (const auto& [at, v] : shared_) {
    if (v->is_extern) continue;
    if (symbols.contains(v->name)) {
      own.bytes = aligned_up(own.bytes, v->align) + v->bytes;
    } else if (v->bytes != 0) {
      own.gaps.emplace_back(at, at + v->bytes);
    }
  }
  return own;
}

namespace {

std::pair<const Variable*, int64_t> found_in(
    const std::vector<std::pair<std::size_t, const Variable*>>& all, int64_t offset) {
  std::pair<const Variable*, int64_t> found{nullptr, offset};
  for (const auto& [begin, v] : all) {
    const auto at = static_cast<int64_t>(begin);
    if (at <= offset || found.first == nullptr) found = {v, offset - at};
  }
  return found;
}

}  // namespace

std::pair<const Variable*, int64_t> Program::shared_at(int64_t offset) const {
  return found_in(shared_, offset);
}

std::pair<const Variable*, int64_t> Program::constant_at(int64_t offset) const {
  return found_in(constants_, offset);
}

const Variable* Program::global(std::string_view name) const {
  for (const Variable* v : globals_) {
    if (v->name == name) return v;
  }
  return nullptr;
}

std::optional<uint64_t> Program::address(std::string_view symbol) const {
  const auto at = addresses_.find(symbol);
  if (at == addresses_.end()) return std::nullopt;
  return at->second;
}

const Code* Program::code(std::string_view function, Line from) {
  const Function* f = module_.find(function);
  if (f == nullptr || !f->defined) return nullptr;
  const bool own = std::any_of(f->body.begin(), f->body.end(),
                               [](const Statement& s) { return s.at.file != 0; });
  if (own) from = {};
  const Code*& known = by_place_[{f, from.file, from.line}];
  if (known != nullptr) return known;
  Code& c = *codes_.emplace_back(std::make_unique<Code>());
  known = &c;  // stored before decoding, since the function may call itself
  decode(*f, module_, *this, from, c);
  return &c;
}

unsigned Program::grain(unsigned element) const {
  unsigned least = 4;
  for (const auto& c : codes_) least = std::min(least, c->narrowest);
  return std::max(std::min(least, element), 1u);
}

std::size_t Program::reserved() const {
  const auto asks = [](const auto& c) {
    return std::any_of(c->specials.begin(), c->specials.end(),
                       [](const auto& s) { return s.second->name == "%reserved_smem_offset_1"; });
  };
  return std::any_of(codes_.begin(), codes_.end(), asks) ? 1024 : 0;
}

bool Program::scopes() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& c) { return c->scopes; });
}

unsigned Program::registers(std::size_t k) const {
  unsigned most = code(k).live.registers;
  for (const Code* c : functions_) most = std::max(most, c->live.registers);
  return most;
}

bool Program::may_be_unset() const {
  const auto any = [&](const auto& is) { return std::any_of(codes_.begin(), codes_.end(), is); };
  return any([](const auto& c) { return c->live.unset; }) ||
         (any([](const auto& c) { return c->local_bytes != 0; }) &&
          any([](const auto& c) { return c->reads_local; }));
}

bool Program::decides() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& c) {
    std::vector<unsigned> uses(c->slots);  // of slots; a result that nobody reads has one
    const auto use = [&](uint32_t slot) {
      if (slot < uses.size()) ++uses[slot];
    };
    for (const Instruction& i : c->instructions) {
      use(i.guard);
      std::for_each(i.r.begin(), i.r.end(), use);
    }
    return std::any_of(c->instructions.begin(), c->instructions.end(), [&](const Instruction& i) {
      return i.decides == Instruction::Decides::yes ||
             (i.decides == Instruction::Decides::if_read && uses[i.r[0]] > 1);
    });
  });
}

bool Program::by_order() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& c) { return c->by_order; });
}

std::vector<unsigned char> Program::contents(const Variable& v) const {
  std::vector<unsigned char> bytes = v.contents;
  bytes.resize(std::max<std::size_t>(v.bytes, 1));
  for (const auto& [at, name] : v.addresses) {
    uint64_t value = 0;
    const std::size_t n = std::min<std::size_t>(v.element, 8);
    std::memcpy(&value, bytes.data() + at, n);
    value += address(name).value_or(0);
    std::memcpy(bytes.data() + at, &value, n);
  }
  return bytes;
}

// Returns what the host calls `name`, of what kernels or main() use.
const Variable* Program::variable(std::string_view name) const {
  const auto find = [&](const auto& is) -> const Variable* {
    for (const Variable* v : globals_) {
      if (is(*v)) return v;
    }
    for (const auto& [at, v] : constants_) {
      if (is(*v)) return v;
    }
    return nullptr;
  };
  const Variable* same = find([&](const Variable& v) { return v.name == name; });
  if (same != nullptr) return same;
  const std::string wanted = source_name(std::string(name));
  return find([&](const Variable& v) { return source_name(v.name) == wanted; });
}

std::optional<Program::PlaceOf> Program::place_of(std::string_view name) const {
  const Variable* const wanted = variable(name);
  for (std::size_t k = 0; k < globals_.size(); ++k) {
    if (globals_[k] == wanted) return PlaceOf{(k + 1) * array_span, wanted->bytes, false};
  }
  for (const auto& [at, v] : constants_) {
    if (v == wanted) return PlaceOf{at, v->bytes, true};
  }
  return std::nullopt;
}

void Program::place(Running& run, std::vector<sim::Space*>& arrays) const {
  run.engine.know(places_, [this](uint32_t from, uint32_t to) { return leads(from, to); });
  run.functions = functions_;
  run.watches_unset = watches_unset_;
  run.constant_gaps = constant_gaps_;
  for (const Variable* v : globals_) {
    const auto bytes = contents(*v);
    unsigned g = grain(v->element);
    while (bytes.size() % g != 0) g /= 2;
    arrays.push_back(&run.engine.allocate(v->name.c_str(), bytes.size(), g, bytes.data()));
  }
  run.constants.assign(constant_bytes_, std::byte{0});
  for (const auto& [at, v] : constants_) {
    const auto bytes = contents(*v);
    std::memcpy(run.constants.data() + at, bytes.data(), v->bytes);
  }
}

void Program::prepare(Running& run, std::size_t k, Dim grid, Dim block,
                      std::size_t shared_bytes) const {
  run.begin_launch();
  run.code = &code(k);
  run.registers = registers(k);
  run.grid = grid;
  run.block = block;
  run.dynamic_at = dynamic_at();
  run.shared_bytes = dynamic_at() + shared_bytes;
  run.gap_bytes = dynamic_at() - static_shared(k);
  run.gaps = shared_of_[k].gaps;
  run.reserved_at = run.shared_bytes;
  if (const std::size_t more = reserved()) {
    run.reserved_at = (run.shared_bytes + 127) / 128 * 128;
    run.gaps.emplace_back(run.shared_bytes, run.reserved_at);
    run.shared_bytes = run.reserved_at + more;
  }
  run.shared_grain = grain(4);
}

}  // namespace onefold::lab::ptx
