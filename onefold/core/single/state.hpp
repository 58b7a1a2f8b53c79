// What exact sums of one kind have in common: words that merge, leave, and become bytes.
//
//   words    those of accumulators, one after another; limbs wait for carries
//   merge    adds words, in any order: equal data give equal bytes
//   remove   the inverse of merge
//   save     the bytes of docs/format.md, of the NaN policy "propagate"
#pragma once

#include "onefold/core/exact/digits.hpp"
#include "onefold/core/exact/limbs.hpp"
#include "onefold/core/numeric.hpp"
#include "onefold/core/single/bytes.hpp"
#include "onefold/core/single/refuse.hpp"
#include "onefold/core/sum_rules.hpp"

namespace onefold::detail {

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

// Whether an accumulator has limbs, as all but tally have.
template <class A, class = void>
inline constexpr bool has_limbs = false;
template <class A>
inline constexpr bool has_limbs<A, decltype(void(A::limbs))> = true;

// Self    the class that derives from this one. It has name(k), the names of its accumulators, and
//         sums_possible(), whether some data can give its canonical sums
// Counts  that accumulator which counts the elements: tally or dot
// A       all accumulators, in the order of their names
template <class Self, class T, class Counts, class... A>
class ExactState {
  static_assert(
      is_element<T> && !same_type<T, bool>,
      "elements are float, double, onefold::float16, onefold::bfloat16, onefold::Bool8, or "
      "intN_t and uintN_t");

 public:
  using Element = T;
  static constexpr int word_count = (A::words + ...);

  // The number of elements, including NaN and infinities.
  ONEFOLD_FN constexpr Size count() const { return static_cast<Size>(counts()[Counts::n]); }

  // Adds the elements of `o`, which may be this state.
  ONEFOLD_FN constexpr void merge(const Self& o) {
    const ExactState& other = o;
    if (count() + other.count() > static_cast<Size>(int64_max)) refuse();
    const uint32_t digits = other.digits_ + 1;
    for (int k = 0; k < word_count; ++k) words_[k] += other.words_[k];
    deposited(digits);
  }
  // Takes the elements of `o` away, which were added before. Returns false, and changes nothing, if
  // the rest sums to 0 and nobody knows whether all of it is -0, or if no data have the rest's
  // count and sums. Not every rest that no data have is found.
  [[nodiscard]] ONEFOLD_FN constexpr bool remove(const Self& o) {
    ExactState rest = *this, other = o;
    rest.carry_all();
    other.carry_all();
    if (other.count() > rest.count()) return false;
    constexpr int flag = offset<Counts>() + Counts::not_negative_zero;
    const int64_t before = rest.words_[flag], removed = other.words_[flag];
    for (int k = 0; k < word_count; ++k) rest.words_[k] -= other.words_[k];
    rest.carry_all();
    rest.words_[flag] = before;
    if (removed != 0) {
      const bool known = rest.infinite() || !rest.sums_are_zero();
      const bool numbers = rest.counts()[Counts::n] != rest.counts()[Counts::nan];
      if (before == 0 || (numbers && !known)) return false;
      rest.words_[flag] = known ? 1 : 0;
    }
    if (!rest.possible()) return false;
    *this = rest;
    return true;
  }

  // A merge, as TBB and Kokkos call it, and for std::accumulate, std::reduce and OpenMP.
  ONEFOLD_FN constexpr void join(const Self& o) { merge(o); }
  ONEFOLD_FN constexpr Self& operator+=(const Self& o) {
    merge(o);
    return self();
  }
  ONEFOLD_FN friend constexpr Self operator+(Self a, const Self& b) {
    a.merge(b);
    return a;
  }
  ONEFOLD_FN friend constexpr bool operator==(const Self& a, const Self& b) {
    ExactState x = a, y = b;
    x.carry_all();
    y.carry_all();
    bool same = true;
    for (int k = 0; k < word_count; ++k) same = same && x.words_[k] == y.words_[k];
    return same;
  }
  ONEFOLD_FN friend constexpr bool operator!=(const Self& a, const Self& b) { return !(a == b); }

  // Words that any sum of 64-bit integers merges, such as MPI_Allreduce with MPI_INT64_T and
  // MPI_SUM over at most 2^30 ranks: the reduction in place of words(), then words_added().
  ONEFOLD_FN constexpr int64_t* words() {
    carry_all();
    return words_;
  }
  ONEFOLD_FN constexpr void words_added() { carry_all(); }

