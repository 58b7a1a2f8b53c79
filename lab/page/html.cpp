// Puts the parts of the page together.
#include <array>
#include <stdexcept>
#include <string_view>

#include "lab/page/page.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::jit {
std::span<const Header> lab_page_parts();  // the build makes it from lab/page/
}

namespace onefold::lab {

std::string_view page_part(std::string_view name) {
  for (const jit::Header& h : jit::lab_page_parts()) {
    const std::string_view path = h.name;
    if (path.ends_with(name) && path[path.size() - name.size() - 1] == '/') return h.text;
  }
  throw std::logic_error("lab/page holds no " + std::string(name));
}

void fill(std::string& page, std::string_view mark, std::string_view text) {
  const auto at = page.find(mark);
  if (at == page.npos) throw std::logic_error("a page has no " + std::string(mark));
  page.replace(at, mark.size(), text);
}

namespace {

// Escapes '<', which could end the enclosing element; in JSON only strings have it.
std::string inside_html(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_html(const std::string& data) {
  constexpr std::array scripts{"replay.js", "source.js", "ladder.js", "diagram.js",
                               "player.js", "rung.js",   "main.js"};
  std::string script;
  for (const char* name : scripts) script += page_part(name);
  std::string page(page_part("page.html"));
  // The data are inserted last, so marks within them are not replaced.
  fill(page, "/*style*/", page_part("style.css"));
  fill(page, "/*script*/", script);
  fill(page, "/*data*/", inside_html(data));
  return page;
}

}  // namespace onefold::lab
