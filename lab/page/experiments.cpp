#include "lab/page/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/page/page.hpp"
#include "lab/page/plot.hpp"
#include "lab/report_text.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::jit {
std::span<const Header> lab_records();  // the build makes it from bench/results/
}

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const Json& v) {
  if (v.is_string()) return escaped_markup(v.get<std::string>());
  if (v.is_number()) return human(v.get<double>());
  return v.is_null() ? "" : v.dump();
}

std::string row(const char* tag, const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& c : cells) out += fmt::format("<{}>{}</{}>", tag, c, tag);
  return out + "</tr>\n";
}

// Returns the names of a point's values; points with the same names share a table.
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

// Returns a parameter's value as text; it may be a size.
std::string param(const std::string& name, const Json& v) {
  return name.ends_with("KiB") && v.is_number() ? human_kib(v.get<double>()) : cell(v);
}

// Plots the points of one experiment. There is a line for each value of the parameters that are
// words. The x axis is the first numeric parameter for which a line has at least four values;
// without one, nothing is plotted.
std::string plot_of(const std::vector<const Json*>& points) {
  const Json& first = *points[0];
  const auto found = names(first, "found");
  const bool rate = first.contains("gbps");
  if (!rate && found.empty()) return "";
  const std::string what = rate ? "GB/s" : found[0];
  std::string over;
  for (const std::string& name : names(first, "params")) {
    if (over.empty() && first.at("params").at(name).is_number()) over = name;
  }
  if (over.empty()) return "";
  std::vector<PlotLine> lines;
  const auto line_of = [&](const std::string& name, bool dashed) -> PlotLine& {
    for (PlotLine& l : lines) {
      if (l.name == name) return l;
    }
    lines.push_back({.name = name, .dashed = dashed, .points = {}});
    return lines.back();
  };
  for (const Json* p : points) {
    const Json& x = p->at("params").at(over);
    const Json y = rate ? p->at("gbps") : p->at("found").at(what);
    if (!x.is_number() || !y.is_number()) return "";
    std::string words;
    for (const auto& [name, value] : p->at("params").items()) {
      if (value.is_string()) words += (words.empty() ? "" : ", ") + cell(value);
    }
    line_of(words.empty() ? what : words, false).points.emplace_back(x, y);
    const bool guessed = !rate && words.empty() && p->contains("predicted");
    const Json guess = guessed ? p->at("predicted").value(what, Json()) : Json();
    if (guess.is_number()) line_of("predicted", true).points.emplace_back(x, guess);
  }
  if (lines.size() > 6) return "";
  for (PlotLine& l : lines) {
    std::sort(l.points.begin(), l.points.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const bool twice = std::adjacent_find(l.points.begin(), l.points.end(), same) != l.points.end();
    if (l.points.size() < 4 || twice) return "";
  }
  return plot(escaped_markup(what) + " by " + escaped_markup(over), escaped_markup(over), lines);
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
  for (const std::string& p : params) head.push_back(escaped_markup(p));
  for (const std::string& f : found) {
    head.push_back(escaped_markup(f));
    if (predicted(f)) head.push_back("predicted");
  }
  if (first.contains("ms")) head.push_back("ms");
  if (first.contains("gbps")) head.insert(head.end(), {"GB/s", ""});
  head.push_back("");
  constexpr std::size_t long_table = 16;
  const bool folded = points.size() > long_table;
  out += plot_of(points);
  if (folded) out += fmt::format("<details><summary>{} points</summary>\n", points.size());
  out += "<div class=\"wide\"><table>\n" + row("th", head);
  for (const Json* p : points) {
    std::vector<std::string> cells;
    for (const std::string& name : params) cells.push_back(param(name, p->at("params").at(name)));
    for (const std::string& name : found) {
      cells.push_back(cell(p->at("found").at(name)));
      if (predicted(name)) cells.push_back(cell(p->at("predicted").value(name, Json())));
    }
    if (first.contains("ms")) cells.push_back(cell(p->value("ms", Json())));
    if (first.contains("gbps")) {
      const double v = p->at("gbps");
      cells.push_back(cell(v));
      cells.push_back(
          fmt::format(R"(<span class="rate" style="width:{:.1f}em"></span>)", 12 * v / most));
    }
    cells.emplace_back(p->at("correct") ? "right" : "<b>wrong</b>");
    out += row("td", cells);
  }
  return out + "</table></div>\n" + (folded ? "</details>\n" : "");
}

// Says how close the measured counters are to the predicted ones.
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
    for (const auto& [name, value] : params.items())
      of += " " + escaped_markup(name) + "=" + cell(value);
    cells.push_back(of);
    cells.push_back(cell(a.value("cause", Json())));
    out += row("td", cells);
  }
  return out + "</table></div>\n";
}

