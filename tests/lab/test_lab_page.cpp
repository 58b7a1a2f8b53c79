// lab.html, the lab as WebAssembly: in Node its reports equal the program's; the page works in
// Chromium. `make lab-page` builds it; otherwise these tests are skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "browser.hpp"
#include "kernel.hpp"
#include "lab/example.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/puzzle.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using test::Browser;
using Json = nlohmann::ordered_json;

std::filesystem::path built() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}
bool is_built() { return std::filesystem::exists(built() / "lab.html"); }
constexpr const char* not_built = "lab.html is not here; `make lab-page` builds it, with em++";

Json examples() { return Json::parse(content_of(built() / "lab/browser/examples.json")); }

std::string text_in(const Json& all, const Json& kernel, const std::string& block) {
  return all["texts"][kernel["blocks"][block].get<std::size_t>()];
}

// Returns the module's results of the calls [[function, words...], ...], in Node.
std::vector<std::string> in_node(const Json& calls) {
  const Scratch requests(calls.dump(), ".json"), out("", ".json");
  const std::string command =
      fmt::format("node {}/tests/lab/run_examples.js {} {} {}", ONEFOLD_SOURCE_DIR,
                  (built() / "lab/browser/lab.js").string(), requests.path, out.path);
  EXPECT_EQ(std::system(command.c_str()), 0);
  return Json::parse(content_of(out.path)).get<std::vector<std::string>>();
}
bool has_node() { return std::system("node --version >/dev/null 2>&1") == 0; }

std::string by_program(const std::string& file, const std::string& text,
                       const WrittenOptions& options) {
  KernelOptions o = kernel_options(file, options);
  o.text = text;
  return to_json(run_kernel(o));
}

WrittenOptions options_of(const Json& kernel, Size n, const std::string& block) {
  return example_options(kernel["facts"], n, static_cast<unsigned>(std::stoul(block)));
}

// Compares launches and reports of every kernel over `n` elements, for the blocks that `wanted`
// selects, by Node and by the program. There must be some.
template <class Wanted>
std::size_t compare(Size wanted_n, const char* schedules, const char* chip, Wanted wanted) {
  const Json all = examples();
  Json calls = Json::array();
  std::vector<std::string> expected, names;
  std::set<std::string> kernels;
  for (const Json& k : all["kernels"]) {
    for (const auto& [block, text] : k["blocks"].items()) {
      if (!wanted(k, block)) continue;
      const std::string file = k["name"].get<std::string>() + ".ptx";
      kernels.insert(file);
      const Size n = std::min<Size>(wanted_n, k.value("most", wanted_n));
      calls.push_back({"onefold_lab_launches", k["facts"], n, std::stoul(block)});
      names.push_back(fmt::format("{} n {} block {}", file, n, block));
      WrittenOptions options;
      try {
        options = options_of(k, n, block);
      } catch (const Error& e) {
        expected.push_back(Json{{"error", e.what()}}.dump());
        continue;
      }
      expected.push_back(Json(options).dump());
      options["schedules"] = schedules;
      options["chip"] = chip;
      const std::string ptx = text_in(all, k, block);
      const Json request{{"file", file}, {"text", ptx}, {"options", options}};
      calls.push_back(Json::array({"onefold_lab_run", request.dump()}));
      expected.push_back(by_program(file, ptx, options));
      names.push_back(names.back());
    }
  }
  const auto found = in_node(calls);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k], expected[k]) << names[k] << "; is lab.html of this tree? make lab-page";
    if (found[k] != expected[k]) break;
  }
  return kernels.size();
}

TEST(LabPage, ReportsEveryKernelInNodeAsTheProgramDoes) {
  if (!is_built()) GTEST_SKIP() << not_built;
  if (!has_node()) GTEST_SKIP() << "no node";
  const auto one = [](const Json& k, const std::string& block) {
    return k["blocks"].size() == 1 || block == "256";
  };
  EXPECT_EQ(compare(1237, "2", "sm_90", one), examples()["kernels"].size());
}

