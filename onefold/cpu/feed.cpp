// The table of feeds, and the search for the cheapest ones.
#include "onefold/cpu/feed.hpp"

#include <array>
#include <string>

#include "onefold/cpu/portable.hpp"
#include "onefold/cpu/processor.hpp"
#include "onefold/error.hpp"
#include "onefold/system/made_once.hpp"

namespace onefold::cpu_backend {

// One function per file in feed/, defined by the unit that the build makes from it.
#define ONEFOLD_ENTRY(name) void add_##name(Target target, std::vector<Feed>& table);
#include "generated/feed.list"
#undef ONEFOLD_ENTRY

namespace {

std::vector<Feed> make_table([[maybe_unused]] Target target) {
  std::vector<Feed> table;
  add_portable_feeds(table);
#define ONEFOLD_ENTRY(name) add_##name(target, table);
#include "generated/feed.list"
#undef ONEFOLD_ENTRY
  return table;
}

// Returns the cheapest set of feeds that gather `needs`. Dynamic programming over the subsets
// of accumulators, with a few feeds for each.
std::vector<const Feed*> cheapest_cover(Target target, DType t, Accumulators needs) {
  struct Best {
    int cost = 1 << 30;
    const Feed* last = nullptr;
  };
  std::array<Best, 1 << accumulator_count> best;
  best[0].cost = 0;
  std::vector<const Feed*> candidates;
  for (const Feed& feed : feeds(target)) {
    if (feed.dtype == t && !(feed.provides & needs).empty()) candidates.push_back(&feed);
  }
  for (uint32_t set = 1; set < best.size(); ++set) {
    if (!Accumulators(set).within(needs)) continue;
    for (const Feed* feed : candidates) {
      const uint32_t rest = set & ~feed->provides.bits;
      if (rest == set) continue;
      const int cost = best[rest].cost + feed->cost;
      if (cost < best[set].cost) best[set] = {cost, feed};
    }
  }
  std::vector<const Feed*> chosen;
  for (uint32_t set = needs.bits; set != 0; set &= ~best[set].last->provides.bits) {
    chosen.push_back(best[set].last);
  }
  return chosen;
}

}  // namespace

Target find_target(std::string_view name) {
  const std::span<const Target> usable = usable_targets();
  if (name.empty()) return usable[0];
  std::string known;
  for (const Target t : usable) {
    if (name == name_of(t)) return t;
    known += (known.empty() ? "" : ", ") + std::string(name_of(t));
  }
  throw Error(ErrorCode::bad_option,
              "instruction set \"" + std::string(name) +
                  "\" is not one that this processor can run; choose one of " + known);
}

std::span<const Feed> feeds(Target target) {
  static constinit std::array<MadeOnce<std::vector<Feed>>, target_count> tables;
  return tables[static_cast<std::size_t>(target)].get([&] { return make_table(target); });
}

std::span<const Feed* const> choose_feeds(Target target, DType t, Accumulators needs) {
  // The choice is cached for each question, because a short fold has no time to search the table.
  static constinit std::array<MadeOnce<std::vector<const Feed*>>, (target_count * dtype_count)
                                                                      << accumulator_count>
      chosen;
  const int table = static_cast<int>(target) * dtype_count + static_cast<int>(t);
  const auto row = (static_cast<std::size_t>(table) << accumulator_count) + needs.bits;
  return chosen[row].get([&] { return cheapest_cover(target, t, needs); });
}

}  // namespace onefold::cpu_backend
