#include "lab/ptx/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "lab/ptx/reads.hpp"
#include "onefold/error.hpp"

namespace onefold::lab::ptx {
namespace {

struct Found {
  const Op* op = nullptr;
  bool plain = false;  // it only computes
};
Found find_op(std::string_view base) {
  static const auto all = [] {
    std::unordered_map<std::string_view, Found> m;
    const auto add = [&](bool plain, std::initializer_list<std::span<const Op>> lists) {
      for (const auto& ops : lists) {
        for (const Op& op : ops) m.try_emplace(op.base, Found{&op, plain});
      }
    };
    add(true, {integer_ops, bit_ops, float_ops, half_ops, move_ops, convert_ops, compare_ops});
    add(false, {memory_ops, bulk_ops, atomic_ops, control_ops, warp_ops});
    return m;
  }();
  const auto at = all.find(base);
  return at == all.end() ? Found() : at->second;
}

constexpr std::size_t frame_align = 128;  // the largest alignment of a CUDA type

std::size_t aligned(std::size_t at, std::size_t align) { return (at + align - 1) / align * align; }

}  // namespace

std::optional<Type> type_of(std::string_view word) {
#define ONEFOLD_NAME(name, bytes) #name
  constexpr std::string_view names[] = {ONEFOLD_PTX_TYPES(ONEFOLD_NAME)};
#undef ONEFOLD_NAME
  for (std::size_t k = 1; k < std::size(names); ++k) {
    if (names[k] == word) return static_cast<Type>(k);
  }
  return std::nullopt;
}

class Decoder {
 public:
  Decoder(const Function& f, const Module& m, Names& names, Line at, Code& code)
      : f_(f), module_(m), names_(names), at_(at), code_(code) {}

  void run() {
    const auto place = [&](const Variable& v) {
      code_.param_bytes = aligned(code_.param_bytes, std::max<std::size_t>(v.align, 8));
      params_[v.name] = {static_cast<uint32_t>(code_.param_bytes), static_cast<uint32_t>(v.bytes)};
      code_.param_bytes += std::max<std::size_t>(v.bytes, 8);
      return params_[v.name];
    };
    for (const Variable& v : f_.params) code_.arguments.push_back(place(v));
    for (const Variable& v : f_.results) code_.results.push_back(place(v));
    for (const Variable& v : f_.variables) {
      if (v.space == StateSpace::param) place(v);
      if (v.space != StateSpace::local) continue;
      code_.local_bytes = aligned(code_.local_bytes, std::max<std::size_t>(v.align, 1));
      locals_[v.name] = static_cast<uint32_t>(code_.local_bytes);
      code_.local_bytes += v.bytes;
    }
    code_.local_used = code_.local_bytes;
    code_.local_bytes = aligned(code_.local_bytes, frame_align);
    code_.param_bytes = aligned(code_.param_bytes, frame_align);
    code_.instructions.reserve(f_.body.size() + 1);
    for (const Statement& s : f_.body) instruction(s);
    // A body that ends without a ret returns there.
    static const Statement end{.opcode = "ret"};
    instruction(end);
    for (const auto& [at, targets] : tables_) {
      code_.instructions[at].target = static_cast<uint32_t>(code_.instructions.size());
      for (const std::string& name : targets) {
        code_.flows[at].targets.push_back(static_cast<uint32_t>(code_.instructions.size()));
        const Statement jump{.opcode = "bra",
                             .operands = {{.kind = Operand::Kind::symbol, .name = name}},
                             .at = f_.body[at].at,
                             .ptx_line = f_.body[at].ptx_line};
        instruction(jump);
      }
    }
    code_.instructions[f_.body.size()].at =
        f_.body.empty() ? sim::Caller{} : code_.instructions[f_.body.size() - 1].at;
    for (std::size_t k = code_.instructions.size() - 1; k-- != 0;) {
      Instruction* const i = &code_.instructions[k];
      if (i->plain == 0) continue;
      i->plain = static_cast<uint8_t>(std::min(i[1].plain + 1, 255));
      const unsigned beyond = i[1].plain == 255 ? i[255].flops : 0;
      i->plain_flops = static_cast<uint16_t>(i->flops + i[1].plain_flops - beyond);
    }
    code_.slots = slots_;
    code_.unset.assign(slots_, 0);
    code_.words.assign(slots_, 0);
    for (const auto& [name, slot] : registers_) {
      code_.unset[slot] = 0xff;
      const bool wide = name.starts_with("%rd") || name.starts_with("%fd");
      code_.words[slot] = name.starts_with("%p") ? 0 : wide ? 2 : 1;
    }
    code_.live = liveness_of(code_);
    mark_unread_exchanges(code_);
    mark_compared_loads(code_);
  }