// Returns an experiment's results on an H200, if they are compiled into the program; else null.
Json recorded(const std::string& name) {
  for (const jit::Header& h : jit::lab_records()) {
    if (std::string_view(h.name).ends_with("lab_" + name + "_h200.json"))
      return Json::parse(h.text);
  }
  return Json();
}

std::string section(const Json& of_run, const std::string& ladder) {
  Json e = of_run;
  const std::string name = cell(e.at("experiment"));
  std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", name, name);
  const auto said = [&](const char* key, const char* word) {
    if (e.contains(key)) out += fmt::format("<p><b>{}.</b> {}</p>\n", word, cell(e.at(key)));
  };
  said("question", "Question");
  said("prediction", "Prediction");
  said("skipped", "Skipped");
  if (e.contains("skipped")) {
    Json record = recorded(name);
    if (!record.is_null()) {
      out += "<p><b>Recorded.</b> An earlier run on a GPU stands here instead.</p>\n";
      e = std::move(record);
    }
  }
  if (name == "reduce" && !ladder.empty()) {
    out += "<iframe title=\"The ladder, step by step\" srcdoc=\"" + escaped_markup(ladder) +
           "\"></iframe>\n";
  } else if (e.contains("rungs")) {
    out += fmt::format("<p class=\"note\">On {}{}</p>\n",
                       e.at("machine") == "sim" ? "a simulated " : "an ", cell(e.at("chip")));
    double most = 1e-9;
    std::vector<const Json*> group;
    for (const Json& p : e.at("rungs")) most = std::max(most, p.value("gbps", 0.0));
    for (const Json& p : e.at("rungs")) {
      // Published versions of rungs have flaws on purpose, which the ladder's own page shows.
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
iframe { width: 100%; height: 85vh; border: 1px solid var(--line); }
.graph { width: 560px; max-width: 100%; display: block; margin: 10px 0; }
.graph text { font-size: 12px; fill: var(--quiet); }
.graph .grid { stroke: var(--line); }
.graph path { fill: none; stroke-width: 2; }
.graph .c0 { stroke: var(--accent); }
.graph .c1 { stroke: var(--read); }
.graph .c2 { stroke: var(--good); }
.graph .c3 { stroke: var(--bad); }
.graph .c4 { stroke: var(--quiet); }
.graph .c5 { stroke: var(--ink); }
summary { cursor: pointer; color: var(--accent); }
.graph .dashed { stroke-dasharray: 5 4; }
.rate { display: block; height: .8em; background: var(--heat); }
pre { overflow-x: auto; }
)";

}  // namespace

std::string experiments_html(const std::string& text, const std::string& ladder) {
  const Json j = Json::parse(text);
  const Json all = j.contains("experiments") ? j.at("experiments") : Json::array({j});
  std::string links, sections;
  for (const Json& e : all) {
    const std::string name = cell(e.at("experiment"));
    links += fmt::format("<a href=\"#{}\">{}</a> ", name, name);
    sections += section(e, ladder);
  }
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'{}">
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
      ladder.empty() ? "" : "; script-src 'unsafe-inline'; img-src data:", page_part("style.css"),
      own_style, links, sections);
}

}  // namespace onefold::lab
