#include "lab/experiment/reduce_awkward.hpp"

#include <fmt/format.h>

#include "lab/report_text.hpp"

namespace onefold::lab {

std::string flaws_elsewhere(const ReduceRow& row) {
  if (!row.twin || row.rung->twin.flaws == 0 || !row.outcome.report.flaws.empty()) return "";
  for (const unsigned block : {row.setting.block, 32u, 1024u}) {
    if (block < row.rung->about.min_block) continue;
    for (const Size n : {1000u, 5003u}) {
      const auto o = simulate(*row.rung, true, {.n = n, .block = block, .grid = 4}, elements(n, 1));
      if (!o || o->report.flaws.empty()) continue;
      return fmt::format("at n = {}{}: {}", n,
                         block == row.setting.block ? "" : fmt::format(", block {}", block),
                         flaws_text(o->report));
    }
  }
  return "";
}

}  // namespace onefold::lab