  Line place(const Statement& s) const { return at_.file != 0 ? at_ : s.at; }
  static bool is_clock(const Operand& o) {
    return o.name.starts_with("%clock") || o.name.starts_with("%globaltimer");
  }
  void instruction(const Statement& s) {
    Decoding d(*this, s);
    const auto [op, plain] = find_op(d.base());
    if (op == nullptr) d.fail("is not supported");
    d.out.run = op->decode(d);
    if (d.out.run == nullptr) d.fail("is not supported with these modifiers");
    if (!d.all_taken()) d.fail(fmt::format("is not supported with .{}", d.next()));
    if (!s.guard.empty() && d.out.run != nullptr && !(d.out.flag && d.base() == "bra")) {
      d.out.guard = slot({.kind = Operand::Kind::reg, .name = s.guard}, Type::pred, d);
      d.out.guard_is = s.unless ? 0 : 1;
    }
    // An instruction's number in the PTX, by which a warp's lanes are aligned, and copies of one
    // source line distinguished.
    const auto number = static_cast<uint32_t>(s.ptx_line);
    const Line at = place(s);
    d.out.at = {module_.files[at.file].c_str(), uint64_t{at.line} << 32 | sim::by_number | number};
    const bool counted = s.opcode.find(".param") == std::string::npos &&
                         s.opcode.find(".local") == std::string::npos &&
                         s.opcode.find(".const") == std::string::npos;
    const auto base = d.base();
    if (counted && (base == "ld" || base == "st" || base == "atom" || base == "red")) {
      code_.narrowest = std::min<unsigned>(code_.narrowest, d.out.bytes);
    }
    // Lanes of tiles larger than a warp store one value to one address, and clear single bits of a
    // word that was never written; that is no flaw.
    d.out.of_groups = counted && s.of_groups;
    d.out.used = s.used_bytes;
    d.out.partly = s.used_bytes != ~0u;
    if (d.out.of_groups && !d.out.strong && (base == "ld" || base == "st")) {
      d.out.strong = d.out.of_block = true;
    }
    code_.scopes = code_.scopes || d.out.of_block;
    code_.by_order = code_.by_order || d.out.strong || base == "activemask" ||
                     std::any_of(s.operands.begin(), s.operands.end(), is_clock);
    d.out.plain = plain && d.out.guard == no_slot ? 1 : 0;
    d.out.flops = flops_of(s.opcode, base);
    code_.instructions.push_back(d.out);
    code_.flows.push_back(flow_of(s, d.out, [&](const std::string& name) {
      const auto at = registers_.find(name);
      return at == registers_.end() ? no_slot : at->second;
    }));
    const bool own = d.out.space == StateSpace::local || d.out.space == StateSpace::generic;
    code_.reads_local = code_.reads_local || (base == "ld" && own);
  }

