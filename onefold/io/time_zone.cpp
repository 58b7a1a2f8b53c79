#include "onefold/io/time_zone.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "onefold/error.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/text_cursor.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {
namespace {

constexpr int64_t day_seconds = 86400, longest_offset = 26 * 3600;
constexpr const char* zones_folder = "/usr/share/zoneinfo/";

bool takes_name(TextCursor& p) {
  const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  std::string_view text = p.rest();
  std::size_t n = 0;
  if (p.take("<")) {
    n = p.rest().find('>');
    return n != text.npos && p.take(p.rest().substr(0, n + 1));
  }
  while (n < text.size() && is_letter(text[n])) ++n;
  return n >= 3 && p.take(text.substr(0, n));
}

// Reads [+-]hh[:mm[:ss]] as seconds.
bool takes_time(TextCursor& p, int64_t most_hours, int64_t& seconds) {
  const bool negative = p.take("-");
  if (!negative) p.take("+");
  int64_t hours = 0, minutes = 0, rest = 0;
  if (!p.number(1, 3, hours) || hours > most_hours) return false;
  if (p.take(":") && (!p.number(2, 2, minutes) || minutes > 59)) return false;
  if (p.take(":") && (!p.number(2, 2, rest) || rest > 59)) return false;
  seconds = hours * 3600 + minutes * 60 + rest;
  if (negative) seconds = -seconds;
  return true;
}

bool takes_change(TextCursor& p, ZoneRule::Change& change) {
  using On = ZoneRule::Change::On;
  const auto number = [&](int from, int to, int& value) {
    int64_t read = 0;
    if (!p.number(1, 3, read) || read < from || read > to) return false;
    value = static_cast<int>(read);
    return true;
  };
  if (!p.take(",")) return false;
  if (p.take("M")) {
    change.on = On::week;
    if (!number(1, 12, change.month) || !p.take(".") || !number(1, 5, change.week) ||
        !p.take(".") || !number(0, 6, change.day)) {
      return false;
    }
  } else if (p.take("J")) {
    change.on = On::julian;
    if (!number(1, 365, change.day)) return false;
  } else {
    change.on = On::day;
    if (!number(0, 365, change.day)) return false;
  }
  return !p.take("/") || takes_time(p, 167, change.at);
}

// Returns the local seconds since 1970 of a change in a year.
int64_t local_seconds(const ZoneRule::Change& change, std::chrono::year year) {
  using namespace std::chrono;
  sys_days date;
  if (change.on == ZoneRule::Change::On::week) {
    const year_month month = year / std::chrono::month(static_cast<unsigned>(change.month));
    const weekday day(static_cast<unsigned>(change.day));
    date = change.week == 5 ? sys_days(month / day[last])
                            : sys_days(month / day[static_cast<unsigned>(change.week)]);
  } else {
    const bool julian = change.on == ZoneRule::Change::On::julian;
    const int skipped = julian && year.is_leap() && change.day >= 60 ? 1 : 0;
    date = sys_days(year / January / 1) + days(change.day + skipped - (julian ? 1 : 0));
  }
  return int64_t{date.time_since_epoch().count()} * day_seconds + change.at;
}

// Reads a big-endian integer of 4 or 8 bytes.
int64_t big_endian(const unsigned char* p, std::size_t bytes) {
  uint64_t value = 0;
  for (std::size_t k = 0; k < bytes; ++k) value = value << 8 | p[k];
  return bytes == 4 ? static_cast<int32_t>(static_cast<uint32_t>(value))
                    : static_cast<int64_t>(value);
}

std::vector<unsigned char> zone_bytes(const std::string& path) {
  constexpr std::size_t most = 256 << 10;
  std::vector<unsigned char> bytes;
  if (system::facts_of(path).kind != system::FileFacts::Kind::regular) return bytes;
  const int file = system::open_to_read(path);
  if (file < 0) return bytes;
  bytes.resize(most + 1);
  std::size_t n = 0;
  for (std::ptrdiff_t some = 1; some > 0 && n < bytes.size(); n += static_cast<std::size_t>(some)) {
    some = std::max<std::ptrdiff_t>(system::read_some(file, bytes.data() + n, bytes.size() - n), 0);
  }
  system::close_file(file);
  bytes.resize(n > most ? 0 : n);
  return bytes;
}

// Whether a name stays within the folder of zones.
bool is_zone_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '+' ||
           c == '-' || c == '/';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '/' && name.back() != '/' &&
         name.find("//") == name.npos && std::ranges::all_of(name, is_part);
}

}  // namespace

int64_t ZoneRule::offset_at(int64_t seconds) const {
  if (!changes) return standard;
  using namespace std::chrono;
  const auto date = floor<days>(sys_seconds(std::chrono::seconds(seconds + standard)));
  const year_month_day today(date);
  // A change may be a week before or behind its date, so those of three years are looked at.
  std::optional<std::pair<int64_t, int64_t>> latest;  // when, and the offset from then on
  for (int k = -1; k <= 1; ++k) {
    const year year = today.year() + years(k);
    const int64_t begin = local_seconds(to_summer, year) - standard;
    const int64_t end = local_seconds(to_standard, year) - summer;
    for (const auto& [at, offset] : {std::pair(begin, summer), std::pair(end, standard)}) {
      if (at <= seconds && (!latest || at >= latest->first)) latest = {at, offset};
    }
  }
  return latest ? latest->second : standard;
}

