#include "onefold/cpu/family/ends.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "onefold/core/formula.hpp"
#include "onefold/core/order_key.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

// Returns whether indices rise from each folded element to the next in memory order.
bool in_order(const Shape& shape) {
  int64_t reach = 0;  // of the faster axes, in index steps
  const auto counts_on = [&](const Axis& a) {
    if (a.extent == 1) return true;
    const bool beyond = a.step > reach;
    reach += static_cast<int64_t>(a.extent - 1) * a.step;
    return beyond;
  };
  return counts_on(shape.element) &&
         std::all_of(shape.folded.rbegin(), shape.folded.rend(), counts_on);
}

// Computes the extremes of a group of answers. The results of several panels form a new panel,
// which is folded in turn.
class End {
 public:
  //   leaving  null: all elements count
  End(const Shape& shape, const Nest& nest, const Group& g, const ExtremeRequest& wanted,
      bool greatest, const ElementFilter* leaving, GroupSplit dealt = {})
      : shape_(shape),
        nest_(nest),
        g_(g),
        wanted_(wanted),
        greatest_(greatest),
        leaving_(leaving),
        dealt_(dealt),
        taken_(leaving == nullptr ? 0 : g.answers) {
    if (leaving != nullptr) {
      fill_ = leaving->neutral(wanted.by_magnitude() ? Statistic::norminf
                               : greatest            ? Statistic::greatest
                                                     : Statistic::least);
    }
  }

  void fold(std::byte* values, int64_t* places) {
    if (dealt_.parts > 1) {
      fold_parts(values, places);
    } else {
      fold_all(values, places);
    }
    if (leaving_ == nullptr) return;
    const bool by_place = places != nullptr;
    for (Size a = 0; a < g_.answers; ++a) {
      // If the value that replaces masked elements is itself the extreme, the index found may be
      // that of a masked element.
      const bool is_fill = std::memcmp(values + a * wanted_.bytes, &fill_, wanted_.bytes) == 0;
      if (taken_[a] == 0 || (by_place && is_fill)) leave_open(a);
    }
  }

  // Returns 1 for each undecided answer; nothing if all are decided.
  std::vector<uint8_t>& open() { return open_; }

 private:
  void fold_all(std::byte* values, int64_t* places) {
    const bool all = leaving_ == nullptr;
    const Size folds = all ? rows_at_once(shape_, g_.answers, wanted_.bytes) : 1;
    const Size n = shape_.element.extent;
    // Keeps the copy small enough for L2.
    const Size length = !all && shape_.columns ? taken_steps(g_.answers, n)
                        : shape_.packed        ? std::clamp<Size>(32768 / g_.answers, 1, n)
                                               : n;
    if (places != nullptr) {
      const bool plain =
          shape_.folded.empty() && shape_.element.step == 1 && nest_.index == 0 && length == n;
      const bool narrow = shape_.columns && shape_.element.extent >= wanted_.ways->most_placed;
      if (plain && !narrow && folds == 1)
        return gather(panel_of(shape_, g_, 0, 0, n), values, places);
      if (!all) return open_.assign(g_.answers, 1);
      return visit(wanted_.dtype, [&]<class T>() { fold_placed<T>(folds, values, places); });
    }
    const Size again = shape_.again;
    constexpr Size most = 256;  // rows of results that wait to be folded
    if (folds > 1 && again <= most) return fold_few(values, folds);
    const Size parts = (n + length - 1) / length, panels = again * parts;
    if (panels == 1) return gather(panel_of(shape_, g_, 0, 0, n), values, nullptr);
    std::vector<std::byte> each(std::min(panels, most) * row_bytes());
    Size held = 0;
    for (Size k = 0; k < panels; ++k) {
      const Size begin = k % parts * length;
      const Panel p = panel_of(shape_, g_, k / parts, begin, std::min(length, n - begin));
      gather(p, each.data() + held++ * row_bytes(), nullptr);
      if (held < most && k + 1 < panels) continue;
      join(each.data(), held, 0, g_.answers, values);
      std::memcpy(each.data(), values, row_bytes());
      held = 1;
    }
  }