  ONEFOLD_FN static constexpr Size saved_bytes() {
    Size bytes = 8 + 8 + length_of(name_of(dtype_of<T>)) + 8 + 9 + 3 * 8 + 8 + 4;
    for (int k = 0; k < static_cast<int>(sizeof...(A)); ++k) bytes += 8 + length_of(Self::name(k));
    return bytes + 8 * static_cast<Size>(word_count);
  }
  // Writes saved_bytes() bytes.
  ONEFOLD_FN constexpr void save(unsigned char* to) const {
    ExactState s = *this;
    s.carry_all();
    ByteWriter w{to};
    w.raw("1fold\r\n\2", 8);
    w.text(name_of(dtype_of<T>));
    w.text("propagate");
    w.number(count());
    w.number(0);
    w.number(0);
    int name = 0, word = 0;
    const auto write = [&](int words) {
      w.text(Self::name(name++));
      for (int k = 0; k < words; ++k) w.number(static_cast<uint64_t>(s.words_[word++]));
    };
    (write(A::words), ...);
    w.number(0);
    w.number(crc32_of_bytes(to, saved_bytes() - 4), 4);
  }
  // Reads bytes that save() wrote, or that the library saved for the same ops, type and policy.
  // Returns false, and changes nothing, if the bytes are damaged or no data can give their counts
  // and sums (the library checks that by more rules).
  [[nodiscard]] ONEFOLD_FN constexpr bool load(const unsigned char* from, Size bytes) {
    if (bytes != saved_bytes()) return false;
    ByteReader r{from};
    r.expect_raw("1fold\r\n\2", 8);
    r.expect_text(name_of(dtype_of<T>));
    r.expect_text("propagate");
    const uint64_t n = r.number();
    r.expect(0);
    r.expect(0);
    ExactState s;
    int name = 0, word = 0;
    const auto read = [&](int words) {
      r.expect_text(Self::name(name++));
      for (int k = 0; k < words; ++k) s.words_[word++] = static_cast<int64_t>(r.number());
    };
    (read(A::words), ...);
    r.expect(0);
    if (!r.same || r.number(4) != crc32_of_bytes(from, bytes - 4) || s.count() != n) return false;
    if (!(s.template has_digits<A>() && ...)) return false;
    ExactState canonical = s;
    canonical.carry_all();
    for (int k = 0; k < word_count; ++k) {
      if (canonical.words_[k] != s.words_[k]) return false;
    }
    if (!canonical.possible()) return false;
    *this = canonical;
    return true;
  }

 protected:
  template <class B>
  ONEFOLD_FN static constexpr int offset() {
    int at = 0;
    bool found = false;
    ((found = found || same_type<A, B>, at += found ? 0 : A::words), ...);
    return at;
  }
  template <class B>
  ONEFOLD_FN constexpr const int64_t* at() const {
    return words_ + offset<B>();
  }
  template <class B>
  ONEFOLD_FN constexpr int64_t* at() {
    return words_ + offset<B>();
  }
  ONEFOLD_FN constexpr const int64_t* counts() const { return at<Counts>(); }

  // Returns these words with carries passed on.
  ONEFOLD_FN constexpr Self canonical() const {
    Self s = static_cast<const Self&>(*this);
    s.carry_all();
    return s;
  }
  ONEFOLD_FN constexpr void carry_all() {
    (A::canonicalise(at<A>()), ...);
    digits_ = 1;
  }
  // Notes that limbs got so many digits; fewer than 2^31 fit.
  ONEFOLD_FN constexpr void deposited(uint32_t digits) {
    digits_ += digits;
    if (digits_ >= uint32_t{1} << 30) carry_all();
  }
  template <class B, class... X>
  ONEFOLD_FN constexpr void lift(X... x) {
    int64_t* const w = at<B>();
    B::lift([&](int k, int64_t v) { w[k] += v; }, x..., Size{0});
  }
  ONEFOLD_FN constexpr Tally tally() const {
    return tally_of<Counts>(counts(), NanPolicy::propagate);
  }

  int64_t words_[word_count] = {};

 private:
  ONEFOLD_FN constexpr Self& self() { return static_cast<Self&>(*this); }
  ONEFOLD_FN constexpr bool infinite() const {
    const Tally t = tally();
    return t.infinite() || t.invalid != 0;
  }
  template <class B>
  ONEFOLD_FN constexpr bool is_zero() const {
    if constexpr (has_limbs<B>) {
      return find_digits(at<B>(), B::limbs).zero();
    } else {
      return true;
    }
  }
  // Whether all limbs but the last are digits, as carries leave them.
  template <class B>
  ONEFOLD_FN constexpr bool has_digits() const {
    bool digits = true;
    if constexpr (has_limbs<B>) {
      for (int k = 0; k + 1 < B::limbs; ++k) digits = digits && at<B>()[k] >> 32 == 0;
    }
    return digits;
  }
  ONEFOLD_FN constexpr bool sums_are_zero() const { return (is_zero<A>() && ...); }
  // Returns whether n elements may have this sum: limbs have room for 64 bits above one element.
  template <class B>
  ONEFOLD_FN constexpr bool fits(Size n) const {
    if constexpr (has_limbs<B>) {
      const auto d = find_digits(at<B>(), B::limbs);
      if (d.zero()) return true;
      return 32 * d.high + bit_length(uint64_t{d(d.high)}) <= 32 * (B::limbs - 2) + bit_length(n);
    } else {
      return true;
    }
  }
  // Returns whether some data can give these canonical words, by necessary conditions.
  ONEFOLD_FN constexpr bool possible() const {
    constexpr int specials[] = {Counts::nan, Counts::positive_infinity, Counts::negative_infinity,
                                invalid_of<Counts>()};
    const int64_t* const w = counts();
    int64_t finite = w[Counts::n];
    for (int k = 0; k < (counts_invalid<Counts> ? 4 : 3); ++k) {
      if (w[specials[k]] < 0 || w[specials[k]] > finite) return false;
      finite -= w[specials[k]];
    }
    if (finite < 0) return false;
    const bool flag = w[Counts::not_negative_zero] != 0;
    if (!Floating<T> && (flag || finite != w[Counts::n])) return false;
    if (flag && w[Counts::nan] == w[Counts::n]) return false;
    if (Floating<T> && !flag && infinite()) return false;
    const bool zero = finite == 0 || (Floating<T> && !flag);
    if (zero && !sums_are_zero()) return false;
    if (!(fits<A>(static_cast<Size>(finite)) && ...)) return false;
    return static_cast<const Self&>(*this).sums_possible(static_cast<Size>(finite));
  }
  template <class B>
  ONEFOLD_FN static constexpr int invalid_of() {
    if constexpr (counts_invalid<B>) {
      return B::invalid;
    } else {
      return 0;
    }
  }

  uint32_t digits_ = 1;  // how many digits a limb may hold
};

}  // namespace onefold::detail
