// Extremes and counts that blocks pass to the last block in words; every barrier is needed.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/kernel/kernels.hpp"
#include "scaled.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using kernel::Best;
using kernel::no_tile;
using kernel::Rival;

// Returns the better of two keys, sent through the words that blocks pass on.
template <class T>
void check_meeting(Random& r) {
  using Key = typename Rival<T>::Key;
  const auto some = [&] {
    Best<Key> b{static_cast<Key>(r()), static_cast<uint32_t>(r() % 3)};
    if (r() % 4 == 0) b.key = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
    if (r() % 4 == 0) b.key = static_cast<Key>(~(Key{1} << (8 * sizeof(Key) - 1)));
    if (r() % 4 == 0) b.tile = static_cast<uint32_t>((uint64_t{1} << 31) - 3);
    if (r() % 8 == 0) b.tile = no_tile;
    return b;
  };
  Best<Key> best = some();
  Rival<T> rival(best);
  for (int k = 0; k < 4; ++k) {
    Best<Key> other = some();
    if (r() % 2 == 0) other.key = best.key;
    Rival<T> handed;
    const bool nan = r() % 4 == 0 || rival.has_nan();
    for (int w = 0; w < Rival<T>::words; ++w) {
      const uint64_t word = Rival<T>(other).word(w);
      ASSERT_NE(word, 0u);
      handed.set(w, word);
    }
    if (nan) handed.place |= Rival<T>::nan;
    best.meet(other.key, other.tile);
    rival.meet(handed);
    ASSERT_EQ(rival.stands_at(), best.tile);
    ASSERT_EQ(rival.some(), best.tile != no_tile);
    ASSERT_EQ(rival.has_nan(), nan);
    if (rival.some()) {
      ASSERT_EQ(rival.key(), best.key);
    }
  }
}
TEST(Rivals, AreBetterByKeyThenByPlace) {
  Random r(7);
  for (int round = 0; round < test::scaled(20000); ++round) {
    check_meeting<float>(r);
    check_meeting<double>(r);
    check_meeting<uint32_t>(r);
    check_meeting<uint64_t>(r);
    check_meeting<int8_t>(r);
  }
}

struct Ending {
  const char* name;
  const char* file;  // the file whose barriers are left out, one at a time
  bool few;
  uint32_t set;
  KernelResult (*run)(const Data&, const Data*, const KernelRun&, const Rounding&);
};
const Ending endings[] = {
    {"IndexedExtremes", "end/indexed_extremes.hpp", true, ptp_set,
     simulate_whole<float, ptp_set, 1, 2>},
    {"Extremes", "end/extremes.hpp", false, ptp_set, simulate_whole<float, ptp_set, 1, 2>},
    {"Tickets", "end/tickets.hpp", false, ptp_set, simulate_whole<float, ptp_set, 1, 2>},
    {"Counts", "end/counts.hpp", false, count_set, simulate_whole<float, count_set, 1, 2>}};

class EndBarriers : public testing::TestWithParam<Ending> {};

// Without it the machine finds a flaw in some run, or the state is wrong.
TEST_P(EndBarriers, AreAllNeeded) {
  const Ending& k = GetParam();
  std::vector<sim::Site> sites;
  const auto flaws = [&](std::optional<sim::Site> without, std::vector<sim::Site>* found) {
    std::size_t all = 0;
    for (const char* kind : {"normal", "any_bits"}) {
      const Data x = generate(kind, f32, 3000, 5);
      for (const unsigned schedule : {1u, 2u, 3u}) {
        for (const unsigned grid : {1u, 3u}) {
          const KernelResult got = k.run(
              x, nullptr,
              {.grid = grid, .schedule = schedule, .launches = 2, .few = k.few, .without = without},
              {});
          all += got.flaws.size();
          if (got.state != portable_state(Accumulators(k.set), x, nullptr)) ++all;
          if (found != nullptr) {
            found->insert(found->end(), got.sync_sites.begin(), got.sync_sites.end());
          }
        }
      }
    }
    return all;
  };
  ASSERT_EQ(flaws({}, &sites), 0u);
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  std::size_t here = 0;
  for (const sim::Site& site : sites) {
    if (std::string_view(site.file).find(k.file) == std::string_view::npos) continue;
    ++here;
    EXPECT_GT(flaws(site, nullptr), 0u) << site.file << ":" << site.line;
  }
  EXPECT_GT(here, 0u);
}
INSTANTIATE_TEST_SUITE_P(Kernels, EndBarriers, testing::ValuesIn(endings),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