  void leave_open(Size answer) {
    open_.resize(g_.answers);
    open_[answer] = 1;
  }
  Size row_bytes() const { return g_.answers * wanted_.bytes; }
  const PanelExtremes::Ways& ways() const {
    return wanted_.by_magnitude() ? wanted_.ways->magnitude
           : greatest_            ? wanted_.ways->greatest
                                  : wanted_.ways->least;
  }

  void gather(const Panel& p, std::byte* values, int64_t* places) {
    uint8_t sure[most_group];
    NearPanel near(shape_, wanted_.bytes, 1, p);
    const auto f = shape_.rows ? ways().rows : ways().columns;
    if (leaving_ != nullptr) near.leave_out(*leaving_, fill_, false, taken_.data(), g_.answers);
    if (f(near.panel, values, places, sure) == p.answers) return;
    for (Size k = 0; k < p.answers; ++k) {
      if (sure[k] == 0) leave_open(k % g_.answers);
    }
  }
  // Folds n rows of results, of `answers` answers from `first` on.
  void join(const std::byte* each, Size n, Size first, Size answers, std::byte* values) const {
    const auto bytes = static_cast<int64_t>(wanted_.bytes);
    const Size at = first * wanted_.bytes;
    uint8_t sure[most_group];
    ways().columns({each + at, bytes, static_cast<int64_t>(row_bytes()), answers, n}, values + at,
                   nullptr, sure);
  }

  // Folds parts of the elements on several threads.
  void fold_parts(std::byte* values, int64_t* places) {
    const Size n = shape_.element.extent, length = (n + dealt_.parts - 1) / dealt_.parts,
               parts = (n + length - 1) / length;
    std::vector<std::byte> each(parts * row_bytes());
    std::vector<int64_t> at(places == nullptr ? 0 : parts * g_.answers);
    std::vector<std::vector<uint8_t>> open(parts);
    std::vector<std::vector<Size>> taken(parts);
    parallel(parts, dealt_.threads, [&](std::size_t k) {
      const auto first = static_cast<int64_t>(k * length);
      Shape own = shape_;
      own.element.extent = std::min(length, n - k * length);
      Group g = g_;
      g.x += first * shape_.element.stride[0];
      g.mask += first * shape_.element.stride[2];
      int64_t* const where = places == nullptr ? nullptr : at.data() + k * g_.answers;
      End end(own, nest_, g, wanted_, greatest_, leaving_);
      end.fold_all(each.data() + k * row_bytes(), where);
      for (Size a = 0; where != nullptr && a < g_.answers; ++a) {
        where[a] += first * shape_.element.step;
      }
      open[k] = std::move(end.open_);
      taken[k] = std::move(end.taken_);
    });
    const Size band = joined_at_once(parts);
    parallel((g_.answers + band - 1) / band, dealt_.threads, [&](std::size_t b) {
      const Size first = b * band, m = std::min(band, g_.answers - first);
      join(each.data(), parts, first, m, values);
      if (places != nullptr) join_places(each.data(), at.data(), parts, first, m, values, places);
    });
    for (Size k = 0; k < parts; ++k) {
      for (Size a = 0; a < open[k].size(); ++a) {
        if (open[k][a] != 0) leave_open(a);
      }
      for (Size a = 0; a < taken_.size(); ++a) taken_[a] += taken[k][a];
    }
  }
  // Finds, for each answer from `first` on, the least index at which a part has the answer's value.
  void join_places(const std::byte* each, const int64_t* at, Size parts, Size first, Size answers,
                   const std::byte* values, int64_t* places) const {
    visit(wanted_.dtype, [&]<class T>() {
      for (Size a = first; a < first + answers; ++a) {
        const int64_t best = key_at<T>(values + a * sizeof(T));
        places[a] = std::numeric_limits<int64_t>::max();
        for (Size k = 0; k < parts; ++k) {
          const int64_t where = at[k * g_.answers + a];
          const bool is_best = key_at<T>(each + k * row_bytes() + a * sizeof(T)) == best;
          if (is_best && where < places[a]) places[a] = where;
        }
      }
    });
  }

