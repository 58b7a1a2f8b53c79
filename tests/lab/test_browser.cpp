// The page in a browser: it opens, steps by keyboard, shows what the JSON says, and can be used
// without eyes or mouse. Skipped where there is no Chromium.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <set>

#include "browser.hpp"
#include "lab/experiment.hpp"
#include "lab/ladder.hpp"
#include "lab/page/experiments.hpp"
#include "lab/page/page.hpp"
#include "lab/record.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;
using test::Browser;

std::string page_of(std::vector<std::string> rungs) {
  return page_html(
      page_data(reduce({.rungs = std::move(rungs), .n = "4096", .machine = "sim"}), ""));
}

#define NEEDS_BROWSER() \
  if (Browser::path().empty()) GTEST_SKIP() << "no Chromium; apt-get install chromium"

TEST(PageInBrowser, OpensFromAFileWithoutAnErrorOrARequest) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({}), 1280, 900);
  const json names = b.evaluate("order.map(r => [r.name, (r.recordings ?? []).length])");
  ASSERT_EQ(names.size(), simulated_rungs().size());
  for (const json& rung : names) {
    for (int mode = 0; mode < std::max(1, rung[1].get<int>()); ++mode) {
      const std::string address = rung[0].get<std::string>() + ":" + std::to_string(mode);
      b.evaluate("choose(..." + json(address).dump() +
                 ".split(':')); "
                 "for (let k = 0; player.replay && k < 3; ++k) "
                 "player.go(Math.round(k / 2 * player.replay.steps.length))");
      EXPECT_EQ(b.evaluate("document.getElementById('rung-title').textContent"),
                find_rung(reduce_ladder(), rung[0].get<std::string>())->about.title);
    }
  }
  b.evaluate("document.getElementById('theme').click()");
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
  EXPECT_EQ(b.requests, std::vector<std::string>{});
  EXPECT_EQ(b.evaluate("performance.getEntriesByType('resource').length"), 0);
}

// The player has memory, from which the recording leaves out what loads bring.
TEST(PageInBrowser, PlaysTheValuesThatTheMachineSaw) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({}), 1280, 900);
  for (const Entry* e : reduce_ladder()) {
    const auto all = recordings(*e);
    for (std::size_t mode = 0; mode < all.size(); ++mode) {
      const json seen = b.evaluate(
          "(() => { const p = new Replay(rung_of(" + json(e->name).dump() + ").recordings[" +
          std::to_string(mode) +
          "]); return p.moments.map(m => { p.apply(m); if (m.act !== 'load') return [];"
          "const a = p.array(m.space, m.block);"
          "return m.elements.map(e => a.slice(e, e + m.width).reduce((s, v) => s + v | 0, 0)); });"
          "})()");
      ASSERT_EQ(seen.size(), all[mode].moments.size()) << e->name;
      for (std::size_t k = 0; k < seen.size(); ++k) {
        const Moment& m = all[mode].moments[k];
        if (m.act != Act::load) continue;
        ASSERT_EQ(seen[k].get<std::vector<int64_t>>(), m.values) << e->name << ' ' << k;
      }
    }
  }
}

