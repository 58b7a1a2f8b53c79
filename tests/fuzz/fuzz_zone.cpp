// Any bytes as a file of a time zone, or as a rule, give offsets of at most 167 hours, or none.
#include "fuzz.hpp"
#include "onefold/io/time_zone.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const auto zone = io::TimeZone::read({data, size});
  if (zone) {
    for (const int64_t t :
         {int64_t{-62'167'219'200}, int64_t{0}, int64_t{1'717'158'659}, int64_t{253'402'300'799}}) {
      if (std::abs(zone->offset_at(t)) > 167 * 3600) std::abort();
      for (const int64_t offset : zone->offsets_of_local(t)) {
        if (zone->offset_at(t - offset) != offset) std::abort();
      }
    }
  }
  const auto rule = io::parse_zone_rule({reinterpret_cast<const char*>(data), size});
  if (rule && std::abs(rule->offset_at(1'717'158'659)) > 167 * 3600) std::abort();
  return 0;
}
