#include "onefold/cpu/window/sliding_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/numeric.hpp"

namespace onefold::cpu_backend {
namespace {

// The bits of a word. Sums of words of `capacity` elements, or of a scan's carry and what a tile
// takes in, have at most 53.
int bits_of_word(Size capacity) {
  const Size most = capacity == 0 ? 2 * SlidingSums::room : capacity;
  return 53 - std::max(3, bit_length(most - 1));
}

// Returns the terms of a statistic; null if the sums are not known.
const PanelTerms* terms_of(Statistic of) {
  static constexpr PanelTerms relations = panel_terms::all_moments,
                              cosine = panel_terms::second_moments,
                              weighted = panel_terms::weighted;
  // A constant input is found without squares.
  static constexpr PanelTerms covariance{
      {{Term::xy}, {Term::x, PanelTotals::fourth}, {Term::y, PanelTotals::fifth}},
      3,
      Nonfinite::nan};
  if (of == total_of(Term::x)) return &panel_terms::sums;
  if (of == total_of(Term::xx)) return &panel_terms::squares;
  if (of == total_of(Term::xy)) return &panel_terms::products;
  if (of == Statistic::variance) return &panel_terms::spreads;
  if (of == Statistic::covariance) return &covariance;
  if (of == Statistic::cosine) return &cosine;
  if (of == Statistic::weighted_mean) return &weighted;
  if (is_moment(of)) return &panel_terms::moments;
  return is_relation(of) ? &relations : nullptr;
}
// Whether a statistic is as well computed from x - c and y - c for any c.
bool is_of_deviations(Statistic of) {
  return of == Statistic::variance || (is_moment(of) && !is_raw_moment(of)) ||
         (is_relation(of) && of != Statistic::cosine && of != Statistic::weighted_mean);
}
}  // namespace

bool SlidingSums::knows(Statistic of) { return terms_of(of) != nullptr; }

SlidingSums::SlidingSums(const CutWays& ways, DType t, Statistic of, Size capacity)
    : ways_(ways),
      type_(t),
      bytes_(bytes_of(t)),
      of_(of),
      scan_(capacity == 0),
      shifts_(is_of_deviations(of)),
      floating_(is_floating(t)),
      capacity_(capacity),
      h_(bits_of_word(capacity)),
      // Two short words seldom hold all elements.
      fewest_words_(!scan_ && h_ < 40 ? 3 : 2),
      words_(fewest_words_),
      buffers_(std::make_unique<Buffers>()) {
  const PanelTerms& terms = *terms_of(of);
  for (int k = 0; k < terms.count; ++k) add_series(terms.term[k]);
}
SlidingSums::~SlidingSums() = default;

void SlidingSums::add_series(const PanelTerm& term) {
  Series s{term};
  s.degree[1] = (term.a == Factor::y) + (term.b == Factor::y);
  s.degree[0] = units_of(term.of) - s.degree[1];
  if (term.reads_y()) inputs_ = 2;
  series_.push_back(s);
}

void SlidingSums::open(const Line& line, Size begin) {
  line_ = line;
  dead_ = false;
  negative_zero_ = false;
  if (scan_) words_ = fewest_words_;
  seen_[0] = seen_[1] = Spread::none();
  read_from_ = read_to_ = 0;
  begin_at(begin);
}

bool SlidingSums::go_on(std::span<const int64_t> limbs, int unit, double sign) {
  constexpr int most_exponent = 900;
  double word[most_cuts] = {}, lost = 0;
  for (std::size_t k = limbs.size(); k-- > 0;) {
    const int exponent = unit + 32 * static_cast<int>(k);
    if (limbs[k] == 0) continue;
    if (exponent > most_exponent || limbs[k] >= int64_t{1} << 53) return false;
    double rest = std::ldexp(sign * static_cast<double>(limbs[k]), exponent);
    for (double& w : word) {
      const auto t = two_sum<OneLane>(w, rest);
      w = t.sum;
      rest = t.rest;
    }
    lost += std::fabs(rest);
  }
  std::copy_n(word, most_cuts, series_[0].sum);
  series_[0].lost = lost * (1 + 0x1p-40);
  begin_ = 0;
  words_ = 3;
  negative_zero_ = word[0] == 0;  // perhaps all were -0
  return true;
}

// Nothing of what has entered stays.
void SlidingSums::begin_at(Size place) {
  begin_ = to_ = place;
  grid_ = false;
  lossy_until_ = place;
  pieces_.clear();
  for (Series& s : series_) {
    std::fill_n(s.sum, most_cuts, 0.0);
    s.lost = 0;
  }
}

Size SlidingSums::fit(const backend::Windows& w, Size first, Size last) const {
  const Size begin = std::max(begin_, w.begin(first)), to = std::max(to_, begin);
  const auto fits = [&](Size end) {
    return w.end(end - 1) <= to + room && w.begin(end - 1) <= begin + room;
  };
  // A gap between windows ends a tile, so that what lies in it is not read.
  constexpr Size gap = 64;
  if (!w.ends.empty() || w.step > w.width + gap) {
    Size end = first + 1;
    while (end < last && fits(end + 1) && w.begin(end) <= w.end(end - 1) + gap) ++end;
    return end - first;
  }
  while (last - first > 1 && !fits(last)) last = first + (last - first + 1) / 2;
  return last - first;
}

// Reads elements of the line as f64.
void SlidingSums::read(Size from, Size to, Spread* spreads) {
  if (spreads == nullptr && from == read_from_ && to == read_to_) return;
  read_from_ = from;
  read_to_ = to;
  const std::byte* const arrays[] = {line_.x, line_.y};
  bool odd = false;
  for (int k = 0; k < inputs_; ++k) {
    const Spread s = ways_.read(type_, arrays[k] + from * bytes_, to - from, buffers_->x[k]);
    if (spreads != nullptr) spreads[k].add(s);
    odd |= s.nonfinite;
  }
  if (odd) set_apart(from, to - from, spreads != nullptr);
}

// Lists NaN and infinities of what has been read, if asked for, and drops their partners.
void SlidingSums::set_apart(Size from, Size n, bool lists) {
  const bool pairs = inputs_ == 2;
  double* const x = buffers_->x[0];
  double* const y = buffers_->x[pairs ? 1 : 0];
  for (Size i = 0; i < n; ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) continue;
    if (lists) odd_.push_back({from + i, floating_ && (std::isnan(x[i]) || std::isnan(y[i]))});
    x[i] = y[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

// Finds out what the elements are like that enter.
void SlidingSums::notice(Size end) {
  if (scan_) pieces_.clear();
  while (!pieces_.empty() && pieces_.front().end <= begin_) pieces_.pop_front();
  // The magnitudes of small pieces tell where powers need another grid.
  const Size each = is_moment(of_) && !scan_ ? 64 : room;
  for (Size from = to_; from < end; from += each) {
    const Size to = std::min(end, from + each);
    Piece p{from, to, {Spread::none(), Spread::none()}};
    read(from, to, p.of);
    // Few pieces, also in wide windows.
    if (!pieces_.empty() && to - pieces_.back().begin <= capacity_ / 32) {
      Piece& last = pieces_.back();
      last.end = to;
      for (int k = 0; k < inputs_; ++k) last.of[k].add(p.of[k]);
    } else {
      pieces_.push_back(p);
    }
  }
  if (!scan_) negative_zero_ = false;
  for (const Piece& p : pieces_) negative_zero_ |= p.of[0].negative_zero;
}

void SlidingSums::more_words() {
  if (words_ == 3 || scan_) return;
  words_ = 3;
  spell_ = 64 + static_cast<int>(capacity_ / 64);  // a new grid costs as much as a window
  grid_ = false;
}

bool SlidingSums::moves_by_one(const backend::Windows& w, Size first, Size last) const {
  if (!w.ends.empty() || w.step != 1 || w.begin(first) != begin_ + 1) return false;
  const Size n = last - first;
  return w.end(first) == to_ + 1 && w.end(last - 1) == to_ + n && w.begin(last - 1) == begin_ + n;
}

namespace {

// Writes sums of a start and next(0) .. next(i), exact in any order, and returns the last one.
template <class Next>
double running_sums(double sum, Size n, double* to, Next next) {
  Size i = 0;
  // Each sum waits for every fourth addition only.
  for (; i + 4 <= n; i += 4) {
    const double a = next(i), ab = a + next(i + 1), c = next(i + 2), cd = c + next(i + 3);
    to[i] = sum + a;
    to[i + 1] = sum + ab;
    to[i + 2] = sum + (ab + c);
    to[i + 3] = sum += ab + cd;
  }
  for (; i < n; ++i) to[i] = sum += next(i);
  return sum;
}

// Window i takes in the elements before moves[i].enters, and lets those before moves[i].leaves go.
template <int words>
void slide_by_any(const double* const* in, const double* const* out, const SlidingSums::Move* moves,
                  Size n, double* sum, double* const* to) {
  double s[words];
  std::copy_n(sum, words, s);
  Size enters = 0, leaves = 0;
  for (Size i = 0; i < n; ++i) {
    for (; enters < moves[i].enters; ++enters) {
      for (int k = 0; k < words; ++k) s[k] += in[k][enters];
    }
    for (; leaves < moves[i].leaves; ++leaves) {
      for (int k = 0; k < words; ++k) s[k] -= out[k][leaves];
    }
    for (int k = 0; k < words; ++k) to[k][i] = s[k];
  }
  std::copy_n(s, words, sum);
}

}  // namespace

// Slides over windows whose elements have been cut.
void SlidingSums::step(const backend::Windows& w, Size first, Size last, PanelTotals& t) {
  const bool by_one = moves_by_one(w, first, last);
  const Size n = last - first;
  const bool grows = scan_ && w.step == 1 && w.end(first) == to_ + 1 && w.end(last - 1) == to_ + n;
  for (Size i = 0; i < n && !grows && !by_one; ++i) {
    moves_[i] = {w.end(first + i) - to_, w.begin(first + i) - begin_};
  }
  for (std::size_t k = 0; k < series_.size(); ++k) {
    Series& s = series_[k];
    double* const to[] = {t.word[s.term.to], t.word[s.term.to + 1], t.word[s.term.to + 2]};
    const double* const* in = buffers_->at[0][k];
    const double* const* out = buffers_->at[1][k];
    for (int c = 0; c < words_ && (grows || by_one); ++c) {
      const double *const enter = in[c], *const leave = out[c];
      s.sum[c] =
          grows ? running_sums(s.sum[c], n, to[c], [=](Size i) { return enter[i]; })
                : running_sums(s.sum[c], n, to[c], [=](Size i) { return enter[i] - leave[i]; });
    }
    if (grows || by_one) continue;
    (words_ == 2 ? slide_by_any<2> : slide_by_any<3>)(in, out, moves_, n, s.sum, to);
  }
}

// Whether elements of other magnitudes enter or leave within these windows: then a grid for all of
// them is too coarse for some.
bool SlidingSums::is_mixed(Size last_begin) const {
  const double apart = is_moment(of_) ? 16 : 4096;  // powers lie further apart
  for (int k = 0; k < inputs_; ++k) {
    double most = 0, least = std::numeric_limits<double>::infinity(), stays = -1;
    for (const Piece& p : pieces_) {
      const double of = std::max({-p.of[k].low, p.of[k].high, 0.0});
      most = std::max(most, of);
      if (of > 0) least = std::min(least, of);
      if (p.begin >= last_begin && p.end <= to_) stays = std::max(stays, of);
    }
    if (most > apart * (stays < 0 ? least : stays)) return true;
  }
  return false;
}

Size SlidingSums::enter(const backend::Windows& w, Size first, Size last) {
  constexpr Size few = 32;
  odd_.clear();
  const Size n = last - first;
  if (dead_) return n;
  if (!scan_ && w.begin(first) >= to_) begin_at(w.begin(first));
  const Size begin = w.begin(last - 1);
  if (n > 1 && begin > begin_ + room) {  // the first window begins far behind the last one
    if (grid_) absorb(begin_, w.begin(first), -1);
    begin_ = w.begin(first);
  }
  while (!pieces_.empty() && pieces_.back().begin >= to_) pieces_.pop_back();  // of another call
  notice(std::max(to_, w.end(last - 1)));
  return !scan_ && n > few && is_mixed(begin) ? few : n;
}

bool SlidingSums::slide(const backend::Windows& w, Size first, Size last, PanelTotals& t) {
  if (dead_) return false;
  const Size begin = w.begin(last - 1), end = std::max(to_, w.end(last - 1)), n = last - first;
  if (!settle_grid()) {
    dead_ = scan_;
    grid_ = false;
    begin_ = begin;
    to_ = end;
    return false;
  }
  if (scan_) carry_up();
  if (end - to_ > room || begin - begin_ > room) {  // a single window
    absorb(to_, end, 1);
    absorb(begin_, begin, -1);
    for (const Series& s : series_) {
      for (int k = 0; k < words_; ++k) *t.word[s.term.to + k] = s.sum[k];
    }
  } else {
    if (end > to_) {
      read(to_, end, nullptr);
      cut_entering(end, end - to_);
    }
    if (begin > begin_) {
      read(begin_, begin, nullptr);
      cut(begin - begin_, buffers_->at[1]);
    }
    step(w, first, last, t);
  }
  if (!scan_ && lossy_until_ > begin_) lose(Size{1} << (53 - h_));
  begin_ = begin;
  to_ = end;
  t.used = 0;
  for (const Series& s : series_) {
    t.used |= (words_ == 2 ? 3u : 7u) << s.term.to;
    const bool lossy = scan_ ? s.lost != 0 : s.lost != 0 && lossy_until_ > w.begin(first);
    if (!lossy) continue;
    t.used |= 8u << s.term.to;
    std::fill_n(t.word[s.term.to + 3], n, s.lost);
  }
  if (shifts_) {
    for (int k = 0; k < inputs_; ++k) {
      const int word = k == 0 ? PanelTotals::origin : PanelTotals::origin_y;
      std::fill_n(t.word[word], n, pivot_[k]);
      t.used |= 1u << word;
    }
  }
  return true;
}

}  // namespace onefold::cpu_backend
