// Sums and means of labelled elements.
//
//   method    vector code converts elements to integers with one common unit (units.hpp), each as
//             two words. A group has two words, to which the elements' words are added. They are
//             moved to 128-bit totals before so many elements were added that a word could overflow
//   rest      elements too large or too small for the unit, NaN and infinities are added to states,
//             together with their group's total. If a group's sum is 0 and some element is -0, all
//             its elements are added to a state
//   gives up  if many elements are left for states
//   exact     integer addition is exact in any order
#include <algorithm>
#include <optional>

#include "onefold/core/named.hpp"
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/label_table.hpp"
#include "onefold/cpu/labels.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/system/floating_point.hpp"

namespace onefold::cpu_backend {
namespace {

constexpr Size batch = 1024;         // elements that stay in L1
constexpr Size near_groups = 16384;  // groups whose words are in L2

// total 2^unit / n, rounded to T; the total is not 0.
template <class T>
T rounded(Int128 total, int unit, Size n) {
  Real r;
  r.negative = total < 0;
  r.numerator = Leading(static_cast<Uint128>(r.negative ? -total : total), unit);
  r.n = n;
  return bit_cast<T>(static_cast<bits_of<T>>(round(r, dtype_of<T>).bits));
}

class LabelSumFold {
 public:
  explicit LabelSumFold(const backend::Job& job)
      : job_(job),
        labels_(static_cast<const std::byte*>(job.labels->data)),
        stride_(job.labels->stride),
        x_(static_cast<const std::byte*>(job.x)),
        n_(plan_.elements),
        bytes_(bytes_of(plan_.dtype)),
        groups_(job.labels->groups) {}

  // Returns whether all ops need only sums, and there are not many more groups than elements.
  bool takes() {
    make_ = make_units(find_target(plan_.target), plan_.dtype);
    const bool aligned = reinterpret_cast<uintptr_t>(x_) % bytes_ == 0;
    if (make_ == nullptr || !aligned || n_ >= Size{1} << 32 || groups_ > 4 * n_ + 65536)
      return false;
    for (std::size_t k = 0; k < plan_.ops.size(); ++k) {
      if (plan_.ops[k]->recipe == nullptr || !is_wide(plan_.results[k])) return false;
      constexpr Size some = 1'000'003;  // a count that no formula has as a constant
      const Recipe r =
          plan_.ops[k]->recipe({.n = some, .nan = plan_.nan, .correction = plan_.correction});
      const bool sum = r.numerator.of == total_of(Term::x) && r.left == 1;
      if (!sum || !r.useful() || (r.n != 1 && r.n != some)) return false;
      means_.push_back(r.n == some);
      counting_ |= means_.back();
    }
    const int anchor = sampled_exponent(x_, n_, plan_.dtype) + 2;
    if (anchor > highest_unit_anchor) return false;
    // Both words change by at most 2^63 units before they are moved to the 128-bit totals. Moving
    // them takes as long as adding a few elements per group.
    epoch_ = std::max(Size{1} << 19, std::bit_ceil(8 * groups_));
    const int room = std::max(12, bit_length(std::min(epoch_, n_)));
    unit_ = {std::max(anchor, lowest_unit_anchor), 62 - room, 63 - room};
    return true;
  }

  LabelSums gather() {
    table_.emplace(groups_);
    if (n_ > epoch_) wide_.resize(groups_);
    if (counting_) counts_.resize(groups_);
    return with_label_type(job_.labels->type, [&](auto l) { return gather_by<decltype(l)>(); });
  }

  void round() {
    mark_all();
    put_sums();
    put_left();
    put_all();
  }

 private:
  struct Left {
    uint32_t group;
    Size element;
  };
  static bool is_wide(DType t) { return t == DType::f32 || t == DType::f64; }
  const std::byte* label(Size i) const { return labels_ + static_cast<int64_t>(i) * stride_; }