  // Folds several rows as one longer row.
  void fold_few(std::byte* values, Size folds) {
    const Size rows = shape_.element.extent / folds, rest = shape_.element.extent % folds;
    const Size again = shape_.again, kept = folds + rest;
    const auto wide = static_cast<int64_t>(folds * row_bytes());
    std::vector<std::byte> each(again * kept * row_bytes());
    for (Size f = 0; f < again; ++f) {
      const std::byte* x = panel_of(shape_, g_, f, 0, 0).x;
      std::byte* to = each.data() + f * kept * row_bytes();
      gather({x, shape_.answer.stride[0], wide, g_.answers * folds, rows}, to, nullptr);
      std::memcpy(to + wide, x + static_cast<int64_t>(rows) * wide, rest * row_bytes());
    }
    uint8_t sure[most_group];
    const Panel p{each.data(), static_cast<int64_t>(wanted_.bytes),
                  static_cast<int64_t>(row_bytes()), g_.answers, again * kept};
    if (ways().columns(p, values, nullptr, sure) == g_.answers) return;
    for (Size k = 0; k < g_.answers; ++k) {
      if (sure[k] == 0) leave_open(k);
    }
  }

  template <class T>
  int64_t key_at(const std::byte* p) const {
    T x;
    std::memcpy(&x, p, sizeof x);
    const int64_t key = order_key(x);
    return greatest_ ? ~key : key;
  }

  // For each answer: finds the first panel that has its best element, and the index there.
  template <class T>
  void fold_placed(Size folds, std::byte* values, int64_t* places) {
    struct Best {
      int64_t key;
      Size again, begin;
    };
    const Size n = shape_.element.extent, length = std::min<Size>(n, folds == 1 ? 256 : folds * 64);
    const int64_t stride = shape_.element.stride[0];
    std::vector<Best> best(g_.answers);
    std::vector<std::byte> each(folds * row_bytes());
    for (Size f = 0; f < shape_.again; ++f) {
      for (Size i = 0; i < n; i += length) {
        const Size m = std::min(length, n - i), at_once = m % folds == 0 ? folds : 1;
        const std::byte* x = panel_of(shape_, g_, f, i, m).x;
        gather({x, shape_.answer.stride[0], stride * static_cast<int64_t>(at_once),
                g_.answers * at_once, m / at_once},
               each.data(), nullptr);
        for (Size k = 0; k < g_.answers * at_once; ++k) {
          const int64_t key = key_at<T>(each.data() + k * sizeof(T));
          Best& b = best[k % g_.answers];
          if ((f == 0 && i == 0 && k < g_.answers) || key < b.key) b = {key, f, i};
        }
      }
    }
    for (Size a = 0; a < g_.answers; ++a) {
      const Best& b = best[a];
      const std::byte* x = panel_of(shape_, g_, b.again, b.begin, 1).x +
                           static_cast<int64_t>(a) * shape_.answer.stride[0];
      Size i = 0;
      while (i + 1 < std::min(length, n - b.begin) && key_at<T>(x) != b.key) {
        ++i;
        x += stride;
      }
      std::memcpy(values + a * sizeof(T), x, sizeof(T));
      places[a] = static_cast<int64_t>(nest_.index + place_of(shape_.folded, b.again)) +
                  static_cast<int64_t>(b.begin + i) * shape_.element.step;
    }
  }

  const Shape& shape_;
  const Nest& nest_;
  const Group& g_;
  const ExtremeRequest& wanted_;
  const bool greatest_;
  const ElementFilter* const leaving_;
  const GroupSplit dealt_;
  uint64_t fill_ = 0;
  std::vector<Size> taken_;  // number of selected elements per answer
  std::vector<uint8_t> open_;
};

// Computes ptp, or norminf of integers, from extremes that are not NaN.
template <class T>
auto join_ends([[maybe_unused]] Statistic of, T low, T high) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const T v = high - low;
    return std::isnan(v) ? std::numeric_limits<T>::quiet_NaN() : v;  // equal infinities give NaN
  } else {
    Real a = real_of_key<T>(order_key(low)), b = real_of_key<T>(order_key(high));
    if constexpr (Floating<T>) {
      return static_cast<uint16_t>(round(difference(b, a), dtype_of<T>).bits);
    } else {
      if (of == Statistic::ptp) return round(difference(b, a), DType::u64).bits;
      a.negative = b.negative = false;
      return round(larger_magnitude(a, b), DType::u64).bits;
    }
  }
}

}  // namespace

