// The states of many slices: an array of states, one for each slice of a fold along some axes.
//
//   States s = gather_states("mean,var", part, {.axes = {0}});   // of each pixel of some images
//   s.merge(others);                                             // pixel by pixel
//   Answers a = s.answer("mean,var", {.ddof = 1});
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// Every law of State holds for each element. All slices hold the same words of a state: those that
// some slice uses. For f64 like N(0,1) a slice takes 56 bytes for sums, and 104 for mean and var,
// instead of 560 and 1,700.
class States {
 public:
  // Empty States, without slices or kind: merging into it copies.
  States();
  ~States();
  States(const States&);
  States(States&&) noexcept;
  States& operator=(const States&);
  States& operator=(States&&) noexcept;

  // throws  shape_mismatch: of other slices; else as State::merge. The states are then as they were
  void merge(const States& other);
  // Slice by slice as State::remove; shape_mismatch: of other slices
  void remove(const States& other);
  // throws  as State::answer
  Answers answer(std::string_view ops, const Options& options = {}) const;
  // The state of a slice, by its number in C order; throws bad_option: there are not so many
  State operator[](Size slice) const;
  std::vector<std::byte> save() const;
  std::string digest() const;  // SHA-256 of save(), as hexadecimal digits
  // throws bad_state: also for words that no data can give
  static States load(std::span<const std::byte> bytes);

  DType dtype() const;
  NanPolicy nan() const;
  const Dims& shape() const;  // of the array, without the folded axes (1 there with keepdims)
  Size size() const;          // slices
  Size bytes() const;         // held in memory
  Size count() const;         // elements of the largest slice
  friend bool operator==(const States&, const States&);

  struct Impl;
  explicit States(std::unique_ptr<Impl>);

 private:
  friend class StatesMessage;  // message.hpp
  const Impl& held() const;
  std::unique_ptr<Impl> impl_;
};

// Gathers the slices of `part` along options.axes.
//   first   the index of the part's first element in each slice, in C order. If an op answers with
//           an index, a part must be whole rows of the first folded axis
//   throws  as gather; bad_option: .fweights, a .first within such a row
//   cost    one pass
States gather_states(std::string_view ops, const ArrayRef& part, const Options& options = {});
States gather_states(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
                     const Options& options = {});

}  // namespace onefold