  template <class L>
  LabelSums gather_by() {
    alignas(64) UnitPair units[batch];
    uint16_t left[batch];
    Size since = 0;
    for (Size at = 0; at < n_; at += batch) {
      const Size m = std::min(batch, n_ - at);
      const auto made = make_(x_ + at * bytes_, m, unit_, units, left);
      const auto add = groups_ > near_groups ? add_units<L, true> : add_units<L, false>;
      if (!add(label(at), stride_, m, groups_, units, table_->data())) {
        return LabelSums::bad_label;
      }
      if (counting_ && !add_counts<L>(label(at), stride_, m, groups_, counts_.data())) {
        return LabelSums::bad_label;
      }
      negative_zeros_ |= made.negative_zero;
      for (Size k = 0; k < made.left; ++k) {
        const Size i = at + left[k], g = label_at<L>(label(i));
        if (g >= groups_) return LabelSums::bad_label;
        left_.push_back({static_cast<uint32_t>(g), i});
      }
      if (left_.size() > batch + at / 16) return LabelSums::refused;
      since += m;
      if (since + batch > epoch_ && at + m < n_) since = empty();
    }
    return LabelSums::done;
  }
  Size empty() {
    for (Size g = 0; g < groups_; ++g) {
      wide_[g] = total(g);
      (*table_)[g] = {0, 0};
    }
    return 0;
  }
  Int128 total(Size g) const {
    const UnitPair& t = (*table_)[g];
    const Int128 here = (static_cast<Int128>(t.high) << unit_.low_bits) + t.low;
    return wide_.empty() ? here : wide_[g] + here;
  }

