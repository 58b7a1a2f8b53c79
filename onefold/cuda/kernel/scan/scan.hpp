// Scans: answer i of a line is the fold of its first i + 1 elements, rounded once.
//
//   grid   sum, answer: a block for each part of each line; carry: one for each word of each line
//   cost   an array of one line is read twice, and its answers are written once
#pragma once

#include "onefold/cuda/kernel/scan/answers.hpp"
#include "onefold/cuda/kernel/scan/parts.hpp"

namespace onefold::kernel {

//   warps  of a block; with fewer than scan_warps lines are single parts
template <class T, uint32_t set, OpSet ops, unsigned warps = scan_warps, class M>
ONEFOLD_KERNEL void scan(M m, const Scan<M, T>& in, const Results<M, ops>& results) {
  if constexpr (warps == scan_warps) {
    if (in.step == ScanStep::sum) return ScanParts<T, set, M>::sum(m, in);
    if (in.step == ScanStep::carry) return ScanParts<T, set, M>::carry(m, in);
  }
  ScanAnswers<T, set, ops, warps, M>(m, in, results, ScanPart(m, in)).run(m);
}

}  // namespace onefold::kernel
