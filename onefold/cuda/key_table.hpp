// Numbers the distinct keys of an array on a device.
#pragma once

#include <optional>

#include "onefold/array.hpp"
#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/labels/keys.hpp"

namespace onefold::cuda_backend {

class KeyTable {
 public:
  // Finds the distinct keys, sorts them, and numbers the elements; waits for that.
  //   plan     has the keys' device, stream and type
  //   keys     one dimension, on the device or the host
  //   numbers  device address for the elements' numbers; 0: this object's own memory
  //   slots    of the first table; each later one has 16 times as many. 2^21 slots are 16 MiB,
  //            which an L2 cache holds
  //   throws   bad_option: a captured stream, more than 2^30 distinct keys; no_backend,
  //            device_failed, out_of_memory
  KeyTable(const Plan& plan, const ArrayRef& keys, uint64_t numbers, Size slots = Size{1} << 21);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  Size size() const { return input_.found + input_.has_top; }
  bool has_nan() const { return input_.has_top != 0 && input_.kind == kernel::KeyKind::floating; }
  uint64_t numbers() const { return input_.numbers; }
  // Copies the numbers to the host.
  void copy_numbers(int32_t* to) const;
  // Writes the distinct keys to the host or the device; waits for that.
  void write_keys(void* to) const;

 private:
  using KeyInput = kernel::KeyNumbers<HostArguments>;
  void build(const ArrayRef& keys, uint64_t numbers, Size slots);
  void free();
  void launch(kernel::KeyStep step, Size items) const;
  bool find(Workspace& workspace, Size slots);
  void find_from(Size from, Size end);
  void sort();
  void number();

  Plan plan_;
  Engine& engine_;
  void* stream_ = nullptr;
  void* kernel_ = nullptr;
  mutable KeyInput input_{};  // a launch sets its step
  std::optional<Piece> images_, own_, given_, table_;
};

}  // namespace onefold::cuda_backend
