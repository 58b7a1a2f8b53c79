// Checks launches, counts them and makes their rows; reads files as text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>

#include "lab/kernel_judge.hpp"
#include "lab/kernel_orders.hpp"
#include "lab/refuse.hpp"
#include "lab/report_text.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

std::string over_limit(const KernelLaunch& l, std::size_t static_shared, uint64_t most_threads) {
  const uint64_t threads = dim(l.block).count(), blocks = dim(l.grid).count();
  const std::size_t shared = static_shared + l.shared;
  if (threads == 0 || blocks == 0) {
    return fmt::format("{} blocks of {} threads", blocks, threads);
  }
  if (threads > 1024)
    return fmt::format("a block of {} threads is too large; at most 1024 are possible", threads);
  if (l.block.z > 64)
    return fmt::format("a block is {} threads deep; at most 64 are possible", l.block.z);
  if (most_threads != 0 && threads > most_threads) {
    return fmt::format(
        "a block of {} threads is too large; __launch_bounds__ of {} allows at most {}", threads,
        l.kernel, most_threads);
  }
  if (std::max(l.grid.y, l.grid.z) > 65535) {
    return fmt::format("a grid of {} blocks is too large; at most 65535 are possible in y and z",
                       extent_text(l.grid));
  }
  if (blocks > (uint64_t{1} << 24)) {
    return fmt::format("a grid of {} blocks is too large; at most 2^24 can be simulated", blocks);
  }
  if (shared <= most_shared) return "";
  if (static_shared == 0) {
    return fmt::format("{} bytes of shared memory were requested; at most {} are possible", shared,
                       most_shared);
  }
  return fmt::format(
      "{} bytes of shared memory, {} of them static, are too many; at most {} are possible", shared,
      static_shared, most_shared);
}

void check_launches(const KernelOptions& o) {
  if (o.launches.empty())
    refuse("no launch was given; write one such as kernel<<<64, 256>>>(in, out, n)");
  if (o.schedules == 0 || o.schedules > 4096) {
    refuse(fmt::format("--schedules {} is not between 1 and 4096", o.schedules));
  }
  for (const KernelLaunch& l : o.launches) {
    if (const std::string why = over_limit(l); !why.empty()) refuse(why);
  }
}

std::string text_of_file(const std::string& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 65536> part{};
  while (in.is_open() && in && text.size() <= most) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) {
    throw Error(ErrorCode::cannot_open, "lab run: " + file + " cannot be read");
  }
  if (text.size() > most) {
    throw Error(ErrorCode::cannot_open,
                fmt::format("lab run: {} holds more than {} bytes", file, most));
  }
  return text;
}

void launch(ptx::Running& run, bool cooperative, LaunchCounts& count) {
  using Words = std::array<uint64_t, sizeof count.counters / sizeof(uint64_t)>;
  const auto words = [&] { return std::bit_cast<Words>(run.engine.report().counters); };
  const Words from = words();
  const uint64_t steps = run.steps, flops = run.flops;
  if (cooperative && run.grid_workspace == 0) {
    const uint32_t none[2] = {};
    run.arrays.push_back(run.engine.allocate<uint32_t>("the grid's barrier", 2, none).space);
    run.grid_workspace = run.arrays.size() * ptx::array_span;
  }
  run.launch(cooperative);
  Words sum = std::bit_cast<Words>(count.counters);
  const Words to = words();
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += to[k] - from[k];
  count.counters = std::bit_cast<sim::Counters>(sum);
  count.steps += run.steps - steps;
  count.flops += run.flops - flops;
  count.registers = run.registers;
  count.shared = static_cast<unsigned>(run.shared_bytes - run.gap_bytes);
  ++count.times;
}

std::vector<Line> launch_lines(const KernelResult& r) {
  std::vector<Line> lines{{"kernel", "grid", "block", "launches", "active_lanes",
                           "divergent_percent", "gld_efficiency", "gst_efficiency", "bank_ways",
                           "barriers", "inst_per_warp", "registers", "occupancy", "occupancy_limit",
                           "bytes", "flops", "flop_per_byte", "bound", "uncached_us"}};
  const sim::Chip& chip = *sim::find_chip(r.chip);
  const auto ratio = [](double part, uint64_t of, double times = 1) {
    return of == 0 ? std::string("-") : fmt::format("{:.1f}", times * part / double(of));
  };
  for (std::size_t k = 0; k < std::min(r.launches.size(), r.counted.size()); ++k) {
    const KernelLaunch& l = r.launches[k];
    const LaunchCounts& n = r.counted[k];
    const sim::Counters& c = n.counters;
    sim::Traffic shared = c.shared_load;
    shared += c.shared_store;
    // Warp instructions: those of threads by the lanes that are active in a warp.
    const double lanes = c.active_lanes() == 0 ? 32 : c.active_lanes();
    const auto threads = static_cast<unsigned>(dim(l.block).count());
    const sim::Occupancy held = sim::occupancy(chip, threads, n.registers, n.shared);
    const uint64_t bytes = c.global_load.moved + c.global_store.moved;
    const double of_memory = double(bytes) / chip.gbps, of_flops = double(n.flops) / chip.gflops;
    lines.push_back({l.kernel, extent_text(l.grid), extent_text(l.block),
                     fmt::format("{}", n.times),
                     ratio(double(c.lane_instructions), c.warp_instructions),
                     ratio(double(c.divergent_branches), c.branches, 100),
                     ratio(double(c.global_load.bytes), c.global_load.moved, 100),
                     ratio(double(c.global_store.bytes), c.global_store.moved, 100),
                     ratio(double(shared.count), shared.requests), fmt::format("{}", c.barriers),
                     ratio(double(n.steps) / lanes, c.warps), fmt::format("{}", n.registers),
                     fmt::format("{:.0f}", held.percent), std::string(held.limit),
                     fmt::format("{}", bytes), fmt::format("{}", n.flops),
                     bytes == 0 ? "-" : fmt::format("{:.3g}", double(n.flops) / double(bytes)),
                     of_memory < of_flops ? "flops" : "memory",
                     fmt::format("{:.3g}", std::max(of_memory, of_flops) * 1e-3)});
  }
  return lines;
}

std::string to_csv(const KernelResult& r) {
  std::string out;
  for (Line l : launch_lines(r)) {
    if (l[0].find(',') != l[0].npos) l[0] = '"' + l[0] + '"';
    for (std::size_t k = 0; k < l.size(); ++k) out += l[k] + (k + 1 == l.size() ? '\n' : ',');
  }
  return out;
}

}  // namespace onefold::lab
