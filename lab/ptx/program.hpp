// The kernels of a module with all that they need: decoded functions, and variables with addresses.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <tuple>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/mangled.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {

class Program final : private Names {
 public:
  // `kernels`: names as users write them, or mangled. `variables`: of what main() names, which is
  // there even if no kernel uses it.
  //   throws  unsupported: there is no such kernel, or it cannot run
  Program(const Module& module, std::span<const std::string> kernels,
          std::span<const std::string> variables = {});
  Program(const Program&) = delete;

  const Function& kernel(std::size_t k) const { return *kernels_[k]; }
  const Code& code(std::size_t k) const { return *by_place_.at({kernels_[k], 0, 0}); }
  // Estimates the registers of a thread; an assembler may need some more, or fewer.
  unsigned registers(std::size_t k) const;
  // Bytes of static shared memory that kernel k uses, as on a GPU.
  std::size_t static_shared(std::size_t k) const { return shared_of_[k].bytes; }
  std::size_t constant_bytes() const { return constant_bytes_; }
  std::size_t dynamic_at() const { return shared_end_; }  // with gaps, as on this machine
  unsigned grain(unsigned element) const;                 // bytes a shadow cell
  std::size_t reserved() const;  // bytes of shared memory that cooperative groups use
  bool scopes() const;           // whether there are fences with block scope
  // Whether it makes sense to let blocks and warps interleave: the order of strong accesses shows.
  bool decides() const;
  bool by_order() const;  // whether results may depend on which thread is first
  // Puts the module's variables into memory. `arrays`: those of the module come first.
  void place(Running& run, std::vector<sim::Space*>& arrays) const;
  // Sets everything for a launch of kernel k except its arguments.
  void prepare(Running& run, std::size_t k, Dim grid, Dim block, std::size_t shared_bytes) const;
  // Returns the variable at an offset in shared memory, and the distance into it. Before the first
  // variable it is that one; null if there is none.
  std::pair<const Variable*, int64_t> shared_at(int64_t offset) const;
  // Variables of shared memory with their offsets, ascending.
  const auto& shared_variables() const { return shared_; }
  std::pair<const Variable*, int64_t> constant_at(int64_t offset) const;  // the same for constants
  const Variable* global(std::string_view name) const;  // of the module; null: there is none
  // Where a variable of the module is: an address, or an offset in the constants.
  struct PlaceOf {
    uint64_t at = 0;
    std::size_t bytes = 0;
    bool constant = false;
  };
  std::optional<PlaceOf> place_of(std::string_view name) const;

 private:
  std::optional<uint64_t> address(std::string_view symbol) const override;
  const Code* code(std::string_view function, Line from) override;
  const Function* function(std::string_view name) const override { return module_.find(name); }
  Call* new_call() override { return &calls_.emplace_back(); }

  // What one kernel has of the shared memory that is laid out for all of them.
  struct SharedOf {
    std::size_t bytes = 0;  // of static variables
    Gaps gaps{};            // padding, and variables of other kernels
  };
  SharedOf shared_of(const Function* kernel) const;
  const Variable* variable(std::string_view name) const;
  void reach(std::vector<const Function*> left, std::set<const Function*>& seen,
             std::set<std::string>& symbols) const;
  void put_shared(const Variable& v, std::size_t align);
  void lay_out(const std::set<std::string>& symbols, const std::set<const Function*>& functions);
  std::vector<unsigned char> contents(const Variable& v) const;
  void number_places();
  bool leads(uint32_t from, uint32_t to) const;  // see sim::Engine::know
  bool may_be_unset() const;                     // registers or local memory, when they are read

  const Module& module_;
  std::vector<const Function*> kernels_;
  std::map<std::string, uint64_t, std::less<>> addresses_;
  std::vector<const Variable*> globals_;
  std::vector<std::pair<std::size_t, const Variable*>> shared_;
  std::vector<std::pair<std::size_t, const Variable*>> constants_;
  std::size_t constant_bytes_ = 0, static_shared_ = 0, shared_end_ = 0;
  Gaps gaps_, constant_gaps_;
  std::vector<SharedOf> shared_of_;  // of each kernel
  std::deque<std::unique_ptr<Code>> codes_;
  // By function, and by the file and line from which a header's function is called.
  std::map<std::tuple<const Function*, uint32_t, uint32_t>, const Code*> by_place_;
  std::vector<const Code*> functions_;  // by address
  std::deque<Call> calls_;
  std::vector<sim::Site> places_;  // of instructions
  mutable std::map<std::pair<uint32_t, uint32_t>, bool> known_ways_;
  bool watches_unset_ = false;
};

}  // namespace onefold::lab::ptx
