#include "lab/page/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/page/page.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

std::string cell(const Json& v) {
  if (v.is_string()) return escaped(v.get<std::string>());
  if (v.is_number_float()) return fmt::format("{:.4g}", v.get<double>());
  return v.is_null() ? "" : v.dump();
}

std::string row(const char* tag, const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& c : cells) out += fmt::format("<{}>{}</{}>", tag, c, tag);
  return out + "</tr>\n";
}

// Names of what a point has: points of the same names share a table.
std::vector<std::string> names(const Json& point, const char* what) {
  std::vector<std::string> all;
  if (point.contains(what)) {
    for (const auto& [name, value] : point.at(what).items()) all.push_back(name);
  }
  return all;
}

bool together(const Json& a, const Json& b) {
  return a.at("name") == b.at("name") && names(a, "params") == names(b, "params") &&
         names(a, "found") == names(b, "found") && a.contains("gbps") == b.contains("gbps");
}

// A bar as long as the value is against the most of the experiment.
std::string bar(double v, double most) {
  return fmt::format(R"(<span class="rate" style="width:{:.1f}em"></span>)", 12 * v / most);
}

std::string table(const std::vector<const Json*>& points, double most) {
  const Json& first = *points[0];
  const auto params = names(first, "params"), found = names(first, "found");
  const auto predicted = [&](const std::string& name) {
    return std::any_of(points.begin(), points.end(), [&](const Json* p) {
      return p->contains("predicted") && p->at("predicted").contains(name);
    });
  };
  std::string published;
  for (const Json& p : first.at("published")) {
    published += fmt::format("{}{} {} ({})", published.empty() ? "; published: " : ", ",
                             cell(p.at("value")), cell(p.at("unit")), cell(p.at("chip")));
  }
  std::string out = fmt::format("<h3><code>{}</code> {}</h3>\n<p class=\"note\">{}{}</p>\n",
                                cell(first.at("name")), cell(first.at("title")),
                                cell(first.at("source")), published);
  std::vector<std::string> head;
  for (const std::string& p : params) head.push_back(escaped(p));
  for (const std::string& f : found) {
    head.push_back(escaped(f));
    if (predicted(f)) head.push_back("predicted");
  }
  if (first.contains("ms")) head.push_back("ms");
  if (first.contains("gbps")) head.insert(head.end(), {"GB/s", ""});
  head.push_back("");
  out += "<div class=\"wide\"><table>\n" + row("th", head);
  for (const Json* p : points) {
    std::vector<std::string> cells;
    for (const std::string& name : params) cells.push_back(cell(p->at("params").at(name)));
    for (const std::string& name : found) {
      cells.push_back(cell(p->at("found").at(name)));
      if (predicted(name)) cells.push_back(cell(p->at("predicted").value(name, Json())));
    }
    if (first.contains("ms")) cells.push_back(cell(p->value("ms", Json())));
    if (first.contains("gbps")) {
      const double v = p->at("gbps");
      cells.insert(cells.end(), {cell(v), bar(v, most)});
    }
    cells.emplace_back(p->at("correct") ? "right" : "<b>wrong</b>");
    out += row("td", cells);
  }
  return out + "</table></div>\n";
}

// How near counters came to what was predicted.
std::string agreement(const Json& e) {
  std::string out = fmt::format(
      "<h3>Counters</h3>\n<p class=\"note\">predicted by the simulated machine, measured by ncu on "
      "{}</p>\n<div class=\"wide\"><table>\n",
      cell(e.at("counted_on")));
  out += row("th", {"counter", "launches", "equal", "within 5 %", "furthest: predicted", "measured",
                    "of", ""});
  for (const Json& a : e.at("agreement")) {
    std::vector<std::string> cells;
    for (const char* key : {"nvprof", "launches", "equal", "within_5"}) {
      cells.push_back(cell(a.at(key)));
    }
    const Json f = a.value("furthest", Json::object());
    cells.push_back(cell(f.value("predicted", Json())));
    cells.push_back(cell(f.value("measured", Json())));
    std::string of = cell(f.value("name", Json()));
    const Json params = f.value("params", Json::object());
    for (const auto& [name, value] : params.items()) of += " " + escaped(name) + "=" + cell(value);
    cells.push_back(of);
    cells.push_back(cell(a.value("cause", Json())));
    out += row("td", cells);
  }
  return out + "</table></div>\n";
}

std::string section(const Json& e) {
  const std::string name = cell(e.at("experiment"));
  std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", name, name);
  const auto said = [&](const char* key, const char* word) {
    if (e.contains(key)) out += fmt::format("<p><b>{}.</b> {}</p>\n", word, cell(e.at(key)));
  };
  said("question", "Question");
  said("prediction", "Prediction");
  said("skipped", "Skipped");
  if (e.contains("rungs")) {
    out += fmt::format("<p class=\"note\">On {}{}</p>\n",
                       e.at("machine") == "sim" ? "a simulated " : "", cell(e.at("chip")));
    double most = 1e-9;
    std::vector<const Json*> group;
    for (const Json& p : e.at("rungs")) most = std::max(most, p.value("gbps", 0.0));
    for (const Json& p : e.at("rungs")) {
      // Twins of the ladder are wrong on purpose; its own page shows how.
      if (p.value("twin", false)) continue;
      if (!group.empty() && !together(*group[0], p)) {
        out += table(group, most);
        group.clear();
      }
      group.push_back(&p);
    }
    if (!group.empty()) out += table(group, most);
  }
  if (e.contains("agreement") && !e.at("agreement").empty()) out += agreement(e);
  if (e.contains("remarks") && !e.at("remarks").empty()) {
    out += "<pre>\n";
    for (const Json& remark : e.at("remarks")) out += cell(remark) + '\n';
    out += "</pre>\n";
  }
  said("lesson", "Lesson");
  return out + "</section>\n";
}

constexpr const char* own_style = R"(
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 2px 10px; border-bottom: 1px solid var(--line); }
td:last-child { text-align: left; }
.wide { overflow-x: auto; }
.rate { display: block; height: .8em; background: var(--heat); }
pre { overflow-x: auto; }
)";

}  // namespace

std::string experiments_html(const std::string& text) {
  const Json j = Json::parse(text);
  const Json all = j.contains("experiments") ? j.at("experiments") : Json::array({j});
  std::string links, sections;
  for (const Json& e : all) {
    const std::string name = cell(e.at("experiment"));
    links += fmt::format("<a href=\"#{}\">{}</a> ", name, name);
    sections += section(e);
  }
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>onefold lab</title>
<style>
{}{}</style>
</head>
<body>
<header><div><h1>What makes a kernel fast</h1><p>{}</p></div></header>
<main>
{}</main>
</body>
</html>
)",
      page_part("style.css"), own_style, links, sections);
}

}  // namespace onefold::lab