TEST(LongLabPage, ReportsEveryLengthAndBlockInNodeAsTheProgramDoes) {
  if (!is_built()) GTEST_SKIP() << not_built;
  if (!has_node()) GTEST_SKIP() << "no node";
  const auto each = [](const Json&, const std::string&) { return true; };
  for (const Size n : {1, 31, 1000, 4096, 65537}) {
    EXPECT_EQ(compare(n, "2", "sm_90", each), examples()["kernels"].size());
  }
  EXPECT_EQ(compare(5000, "5", "cc12", each), examples()["kernels"].size());
}

TEST(LabPage, JudgesPuzzlesInNodeAsTheProgramDoes) {
  if (!is_built()) GTEST_SKIP() << not_built;
  if (!has_node()) GTEST_SKIP() << "no node";
  const Json all = examples();
  Json calls = Json::array();
  std::vector<std::string> expected;
  for (const Json& k : all["kernels"]) {
    if (!k.contains("puzzle")) continue;
    const std::string name = k["puzzle"], text = text_in(all, k, "256");
    calls.push_back({"onefold_lab_puzzle", name, text, 5});
    const Puzzle& p = find_puzzle(name);
    expected.push_back(to_json(p, check_puzzle(p, name + ".ptx", 5, text)));
  }
  ASSERT_EQ(calls.size(), puzzles().size());
  EXPECT_EQ(in_node(calls), expected);
}

TEST(LabPage, SaysInNodeWhatIsWrongWithARequest) {
  if (!is_built()) GTEST_SKIP() << not_built;
  if (!has_node()) GTEST_SKIP() << "no node";
  const auto call = [](const char* file, const char* text, const char* launch,
                       const char* args = "") {
    const Json request{
        {"file", file}, {"text", text}, {"options", {{"launch", launch}, {"args", args}}}};
    return Json::array({"onefold_lab_run", request.dump()});
  };
  constexpr const char* ptx = ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }";
  const auto found = in_node(Json::array(
      {call("k.cu", "__global__ void k() {}", "k<<<1, 1>>>()"),
       call("k.ptx", "no PTX", "k<<<1, 1>>>()"), call("k.ptx", ptx, "other<<<1, 1>>>()"),
       Json::array({"onefold_lab_run", "no JSON"}),
       call("k.ptx", ptx, "k<<<1, 1>>>(x)", "x:i32[1]=@x.bin")}));
  EXPECT_NE(found[0].find("a browser cannot compile CUDA C"), std::string::npos) << found[0];
  EXPECT_TRUE(found[1].starts_with("{\"error\":")) << found[1];
  EXPECT_NE(found[2].find("no kernel is called other; the file has k"), std::string::npos)
      << found[2];
  EXPECT_TRUE(found[3].starts_with("{\"error\":")) << found[3];
  EXPECT_NE(found[4].find("x.bin"), std::string::npos) << found[4];
  EXPECT_TRUE(found[4].starts_with("{\"error\":")) << found[4];
}

// Compressed, as a host sends it, the page has at most 3 MB.
TEST(LabPage, IsSmallEnoughToSend) {
  if (!is_built()) GTEST_SKIP() << not_built;
  const Scratch out("", ".gz");
  ASSERT_EQ(std::system(
                fmt::format("gzip -9c {} > {}", (built() / "lab.html").string(), out.path).c_str()),
            0);
  EXPECT_LT(std::filesystem::file_size(out.path), 3'000'000u);
}

class LabPageInBrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built()) GTEST_SKIP() << not_built;
    if (Browser::path().empty()) GTEST_SKIP() << "no Chromium; apt-get install chromium";
    browser_ = std::make_unique<Browser>();
  }
  void open(int width, bool dark = false) {
    browser_->open(content_of(built() / "lab.html"), width, 900, dark);
  }
  Json text(const std::string& id) {
    return browser_->evaluate(fmt::format("$('{}').textContent", id));
  }
  void await_verdict(const char* verdict) {
    EXPECT_EQ(browser_->await("$('verdict').textContent", verdict), verdict);
  }
  void set(const std::string& id, const std::string& value, bool change = true) {
    browser_->evaluate(fmt::format("$('{}').value = {}", id, Json(value).dump()));
    if (change) browser_->evaluate(fmt::format("$('{}').dispatchEvent(new Event('change'))", id));
  }
  void is_quiet() {
    EXPECT_EQ(browser_->complaints, std::vector<std::string>{});
    EXPECT_EQ(browser_->requests, std::vector<std::string>{});
  }
  std::unique_ptr<Browser> browser_;
};

TEST_F(LabPageInBrowser, RunsWhatIsChosenAndReportsAsTheProgramDoes) {
  open(1280);
  await_verdict("No flaw");  // the first kernel runs at once
  set("kernel", "sequential_as_published");
  await_verdict("Flaws");
  EXPECT_EQ(browser_->evaluate("$('flaws').children.length > 0"), true);
  // With another n, block or order, the report equals the program's, byte for byte.
  set("kernel", "modulo");
  await_verdict("No flaw");
  set("block", "128");
  set("schedules", "3");
  set("n", "1237");
  await_verdict("No flaw");
  EXPECT_EQ(browser_->evaluate("$('launch').value").get<std::string>().find("rung<<<10, 128, "),
            0u);
  const Json all = examples();
  for (const Json& k : all["kernels"]) {
    if (k["name"] != "modulo") continue;
    WrittenOptions options = options_of(k, 1237, "128");
    options["schedules"] = "3";
    options["chip"] = "sm_90";
    EXPECT_EQ(text("json"), by_program("modulo.ptx", text_in(all, k, "128"), options));
  }
  // A new request during a run replaces it: only the last one is answered.
  set("n", "300000");
  set("n", "2");
  await_verdict("No flaw");
  EXPECT_EQ(browser_->evaluate("$('launch').value").get<std::string>().find("rung<<<1, 128, "), 0u);
  set("kernel", "reduce_unrolling8_as_published");
  EXPECT_EQ(browser_->await("$('verdict').textContent.includes('n = 2 is too short')", true), true);
  set("n", "8192");
  await_verdict("No flaw");
  is_quiet();
}

TEST_F(LabPageInBrowser, RunsPtxThatIsPasted) {
  open(1280);
  await_verdict("No flaw");
  set("kernel", "yours");
  set("ptx", content_of(texts + "reduce0.ptx"), false);
  set("launch", "reduce0<<<64, 256, 1024>>>(in, out, n)", false);
  set("args", "in:i32[16384]=iota, out:i32[64], n=16384", false);
  set("expect", "out[0]==32640", false);
  browser_->evaluate("$('run').click()");
  await_verdict("No flaw");
  set("expect", "out[0]==1", false);
  browser_->evaluate("$('run').click()");
  await_verdict("An expectation does not hold");
  set("ptx", "__global__ void k() {}", false);
  browser_->evaluate("$('run').click()");
  EXPECT_EQ(
      browser_->await("$('verdict').className === 'bad' && $('json').textContent === ''", true),
      true);
  is_quiet();
}

