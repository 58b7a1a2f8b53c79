// Keys on a GPU as labels: fold_by(ops, keys.labels(), x, {.groups = keys.size()}).
#pragma once

#include <memory>
#include <string_view>

#include "onefold/array.hpp"
#include "onefold/options.hpp"

namespace onefold {

// Gives each distinct key a number: 0, 1, .. in ascending order of the keys. Any number of arrays
// can then be folded by these labels.
class NumberedKeys {
 public:
  // Numbers the keys, and waits for that.
  //   ops      begins error messages
  //   keys     one dimension, any stride, on the device or the host. Floats: -0 is 0, and all NaN
  //            are one key, the last
  //   options  .device and .stream are used
  //   labels   memory on the device for as many i32, contiguous; null: memory of the object
  //   throws   shape_mismatch; misaligned; bad_option: the device is a processor or several
  //            devices, more than 2^30 distinct keys; no_backend, device_failed, out_of_memory
  //   memory   meanwhile 25 MB, or for more than 2^20 distinct keys 32 to 400 bytes for each, but
  //            at most 64 bytes for each element; afterwards 8 to 16 for each distinct key
  NumberedKeys(std::string_view ops, const ArrayRef& keys, const Options& options = {},
               int32_t* labels = nullptr);
  ~NumberedKeys();
  NumberedKeys(NumberedKeys&&) noexcept;
  NumberedKeys& operator=(NumberedKeys&&) noexcept;

  Size size() const;        // the number of distinct keys
  bool has_nan() const;     // whether the last one is NaN
  ArrayRef labels() const;  // i32, on the device
  void copy_labels(int32_t* host) const;
  // Writes the distinct keys, of the keys' type, to memory on the host or the device.
  void write_keys(void* to) const;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace onefold
