// The facts of an op, which its file declares for all lists, languages and backends.
#pragma once

#include "onefold/core/accumulators.hpp"
#include "onefold/core/dtype.hpp"
#include "onefold/core/exact/real.hpp"

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

// Result types that several ops share; docs/numerics.md lists those of every op.
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

// The rounding steps of an answer that is a total, a quotient, a root, or the root of a quotient by
// one number. A quotient by two numbers, such as n (n - ddof), needs two divisions.
inline constexpr RoundingSteps as_total{.quotient = false, .second_quotient = false, .root = false};
inline constexpr RoundingSteps as_quotient{.second_quotient = false, .root = false};
inline constexpr RoundingSteps as_two_quotients{.root = false};
inline constexpr RoundingSteps as_root{.quotient = false, .second_quotient = false};
inline constexpr RoundingSteps as_root_of_quotient{.second_quotient = false};
// For `round`, which then has code for these steps only.
template <RoundingSteps only>
struct Taking {
  static constexpr RoundingSteps steps = only;
};

// The facts of an op that every list, language and backend reads. A test compares each fact with
// what `finish` does (tests/law/test_op_facts.cpp). Defaults are safe: all rounding steps, no
// shortcut.
struct OpFacts {
  const char* idea;          // one sentence for users
  Accumulators needs;        // the accumulators to gather
  ResultTypes result;        // the type of the answer
  RoundingSteps steps = {};  // the steps that rounding may take; kernels compile only these
  int inputs = 1;            // the number of arrays that it reads: 1 or 2
  bool uses_index = false;   // the answer depends on the index of an element
  bool uses_ddof = false;
  bool estimates = false;      // ddof is 0, or 1 for the estimate from a sample, without bias
  bool takes_initial = false;  // .initial, one more element, is allowed
  bool takes_weights = false;  // the second array may be given as weights
  bool needs_element = false;  // without elements the status is empty_input
  // For n elements x an integer answer is at most n max|x|^degree. 0: its type always holds it.
  int degree = 2;
  // The op that combines answers of parts into the whole answer; null: only states can be merged.
  const char* merged_by = nullptr;
  // For an op that answers with an index: the op that answers with that element. Otherwise null.
  const char* index_of = nullptr;
  friend constexpr bool operator==(const OpFacts& a, const OpFacts& b) { return &a == &b; }
};

// With fewer elements of type t than this number, an integer answer never overflows.
ONEFOLD_FN constexpr Size elements_that_fit(const OpFacts& about, DType t) {
  const DType result = about.result.of(t);
  if (is_floating(t) || is_floating(result) || result == DType::boolean || about.degree == 0) {
    return none;
  }
  const int sign = kind_of(t) == Kind::signed_integer ? 1 : 0;
  const int bits = t == DType::boolean ? 0 : static_cast<int>(8 * bytes_of(t)) - sign;
  const int room = kind_of(result) == Kind::signed_integer ? 63 : 64;
  const int left = room - about.degree * bits;
  return left <= 0 ? 1 : Size{1} << (left < 63 ? left : 63);
}

}  // namespace onefold
