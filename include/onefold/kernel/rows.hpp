// Folds rows: elements of an answer lie in runs of neighbours, and 1 to 32 lanes hold an answer.
//
//   warp    takes `batch` answers, so many at a time as it has groups of `lanes`; then each lane
//           rounds one of them
//   parts   of an answer are runs, or pieces of its only run; they meet in memory
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/open_answers.hpp"
#include "onefold/kernel/workspace.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, class M>
struct RowFeed {
  using All = Totals<T, ops>;
  enum : int { V = Vector16<T>::size, at_once = 4 };

  // Elements begin..end of a run, `apart` from one another, of which the first is number j of its
  // answer, by lanes first, first + step, ...; wide: the run begins at a multiple of 16 bytes, and
  // so does part `begin`.
  ONEFOLD_KERNEL static void take(M m, All& totals, In<M, T> run, int64_t apart, Size begin,
                                  Size end, uint32_t j, unsigned first, unsigned step, bool wide) {
    Size done = begin;
    if (wide) {
      const Size vectors = (end - begin) / V;
      const auto from = m.by_vector(run + begin);
      ONEFOLD_NO_UNROLL
      for (Size v = first; v < vectors; v += Size{at_once} * step) {
        Vector16<T> x[at_once];
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          const Size k = v + Size{step} * static_cast<unsigned>(u);
          if (m.branch(k < vectors)) x[u] = m.stream(from, k);
        }
        ONEFOLD_UNROLL
        for (int u = 0; u < at_once; ++u) {
          const Size k = v + Size{step} * static_cast<unsigned>(u);
          if (!m.branch(k < vectors)) continue;
          add(totals, x[u], j + static_cast<uint32_t>(begin + k * V));
        }
      }
      done = begin + vectors * V;
    }
    ONEFOLD_NO_UNROLL
    for (Size e = done + first; e < end; e += Size{at_once} * step) {
      T x[at_once];
      ONEFOLD_UNROLL
      for (int u = 0; u < at_once; ++u) {
        const Size k = e + Size{step} * static_cast<unsigned>(u);
        if (m.branch(k < end)) {
          const T one = run[static_cast<int64_t>(k) * apart];
          x[u] = one;
        }
      }
      ONEFOLD_UNROLL
      for (int u = 0; u < at_once; ++u) {
        const Size k = e + Size{step} * static_cast<unsigned>(u);
        if (m.branch(k < end)) totals.add(x[u], j + static_cast<uint32_t>(k));
      }
    }
  }
  ONEFOLD_KERNEL static void add(All& totals, const Vector16<T>& x, uint32_t j) {
    ONEFOLD_UNROLL
    for (int k = 0; k < V; ++k) totals.add(x.v[k], j + static_cast<uint32_t>(k));
  }
};

// What a lane holds of one answer; all lanes of a group have the group's afterwards.
template <class All, class M>
ONEFOLD_KERNEL void meet(M m, All& totals, unsigned lanes) {
  ONEFOLD_NO_UNROLL
  for (unsigned d = lanes / 2; d > 0; d /= 2) totals.add(totals.across(m, d));
}

