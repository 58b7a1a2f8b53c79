// Turns an opcode into a handler. Each file of op/ lists its opcodes. A modifier that no handler
// reads is an error, so an instruction never runs as another one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lab/ptx/code.hpp"

namespace onefold::lab::ptx {

// Types with their bytes, in an order that is_signed and is_float count on.
#define ONEFOLD_PTX_TYPES(T)                                                                     \
  T(none, 0), T(pred, 1), T(u8, 1), T(u16, 2), T(u32, 4), T(u64, 8), T(s8, 1), T(s16, 2),        \
      T(s32, 4), T(s64, 8), T(b8, 1), T(b16, 2), T(b32, 4), T(b64, 8), T(b128, 16), T(u16x2, 4), \
      T(s16x2, 4), T(f16, 2), T(f16x2, 4), T(bf16, 2), T(bf16x2, 4), T(f32, 4), T(f64, 8)
#define ONEFOLD_TYPE(name, bytes) name
enum class Type : uint8_t { ONEFOLD_PTX_TYPES(ONEFOLD_TYPE) };
#undef ONEFOLD_TYPE
std::optional<Type> type_of(std::string_view word);
constexpr unsigned bytes_of(Type t) {
#define ONEFOLD_BYTES(name, bytes) bytes
  constexpr unsigned bytes[] = {ONEFOLD_PTX_TYPES(ONEFOLD_BYTES)};
#undef ONEFOLD_BYTES
  return bytes[static_cast<unsigned>(t)];
}
constexpr bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
constexpr bool is_float(Type t) { return t >= Type::f16; }

// Finds the addresses of symbols, and the functions that calls lead to.
class Names {
 public:
  virtual std::optional<uint64_t> address(std::string_view symbol) const = 0;  // in its state space
  // `from`: where it is called. Code of a header's function, which is none of the user's lines,
  // counts for that line. Null: there is no such function.
  virtual const Code* code(std::string_view function, Line from) = 0;
  virtual const Function* function(std::string_view name) const = 0;
  virtual Call* new_call() = 0;

 protected:
  ~Names() = default;
};

class Decoder;

// A statement that is being turned into an instruction.
class Decoding {
 public:
  Decoding(Decoder& decoder, const Statement& s);

  std::string_view base() const { return base_; }
  const Statement& statement() const { return *statement_; }
  bool take(std::string_view modifier);  // returns whether it is there
  std::string_view take_any(std::initializer_list<std::string_view> modifiers);  // "" if none is
  Type type();  // takes the next modifier that is a type; fails if there is none
  std::optional<Type> maybe_type();
  std::string_view next() const { return modifiers_.empty() ? "" : modifiers_.front(); }
  bool all_taken() const { return modifiers_.empty(); }

  std::size_t operands() const { return statement_->operands.size(); }
  const Operand& operand(std::size_t k) const;
  bool is(std::size_t k, Operand::Kind kind) const {
    return k < operands() && operand(k).kind == kind;
  }
  void expect(std::size_t count) const;  // fails unless there are so many operands
  // Returns the slot of an operand; a number becomes a constant of this type.
  uint32_t slot(const Operand& o, Type type);
  uint32_t slot(std::size_t k, Type type) { return slot(operand(k), type); }
  uint32_t constant(uint64_t bits);
  // Puts operands 0, 1, ... into the instruction's slots; all but the result have the same type.
  void slots(std::initializer_list<Type> types);
  void address(std::size_t k);  // sets r[7], the base, and the offset
  uint32_t label(const Operand& o) const;
  const std::vector<std::string>& targets(std::string_view name) const;
  uint32_t table(const std::vector<std::string>& targets);        // of jumps, for this instruction
  std::optional<Code::Field> param(std::string_view name) const;  // a param of the frame
  bool in_kernel() const;  // not in a function that kernels call
  Names& names() const;
  Line at() const;  // its line in the kernel's source

  [[noreturn]] void fail(const std::string& why) const;

  Instruction out;

 private:
  Decoder* decoder_;
  const Statement* statement_;
  std::string_view base_;
  std::vector<std::string_view> modifiers_;
};

struct Op {
  std::string_view base;
  Handler (*decode)(Decoding& d);
};
extern const std::span<const Op> integer_ops, bit_ops, float_ops, half_ops, move_ops, convert_ops,
    compare_ops, memory_ops, bulk_ops, atomic_ops, control_ops, warp_ops;
// Counts as a profiler does: each operation that rounds, a multiplication with an addition twice.
uint8_t flops_of(std::string_view opcode, std::string_view base);

// Makes code from a function's body. `at`: the line that all of it counts for; file 0: its own.
//   throws  unsupported, which names the instruction and its line
void decode(const Function& f, const Module& module, Names& names, Line at, Code& into);

}  // namespace onefold::lab::ptx