TEST_F(LabPageInBrowser, ShowsARunStepByStep) {
  open(1280);
  await_verdict("No flaw");
  set("kernel", "puzzle_barrier");
  await_verdict("Flaws");
  browser_->evaluate("$('film').click()");
  await_verdict("Recorded");
  EXPECT_EQ(
      browser_->await("$('player').contentDocument?.getElementById('top')?.textContent", "solve"),
      "solve");
  EXPECT_EQ(
      browser_->await("$('player').contentDocument.querySelectorAll('#code tr').length > 5", true),
      true);
  EXPECT_EQ(browser_->evaluate("$('player').contentDocument.getElementById('code').textContent")
                    .get<std::string>()
                    .find("__shared__ int s[256]") != std::string::npos,
            true);
  // A rung shows the lines of its source, and none of other files.
  set("kernel", "reduce_interleaved_as_published");
  await_verdict("Flaws");
  EXPECT_EQ(text("lines").get<std::string>().find("[object") == std::string::npos, true);
  EXPECT_EQ(text("counters").get<std::string>().find("[object") == std::string::npos, true);
  browser_->evaluate("$('film').click()");
  await_verdict("Recorded");
  EXPECT_EQ(
      browser_->await("$('player').contentDocument?.getElementById('top')?.textContent", "rung"),
      "rung");
  set("kernel", "puzzle_barrier");
  await_verdict("Flaws");
  browser_->evaluate("$('judge').click()");
  await_verdict("Not solved");
  is_quiet();
}

// A student reads a puzzle, sees its flaw, tries a wrong solution, then the right one; three times.
TEST_F(LabPageInBrowser, TakesAStudentThroughThreePuzzles) {
  if (!has_compiler()) GTEST_SKIP() << "neither NVRTC nor clang is here";
  open(1280);
  await_verdict("No flaw");
  const auto ptx = [](const std::string& text) {
    return ptx::compile({.file = "solve.cu", .text = text, .kernel = "solve"}).ptx;
  };
  const auto judged = [&](const char* verdict) {
    browser_->evaluate("$('verdict').textContent = ''; $('judge').click()");
    await_verdict(verdict);
  };
  const std::string tests = ONEFOLD_SOURCE_DIR "/tests/lab/";
  for (const auto& [name, trick, at_first] :
       {std::tuple{"barrier", "neighbour_loaded_again", "Flaws"},
        {"atomic", "one_block", "Flaws"},
        {"shuffle", "shared_atomic", "No flaw; not judged yet"}}) {
    set("kernel", std::string("puzzle_") + name);
    await_verdict(at_first);
    judged("Not solved");
    EXPECT_EQ(browser_->evaluate("$('flaws').children.length > 0"), true) << name;
    set("ptx", ptx(content_of(tests + "tricks/" + trick + ".cu")), false);
    judged("Not solved");
    set("ptx", ptx(content_of(tests + "solved/" + name + ".cu")), false);
    judged("Solved");
  }
  is_quiet();
}

TEST_F(LabPageInBrowser, StopsARunThatGoesOn) {
  open(1280);
  await_verdict("No flaw");
  set("kernel", "yours");
  set("ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nL: bra L;\n ret;\n}\n",
      false);
  set("launch", "k<<<1, 1>>>()", false);
  set("args", "", false);
  browser_->evaluate("$('run').click()");
  await_verdict("Running");
  browser_->evaluate("$('stop').click()");
  await_verdict("Stopped");
  set("kernel", "modulo");
  set("expect", "", false);
  await_verdict("No flaw");
  is_quiet();
}

TEST_F(LabPageInBrowser, GoesByKeysAndFitsANarrowDarkWindow) {
  open(400, true);
  await_verdict("No flaw");
  EXPECT_EQ(browser_->evaluate("document.documentElement.dataset.theme"), "dark");
  EXPECT_EQ(browser_->evaluate("document.documentElement.scrollWidth <= 400"), true);
  // The keyboard leads to the kernels and to the next one, whose report is shown.
  browser_->press("Tab");
  browser_->press("Tab");
  browser_->press("Tab");
  EXPECT_EQ(browser_->evaluate("document.activeElement.id"), "kernel");
  const Json before = browser_->evaluate("$('kernel').value");
  browser_->press("ArrowDown");
  EXPECT_NE(browser_->evaluate("$('kernel').value"), before);
  await_verdict("No flaw");
  browser_->evaluate("$('source').open = true");
  EXPECT_EQ(browser_->evaluate("document.documentElement.scrollWidth <= 400"), true);
  is_quiet();
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
