// The data members of a State, and functions that read them.
#pragma once

#include <span>
#include <vector>

#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/request/ranges.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Describes the files of which a state is a share, by what is known before they are read.
struct ShareOf {
  Size elements = 0;  // number of elements; 0: not known, for example of texts
  Size bytes = 0;     // bytes of files whose elements are not known
  uint64_t hash = 0;  // hash of types, shapes, sizes, columns; 0: this is no share
  bool known() const { return hash != 0; }
  friend bool operator==(const ShareOf&, const ShareOf&) = default;
};

struct State::Impl {
  DType dtype = DType::f64;
  NanPolicy nan = NanPolicy::propagate;
  Accumulators holds;
  Layout layout;
  Size count = 0;  // number of elements; under a mask, of selected ones
  // True if one of its ops answers with an index. Otherwise an extreme's index is 0 if it has an
  // element; then merging does not depend on order, and any two parts merge.
  bool indexed = false;
  Ranges ranges;  // indices of the elements; only if indexed
  std::vector<int64_t> words;
  ShareOf whole = {};  // the files, if this is a share or several merged shares

  // The words of an accumulator, or null.
  const int64_t* at(Accumulator a) const {
    const int offset = layout.offset[static_cast<int>(a)];
    return offset < 0 ? nullptr : words.data() + offset;
  }
  friend bool operator==(const Impl&, const Impl&) = default;
};

// The words of an extreme: its order key, its index, and that of the first NaN.
enum ExtremeWord : int { extreme_key, extreme_index, extreme_nan_index };

// Returns the State that a gather would make, without elements and words.
//   first  index of the first element
State::Impl kind_of(const Plan& plan, Size first);

// Refuses options that mean nothing for a gather. throws bad_option
void check_gather(const Options&);

// The plan that answers ops from the words of a state of this kind.
//   throws  as State::answer
Plan plan_of_answers(const State::Impl& kind, std::string_view ops, const Options&);

// Clears the indices of extremes. Without them the words depend on the values alone, not on the
// order of merging.
void forget_places(int64_t* words, const Layout&, DType);

// Throws bad_state if two kinds differ; the message says only in what.
//   verb  what the caller does with them: "merge"
void check_alike(const State::Impl&, const State::Impl&, const char* verb);

// Gathers what a parsed request needs of `part`.
//   whole  the files of which `part` is a share
//   terms  digits of numbers from text that f64 cannot hold, by ascending index
State gather(const Query& query, const ArrayRef& part, const ShareOf& whole = {},
             std::span<const DecimalTerm> terms = {});

// Returns what is wrong with canonical words of a state, or null. Reads neither words nor count of
// `kind`, allocates nothing, and may pass words that no data give.
const char* why_invalid(const State::Impl& kind, Size count, const int64_t* words);
inline const char* why_invalid(const State::Impl& s) {
  return why_invalid(s, s.count, s.words.data());
}

}  // namespace onefold