TEST(PageInBrowser, StepsThroughARungByKeyboard) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({"sequential", "strided_index"}), 1280, 900);
  const auto step = [&] { return b.evaluate("player.k").get<int>(); };
  const auto says = [&] {
    return b.evaluate("document.getElementById('says').textContent").get<std::string>();
  };
  const auto cell = [&](int space, int element) {
    return b.evaluate("(() => { const d = player.diagram, [x, y] = d.place('s" +
                      std::to_string(space) + "', " + std::to_string(element) +
                      "); return [...document.querySelectorAll('#diagram .cell')].find(g => {"
                      "const r = g.querySelector('rect'); return +r.getAttribute('x') === x && "
                      "+r.getAttribute('y') === y; }).textContent; })()");
  };
  b.evaluate("location.hash = 'sequential'");
  ASSERT_EQ(b.await("chosen.name", "sequential"), "sequential");
  const int first = step();
  EXPECT_NE(says().find("load input[0..31] in 4 sectors, store shared[0..31] in 1 wavefront"),
            std::string::npos);
  EXPECT_EQ(cell(1, 0), "1");
  b.press("ArrowRight");  // the other warp loads
  b.press("ArrowRight");  // the barrier
  EXPECT_EQ(says(), "Block 0: 64 of 64 threads meet at the barrier.");
  b.press("ArrowRight");  // s[t] += s[t + 32]
  EXPECT_EQ(step(), first + 3);
  EXPECT_EQ(cell(1, 0), "2");
  EXPECT_EQ(cell(1, 31), "2");
  EXPECT_EQ(cell(1, 32), "1");
  EXPECT_EQ(b.evaluate("document.querySelector('#code .here .text').textContent.trim()"),
            "if (t < h) s[t] += s[t + h];");
  b.press("ArrowLeft");
  EXPECT_EQ(step(), first + 2);
  EXPECT_EQ(cell(1, 0), "1");
  b.evaluate("document.getElementById('play').focus()");
  b.press("End");
  EXPECT_EQ(cell(3, 0), "128");  // the second output: the sum of 128 ones
  b.press("Home");
  EXPECT_EQ(step(), 0);
  b.evaluate("document.querySelector('#ladder-rows a').focus()");
  b.press("ArrowDown");
  EXPECT_EQ(b.evaluate("document.activeElement.dataset.rung"), "strided_index");  // at once
  EXPECT_EQ(b.await("chosen.name", "strided_index"), "strided_index");
}

TEST(PageInBrowser, PlaysATwinUntilItsSumIsWrong) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({"unroll_last_six"}), 1280, 900);
  const json r = b.evaluate(
      "(player.open(chosen, 2), player.go(1e9), "
      "[player.replay.recording.result, player.replay.recording.correct, "
      "[...player.replay.array(2, 0)].reduce((a, b) => a + b)])");
  EXPECT_EQ(r[1], false);
  EXPECT_EQ(r[0], r[2]);
  EXPECT_EQ(b.evaluate("document.querySelector('#player-note strong').textContent"),
            "✗ The sum is wrong: " + r[0].dump() + " instead of 128.");
  b.evaluate("document.getElementById('to-flaw').click()");
  EXPECT_NE(b.evaluate("document.getElementById('says').textContent")
                .get<std::string>()
                .find("Flaw: race"),
            std::string::npos);
  EXPECT_GT(b.evaluate("document.querySelectorAll('#diagram .flag').length"), 0);
}

TEST(PageInBrowser, ShowsTheJsonsFigures) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({"strided_index"}), 1280, 900);
  const json counters = b.evaluate("data.rungs[0].counters");
  const json rows = b.evaluate(
      "[...document.querySelectorAll('#counters tbody tr')]"
      ".map(r => [...r.children].map(c => c.textContent))");
  bool found = false;
  for (const json& row : rows) {
    if (row[0] != "shared memory: wavefronts") continue;
    found = true;
    int column = 1;
    for (const char* chip : {"cc10", "cc12", "cc20", "sm_90"}) {
      const json& c = counters.at(chip);
      std::string text = row[static_cast<std::size_t>(column++)];
      std::erase(text, ',');
      EXPECT_EQ(text,
                std::to_string(c["shared_load"][1].get<int>() + c["shared_store"][1].get<int>()));
    }
  }
  EXPECT_TRUE(found);
}

