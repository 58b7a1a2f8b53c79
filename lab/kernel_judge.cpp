#include "lab/kernel_judge.hpp"

#include <algorithm>

#include "lab/kernel_flaws.hpp"

namespace onefold::lab {

ptx::Dim dim(const Extent3& e) { return {e.x, e.y, e.z}; }

// Clears a column that has an instruction's number, so that the site names only a line.
sim::Site line_of(sim::Site s) {
  if ((s.column & sim::by_number) != 0) s.column = 0;
  return s;
}

bool out_of_budget(const sim::Flaw& f) {
  return f.kind == sim::FlawKind::no_progress && *f.space == '\0';
}

void add_flaws(KernelResult& r, const sim::Report& found, bool failed, const KernelOptions& o,
               const ptx::Program& program, const std::string& suffix) {
  for (sim::Flaw f : found.flaws) {
    // After a trap other threads wait in vain at barriers, so this flaw is not reported.
    if (failed && f.kind == sim::FlawKind::barrier_not_reached) continue;
    f.at = line_of(f.at);
    f.other = line_of(f.other);
    f.ended = line_of(f.ended);
    const auto same = [&](const sim::Flaw& o) {
      return o.kind == f.kind && o.at == f.at && o.other == f.other;
    };
    const auto old = std::find_if(r.report.flaws.begin(), r.report.flaws.end(), same);
    if (old != r.report.flaws.end()) {
      old->times += f.times;
      continue;
    }
    r.flaws.push_back(flaw_sentence(f, o, program) + suffix);
    r.report.flaws.push_back(f);
  }
}

void merge_lines(KernelResult& r, const sim::Report& from) {
  r.report.counters = from.counters;
  for (const auto& [site, l] : from.lines) {
    sim::LineCounters& to = r.report.lines[line_of(site)];
    to.global += l.global;
    to.shared += l.shared;
    to.instructions += l.instructions;
    to.lanes += l.lanes;
    to.divergent_branches += l.divergent_branches;
  }
}

// Removes the flaws that the author suppressed.
void suppress(KernelResult& r, std::vector<Suppression> allowed) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < r.flaws.size(); ++k) {
    Suppression* by = nullptr;
    for (Suppression& s : allowed) {
      if (by == nullptr && s.covers(r.report.flaws[k])) by = &s;
    }
    if (by != nullptr) {
      by->used = true;
      r.suppressed.push_back({r.report.flaws[k], r.flaws[k], by->reason, by->in_source});
      continue;
    }
    std::swap(r.flaws[kept], r.flaws[k]);
    std::swap(r.report.flaws[kept++], r.report.flaws[k]);
  }
  r.flaws.resize(kept);
  r.report.flaws.resize(kept);
  for (const Suppression& s : allowed) {
    if (!s.used) r.unused.push_back(s);
  }
}

}  // namespace onefold::lab
