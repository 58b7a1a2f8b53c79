// Sums of windows that slide along a line, by words on a grid (cuts.hpp).
//
//   slide    words of what enters are added, words of what leaves taken away: exact in f64
//   grid     holds the elements of the windows of a tile, and stays while these fit it. A new one
//            begins with the window's elements again; that of a scan cuts the sums again
//   words    two; three where two do not hold all elements, of a scan to the end of its line
//   pivot    spreads are of x - pivot where that is exact: all elements lie within a factor of 3. A
//            scan has one as long as that holds, and then reads all again
//   NaN      and infinities add 0; `odd` lists them
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "onefold/cpu/panel/terms.hpp"
#include "onefold/cpu/window/cuts.hpp"
#include "onefold/cpu/window/line.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

class SlidingSums {
 public:
  // Elements that are cut at once, and that a tile's windows take in or let go.
  static constexpr Size room = 2048;
  // Windows of a tile.
  static constexpr Size most_windows = 256;

  static bool knows(Statistic of);
  //   of        the statistic whose totals are computed
  //   capacity  the most elements of two neighbouring windows; 0: a scan
  SlidingSums(const CutWays& ways, DType t, Statistic of, Size capacity);
  ~SlidingSums();

  Statistic of() const { return of_; }
  // The windows that follow are of this line, and begin at `begin` or later.
  void open(const Line& line, Size begin);
  // The scan of a sum goes on behind elements whose sum is known. Returns false if that is too
  // large.
  //   limbs  of weight sign 2^(unit + 32 k) (core/exact/limbs.hpp), canonical, none below 0
  bool go_on(std::span<const int64_t> limbs, int unit, double sign);
  // Returns how many of the windows first .. last - 1 the next call takes.
  Size fit(const backend::Windows& w, Size first, Size last) const;
  // Reads what these windows take in. Returns how many of them to slide over: fewer where
  // magnitudes change. If it is fewer, or those of other sums are, it must be called for these.
  Size enter(const backend::Windows& w, Size first, Size last);
  // Computes the totals of these windows, which have entered. Returns false if their range is too
  // wide for the grid.
  bool slide(const backend::Windows& w, Size first, Size last, PanelTotals& t);
  // Uses three words from now on, for a while.
  void more_words();

  // Of the elements of the last call's windows: whether one is -0; and NaN and infinities.
  bool negative_zero() const { return negative_zero_; }
  // How many elements have entered and left when a window of a tile is reached.
  struct Move {
    Size enters, leaves;
  };
  struct Odd {
    Size at;
    bool nan;
  };
  // What the last call's windows have taken in.
  const std::vector<Odd>& odd() const { return odd_; }

 private:
  // The sum of a term.
  struct Series {
    PanelTerm term;
    int degree[2] = {};  // of x, and of y
    double magic[most_cuts] = {}, sum[most_cuts] = {};
    double power = 0;  // the most that the words of a cube or fourth power are wrong
    double lost = 0;   // a bound of what the sum's words do not hold
  };
  // What has entered, in pieces.
  struct Piece {
    Size begin, end;
    Spread of[2];
  };
  using Words = double* [most_cuts];
  struct Buffers {
    // Arrays begin at different places of a page, so that they do not share the lines of L1.
    static constexpr Size apart = room + 40;
    alignas(64) double x[2][apart];
    alignas(64) double words[2][5][most_cuts][apart];  // of what enters, and of what leaves
    Words at[2][5];
    Buffers() {
      for (int side = 0; side < 2; ++side) {
        for (int s = 0; s < 5; ++s) {
          for (int k = 0; k < most_cuts; ++k) at[side][s][k] = words[side][s][k];
        }
      }
    }
  };

  void add_series(const PanelTerm& term);
  void begin_at(Size place);
  void notice(Size end);
  bool is_mixed(Size last_begin) const;
  void read(Size from, Size to, Spread* spreads);
  void set_apart(Size from, Size n, bool lists);
  bool settle_grid();
  int wanted(int input, const Spread& s, double& pivot) const;
  static int top_of(const Series& s, const int* top) {
    return s.degree[0] * top[0] + s.degree[1] * top[1];
  }
  bool set_magic(bool turns);
  void cut_sums();
  void carry_up();
  bool cut(Size n, Words* words);
  void absorb(Size from, Size to, double sign);
  bool moves_by_one(const backend::Windows& w, Size first, Size last) const;
  void step(const backend::Windows& w, Size first, Size last, PanelTotals& t);
  void cut_entering(Size end, Size n);
  void lose(Size elements);

  const CutWays& ways_;
  const DType type_;
  const Size bytes_;
  const Statistic of_;
  const bool scan_, shifts_, floating_;
  const Size capacity_;
  const int h_, fewest_words_;
  int words_, inputs_ = 1, spell_ = 0;
  std::vector<Series> series_;

  Line line_;
  Size begin_ = 0, to_ = 0, read_from_ = 0, read_to_ = 0;
  bool grid_ = false, dead_ = false, negative_zero_ = false;
  double pivot_[2] = {};
  Spread seen_[2];  // of all elements since open()
  int top_[2] = {};
  Size lossy_until_ = 0;
  std::deque<Piece> pieces_;
  std::vector<Odd> odd_;
  Move moves_[most_windows];
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace onefold::cpu_backend