bool takes_end(const Shape& shape, const ExtremeRequest& wanted) {
  return !wanted.placed || in_order(shape);
}

void fold_end(const Shape& shape, const Nest& nest, const Group& g, const ExtremeRequest& wanted,
              const ElementFilter& leaving, GroupSplit dealt, std::vector<uint8_t>& open) {
  const Size bytes = bytes_of(wanted.type()), n = g.answers;
  const int64_t step = shape.answer.step;
  std::byte* const out = wanted.out + g.first * bytes;
  const bool straight = step == 1 && !wanted.joins();
  std::vector<std::byte> values(straight && !wanted.placed ? 0 : n * wanted.bytes);
  std::vector<std::byte> others(wanted.joins() ? n * wanted.bytes : 0);
  std::vector<int64_t> places(wanted.placed && !straight ? n : 0);
  std::byte* const to = values.empty() ? out : values.data();
  int64_t* const where = !wanted.placed ? nullptr
                         : straight     ? reinterpret_cast<int64_t*>(out)
                                        : places.data();
  const auto fold = [&](bool greatest, std::byte* into) {
    End end(shape, nest, g, wanted, greatest, leaving.by_mask() ? &leaving : nullptr, dealt);
    end.fold(into, where);
    std::vector<uint8_t>& undecided = end.open();
    if (undecided.empty()) return;
    if (!leaving.by_mask() && leaving.anything()) {
      End without(shape, nest, g, wanted, greatest, &leaving, dealt);
      std::vector<std::byte> kept(n * wanted.bytes);
      std::vector<int64_t> kept_places(wanted.placed ? n : 0);
      without.fold(kept.data(), wanted.placed ? kept_places.data() : nullptr);
      for (Size i = 0; i < n; ++i) {
        if (undecided[i] == 0 || (!without.open().empty() && without.open()[i] != 0)) continue;
        std::memcpy(into + i * wanted.bytes, kept.data() + i * wanted.bytes, wanted.bytes);
        if (wanted.placed) where[i] = kept_places[i];
        undecided[i] = 0;
      }
    }
    open.resize(n);
    for (Size i = 0; i < n; ++i) open[i] |= undecided[i];
  };
  fold(wanted.of != Statistic::least, to);
  if (wanted.joins()) fold(false, others.data());
  const auto place = [&](Size i) {
    return out + static_cast<int64_t>(i) * step * static_cast<int64_t>(bytes);
  };
  if (wanted.joins()) {
    visit(wanted.dtype, [&]<class T>() {
      for (Size i = 0; i < n; ++i) {
        T low, high;
        std::memcpy(&high, to + i * sizeof(T), sizeof(T));
        std::memcpy(&low, others.data() + i * sizeof(T), sizeof(T));
        const auto v = join_ends(wanted.of, low, high);
        static_assert(sizeof v >= sizeof(T));
        std::memcpy(place(i), &v, sizeof v);
      }
    });
    return;
  }
  const auto* const from =
      wanted.placed ? reinterpret_cast<const std::byte*>(where) : static_cast<const std::byte*>(to);
  for (Size i = 0; !straight && i < n; ++i) std::memcpy(place(i), from + i * bytes, bytes);
}

void gather_keys(const Shape& shape, const Nest& nest, const Group& g, const ExtremeRequest& wanted,
                 int64_t* keys, uint8_t* exact) {
  std::vector<std::byte> values(g.answers * wanted.bytes);
  End end(shape, nest, g, wanted, wanted.of == Statistic::greatest, nullptr);
  end.fold(values.data(), nullptr);
  visit(wanted.dtype, [&]<class T>() {
    for (Size i = 0; i < g.answers; ++i) {
      T x;
      std::memcpy(&x, values.data() + i * sizeof x, sizeof x);
      keys[i] = order_key(x);
    }
  });
  for (Size i = 0; i < end.open().size(); ++i) exact[i] &= end.open()[i] == 0;
}

}  // namespace onefold::cpu_backend
