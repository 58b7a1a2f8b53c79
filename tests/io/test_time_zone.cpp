// Files and rules of time zones: the offsets they give, and damaged ones.
#include <gtest/gtest.h>

#include "generate.hpp"
#include "onefold/error.hpp"
#include "onefold/io/time_zone.hpp"
#include "onefold/io/zoned_time.hpp"

namespace onefold::io {
namespace ONEFOLD_FILE {

using Bytes = std::vector<unsigned char>;

void append(Bytes& to, int64_t value, std::size_t bytes) {
  for (std::size_t k = bytes; k-- > 0;) {
    to.push_back(static_cast<unsigned char>(static_cast<uint64_t>(value) >> 8 * k));
  }
}
// A block of TZif: types of 1 h, 2 h and 0 h, and transitions to them.
struct Block {
  std::vector<std::pair<int64_t, int>> transitions = {};
  int64_t leaps = 0;
  int64_t hours[3] = {1, 2, 0};

  void append_to(Bytes& to, std::size_t word) const {
    for (const char c : std::string("TZif2")) to.push_back(static_cast<unsigned char>(c));
    to.resize(to.size() + 15);
    for (const int64_t n : {int64_t{0}, int64_t{0}, leaps, static_cast<int64_t>(transitions.size()),
                            int64_t{3}, int64_t{4}}) {
      append(to, n, 4);
    }
    for (const auto& [at, type] : transitions) append(to, at, word);
    for (const auto& [at, type] : transitions) append(to, type, 1);
    for (const int64_t h : hours) {
      append(to, h * 3600, 4);
      append(to, 0, 2);
    }
    for (const char c : {'C', 'E', 'T', '\0'}) to.push_back(static_cast<unsigned char>(c));
    to.resize(to.size() + static_cast<std::size_t>(leaps) * (word + 4));
  }
};
Bytes file_of(const Block& block, const std::string& rule) {
  Bytes bytes;
  Block().append_to(bytes, 4);
  block.append_to(bytes, 8);
  for (const char c : "\n" + rule + "\n") bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}
int64_t at(const char* text) { return static_cast<int64_t>(parse_time(text)->ns / 1'000'000'000); }

TEST(TimeZone, HasTheOffsetsOfItsTransitionsThenOfItsRule) {
  const auto zone = TimeZone::read(file_of(
      {.transitions = {{at("1980-04-06 01:00"), 1}, {at("1980-09-28 01:00"), 2}}}, "CET-1"));
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->offset_at(at("0000-01-01 00:00")), 3600);
  EXPECT_EQ(zone->offset_at(at("1980-04-06 00:59:59")), 3600);
  EXPECT_EQ(zone->offset_at(at("1980-04-06 01:00")), 7200);
  EXPECT_EQ(zone->offset_at(at("1980-09-28 00:59:59")), 7200);
  EXPECT_EQ(zone->offset_at(at("9999-12-31 00:00")), 3600);
}

TEST(TimeZone, ShowsALocalTimeOnceNeverOrTwice) {
  const auto zone = TimeZone::read(file_of({}, "CET-1CEST,M3.5.0,M10.5.0/3"));
  ASSERT_TRUE(zone);
  using Offsets = std::vector<int64_t>;
  EXPECT_EQ(zone->offsets_of_local(at("2024-03-31 01:59:59")), Offsets{3600});
  EXPECT_EQ(zone->offsets_of_local(at("2024-03-31 02:00")), Offsets{});
  EXPECT_EQ(zone->offsets_of_local(at("2024-03-31 03:00")), Offsets{7200});
  EXPECT_EQ(zone->offsets_of_local(at("2024-10-27 01:59:59")), Offsets{7200});
  EXPECT_EQ(zone->offsets_of_local(at("2024-10-27 02:00")), (Offsets{7200, 3600}));
  EXPECT_EQ(zone->offsets_of_local(at("2024-10-27 03:00")), Offsets{3600});
}

TEST(TimeZone, HasRulesOfPosix) {
  const auto offset = [](const char* rule, const char* time) {
    const auto parsed = parse_zone_rule(rule);
    return parsed ? parsed->offset_at(at(time)) : -1;
  };
  EXPECT_EQ(offset("<+0330>-3:30", "2024-07-01 00:00"), 12600);
  EXPECT_EQ(offset("EST5EDT,M3.2.0,M11.1.0", "2024-03-10 06:59:59"), -18000);
  EXPECT_EQ(offset("EST5EDT,M3.2.0,M11.1.0", "2024-03-10 07:00"), -14400);
  EXPECT_EQ(offset("EST5EDT,M3.2.0,M11.1.0", "2024-11-03 06:00"), -18000);
  // The south has summer over the new year; Dublin's winter is what is saved; Nuuk's change is on
  // the day before.
  EXPECT_EQ(offset("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-01-01 00:00"), 39600);
  EXPECT_EQ(offset("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-06-01 00:00"), 36000);
  EXPECT_EQ(offset("IST-1GMT0,M10.5.0,M3.5.0/1", "2024-01-01 00:00"), 0);
  EXPECT_EQ(offset("IST-1GMT0,M10.5.0,M3.5.0/1", "2024-06-01 00:00"), 3600);
  EXPECT_EQ(offset("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31 00:59:59"), -7200);
  EXPECT_EQ(offset("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31 01:00"), -3600);
  EXPECT_EQ(offset("XXX3EDT4,0/0,J365/23", "2024-07-01 00:00"), -14400);
  EXPECT_EQ(offset("AAA0BBB,J60,J300", "2024-02-29 12:00"), 0);
  EXPECT_EQ(offset("AAA0BBB,59,300", "2024-02-29 12:00"), 3600);
  for (const char* const text :
       {"", "CET", "C-1", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1",
        "CET-1CEST,366,1", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1"}) {
    EXPECT_FALSE(parse_zone_rule(text)) << text;
  }
}

TEST(TimeZone, IsRefusedIfItsFileIsDamaged) {
  const Bytes whole = file_of({.transitions = {{0, 1}, {1, 2}}}, "CET-1");
  ASSERT_TRUE(TimeZone::read(whole));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(TimeZone::read({whole.data(), n})) << n;
  }
  EXPECT_FALSE(TimeZone::read(file_of({.transitions = {{1, 1}, {1, 2}}}, "CET-1")));
  EXPECT_FALSE(TimeZone::read(file_of({.transitions = {{0, 3}}}, "CET-1")));
  EXPECT_FALSE(TimeZone::read(file_of({.leaps = 1}, "CET-1")));
  EXPECT_FALSE(TimeZone::read(file_of({.hours = {27, 0, 0}}, "CET-1")));
  EXPECT_FALSE(TimeZone::read(file_of({}, "CET")));
  test::Random random(62);
  for (int k = 0; k < 20000; ++k) {
    Bytes bytes = whole;
    for (int n = 0; n < 3; ++n) {
      bytes[test::pick(random, 0, bytes.size() - 1)] =
          static_cast<unsigned char>(test::pick(random, 0, 255));
    }
    const auto zone = TimeZone::read(bytes);
    if (zone) static_cast<void>(zone->offsets_of_local(1'717'158'659));
  }
}

TEST(TimeZone, HasANameThatLeadsNowhereElse) {
  for (const char* const name :
       {"", "/etc/passwd", "../passwd", "Europe/../../passwd", "Europe/", "Europe", "Europe//Oslo",
        "Atlantis", "tzdata.zi", "a b", "Europe/Oslo\n"}) {
    EXPECT_THROW(TimeZone::find(name), Error) << name;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::io
