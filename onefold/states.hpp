// The states of many slices: an array of states, one for each slice of a fold along some axes.
//
//   States s = gather_states("mean,var", part, {.axes = {0}});   // a state for each pixel
//   s.merge(others);                                             // pixel by pixel
//   Answers a = s.answer("mean,var", {.ddof = 1});
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// Every law of State holds for each slice. All slices hold the same words of a state: those that at
// least one slice uses. For f64 like N(0,1) a slice takes 56 bytes for sums, and 104 for mean and
// var, instead of 560 and 1,700.
class States {
 public:
  // Empty States, without slices or kind: merging into it copies.
  States();
  ~States();
  States(const States&);
  States(States&&) noexcept;
  States& operator=(const States&);
  States& operator=(States&&) noexcept;

  // throws  shape_mismatch: other slices; else as State::merge. The states are then unchanged
  void merge(const States& other);
  // Removes slice by slice, as State::remove does. Throws shape_mismatch: other slices
  void remove(const States& other);
  // throws  as State::answer
  Answers answer(std::string_view ops, const Options& options = {}) const;
  // Returns the state of a slice, by its number in C order. Throws bad_option: no such slice
  State operator[](Size slice) const;
  std::vector<std::byte> save() const;
  std::string digest() const;  // SHA-256 of save(), as hexadecimal digits
  // throws bad_state: the bytes are no states, or no data can give their words
  static States load(std::span<const std::byte> bytes);

  DType dtype() const;
  NanPolicy nan() const;
  const Dims& shape() const;  // the array's shape without the folded axes (keepdims: 1 there)
  Size size() const;          // the number of slices
  Size bytes() const;         // the bytes that it takes in memory
  Size count() const;         // the number of elements of the largest slice
  friend bool operator==(const States&, const States&);

  struct Impl;
  explicit States(std::unique_ptr<Impl>);

 private:
  friend class StatesMessage;  // defined in message.hpp
  const Impl& held() const;
  std::unique_ptr<Impl> impl_;
};

// Gathers the slices of the request's array along options.axes.
//   first   the index, in C order, of the part's first element within each slice. If an op answers
//           with an index, a part must be whole rows of the first folded axis
//   parts   rows of one array: the axes contain its first
//   throws  as gather; bad_option: .fweights, a .first within such a row, parts of a first axis
//           that is kept, since each would then have its own answers
//   cost    one pass
States gather_states(const Request& request);
States gather_states(std::string_view ops, const ArrayRef& part, const Options& options = {});
States gather_states(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
                     const Options& options = {});

}  // namespace onefold