TEST(PageInBrowser, PutsTimesAndTheLimitOnTheLadder) {
  NEEDS_BROWSER();
  const std::string times = R"({"experiment": "reduce", "machine": "gpu", "chip": "a card",
    "n": 4096, "type": "i32", "limit_gbps": 1000.0, "cub_gbps": 900.0, "rungs": [
    {"name": "sequential", "twin": false, "n": 4096, "block": 256, "grid": 16, "correct": true,
     "launches": 2, "ms": 0.5, "gbps": 100.0, "profile": [
       {"nvprof": "gld_transactions", "ncu": "x", "predicted": 512.0, "measured": 514.0}]}]})";
  Browser b;
  b.open(
      page_html(page_data(reduce({.rungs = {"sequential"}, .n = "4096", .machine = "sim"}), times)),
      1280, 900);
  EXPECT_EQ(b.evaluate("document.querySelector('#ladder-rows .speed').textContent"),
            "100 GB/s 10 %");
  const std::string note = b.evaluate("document.getElementById('ladder-note').textContent");
  EXPECT_NE(note.find("the memory limit, 1,000 GB/s"), note.npos) << note;
  EXPECT_NE(note.find("CUB, 900 GB/s"), note.npos) << note;
  // On a logarithmic scale, 1000 is as far to the right of 100 as 100 is of 10.
  EXPECT_TRUE(
      b.evaluate("(() => { const x = s => parseFloat(document.querySelector(s).getAttribute("
                 "'x1')); const c = parseFloat(document.querySelector('.marks circle')"
                 ".getAttribute('cx')); const lines = [...document.querySelectorAll("
                 "'.axis line:not([class])')].map(l => parseFloat(l.getAttribute('x1')));"
                 "return Math.abs(x('.axis .limit') - lines[3]) < 1e-6 && "
                 "Math.abs(c - lines[2]) < 1e-6; })()")
          .get<bool>());
  EXPECT_EQ(
      b.evaluate("[...document.querySelectorAll('#profile tbody tr')].map(r => r.textContent)"),
      json{"gld_transactions512514"});
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
}

// The page opens with the first rung of the path, which leads step by step to the call of the
// library.
TEST(PageInBrowser, OpensWithAPathOfTen) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_html(page_data(reduce({.n = "2^14", .machine = "sim"}), "")), 1280, 900);
  EXPECT_EQ(b.evaluate("chosen.name"), "naive");
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#path-rows a').length"), 10);
  EXPECT_EQ(b.evaluate("[...document.querySelectorAll('#path-rows a')].pop().dataset.rung"),
            "onefold_itself");
  EXPECT_EQ(b.evaluate("[...document.querySelectorAll('#path-rows tbody tr')].filter(r => "
                       "r.cells.length === 5).length"),
            10);
  b.evaluate("document.querySelectorAll('#path-rows a')[1].click()");
  EXPECT_EQ(b.await("chosen.name", "modulo"), "modulo");
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#rung-facts .parts .part').length >= 4"), true);
  EXPECT_EQ(b.evaluate("document.querySelectorAll('#rung-facts .swatch').length"),
            b.evaluate("document.querySelectorAll('#rung-facts .parts .part').length"));
  // The ladder has the same order, and so do the links "Rung after".
  EXPECT_EQ(b.evaluate("[...document.querySelectorAll('#ladder-rows a')].slice(0, 10)"
                       ".map(a => a.dataset.rung)"),
            b.evaluate("data.path"));
  const auto at_rung = [&] {
    return b.evaluate("Math.abs(document.getElementById('rung').getBoundingClientRect().top) < 40");
  };
  EXPECT_EQ(at_rung(), true);
  b.evaluate(
      "scrollTo(0, 0); [...document.querySelectorAll('#rung-facts a')]"
      ".find(a => a.hash === '#strided_index').click()");
  EXPECT_EQ(b.await("chosen.name", "strided_index"), "strided_index");
  EXPECT_EQ(at_rung(), true);
  EXPECT_NE(b.evaluate("document.getElementById('code').textContent")
                .get<std::string>()
                .find("CUDA, as text 002 prints it: reduce2"),
            std::string::npos);
  b.evaluate("choose('many_elements_a_thread'), document.getElementById('rung-on').click()");
  EXPECT_EQ(b.await("chosen.name", "vector_loads"), "vector_loads");
  // The player's buttons stay in view above what they move.
  b.evaluate("document.querySelector('.stage').scrollIntoView()");
  EXPECT_EQ(b.await("Math.abs(document.getElementById('controls').getBoundingClientRect().top) < 1",
                    true),
            true);
  b.resize(400, 800);
  EXPECT_LE(b.evaluate("document.documentElement.scrollWidth").get<int>(), 400);
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
}

