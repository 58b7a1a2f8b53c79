// A few rungs, one for each way in which blocks meet, where `make test` watches the machine.
#include <gtest/gtest.h>

#include "lab/make_entry.hpp"
#include "lab/rung/reduce/bulk_copy.hpp"
#include "lab/rung/reduce/grid_barrier.hpp"
#include "lab/rung/reduce/modulo.hpp"
#include "lab/rung/reduce/shuffle_two_level.hpp"
#include "lab/rung/reduce/ticket.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {
namespace {

// Published versions that read beyond the array add memory that nobody wrote.
TEST(FewRungs, AddWhateverTheLengthAndHaveTheFlawsOfTheirTwins) {
  const Entry rungs[] = {make_entry<reduce::modulo>("modulo", ""),
                         make_entry<reduce::shuffle_two_level>("shuffle_two_level", ""),
                         make_entry<reduce::ticket>("ticket", ""),
                         make_entry<reduce::grid_barrier>("grid_barrier", ""),
                         make_entry<reduce::bulk_copy>("bulk_copy", "")};
  for (const Entry& rung : rungs) {
    for (const Size n : {Size{1}, Size{5000}, Size{8192}}) {
      const auto x = elements(n, 1);
      const auto right = simulate(rung, false, {.n = n, .grid = 4, .schedules = 4}, x);
      ASSERT_TRUE(right) << rung.name;
      EXPECT_TRUE(right->correct) << rung.name << ' ' << n;
      EXPECT_TRUE(right->report.flaws.empty()) << rung.name << ' ' << n;
      if (!rung.has_twin) continue;
      const auto twin = simulate(rung, true, {.n = n, .grid = 4, .schedules = 4}, x);
      ASSERT_TRUE(twin) << rung.name;
      EXPECT_TRUE(n != 5000 || !twin->report.flaws.empty()) << rung.name;
    }
  }
}

}  // namespace
}  // namespace onefold::lab
