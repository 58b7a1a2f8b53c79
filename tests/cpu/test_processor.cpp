#include "onefold/cpu/processor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "feed_check.hpp"
#include "generate.hpp"
#include "guarded.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

TEST(Prefetch, IsChosenByTheProcessor) {
  EXPECT_EQ(prefetch_for({.amd = true, .family = 0x19, .model = 0x11}), 0u);     // Zen 4: Genoa
  EXPECT_EQ(prefetch_for({.amd = true, .family = 0x19, .model = 0x61}), 0u);     // Raphael
  EXPECT_EQ(prefetch_for({.amd = true, .family = 0x19, .model = 0x01}), 6144u);  // Zen 3
  EXPECT_EQ(prefetch_for({.amd = true, .family = 0x1a, .model = 0x02}), 6144u);  // Zen 5
  EXPECT_EQ(prefetch_for({.amd = false, .family = 6, .model = 0xcf}), 6144u);    // Emerald Rapids
  EXPECT_EQ(prefetch_for({}), 6144u);
  EXPECT_EQ(prefetch_ahead, prefetch_for(this_processor()));
}

TEST(Processor, SplitsOperationsOf512BitsIfItIsZen4) {
  EXPECT_TRUE(splits_512_bits({.amd = true, .family = 0x19, .model = 0x11}));
  EXPECT_TRUE(splits_512_bits({.amd = true, .family = 0x19, .model = 0xa1}));   // Bergamo
  EXPECT_FALSE(splits_512_bits({.amd = true, .family = 0x19, .model = 0x01}));  // has none
  EXPECT_FALSE(splits_512_bits({.amd = true, .family = 0x1a, .model = 0x02}));
  EXPECT_FALSE(splits_512_bits({.amd = false, .family = 6, .model = 0xcf}));
}

TEST(Processor, IsKnownAsTheSystemKnowsIt) {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  const Processor p = this_processor();
  const auto has = [&](const std::string& line) {
    return text.str().find(line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has("cpu family\t: " + std::to_string(p.family)));
  EXPECT_TRUE(has("model\t\t: " + std::to_string(p.model)));
  EXPECT_EQ(p.amd, has("vendor_id\t: AuthenticAMD"));
}

// Any prefetch distance gives the same words, and nothing beyond the end of memory is accessed.
TEST(Prefetch, ChangesNoWord) {
  const std::size_t chosen = prefetch_ahead, n = 9001;
  for (const Target t : usable_targets()) {
    for (const Feed& f : feeds(t)) {
      const std::size_t bytes = n * bytes_of(f.dtype);
      test::Guarded memory(bytes);
      const test::Data x = test::generate(test::generators(f.dtype)[0], f.dtype, n, 4);
      std::memcpy(memory.end() - bytes, x.data(), bytes);
      test::States expected(f.provides, f.dtype);
      test::reference(expected, x.data(), x.data(), n, 0);
      for (const std::size_t ahead : {std::size_t{0}, std::size_t{6144}, std::size_t{1} << 20}) {
        prefetch_ahead = ahead;
        test::States got(f.provides, f.dtype);
        test::Session s(f, got);
        s.run(memory.end() - bytes, memory.end() - bytes, n, 0);
        s.close();
        got.canonicalise();
        EXPECT_EQ(test::difference(got, expected), "") << f.name << ", " << ahead << " bytes ahead";
      }
    }
  }
  prefetch_ahead = chosen;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