  // Marks the groups whose sum is 0, if some element is -0: their answer may be -0. All elements of
  // marked groups are then added to states.
  void mark_all() {
    if (!negative_zeros_) return;
    numbers_.resize(groups_);
    for (Size g = 0; g < groups_; ++g) {
      if (total(g) != 0) continue;
      all_.push_back(static_cast<uint32_t>(g));
      numbers_[g] = static_cast<uint32_t>(all_.size());
    }
  }
  bool is_marked(Size g) const { return !numbers_.empty() && numbers_[g] != 0; }
  void put_sums() {
    for (std::size_t k = 0; k < plan_.results.size(); ++k) {
      if (plan_.results[k] == DType::f64) put_op<double>(means_[k], place(k, 0));
      if (plan_.results[k] == DType::f32) put_op<float>(means_[k], place(k, 0));
    }
    if (counting_) put_empty();
  }
  std::byte* place(std::size_t op, Size group) const {
    return static_cast<std::byte*>(job_.outputs[op].data) + group * bytes_of(plan_.results[op]);
  }
  // Writes the answer of groups without elements, which is the same for all.
  void put_empty() {
    std::vector<int64_t> nothing(static_cast<std::size_t>(plan_.layout.words));
    clear(nothing.data(), plan_.layout, plan_.dtype);
    Size first = groups_;
    for (Size g = 0; g < groups_; ++g) {
      if (counts_[g] != 0) continue;
      if (first == groups_) {
        job_.put(first = g, 1, nothing.data());
        continue;
      }
      for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
        std::memcpy(place(k, g), place(k, first), bytes_of(plan_.results[k]));
        Status* const status = job_.outputs[k].status;
        status[g] = status[first];
      }
    }
  }
  template <class T>
  void put_op(bool mean, std::byte* to) const {
    const auto round = round_units(find_target(plan_.target));
    constexpr Size block = 256;
    UnitPair whole[block];
    uint8_t decided[block];
    for (Size first = 0; first < groups_; first += block) {
      const Size m = std::min(block, groups_ - first);
      for (Size g = 0; g < m && !wide_.empty(); ++g) whole[g] = in_words(total(first + g));
      round(wide_.empty() ? &(*table_)[first] : whole, mean ? &counts_[first] : nullptr, m, unit_,
            dtype_of<T>, to + first * sizeof(T), decided);
      for (Size g = 0; g < m; ++g) {
        const Size n = mean ? counts_[first + g] : 1;
        if (decided[g] != 0 || n == 0) continue;
        const Int128 sum = total(first + g);
        const T v = sum == 0 ? T{0} : rounded<T>(sum, unit_.lowest(), n);
        std::memcpy(to + (first + g) * sizeof v, &v, sizeof v);
      }
    }
  }
  // Splits a total of 128 bits into two words. One that does not fit becomes int64_max, which
  // round_units refuses.
  UnitPair in_words(Int128 total) const {
    const Int128 high = total >> unit_.low_bits;
    const auto narrow = static_cast<int64_t>(high);
    return {narrow == high ? narrow : int64_max,
            static_cast<int64_t>(total - (high << unit_.low_bits))};
  }
  // Adds elements that did not fit the unit, and their groups' totals, to exact states. A total
  // other than 0 proves that some element is not -0.
  void put_left() {
    std::sort(left_.begin(), left_.end(), [](const Left& a, const Left& b) {
      return a.group != b.group ? a.group < b.group : a.element < b.element;
    });
    StateTable states(plan_, 0, StateTable::Keeps::words);
    std::vector<uint32_t> groups;
    for (const Left& l : left_) {
      if (is_marked(l.group)) continue;
      if (groups.empty() || groups.back() != l.group) groups.push_back(l.group);
      states.grow(groups.size());
      const auto number = static_cast<uint32_t>(groups.size() - 1);
      states.add(&number, x_ + l.element * bytes_, 1, 1);
    }
    std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
    const auto at = [&](Accumulator a) {
      return state.data() + plan_.layout.offset[static_cast<int>(a)];
    };
    for (Size s = 0; s < groups.size(); ++s) {
      const Size g = groups[s];
      const Int128 sum = total(g);
      states.get(s, state.data());
      using Tally = accumulator::tally<double>;
      int64_t* const tally = at(Accumulator::tally);
      if (counting_) {
        tally[Tally::n] = counts_[g];
      } else {
        tally[Tally::n] += sum != 0;
      }
      tally[Tally::not_negative_zero] = 1;
      const int unit = plan_.dtype == DType::f64 ? unit_of<double> : unit_of<float>;
      add_to_limbs(at(Accumulator::sum), unit, sum, unit_.lowest());
      canonicalise(state.data(), plan_.layout, plan_.dtype);
      job_.put(g, 1, state.data());
    }
  }
  // Adds all elements of some groups to states.
  void put_all() {
    if (all_.empty()) return;
    StateTable states(plan_, 0, StateTable::Keeps::words);
    states.grow(all_.size());
    over_labels(*job_.labels, n_, [&](Size i, Size g) {
      if (g >= groups_ || !is_marked(g)) return true;
      const uint32_t number = numbers_[g] - 1;
      states.add(&number, x_ + i * bytes_, 1, 1);
      return true;
    });
    std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
    for (Size s = 0; s < all_.size(); ++s) {
      states.get(s, state.data());
      job_.put(all_[s], 1, state.data());
    }
  }

  const backend::Job& job_;
  const Plan& plan_ = job_.plan;
  const std::byte* const labels_;
  const int64_t stride_;
  const std::byte* const x_;
  const Size n_, bytes_, groups_;
  MakeUnits make_ = nullptr;
  std::vector<bool> means_;  // for each op: a mean rather than a sum
  bool counting_ = false, negative_zeros_ = false;
  Unit unit_;
  Size epoch_ = 0;
  std::optional<LabelTable> table_;
  std::vector<Int128> wide_;  // the 128-bit totals
  std::vector<uint32_t> counts_;
  std::vector<Left> left_;
  std::vector<uint32_t> all_;      // groups that need states
  std::vector<uint32_t> numbers_;  // for each group: its index in all_ plus 1, or 0
};

}  // namespace

LabelSums fold_label_sums(const backend::Job& job) {
  const FloatingPointMode mode;
  LabelSumFold sums(job);
  if (!sums.takes()) return LabelSums::refused;
  const LabelSums how = sums.gather();
  if (how == LabelSums::done) sums.round();
  return how;
}

}  // namespace onefold::cpu_backend
