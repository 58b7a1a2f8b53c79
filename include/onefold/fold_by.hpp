// Folds by keys: an answer for each key, whatever the order of the elements.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// The answers of groups in the order of their keys, each key once.
struct Groups {
  std::vector<std::byte> keys;  // of the type that they were given in
  DType key_type = DType::i64;
  Answers answers;  // one dimension

  Size size() const { return keys.size() / bytes_of(key_type); }
  // throws type_mismatch
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
//   x       one dimension
//   throws  bad_option: an op with an index or of two arrays, keys that are floats, .axes, .where,
//           .initial, a device; shape_mismatch
//   memory  of each group its key and those words of a state that any group uses: about 100 bytes
//           for mean and var of like-sized f64
//   cost    one pass of one thread
Groups fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x,
               const Options& options = {});

}  // namespace onefold
