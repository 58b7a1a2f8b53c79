// The grid of sums that slide: where it lies, and elements cut on it.
#include <algorithm>
#include <cmath>

#include "onefold/cpu/window/sliding_sums.hpp"

namespace onefold::cpu_backend {
namespace {

// The tops of terms for which no step leaves the range of f64.
constexpr int most_top = 800, least_top = -600;

// Returns e for |v| < 2^e, as small as possible.
int exponent_of(double v) {
  int e = 0;
  std::frexp(v, &e);
  return e;
}
double rounded(double v, double magic) { return (v + magic) - magic; }

}  // namespace

// Returns the top of a grid for an input's elements, and the pivot.
int SlidingSums::wanted(int input, const Spread& s, double& pivot) const {
  pivot = scan_ && grid_ ? pivot_[input] : 0;
  if (s.empty()) return grid_ ? top_[input] : 0;
  pivot = 0;
  double most = std::max(std::fabs(s.low), std::fabs(s.high));
  const double kept = grid_ ? pivot_[input] : 0, near = kept / 2, far = 2 * kept;
  // A new one would need a new grid.
  const bool keeps = kept != 0 && std::min(near, far) <= s.low && s.high <= std::max(near, far);
  const bool together = (s.low > 0 && s.high <= 3 * s.low) || (s.high < 0 && s.low >= 3 * s.high);
  // A scan has one from the beginning on, if its first elements lie far from 0 and together.
  const bool may = scan_ ? !grid_ && 256 * (s.high - s.low) < most : together;
  if (shifts_ && (keeps || (together && may))) {
    pivot = keeps ? kept : s.low + (s.high - s.low) / 2;
    most = std::max(s.high - pivot, pivot - s.low);
  }
  return most == 0 ? (grid_ ? top_[input] : 0) : exponent_of(most) + 1;
}

// Makes sure that the grid holds what has entered and what enters.
bool SlidingSums::settle_grid() {
  const int most_unused = is_moment(of_) ? 1 : 4;  // bits of a grid
  bool anew = !grid_;
  int top[2] = {};
  double pivot[2] = {};
  for (int k = 0; k < inputs_; ++k) {
    Spread s = Spread::none();
    for (const Piece& p : pieces_) s.add(p.of[k]);
    top[k] = wanted(k, s, pivot[k]);
    seen_[k].add(s);
  }
  const bool turns = scan_ && grid_ && (pivot[0] != pivot_[0] || pivot[1] != pivot_[1]);
  if (turns) {  // all that a scan has had is read again, without a pivot
    for (int k = 0; k < inputs_; ++k) {
      const double most = std::max(std::fabs(seen_[k].low), std::fabs(seen_[k].high));
      top[k] = exponent_of(most) + 1 + bit_length(to_);
      pivot[k] = 0;
    }
  }
  for (const Series& s : series_) {  // a scan's sums must fit, too
    double carry = 0;
    for (const double word : s.sum) carry += std::fabs(word);
    if (!scan_ || turns || carry == 0) continue;
    while (exponent_of(carry) + 1 > top_of(s, top) + 51 - h_) {
      ++top[s.degree[0] == 0 || (s.degree[1] != 0 && top[1] < top[0]) ? 1 : 0];
    }
  }
  for (int k = 0; k < inputs_; ++k) {
    // The top that is wanted has one bit of room.
    anew |= pivot[k] != pivot_[k] || top_[k] < top[k] - 1 || top_[k] > top[k] + most_unused;
  }
  if (spell_ > 0 && --spell_ == 0) {
    words_ = fewest_words_;
    anew = true;
  }
  if (!anew) return true;
  std::copy_n(top, 2, top_);
  std::copy_n(pivot, 2, pivot_);
  return set_magic(turns);
}

// Begins a new grid, whose tops and pivots are set. turns: a scan has lost its pivot.
bool SlidingSums::set_magic(bool turns) {
  for (const Series& s : series_) {
    const int top = top_of(s, top_);
    if (top < least_top || top > most_top) return false;
  }
  for (Series& s : series_) {
    const int top = top_of(s, top_);
    for (int k = 0; k < most_cuts; ++k) {
      s.magic[k] = std::ldexp(1.5, 52 + top - h_ - k * (h_ + 1));
    }
    s.power = s.degree[0] < 3 ? 0 : std::ldexp(1.0, top - 103);
  }
  if (scan_ && !turns) {
    cut_sums();
  } else {
    for (Series& s : series_) {
      std::fill_n(s.sum, most_cuts, 0.0);
      s.lost = 0;
    }
    lossy_until_ = begin_;
    absorb(begin_, to_, 1);
  }
  grid_ = true;
  return true;
}

void SlidingSums::cut_sums() {
  for (Series& s : series_) {
    double sum[most_cuts] = {};
    for (double v : s.sum) {
      for (int k = 0; k < words_; ++k) {
        const double t = rounded(v, s.magic[k]);
        sum[k] += t;
        v -= t;
      }
      s.lost += std::fabs(v) * (1 + 0x1p-40);
    }
    std::copy_n(sum, most_cuts, s.sum);
  }
}

// Moves what a scan's lower words have gathered to higher ones.
void SlidingSums::carry_up() {
  for (Series& s : series_) {
    for (int k = words_ - 1; k > 0; --k) {
      const double t = rounded(s.sum[k], s.magic[k - 1]);
      s.sum[k - 1] += t;
      s.sum[k] -= t;
    }
  }
}

// Cuts n elements that have been read. Returns whether something is left.
bool SlidingSums::cut(Size n, Words* words) {
  bool left = false;
  for (std::size_t k = 0; k < series_.size(); ++k) {
    const Series& s = series_[k];
    const int a = s.term.a == Factor::y, b = s.term.b == Factor::y;
    const double* const x = buffers_->x[a];
    if (s.degree[0] > 2) {
      left |= ways_.powers(x, pivot_[a], s.degree[0], n, s.magic, words_, words[k]);
    } else if (s.term.is_product()) {
      left |= ways_.products(x, pivot_[a], buffers_->x[b], pivot_[b], n, s.magic, words_, words[k]);
    } else {
      left |= ways_.values(x, pivot_[a], n, s.magic, words_, words[k]);
    }
  }
  return left;
}

// Cuts the n elements ahead of `end`, which enter, and notes what is left. Scans keep that, so they
// try a third word first.
void SlidingSums::cut_entering(Size end, Size n) {
  if (!cut(n, buffers_->at[0])) return;
  if (scan_ && words_ == 2) {
    words_ = 3;
    if (!cut(n, buffers_->at[0])) return;
  }
  lossy_until_ = end;
  if (scan_) lose(n);
}

// Bounds what is left of so many elements.
void SlidingSums::lose(Size elements) {
  for (Series& s : series_) {
    const double each = s.magic[words_ - 1] * (0x1p-52 / 1.5) + s.power;
    s.lost = (scan_ ? s.lost : 0) + static_cast<double>(elements) * each * (1 + 0x1p-20);
  }
}

// Adds elements to the sums, or takes them away.
void SlidingSums::absorb(Size from, Size to, double sign) {
  for (; from < to; from += room) {
    const Size n = std::min(room, to - from);
    read(from, from + n, nullptr);
    if (sign > 0) {
      cut_entering(from + n, n);
    } else {
      cut(n, buffers_->at[0]);
    }
    for (std::size_t k = 0; k < series_.size(); ++k) {
      for (int j = 0; j < words_; ++j) {
        const double* const word = buffers_->at[0][k][j];
        double sum = series_[k].sum[j];
        for (Size i = 0; i < n; ++i) sum += sign * word[i];
        series_[k].sum[j] = sum;
      }
    }
    if (scan_) carry_up();
  }
}

}  // namespace onefold::cpu_backend
