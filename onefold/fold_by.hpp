// Folds by keys: each key gets one answer; the order of the elements does not matter.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// The answers of groups, in ascending order of their keys; each key occurs once.
struct Groups {
  std::vector<std::byte> keys;  // one for each group, of the caller's key type
  DType key_type = DType::i64;
  Answers answers;  // arrays of one dimension, with one answer for each group

  Size size() const { return keys.size() / bytes_of(key_type); }
  // Returns the keys as numbers of type T. throws type_mismatch: keys have another type
  template <class T>
  std::span<const T> keys_as() const {
    check(dtype_of<T>);
    return {reinterpret_cast<const T*>(keys.data()), size()};
  }

 private:
  void check(DType asked) const;
};

// Folds x[i] into the group of keys[i].
//   keys    integers or bools, one dimension, as many as x; any strides
//   x       one dimension; .where, .weights and .fweights broadcast to it
//   throws  bad_option: an op with an index, keys that are floats, .axes, .initial; shape_mismatch;
//           on a device as NumberedKeys does
//   device  if .device is one, or the keys or x are on one: a hash table numbers the keys there
//           (numbered_keys.hpp, also for keys of several arrays), and labels are folded. Waits
//   memory  for each group its key, and those words of a state that at least one group uses: about
//           100 bytes for mean and var of f64 of similar magnitude. With .where, .weights,
//           .fweights or y, which are for arrays of the host: 4 bytes an element, and copies of all
//           arrays, sorted by counting, unless keys ascend
//   cost    on a processor one pass of one thread; ascending keys are folded as segments, by all
//           threads
Groups fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x,
               const Options& options = {});
// Folds pairs x[i], y[i], for ops of two arrays.
Groups fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x, const ArrayRef& y,
               const Options& options = {});

// Says that keys are numbers of groups: fold_by("mean", labels, x, {.groups = 10}).
struct Labels {
  Size groups;
  Options options = {};
  bool deferred = false;  // only fold_by_into reads it
};

// Folds x[i] into the group with number labels[i]; no key is searched for.
//   labels  integers or bools, 0 .. groups - 1, of any strides; on a device if x is on a device
//   answers one for each group, in the order of their numbers; a group may have no element
//   throws  as fold_by, but devices are allowed; bad_option: a label that is no group's number
//           (found before anything is folded, or later if a label is changed meanwhile); 2^32
//           groups or more
//   memory  sum and mean of f32 and f64: 16 bytes a group, for a mean 4 more; otherwise 16 bytes a
//           group and a copy of x, sorted by counting, unless labels ascend; with .weights and
//           others as by keys
//   cost    sums of f32 and f64 of similar magnitude: one pass by one thread; otherwise one thread,
//           or a device, sorts in two passes over the labels and one over both, and all threads
//           fold the segments
Answers fold_by(std::string_view ops, const ArrayRef& labels, const ArrayRef& x, const Labels& how);
Answers fold_by(std::string_view ops, const ArrayRef& labels, const ArrayRef& x, const ArrayRef& y,
                const Labels& how);

// Does the same, and writes the answers to the device's memory: outputs of shape (groups), with
// statuses. The call waits until all labels are checked; if one is bad, nothing is written.
//   deferred  the call queues its work, waits for nothing, and can be captured in a graph. x, the
//             labels and the outputs are on the device. If a label is bad, all answers are 0 with
//             the status bad_offsets
//   memory    a deferred call's memory is kept with its stream or graph
void fold_by_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& labels,
                  const ArrayRef& x, const Labels& how);

}  // namespace onefold