  uint32_t slot(const Operand& o, Type type, const Decoding& d) {
    switch (o.kind) {
      case Operand::Kind::nothing:
        return scrap();
      case Operand::Kind::integer:
        if (type == Type::pred) return constant(o.bits == 0 ? 0 : 1);  // NVRTC writes true as -1
        if (type == Type::f32) return constant(bits_of(static_cast<float>(int64_t(o.bits))));
        if (type == Type::f64) return constant(bits_of(static_cast<double>(int64_t(o.bits))));
        return constant(o.bits);
      case Operand::Kind::f32:
        return constant(type == Type::f64 ? bits_of(double(float_of(o.bits))) : o.bits);
      case Operand::Kind::f64:
        return constant(type == Type::f32
                            ? bits_of(static_cast<float>(std::bit_cast<double>(o.bits)))
                            : o.bits);
      case Operand::Kind::reg: {
        for (const Special& s : specials) {
          if (s.name == o.name) return fixed(s);
        }
        return reg(o.name, d);
      }
      case Operand::Kind::symbol:
        if (is_register(o.name)) return reg(o.name, d);  // in inline assembly, without its %
        return symbol(o.name, o.offset, d);
      case Operand::Kind::address:
      case Operand::Kind::vector:
        break;
    }
    d.fail("has an operand that is not supported here");
  }

  // Returns whether it is declared by itself, or among several: %r1 of %r<5>.
  bool is_register(const std::string& name) const {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return f_.registers.contains(name) ||
           (digits != name.size() && f_.registers.contains(name.substr(0, digits)));
  }

  uint32_t symbol(const std::string& name, int64_t offset, const Decoding& d) {
    if (name == "WARP_SZ") return constant(32);
    const auto by_frame = [&](auto& list, uint32_t at) {
      for (const auto& [slot, value] : list) {
        if (value == at) return slot;
      }
      list.emplace_back(slots_, at);
      return slots_++;
    };
    if (const auto l = locals_.find(name); l != locals_.end()) {
      return by_frame(code_.locals, l->second + static_cast<uint32_t>(offset));
    }
    if (const auto p = params_.find(name); p != params_.end()) {
      return by_frame(code_.params, p->second.offset + static_cast<uint32_t>(offset));
    }
    const auto address = names_.address(name);
    if (!address) d.fail(fmt::format("names {}, which is not defined", name));
    return constant(*address + static_cast<uint64_t>(offset));
  }

  uint32_t constant(uint64_t bits) {
    const auto [at, fresh] = constants_.try_emplace(bits, slots_);
    if (fresh) code_.constants.emplace_back(slots_++, bits);
    return at->second;
  }
  uint32_t fixed(const Special& s) {
    for (const auto& [slot, which] : code_.specials) {
      if (which == &s) return slot;
    }
    code_.specials.emplace_back(slots_, &s);
    return slots_++;
  }
  uint32_t scrap() {
    if (scrap_ == no_slot) scrap_ = slots_++;
    return scrap_;
  }

  const Function& f_;
  const Module& module_;
  Names& names_;
  Line at_;
  Code& code_;
  std::map<std::string, Code::Field, std::less<>> params_;

 private:
  static uint64_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }
  static uint64_t bits_of(double v) { return std::bit_cast<uint64_t>(v); }
  static float float_of(uint64_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b)); }

  uint32_t reg(const std::string& name, const Decoding& d) {
    if (const auto at = registers_.find(name); at != registers_.end()) return at->second;
    if (!is_register(name)) d.fail(fmt::format("uses register {}, which is not declared", name));
    return registers_[name] = slots_++;
  }

  std::map<std::string, uint32_t, std::less<>> locals_;
  std::unordered_map<std::string, uint32_t> registers_;
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::vector<std::pair<std::size_t, std::vector<std::string>>> tables_;
  uint32_t slots_ = 0, scrap_ = no_slot;
  friend class Decoding;
};

Decoding::Decoding(Decoder& decoder, const Statement& s) : decoder_(&decoder), statement_(&s) {
  std::string_view rest = s.opcode;
  const auto word = [&] {
    const auto dot = rest.find('.');
    const std::string_view w = rest.substr(0, dot);
    rest = dot == rest.npos ? "" : rest.substr(dot + 1);
    return w;
  };
  base_ = word();
  while (!rest.empty()) modifiers_.push_back(word());
}

