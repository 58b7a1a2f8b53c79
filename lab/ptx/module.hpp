// A PTX module as text has it: variables, functions, statements. This layer does not know what
// instructions do.
//
//   source   NVIDIA, PTX ISA 9.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::lab::ptx {

enum class StateSpace : uint8_t { generic, global, shared, local, param, constant };

// A line of the kernel's source, or of the PTX if the compiler gave none.
struct Line {
  uint32_t file = 0, line = 0;  // file: an index of Module::files
};

struct Operand {
  enum class Kind : uint8_t { reg, integer, f32, f64, symbol, address, vector, nothing };
  Kind kind = Kind::nothing;
  bool negated = false;          // !%p
  uint64_t bits = 0;             // a number's bits
  std::string name{};            // a register's or symbol's name; of an address, its base
  int64_t offset = 0;            // added to an address or symbol
  std::vector<Operand> parts{};  // parts of a vector; or the second of a pair d|p
};

struct Statement {
  std::string opcode{};  // with its modifiers: "ld.global.v4.f32"
  std::string guard{};   // a predicate, or empty
  bool unless = false;   // @!p
  std::vector<Operand> operands{};
  Line at{};
  uint32_t ptx_line = 0;
  bool of_groups = false;  // from a header of cooperative groups
  uint32_t used_bytes =
      ~0u;  // for a load: a bit for each byte that is used; other bytes pad a struct
};

struct Variable {
  std::string name{};
  StateSpace space{};
  uint32_t align = 1;
  uint32_t element = 1;  // bytes
  std::size_t bytes = 0;
  bool is_extern = false;
  bool floating = false;
  std::vector<unsigned char> contents{};                         // shorter than bytes: zeros follow
  std::vector<std::pair<std::size_t, std::string>> addresses{};  // (position in contents, symbol)
};

struct Function {
  std::string name{};
  bool entry = false, defined = false;
  uint64_t most_threads = 0;  // the largest block by __launch_bounds__; 0: any
  std::vector<Variable> results{}, params{};
  std::vector<Variable> variables{};  // variables declared in its body: local, shared and param
  std::vector<Statement> body{};
  std::map<std::string, uint32_t, std::less<>> labels{};      // name, index in body
  std::map<std::string, std::vector<std::string>> targets{};  // lists of labels for brx.idx
  std::map<std::string, unsigned, std::less<>> registers{};   // name or prefix, and how many
  Line at{};
};

struct Module {
  std::vector<std::string> files{""};
  std::vector<Variable> variables{};
  std::vector<Function> functions{};
  std::string target{};

  const Function* find(std::string_view name) const {
    for (const Function& f : functions) {
      if (f.name == name) return &f;
    }
    return nullptr;
  }
  std::string place(Line at) const;  // returns for example "reduce.cu:12"
};

// Parses PTX. `name` is its name in errors; `source` is the .cu file whose lines matter, or empty.
//   throws  unsupported, which names the line of the PTX
Module parse(std::string_view text, const std::string& name, const std::string& source);

}  // namespace onefold::lab::ptx