template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL void fold_rows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                              const Results<M, ops>& results, const Deal& deal) {
  using Feed = RowFeed<T, ops, M>;
  using All = Totals<T, ops>;
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32, warp = t / 32,
                 warps = m.threads() / 32;
  const unsigned lanes = deal.lanes, sub = lane % lanes, group = lane / lanes, groups = 32 / lanes,
                 rounds = deal.batch / groups;
  const Size batches = (deal.answers + deal.batch - 1) / deal.batch, items = batches * deal.parts;
  const NestAxis inner = input.axis[input.kept];
  const Size runs = input.folded == 0 ? 1 : input.elements / inner.extent,
             length = input.folded == 0 ? 1 : inner.extent;
  const bool one_run = runs == 1;
  const OpenAnswers<M> open(m);
  ONEFOLD_NO_UNROLL
  for (Size first = Size{m.block()} * warps; first < items; first += Size{m.blocks()} * warps) {
    const Size item = first + warp;
    const Size batch = deal.parts == 1 ? item : item / deal.parts, part = item - batch * deal.parts,
               answers = batch * deal.batch;
    const bool some = item < items;
    All mine;
    // Rows of one vector a lane: those of several rounds are on their way at once.
    const bool short_rows =
        deal.wide && one_run && deal.parts == 1 && length <= Size{lanes} * Feed::V;
    if (short_rows && lanes >= 4) {
      if (some) {
        ONEFOLD_NO_UNROLL
        for (unsigned r = 0; r < rounds; r += 4) {
          Vector16<T> x[4];
          bool has[4];
          ONEFOLD_UNROLL
          for (unsigned u = 0; u < 4; ++u) {
            const Size a = answers + Size{r + u} * groups + group;
            has[u] = r + u < rounds && a < deal.answers && Size{sub + 1} * Feed::V <= length;
            if (m.branch(has[u])) {
              const auto row = input.x + answer_at<false>(input, a).x;
              x[u] = m.stream(m.by_vector(row), sub);
            }
          }
          All each[4];
          ONEFOLD_UNROLL
          for (unsigned u = 0; u < 4; ++u) {
            if (m.branch(has[u])) Feed::add(each[u], x[u], sub * Feed::V);
            const Size a = answers + Size{r + u} * groups + group, tail = length % Feed::V;
            if (tail != 0 && m.branch(r + u < rounds && a < deal.answers)) {
              const auto row = input.x + answer_at<false>(input, a).x;
              Feed::take(m, each[u], row, 1, length - tail, length, 0, sub, lanes, false);
            }
          }
          // Halves of a group hand each other what they do not keep: two rounds become one, twice.
          const bool upper = (sub & lanes / 2) != 0, odd = (sub & lanes / 4) != 0;
          ONEFOLD_UNROLL
          for (unsigned u = 0; u < 2; ++u) {
            All keep = All::choose(upper, each[u + 2], each[u]);
            const All give = All::choose(upper, each[u], each[u + 2]);
            keep.add(give.across(m, lanes / 2));
            each[u] = keep;
          }
          All total = All::choose(odd, each[1], each[0]);
          const All give = All::choose(odd, each[0], each[1]);
          total.add(give.across(m, lanes / 4));
          meet(m, total, lanes / 4);
          mine = All::choose(sub % (lanes / 4) == r / 4, total, mine);
        }
      }
    } else if (some) {
      ONEFOLD_NO_UNROLL
      for (unsigned r = 0; r < rounds; ++r) {
        const Size a = answers + Size{r} * groups + group;
        All total;
        if (m.branch(a < deal.answers)) {
          const auto row = input.x + answer_at<false>(input, a).x;
          if (one_run) {
            const Size begin = part * deal.part;
            const Size end = length - begin < deal.part ? length : begin + deal.part;
            Feed::take(m, total, row, inner.stride[0], begin, end, 0, sub, lanes, deal.wide);
          } else {
            const Size begin = part * deal.part;
            const Size end = runs - begin < deal.part ? runs : begin + deal.part;
            ONEFOLD_NO_UNROLL
            for (Size k = begin; k < end; ++k) {
              const auto run = row + spot_of<false>(input, input.kept + 1, input.folded - 1, k).x;
              Feed::take(m, total, run, inner.stride[0], 0, length,
                         static_cast<uint32_t>(k * length), sub, lanes, deal.wide);
            }
          }
        }
        meet(m, total, lanes);
        mine = All::choose(sub == r, total, mine);
      }
    }
    // Which answer a lane has.
    const unsigned round = short_rows && lanes >= 4
                               ? 4 * (sub % (lanes / 4)) + ((sub & lanes / 2) != 0 ? 2 : 0) +
                                     ((sub & lanes / 4) != 0 ? 1 : 0)
                               : sub;
    const auto answer_of = [&](unsigned l, unsigned r) { return Size{r} * groups + l / lanes; };
    const Size i = answers + answer_of(lane, round);
    bool has = some && round < rounds && i < deal.answers;
    if (deal.parts > 1 && some) {
      // Words of an answer's parts are neighbours.
      const auto left = scratch.left + batch * deal.batch * deal.parts * All::words;
      if (m.branch(has)) {
        mine.store(left + (answer_of(lane, round) * deal.parts + part) * All::words, 1);
      }
      m.sync_warp();
      unsigned last = 0;
      if (lane == 0) {
        m.fence();
        last = m.add(scratch.tickets, batch, 1u) == deal.parts - 1 ? 1u : 0u;
      }
      last = m.shuffle(last, 0);
      has = has && last != 0;
      if (last != 0) {
        // Each lane sees for itself that all have come, and then what they left.
        load_relaxed<uint32_t>(m, scratch.tickets + batch, 0);
        m.fence();
        m.sync_warp();
        if (lane == 0) scratch.tickets[batch] = 0u;
        mine = All();
        ONEFOLD_NO_UNROLL
        for (unsigned b = 0; b < deal.batch; ++b) {
          if (answers + b >= deal.answers) break;
          All total;
          ONEFOLD_NO_UNROLL
          for (Size p = lane; p < deal.parts; p += 32) {
            total.add(All::load(left + (Size{b} * deal.parts + p) * All::words, 1));
          }
          meet(m, total, 32);
          mine = All::choose(answer_of(lane, round) == b, total, mine);
        }
      }
    }
    bool sure = true;
    if (m.branch(has)) {
      const Size number = input.answer + static_cast<Size>(answer_at<false>(input, i).step);
      sure = LaneAnswers<T, ops>::put_all(m, mine, deal.formulas, input.elements, results, number);
    }
    if (open.tell(m, !sure, i)) redo<T, set, ops>(m, input, results, deal, open);
  }
}

}  // namespace onefold::kernel
