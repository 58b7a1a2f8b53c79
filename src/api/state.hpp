// The data members of a State, and functions that read them.
#pragma once

#include <span>
#include <vector>

#include "api/ranges.hpp"
#include "onefold/fold.hpp"
#include "plan/decimal_terms.hpp"
#include "plan/request.hpp"

namespace onefold {

// The files of which a state is a share, as far as they are known before they are read.
struct ShareOf {
  Size elements = 0;  // 0: not known, as of texts
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
  Size count = 0;  // number of elements, with a mask of selected ones
  // An op that it was gathered for answers with an index. If not, an extreme's index is 0 where
  // there is one: merging is then free of order, and any two parts merge.
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

// The State that a gather would make, without words and elements.
//   first  index of the first element
State::Impl kind_of(const Plan& plan, Size first);

// throws bad_option: what has no meaning for a gather
void check_gather(const Options&);

// The plan that answers ops from the words of a state of this kind.
//   throws  as State::answer
Plan plan_of_answers(const State::Impl& kind, std::string_view ops, const Options&);

// Clears the indices of extremes. Without them the words depend on the values alone, not on the
// order of merging.
void forget_places(int64_t* words, const Layout&, DType);

// Says what differs, and only that. throws bad_state
//   verb  what is to be done with both: "merge"
void check_alike(const State::Impl&, const State::Impl&, const char* verb);

// Gathers the state that an already parsed request needs of `part`.
//   whole  the files of which `part` is a share
//   terms  the digits of numbers of a text that f64 do not tell, by rising places
State gather(const Request& request, const ArrayRef& part, const ShareOf& whole = {},
             std::span<const DecimalTerm> terms = {});

// Why no data can give these words, canonical each for itself; null where nothing speaks against
// them.
const char* contradiction(const State::Impl&);

}  // namespace onefold
