// Makes the ladder a document: lab/page/ladder.md with its tables, and a section for each rung.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/page/page.hpp"
#include "lab/page/plot.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

const Json* find(const Json& list, const Json& name) {
  for (const Json& r : list) {
    if (r.at("name") == name) return &r;
  }
  return nullptr;
}

std::string speed(double gbps) {
  return gbps >= 100 ? with_commas(gbps) : fmt::format("{:.3g}", gbps);
}

// Returns a title as a link's anchor: lower case, with hyphens.
std::string anchor(const std::string& title) {
  std::string s;
  for (const char c : title) {
    if (c == ' ') s += '-';
    if (c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) s += c;
    if (c >= 'A' && c <= 'Z') s += static_cast<char>(c - 'A' + 'a');
  }
  return s;
}

// Two rungs may have the same title, so its heading has the name, too.
std::string heading(const Json& rung) {
  return fmt::format("{} ({})", rung.at("title").get<std::string>(),
                     rung.at("name").get<std::string>());
}

std::string link(const Json& rung) {
  return fmt::format("[{}](#{})", rung.at("title").get<std::string>(), anchor(heading(rung)));
}

struct Then {
  double value = 0;
  std::string unit, chip;
  bool time() const { return unit == "ms"; }
};

std::optional<Then> then(const Json& rung) {
  for (const Json& p : rung.at("published")) {
    if (p[1] == "GB/s" || p[1] == "ms") return Then{p[0], p[1], p[2]};
  }
  return std::nullopt;
}

class Document {
 public:
  explicit Document(const Json& data) : rungs_(data.at("rungs")), times_(data.at("measured")) {}

  std::string table() const {
    std::string t = "| rung | then | now, GB/s | of the limit | gain then | gain now |\n";
    t += "|---|---|---|---|---|---|\n";
    for (const Json& r : rungs_) {
      t += fmt::format("| {} | {} | {} | {} | {} | {} |\n", link(r), then_text(r), now_text(r),
                       share_text(r), gain_then(r), gain_now(r));
    }
    return t;
  }

  std::string section(const Json& r) const {
    const auto text = [&](const char* key) { return r.at(key).get<std::string>(); };
    std::string s = fmt::format("## {}\n\n{}\n\n- **Source**: {}.\n", heading(r),
                                sentence(text("idea")), text("source"));
    if (const Json* after = find(rungs_, r.at("after"))) {
      s += fmt::format("- **Comes after** {}{}.\n", link(*after), gains(r));
    }
    s += fmt::format("- **Then**: {}. **Now**: {}.\n", all_published(r), now(r));
    s += fmt::format("- **What limits it**: {}{}\n", text("limit_text"), time_text(r));
    std::string next;
    for (const Json& f : rungs_) {
      if (f.at("after") != r.at("name")) continue;
      next += fmt::format("{}{}: {}", next.empty() ? "" : "; ", link(f),
                          f.at("idea").get<std::string>());
    }
    if (!next.empty()) s += fmt::format("- **What comes next**: {}.\n", next);
    if (r.contains("twin")) {
      s += fmt::format("- **As published**: {}{}.\n", r["twin"].at("why").get<std::string>(),
                       flaws(r));
    }
    if (r.contains("counters")) s += "\n" + counters(r.at("counters").at("sm_90"));
    return s + "\n";
  }

