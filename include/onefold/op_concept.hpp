// What an op is: a named answer computed from accumulators when the data are through.
#pragma once

#include "onefold/gathered.hpp"

namespace onefold {

// The type of an op's answer, by the kind of its input.
struct ResultTypes {
  DType boolean, signed_integer, unsigned_integer, floating;
  bool same_boolean = false, same_integer = false, same_floating = true;  // the input's own type

  ONEFOLD_FN constexpr DType of(DType t) const {
    switch (kind_of(t)) {
      case Kind::boolean:
        return same_boolean ? t : boolean;
      case Kind::signed_integer:
        return same_integer ? t : signed_integer;
      case Kind::unsigned_integer:
        return same_integer ? t : unsigned_integer;
      case Kind::floating:
        return same_floating ? t : floating;
    }
    return t;
  }
};

// The columns of the contract's table that more than one op has.
inline constexpr ResultTypes same_type{.boolean = DType::boolean,
                                       .signed_integer = DType::i64,
                                       .unsigned_integer = DType::u64,
                                       .floating = DType::f64,
                                       .same_boolean = true,
                                       .same_integer = true};
inline constexpr ResultTypes signed_sums{.boolean = DType::i64,
                                         .signed_integer = DType::i64,
                                         .unsigned_integer = DType::u64,
                                         .floating = DType::f64};
inline constexpr ResultTypes unsigned_sums{.boolean = DType::u64,
                                           .signed_integer = DType::u64,
                                           .unsigned_integer = DType::u64,
                                           .floating = DType::f64};
inline constexpr ResultTypes fractions{.boolean = DType::f64,
                                       .signed_integer = DType::f64,
                                       .unsigned_integer = DType::f64,
                                       .floating = DType::f64};
ONEFOLD_FN constexpr ResultTypes always(DType t) {
  return {.boolean = t,
          .signed_integer = t,
          .unsigned_integer = t,
          .floating = t,
          .same_floating = false};
}

struct OpFacts {
  const char* idea;         // one sentence
  Accumulators needs;       // what must be gathered
  ResultTypes result;       // the type of the answer
  bool uses_index = false;  // does the answer depend on where an element stands?
  int inputs = 1;
  bool takes_initial = false;  // one more element has a meaning
  friend constexpr bool operator==(const OpFacts& a, const OpFacts& b) { return &a == &b; }
};

// An op is a struct with `about` and `finish`; its name is its file's. The struct has an underscore
// at its end because one of them is called std.
#if !defined(__CUDACC_RTC__)
template <class T>
concept OpDefinition = requires(const Gathered& g) {
  static_cast<const OpFacts&>(T::about);
  static_cast<Real>(T::finish(g));
};
#endif

}  // namespace onefold
