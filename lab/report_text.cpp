#include "lab/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

Json traffic_json(const sim::Traffic& t, bool shared) {
  const std::string unit = shared ? "wavefronts" : "sectors";
  return {
      {"requests", t.requests}, {unit, t.count}, {unit + "_ideal", t.ideal}, {"bytes", t.bytes}};
}

Json traffic(const sim::Traffic& t) { return {t.requests, t.count, t.ideal, t.bytes, t.moved}; }

}  // namespace

std::string_view short_path(std::string_view file) {
  const auto at = file.rfind("lab/rung/");
  return at == file.npos ? file : file.substr(at);
}

std::string text_of(const Json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace) + (indent < 0 ? "" : "\n");
}

Json published_json(std::span<const Published> published) {
  Json all = Json::array();
  for (const Published& p : published) {
    if (p.unit != nullptr) all.push_back({{"value", p.value}, {"unit", p.unit}, {"chip", p.chip}});
  }
  return all;
}

Json counters_json(const sim::Report& r) {
  const sim::Counters& c = r.counters;
  Json lines = Json::array();
  for (const auto& [site, l] : r.lines) {
    lines.push_back({{"file", short_path(site.file)},
                     {"line", site.line},
                     {"column", site.column},
                     {"instructions", l.instructions},
                     {"active_lanes", double(l.lanes) / double(l.instructions)},
                     {"divergent_branches", l.divergent_branches},
                     {"sectors", l.global.count},
                     {"wavefronts", l.shared.count}});
  }
  Json all = page_counters(c);
  for (const char* of_pages : {"warps", "waiting"}) all.erase(of_pages);
  all["global_load"] = traffic_json(c.global_load, false);
  all["global_store"] = traffic_json(c.global_store, false);
  all["shared_load"] = traffic_json(c.shared_load, true);
  all["shared_store"] = traffic_json(c.shared_store, true);
  all["by_line"] = lines;
  return all;
}

Json flaws_json(const sim::Report& r) {
  Json flaws = Json::array();
  for (const sim::Flaw& f : r.flaws) {
    Json flaw{{"kind", name_of(f.kind)}};
    if (f.at.line != 0) flaw["file"] = short_path(f.at.file), flaw["line"] = f.at.line;
    if (!f.threads.empty()) flaw["lanes"] = f.threads;
    flaws.push_back(flaw);
  }
  return flaws;
}

Json profile_json(const Compared& c) {
  Json j{{"nvprof", c.metric->nvprof}, {"ncu", c.metric->ncu}};
  if (c.predicted) j["predicted"] = *c.predicted;
  if (c.measured) j["measured"] = *c.measured;
  if (c.differs()) j["cause"] = c.metric->cause;
  return j;
}

std::string flaws_text(const sim::Report& r) {
  std::string text;
  for (const sim::Flaw& f : r.flaws) {
    const std::string name = name_of(f.kind);
    if (text.find(name) == text.npos) text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (const auto at = std::string_view("&<>\"").find(c); at != std::string_view::npos) {
      constexpr const char* names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
      out += names[at];
    } else {
      out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string said(const char* word, std::string_view sentence) {
  std::string out = fmt::format("{:<12}", word);
  for (std::size_t column = 12; !sentence.empty();) {
    const std::string_view w = sentence.substr(0, sentence.find(' '));
    if (column > 12 && column + 1 + w.size() > 100) {
      out += '\n' + std::string(12, ' ');
      column = 12;
    }
    if (column > 12) out += ' ', ++column;
    out += w;
    column += w.size();
    sentence.remove_prefix(std::min(w.size() + 1, sentence.size()));
  }
  return out + '\n';
}

std::string aligned(const std::vector<Line>& lines, std::size_t sentences, std::size_t columns) {
  std::vector<std::size_t> width;
  for (const Line& l : lines) {
    width.resize(std::max(width.size(), l.size()));
    for (std::size_t c = 0; c < l.size(); ++c) width[c] = std::max(width[c], l[c].size());
  }
  std::string out;
  const auto part = [&](std::size_t from, std::size_t to) {
    for (const Line& l : lines) {
      std::string text;
      for (std::size_t c = 0; c < std::min(to, l.size()); ++c) {
        if (c != 0 && c < from) continue;
        const bool left = c == 0 || c + sentences >= l.size();
        text += left ? fmt::format("{:<{}}  ", l[c], width[c])
                     : fmt::format("{:>{}}  ", l[c], width[c]);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + '\n';
    }
  };
  std::size_t from = 1;
  while (!width.empty()) {
    std::size_t to = from, used = width[0];
    while (to < width.size() && (columns == 0 || to == from || used + 2 + width[to] <= columns)) {
      used += 2 + width[to++];
    }
    if (from > 1) out += '\n';
    part(from, to);
    if (to >= width.size()) break;
    from = to;
  }
  return out;
}

Json page_counters(const sim::Counters& c) {
  return {{"global_load", traffic(c.global_load)},
          {"global_store", traffic(c.global_store)},
          {"shared_load", traffic(c.shared_load)},
          {"shared_store", traffic(c.shared_store)},
          {"atomics", c.atomics},
          {"warps", c.warps},
          {"warp_instructions", c.warp_instructions},
          {"active_lanes", c.active_lanes()},
          {"branches", c.branches},
          {"divergent_branches", c.divergent_branches},
          {"barriers", c.barriers},
          {"waiting", each_of(c.barriers, c.barrier_rounds)}};
}

Json page_chips() {
  Json chips = Json::array();
  for (const sim::Chip& c : sim::chips) {
    chips.push_back({{"name", c.name},
                     {"card", c.card},
                     {"lanes", c.request_lanes},
                     {"line", c.line_bytes},
                     {"banks", c.banks}});
  }
  return chips;
}

}  // namespace onefold::lab