 private:
  const Json* time(const Json& r) const {
    const Json& list = times_.at("rungs");
    const auto at = list.find(r.at("name").get<std::string>());
    return at == list.end() || !at->contains("ms") ? nullptr : &*at;
  }
  static std::string sentence(std::string s) {
    s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
    return s + ".";
  }
  static std::string then_text(const Json& r) {
    const auto t = then(r);
    return t ? fmt::format("{} {}", t->value, t->unit) : "";
  }
  std::string now_text(const Json& r) const {
    const Json* t = time(r);
    return t ? speed(t->at("gbps")) : "";
  }
  std::string share_text(const Json& r) const {
    const Json* t = time(r);
    if (t == nullptr || !times_.contains("limit_gbps")) return "";
    return fmt::format("{:.3g} %",
                       100 * t->at("gbps").get<double>() / times_.at("limit_gbps").get<double>());
  }
  std::string gain_then(const Json& r) const {
    const Json* after = find(rungs_, r.at("after"));
    if (after == nullptr) return "";
    const auto a = then(*after), b = then(r);
    if (!a || !b || a->unit != b->unit || a->chip != b->chip) return "";
    return fmt::format("{:.2f}", a->time() ? a->value / b->value : b->value / a->value);
  }
  std::string gain_now(const Json& r) const {
    const Json* after = find(rungs_, r.at("after"));
    if (after == nullptr || (after->at("flow") == "host") != (r.at("flow") == "host")) return "";
    const Json *a = time(*after), *b = time(r);
    if (a == nullptr || b == nullptr) return "";
    return fmt::format("{:.2f}", a->at("ms").get<double>() / b->at("ms").get<double>());
  }
  // Returns for example " Fitted: 59 us for 2^24 on an H200: latency 27.1, blocks 19.8 ..."
  static std::string time_text(const Json& r) {
    if (!r.contains("time")) return "";
    const Json& t = r["time"];
    std::string parts;
    for (const Json& part : t.at("parts")) {
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part[0].get<std::string>(),
                           part[1].get<double>());
    }
    return fmt::format(" Fitted time of the model: {} µs for 2^24 on an H200: {}.",
                       t.at("us").get<double>(), parts);
  }
  std::string gains(const Json& r) const {
    const std::string a = gain_then(r), b = gain_now(r);
    if (a.empty() && b.empty()) return "";
    if (a.empty()) return fmt::format(": {} times as fast now", b);
    return fmt::format(": {} times as fast then{}", a, b.empty() ? "" : ", " + b + " now");
  }
  static std::string all_published(const Json& r) {
    std::string s;
    for (const Json& p : r.at("published")) {
      s += fmt::format("{}{} {}", s.empty() ? "" : ", ", p[0].get<double>(),
                       p[1].get<std::string>());
    }
    if (s.empty()) return "no figure";
    return fmt::format("{} ({})", s, r.at("published")[0][2].get<std::string>());
  }
  std::string now(const Json& r) const {
    const Json* t = time(r);
    if (t == nullptr) return "no time";
    const std::string share = share_text(r);
    return fmt::format("{:.4g} ms, {} GB/s{}", t->at("ms").get<double>(), now_text(r),
                       share.empty() ? "" : ", " + share + " of the limit");
  }
  static std::string flaws(const Json& r) {
    std::string s;
    for (const Json& f : r["twin"].at("flaws")) {
      std::string word = f;
      std::replace(word.begin(), word.end(), '_', ' ');
      s += (s.empty() ? "" : ", ") + word;
    }
    return s.empty() ? "" : fmt::format(" ({})", s);
  }
  static std::string ratio(const Json& c, const char* kind, int over, int under, double times,
                           const char* unit) {
    const double b = c.at(kind)[static_cast<std::size_t>(under)];
    if (b == 0) return "–";
    return fmt::format("{:.3g}{}",
                       times * c.at(kind)[static_cast<std::size_t>(over)].get<double>() / b, unit);
  }
  static std::string counters(const Json& c) {
    const double warps = c.at("warps");
    std::string s =
        "| per warp: instructions | barriers | active lanes | load sectors a request | of them "
        "used | wavefronts a shared load |\n|---|---|---|---|---|---|\n";
    s += fmt::format("| {:.1f} | {:.1f} | {:.1f} | {} | {} | {} |\n",
                     c.at("warp_instructions").get<double>() / warps,
                     c.at("barriers").get<double>() / warps, c.at("active_lanes").get<double>(),
                     ratio(c, "global_load", 1, 0, 1, ""), ratio(c, "global_load", 3, 4, 100, " %"),
                     ratio(c, "shared_load", 1, 0, 1, ""));
    return s;
  }

  const Json& rungs_;
  const Json& times_;
};

}  // namespace

std::string page_document(const std::string& data) {
  const Json j = Json::parse(data);
  if (!j.contains("measured")) {
    throw Error(ErrorCode::bad_option,
                "lab reduce: a document needs times; pass --results with a file printed by "
                "`onefold lab reduce --machine gpu --json`");
  }
  const Document document(j);
  std::string text(page_part("ladder.md")), rungs;
  for (const Json& r : j.at("rungs")) rungs += document.section(r);
  rungs.erase(rungs.find_last_not_of('\n') + 1);
  const Json& m = j.at("measured");
  std::string chip = m.at("chip");
  if (m.contains("date")) {
    chip = fmt::format("{}, {}, commit {}", m.at("machine").get<std::string>(),
                       m.at("date").get<std::string>(), m.at("commit").get<std::string>());
  }
  fill(text, "{{chip}}", chip);
  fill(text, "{{n}}", with_commas(m.at("n")));
  fill(text, "{{type}}", m.at("type").get<std::string>());
  fill(text, "{{limit}}", speed(m.value("limit_gbps", 0.0)));
  fill(text, "{{simulated_n}}", with_commas(j.at("simulated_n")));
  fill(text, "{{table}}\n", document.table());
  fill(text, "{{rungs}}", rungs);
  return text;
}

}  // namespace onefold::lab
