// Computes the totals of a group of neighbouring answers, panel by panel.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "onefold/cpu/family/near.hpp"
#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/family/room.hpp"

namespace onefold::cpu_backend {

class GroupTotals {
 public:
  // threads: how many will fold; there are groups for all of them, if possible
  GroupTotals(const Plan& plan, const Shape& shape, int threads);

  Size group() const { return group_; }  // answers of a group
  // Returns into how many parts a group's elements should be dealt, at most `most`, for so many
  // threads. Adding up the totals of a part costs as much as a few rows, so there are only as many
  // parts as threads until a part has several times as many rows.
  Size parts(Size most, Size threads) const {
    const Size n = shape_.element.extent / folds_;
    return std::min({most, std::max(threads, n / (4 * least_part)), n / least_part});
  }
  const ElementFilter& leaving() const { return leaving_; }

  // Computes the totals of a group; `parts` parts of its elements are shared among threads.
  //   taken  null: all elements count; else the number of selected elements is added, per answer
  void gather(const SumRequest& w, const Group& g, PanelTotals& t, Size* taken, Size parts,
              int threads) const;
  // Does the same with three words per total.
  void gather_carefully(const SumRequest& w, const Group& g, PanelTotals& t, Size* taken) const;

  // Computes totals with three words, and a `lost` that is 0 where they have no error.
  void gather_without_error(const SumRequest& w, const Group& g, PanelTotals& t) const;

  // Returns which answers have only finite elements of the same bits, so that their spread is 0.
  // Reads one array, without a mask.
  std::vector<uint8_t> constants(const Group& g) const;

  // Calls f for each run of undecided answers. Runs with at most `gap` decided answers between them
  // are joined.
  template <class F>
  void over_undecided(const Group& g, const uint8_t* decided, Size gap, F f) const {
    for (Size i = 0; i < g.answers;) {
      const void* const found = std::memchr(decided + i, 0, g.answers - i);
      if (found == nullptr) return;
      i = static_cast<Size>(static_cast<const uint8_t*>(found) - decided);
      const Size most = std::min(g.answers, i + TotalsMemory::few);
      Size end = i + 1;  // end of the last undecided answer
      for (Size k = end; k < most && k - end <= gap; ++k) {
        if (decided[k] == 0) end = k + 1;
      }
      f(g.part(shape_, i, end - i), i);
      i = end;
    }
  }

  // Calls f for each panel of a group, with any strides.
  template <class F>
  void over_panels(const Group& g, F f) const {
    for (Size again = 0; again < shape_.again; ++again) {
      for (Size e = 0; e < shape_.element.extent; e += panel_elements) {
        f(panel_of(shape_, g, again, e, std::min(panel_elements, shape_.element.extent - e)));
      }
    }
  }

 private:
  static constexpr Size least_part = 32;

  // A range of steps along the element axis.
  struct Range {
    Size begin, end;
  };
  Range all() const { return {0, shape_.element.extent}; }
  struct How {
    bool first;  // the origins are not set yet
    bool careful;
    Size* taken;
  };
  bool quickly(const SumRequest& w, const Panel& p, PanelTotals& t) const;
  bool take(const SumRequest& w, const Panel& p, const How& how, PanelTotals& t, Size wrap) const;
  void set_origins(const SumRequest& w, const Group& g, PanelTotals& t) const;
  void total(const SumRequest& w, const Group& g, Range range, How how, PanelTotals& t) const;
  void total_folded(const SumRequest& w, const Group& g, Range range, How how,
                    PanelTotals& t) const;
  void add_panel(const SumRequest& w, const Panel& p, const How& how, Size wrap, PanelTotals& t,
                 PanelTotals& more) const;
  Size step(const How& how, Size answers) const;

  const Plan& plan_;
  const Shape& shape_;
  const ElementFilter leaving_;
  const PanelEnd& end_;
  Size length_ = 1;  // elements of a panel, per answer
  Size group_ = 1;
  Size folds_ = 1;  // number of rows that are folded as one longer row
};

}  // namespace onefold::cpu_backend