bool Decoding::take(std::string_view modifier) {
  const auto at = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (at == modifiers_.end()) return false;
  modifiers_.erase(at);
  return true;
}
std::string_view Decoding::take_any(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view m : modifiers) {
    if (take(m)) return m;
  }
  return "";
}
std::optional<Type> Decoding::maybe_type() {
  for (auto at = modifiers_.begin(); at != modifiers_.end(); ++at) {
    if (const auto t = type_of(*at)) {
      modifiers_.erase(at);
      return t;
    }
  }
  return std::nullopt;
}
Type Decoding::type() {
  const auto t = maybe_type();
  if (!t) fail("has no type");
  return *t;
}
const Operand& Decoding::operand(std::size_t k) const {
  if (k >= operands()) fail(fmt::format("has {} operands, too few", operands()));
  return statement_->operands[k];
}
void Decoding::expect(std::size_t count) const {
  if (operands() != count) fail(fmt::format("has {} operands, not {}", operands(), count));
}
uint32_t Decoding::slot(const Operand& o, Type type) { return decoder_->slot(o, type, *this); }
uint32_t Decoding::constant(uint64_t bits) { return decoder_->constant(bits); }
void Decoding::slots(std::initializer_list<Type> types) {
  expect(types.size());
  std::size_t k = 0;
  for (const Type t : types) {
    out.r[k] = slot(k, t);
    ++k;
  }
}
void Decoding::address(std::size_t k) {
  const Operand& o = operand(k);
  if (o.kind != Operand::Kind::address) fail("needs an address in brackets");
  if (!o.parts.empty()) fail("has an address of several coordinates, which is not supported");
  if (o.name.empty()) {
    out.r[7] = constant(o.bits);
    out.offset = o.offset;
  } else if (o.name[0] == '%' || decoder_->is_register(o.name)) {
    out.r[7] = slot(Operand{.kind = Operand::Kind::reg, .name = o.name}, Type::u64);
    out.offset = o.offset;
  } else {
    out.r[7] = decoder_->symbol(o.name, o.offset, *this);
  }
}
uint32_t Decoding::label(const Operand& o) const {
  const auto& labels = decoder_->f_.labels;
  const auto at = labels.find(o.name);
  if (at == labels.end()) fail(fmt::format("jumps to {}, which is not defined", o.name));
  return at->second;
}
const std::vector<std::string>& Decoding::targets(std::string_view name) const {
  const auto at = decoder_->f_.targets.find(std::string(name));
  if (at == decoder_->f_.targets.end())
    fail(fmt::format("jumps to {}, which is not defined", name));
  return at->second;
}
std::optional<Code::Field> Decoding::param(std::string_view name) const {
  const auto at = decoder_->params_.find(name);
  if (at == decoder_->params_.end()) return std::nullopt;
  return at->second;
}
bool Decoding::in_kernel() const { return decoder_->f_.entry; }
uint32_t Decoding::table(const std::vector<std::string>& targets) {
  decoder_->tables_.emplace_back(decoder_->code_.instructions.size(), targets);
  return 0;
}
Names& Decoding::names() const { return decoder_->names_; }
Line Decoding::at() const { return decoder_->place(*statement_); }

void Decoding::fail(const std::string& why) const {
  const Module& m = decoder_->module_;
  std::string at = m.place(statement_->at);
  if (statement_->at.file != 0) at += fmt::format(", line {} of the PTX", statement_->ptx_line);
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: instruction {} {}", at, statement_->opcode, why));
}

void decode(const Function& f, const Module& module, Names& names, Line at, Code& into) {
  into.name = f.name;
  Decoder(f, module, names, at, into).run();
}

}  // namespace onefold::lab::ptx