TEST(PageInBrowser, ShowsAllExperimentsWithoutAScript) {
  NEEDS_BROWSER();
  const Shown all = run_experiments(experiments(), {{"machine", "sim"}});
  const json told = json::parse(all.json).at("experiments");
  Browser b;
  b.open(experiments_html(all.json), 1280, 900);
  EXPECT_EQ(b.evaluate("document.scripts.length"), 0);
  const json sections = b.evaluate(
      "[...document.querySelectorAll('section')].map(s => ({name: s.id, says: s.innerText, "
      "rows: s.querySelectorAll('td:first-child').length}))");
  ASSERT_EQ(sections.size(), experiments().size());
  for (std::size_t k = 0; k < told.size(); ++k) {
    const json& e = told[k];
    EXPECT_EQ(sections[k].at("name"), e.at("experiment"));
    const auto says = sections[k].at("says").get<std::string>();
    for (const char* key : {"question", "prediction", "lesson"}) {
      EXPECT_NE(says.find(e.at(key).get<std::string>()), says.npos) << key;
    }
    EXPECT_EQ(says.find("Skipped.") != says.npos, e.contains("skipped"));
    // If an experiment is skipped, the page shows what was recorded on an H200.
    const std::ifstream record(ONEFOLD_SOURCE_DIR "/bench/results/lab_" +
                               e.at("experiment").get<std::string>() + "_h200.json");
    std::ostringstream recorded;
    if (e.contains("skipped") && record) recorded << record.rdbuf();
    const json shown = recorded.str().empty() ? e : json::parse(recorded.str());
    const json rungs = shown.value("rungs", json::array());
    const auto rows = std::count_if(rungs.begin(), rungs.end(),
                                    [](const json& r) { return !r.value("twin", false); });
    EXPECT_EQ(sections[k].at("rows"), rows) << e.at("experiment");
    // A link leads to its page.
    const std::string name = e.at("experiment");
    b.evaluate("document.querySelector('a[href=\"#" + name + "\"]').click()");
    EXPECT_EQ(b.await("document.querySelector(':target').id", name), name);
  }
  for (const int width : {1280, 400}) {
    b.resize(width, 800);
    EXPECT_LE(b.evaluate("document.documentElement.scrollWidth").get<int>(), width);
  }
  EXPECT_EQ(b.complaints, std::vector<std::string>{});
  EXPECT_EQ(b.requests, std::vector<std::string>{});
}

TEST(PageInBrowser, FitsNarrowAndWideWindows) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({"sequential", "unroll_last_six", "vector_loads"}), 1280, 900);
  for (const int width : {1280, 400, 320}) {
    b.resize(width, 800);
    for (const char* name : {"sequential", "unroll_last_six", "vector_loads"}) {
      b.evaluate("choose('" + std::string(name) + "', 1)");
      EXPECT_LE(b.evaluate("document.documentElement.scrollWidth").get<int>(), width) << name;
    }
    b.evaluate("new Promise(f => requestAnimationFrame(f))");
    EXPECT_EQ(b.evaluate("player.columns()"), width == 1280 ? 32 : 16);
  }
}

// When printed, each row has its part of the grid and of the memory limit.
TEST(PageInBrowser, PrintsTheLadderWithItsGridAndItsLimit) {
  NEEDS_BROWSER();
  Browser b;
  b.open(page_of({"modulo", "sequential", "ticket"}), 1280, 900);
  const auto shown = [&](const char* what) {
    return b.evaluate("[...document.querySelectorAll('" + std::string(what) +
                      "')].filter(e => getComputedStyle(e).display !== 'none').length");
  };
  EXPECT_EQ(shown(".marks .paper"), 0);
  b.call("Emulation.setEmulatedMedia", {{"media", "print"}});
  EXPECT_EQ(shown(".marks .paper.limit"), 3);  // a row
  EXPECT_GT(shown(".marks .paper").get<int>(), 6);
  EXPECT_EQ(shown("#controls"), 0);
  const json pdf = b.call("Page.printToPDF", {{"printBackground", true}});
  const auto data = pdf.at("data").get<std::string>();
  EXPECT_TRUE(data.starts_with("JVBERi"));  // %PDF
  EXPECT_GT(data.size(), 20000u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
