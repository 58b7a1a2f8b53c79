// Checks launches and counts them; reads files as text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>

#include "lab/kernel_run.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

void check_launches(const KernelOptions& o) {
  if (o.launches.empty()) refuse("no launch is given");
  if (o.schedules == 0 || o.schedules > 4096) {
    refuse(fmt::format("--schedules {} is not between 1 and 4096", o.schedules));
  }
  for (const KernelLaunch& l : o.launches) {
    const uint64_t threads = uint64_t{l.block.x} * l.block.y * l.block.z;
    const uint64_t blocks = uint64_t{l.grid.x} * l.grid.y * l.grid.z;
    if (threads > 1024) refuse(fmt::format("a block of {} threads; at most 1024", threads));
    if (l.block.z > 64) refuse(fmt::format("a block {} threads deep; at most 64", l.block.z));
    if (blocks > (uint64_t{1} << 24))
      refuse(fmt::format("a grid of {} blocks; at most 2^24", blocks));
    if (std::max(l.grid.y, l.grid.z) > 65535) {
      refuse(fmt::format("a grid of {} blocks; at most 65535 in y and z", extent_text(l.grid)));
    }
    if (l.shared > (std::size_t{228} << 10)) {
      refuse(fmt::format("{} bytes of shared memory; at most 228 KB", l.shared));
    }
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

void LaunchCounts::add(const sim::Counters& before, const sim::Counters& after, uint64_t more) {
  using Words = std::array<uint64_t, sizeof counters / sizeof(uint64_t)>;
  Words sum = std::bit_cast<Words>(counters);
  const Words from = std::bit_cast<Words>(before), to = std::bit_cast<Words>(after);
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += to[k] - from[k];
  counters = std::bit_cast<sim::Counters>(sum);
  steps += more;
  ++times;
}

}  // namespace onefold::lab
