// The page can be used by people who see little, use no mouse or want no motion: names, roles,
// contrast, order.
#include <gtest/gtest.h>

#include <set>

#include "browser.hpp"
#include "lab/page/page.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;
using test::Browser;

#define NEEDS_BROWSER() \
  if (Browser::path().empty()) GTEST_SKIP() << "no Chromium; apt-get install chromium"

std::string page() {
  return page_html(page_data(
      reduce({.rungs = {"sequential", "unroll_last_six"}, .n = "4096", .machine = "sim"}), ""));
}

TEST(PageAccess, GivesEverythingThatCanBeUsedANameAndARole) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page(), 1280, 900);
  const json tree = b.call("Accessibility.getFullAXTree");
  const std::set<std::string> usable{"button", "link", "slider", "radio", "combobox", "image"};
  std::map<std::string, int> seen;
  for (const json& node : tree.at("nodes")) {
    if (node.value("ignored", false)) continue;
    const std::string role = node.at("role").value("value", "");
    ++seen[role];
    bool focusable = false;
    for (const json& p : node.value("properties", json::array())) {
      focusable = focusable || (p.at("name") == "focusable" && p.at("value").value("value", false));
    }
    if (role == "RootWebArea" || (!focusable && !usable.contains(role))) continue;
    EXPECT_NE(role, "generic") << node.dump();
    EXPECT_FALSE(node.at("name").value("value", "").empty()) << node.dump();
  }
  for (const char* role : {"button", "link", "slider", "radio", "combobox", "image", "banner",
                           "main", "contentinfo", "navigation", "heading", "table", "caption"}) {
    EXPECT_GT(seen[role], 0) << role;
  }
  EXPECT_EQ(b.evaluate("document.documentElement.lang"), "en");
  EXPECT_EQ(b.evaluate("document.querySelectorAll('h1').length"), 1);
  EXPECT_EQ(b.evaluate("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                       "return ids.length - new Set(ids).size; })()"),
            0);
  // Levels of headings increase by one at a time.
  EXPECT_EQ(b.evaluate("(() => { let last = 0; return [...document.querySelectorAll('h1,h2,h3')]"
                       ".filter(h => { const l = +h.tagName[1], bad = l > last + 1; last = l;"
                       "return bad; }).map(h => h.textContent); })()"),
            json::array());
}

TEST(PageAccess, TabsThroughEverythingInTheOrderOfThePage) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page(), 1280, 900);
  const int stops = b.evaluate(
      "(() => { window.all = [...document.querySelectorAll('a[href], button:not(:disabled), select,"
      "input:not([type=radio]), input[type=radio]:checked, [tabindex=\"0\"]')]"
      ".filter(e => e.checkVisibility()); return all.length; })()");
  for (int k = 0; k < stops; ++k) {
    b.press("Tab");
    EXPECT_EQ(b.evaluate("all.indexOf(document.activeElement)"), k)
        << b.evaluate("document.activeElement.outerHTML.slice(0, 200)");
    EXPECT_TRUE(
        b.evaluate("(() => { const e = document.activeElement, s = getComputedStyle("
                   "e.type === 'radio' ? e.nextElementSibling : e);"
                   "return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; })()")
            .get<bool>())
        << "no ring around stop " << k;
  }
}

// WCAG 2.2, 1.4.3: contrast of at least 4.5 to 1, for large text 3 to 1.
constexpr const char* low_contrast = R"((() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const d = pen.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (a, b) => [0, 1, 2].map(k => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
  const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => {
    const v = c[k] / 255;
    return sum + w * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = e => {
    const stack = [];
    for (; e; e = e.parentElement) stack.push(rgba(getComputedStyle(e).backgroundColor));
    return stack.reduceRight((under, c) => over(c, under), [255, 255, 255, 1]);
  };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.tagName === 'title') continue;
    if (e.closest('script, .hidden, .skip, :disabled')) continue;
    const style = getComputedStyle(e), drawn = e instanceof SVGElement;
    const rect = drawn && e.parentElement.querySelector(':scope > rect');
    const paper = rect && e.tagName === 'text' && e.parentElement.tagName === 'g'
      ? over(rgba(getComputedStyle(rect).fill), behind(e)) : behind(e);
    const ink = over(rgba(drawn ? style.fill : style.color), paper);
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio >= (large ? 3 : 4.5)) continue;
    bad.push([walk.currentNode.data.trim(), ratio, e.className.baseVal ?? e.className]);
  }
  return bad;
})())";

class PageContrast : public testing::TestWithParam<bool> {};

TEST_P(PageContrast, IsEnoughToRead) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page(), 1280, 900, GetParam());
  EXPECT_EQ(b.evaluate("document.documentElement.dataset.theme"), GetParam() ? "dark" : "light");
  b.evaluate("choose('unroll_last_six', 2)");
  for (const char* step :
       {"player.go(3)", "player.find(k => player.replay.steps[k].kind === 'barrier')",
        "player.find(k => player.replay.flawed(k))", "player.go(1e9)"}) {
    b.evaluate(step);
    EXPECT_EQ(b.evaluate(low_contrast), json::array()) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(, PageContrast, testing::Bool(),
                         [](const auto& i) { return std::string(i.param ? "Dark" : "Light"); });

TEST(PageAccess, SaysEachStepAndPlaysOnlyWhenAsked) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page(), 1280, 900);
  EXPECT_EQ(b.evaluate("player.timer"), nullptr);
  EXPECT_EQ(b.evaluate("document.getElementById('says').getAttribute('aria-live')"), "polite");
  EXPECT_EQ(b.evaluate("document.querySelector('#diagram svg').getAttribute('aria-label') === "
                       "document.getElementById('says').textContent"),
            true);
  b.evaluate("document.getElementById('play').click()");
  EXPECT_NE(b.evaluate("player.timer"), nullptr);
  EXPECT_EQ(b.evaluate("document.getElementById('play').getAttribute('aria-label')"), "Stop");
  b.evaluate("document.getElementById('play').click()");
  EXPECT_EQ(b.evaluate("player.timer"), nullptr);
  // The page has no animation that starts by itself.
  EXPECT_EQ(b.evaluate("document.getAnimations().length"), 0);
  EXPECT_EQ(b.evaluate("getComputedStyle(document.documentElement).scrollBehavior"), "auto");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
