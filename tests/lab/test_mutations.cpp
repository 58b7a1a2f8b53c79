// Our rungs as NVRTC compiles them, with one damage: a fence or barrier removed, `volatile` or the
// scope of a word removed, or an index off by one. The machine reports a flaw, or a list here says
// why not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <regex>

#include "rung_ptx.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

struct Mutant {
  std::string what;  // the instruction, and how it was changed
  std::string text;  // of the whole program
};

unsigned bytes_of_access(const std::string& words) {
  std::smatch m;
  if (!std::regex_search(words, m, std::regex(R"(\.[busf](8|16|32|64|128)\b)"))) return 4;
  const unsigned element = static_cast<unsigned>(std::stoul(m[1])) / 8;
  return words.find(".v4") != words.npos   ? 4 * element
         : words.find(".v2") != words.npos ? 2 * element
                                           : element;
}

std::vector<Mutant> mutants_of(const std::string& ptx) {
  static const std::regex fence(R"(^\s*(@!?%p\d+ )?\s*(membar|fence|bar|barrier)\.[^;]*;)");
  static const std::regex access(R"(^\s*(@!?%p\d+ )?\s*(ld|st|atom|red)\.[^;]*\[([^\]]+)\][^;]*;)");
  static const std::regex strong(
      R"(\.(volatile|relaxed|acquire|release|acq_rel)\b(\.(cta|gpu|sys))?)");
  std::vector<Mutant> all;
  std::size_t at = 0;
  for (std::size_t end = ptx.find('\n'); end != ptx.npos; at = end + 1, end = ptx.find('\n', at)) {
    const std::string line = ptx.substr(at, end - at);
    const auto add = [&](const std::string& what, const std::string& now) {
      all.push_back({line.substr(line.find_first_not_of(" \t")) + " " + what,
                     ptx.substr(0, at) + now + ptx.substr(end)});
    };
    std::smatch m;
    if (std::regex_search(line, fence)) {
      add("left out", "");
    } else if (std::regex_search(line, m, access) && line.find(".param") == line.npos) {
      const std::string words = line.substr(0, line.find('['));
      const unsigned bytes = bytes_of_access(words);
      for (const int by : {int(bytes), -int(bytes)}) {
        const auto open = static_cast<std::size_t>(m.position(3)), length = m[3].str().size();
        const std::string inner = m[3];
        const auto plus = inner.rfind('+');
        int offset = by;
        std::string base = inner;
        if (plus != inner.npos && inner.find_first_not_of("-0123456789", plus + 1) == inner.npos) {
          offset += std::stoi(inner.substr(plus + 1));
          base = inner.substr(0, plus);
        }
        add(fmt::format("{:+} bytes", by),
            line.substr(0, open) + fmt::format("{}+{}", base, offset) + line.substr(open + length));
      }
      if (std::regex_search(words, strong) && m[2] != "atom" && m[2] != "red") {
        add("as plain", std::regex_replace(line, strong, ""));
      }
    }
  }
  return all;
}

// Damage that is not reported: how often at most, and why.
struct Silent {
  const char* rung;  // "": any rung
  const char* what;
  unsigned most;
  const char* why;
};
constexpr Silent silent[] = {
    {"", R"(^bar\.(warp\.)?sync.*left out)", 1,
     "the last of a loop that the compiler unrolled: thread 0 reads what it wrote itself"},
    {"exact_sum", R"(^atom\.global\.add\.u32.*[+-]4 bytes)", 2,
     "pieces two and three are bits 32 to 63 of a sum, which an int has not"},
    {"bulk_copy", R"(^fence\.mbarrier_init.*left out)", 1,
     "the first of two: the second comes after both barriers are made"},
};

bool is_silent(std::string_view rung, const std::string& what, std::vector<unsigned>& used) {
  for (std::size_t k = 0; k < std::size(silent); ++k) {
    const Silent& s = silent[k];
    if (*s.rung != '\0' && rung != s.rung) continue;
    if (std::regex_search(what, std::regex(s.what)) && used[k]++ < s.most) return true;
  }
  return false;
}

class Mutations : public testing::TestWithParam<const Entry*> {};

TEST_P(Mutations, OfFencesWordsAndIndicesAreNoticed) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << "NVRTC is not here";
  const Entry& e = *GetParam();
  constexpr unsigned block = 128;
  std::vector<Setting> settings{{.n = 1003, .block = block, .grid = 3},
                                {.n = 129, .block = block, .grid = 2},
                                {.n = 20011, .block = block, .grid = 3}};
  // The same program with a block size that is not known at compile time.
  if (!e.about.block_known) settings.push_back({.n = 9001, .block = 1024, .grid = 2});
  const auto objects = [&](const std::string& text, const Setting& s) -> std::string {
    const Scratch file(text, ".ptx");
    KernelOptions o = launches_of(e, s);
    o.file = file.path;
    o.budget = 20'000'000;
    // Elements of both signs, so that sums use all limbs.
    KernelArgument& x = o.arguments[0];
    for (Size i = 0; i < x.n; ++i) {
      int32_t v = 0;
      std::memcpy(&v, x.data.data() + 4 * i, sizeof v);
      v -= 150;
      std::memcpy(x.data.data() + 4 * i, &v, sizeof v);
    }
    try {
      const KernelResult r = run_kernel(o);
      if (!r.flaws.empty()) return r.flaws[0];
      if (!r.failure.empty()) return r.failure;
      if (!r.unsteady.empty()) return "unsteady";
      int64_t want = 0;
      for (Size i = 0; i < x.n; ++i) want += std::stoll(element_text(x, i));
      for (Size i = 0; i < r.arguments[3].n && !o.cooperative; ++i) {  // a GPU's barrier counts on
        if (element(r, "ticket", i) != 0) return "dirty ticket";
      }
      return sum_of(r, plan(e, false, s.n, s.block, s.grid)) == want ? "" : "wrong result";
    } catch (const Error& error) {
      return error.what();
    }
  };
  // Without __launch_bounds__, which the last setting exceeds.
  const std::string ptx =
      std::regex_replace(rung_ptx(e, false, block), std::regex(R"(\.maxntid[^\n]*)"), "");
  for (const Setting& s : settings) ASSERT_EQ(objects(ptx, s), "") << s.n;
  const auto mutants = mutants_of(ptx);
  ASSERT_GT(mutants.size(), 2u);
  std::vector<unsigned> used(std::size(silent));
  for (const Mutant& m : mutants) {
    bool noticed = false;
    for (const Setting& s : settings) noticed = noticed || !objects(m.text, s).empty();
    EXPECT_TRUE(noticed || is_silent(e.name, m.what, used)) << m.what;
  }
}

INSTANTIATE_TEST_SUITE_P(, Mutations, testing::ValuesIn(rungs_with_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