std::optional<ZoneRule> parse_zone_rule(std::string_view text) {
  ZoneRule rule;
  TextCursor p(text);
  int64_t west = 0;
  if (!takes_name(p) || !takes_time(p, 24, west)) return {};
  rule.standard = rule.summer = -west;
  if (p.ended()) return rule;
  rule.changes = true;
  if (!takes_name(p)) return {};
  rule.summer = rule.standard + 3600;
  if (!p.rest().starts_with(',')) {
    if (!takes_time(p, 24, west)) return {};
    rule.summer = -west;
  }
  if (!takes_change(p, rule.to_summer) || !takes_change(p, rule.to_standard) || !p.ended())
    return {};
  return rule;
}

// Reads a block of data behind its header, whose times have `word` bytes; moves `bytes` behind it.
bool TimeZone::read_block(std::span<const unsigned char>& bytes, std::size_t word, bool keep) {
  constexpr std::size_t header = 44;
  if (bytes.size() < header || std::memcmp(bytes.data(), "TZif", 4) != 0) return false;
  std::array<std::size_t, 6> n{};  // UT flags, standard flags, leap seconds, times, types, letters
  for (std::size_t k = 0; k < n.size(); ++k) {
    n[k] = static_cast<uint32_t>(big_endian(bytes.data() + 20 + 4 * k, 4));
    if (n[k] > bytes.size()) return false;
  }
  const auto [universal, standard, leaps, times, types, letters] = n;
  const std::size_t length =
      times * (word + 1) + types * 6 + letters + leaps * (word + 4) + standard + universal;
  if (bytes.size() - header < length) return false;
  const unsigned char* const at = bytes.data() + header;
  bytes = bytes.subspan(header + length);
  if (!keep) return true;
  if (leaps != 0 || types == 0) return false;
  const unsigned char* const kinds = at + times * word;
  const unsigned char* const offsets = kinds + times;
  const auto offset_of = [&](std::size_t kind) { return big_endian(offsets + 6 * kind, 4); };
  for (std::size_t k = 0; k < types; ++k) {
    if (offset_of(k) < -longest_offset || offset_of(k) > longest_offset) return false;
  }
  first_ = offset_of(0);
  for (std::size_t k = 0; k < times; ++k) {
    const int64_t when = big_endian(at + k * word, word);
    if (kinds[k] >= types || (k > 0 && when <= transitions_.back().at)) return false;
    transitions_.push_back({when, offset_of(kinds[k])});
  }
  return true;
}

std::optional<TimeZone> TimeZone::read(std::span<const unsigned char> bytes) {
  TimeZone zone;
  if (bytes.size() < 5) return {};
  const bool old = bytes[4] == 0;
  if (!zone.read_block(bytes, 4, old)) return {};
  if (old) return zone;
  if (!zone.read_block(bytes, 8, true)) return {};
  const std::string_view footer(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (footer.size() < 2 || footer[0] != '\n' || footer.find('\n', 1) == footer.npos) return {};
  const std::string_view rule = footer.substr(1, footer.find('\n', 1) - 1);
  if (rule.empty()) return zone;
  zone.rule_ = parse_zone_rule(rule);
  return zone.rule_ ? std::optional(std::move(zone)) : std::nullopt;
}

std::shared_ptr<const TimeZone> TimeZone::find(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_option,
                quote({name.data(), name.data() + name.size()}) + " is not a time zone" + why);
  };
  if (!is_zone_name(name)) refuse("; use a name such as Europe/Oslo");
  const std::string path = zones_folder + name;
  if (!system::exists(std::string(zones_folder) + "UTC")) {
    refuse(" that is known on this machine; install the package tzdata, which has " +
           std::string(zones_folder));
  }
  const std::vector<unsigned char> bytes = zone_bytes(path);
  if (bytes.empty()) refuse("; use a name such as Europe/Oslo (there is no file " + path + ")");
  std::optional<TimeZone> zone = read(bytes);
  if (!zone) refuse(" that can be used, because " + path + " is damaged, or counts leap seconds");
  const auto kept = std::make_shared<const TimeZone>(*std::move(zone));
  if (known.size() < 1000) known.emplace(name, kept);
  return kept;
}

int64_t TimeZone::offset_at(int64_t seconds) const {
  const auto next = std::ranges::upper_bound(transitions_, seconds, {}, &Transition::at);
  if (next == transitions_.end() && rule_) return rule_->offset_at(seconds);
  return next == transitions_.begin() ? first_ : std::prev(next)->offset;
}

std::vector<int64_t> TimeZone::offsets_of_local(int64_t seconds) const {
  // The offsets a day around are those that may hold.
  std::vector<int64_t> found;
  for (const int64_t around :
       {-2 * day_seconds, -day_seconds, int64_t{0}, day_seconds, 2 * day_seconds}) {
    const int64_t offset = offset_at(seconds + around);
    if (offset_at(seconds - offset) != offset) continue;
    if (std::ranges::find(found, offset) == found.end()) found.push_back(offset);
  }
  std::ranges::sort(found, std::greater<>());
  return found;
}

}  // namespace onefold::io
